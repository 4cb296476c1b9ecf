package interbank_test

import (
	"slices"
	"strings"
	"testing"

	"countersign/internal/i18n"
	"countersign/internal/interbank"
)

func TestElementsSayWhereTheyCameFrom(t *testing.T) {
	t.Parallel()
	const document = `<Document xmlns="urn:x"><FIToFICstmrCdtTrf><GrpHdr><MsgId>P8A</MsgId></GrpHdr><CdtTrfTxInf>` +
		`<IntrBkSttlmAmt Ccy="CHF">1.00</IntrBkSttlmAmt><Cdtr><Nm>A &amp; B</Nm></Cdtr><New>1</New><New>2</New>` +
		`</CdtTrfTxInf></FIToFICstmrCdtTrf></Document>`
	want := []interbank.Source{
		{Element: "GrpHdr/MsgId", Value: "P8A", From: "Derived from the Global ID"},
		{Element: "CdtTrfTxInf/IntrBkSttlmAmt", Value: "CHF 1.00", From: i18n.Text("pain.001 %s").With("PmtInf/CdtTrfTxInf/Amt/InstdAmt")},
		{Element: "CdtTrfTxInf/Cdtr/Nm", Value: "A & B", From: i18n.Text("pain.001 %s").With("PmtInf/CdtTrfTxInf/Cdtr/Nm")},
		{Element: "CdtTrfTxInf/New", Value: "1", From: "Origin not recorded"},
		{Element: "CdtTrfTxInf/New[2]", Value: "2", From: "Origin not recorded"},
	}
	if got := interbank.Sources("pacs.008.001.08", []byte(document)); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	cut := document[:strings.Index(document, "<New>2")]
	if got := interbank.Sources("pacs.008.001.08", []byte(cut)); !slices.Equal(got, want[:4]) {
		t.Errorf("of a document that breaks off: got %+v, want %+v", got, want[:4])
	}
	if interbank.Known("pain.001.001.09") || !interbank.Known("camt.029.001.09") {
		t.Error("sources are known of what this gateway makes from other documents, and of nothing else")
	}
}

// What is nested deeper than any document of ours ends the list: the place of each element is as long as it is deep.
func TestNestingEndsTheList(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("<a>", 20_000)
	if got := interbank.Sources("pacs.008.001.08", []byte(deep)); len(got) != 0 {
		t.Errorf("20,000 open elements have %d sources", len(got))
	}
}
