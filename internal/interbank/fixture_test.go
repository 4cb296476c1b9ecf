package interbank_test

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/govalues/decimal"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/rulebook"
)

const samples = "../iso20022/testdata/"

// sample reads one document of the constructed chains.
func sample[D iso20022.Document](tb testing.TB, scheme rulebook.Scheme, name string) D {
	tb.Helper()
	path := samples + string(scheme) + "_" + name + ".xml"
	content, known := contents.Load(path)
	if !known {
		read, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		content = read
		contents.Store(path, content)
	}
	decoded, findings := codec.DecodeXML(content.([]byte))
	document, is := decoded.(D)
	if !is || len(findings) > 0 {
		tb.Fatalf("%s of %s: %T, %+v", name, scheme, decoded, findings)
	}
	return document
}

// contents are the samples read so far, by path.
var contents sync.Map

// The moments and ids of the chains.
var (
	paidDay   = time.Date(2026, time.March, 2, 0, 0, 0, 0, time.UTC)
	answerDay = time.Date(2026, time.March, 10, 0, 0, 0, 0, time.UTC)
	accepted  = moment("2026-03-02T10:00:01.049+01:00")
)

func moment(text string) time.Time {
	at, err := iso20022.ISODateTime(text).Time()
	if err != nil {
		panic(err)
	}
	return at
}

// chain is what differs between the two chains beside the documents.
type chain struct {
	scheme                   rulebook.Scheme
	letter                   string // the ids of a chain begin with it
	from                     interbank.Account
	debtorBank, creditorBank string // BICs
}

func chains() []chain {
	return []chain{
		{
			scheme: rulebook.SchemeSIC, letter: "S", debtorBank: "AAAACHBBXXX", creditorBank: "BBBBCHZZXXX",
			from: interbank.Account{
				IBAN: "CH7280005000088877766", AgentBIC: "AAAACHBBXXX", AgentIID: "80005",
				Holder: interbank.Holder{Name: "MUSTER AG", Street: "Musterstrasse", Building: "24", Postcode: "3000", Town: "Bern", Country: "CH"},
			},
		},
		{
			scheme: rulebook.SchemeSCT, letter: "E", debtorBank: "AAAADEFFXXX", creditorBank: "BBBBFRPPXXX",
			from: interbank.Account{
				IBAN: "DE89370400440532013000", AgentBIC: "AAAADEFFXXX",
				Holder: interbank.Holder{Name: "Muster GmbH", Street: "Hauptstrasse", Building: "7", Postcode: "50667", Town: "Köln", Country: "DE"},
			},
		},
	}
}

// text is a document as indented XML.
func text(tb testing.TB, document iso20022.Document) string {
	tb.Helper()
	if findings := codec.Validate(document); len(findings) > 0 {
		tb.Errorf("%s does not follow its schema: %+v", document.MessageName(), findings)
	}
	encoded, err := codec.EncodeXMLIndented(document)
	if err != nil {
		tb.Fatal(err)
	}
	return string(encoded)
}

// timeElements hold a moment, which the chains write with another offset.
var timeElements = []string{"CreDtTm", "AccptncDtTm"}

// wantDocument compares two documents line by line; moments are compared as moments, and the creation time not at all.
func wantDocument(t *testing.T, made, want iso20022.Document) {
	t.Helper()
	got, expected := strings.Split(text(t, made), "\n"), strings.Split(text(t, want), "\n")
	for i := range max(len(got), len(expected)) {
		var a, b string
		if i < len(got) {
			a = got[i]
		}
		if i < len(expected) {
			b = expected[i]
		}
		if a != b && !sameMoment(a, b) {
			t.Fatalf("%s, line %d:\n got %s\nwant %s", want.MessageName(), i+1, a, b)
		}
	}
}

func sameMoment(a, b string) bool {
	for _, element := range timeElements {
		first, isTime := strings.CutPrefix(strings.TrimSpace(a), "<"+element+">")
		second, also := strings.CutPrefix(strings.TrimSpace(b), "<"+element+">")
		if !isTime || !also {
			continue
		}
		if element == "CreDtTm" {
			return true
		}
		return moment(strings.TrimSuffix(first, "</"+element+">")).Equal(moment(strings.TrimSuffix(second, "</"+element+">")))
	}
	return false
}

func amount(currency, value string) iso20022.Amount {
	return iso20022.Amount{Currency: currency, Value: decimal.MustParse(value)}
}
