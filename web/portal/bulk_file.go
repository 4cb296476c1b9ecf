package portal

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/views"
	"countersign/views/ui"
)

const (
	// fileField is the form field with the key of a file whose payments are approved together.
	fileField = "file"
	// fromField is the form field with the number of payments of the file that were decided before.
	fromField = "from"
	// lookedField confirms that the checker looked at the marked payments of a file.
	lookedField = "looked"
	// fileStep is the number of decisions about payments of a file for each request.
	fileStep = 25
)

// filePath returns the page to approve the payments of a file.
func filePath(id uuid.UUID) string { return "/queue/files/" + id.String() }

// waitingFiles lists the files of which several payments wait, for a queue whose rows can be selected.
func (v *Request) waitingFiles(selecting bool) ([]views.WaitingFile, error) {
	if !selecting {
		return nil, nil
	}
	found, err := v.Config.Reader.BatchesWaiting(v.Context(), v.By.Realm)
	files := make([]views.WaitingFile, 0, len(found))
	for _, file := range found {
		files = append(files, views.WaitingFile{Name: file.FileName, URL: filePath(file.ID), Waiting: file.Waiting})
	}
	return files, err
}

// showFileApproval renders the page to compare the waiting payments of a file before they are approved together: the totals, the payments
// that differ from earlier ones or from the file, and the others. It decides nothing.
func showFileApproval(v *Request) error {
	id, err := v.ID("id")
	if err != nil {
		return err
	}
	return v.renderFileApproval(id, http.StatusOK)
}

// renderFileApproval renders that page, or with problems its part for htmx.
func (v *Request) renderFileApproval(id uuid.UUID, status int, problems ...ui.Problem) error {
	name, ids, err := v.Config.Reader.BatchPayments(v.Context(), v.By.Realm, id)
	if err != nil {
		return err
	}
	messages, err := v.Config.Reader.WholeMessages(v.Context(), v.By.Realm, ids)
	if err != nil {
		return err
	}
	model := views.Bulk{
		Layout: v.FormShell("Approve payments from a file", views.PlaceQueue, status), BackURL: "/queue", Action: "/queue/bulk",
		File: id.String(), FileName: name, Checked: digestOfFile(messages), All: len(messages), Problems: problems,
	}
	waiting := slices.DeleteFunc(messages, func(m payment.Message) bool { return m.State != payment.StateApprovalPending })
	model.Waiting = len(waiting)
	err = v.fillBulk(&model, waiting, medians(waiting), ReadFilter(url.Values{}, "/queue"))
	if err != nil {
		return err
	}
	if v.Fragment() {
		return v.Render(status, views.BulkBody(model))
	}
	return v.Render(status, views.BulkPage(model))
}

// medians returns the median amounts of payments in minor units by currency; none for fewer than five payments.
func medians(messages []payment.Message) map[money.Currency]int64 {
	amounts := map[money.Currency][]int64{}
	for _, m := range messages {
		amounts[m.Summary.Amount.Currency()] = append(amounts[m.Summary.Amount.Currency()], m.Summary.Amount.Minor())
	}
	middle := map[money.Currency]int64{}
	for currency, list := range amounts {
		if len(list) >= 5 {
			slices.Sort(list)
			middle[currency] = list[len(list)/2]
		}
	}
	return middle
}

// digestOfFile returns the digest of the payments of a file as a page shows them: their versions and contents. It stays the same while they
// are decided.
func digestOfFile(messages []payment.Message) string {
	hash := sha256.New()
	for _, m := range messages {
		_, _ = fmt.Fprintln(hash, binding(m)) // a hash takes everything
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// waitingOfFile holds the payments of a file that still wait for a decision, after those handled by earlier requests.
type waitingOfFile struct {
	items   []string        // as a form names a few messages
	places  []int           // of the items in the file, from 0
	changed bool            // the file is not as the page showed it
	looked  bool            // its warnings are confirmed, or some were decided: that adds and removes warnings
	last    payment.Message // whose state changed last
}

// waitingOfFile reads the waiting payments of the file that a form names.
func (v *Request) waitingOfFile(form url.Values) (waiting waitingOfFile, err error) {
	id, err := uuid.Parse(form.Get(fileField))
	if err != nil {
		return waiting, payment.ErrNotFound
	}
	_, ids, err := v.Config.Reader.BatchPayments(v.Context(), v.By.Realm, id)
	if err != nil {
		return waiting, err
	}
	found, err := v.Config.Reader.MessagesOf(v.Context(), v.By.Realm, ids)
	if err != nil {
		return waiting, err
	}
	messages := make([]payment.Message, 0, len(ids))
	for _, key := range ids {
		m, known := found[key]
		if known {
			messages = append(messages, m)
		}
	}
	if form.Get(CheckedField) != digestOfFile(messages) {
		waiting.changed = true
		return waiting, nil
	}
	from, err := strconv.Atoi(form.Get(fromField))
	if err != nil || from < 0 {
		from = 0
	}
	var left []payment.Message
	for place, m := range messages {
		if m.StateSince.After(waiting.last.StateSince) {
			waiting.last = m
		}
		if place >= from && m.State == payment.StateApprovalPending {
			left = append(left, m)
			waiting.items, waiting.places = append(waiting.items, binding(m)), append(waiting.places, place)
		}
	}
	if from > 0 {
		waiting.looked = true
		return waiting, nil
	}
	cautions, err := v.cautionsTogether(left, medians(left))
	waiting.looked = views.Confirmed(form.Get(lookedField), slices.Concat(slices.Collect(maps.Values(cautions))...))
	return waiting, err
}

// allDecided tells a checker who was too late for a file who decided its last payment, and when.
func (v *Request) allDecided(last uuid.UUID) error {
	m, err := v.Config.Reader.Message(v.Context(), v.By.Realm, last)
	if err != nil {
		return err
	}
	return v.leaveFor("/queue", i18n.Join(" ", "Nothing was approved. No payments in this file are waiting for approval.", WhatHappened(m)))
}

// unlooked refuses the approval of a file whose marked payments the checker did not confirm having looked at.
var unlooked = ui.Problem{
	Field: lookedField, Text: "Nothing was approved. Check the marked payments, and confirm that you have checked them.", Code: "CH21",
}

// fileChanged refuses the approval of a file that differs from its page.
const fileChanged i18n.Text = "A payment in this file was amended or added after this page was loaded, so no further payments were " +
	"approved. Check the payments on this page again."
