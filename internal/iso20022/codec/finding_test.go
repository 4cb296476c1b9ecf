package codec

import (
	"fmt"
	"strings"
	"testing"

	"countersign/internal/iso20022"
)

// instructionXML is a small valid pain.001; the tests replace parts of it.
const instructionXML = `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">
<CstmrCdtTrfInitn>
<GrpHdr><MsgId>M1</MsgId><CreDtTm>2026-03-02T10:00:00+01:00</CreDtTm><NbOfTxs>1</NbOfTxs><CtrlSum>199.95</CtrlSum>` +
	`<InitgPty><Nm>MUSTER AG</Nm></InitgPty></GrpHdr>
<PmtInf><PmtInfId>P1</PmtInfId><PmtMtd>TRF</PmtMtd><BtchBookg>false</BtchBookg>
<ReqdExctnDt><Dt>2026-03-02</Dt></ReqdExctnDt>
<Dbtr><Nm>MUSTER AG</Nm></Dbtr>
<DbtrAcct><Id><IBAN>CH7280005000088877766</IBAN></Id></DbtrAcct>
<DbtrAgt><FinInstnId><BICFI>RAIFCH22005</BICFI></FinInstnId></DbtrAgt>
<CdtTrfTxInf>
<PmtId><InstrId>I1</InstrId><EndToEndId>E1</EndToEndId><UETR>7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10</UETR></PmtId>
<Amt><InstdAmt Ccy="CHF">199.95</InstdAmt></Amt>
<Cdtr><Nm>Peter Haller</Nm><PstlAdr><TwnNm>Zuerich</TwnNm><Ctry>CH</Ctry></PstlAdr></Cdtr>
<CdtrAcct><Id><IBAN>CH4821966000009613388</IBAN></Id></CdtrAcct>
<RmtInf><Ustrd>Invoice 1</Ustrd></RmtInf>
</CdtTrfTxInf>
</PmtInf>
</CstmrCdtTrfInitn>
</Document>`

const (
	header      = "/Document/CstmrCdtTrfInitn/GrpHdr"
	information = "/Document/CstmrCdtTrfInitn/PmtInf/0"
	transaction = information + "/CdtTrfTxInf/0"
)

// brief is a finding without its text: pointer, code, line and column.
func brief(findings []iso20022.Finding) string {
	var lines []string
	for _, finding := range findings {
		lines = append(lines, fmt.Sprintf("%s %s", finding.Pointer, finding.Code))
	}
	return strings.Join(lines, "\n")
}

// faultsOfXML are put into the sample one by one.
var faultsOfXML = map[string]struct {
	old, replacement string
	want             string
	text             string
}{
	"unknown element": {
		"<Dbtr><Nm>", "<Dbtr><Foo/><Nm>", information + "/Dbtr/Foo CH17",
		"Remove Foo: the component PartyIdentification135 has no such element.",
	},
	"missing": {
		"<EndToEndId>E1</EndToEndId>", "", transaction + "/PmtId/EndToEndId CH21", "Enter EndToEndId: this element is mandatory in PmtId.",
	},
	"missing that repeats": {"<PmtInfId>P1</PmtInfId>", "</PmtInf><PmtInf><PmtInfId>P1</PmtInfId>", "*", ""},
	"empty mandatory": {
		"<MsgId>M1</MsgId>", "<MsgId/>", header + "/MsgId CH21", "Enter a value in MsgId: this element is mandatory and must not be empty.",
	},
	"blank optional": {
		"<InstrId>I1</InstrId>", "<InstrId> \n</InstrId>", transaction + "/PmtId/InstrId CH16",
		"Enter a value in InstrId or remove the element: it must not be empty.",
	},
	"empty group": {
		"<FinInstnId><BICFI>RAIFCH22005</BICFI></FinInstnId>", "<FinInstnId/>", information + "/DbtrAgt/FinInstnId CH21",
		"Enter the bank in FinInstnId, or write NOTPROVIDED in Othr/Id: FinInstnId must not be empty.",
	},
	"wrong order": {
		"<InstrId>I1</InstrId><EndToEndId>E1</EndToEndId>", "<EndToEndId>E1</EndToEndId><InstrId>I1</InstrId>",
		transaction + "/PmtId/InstrId FF01", "Move InstrId before EndToEndId: the schema fixes the order.",
	},
	"twice": {
		"<MsgId>M1</MsgId>", "<MsgId>M1</MsgId><MsgId>M1</MsgId>", header + "/MsgId FF01",
		"Remove the second MsgId: this element may appear only once.",
	},
	"two of a choice": {
		"<Dt>2026-03-02</Dt>", "<Dt>2026-03-02</Dt><DtTm>2026-03-02T10:00:00Z</DtTm>",
		information + "/ReqdExctnDt/DtTm CH17", "Remove DtTm or Dt: only one of these two elements is allowed.",
	},
	"none of a choice": {"<Dt>2026-03-02</Dt>", "", information + "/ReqdExctnDt CH21", "Enter Dt or DtTm in ReqdExctnDt."},
	"too long": {
		"<MsgId>M1<", "<MsgId>" + strings.Repeat("ä", 36) + "<", header + "/MsgId CH16", "Enter at most 35 characters instead of 36 in MsgId.",
	},
	"name too long": {
		"<Cdtr><Nm>Peter", "<Cdtr><Nm>" + strings.Repeat("x", 140), transaction + "/Cdtr/Nm FF01",
		"Enter at most 140 characters instead of 147 in Nm.",
	},
	"date":           {"2026-03-02T10", "2026-02-30T10", header + "/CreDtTm DT01", ""},
	"execution date": {"<Dt>2026-03-02", "<Dt>02.03.2026", information + "/ReqdExctnDt/Dt DT01", "Enter a date as YYYY-MM-DD in Dt."},
	"count":          {"<NbOfTxs>1<", "<NbOfTxs>one<", header + "/NbOfTxs AM18", ""},
	"sum":            {"<CtrlSum>199.95<", "<CtrlSum>199,95<", header + "/CtrlSum AM10", ""},
	"amount": {
		">199.95</InstdAmt>", ">abc</InstdAmt>", transaction + "/Amt/InstdAmt AM12",
		"Enter a decimal number with a decimal point and no leading zeros, such as 199.95 in InstdAmt.",
	},
	"leading zero": {">199.95</InstdAmt>", ">0199.95</InstdAmt>", transaction + "/Amt/InstdAmt AM12", ""},
	"decimals": {
		">199.95</InstdAmt>", ">1.123456</InstdAmt>", transaction + "/Amt/InstdAmt CH20", "Enter at most 5 digits after the decimal point in " +
			"InstdAmt.",
	},
	"negative":    {">199.95</InstdAmt>", ">-1</InstdAmt>", transaction + "/Amt/InstdAmt AM12", ""},
	"currency":    {`Ccy="CHF"`, `Ccy="chf"`, transaction + "/Amt/InstdAmt/Ccy CURR", ""},
	"no currency": {` Ccy="CHF"`, ``, transaction + "/Amt/InstdAmt/Ccy CH21", "Enter the currency of InstdAmt in the attribute Ccy."},
	"attribute":   {"<GrpHdr>", `<GrpHdr a="1">`, header + "/a CH17", ""},
	"account":     {"CH4821966000009613388", "ch48", transaction + "/CdtrAcct/Id/IBAN AC01", ""},
	"bank":        {"RAIFCH22005", "RAIFCH22XX", information + "/DbtrAgt/FinInstnId/BICFI RC01", ""},
	"country":     {"<Ctry>CH", "<Ctry>che", transaction + "/Cdtr/PstlAdr/Ctry BE09", ""},
	"address":     {"<TwnNm>Zuerich", "<TwnNm>" + strings.Repeat("x", 36), transaction + "/Cdtr/PstlAdr/TwnNm CH16", ""},
	"method":      {"<PmtMtd>TRF", "<PmtMtd>ABC", information + "/PmtMtd CH16", "Enter CHK, TRF or TRA in PmtMtd."},
	"UETR":        {"7a1d3e52", "7A1D3E52", transaction + "/PmtId/UETR FF01", ""},
	"CDATA": {
		"Invoice 1", "<![CDATA[Invoice 1]]>", transaction + "/RmtInf/Ustrd/0 CH16", "Write the text without a CDATA section.",
	},
	"byte order mark": {`<?xml version`, "\uFEFF<?xml version", "/Document CH16", ""},
	"text between":    {"<GrpHdr>", "x<GrpHdr>", "/Document/CstmrCdtTrfInitn FF01", "Remove the text between the elements."},
	"element in a leaf": {
		"MUSTER AG</Nm></Dbtr>", "MUSTER <b>AG</b></Nm></Dbtr>", information + "/Dbtr/Nm/b CH17", "Remove b: Nm may contain only text.",
	},
	"second document": {"</Document>", "</Document><a/>", "/Document FF01", ""},
	"local instrument": {
		"<ReqdExctnDt>", "<PmtTpInf><LclInstrm><Cd>" + strings.Repeat("I", 36) + "</Cd></LclInstrm></PmtTpInf><ReqdExctnDt>",
		information + "/PmtTpInf/LclInstrm/Cd CH16", "",
	},
}

func TestFindingsOfXML(t *testing.T) {
	t.Parallel()
	for name, test := range faultsOfXML {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content := strings.Replace(instructionXML, test.old, test.replacement, 1)
			if content == instructionXML {
				t.Fatal("nothing replaced")
			}
			_, findings := DecodeXML([]byte(content))
			if test.want == "*" {
				checkMissingSecond(t, findings)
				return
			}
			if brief(findings) != test.want {
				t.Errorf("got  %s\nwant %s", brief(findings), test.want)
			}
			if test.text != "" && (len(findings) == 0 || findings[0].Text.String() != test.text) {
				t.Errorf("text %v\nwant %s", findings, test.text)
			}
		})
	}
}

// checkMissingSecond is for an empty first PmtInf before a good second one.
func checkMissingSecond(t *testing.T, findings []iso20022.Finding) {
	t.Helper()
	want := strings.Join([]string{
		information + "/PmtInfId CH21", information + "/PmtMtd CH21", information + "/ReqdExctnDt CH21", information + "/Dbtr CH21",
		information + "/DbtrAcct CH21", information + "/DbtrAgt CH21", information + "/CdtTrfTxInf/0 CH21",
	}, "\n")
	if brief(findings) != want {
		t.Errorf("got\n%s\nwant\n%s", brief(findings), want)
	}
}

func TestValidInstructionHasNoFindings(t *testing.T) {
	t.Parallel()
	document, findings := DecodeXML([]byte(instructionXML))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	transfer := document.(*iso20022.CustomerCreditTransferInitiation).PaymentInformation[0].CreditTransferTransactionInformation[0]
	if transfer.Amount.InstructedAmount.String() != "CHF 199.95" || transfer.CreditorAccount.ID.IBAN != "CH4821966000009613388" {
		t.Errorf("read %+v", transfer)
	}
}

func TestAllFindingsComeAtOnceInDocumentOrderWithTheirPlace(t *testing.T) {
	t.Parallel()
	replacer := strings.NewReplacer(
		"<MsgId>M1</MsgId>", "", "<NbOfTxs>1<", "<NbOfTxs>x<", "RAIFCH22005", "R", "199.95</InstdAmt>", "x</InstdAmt>", "<RmtInf>",
		"<Foo>1</Foo><RmtInf>",
	)
	_, findings := DecodeXML([]byte(replacer.Replace(instructionXML)))
	want := strings.Join([]string{
		header + "/MsgId CH21", header + "/NbOfTxs AM18", information + "/DbtrAgt/FinInstnId/BICFI RC01",
		transaction + "/Amt/InstdAmt AM12", transaction + "/Foo CH17",
	}, "\n")
	if brief(findings) != want {
		t.Fatalf("got\n%s\nwant\n%s", brief(findings), want)
	}
	for i, place := range []string{"4:1", "4:53", "9:22", "12:6", "15:1"} {
		if got := fmt.Sprintf("%d:%d", findings[i].Line, findings[i].Column); got != place {
			t.Errorf("%s at %s, want %s", findings[i].Pointer, got, place)
		}
	}
}

func TestEveryFindingSaysWhatToDo(t *testing.T) {
	t.Parallel()
	random := mutator{newRandom(5)}
	verbs := []string{
		"Enter ", "Remove ", "Move ", "Write ", "Correct ", "Complete ", "Close ", "Send ", "Declare ", "Separate ", "Give ", "Nest ",
	}
	for range 3000 {
		_, findings := DecodeXML(random.mutate([]byte(instructionXML)))
		for _, finding := range findings {
			known := false
			for _, verb := range verbs {
				known = known || strings.HasPrefix(finding.Text.String(), verb)
			}
			if !known || !strings.HasSuffix(finding.Text.String(), ".") || finding.Code == "" || finding.Line == 0 ||
				!strings.HasPrefix(finding.Pointer, "/Document") {
				t.Errorf("%+v", finding)
			}
		}
	}
}
