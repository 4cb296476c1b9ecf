package portal

import (
	"mime"
	"net/http"
	"net/url"

	"countersign/internal/i18n"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// quarantineLimit limits the listed documents in quarantine.
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
