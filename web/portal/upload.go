package portal

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"countersign/internal/calendar"
	"countersign/internal/i18n"
	"countersign/internal/iso20022/codec"
	"countersign/internal/money"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
)

func showUpload(v *Request) error {
	kept, err := v.Unpark()
	if err != nil {
		return err
	}
	return v.renderUpload(http.StatusOK, views.Upload{Kept: kept.ID, KeptName: kept.FileName})
}

// Problems of a file that cannot be read.
const (
	emptyFile i18n.Text = "Choose a file that is not empty."
	largeFile i18n.Text = "Choose a file no larger than %d kB."
	manyFiles i18n.Text = "Choose only one file at a time."
)

// readUpload reads a file: a valid one becomes a draft to check, of an invalid one all problems are listed.
func readUpload(v *Request) error {
	content, name, err := v.chosen()
	refused := i18n.Text("")
	switch {
	case errors.Is(err, errManyParts):
		refused = manyFiles
	case err != nil:
		return err
	case len(content) > orderform.MaxFile:
		refused = largeFile.With(orderform.MaxFile >> 10)
	case len(content) == 0:
		refused = emptyFile
	}
	if refused != "" {
		return v.refuseFile(name, nil, []payment.Finding{{Code: "FF01", Text: refused}})
	}
	table, is := orderform.ReadTable(content)
	if is {
		return v.takeTable(name, content, table)
	}
	parts, many := orderform.Split(content)
	if many {
		return v.takeParts(name, content, parts)
	}
	read := v.readFile(content)
	if read.Document == nil {
		return v.refuseFile(name, content, read.Findings)
	}
	draft := store.Draft{
		ID: v.Config.NewID(), Scheme: read.Scheme(), File: content, FileName: name, FileHash: hashOf(content), SavedAt: v.At,
		ExpiresAt: v.At.Add(DraftLife),
	}
	p, err := v.preview(ofFile(draft, read))
	if err != nil {
		return err
	}
	if !p.fine() {
		return v.refuseOrder(draft, read, p.findings)
	}
	err = v.Config.Drafts.Add(v.Context(), v.By, draft)
	if err != nil {
		return err
	}
	return v.GoTo("/payments/"+draft.ID.String()+"/check", "")
}

// hashOf returns the digest by which a repeated file is recognised.
func hashOf(content []byte) []byte {
	hash := sha256.Sum256(content)
	return hash[:]
}

// fileBefore says that the file of a draft was uploaded before; "" if it was not.
func (v *Request) fileBefore(draft store.Draft) (i18n.Text, error) {
	before, found, err := v.Config.Drafts.Before(v.Context(), v.By.Realm, draft)
	if err != nil || !found {
		return "", err
	}
	return i18n.Text("This file was already uploaded on %s by %s, and %d of its payments were submitted.").With(
		i18n.Minute(before.At), before.By, before.Submitted), nil
}

// chosen returns the uploaded file, or the file saved at the end of the session if the form names one.
func (v *Request) chosen() (content []byte, name string, err error) {
	if strings.HasPrefix(v.Echo.Request().Header.Get("Content-Type"), "multipart/") {
		return v.uploaded(orderform.MaxFile)
	}
	form, err := v.Form()
	if err != nil {
		return nil, "", err
	}
	kept, err := v.UnparkAs(form.Get("parked"))
	if err != nil || kept.ID != "" {
		return kept.File, kept.FileName, err
	}
	return v.uploaded(orderform.MaxFile) // uploaded returns the error
}

// errManyParts refuses a form with several files, of which only one would be read, or with a header that no browser sends.
var errManyParts = errors.New("more than one file, or a file with a long header")

// maxPartHeader bounds the header of a file in a form, in bytes: its name and its type.
const maxPartHeader = 4 << 10

// onlyFile reports whether the form has no other file than this one, with a header of normal size.
func onlyFile(form *multipart.Form, file *multipart.FileHeader) bool {
	files, size := 0, 0
	for _, list := range form.File {
		files += len(list)
	}
	for key, values := range file.Header {
		size += len(key) + len(strings.Join(values, ""))
	}
	return files == 1 && size <= maxPartHeader
}

// uploaded reads at most most+1 bytes of the file of the form, so that a longer file is recognised. Without a file the content is empty.
// Errors: errManyParts, FormError.
func (v *Request) uploaded(most int64) (content []byte, name string, err error) {
	header, err := v.Echo.FormFile("file")
	if errors.Is(err, http.ErrMissingFile) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", &FormError{Cause: err}
	}
	if !onlyFile(v.Echo.Request().MultipartForm, header) {
		return nil, "", errManyParts
	}
	opened, err := header.Open()
	if err != nil {
		return nil, "", &FormError{Cause: err}
	}
	defer func() { _ = opened.Close() }()
	content, err = io.ReadAll(io.LimitReader(opened, most+1))
	if err != nil {
		return nil, "", &FormError{Cause: err}
	}
	return content, fileName(header.Filename), nil
}

// fileName shortens the name of an uploaded file and removes unusual characters.
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

// refuseFile lists the problems of a file.
func (v *Request) refuseFile(name string, content []byte, findings []payment.Finding) error {
	return v.renderUpload(http.StatusUnprocessableEntity, refusedFile(name, content, findings))
}

// refuseOrder lists the problems of an order, and offers the form for a correction together with the elements that the form lacks.
func (v *Request) refuseOrder(draft store.Draft, read orderform.File, findings []payment.Finding) error {
	model := refusedFile(draft.FileName, draft.File, findings)
	if read.Document != nil && len(read.Findings) == 0 {
		values := orderform.ValuesOf(read.Document, v.Today())
		model.Scheme = string(read.Scheme())
		for _, field := range values.Fields() {
			if *field.Value != "" {
				model.Answers = append(model.Answers, [2]string{field.Name, *field.Value})
			}
		}
		model.Lost = orderform.Losses(read.Scheme(), read.Document)
	}
	return v.renderUpload(http.StatusUnprocessableEntity, model)
}

// refusedFile describes the problems of a file, with the line of each finding.
func refusedFile(name string, content []byte, findings []payment.Finding) views.Upload {
	if name == "" {
		name = "The file"
	}
	model := views.Upload{FileName: name}
	var positions codec.Positions
	read := false // a second time, for the findings of rules, which know no lines
	for _, f := range findings {
		line := f.Line
		if line == 0 {
			if !read {
				positions, read = codec.Options{MaxBytes: orderform.MaxFile}.PositionsXML(content), true
			}
			line = positions.Of(f.Pointer).Line
		}
		model.Findings = append(model.Findings, views.Finding{
			Line: line, Element: f.Pointer, Text: f.Text,
			Code: f.Code,
		})
	}
	slices.SortStableFunc(model.Findings, func(a, b views.Finding) int { return cmp.Compare(a.Line, b.Line) })
	return model
}

// sizeOf formats a number of bytes.
func sizeOf(bytes int) i18n.Text {
	if bytes>>20 > 0 {
		return i18n.Text("%d MB").With(bytes >> 20)
	}
	return i18n.Text("%d kB").With(bytes >> 10)
}

func (v *Request) renderUpload(status int, model views.Upload) error {
	model.Layout = v.FormShell("Upload a file", views.PlaceUpload, status)
	model.Limit, model.Payments = sizeOf(orderform.MaxFile), orderform.MaxPayments
	accounts, err := v.Config.Reader.Accounts(v.Context(), v.By.Realm)
	if err != nil {
		return err
	}
	for _, a := range accounts {
		if a.Open && (model.Account == "" || model.Currency != string(money.CHF)) {
			model.Account, model.Currency = a.IBAN, a.Currency
		}
	}
	model.Accepted = []i18n.Text{
		"pain.001.001.09 in CHF for SIC instant payments, in EUR for SEPA instant payments",
		"A table (CSV) with the columns below, in any order. Only the IBAN is mandatory in the file. You can add missing values in the form.",
	}
	if last, taken := v.previousTaken(); taken {
		model.Accepted = append(model.Accepted,
			i18n.Text("pain.001.001.03 until %s, if every element in the file also exists in pain.001.001.09").With(last))
	}
	return v.Render(status, views.UploadPage(model))
}

// previousTaken reports whether orders of the previous generation (pain.001.001.03) are accepted today, and the last day on which they are,
// inclusive.
func (v *Request) previousTaken() (last string, taken bool) {
	end := v.Config.Rules.EndOfPrevious()
	return end.AddDate(0, 0, -1).Format(time.DateOnly), calendar.Compare(v.Today(), end) < 0
}
