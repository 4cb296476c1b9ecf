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
	"countersign/internal/testutil"
)

const cases = "../../internal/orderform/testdata/cases"

// practice reads a file of practice, dated today.
func practice(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(cases, name))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(content, []byte("2026-11-29"), []byte(time.Now().In(i18n.Zone()).Format(time.DateOnly)))
}

// TestFilesOfPracticeBecomeWhatIsRight uploads every file of practice, and siblings of each.
func TestFilesOfPracticeBecomeWhatIsRight(t *testing.T) {
	t.Parallel()
	maker := setup(t).as("maker1")
	leads := map[string]string{"payment": "/payments/", "file": "/payments/batches/"}
	for _, c := range testutil.Practices(t, cases, time.Now().In(i18n.Zone()).Format(time.DateOnly)) {
		if c.Outcome == "-" {
			continue
		}
		got := maker.upload(c.Name[strings.LastIndex(c.Name, " ")+1:], c.Content)
		if (c.Outcome == "refused") != (got.status == http.StatusUnprocessableEntity) || !strings.HasPrefix(got.location, leads[c.Outcome]) {
			t.Errorf("%s: %d %s, want %s: %s", c.Name, got.status, got.location, c.Outcome, got.main())
			continue
		}
		if got.location != "" {
			got = maker.get(got.location).is(http.StatusOK)
		}
		text := strings.Join(strings.Fields(got.page.Find("main").Text()), " ")
		for _, want := range c.Says {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q: %s", c.Name, want, text)
			}
		}
		for _, never := range c.Never {
			if strings.Contains(text, never) {
				t.Errorf("%s says %q: %s", c.Name, never, text)
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
	content := strings.NewReplacer(append(pairs, "2026-11-29", time.Now().In(i18n.Zone()).Format(time.DateOnly))...).Replace(readCase(o.t, name))
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
