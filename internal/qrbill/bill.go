// Package qrbill reads the Swiss QR code of a QR-bill, from its text or from a picture. Source of the layout: Swiss Implementation
// Guidelines for the QR-bill by SIX (versions 2.2 and 2.3, chapter 4, "Swiss QR Code": data structure and elements).
package qrbill

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"countersign/internal/account"
	"countersign/internal/i18n"
)

// Bill holds the values of a QR-bill.
type Bill struct {
	IBAN      string // of Switzerland or Liechtenstein, without spaces
	Creditor  Party
	Amount    string // "1234.50"; "" where the payer chooses it
	Currency  string // "CHF" or "EUR"
	Kind      string // ReferenceQR, ReferenceCreditor or ReferenceNone
	Reference string // "" for ReferenceNone
	Message   string // unstructured
	// Information is for the payer's bookkeeping (structured bill information); a payment does not carry it.
	Information string
}

// Party is a name with an address. A combined address, which new bills do not have any more, is left out.
type Party struct {
	Name, Street, BuildingNumber, Postcode, Town, Country string
	Combined                                              bool
}

// The kinds of references of a bill.
const (
	ReferenceQR       = "QRR"
	ReferenceCreditor = "SCOR"
	ReferenceNone     = "NON"
)

// MaxText limits the bytes of text that are read. The code of a bill has at most 997 characters.
const MaxText = 4096

// Error says that a text is no QR-bill, and names the remedy.
type Error struct{ Text i18n.Text }

func (e *Error) Error() string {
	return e.Text.String()
}

func (e *Error) Sentence() i18n.Text { return e.Text }

// refuse makes an *Error. What another package says of an account or a reference is a sentence of the catalogue too.
func refuse(text i18n.Text, values ...any) error {
	if len(values) == 0 {
		return &Error{Text: text}
	}
	for i, value := range values {
		if cause, is := value.(error); is {
			values[i] = i18n.OfError(cause)
		}
	}
	return &Error{Text: text.With(values...)}
}

// The lines of the code, counted from 0.
const (
	lineType        = 0
	lineVersion     = 1
	lineCoding      = 2
	lineIBAN        = 3
	lineCreditor    = 4
	lineAmount      = 18
	lineCurrency    = 19
	lineKind        = 27
	lineReference   = 28
	lineMessage     = 29
	lineTrailer     = 30
	lineInformation = 31
	maxLines        = 34
)

var amountPattern = regexp.MustCompile(`^(0|[1-9][0-9]{0,8})\.[0-9]{2}$`)

// Parse reads the text of the code. Error: *Error.
func Parse(text string) (Bill, error) {
	if len(text) > MaxText || !utf8.ValidString(text) {
		return Bill{}, refuse("Paste only the text of the QR code, with at most %d characters in UTF-8.", MaxText)
	}
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.Trim(text, " \t\r\n\ufeff")), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	switch {
	case lines[lineType] != "SPC":
		return Bill{}, refuse("Paste the text of a Swiss QR code. The first line must be SPC.")
	case len(lines) < 2 || !strings.HasPrefix(lines[lineVersion], "02") || len(lines[lineVersion]) != 4:
		return Bill{}, refuse("Enter the payment by hand, because this version of the QR code is not supported.")
	case len(lines) <= lineTrailer || len(lines) > maxLines || lines[lineTrailer] != "EPD":
		return Bill{}, refuse("Paste the whole text of the QR code with its line breaks. Line %d must be EPD.", lineTrailer+1)
	case lines[lineCoding] != "1":
		return Bill{}, refuse("Enter the payment by hand, because the text of the QR code is not in UTF-8.")
	}
	b := Bill{
		Creditor: party(lines[lineCreditor:]), Amount: lines[lineAmount], Currency: lines[lineCurrency], Kind: lines[lineKind],
		Reference: strings.ReplaceAll(lines[lineReference], " ", ""), Message: lines[lineMessage],
	}
	if len(lines) > lineInformation {
		b.Information = lines[lineInformation]
	}
	return b, b.check(lines[lineIBAN])
}

// party reads the seven lines of a party.
func party(lines []string) Party {
	p := Party{Name: lines[1], Country: lines[6]}
	if lines[0] != "S" {
		p.Combined, p.Country = true, ""
		return p
	}
	p.Street, p.BuildingNumber, p.Postcode, p.Town = lines[2], lines[3], lines[4], lines[5]
	return p
}

// check completes the bill with its account and holds its parts together.
func (b *Bill) check(text string) error {
	iban, err := account.ParseInput(text)
	switch {
	case err != nil:
		return refuse("The account in the QR code is not valid. %s", err)
	case iban.Country() != "CH" && iban.Country() != "LI":
		return refuse("Enter the payment by hand, because the account in the QR code is not in Switzerland or Liechtenstein.")
	case b.Creditor.Name == "":
		return refuse("Enter the payment by hand, because the QR code does not name a creditor.")
	case b.Amount != "" && !amountPattern.MatchString(b.Amount):
		return refuse("Enter the payment by hand, because the amount in the QR code cannot be read.")
	case b.Currency != "CHF" && b.Currency != "EUR":
		return refuse("Enter the payment by hand, because the currency in the QR code is neither CHF nor EUR.")
	}
	b.IBAN = iban.String()
	return b.checkReference(iban)
}

// checkReference holds the reference to its kind, and its kind to the account: a QR-IBAN takes QR references and nothing else.
func (b *Bill) checkReference(iban account.IBAN) error {
	var err error
	switch b.Kind {
	case ReferenceQR:
		_, err = account.ParseQRReferenceInput(b.Reference)
	case ReferenceCreditor:
		_, err = account.ParseCreditorReferenceInput(b.Reference)
	case ReferenceNone:
		if b.Reference != "" {
			return refuse("Ask the creditor for a new bill. The QR code on this bill has a reference, but its reference type is “none”.")
		}
	default:
		return refuse("Enter the payment by hand, because the QR code has an unknown reference type.")
	}
	if err != nil {
		return refuse("The reference in the QR code is not valid. %s", err)
	}
	if iban.IsQR() != (b.Kind == ReferenceQR) {
		return refuse("Ask the creditor for a new bill, because the account and the reference type on this bill do not match.")
	}
	return nil
}
