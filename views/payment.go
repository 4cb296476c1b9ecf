package views

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/payment"
	"countersign/views/ui"
)

// PaymentTab is one part of a payment's own page.
type PaymentTab string

// The parts of a payment's page. Overview lives at /payments/{id}, the others at /payments/{id}/{tab}.
const (
	TabOverview PaymentTab = "overview"
	TabTimeline PaymentTab = "timeline"
	TabMessages PaymentTab = "messages"
	TabRelated  PaymentTab = "related"
	TabAudit    PaymentTab = "audit"
	TabPrint    PaymentTab = "print" // all that an auditor needs, on one page
)

// Payment is the page of one message. Only the part named by Tab needs its data.
type Payment struct {
	Layout  Layout
	Message Message
	Tab     PaymentTab
	Back    ui.Step // the list it was opened from; that of its kind when it has no address
	Flight  *Flight // nil for one that is not under way
	// UnansweredURL is the address that the page of an unconfirmed payment polls; "" for another one.
	UnansweredURL string
	Over          bool        // the page saw it under way, and that is over
	OverAfter     i18n.Text   // how long after the approval clearing answered; empty where it did not
	Actions       []Action    // what this person may do now
	Barred        []i18n.Text // why something expected is not offered, one sentence each
	Documents     []Document
	DocumentPages ui.Pages  // of a list that begins behind the first ones
	LeftOutURL    string    // leads to those between the first and the newest, which the list leaves out; "" where all are listed
	Related       []Related // the tree, from the payment everything is about
	Audit         []AuditEntry
}

// news returns the text that a page announces after it changed by itself: the progress of the payment, or its outcome.
func (m Payment) news() i18n.Text {
	if m.Flight != nil {
		return m.Flight.title()
	}
	return m.overTitle()
}

// overTitle returns the outcome, in the words of the status reason if there are any.
func (m Payment) overTitle() i18n.Text {
	return cmp.Or(StatusReason(m.Message.Message), ui.StateLabel(m.Message.State))
}

func (m Payment) overTone() ui.Tone {
	if m.Message.State == payment.StateSettled {
		return ui.ToneGood
	}
	tone, _ := m.Message.outcome()
	return tone
}

// back is the way to the list.
func (m Payment) back() ui.Step {
	return cmp.Or(m.Back, m.Message.words().list, ui.Step{Label: "All payments", URL: "/payments"})
}

// Action is a step the state machine allows this person.
type Action struct {
	Label   i18n.Text // names the act: "Recall CHF 1'234.56"
	URL     string
	Primary bool
	Hint    i18n.Text // beneath the links
	Help    ui.Step   // the section of the help about it, after the hint
}

// Document is one ISO 20022 document of a message.
type Document struct {
	ID          string
	Type        string    // "pacs.008.001.08"
	Name        i18n.Text // "Credit transfer"
	Outgoing    bool
	Draft       bool // what is approved; its stamped copy is sent
	At          time.Time
	Size        int // bytes
	Status      i18n.Text
	URL         string
	DownloadURL string
}

// Related is a message in the tree of a payment: the payment itself, what refers to it, and below a recall its answers.
type Related struct {
	payment.Message

	Role     i18n.Text // "The payment", "Recall of the payment"
	Current  bool      // the message whose page this is
	Children []Related
}

// AuditEntry is one row of the audit trail.
type AuditEntry struct {
	At        time.Time
	Actor     i18n.Text
	Action    i18n.Text
	Refused   bool // the attempt was refused
	Channel   i18n.Text
	Address   string // source address
	RequestID string
	Detail    i18n.Text
	About     i18n.Text // the payment: "CHF 100.00 to Muster AG"; "" where the page is about it
	URL       string    // of the message or the change; "" for none
}

// DocumentView shows one document in full.
type DocumentView struct {
	Layout    Layout
	BackLabel i18n.Text // "Messages of 7QK4M2XW9TCH3F5A"
	BackURL   string
	Note      i18n.Text // why it is in quarantine, or withheld; empty for most
	Document  Document
	Tabs      []ui.Tab // the forms it can be read in
	Text      string   // formatted; escaped when rendered; empty for the sources
	Sources   []interbank.Source
}

func (m Payment) tabs() []ui.Tab {
	base := PaymentURL(m.Message.InternalID)
	tab := func(label i18n.Text, name PaymentTab, url string) ui.Tab {
		return ui.Tab{Label: label, URL: url, Current: m.Tab == name}
	}
	return []ui.Tab{
		tab("Overview", TabOverview, base), tab("Timeline", TabTimeline, base+"/timeline"),
		tab("Messages", TabMessages, base+"/messages"), tab("Related", TabRelated, base+"/related"),
		tab("Audit", TabAudit, base+"/audit"), tab("Print view", TabPrint, base+"/print"),
	}
}

// identifiers lists every identifier the message is known by.
func (m Message) identifiers() []ui.Row {
	var rows []ui.Row
	for _, one := range []struct {
		term  i18n.Text
		value string
	}{
		{"Global ID", string(m.GlobalID)},
		{"Internal ID", m.InternalID.String()},
		{"External ID", m.ExternalID},
		{"End-to-end ID", m.Summary.EndToEndID},
		{"UETR", m.Summary.UETR},
	} {
		rows = appendRow(rows, ui.Row{Term: one.term, Value: one.value, Copy: one.value, Numeric: true})
	}
	return rows
}

// decisions lists who decided about the version, when and on which way, and the digest that each decision names.
func (m Message) decisions() []ui.Row {
	var rows []ui.Row
	for _, d := range m.Decisions {
		row := ui.Row{Term: "Approved", Value: d.Name + ", " + d.Login, Details: []i18n.Text{
			i18n.Join(", ", i18n.Data(ui.DateTime(d.DecidedAt)), ChannelName(string(d.Channel), d.ClientID)),
		}}
		if d.Action == payment.ActionReject {
			row.Term = "Rejected"
		}
		if said := d.Reason + d.Remark; said != "" {
			row.Details = append(row.Details, RejectReason(said))
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		rows = []ui.Row{{Term: "Approvals", Text: "None"}}
	}
	return append(rows, ui.Row{Term: "Content fingerprint", Value: m.digest(), Numeric: true})
}

// origin lists who made the message, when and on which way.
func (m Message) origin() []ui.Row {
	rows := []ui.Row{{Term: "Scheme", Text: ui.SchemeName(m.Scheme)}}
	rows = appendRow(rows, ui.Row{Term: "Maker", Value: m.MakerName})
	rows = appendRow(rows, ui.Row{Term: "Channel", Text: ChannelName(string(m.Channel), m.ClientID)})
	rows = appendRow(rows, ui.Row{Term: "File", Text: m.Line})
	return append(rows, ui.Row{Term: "Submitted", Value: ui.DateTime(m.CreatedAt)})
}

// relation names the relation of a message to the payment, and the reason.
func (r Related) relation() i18n.Text {
	if r.Reason == "" {
		return r.Role
	}
	return i18n.Text("%s: %s").With(r.Role, ReasonText(r.Kind, r.Scheme, r.Reason))
}

// direction is the direction in words, with its icon.
func (d Document) direction() (words i18n.Text, icon string) {
	switch {
	case d.Draft:
		return "Draft", "file-text"
	case d.Outgoing:
		return "Sent", "arrow-up-right"
	}
	return "Received", "arrow-down-left"
}

// Flight is the progress of a payment until clearing's answer.
type Flight struct {
	URL    string // the page itself
	AskURL string // what the page asks by itself: whether anything is new
	Since  time.Time
	Due    time.Time     // when the answer should be there
	Left   time.Duration // until then
	Whole  time.Duration // from the approval to then
	Taken  bool          // clearing has it
	Late   bool          // it should have been unconfirmed by now
}

// asks returns the interval of the polls. It is longer for a late answer, because clearing may be away for long.
func (f Flight) asks() string {
	if f.Late {
		return "every 5s"
	}
	return "every 1s"
}

func (f Flight) title() i18n.Text {
	switch {
	case f.Late:
		return "Clearing's answer is late"
	case f.Taken:
		return "Clearing has received the payment"
	}
	return "The payment is on its way to clearing"
}

// offset returns the remaining part of the ring, of 100.
func (f Flight) offset() string { return f.offsetAt(f.Left) }

func (f Flight) offsetAt(left time.Duration) string {
	if f.Whole <= 0 {
		return "0"
	}
	return strconv.Itoa(int(100 * left / f.Whole))
}

// steps returns the seconds until the ring is closed. The ring moves once a second: drawing each frame would keep the processor of a
// telephone busy.
func (f Flight) steps() int { return max(1, int((f.Left+time.Second-1)/time.Second)) }

// ticks are the offsets of the ring from now on, one a second.
func (f Flight) ticks() string {
	offsets := make([]string, 0, f.steps()+1)
	for step := range f.steps() {
		offsets = append(offsets, f.offsetAt(f.Left-time.Duration(step)*time.Second))
	}
	return strings.Join(append(offsets, "0"), ";")
}

// seconds returns the duration of the ticks: the last one too is shown for a second.
func (f Flight) seconds() string { return strconv.Itoa(f.steps()+1) + "s" }

// repeated limits the successive steps of the same name beside the facts: status requests may go on for days.
const repeated = 3

// happened returns the timeline beside the facts: of many steps with the same name the first and the last, with their number between. The
// tab shows all.
func (m Payment) happened() []ui.Event {
	var short []ui.Event
	all := m.Message.Timeline
	for i := 0; i < len(all); {
		end := i
		for end < len(all) && all[end].Title == all[i].Title {
			end++
		}
		if end-i <= repeated {
			short = append(short, all[i:end]...)
		} else {
			between := all[end-2]
			between.Title, between.Took, between.Note = i18n.Text("%d similar steps not shown").With(end-i-2), "", ""
			between.URL = PaymentURL(m.Message.InternalID) + "/timeline"
			short = append(short, all[i], between, all[end-1])
		}
		i = end
	}
	return short
}
