package portal

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"countersign/internal/account"
	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// FullMessage returns a message with its timeline, its approval and the content of its kind; an instruction also has its warnings and
// changes.
func FullMessage(v *Request, m payment.Message) (views.Message, error) {
	return fullMessage(v, m, documents{})
}

// fullMessage is FullMessage with the known documents, to which the steps link.
func fullMessage(v *Request, m payment.Message, known documents) (views.Message, error) {
	view := views.Message{Message: m}
	steps, err := v.Config.Reader.History(v.Context(), v.By.Realm, m.InternalID)
	if err != nil {
		return view, err
	}
	view.Timeline = timeline(steps, m, known, v.Language())
	view.Talk = talkOf(steps, m.Version)
	if m.Withheld != "" {
		view.Warnings = []views.Warning{{Title: "Withheld", Text: m.Withheld}}
		return view, nil // its document is not shown beside fields that contradict it
	}
	view.Approval, err = v.approval(m)
	if err != nil {
		return view, err
	}
	view.Core, err = v.Config.Reader.CoreBooking(v.Context(), m)
	if err != nil {
		return view, err
	}
	err = contents[m.Kind](v, &view, m)
	if err == nil {
		view.Sent.Banks, err = v.banks(m)
	}
	return view, err
}

// banks returns the directory that names the banks of a message; nil where the Swiss list names both. A request reads it once for a scheme.
func (v *Request) banks(m payment.Message) (*account.Directory, error) {
	about := m.Summary
	if views.BankName(about.DebtorAccount, "", nil) != "" && views.BankName(about.CreditorAccount, "", nil) != "" {
		return nil, nil
	}
	known, read := v.directories[m.Scheme]
	if read {
		return known, nil
	}
	known, err := v.Config.Reader.Directory(v.Context(), v.By.Realm, m.Scheme)
	if v.directories == nil {
		v.directories = map[rulebook.Scheme]*account.Directory{}
	}
	v.directories[m.Scheme] = known
	return known, err
}

// contents maps each kind to the function that shows its content.
var contents = map[payment.Kind]func(v *Request, view *views.Message, m payment.Message) error{
	payment.KindInstruction:    fillOrder,
	payment.KindPayment:        fillIncoming,
	payment.KindRecall:         FillRequest,
	payment.KindReturn:         FillRequest,
	payment.KindResolution:     FillRequest,
	payment.KindReceivedRecall: FillRequest,
}

// fillIncoming shows every element of the pacs.008 of an incoming payment.
func fillIncoming(_ *Request, view *views.Message, m payment.Message) error {
	document, findings := m.Document()
	if len(findings) == 0 { // else it was taken by the rules of an earlier version
		view.Sent = views.SentOf(document, m, views.Shown{Place: "PmtId/UETR", Value: m.Summary.UETR})
	}
	return nil
}

// fillOrder shows a payment order, its warnings for the checker, and the changes of its last amendment.
func fillOrder(v *Request, view *views.Message, m payment.Message) error {
	document, err := m.ToClearing()
	if err != nil {
		view.Warnings = []views.Warning{unreadableDocument}
		return nil //nolint:nilerr // the page says so
	}
	view.Sent = views.SentOf(document, m)
	file, line, err := v.Config.Reader.BatchLine(v.Context(), v.By.Realm, m.InternalID)
	if err != nil {
		return err
	}
	if line > 0 {
		view.Line = i18n.Text("Line %s of the file %s").With(i18n.Number(line), file)
	}
	if m.State.Pending() {
		view.Warnings, err = v.warnings(m)
		if err != nil {
			return err
		}
	}
	if m.Version > 1 {
		return v.fillChanges(view, m)
	}
	return nil
}

// warnings returns the cautions of a message, with links to the similar payments.
func (v *Request) warnings(m payment.Message) ([]views.Warning, error) {
	found, err := v.cautions([]payment.Message{m})
	list := slices.Clone(found[m.InternalID])
	at := slices.IndexFunc(list, func(w views.Warning) bool { return slices.Contains(w.Flags, views.AlikeFlag) })
	if err != nil || at < 0 {
		return list, err
	}
	similar, err := v.Config.Reader.SimilarTo(v.Context(), v.By.Realm, store.Likeness{
		Summary: m.Summary, Since: m.CreatedAt.Add(-store.DuplicateWindow), Except: m.InternalID,
	})
	for _, s := range similar {
		list[at].Links = append(list[at].Links, ui.Step{
			Label: i18n.Text("%s, %s, %s").With(s.GlobalID, ui.DateTime(s.CreatedAt), ui.StateLabel(s.State)),
			URL:   "/payments/" + s.MessageID.String(),
		})
	}
	return list, err
}

// fillChanges compares the document to clearing with the one of the version before, element by element. A version before that cannot be
// read says nothing about the current one, which has a seal of its own: the page says so instead.
func (v *Request) fillChanges(view *views.Message, m payment.Message) error {
	versions, err := v.Config.Reader.Versions(v.Context(), v.By.Realm, m.InternalID)
	if err != nil {
		return err
	}
	var before store.Version
	for _, version := range versions {
		if version.Number == m.Version-1 {
			before = version
		}
	}
	stored, err := v.Config.Reader.Document(v.Context(), v.By.Realm, before.DocumentID)
	if err != nil && !errors.Is(err, payment.ErrNotFound) {
		return err
	}
	earlier, err := v.earlier(m, before.Summary, stored.Content)
	digest := sha256.Sum256(stored.Content)
	if err != nil || !bytes.Equal(digest[:], before.Hash) || stored.Withheld != "" {
		view.Warnings = append(view.Warnings, views.Warning{
			Title: "The previous version cannot be read, or differs from the version that was entered",
			Text:  "It is not known which fields were changed. Check every field, and ask an operator to run “countersign check”.",
		})
		return nil
	}
	view.Changes = append(views.ChangedElements(earlier, view.Sent.Content),
		views.ChangedDay(m.WithContent(stored.Content).OrderedDay(), m.OrderedDay())...)
	return nil
}

// earlier returns the content of the document to clearing that an earlier version of a message would have become.
func (v *Request) earlier(m payment.Message, about payment.Summary, content []byte) (interbank.Content, error) {
	if about.DebtorAccount != m.Summary.DebtorAccount {
		var err error
		m.Account, err = v.debtorAccount(about.DebtorAccount)
		if err != nil {
			return nil, err
		}
	}
	m.Summary = about
	document, err := m.WithContent(content).ToClearing()
	if err != nil {
		return nil, err
	}
	return interbank.ContentOf(document), nil
}

// isOrder reports whether a document is an order; like the next functions it tells which document belongs to a step.
func isOrder(d store.OutboundDocument) bool {
	return d.Direction == payment.DocumentDraft || strings.HasPrefix(string(d.Name), "pain.001")
}

func isInquiry(d store.OutboundDocument) bool {
	return d.Direction == payment.DocumentOut && strings.HasPrefix(string(d.Name), "pacs.028")
}

func isSent(d store.OutboundDocument) bool {
	return d.Direction == payment.DocumentOut && !isInquiry(d) && !strings.HasPrefix(string(d.Name), "pain.")
}

func isReceived(d store.OutboundDocument) bool {
	return d.Direction == payment.DocumentIn && !isOrder(d)
}

// hasDocument maps the steps with a document to the test that recognises the document.
var hasDocument = map[payment.Action]func(store.OutboundDocument) bool{
	payment.ActionSubmit: isOrder, payment.ActionAmend: isOrder, payment.ActionDeliver: isSent, payment.ActionSettle: isReceived,
	payment.ActionRejectByClearing: isReceived, payment.ActionInquire: isInquiry, payment.ActionAcknowledge: isReceived,
	payment.ActionAccept: isReceived, payment.ActionRefuseRecall: isReceived, payment.ActionBook: isReceived,
	payment.ActionReceive: isReceived, payment.ActionReport: isReceived,
}

// documentOf returns the address of the document of a step: of the possible documents the nearest in time. Without one, or when it may be
// missing in the list, it returns the address of the list.
func documentOf(s store.Step, m payment.Message, known documents) string {
	address, nearest := "/payments/"+m.InternalID.String()+"/messages", time.Duration(math.MaxInt64)
	if known.between(s.At) {
		return address
	}
	for _, d := range known.list {
		if away := s.At.Sub(d.At).Abs(); hasDocument[s.Action](d) && away < nearest {
			address, nearest = documentView(m, d).URL, away
		}
	}
	return address
}

// byOthers are the steps whose reason clearing or another bank gave. Codes without a translation have the words of ISO, which are English.
var byOthers = []payment.Action{
	payment.ActionSettle, payment.ActionRejectByClearing, payment.ActionAcknowledge, payment.ActionAccept, payment.ActionRefuseRecall,
	payment.ActionBook, payment.ActionReceive, payment.ActionReport,
}

// stepNote returns the reason of a step, with its language when it differs from the page's: browsers and screen readers need it. For the
// reason that clearing or another bank gave last, the note has the words of this portal.
func stepNote(s store.Step, m payment.Message, spoken i18n.Language) (note i18n.Text, in string) {
	if s.Reason == "" || !slices.Contains(byOthers, s.Action) {
		return storedReason(s.Reason), ""
	}
	note = s.Reason
	if s.Reason.String() == m.StatusText {
		note = views.StatedReason(m)
	}
	if spoken != i18n.English && strings.TrimSuffix(spoken.Say(note), ".") == strings.TrimSuffix(s.Reason.String(), ".") {
		in = string(i18n.English)
	}
	return note, in
}

// timeline describes the steps of a message; a step with a document links to it.
func timeline(steps []store.Step, m payment.Message, known documents, spoken i18n.Language) []ui.Event {
	events := make([]ui.Event, 0, len(steps))
	for i, s := range steps {
		event := ui.Event{
			At: s.At, Title: stepTitle(s), Actor: s.Actor, Channel: views.ChannelName(s.Channel, s.ClientID),
			State: string(s.To),
		}
		event.Note, event.NoteIn = stepNote(s, m, spoken)
		if hasDocument[s.Action] != nil {
			event.URL = documentOf(s, m, known)
		}
		if i > 0 {
			event.Took = took(s.At.Sub(steps[i-1].At))
		}
		events = append(events, event)
	}
	return events
}

// actionWords name the steps of a message.
var actionWords = map[payment.Action]i18n.Text{
	payment.ActionSubmit:           "Submitted",
	payment.ActionApprove:          "Approved",
	payment.ActionReject:           "Rejected",
	payment.ActionWithdraw:         "Withdrawn",
	payment.ActionAmend:            "Amended",
	payment.ActionExpire:           "Expired",
	payment.ActionRelease:          "Released for sending on the execution date",
	payment.ActionCancel:           "Not sent because a check failed on the execution date",
	payment.ActionDeliver:          "Received by clearing",
	payment.ActionSettle:           "Settled",
	payment.ActionRejectByClearing: "Refused by clearing",
	payment.ActionWithhold:         "Not sent because the stored content was changed",
	payment.ActionStop:             "Not sent because no funds were reserved",
	payment.ActionTimeOut:          "Unconfirmed",
	payment.ActionInquire:          "Status requested from clearing",
	payment.ActionAcknowledge:      "Receipt confirmed by clearing",
	payment.ActionAccept:           "Accepted by the other bank",
	payment.ActionRefuseRecall:     "Refused by the other bank",
	payment.ActionFallDue:          "No answer in time",
	payment.ActionBook:             "Booked",
	payment.ActionReport:           "Status reported by clearing",
	payment.ActionReceive:          "Received",
	payment.ActionAsk:              "Question for the maker",
	payment.ActionAnswer:           "Answered",
}

func stepTitle(s store.Step) i18n.Text {
	words, known := actionWords[s.Action]
	switch {
	case !known:
		return i18n.Data(string(s.Action))
	case s.Action == payment.ActionApprove && s.To == payment.StateApprovalPending:
		return "Approved, further approvals needed"
	case s.Action == payment.ActionDeliver && s.To == payment.StateUnconfirmed:
		return "Received by clearing, no answer yet"
	case s.Action == payment.ActionAmend:
		return i18n.Text("Amended, version %d").With(s.Version)
	}
	return words
}

// took writes the time between two steps: "820 ms", "2 min 11 s", "3 h 5 min".
func took(between time.Duration) i18n.Text {
	switch {
	case between < time.Second:
		return i18n.Text("%d ms").With(int(between.Milliseconds()))
	case between < time.Minute:
		return i18n.Text("%d s").With(int(between.Seconds()))
	case between < time.Hour:
		return i18n.Text("%d min %d s").With(int(between.Minutes()), int(between.Seconds())%60)
	}
	return i18n.Text("%d h %d min").With(int(between.Hours()), int(between.Minutes())%60)
}
