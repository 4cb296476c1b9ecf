package ui

import (
	"strconv"

	"github.com/a-h/templ"
)

// attributes collects the attributes of an input that depend on its field. Empty attributes are left out.
func attributes(field Field) templ.Attributes {
	set := templ.Attributes{"autocomplete": field.autocomplete()}
	if field.InputMode != "" {
		set["inputmode"] = field.InputMode
	}
	if ids := field.describedBy(); ids != "" {
		set["aria-describedby"] = ids
	}
	if field.Problem.Text != "" {
		set["aria-invalid"] = "true"
	}
	if field.Limit > 0 {
		set["data-limit"] = strconv.Itoa(field.Limit)
	}
	if field.Charset != "" {
		set["data-charset"] = field.Charset
	}
	if field.IBAN {
		set["data-iban"] = true
		set["spellcheck"] = "false"
		set["autocapitalize"] = "characters"
	}
	if field.Focus {
		set["autofocus"] = true
	}
	if field.CheckURL != "" {
		set["hx-get"] = field.CheckURL
		set["hx-trigger"] = "change"
		set["hx-target"] = "#" + field.ID + "-feedback"
		set["hx-swap"] = "innerHTML"
		set["hx-vals"] = field.CheckValues
	}
	return set
}

// Described are the attributes that lead from an input to its hint and its problem.
func Described(id string, hint bool, problem Problem) templ.Attributes {
	set := templ.Attributes{}
	if ids := describedBy(id, hint, problem); ids != "" {
		set["aria-describedby"] = ids
	}
	if problem.Text != "" {
		set["aria-invalid"] = "true"
	}
	return set
}
