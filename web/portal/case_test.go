package portal_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/internal/clearing"
	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

const cases = "../../internal/orderform/testdata/cases"

// uploads are files as programs write them, with what becomes of each in the portal: the path it leads to, or 422 for "".
var uploads = []struct {
	file  string
	leads string
	says  []string
	never []string
	// Siblings of a file differ from it in one text.
	old, sibling string
}{
	{file: "c01-salary-batch-without-inst.xml", says: []string{"Enter the local instrument INST", "CH21", "Write SLEV", "CH16"}},
	{file: "c02-batch-bad-category.xml", says: []string{"PmtTpInf/CtgyPurp/Cd", "CtgyPurp"}},
	{file: "c02-batch-debt.xml", says: []string{"Write SLEV", "CH16"}},
	{file: "c02-batch-prtry-ch03.xml", says: []string{"PmtTpInf/LclInstrm", "INST"}},
	{file: "c02-batch-urgp.xml", says: []string{"PmtTpInf/SvcLvl"}},
	{file: "c02-batch-wrong-debtor-bank.xml", says: []string{"/DbtrAgt"}},
	{file: "c02-batch-sala-inst.xml", leads: "/payments/batches/", says: []string{"2 payments ready"}},
	{file: "c03-ultimate-parties-unseen.xml", leads: "/payments/"},
	{file: "c05-batch-date-offset.xml", leads: "/payments/batches/", says: []string{"2 payments ready"}},
	{file: "c05-batch-dttm.xml", leads: "/payments/batches/", says: []string{"2 payments ready"}},
	{
		file: "c06-batch-one-bad-amount.xml", leads: "/payments/batches/", says: []string{"1 payment ready", "Amt/InstdAmt"},
		never: []string{"one file for each payment"},
	},
	{file: "c07-batch-bba-reference.xml", leads: "/payments/batches/", says: []string{"2 payments ready"}},
	{file: "c07-batch-creditor-bic.xml", leads: "/payments/batches/", says: []string{"2 payments ready"}},
	{file: "c07-batch-purpose.xml", leads: "/payments/batches/", says: []string{"2 payments ready"}},
	{file: "c11-bicfi-notprovided-ro.xml", says: []string{"CdtrAgt/FinInstnId/BICFI"}},
	{file: "c14-empty-first-line.csv", leads: "/payments/batches/", says: []string{"1 payment ready"}},
	{file: "c14-sep-line.csv", leads: "/payments/batches/", says: []string{"1 payment ready"}},
	{file: "c15-debtor-iban-spaces.csv", leads: "/payments/batches/", says: []string{"4 payments ready"}},
	{file: "c16-qr-reference-and-message.csv", leads: "/payments/batches/", says: []string{"1 payment ready"}},
	{file: "c17-extra-column.csv", says: []string{`column "purpose"`}},
	{file: "c18-italian-iban-with-bic.xml", leads: "/payments/"},
	{
		file: "c05-date-unreadable-two-findings.xml", says: []string{"Enter a date as YYYY-MM-DD"},
		never: []string{"Enter today as requested execution date"},
	},
	{
		file: "c05-dttm-later-today.xml", says: []string{"Leave the time out, or enter one that has come"},
		never: []string{"Enter today as requested execution date"},
	},
	{
		file: "c08-v03-elements-under-v09.xml", says: []string{"pain.001.001.03", "BICFI", "AnyBIC", "Write the date in Dt"},
		never: []string{"Remove BIC", "Remove the text between the elements", "Remove BICOrBEI"},
	},
	{file: "c09-cdtragt-notprovided.xml", says: []string{"Leave CdtrAgt out"}},
	{file: "c10-dbtragt-empty.xml", says: []string{"NOTPROVIDED"}, never: []string{"or remove the element"}},
	{file: "c12-latin1.xml", says: []string{"ISO-8859-1", "UTF-8", "CH16"}},
	{file: "c12-utf16.xml", says: []string{"UTF-16", "UTF-8", "CH16"}},
	{file: "c18-italian-iban.xml", leads: "/payments/"},
	{file: "h01-prefix.xml", leads: "/payments/"},
	{file: "h02-bom.xml", says: []string{"Remove the byte order mark"}},
	{file: "h03-float-control-sum.xml", says: []string{"Correct the control sum"}},
	{file: "h04-underscore.xml"},
	{file: "h05-three-ustrd.xml"},
	{file: "h06-scor-spaces.xml"},
	{file: "h07-qrr-on-normal-iban.xml"},
	{file: "h08-no-instrid.xml", leads: "/payments/"},
	{file: "h09-hybrid-repeats.xml"},
	{file: "h10-name-82.xml"},
	{file: "h11-euro-amp.xml", leads: "/payments/"},
	{file: "c01-salary-batch-without-inst.xml", old: `<SvcLvl><Cd>SEPA</Cd></SvcLvl>`, sibling: ``, says: []string{`INST`, `SEPA`}},
	{file: "c01-salary-batch-without-inst.xml", old: `<ChrgBr>DEBT</ChrgBr>`, sibling: `<ChrgBr>SHAR</ChrgBr>`, says: []string{`INST`, `Write SLEV`}},
	{file: "c01-salary-batch-without-inst.xml", old: `<CtgyPurp>`, sibling: `<LclInstrm><Cd>CORE</Cd></LclInstrm><CtgyPurp>`, says: []string{`INST`, `Write SLEV`}},
	{file: "c02-batch-sala-inst.xml", old: `SALA</Cd>`, sibling: `PENS</Cd>`, leads: "/payments/batches/", says: []string{"2 payments ready"}},
	{file: "c02-batch-sala-inst.xml", old: `<Cd>INST</Cd>`, sibling: `<Cd>ITP</Cd>`, says: []string{`INST`}},
	{file: "c02-batch-sala-inst.xml", old: `<Cd>SEPA</Cd>`, sibling: `<Cd>NURG</Cd>`, says: []string{`PmtTpInf/SvcLvl`}},
	{file: "c02-batch-sala-inst.xml", old: `<PmtMtd>TRF</PmtMtd>`, sibling: `<PmtMtd>CHK</PmtMtd>`, says: []string{`PmtMtd`}},
	{file: "c05-batch-date-offset.xml", old: `+01:00</Dt>`, sibling: `Z</Dt>`, leads: "/payments/batches/", says: []string{"2 payments ready"}},
	{file: "c05-batch-date-offset.xml", old: `+01:00</Dt>`, sibling: `</Dt>`, leads: "/payments/batches/", says: []string{"2 payments ready"}},
	{file: "c05-batch-date-offset.xml", old: `+01:00</Dt>`, sibling: `+14:00</Dt>`, leads: "/payments/batches/", says: []string{"2 payments ready"}},
	{file: "c05-dttm-later-today.xml", old: `T22:00:00+01:00`, sibling: `T00:00:00+01:00`, leads: "/payments/"},
	{file: "c05-dttm-later-today.xml", old: `T22:00:00+01:00`, sibling: `T23:59:59.999+01:00`, says: []string{`Leave the time out, or enter one that has come`}},
	{file: "c05-dttm-later-today.xml", old: `T22:00:00+01:00`, sibling: `T25:00:00+01:00`, says: []string{`ReqdExctnDt`}, never: []string{`Enter today as requested`}},
	{file: "c05-date-unreadable-two-findings.xml", old: `02-30`, sibling: `13-01`, says: []string{`Enter a date as YYYY-MM-DD`}, never: []string{`Enter today as requested execution date`}},
	{file: "c05-date-unreadable-two-findings.xml", old: `<Dt>`, sibling: `<Dt>x`, says: []string{`Enter a date as YYYY-MM-DD`}, never: []string{`Enter today as requested execution date`}},
	{file: "c06-batch-one-bad-amount.xml", old: `>1,50<`, sibling: `>1 50<`, leads: "/payments/batches/", says: []string{`1 payment ready`, `Amt/InstdAmt`}, never: []string{`one file for each payment`}},
	{file: "c06-batch-one-bad-amount.xml", old: `>1,50<`, sibling: `>-1.50<`, leads: "/payments/batches/", says: []string{`1 payment ready`, `Amt/InstdAmt`}, never: []string{`one file for each payment`}},
	{file: "c06-batch-one-bad-amount.xml", old: `>1,50<`, sibling: `><`, leads: "/payments/batches/", says: []string{`1 payment ready`, `Amt/InstdAmt`}, never: []string{`one file for each payment`}},
	{file: "c06-batch-one-bad-amount.xml", old: `Ccy="EUR">1,50`, sibling: `Ccy="Euro">1.50`, leads: "/payments/batches/", says: []string{`1 payment ready`, `Amt/InstdAmt`}, never: []string{`one file for each payment`}},
	{file: "c07-batch-bba-reference.xml", old: `<Issr>BBA</Issr>`, sibling: ``, leads: "/payments/batches/", says: []string{"2 payments ready"}},
	{file: "c07-batch-bba-reference.xml", old: `<Issr>BBA</Issr>`, sibling: `<Issr>CRS</Issr>`, leads: "/payments/batches/", says: []string{"2 payments ready"}},
	{file: "c07-batch-bba-reference.xml", old: `<Issr>BBA</Issr>`, sibling: `<Issr>ISO</Issr>`, leads: "/payments/batches/", says: []string{`1 payment ready`, `Ref`}},
	{file: "c08-v03-elements-under-v09.xml", old: `<BICOrBEI>AAAADEFFXXX</BICOrBEI>`, sibling: `<AnyBIC>AAAADEFFXXX</AnyBIC>`, says: []string{`BICFI`, `Write the date in Dt`}, never: []string{`Remove BIC`}},
	{file: "c08-v03-elements-under-v09.xml", old: `<ReqdExctnDt>2026-11-29</ReqdExctnDt>`, sibling: `<ReqdExctnDt><Dt>2026-11-29</Dt></ReqdExctnDt>`, says: []string{`pain.001.001.03`, `BICFI`}, never: []string{`Remove BIC`, `Write the date in Dt`}},
	{file: "c08-v03-elements-under-v09.xml", old: `xsd:pain.001.001.09`, sibling: `xsd:pain.001.001.03`, says: []string{`pain.001.001.09`}},
	{file: "c09-cdtragt-notprovided.xml", old: `<CdtrAgt><FinInstnId><Othr><Id>NOTPROVIDED</Id></Othr></FinInstnId></CdtrAgt>`, sibling: `<CdtrAgt><FinInstnId><Othr><Id>N/A</Id></Othr></FinInstnId></CdtrAgt>`, says: []string{`CdtrAgt`}},
	{file: "c09-cdtragt-notprovided.xml", old: `<CdtrAgt><FinInstnId><Othr><Id>NOTPROVIDED</Id></Othr></FinInstnId></CdtrAgt>`, sibling: `<CdtrAgt><FinInstnId><Nm>NOTPROVIDED</Nm></FinInstnId></CdtrAgt>`, says: []string{`CdtrAgt`}},
	{file: "c09-cdtragt-notprovided.xml", old: `<CdtrAgt><FinInstnId><Othr><Id>NOTPROVIDED</Id></Othr></FinInstnId></CdtrAgt>`, sibling: `<CdtrAgt><FinInstnId/></CdtrAgt>`, says: []string{`CdtrAgt`}},
	{file: "c10-dbtragt-empty.xml", old: `<DbtrAgt><FinInstnId/></DbtrAgt>`, sibling: `<DbtrAgt/>`, says: []string{`NOTPROVIDED`}, never: []string{`or remove the element`}},
	{file: "c10-dbtragt-empty.xml", old: `<DbtrAgt><FinInstnId/></DbtrAgt>`, sibling: ``, says: []string{`DbtrAgt`, `NOTPROVIDED`}},
	{file: "c10-dbtragt-empty.xml", old: `<Dbtr><Nm>Muster AG</Nm></Dbtr><DbtrAcct>`, sibling: `<Dbtr/><DbtrAcct>`, says: []string{`NOTPROVIDED`}},
	{file: "c11-bicfi-notprovided-ro.xml", old: `<BICFI>NOTPROVIDED</BICFI>`, sibling: `<BICFI>XXXXROXX</BICFI>`, says: []string{`CdtrAgt`}},
	{file: "c11-bicfi-notprovided-ro.xml", old: `<BICFI>NOTPROVIDED</BICFI>`, sibling: `<BICFI>notprovided</BICFI>`, says: []string{`BICFI`}},
	{file: "c11-bicfi-notprovided-ro.xml", old: `<BICFI>NOTPROVIDED</BICFI>`, sibling: `<BICFI></BICFI>`, says: []string{`CdtrAgt`}},
	{file: "c12-latin1.xml", old: `ISO-8859-1`, sibling: `windows-1252`, says: []string{`windows-1252`, `UTF-8`, `CH16`}},
	{file: "c12-latin1.xml", old: `ISO-8859-1`, sibling: `ISO-8859-15`, says: []string{`ISO-8859-15`, `UTF-8`, `CH16`}},
	{file: "c12-latin1.xml", old: `ISO-8859-1`, sibling: `UTF-8`, says: []string{`Send the document in UTF-8`, `CH16`}},
	{file: "c14-sep-line.csv", old: `sep=;`, sibling: `SEP=;`, leads: "/payments/batches/", says: []string{"1 payment ready"}},
	{file: "c14-sep-line.csv", old: `sep=;`, sibling: `"sep=;"`, leads: "/payments/batches/", says: []string{"1 payment ready"}},
	{file: "c14-sep-line.csv", old: `sep=;`, sibling: `;;;;;;;;;;;;`, leads: "/payments/batches/", says: []string{"1 payment ready"}},
	{file: "c15-debtor-iban-spaces.csv", old: `CH50 2197 7000 0043 3134 6`, sibling: `ch5021977000004331346`, leads: "/payments/batches/", says: []string{"4 payments ready"}},
	{file: "c15-debtor-iban-spaces.csv", old: `CH50 2197 7000 0043 3134 6`, sibling: `IBAN: CH50 2197 7000 0043 3134 6`, leads: "/payments/batches/", says: []string{"4 payments ready"}},
	{file: "c15-debtor-iban-spaces.csv", old: `CH50 2197 7000 0043 3134 6`, sibling: `CH50-2197-7000-0043-3134-6`, leads: "/payments/batches/", says: []string{"4 payments ready"}},
	{file: "c15-debtor-iban-spaces.csv", old: `CH50 2197 7000 0043 3134 6`, sibling: `CH50 2197 7000 0043 3134 6`, leads: "/payments/batches/", says: []string{"4 payments ready"}},
	{file: "c16-qr-reference-and-message.csv", old: `;210000000003139471430009017;`, sibling: `; 21 00000 00003 13947 14300 09017 ;`, leads: "/payments/batches/", says: []string{"1 payment ready"}},
	{file: "c16-qr-reference-and-message.csv", old: `;Bitte Kundennummer 4711;`, sibling: `;;`, leads: "/payments/batches/", says: []string{"1 payment ready"}},
	{file: "c16-qr-reference-and-message.csv", old: `CH4431999123000889012;;;8000;Zürich;CH;CHF;12.55;210000000003139471430009017;`, sibling: `CH4821966000009613388;;;8000;Zürich;CH;CHF;12.55;RF18539007547034;`, leads: "/payments/batches/", says: []string{"1 payment ready"}},
	{file: "c17-extra-column.csv", old: `;purpose`, sibling: `;amount`, says: []string{`column "amount"`}},
	{file: "c17-extra-column.csv", old: `;purpose`, sibling: `;Purpose Code`, says: []string{`column "Purpose Code"`}},
	{file: "c17-extra-column.csv", old: `;endToEndId;purpose`, sibling: `;endToEndID;purpose`, says: []string{`column`}},
	{file: "c18-italian-iban.xml", old: `IT60X0542811101000000123456`, sibling: `SM86U0322509800000000270100`, leads: "/payments/"},
	{file: "c18-italian-iban.xml", old: `IT60X0542811101000000123456`, sibling: `FR1420041010050500013M02606`, leads: "/payments/"},
	{file: "c18-italian-iban.xml", old: `IT60X0542811101000000123456`, sibling: `ES9121000418450200051332`, says: []string{`IBAN`}},
}

// practice reads a file of practice, dated today.
func practice(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(cases, name))
	if err != nil {
		t.Fatal(err)
	}
	return ofToday(content)
}

// ofToday puts today into a text of the day on which the files were written.
func ofToday(text []byte) []byte {
	return bytes.ReplaceAll(text, []byte("2026-11-29"), []byte(time.Now().In(i18n.Zone()).Format(time.DateOnly)))
}

// TestFilesOfPracticeBecomeWhatIsRight uploads every file of practice.
func TestFilesOfPracticeBecomeWhatIsRight(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	for _, c := range uploads {
		content := practice(t, c.file)
		if c.old != "" {
			old := ofToday([]byte(c.old))
			if !bytes.Contains(content, old) {
				t.Errorf("%s has no %q", c.file, old)
			}
			content = bytes.ReplaceAll(content, old, ofToday([]byte(c.sibling)))
			c.file = c.sibling + " in " + c.file
		}
		got := maker.upload(filepath.Base(c.file), content)
		if (c.leads == "") != (got.status == http.StatusUnprocessableEntity) || !strings.HasPrefix(got.location, c.leads) {
			t.Errorf("%s: %d %s, want %q: %s", c.file, got.status, got.location, c.leads, got.main())
			continue
		}
		if c.leads != "" {
			got = maker.get(got.location).is(http.StatusOK)
		}
		text := strings.Join(strings.Fields(got.page.Find("main").Text()), " ")
		for _, want := range c.says {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q: %s", c.file, want, text)
			}
		}
		for _, never := range c.never {
			if strings.Contains(text, never) {
				t.Errorf("%s says %q: %s", c.file, never, text)
			}
		}
	}
}

// The portal takes a name of seventy umlauts, as JSON does: one letter stands for each.
func TestANameOfUmlautsIsNoLongerThanItIs(t *testing.T) {
	t.Parallel()
	maker := setup(t).as("maker1")
	content := bytes.Replace(practice(t, "h11-euro-amp.xml"), []byte("<Nm>Peter Haller<"), []byte("<Nm>"+strings.Repeat("ü", 70)+"<"), 1)
	got := maker.upload("umlauts.xml", content)
	if !strings.HasPrefix(got.location, "/payments/") {
		t.Fatalf("%d %s: %s", got.status, got.location, got.main())
	}
	if page := maker.get(got.location).is(http.StatusOK); !strings.Contains(page.main(), strings.Repeat("u", 70)) {
		t.Errorf("the check page does not show what is sent: %s", page.main())
	}
}

// hand has clearing hand over a document of practice, with the ids and values of this test in the place of its own.
func (o *otherSide) hand(name string, scheme rulebook.Scheme, reference string, pairs ...string) error {
	o.t.Helper()
	content := strings.NewReplacer(append(pairs, "2026-11-29", time.Now().UTC().Format(time.DateOnly))...).Replace(readCase(o.t, name))
	return o.station.Receive(context.Background(), clearing.Document{
		Scheme: scheme, Reference: reference, Content: []byte(content), ReceivedAt: time.Now(),
	})
}

func readCase(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(cases, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestDocumentsOfClearingFromPractice hands over what clearing or another bank sends in practice, with variants of each.
func TestDocumentsOfClearingFromPractice(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	reader := o.as("supervisor1")
	for i, variant := range []struct{ old, now string }{
		{},
		{"<TxSts>RJCT</TxSts>", "<TxSts>RJCT</TxSts><StsRsnInf/>"},
		{"<OrgnlMsgNmId>pacs.008.001.08</OrgnlMsgNmId>", "<OrgnlMsgNmId>pacs.008</OrgnlMsgNmId>"},
		{"<TxSts>RJCT</TxSts>", "<TxSts>RJCT</TxSts><StsRsnInf><Orgtr><Nm>Clearing</Nm></Orgtr></StsRsnInf>"},
	} {
		m := o.approve(o.as("maker1").submit(with(sepa(), "amount", fmt.Sprintf("%d.00", 20+i), "endToEndId", fmt.Sprintf("E2E-C13-%d", i))))
		reference := fmt.Sprintf("C13A%d", i)
		pairs := []string{"R9FEBBB1640899D1B03CE", reference, "DM2NHC05NMZ478J8", string(m.GlobalID)}
		if variant.old != "" {
			pairs = append(pairs, variant.old, variant.now)
		}
		if err := o.hand("c13-pacs002-rjct-without-reason.xml", m.Scheme, reference, pairs...); err != nil {
			t.Fatal(err)
		}
		if now := o.message("demo", m.InternalID.String()); now.State != payment.StateFailed || now.StatusCode != "MS03" {
			t.Errorf("variant %d: %s %s %q", i, now.State, now.StatusCode, now.StatusText)
		}
		reader.get("/payments/" + m.InternalID.String()).is(http.StatusOK).says("gave no reason")
	}

	paid := o.settled(with(sepa(), "amount", "70.85", "endToEndId", "E2E-C13", "creditorIban", "DE89370400440532013000"))
	recall := o.approve(o.as("maker1").requests("/payments/"+paid.InternalID.String()+"/recall", "reason", "DUPL"))
	ids := []string{
		"DM2NHDXZ0E8Z18Z9", string(paid.GlobalID), "E96DA5E55AD", "E2E-C13", "DM2NHCFBXXSXNJ6G", string(paid.GlobalID), "E19CD44A002", "E2E-C13",
		"DM2NHCFEEJAZ9YTR", string(recall.GlobalID),
	}
	for i, amount := range []string{"700.85", "70.86", "70.80"} {
		reference := fmt.Sprintf("H14-%d", i)
		err := o.hand("h14-pacs004-more.xml", paid.Scheme, reference, append(ids, "ZE13635ACDE1DA85C0C45", reference, "700.85", amount)...)
		if err != nil {
			t.Fatal(err)
		}
	}
	if now := o.message("demo", recall.InternalID.String()); now.State == payment.StateAccepted {
		t.Errorf("a return of another amount closes the recall: %s", now.State)
	}
	if n := o.count("SELECT count(*) FROM inbox WHERE outcome = 'quarantined'"); n != 3 {
		t.Errorf("%d returns of another amount are in quarantine, want 3", n)
	}
	if err := o.hand("c13-camt029-without-reason.xml", paid.Scheme, "C13B", append(ids, "C265C851B08B344C22BA6", "C13B")...); err != nil {
		t.Fatal(err)
	}
	if now := o.message("demo", recall.InternalID.String()); now.State != payment.StateRefused || now.StatusCode != "MS03" {
		t.Errorf("the recall is %s %s %q", now.State, now.StatusCode, now.StatusText)
	}
	reader.get("/payments/" + recall.InternalID.String()).is(http.StatusOK).says("gave no reason")

	for i, code := range []string{"AB05", "AM04", "MS03"} {
		transaction := fmt.Sprintf("H12TX%d", i)
		in, _ := o.arrived(rulebook.SchemeSCT, transaction)
		reference := fmt.Sprintf("H12-%d", i)
		err := o.hand("h12-late-rjct.xml", in.Scheme, reference, "Q4A335C543AB19FDE4D07", reference, "TXCC4DEC18B117D62B9AA2", transaction,
			"EXCC4DEC18B117D62B9AA2", in.Summary.EndToEndID, "XCC4DEC18B117D62B9AA2", "IN-"+transaction, "AB05", code)
		if now := o.message("demo", in.InternalID.String()); err != nil || now.State != payment.StateFailed || now.StatusCode != code {
			t.Errorf("%s: the incoming payment is %s %s, %v", code, now.State, now.StatusCode, err)
		}
	}

	before := o.count("SELECT count(*) FROM message")
	for i, change := range []string{"<NbOfTxs>2</NbOfTxs>", "<NbOfTxs>1</NbOfTxs>", "<NbOfTxs>3</NbOfTxs>"} {
		reference := fmt.Sprintf("H13-%d", i)
		err := o.hand("h13-two-in-pacs008.xml", rulebook.SchemeSCT, reference, "TX50EAFB71B7D3421B4508", "T"+reference, "UX50EAFB71B7D3421B4508",
			"U"+reference, "X50EAFB71B7D3421B4508", reference, "<NbOfTxs>2</NbOfTxs>", change)
		if err != nil {
			t.Error(err)
		}
	}
	if n := o.count("SELECT count(*) FROM inbox WHERE outcome = 'quarantined'"); n != 6 {
		t.Errorf("%d documents are in quarantine, want 3 returns and 3 with two payments", n)
	}
	if n := o.count("SELECT count(*) FROM message"); n != before {
		t.Errorf("%d messages are made of documents with two payments", n-before)
	}
	o.CheckInvariants(t)
}
