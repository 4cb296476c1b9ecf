package views

import (
	"strconv"
	"strings"
	"sync"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/views/ui"
)

// Decision is the message that a checker decides. The decision is bound to the shown content: the form carries Version and the content's
// digest.
type Decision struct {
	Message    Message
	Later      bool // it is for a later day
	Deciding   bool // this person may decide: show the buttons
	StepUp     bool // an approval needs a second factor: factorCode, or passkeyTicket and passkeyResponse
	Factorless bool // and this person has none to show: the way to one stands in place of the button
	Passkey    Passkey
	Barred     i18n.Text   // the sentence in place of the buttons
	Looked     i18n.Text   // who else has it open; may be empty
	Approvals  i18n.Text   // "1 of 2 approvals given, by checker1"; empty when one is enough
	Limits     []i18n.Text // what the limits that bind it let through today, a line each
	Passed     []i18n.Text // the limits that an approval would pass, in sentences
	Reject     Reject
	Checked    string // the confirmed warnings, as Confirming names them
	Conflict   *Conflict
	Query      string // filters to come back to, with its question mark; may be empty
	Problems   []ui.Problem
}

// Reject is the form of a rejection. It sends category and reason.
type Reject struct {
	Open     bool // shown open, after a refused submission
	Category string
	Reason   string
	KeptAt   string // when it was kept while it was being typed; empty for not kept
}

// RejectLimit is the number of characters a reject reason may have.
const RejectLimit = 512

// RejectCategories are the reasons offered beside the free text.
var RejectCategories = []ui.Option{
	{Value: "amount", Label: "Amount is wrong"},
	{Value: "creditor", Label: "Creditor or account is wrong"},
	{Value: "duplicate", Label: "Duplicate of another payment"},
	{Value: "evidence", Label: "Payment order or supporting document is missing"},
	{Value: "fraud", Label: "Suspected fraud"},
	{Value: "other", Label: "Another reason"},
}

// categoryBeginning is the beginning of a reason with the category that the checker chose.
type categoryBeginning struct {
	text     string
	category ui.Option
}

// categoryBeginnings has each category as it is stored, in English, and as earlier versions stored it, in the checker's language.
var categoryBeginnings = sync.OnceValue(func() (list []categoryBeginning) {
	for _, category := range RejectCategories {
		for _, spoken := range i18n.Languages() {
			if category.Value != "other" {
				list = append(list, categoryBeginning{spoken.Say(category.Label) + ": ", category})
			}
		}
	}
	return list
})

// RejectCategory splits a stored reason of a rejection into its category and the checker's words. Without a category it is another reason.
func RejectCategory(stored string) (category ui.Option, words string) {
	for _, known := range categoryBeginnings() {
		if words, found := strings.CutPrefix(stored, known.text); found {
			return known.category, words
		}
	}
	return RejectCategories[len(RejectCategories)-1], stored
}

// RejectReason is a stored reason of a rejection with its category in the language of the reader.
func RejectReason(stored string) i18n.Text {
	category, words := RejectCategory(stored)
	if words == stored {
		return i18n.Data(stored)
	}
	return i18n.Text("%s: %s").With(category.Label, words)
}

// Conflict reports that somebody else was faster. All typed values stay.
type Conflict struct {
	Sentence    i18n.Text // "7QK… was already approved by checker2 at 08:15:22 CET."
	Before      string    // state the person saw
	After       string    // state now
	Lost        i18n.Text // what did not happen; "Your decision was not saved." when empty
	TypedReason string
	NextURL     string
	NextLabel   i18n.Text
}

// Decided is the answer to a decision sent by htmx: the next item in the pane, the decided row dimmed in the list, the count and one
// sentence.
type Decided struct {
	Layout Layout // its Status is the sentence
	Row    ui.Entry
	Facts  QueueFacts
	Files  []WaitingFile
	Tabs   []ui.Tab
	// Selecting: the list has boxes to tick.
	Selecting bool
	Next      *Decision
	AllDone   ui.Empty // shown when there is no next item
}

func (d Decided) heads() ui.Heads { return Queue{Selecting: d.Selecting}.heads() }

// as identifies the shown version and approvals of a message.
func (d Decision) as() string { return AsShown(d.Message.Version, d.Message.Approvals()) }

// AsShown identifies a message as a page shows it: by version and number of approvals.
func AsShown(version, approvals int) string {
	return strconv.Itoa(version) + "/" + strconv.Itoa(approvals)
}

// partOf returns the id of a part of the pane that is replaced when somebody else decides. It names the message, because the pane may show
// another one by then.
func partOf(part string, message uuid.UUID) string { return part + "-" + message.String() }

// address returns the address of the message beside the queue.
func (d Decision) address() templ.SafeURL {
	return templ.SafeURL("/queue/" + d.Message.InternalID.String() + d.Query)
}

func (d Decision) action(verb string) string {
	return "/queue/" + d.Message.InternalID.String() + "/" + verb + d.Query
}

// keep returns the address that saves the reason to reject while it is being typed.
func (d Decision) keep() Kept {
	return Kept{URL: "/queue/" + d.Message.InternalID.String() + "/reject/keep", At: d.Reject.KeptAt}
}

func (d Decision) final() i18n.Text {
	if d.Message.ApprovalsRequired-d.Message.Approvals() > 1 {
		return "Nothing will be sent yet. After your approval, another person must also approve."
	}
	if d.Later {
		return i18n.Text("The payment will be checked again and sent on %s. Until then, it can be withdrawn.").
			With(ui.Day(d.Message.ExecutionDay))
	}
	return d.Message.words().final
}

func (d Decision) category() ui.Choice {
	return ui.Choice{
		ID: "category", Label: "What is the reason for the rejection?", Value: d.Reject.Category,
		Options: RejectCategories, Problem: ui.ProblemOf(d.Problems, "category"),
	}
}

func (d Decision) reason() ui.Field {
	return ui.Field{
		ID: "reason", Label: "What should the maker know or correct?", Value: d.Reject.Reason,
		Rows: 3, Limit: RejectLimit, Problem: ui.ProblemOf(d.Problems, "reason"),
	}
}

func (d Decision) factorCode() ui.Field {
	return ui.Field{
		ID: "factorCode", Label: "Second factor", Hint: "Enter the six-digit code from your app, or a recovery code. The code confirms " +
			"this payment only.",
		Autocomplete: "one-time-code", Width: "w-10", Problem: ui.ProblemOf(d.Problems, "factorCode"),
	}
}
