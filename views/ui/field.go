package ui

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/i18n"
)

// Problem is one mistake in the entries of a person. Text names the remedy; Code is the ISO reason code, if any.
type Problem struct {
	Field string // id of the field, the target of the summary's link
	Text  i18n.Text
	Code  string
}

// ProblemOf returns the first problem of one field.
func ProblemOf(problems []Problem, field string) Problem {
	for _, problem := range problems {
		if problem.Field == field {
			return problem
		}
	}
	return Problem{}
}

// Field is one text input with its words.
type Field struct {
	ID      string
	Name    string // under which the value is sent; the id when empty
	Label   i18n.Text
	Hint    i18n.Text
	Value   string
	Problem Problem // empty when the field is in order

	Kind         string // "text" when empty, or "password", "search", "date"
	InputMode    string // "decimal", "numeric"
	Autocomplete string // "off" when empty
	Width        string // css class of the expected length: "w-4", "w-10", "w-20"; full width when empty
	Limit        int    // characters allowed; a counter is shown above zero
	Charset      string // "sps" or "epc": which characters the scheme carries
	Rows         int    // a text area of this height above zero
	Optional     bool
	Prefilled    bool   // the value came from a template, an earlier payment or a beneficiary
	Focus        bool   // the page opens with the focus here
	IBAN         bool   // grouped in fours on change
	CheckURL     string // asked on change for feedback, shown below the field
	CheckValues  string // JSON object sent along with CheckURL
}

// Option is one choice of a select or a group of radio buttons.
type Option struct {
	Value string
	Label i18n.Text
	Hint  i18n.Text
}

// Choice is a group of options of which one is chosen, or any by boxes to tick.
type Choice struct {
	ID      string // name of the group; the options' ids are ID-0, ID-1 …
	Label   i18n.Text
	Hint    i18n.Text
	Value   string
	Chosen  []string // of boxes to tick
	Options []Option
	Problem Problem
}

// has reports whether an option is chosen.
func (c Choice) has(value string) bool {
	return value == c.Value && c.Chosen == nil || slices.Contains(c.Chosen, value)
}

func (f Field) name() string { return cmp.Or(f.Name, f.ID) }

func (f Field) kind() string { return cmp.Or(f.Kind, "text") }

func (f Field) autocomplete() string { return cmp.Or(f.Autocomplete, "off") }

// describedBy lists the ids of the texts that belong to a field.
func (f Field) describedBy() string {
	ids := describedBy(f.ID, f.Hint != "", f.Problem)
	if f.CheckURL != "" {
		ids += " " + f.ID + "-feedback"
	}
	if f.Limit > 0 {
		ids += " " + f.ID + "-count"
	}
	return strings.TrimSpace(ids)
}

func describedBy(id string, hint bool, problem Problem) string {
	ids := ""
	if hint {
		ids = id + "-hint"
	}
	if problem.Text != "" {
		ids += " " + id + "-error"
	}
	return strings.TrimSpace(ids)
}

func optionID(group string, index int) string { return group + "-" + strconv.Itoa(index) }
