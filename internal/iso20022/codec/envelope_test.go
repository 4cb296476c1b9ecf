package codec_test

import (
	"strings"
	"testing"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
)

const (
	header = `<AppHdr xmlns="urn:iso:std:iso:20022:tech:xsd:head.001.001.02">` +
		`<Fr><FIId><FinInstnId><BICFI>AAAADEFFXXX</BICFI></FinInstnId></FIId></Fr>` +
		`<To><FIId><FinInstnId><BICFI>BBBBFRPPXXX</BICFI></FinInstnId></FIId></To><BizMsgIdr>M1</BizMsgIdr>` +
		`<MsgDefIdr>camt.025.001.05</MsgDefIdr><CreDt>2026-03-02T10:00:00Z</CreDt></AppHdr>`
	receipt = `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.025.001.05"><Rct><MsgHdr><MsgId>M1</MsgId></MsgHdr><RctDtls><OrgnlMsgId>` +
		`<MsgId>O1</MsgId></OrgnlMsgId></RctDtls></Rct></Document>`
)

// TestADocumentInAnEnvelope holds what is taken and what is refused, wherever a document is read.
func TestADocumentInAnEnvelope(t *testing.T) {
	t.Parallel()
	for _, root := range []string{`BusinessMessage`, `x:Bulk xmlns:x="urn:any"`, `Message xmlns="urn:other"`} {
		name, _, _ := strings.Cut(root, " ")
		content := "<" + root + ">\n " + header + "\n " + receipt + "\n</" + name + ">"
		said, document, findings := codec.DecodeEnvelope([]byte(content))
		if len(findings) > 0 || said == nil || said.BusinessMessageIdentifier != "M1" || document.MessageName() != iso20022.Camt025V05 {
			t.Errorf("%s: %+v %+v %+v", root, said, document, findings)
		}
		if got := codec.Namespace([]byte(content)); got != iso20022.Camt025V05.Namespace() {
			t.Errorf("%s: the namespace is %q", root, got)
		}
	}
	order := strings.ReplaceAll(receipt, "camt.025.001.05", "pain.001.001.09")
	for what, content := range map[string]string{
		"no header":             "<B>" + receipt + "</B>",
		"no document":           "<B>" + header + "</B>",
		"nothing":               "<B></B>",
		"two headers":           "<B>" + header + header + receipt + "</B>",
		"two documents":         "<B>" + header + receipt + receipt + "</B>",
		"header behind":         "<B>" + receipt + header + "</B>",
		"something else":        "<B>" + header + receipt + "<C/></B>",
		"text":                  "<B>" + header + "text" + receipt + "</B>",
		"another header":        "<B>" + strings.Replace(header, "head.001.001.02", "head.001.001.09", 1) + receipt + "</B>",
		"an incomplete header":  "<B>" + strings.Replace(header, "<BizMsgIdr>M1</BizMsgIdr>", "", 1) + receipt + "</B>",
		"an order":              "<B>" + header + order + "</B>",
		"an envelope in itself": "<B><B>" + header + receipt + "</B></B>",
		"a header as document":  strings.ReplaceAll(receipt, "camt.025.001.05", "head.001.001.02"),
		"what is not closed":    "<B>" + header + receipt,
		"more behind it":        "<B>" + header + receipt + "</B><B/>",
	} {
		if _, _, findings := codec.DecodeEnvelope([]byte(content)); len(findings) == 0 {
			t.Errorf("%s is taken", what)
		}
	}
}

// TestConvertCarriesEverythingItCan turns a return into the next version and back.
func TestConvertCarriesEverythingItCan(t *testing.T) {
	t.Parallel()
	old := `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pacs.004.001.09">` +
		`<PmtRtr><GrpHdr>` +
		`<MsgId>M1</MsgId><CreDtTm>2026-03-02T10:00:00Z</CreDtTm><NbOfTxs>1</NbOfTxs><SttlmInf><SttlmMtd>CLRG</SttlmMtd></SttlmInf>` +
		`</GrpHdr><TxInf><RtrId>R1</RtrId>` +
		`<RtrdIntrBkSttlmAmt Ccy="EUR">1.50</RtrdIntrBkSttlmAmt><OrgnlTxRef><MndtRltdInf><MndtId>D1</MndtId></MndtRltdInf></OrgnlTxRef>` +
		`<SplmtryData><Envlp><a xmlns="urn:a">kept</a></Envlp></SplmtryData></TxInf></PmtRtr></Document>`
	document, findings := codec.DecodeXML([]byte(old))
	if len(findings) > 0 {
		t.Fatalf("%+v", findings)
	}
	converted, left := codec.Convert(document, iso20022.Pacs004V10)
	if len(left) > 0 || len(codec.Validate(converted)) > 0 {
		t.Fatalf("%+v %+v", left, codec.Validate(converted))
	}
	written, err := codec.EncodeXML(converted)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("pacs.004.001.09", "pacs.004.001.10", "<MndtId>D1</MndtId>", "<DrctDbtMndt><MndtId>D1</MndtId></DrctDbtMndt>").
		Replace(`<?xml version="1.0" encoding="UTF-8"?>` + old)
	if string(written) != want {
		t.Errorf("got  %s\nwant %s", written, want)
	}
	if none, _ := codec.Convert(document, "pacs.004.001.99"); none != nil {
		t.Error("a version that does not exist was made")
	}
	back, left := codec.Convert(converted, iso20022.Pacs004V09)
	if back == nil || len(left) != 1 || !strings.Contains(left[0].Text.String(), "does not support this element") {
		t.Errorf("back: %+v, left %+v", back, left)
	}
}
