package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// writeText writes a line for each finding and note, in the form editors jump to, and one about the file.
func writeText(output io.Writer, r fileReport) error {
	var text strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&text, "%s:%d:%d: %s %s: %s (%s)\n", r.File, f.Line, f.Column, f.Code, f.Pointer, f.Text, f.Rule)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&text, "%s:%d:%d: note %s: %s\n", r.File, n.Line, n.Column, n.Pointer, n.Text)
	}
	outcome := "fine"
	if len(r.Findings) > 0 {
		outcome = counted(len(r.Findings), "finding")
	}
	fmt.Fprintf(&text, "%s: %s: %s\n", r.File, r.subject(), outcome)
	_, err := io.WriteString(output, text.String())
	return err
}

// writeLine writes one line about the file, with the first finding.
func writeLine(output io.Writer, r fileReport) error {
	outcome := "fine"
	if len(r.Findings) > 0 {
		f := r.Findings[0]
		outcome = fmt.Sprintf("%s, the first in line %d: %s %s: %s", counted(len(r.Findings), "finding"), f.Line, f.Code, f.Pointer, f.Text)
	}
	_, err := fmt.Fprintf(output, "%s: %s: %s\n", r.File, r.subject(), outcome)
	return err
}

// subject names the message of the file and the rules that were checked.
func (r fileReport) subject() string {
	switch {
	case r.Message == "":
		return "no message known here"
	case r.Scheme == "":
		return r.Message + ", structure only"
	default:
		return r.Message + ", structure and the rules of " + string(r.Scheme) + " (" + r.chosen + ")"
	}
}

// writeJSON writes one object on a line of its own.
func writeJSON(output io.Writer, r fileReport) error {
	encoder := json.NewEncoder(output)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(r)
}

// counted is a number of things in words, such as 1 file or 2 files.
func counted(number int, thing string) string {
	if number != 1 {
		thing += "s"
	}
	return strconv.Itoa(number) + " " + thing
}
