package portal

import (
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"countersign/internal/clearing"
	"countersign/internal/i18n"
	"countersign/internal/store"
	"countersign/internal/store/integrity"
	"countersign/views"
	"countersign/views/ui"
)

const operationPath = "/operation"

// showOperation shows operators the state of the connections to clearing.
func showOperation(v *Request) error {
	model := views.Operation{
		Layout: v.layout("Operation", views.PlaceOperation), RetryURL: operationPath + "/retry",
		Empty: ui.Empty{Icon: "circle-check", Title: "No failed tasks", Text: "No tasks are waiting for another attempt."},
	}
	var err error
	model.Connections, err = v.connections("")
	if err != nil {
		return err
	}
	for _, s := range v.Config.Clearing.Stuck() {
		model.Stuck = append(model.Stuck, views.StuckRow{
			Doing: doings[s.Doing], Scheme: s.Scheme, Subject: s.Subject, Failed: s.Failed,
			Next: s.Next, Why: i18n.Kept(s.Why),
		})
	}
	for _, q := range v.Config.Clearing.Queues() {
		model.Queues = append(model.Queues, views.JobQueue{
			Doing: doings[q.Doing], Scheme: q.Scheme, Ready: q.Ready, Running: q.Running, Retrying: q.Retrying,
			Most: clearing.MaxQueued, Oldest: q.Oldest,
		})
	}
	model.Checks, err = checks(v)
	if err != nil {
		return err
	}
	mails, off, err := v.Config.Notices.Standing(v.Context())
	if err != nil {
		return err
	}
	if !off {
		model.Mail = &views.MailRow{
			SentAt: mails.SentAt, FailedAt: mails.FailedAt, Failure: i18n.Kept(mails.Failure), Retrying: mails.Retrying, GivenUp: mails.GivenUp,
		}
	}
	left, err := v.Config.Reader.Archived(v.Context(), v.By.Realm)
	model.Left = left.Messages
	if left.Month != "" {
		model.Archived = i18n.ISODate(left.Month)
	}
	if err != nil {
		return err
	}
	model.MissingKeys, err = v.Config.Clearing.MissingKeys(v.Context())
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, views.OperationPage(model))
}

// connectionWords describes the states of a connection that does not work.
var connectionWords = map[clearing.ConnectionState]i18n.Text{
	clearing.ConnectionInterrupted: "Connection interrupted. No documents are being sent.",
	clearing.ConnectionTrying:      "Connection interrupted. One document is being sent to test the connection.",
}

// doings names the kinds of tasks.
var doings = map[clearing.Doing]i18n.Text{
	clearing.DoingDelivery: "Delivery to clearing", clearing.DoingInquiry: "Status request", clearing.DoingAnswer: "Answer from clearing",
	clearing.DoingClock: "Deadline", clearing.DoingHeld: "Message that matches no payment", clearing.DoingBatch: "Payments in a batch",
	clearing.DoingWebhook: "Webhook", clearing.DoingBooking: "Notification to core banking", clearing.DoingRelease: "Scheduled payment",
	clearing.DoingNotice: "E-mail",
}

// checkedRows are the words for the rows that a check looked at.
var checkedRows = map[string]i18n.Text{integrity.CheckedWhole: "everything", integrity.CheckedSince: "since a checkpoint"}

// checks returns the outcomes of the last integrity checks.
func checks(v *Request) ([]views.CheckRow, error) {
	if v.Config.Checks == nil {
		return nil, nil
	}
	outcomes, err := v.Config.Checks()
	rows := make([]views.CheckRow, 0, len(outcomes))
	for _, of := range slices.Sorted(maps.Keys(outcomes)) {
		rows = append(rows, views.CheckRow{Of: checkedRows[of], At: outcomes[of].At, Broken: strings.Join(outcomes[of].Broken, ", ")})
	}
	return rows, err
}

// tryAgain ends the backoff of one stuck task, or of all.
func tryAgain(v *Request, form url.Values) error {
	paused, err := v.Config.Clearing.TryAgain(v.Context(), v.By, form.Get("subject"))
	if err != nil {
		return err
	}
	if !paused {
		return v.GoTo(operationPath, "This task is no longer waiting for another attempt.")
	}
	return v.GoTo(operationPath, "The failed tasks are being tried again.")
}

// quarantineLimit limits the documents in quarantine that are listed and counted.
const quarantineLimit = 100

const quarantinedPath = "/quarantine/document"

// showQuarantine lists what arrived from clearing and matched nothing.
func showQuarantine(v *Request) error {
	list, err := v.Config.Reader.Quarantine(v.Context(), quarantineLimit)
	if err != nil {
		return err
	}
	model := views.Quarantine{
		Layout: v.layout("Quarantine", views.PlaceQuarantine), Most: quarantineLimit,
		Empty: ui.Empty{Icon: "circle-check", Title: "Nothing in quarantine", Text: "Every document from clearing was matched to a payment."},
	}
	for _, d := range list {
		model.Rows = append(model.Rows, views.QuarantineRow{
			Reference: d.Reference, URL: quarantinedURL(d), Scheme: d.Scheme, Type: string(d.Name), Name: documentName(d.Name),
			Reason:     d.Reason,
			ReceivedAt: d.At,
		})
	}
	return v.Render(http.StatusOK, views.QuarantinePage(model))
}

// quarantinedURL is the address of a document, whose message id may hold any character.
func quarantinedURL(d store.Quarantined) string {
	return quarantinedPath + "?" + url.Values{"scheme": {string(d.Scheme)}, "reference": {d.Reference}}.Encode()
}

// quarantined loads the document the address names.
func (v *Request) quarantined() (store.Quarantined, error) {
	err := v.portal.mayOperate(v.By)
	if err != nil {
		return store.Quarantined{}, err
	}
	scheme := SchemeOf(v.Echo.QueryParam("scheme"))
	return v.Config.Reader.QuarantinedDocument(v.Context(), scheme, Searchable(v.Echo.QueryParam("reference")))
}

func showQuarantined(v *Request, d store.Quarantined) error {
	form := formOf(v.Echo.QueryParam("form"))
	if form == formSources {
		form = formXML // it was not made here
	}
	here := quarantinedURL(d)
	model := views.DocumentView{
		Layout: v.layout(i18n.Data(string(d.Name)),
			views.PlaceQuarantine), BackLabel: "Quarantine", BackURL: "/quarantine", Note: d.Reason,
		Document: views.Document{
			Type: string(d.Name), Name: documentName(d.Name), At: d.At, Size: len(d.Content), URL: here,
			DownloadURL: quarantinedPath + "/download?" +
				url.Values{"scheme": {string(d.Scheme)}, "reference": {d.Reference}, "form": {form}}.Encode(),
		},
	}
	for _, other := range []string{formXML, formJSON} {
		model.Tabs = append(model.Tabs, ui.Tab{Label: formLabels[other], URL: here + "&form=" + other, Current: other == form})
	}
	model.Text = textOf(d.Content, form)
	return v.Render(http.StatusOK, views.DocumentPage(model))
}

func downloadQuarantined(v *Request, d store.Quarantined) error {
	return v.sendFile("quarantine_"+string(d.Name), d.Content, formOf(v.Echo.QueryParam("form")))
}

// sendFile sends a document as a file, never as a page: the exact bytes, or its JSON form.
func (v *Request) sendFile(name string, content []byte, form string) error {
	kind, ending := "application/xml", ".xml"
	if form == formJSON {
		encoded := jsonOf(content)
		if encoded != nil {
			content, kind, ending = encoded, "application/json", ".json"
		}
	}
	header := v.Echo.Response().Header()
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name + ending}))
	header.Set("X-Content-Type-Options", "nosniff")
	return v.Echo.Blob(http.StatusOK, kind, content)
}
