package codec

import (
	"strings"
	"testing"

	"countersign/internal/iso20022"
)

// incomingWith is a pacs.008 whose debtor has the given content, and whose creditor the given address.
func incomingWith(debtor, address string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:pacs.008.001.08"><FIToFICstmrCdtTrf>` +
		`<GrpHdr><MsgId>M1</MsgId><CreDtTm>2026-03-02T12:00:00Z</CreDtTm><NbOfTxs>1</NbOfTxs>` +
		`<SttlmInf><SttlmMtd>CLRG</SttlmMtd></SttlmInf></GrpHdr>` +
		`<CdtTrfTxInf><PmtId><EndToEndId>E1</EndToEndId><TxId>T1</TxId></PmtId><IntrBkSttlmAmt ` +
		`Ccy="CHF">1</IntrBkSttlmAmt><ChrgBr>SLEV</ChrgBr>` +
		`<Dbtr>` + debtor + `</Dbtr><DbtrAgt><FinInstnId/></DbtrAgt><CdtrAgt><FinInstnId><BICFI>AAAACHBBXXX</BICFI></FinInstnId></CdtrAgt>` +
		`<Cdtr><Nm>B</Nm>` + address + `</Cdtr></CdtTrfTxInf></FIToFICstmrCdtTrf></Document>`
}

func TestWhatSaysNothingIsReadAsIfItWereNotThere(t *testing.T) {
	t.Parallel()
	want, findings := DecodeXML([]byte(incomingWith("", "")))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	for name, content := range map[string]string{
		"an empty group":                    incomingWith("", "<PstlAdr/>"),
		"a group with an empty end":         incomingWith("", "<PstlAdr></PstlAdr>"),
		"a comment alone":                   incomingWith("", "<PstlAdr><!-- none --></PstlAdr>"),
		"a blank text":                      incomingWith("", "<PstlAdr><TwnNm> </TwnNm></PstlAdr>"),
		"a blank text of a mandatory group": incomingWith("<Nm> </Nm>", ""),
		"lines of blanks":                   incomingWith("<PstlAdr><AdrLine> </AdrLine><AdrLine>\t</AdrLine></PstlAdr>", ""),
		"a choice of nothing":               incomingWith("<Id><OrgId/></Id>", ""),
		"CDATA of a blank":                  incomingWith("<Nm><![CDATA[ ]]></Nm>", ""),
		"a byte order mark":                 "\xEF\xBB\xBF" + incomingWith("", ""),
		"zeros at the end":                  strings.Replace(incomingWith("", ""), `"CHF">1<`, `"CHF">1.00000000000000000000000000000<`, 1),
	} {
		read, findings := DecodeXML([]byte(content))
		if len(findings) > 0 {
			t.Errorf("%s: %v", name, findings)
			continue
		}
		if difference := equal(want, read); difference != "" {
			t.Errorf("%s: %s", name, difference)
		}
	}
}

func TestWhatIsSaidBesideNothingStays(t *testing.T) {
	t.Parallel()
	content := incomingWith(
		"<PstlAdr><AdrLine> </AdrLine><AdrLine>Rosenauweg 4</AdrLine></PstlAdr><Id><OrgId/></Id>",
		"<PstlAdr><TwnNm><![CDATA[Bern & Thun]]></TwnNm></PstlAdr>",
	)
	read, findings := DecodeXML([]byte(content))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	transaction := read.(*iso20022.FIToFICustomerCreditTransfer).CreditTransferTransactionInformation[0]
	if lines := transaction.Debtor.PostalAddress.AddressLine; len(lines) != 1 || lines[0] != "Rosenauweg 4" || transaction.Debtor.ID != nil {
		t.Errorf("debtor: %+v", transaction.Debtor)
	}
	if transaction.Creditor.PostalAddress.TownName != "Bern & Thun" {
		t.Errorf("creditor: %+v", transaction.Creditor.PostalAddress)
	}
}
