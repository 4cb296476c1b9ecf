package rulebook

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"countersign/internal/calendar"
	"countersign/internal/charset"
	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/money"
)

// Request is a person's request for a recall, a return or a resolution. The rules, the domain and the maker of the
// interbank document share the value.
type Request struct {
	Reason      string       // code of the scheme's list
	Information []string     // lines of at most InformationLength characters
	Charge      money.Amount // what a return keeps; the zero value for nothing
}

// RTransactionCase is a request with the payment data that the rules need.
type RTransactionCase struct {
	Request

	Scheme       Scheme
	Amount       money.Amount // of the payment
	Settled      time.Time    // the day the payment settled
	Today        time.Time    // in the scheme's time zone
	Recalled     bool         // another bank has asked for the payment, and has no answer yet
	RecallReason string       // the code that recall came with, "" when there is none
	Settings     Settings
}

// The time limits of the SEPA rulebook (EPC SCT Inst rulebook 2025, sections 4.3.2.3 and 4.3.2.4).
const (
	recallBankingDays = 10 // after execution, for a duplicate or a technical problem
	recallMonths      = 13 // after execution, for fraud and for requests of the originator
	answerBankingDays = 15 // after receipt of a recall
	returnBankingDays = 3  // after settlement, for a return that no recall asked for
)

// afterBankingDays counts days of a calendar from a day; no days are no limit.
func afterBankingDays(banking calendar.Calendar, from time.Time, days int) (last time.Time, limited bool) {
	if days <= 0 {
		return time.Time{}, false
	}
	return banking.AddBankingDays(from, days), true
}

// The rules of recalls, returns and resolutions. Their findings point into the request: /RecallDetails, /ReturnDetails or
// /ResolutionDetails, and /identifiers for the payment.
var rTransactionTable = []Rule{
	{
		ID: "reason-unknown", Element: "/{details}/reason", Code: "CH16",
		Text: "Choose a reason that the scheme allows.", Source: "Lists of reasons (RecallReasons, ReturnReasons, ResolutionReasons)",
	},
	{
		ID: "reason-after-recall", Element: "/ReturnDetails/reason", Code: "CH16",
		Text: "Use the reason FOCR only to return money in answer to a recall.", Source: "EPC SCT Inst rulebook 2025; EPC115-06 pacs.004",
	},
	{
		ID: "return-without-recall", Element: "/ReturnDetails/reason", Code: "CH17",
		Text:   "In this scheme, you can return a payment only in answer to a recall. Wait until the other bank sends a recall.",
		Source: "EPC, Guidance on Reason Codes for SCT Inst R-transactions v7.0 (October 2025); a setting lets them go",
		Scheme: SchemeSCT,
	},
	{
		ID: "information-missing", Element: "/{details}/additionalInformation", Code: "CH21",
		Text: "Explain the reason under “Additional information”.", Source: "ISO, NARR: see the narrative",
	},
	{
		ID: "information-lines", Element: "/{details}/additionalInformation", Code: "CH17",
		Text: "Shorten the additional information to the number of lines that the reason " +
			"allows.", Source: "EPC115-06 camt.056, pacs.004, camt.029",
	},
	{
		ID: "information-length", Element: "/{details}/additionalInformation/0", Code: "CH16",
		Text: "Shorten this line of the additional information.", Source: "ISO, Max105Text",
	},
	{
		ID: "information-characters", Element: "/{details}/additionalInformation/0", Code: "CH16",
		Text: "Use only Latin letters, digits and symbols (U+0020 to 7E, U+00A0 to 17F, U+0218 to 21B, €).", Source: "SPS 3.1",
	},
	{
		ID: "information-blank", Element: "/{details}/additionalInformation/0", Code: "CH16",
		Text: "Enter text on this line, or remove the line.", Source: "SPS 3.4",
	},
	{
		ID: "charge-without-recall", Element: "/ReturnDetails/chargeAmount", Code: "CH17",
		Text: "Remove the charge. You can keep a charge only when you return money in answer to a recall (FOCR).", Source: "EPC115-06 pacs.004",
	},
	{
		ID: "charge-currency", Element: "/ReturnDetails/chargeAmount", Code: "AM03",
		Text: "Enter the charge in the currency of the payment.", Source: "EPC115-06 pacs.004",
	},
	{
		ID: "charge-too-large", Element: "/ReturnDetails/chargeAmount", Code: "AM02",
		Text: "Enter a charge lower than the amount of the payment.", Source: "EPC115-06 pacs.004",
	},
	{
		ID: "recall-deadline", Element: "/identifiers/internalId", Code: "TM01",
		Text: "The deadline to recall this payment for this reason has passed.", Source: "EPC SCT Inst rulebook 2025, 4.3.2.3 and 4.3.2.4",
	},
	{
		ID: "return-deadline", Element: "/identifiers/creditId", Code: "TM01",
		Text: "The deadline to return this payment has passed.", Source: "EPC SCT Inst rulebook 2025 (3 banking days)",
	},
}

// RTransactionRules is the table of the rules about recalls, returns and resolutions.
func RTransactionRules() []Rule {
	return slices.Clone(rTransactionTable)
}

// check collects the findings about one request.
type check struct {
	details  string
	findings []iso20022.Finding
}

// report notes a broken rule; an empty text stands for the rule's own.
func (c *check) report(id, pointer string, text i18n.Text) {
	index := slices.IndexFunc(rTransactionTable, func(r Rule) bool { return r.ID == id })
	row := rTransactionTable[index]
	if text == "" {
		text = row.Text
	}
	c.findings = append(c.findings, iso20022.Finding{Rule: id, Pointer: pointer, Code: row.Code, Text: text})
}

func (c *check) reason(list []Reason, id string) (Reason, bool) {
	found, known := FindReason(list, id)
	if !known {
		codes := make([]string, 0, len(list))
		for _, reason := range list {
			if reason.Usual {
				codes = append(codes, reason.Code)
			}
		}
		c.report("reason-unknown", c.details+"/reason",
			i18n.Text("Choose a reason that the scheme allows, such as %s.").With(strings.Join(codes, ", ")))
	}
	return found, known
}

func (c *check) information(limits Information, lines []string) {
	pointer := c.details + "/additionalInformation"
	if len(lines) < limits.Required {
		c.report("information-missing", pointer, "")
	}
	switch {
	case len(lines) > limits.Allowed && limits.Allowed == 0:
		c.report("information-lines", pointer, "Remove the additional information. It is not allowed with the reason you chose.")
		return
	case len(lines) > limits.Allowed:
		c.report(
			"information-lines", pointer, i18n.Text("Keep only %d of the %d lines of additional information.").With(limits.Allowed, len(lines)),
		)
		return
	}
	for index, line := range lines {
		place := pointer + "/" + strconv.Itoa(index)
		if length := utf8.RuneCountInString(line); length > limits.Length {
			c.report("information-length", place, i18n.Text("Shorten the line to %d characters. It now has %d.").With(limits.Length, length))
		}
		if strings.TrimSpace(line) == "" {
			c.report("information-blank", place, "")
		}
		// Users may enter the Swiss set in both schemes; SEPA documents are transliterated.
		if r, character, refused := charset.SwissLatin.FirstRefused(line); refused {
			c.report(
				"information-characters", place,
				i18n.Text("Replace %s (character %d). Use only Latin letters, digits and symbols.").With(charset.Shown(r), character),
			)
		}
	}
}
