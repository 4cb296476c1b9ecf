package payment_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

const recallXML = `<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.056.001.08"><FIToFIPmtCxlReq><Assgnmt><Id>RE1</Id>` +
	`<Assgnr><Agt><FinInstnId><BICFI>BBBBFRPPXXX</BICFI></FinInstnId></Agt></Assgnr><Assgne><Agt><FinInstnId><BICFI>AAAADEFFXXX</BICFI>` +
	`</FinInstnId></Agt></Assgne><CreDtTm>2026-03-02T11:00:00Z</CreDtTm></Assgnmt><Undrlyg><TxInf><CxlId>RE1</CxlId><OrgnlEndToEndId>E2E` +
	`</OrgnlEndToEndId><OrgnlTxId>TX1</OrgnlTxId><OrgnlIntrBkSttlmAmt Ccy="EUR">10.00</OrgnlIntrBkSttlmAmt><CxlRsnInf><Rsn><Cd>DUPL</Cd></Rsn>` +
	`</CxlRsnInf><OrgnlTxRef><Dbtr><Pty><Nm>Payer</Nm></Pty></Dbtr></OrgnlTxRef></TxInf></Undrlyg></FIToFIPmtCxlReq></Document>`

const questionXML = `<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:pacs.028.001.03"><FIToFIPmtStsReq><GrpHdr><MsgId>Q1</MsgId>` +
	`<CreDtTm>2026-03-02T11:00:00Z</CreDtTm></GrpHdr><TxInf><StsReqId>Q1</StsReqId><OrgnlEndToEndId>E2E</OrgnlEndToEndId><OrgnlTxId>TX1</OrgnlTxId>` +
	`</TxInf></FIToFIPmtStsReq></Document>`

// An automatic refusal is let out only as a refusal of the document that it answers, with nothing that this document does not have.
func TestAnAutomaticRefusalSaysNothingElse(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 2, 11, 0, 5, 0, time.UTC)
	asked := func(content string) iso20022.Document {
		document, findings := codec.DecodeXML([]byte(content))
		if len(findings) > 0 {
			t.Fatal(findings)
		}
		return document
	}
	written := func(document iso20022.Document, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		content, err := codec.EncodeXML(document)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	no, err := interbank.Resolution(interbank.RTransactionInput{
		Request: rulebook.Request{Reason: "NOOR"}, Scheme: rulebook.SchemeSCT,
		Recall: asked(recallXML).(*iso20022.FIToFIPaymentCancellationRequest), MessageID: "C29X", ID: "C29X", At: at, Automatic: true,
	})
	refusal := written(no, err)
	report, err := interbank.UnknownStatus(interbank.StatusReportInput{
		Scheme: rulebook.SchemeSCT, About: asked(questionXML), Code: "AG09", Bank: "AAAADEFFXXX", Reference: "P2X", StatusID: "SX", At: at,
	})
	status := written(report, err)
	named := func(name string) string {
		return "<OrgnlGrpInf><OrgnlMsgId>M1</OrgnlMsgId><OrgnlMsgNmId>" + name + "</OrgnlMsgNmId></OrgnlGrpInf><OrgnlEndToEndId>"
	}
	strange := strings.Replace(recallXML, "<OrgnlEndToEndId>", named("x9"), 1)
	cases := []struct {
		name, asked, answer, was, is string
		fits                         bool
	}{
		{"a refusal of a recall", recallXML, refusal, "", "", true},
		{"a refusal of a question", questionXML, status, "", "", true},
		{"of a recall that names a strange document", strange, refusal, "<OrgnlEndToEndId>", named("x9"), true},
		{"that names another document", strange, refusal, "<OrgnlEndToEndId>", named("x8"), false},
		{"of another payment", recallXML, refusal, "<OrgnlTxId>TX1", "<OrgnlTxId>TX2", false},
		{"with another amount", recallXML, refusal, ">10.00<", ">99.00<", false},
		{"with another name", recallXML, refusal, "<Nm>Payer", "<Nm>Somebody", false},
		{"to another bank", recallXML, refusal, "BBBBFRPPXXX", "COBADEFFXXX", false},
		{"that is pending", recallXML, refusal, "RJCR", "PDCR", false},
		{"that accepts", questionXML, status, "<TxSts>RJCT", "<TxSts>ACCP", false},
		{"of another question", questionXML, status, "<OrgnlTxId>TX1", "<OrgnlTxId>TX2", false},
		{"of another end-to-end id", questionXML, status, "<OrgnlEndToEndId>E2E", "<OrgnlEndToEndId>OTHER", false},
		{"with the parties", questionXML, status, "</TxInfAndSts>", "<OrgnlTxRef><Dbtr><Pty><Nm>P</Nm></Pty></Dbtr></OrgnlTxRef></TxInfAndSts>", false},
		{"a status to a recall", recallXML, status, "", "", false},
		{"a refusal to a question", questionXML, refusal, "", "", false},
		{"a recall to a recall", recallXML, recallXML, "", "", false},
		{"what cannot be read", recallXML, "<x/>", "", "", false},
	}
	for _, c := range cases {
		answer := c.answer
		if c.was != "" {
			if answer = strings.Replace(answer, c.was, c.is, 1); answer == c.answer {
				t.Fatalf("%s: nothing to change in %s", c.name, answer)
			}
		}
		err := payment.CheckRefusal([]byte(c.asked), []byte(answer))
		if c.fits && err != nil || !c.fits && !errors.Is(err, payment.ErrForged) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
