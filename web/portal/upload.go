package portal

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/views"
)

// maxUpload is the largest file taken, in bytes.
const maxUpload = 256 << 10

// file is a payment order read from an uploaded file.
type file struct {
	made
	findings []payment.Finding
}

// readFile reads a pain.001.001.09, or a pain.001.001.03 that can be carried over without loss. document is nil when it is neither.
func readFile(content []byte) file {
	var f file
	read, found := iso20022.DecodeXML(content)
	f.findings = found
	switch document := read.(type) {
	case *iso20022.CustomerCreditTransferInitiation:
		f.document = document
	case *iso20022.CustomerCreditTransferInitiationV03:
		var carried []iso20022.Finding
		f.document, carried = iso20022.Upgrade(document)
		if len(found) == 0 {
			f.findings = carried
		}
	case nil:
	default:
		f.findings = append(f.findings, payment.Finding{
			Pointer: "/Document", Code: "FF01", Text: "Send a payment order: this file is a " + string(read.MessageName()) + ".",
		})
	}
	if f.document == nil {
		return f
	}
	count := 0
	for _, info := range f.document.PaymentInformation {
		count += len(info.CreditTransferTransactionInformation)
	}
	if count != 1 {
		f.findings = append(f.findings, payment.Finding{
			Pointer: "/Document/CstmrCdtTrfInitn/PmtInf", Code: "AM18",
			Text: fmt.Sprintf("The file holds %d payments. Send one file for each payment.", count),
		})
		f.document = nil
		return f
	}
	if len(f.findings) == 0 {
		f.transliterated = transliterate(f.scheme(), f.document)
	}
	return f
}

// scheme is the one whose currency the file pays in; a file in another currency is refused by the rules of either.
func (f file) scheme() rulebook.Scheme {
	_, tx, single := f.document.SinglePayment()
	if !single || tx.Amount.InstructedAmount == nil {
		return rulebook.SchemeSIC
	}
	for _, scheme := range rulebook.Schemes() {
		profile, _ := scheme.Profile()
		if string(profile.Currency) == tx.Amount.InstructedAmount.Currency {
			return scheme
		}
	}
	return rulebook.SchemeSIC
}

func showUpload(v *visit) error {
	err := mayMake(v.by)
	if err != nil {
		return err
	}
	return v.renderUpload(http.StatusOK, views.Upload{})
}

// readUpload takes a file: it is fine and becomes a draft to be checked, or everything wrong in it is listed.
func readUpload(v *visit) error {
	err := mayMake(v.by)
	if err != nil {
		return err
	}
	content, name, err := v.uploaded()
	if err != nil {
		return err
	}
	if len(content) > maxUpload {
		return v.refuseFile(name, content, []payment.Finding{{
			Code: "FF01", Text: fmt.Sprintf("Send at most %d kB in one file.", maxUpload>>10),
		}})
	}
	if len(content) == 0 {
		return v.refuseFile(name, content, []payment.Finding{{Code: "FF01", Text: "Choose a file that is not empty."}})
	}
	read := readFile(content)
	if read.document == nil {
		return v.refuseFile(name, content, read.findings)
	}
	draft := store.Draft{
		ID: v.cfg.NewID(), Scheme: read.scheme(), File: content, FileName: name, SavedAt: v.at, ExpiresAt: v.at.Add(draftLife),
	}
	p, err := v.prepareDraft(draft)
	if err != nil {
		return err
	}
	if !p.fine() {
		return v.refuseFile(name, content, p.findings)
	}
	err = v.cfg.Drafts.Add(v.ctx(), v.by, draft)
	if err != nil {
		return err
	}
	return v.goTo("/payments/"+draft.ID.String()+"/check", "")
}

// uploaded reads the file of the form, one byte more than is taken so that too much shows. No file at all is an empty one.
func (v *visit) uploaded() (content []byte, name string, err error) {
	header, err := v.echo.FormFile("file")
	if err == http.ErrMissingFile { //nolint:errorlint // returned as it is by net/http
		return nil, "", nil
	}
	if err != nil {
		return nil, "", &formError{err}
	}
	opened, err := header.Open()
	if err != nil {
		return nil, "", &formError{err}
	}
	defer func() { _ = opened.Close() }()
	content, err = io.ReadAll(io.LimitReader(opened, maxUpload+1))
	if err != nil {
		return nil, "", &formError{err}
	}
	return content, fileName(header.Filename), nil
}

// fileName is the name of an uploaded file, short enough to be kept and without characters that no name needs.
func fileName(given string) string {
	name := strings.Map(func(r rune) rune {
		if r < ' ' || r == utf8.RuneError || r == '/' || r == '\\' {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(given, "_"))
	runes := []rune(name)
	return string(runes[:min(len(runes), 200)])
}

// refuseFile lists what is wrong in a file, with the line of each finding.
func (v *visit) refuseFile(name string, content []byte, findings []payment.Finding) error {
	if name == "" {
		name = "The file"
	}
	model := views.Upload{FileName: name}
	lines := linesOf(content)
	for _, f := range findings {
		line := f.Line
		if line == 0 {
			line = lines.of(f.Pointer)
		}
		model.Findings = append(model.Findings, views.Finding{Line: line, Element: f.Pointer, Text: f.Text, Code: f.Code})
	}
	return v.renderUpload(http.StatusUnprocessableEntity, model)
}

func (v *visit) renderUpload(status int, model views.Upload) error {
	model.Shell = v.shell("Upload a payment", views.PlaceNew)
	model.Shell.Failed = len(model.Findings) > 0
	model.Limit = fmt.Sprintf("%d kB", maxUpload>>10)
	model.Accepted = []string{
		"pain.001.001.09 in CHF for SIC instant payments, in EUR for SEPA instant payments",
		"pain.001.001.03 when everything in it has a place in pain.001.001.09",
	}
	return v.render(status, views.UploadPage(model))
}
