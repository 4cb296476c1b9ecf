package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"countersign/internal/calendar"
	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

type validateCommand struct {
	Files  []string `arg:"" name:"file" help:"Documents to check: XML, or JSON as for instruction/create; or a folder, with all .xml and .json files in and below it; or - for standard input."`
	Scheme string   `help:"Rules for payment orders: sic-inst or sct-inst. Default: those of the currency of each order." enum:",sic-inst,sct-inst" default:""`
	Format string   `help:"Format of the findings: text (one line each), line (one line per file, the default for a folder), or json (one object per line and file)." enum:",text,line,json" default:""`
	Date   day      `help:"Apply the rules of this day, YYYY-MM-DD. Default: today in Zurich."`
}

// day is a date on the command line.
type day struct{ time.Time }

// UnmarshalText reads YYYY-MM-DD.
func (d *day) UnmarshalText(text []byte) (err error) {
	d.Time, err = calendar.ParseDay(time.DateOnly, string(text), time.UTC)
	if err != nil {
		return fmt.Errorf("enter a date such as 2026-11-20 instead of %q", text)
	}
	return nil
}

// unusableError says that the command could not run; a finding in a document is exit code 1 instead.
type unusableError struct{ text string }

func (e *unusableError) Error() string { return e.text }

// ExitCode is that of wrong usage.
func (e *unusableError) ExitCode() int { return exitUsage }

// Run checks each file and fails when one has findings or cannot be read; the latter wins.
func (c *validateCommand) Run() error {
	at := time.Now()
	v := validation{scheme: rulebook.Scheme(c.Scheme), at: at, today: at.In(i18n.Zone())}
	if !c.Date.IsZero() {
		year, month, day := c.Date.Date()
		v.at, v.today = time.Time{}, time.Date(year, month, day, 0, 0, 0, 0, i18n.Zone())
	}
	return c.report(v, os.Stdin, stdout)
}

// report writes the findings of each file and returns the outcome.
func (c *validateCommand) report(v validation, input io.Reader, output io.Writer) error {
	files, folders, err := filesOf(c.Files)
	if err != nil {
		return err
	}
	write := map[string]func(io.Writer, fileReport) error{"": writeText, "text": writeText, "line": writeLine, "json": writeJSON}[c.Format]
	if folders && c.Format == "" {
		write = writeLine
	}
	var unreadable []string
	findings, wrong := 0, 0
	for _, name := range files {
		content, err := readDocument(name, input)
		if err != nil {
			unreadable = append(unreadable, err.Error())
			continue
		}
		made, err := v.file(name, content)
		if err != nil {
			return err
		}
		err = write(output, made)
		if err != nil {
			return fmt.Errorf("write the findings: %w", err)
		}
		if len(made.Findings) > 0 {
			findings += len(made.Findings)
			wrong++
		}
	}
	switch {
	case len(unreadable) > 0:
		return &unusableError{strings.Join(unreadable, "\ncountersign: ")}
	case findings > 0:
		return fmt.Errorf("%s in %d of %s", counted(findings, "finding"), wrong, counted(len(files), "file"))
	}
	return nil
}

// readDocument reads a file, or standard input for -, up to one byte more than a document may have, so that too much shows.
func readDocument(name string, input io.Reader) ([]byte, error) {
	const most = orderform.MaxFile
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("open the file: %w", err)
		}
		defer func() { _ = file.Close() }()
		input = file
	}
	content, err := io.ReadAll(io.LimitReader(input, most+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return content, nil
}

// validation holds the scheme and the time for which documents are validated.
type validation struct {
	scheme rulebook.Scheme // "" to choose by the document
	at     time.Time       // zero when only the day counts
	today  time.Time       // as it reads in its own location
}

// fileReport holds the findings of one file.
type fileReport struct {
	File     string          `json:"file"`
	Message  string          `json:"message"`          // "" when the file is no message of ours
	Scheme   rulebook.Scheme `json:"scheme,omitempty"` // "" when no rules were checked
	Findings []findingReport `json:"findings"`
	// Notes say what of an order that is fine is not forwarded to the creditor's bank.
	Notes  []findingNote `json:"notes,omitempty"`
	chosen string        // why this scheme
}

// findingReport is one finding at its place; line and column are 0 when the document does not have it.
type findingReport struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Pointer string `json:"pointer"`
	Code    string `json:"code"`
	Rule    string `json:"rule"` // "structure" for what the schema asks
	Text    string `json:"text"`
}

// findingNote is a note at its place.
type findingNote struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Pointer string `json:"pointer"`
	Text    string `json:"text"`
}

// ruleStructure stands in place of a rule for findings of the first layer.
const ruleStructure = "structure"

// file checks one document: its structure, and the rules of a scheme when it is a payment order that could be read to its end.
func (v validation) file(name string, content []byte) (fileReport, error) {
	made, err := v.document(name, content)
	slices.SortStableFunc(made.Findings, func(a, b findingReport) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return made, err
}

func (v validation) document(name string, content []byte) (fileReport, error) {
	if looksLikeJSON(content) {
		return v.order(name, content)
	}
	if parts, many := orderform.Split(content); many {
		return v.many(name, content, parts), nil
	}
	read := orderform.ReadOrder(content, false)
	made := fileReport{File: name, Message: string(read.Message), Findings: []findingReport{}}
	findings := read.Findings
	if read.Order != nil {
		made.Scheme, made.chosen = v.schemeOf(read.Order)
		findings = v.check(made.Scheme, read)
	}
	if read.Order != nil {
		for _, note := range interbank.Notes(made.Scheme, read.Order) {
			made.Notes = append(made.Notes, findingNote{Pointer: note.Pointer, Text: note.Text.String()})
		}
	}
	v.finish(&made, findings, content)
	return made, nil
}

// many checks each payment of a file as an order of its own. What payments share is reported once.
func (v validation) many(name string, content []byte, parts orderform.Parts) fileReport {
	made := fileReport{File: name, Message: string(parts.Message), Findings: []findingReport{}}
	findings := parts.Findings
	known, notes := map[string]bool{}, map[string]bool{}
	for _, part := range parts.Parts {
		read := orderform.ReadOrder(part.Content, false)
		found := read.Findings
		if read.Order != nil {
			made.Scheme, made.chosen = v.schemeOf(read.Order)
			found = v.check(made.Scheme, read)
			for _, note := range interbank.Notes(made.Scheme, read.Order) {
				pointer := part.InFile(note.Pointer)
				if !notes[pointer] {
					notes[pointer] = true
					made.Notes = append(made.Notes, findingNote{Pointer: pointer, Text: note.Text.String()})
				}
			}
		}
		for _, f := range found {
			f.Pointer, f.Line, f.Column = part.InFile(f.Pointer), 0, 0
			if key := f.Pointer + " " + string(f.Text); !known[key] {
				known[key] = true
				findings = append(findings, f)
			}
		}
	}
	v.finish(&made, findings, content)
	return made
}

// finish adds the findings of a document, with that of an outdated message first, and drops the notes of one that is not fine.
func (v validation) finish(made *fileReport, findings []payment.Finding, content []byte) {
	if outdated, ended := orderform.Outdated(iso20022.MessageName(made.Message), v.today, rulebook.Settings{}); ended {
		findings = append([]payment.Finding{outdated}, findings...)
	}
	for _, f := range findings {
		made.add(f, codec.Position{Line: f.Line, Column: f.Column})
	}
	if len(findings) > 0 {
		made.Notes = nil
	}
	made.place(content)
}

// add notes a finding at its place.
func (r *fileReport) add(f payment.Finding, at codec.Position) {
	r.Findings = append(r.Findings, findingReport{at.Line, at.Column, f.Pointer, f.Code, cmp.Or(f.Rule, ruleStructure), f.Text.String()})
}

// check holds an order against its scheme as the gateway does when it comes by API or form. Whose account is debited is not known
// here, so it counts as one that may be.
func (v validation) check(scheme rulebook.Scheme, read orderform.Read) []payment.Finding {
	return payment.CheckInstruction(payment.InstructionInput{
		Order: payment.Order{Scheme: scheme, Document: read.Order, Structure: read.Findings}, At: v.at, Today: v.today,
		Account: &payment.DebtorAccount{Scheme: scheme, Open: true},
	})
}

// schemeOf is the scheme that was asked for, or else the one of the order's currency, or else of its service level.
func (v validation) schemeOf(order *iso20022.CustomerCreditTransferInitiation) (scheme rulebook.Scheme, why string) {
	if v.scheme != "" {
		return v.scheme, "as asked"
	}
	for _, information := range order.PaymentInformation {
		for _, transaction := range information.CreditTransferTransactionInformation {
			for _, scheme := range rulebook.Schemes() {
				profile, _ := scheme.Profile()
				instructed := transaction.Amount.InstructedAmount
				if instructed != nil && instructed.Currency == string(profile.Currency) {
					return scheme, "by its currency " + instructed.Currency
				}
			}
			if asksForSEPA(information.PaymentTypeInformation) || asksForSEPA(transaction.PaymentTypeInformation) {
				return rulebook.SchemeSCT, "by its service level SEPA"
			}
		}
	}
	return rulebook.SchemeSIC, "for want of a currency or service level of either scheme"
}

func asksForSEPA(kind *iso20022.PaymentTypeInformation26) bool {
	if kind == nil {
		return false
	}
	return slices.ContainsFunc(kind.ServiceLevel, func(level iso20022.ServiceLevel8Choice) bool { return level.Code == "SEPA" })
}

// place gives notes, and findings that have none, the line of their element.
func (r *fileReport) place(content []byte) {
	positions := sync.OnceValue(func() codec.Positions { return codec.Options{MaxBytes: orderform.MaxFile}.PositionsXML(content) })
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Line == 0 {
			at := positions().Of(f.Pointer)
			f.Line, f.Column = at.Line, at.Column
		}
	}
	for i := range r.Notes {
		at := positions().Of(r.Notes[i].Pointer)
		r.Notes[i].Line, r.Notes[i].Column = at.Line, at.Column
	}
}
