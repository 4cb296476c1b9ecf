package portal_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/orderform"
)

// erpInfo is the head of a payment information, by scheme.
func erpHead(scheme, typeInfo, more string) string {
	debtor := `<Dbtr><Nm>Muster AG</Nm></Dbtr><DbtrAcct><Id><IBAN>CH5021977000004331346</IBAN></Id></DbtrAcct><DbtrAgt><FinInstnId>` +
		`<ClrSysMmbId><ClrSysId><Cd>CHBCC</Cd></ClrSysId><MmbId>21977</MmbId></ClrSysMmbId></FinInstnId></DbtrAgt>`
	if scheme == "sct" {
		debtor = `<Dbtr><Nm>Muster GmbH</Nm></Dbtr><DbtrAcct><Id><IBAN>DE62007620110623852957</IBAN></Id></DbtrAcct>` +
			`<DbtrAgt><FinInstnId><Othr><Id>NOTPROVIDED</Id></Othr></FinInstnId></DbtrAgt>`
	}
	return "<PmtMtd>TRF</PmtMtd>" + typeInfo + "<ReqdExctnDt><Dt>" + time.Now().In(zurich).Format(time.DateOnly) + "</Dt></ReqdExctnDt>" + debtor + more
}

var zurich = func() *time.Location {
	zone, err := time.LoadLocation("Europe/Zurich")
	if err != nil {
		panic(err)
	}
	return zone
}()

// erpFile writes an order of these payments; the numbers make its ids and amounts its own.
func erpFile(number int, head string, payments []string, sums bool) string {
	var body strings.Builder
	for i, p := range payments {
		body.WriteString(strings.NewReplacer("#ID", fmt.Sprintf("%d-%d", number, i), "#AMT", fmt.Sprintf("%d.%02d", 10+i, number%100)).Replace(p))
	}
	sum := ""
	if sums {
		total := 0
		for i := range payments {
			total += (10+i)*100 + number%100
		}
		sum = fmt.Sprintf("<CtrlSum>%d.%02d</CtrlSum>", total/100, total%100)
	}
	count := fmt.Sprintf("<NbOfTxs>%d</NbOfTxs>", len(payments))
	method, rest, _ := strings.Cut(head, "</PmtMtd>")
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn><GrpHdr><MsgId>ERP` + fmt.Sprint(number) +
		`</MsgId><CreDtTm>2026-11-29T08:00:00</CreDtTm>` + count + sum + `<InitgPty><Nm>Muster AG</Nm></InitgPty></GrpHdr>` + "\n" +
		`<PmtInf><PmtInfId>ERP-INF</PmtInfId>` + method + "</PmtMtd>" + count + sum + rest + body.String() + "</PmtInf></CstmrCdtTrfInitn></Document>"
}

// erpFiles are 40 files as four kinds of programs write them in both schemes: right ones, and ones with a mistake in a payment or in its
// head.
func erpFiles() map[string]struct {
	head     string
	payments []string
} {
	tx := func(iban, creditor, after string) string {
		return `<CdtTrfTxInf><PmtId><InstrId>I#ID</InstrId><EndToEndId>E#ID</EndToEndId></PmtId><Amt><InstdAmt Ccy="` +
			map[bool]string{true: "CHF", false: "EUR"}[strings.HasPrefix(iban, "CH")] + `">#AMT</InstdAmt></Amt><Cdtr><Nm>` + creditor +
			`</Nm><PstlAdr><TwnNm>Bern</TwnNm><Ctry>CH</Ctry></PstlAdr></Cdtr><CdtrAcct><Id><IBAN>` + iban + `</IBAN></Id></CdtrAcct>` + after + "</CdtTrfTxInf>\n"
	}
	instant := map[string]string{
		"sic": "<PmtTpInf><LclInstrm><Cd>INST</Cd></LclInstrm>%s</PmtTpInf>",
		"sct": "<PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl><LclInstrm><Cd>INST</Cd></LclInstrm>%s</PmtTpInf>",
	}
	iban := map[string]string{"sic": "CH4821966000009613388", "sct": "DE89370400440532013000"}
	scor := `<RmtInf><Strd><CdtrRefInf><Tp><CdOrPrtry><Cd>SCOR</Cd></CdOrPrtry>%s</Tp><Ref>RF18539007547034</Ref></CdtrRefInf></Strd></RmtInf>`
	files := map[string]struct {
		head     string
		payments []string
	}{}
	for _, scheme := range []string{"sic", "sct"} {
		to, kind := iban[scheme], instant[scheme]
		plain := fmt.Sprintf(kind, "")
		add := func(name, head string, payments ...string) {
			files[scheme+" "+name] = struct {
				head     string
				payments []string
			}{head, payments}
		}
		h := func(typeInfo, more string) string { return erpHead(scheme, typeInfo, more) }
		add("payroll", h(fmt.Sprintf(kind, "<CtgyPurp><Cd>SALA</Cd></CtgyPurp>"), ""),
			tx(to, "Anna Frei", ""), tx(to, "Beat Frei", ""), tx(to, "Carla Frei", "<Purp><Cd>SALA</Cd></Purp>"))
		add("payroll not instant", h("", ""), tx(to, "Anna Frei", ""), tx(to, "Beat Frei", ""))
		add("payroll with charges of the debtor", h(plain, "<ChrgBr>DEBT</ChrgBr>"), tx(to, "Anna Frei", ""), tx(to, "Beat Frei", ""))
		add("payroll with a code that there is not", h(fmt.Sprintf(kind, "<CtgyPurp><Cd>ZZZZ</Cd></CtgyPurp>"), ""),
			tx(to, "Anna Frei", ""), tx(to, "Beat Frei", ""))
		add("one salary", h(fmt.Sprintf(kind, "<CtgyPurp><Cd>SALA</Cd></CtgyPurp>"), ""), tx(to, "Anna Frei", ""))
		add("suppliers", h(plain, ""), tx(to, "Holz AG", fmt.Sprintf(scor, "")), tx(to, "Stein AG", "<RmtInf><Ustrd>Rechnung 4711</Ustrd></RmtInf>"))
		add("suppliers with an issuer of the reference", h(plain, ""),
			tx(to, "Holz AG", fmt.Sprintf(scor, "<Issr>ISO</Issr>")), tx(to, "Stein AG", fmt.Sprintf(scor, "<Issr>BBA</Issr>")))
		add("suppliers with a wrong reference", h(plain, ""), tx(to, "Holz AG", strings.Replace(fmt.Sprintf(scor, ""), "RF18", "RF19", 1)),
			tx(to, "Stein AG", ""))
		add("suppliers with a wrong account", h(plain, ""), tx(to[:len(to)-1]+"1", "Holz AG", ""), tx(to, "Stein AG", ""))
		add("suppliers with two messages", h(plain, ""), tx(to, "Holz AG", "<RmtInf><Ustrd>a</Ustrd><Ustrd>b</Ustrd></RmtInf>"), tx(to, "Stein AG", ""))
		add("one supplier", h(plain, ""), tx(to, "Holz AG", fmt.Sprintf(scor, "")))
		add("tax with a purpose", h(plain, ""), tx(to, "Steueramt", "<Purp><Cd>TAXS</Cd></Purp>"), tx(to, "Steueramt", "<Purp><Cd>VATX</Cd></Purp>"))
		add("tax with a purpose that there is not", h(plain, ""), tx(to, "Steueramt", "<Purp><Cd>QQQQ</Cd></Purp>"), tx(to, "Steueramt", ""))
		add("tax of an amount with three decimals", h(plain, ""), strings.Replace(tx(to, "Steueramt", ""), "#AMT", "1.234", 1), tx(to, "Steueramt", ""))
		add("tax of no readable amount", h(plain, ""), strings.Replace(tx(to, "Steueramt", ""), "#AMT", "1,50", 1), tx(to, "Steueramt", ""))
		add("insurance for others", h(plain, "<UltmtDbtr><Nm>Ulrika Bach</Nm></UltmtDbtr>"),
			tx(to, "Versicherung AG", "<UltmtCdtr><Nm>Ursula Dorn</Nm></UltmtCdtr>"), tx(to, "Versicherung AG", ""))
		add("insurance with ids", h(plain, ""), strings.Replace(tx(to, "Versicherung AG", ""), "</EndToEndId>",
			"</EndToEndId><UETR>7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10</UETR>", 1), tx(to, "Versicherung AG", ""))
		add("insurance with an element that there is not", h(plain, ""), tx(to, "Versicherung AG", "<Foo>1</Foo>"), tx(to, "Versicherung AG", ""))
		add("insurance without a creditor", h(plain, ""), strings.Replace(tx(to, "X", ""), "<Nm>X</Nm>", "", 1), tx(to, "Versicherung AG", ""))
		add("insurance in another currency", h(plain, ""), strings.NewReplacer(`"CHF"`, `"USD"`, `"EUR"`, `"USD"`).Replace(tx(to, "Versicherung AG", "")),
			tx(to, "Versicherung AG", ""))
	}
	return files
}

// findingsOf returns the findings of each payment of an upload, as element, sentence and code.
func findingsOf(t *testing.T, maker *browser, name, content string) []string {
	t.Helper()
	got := maker.upload(name, []byte(content))
	var list []string
	if got.status == http.StatusUnprocessableEntity {
		for _, row := range got.page.Find("#findings tbody tr").EachIter() {
			pointer := strings.NewReplacer("/PmtInf/1", "/PmtInf/0").Replace(row.Find("td").Eq(1).Text())
			for i := range 9 {
				pointer = strings.Replace(pointer, fmt.Sprintf("/CdtTrfTxInf/%d", i), "/CdtTrfTxInf/0", 1)
			}
			list = append(list, orderform.ElementOf(pointer)+" | "+row.Find("td").Eq(2).Text()+" | "+row.Find(".code").Text())
		}
		return list
	}
	path := got.goesTo("/payments/")
	if !strings.HasPrefix(path, "/payments/batches/") {
		maker.get(path).is(http.StatusOK)
		return nil
	}
	for _, p := range maker.get(path).is(http.StatusOK).page.Find("tr[id^=line-] td:nth-child(3) p:has(.code)").EachIter() {
		element, code := p.Find(".element-path").Text(), p.Find(".code").Text()
		sentence := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(p.Text()), element)), code))
		list = append(list, element+" | "+sentence+" | "+code)
	}
	return list
}

// TestAFileOfManyHasTheFindingsOfEachPaymentAlone compares the outcome of 40 files with that of their payments in files of their own.
func TestAFileOfManyHasTheFindingsOfEachPaymentAlone(t *testing.T) {
	t.Parallel()
	maker := setup(t).as("maker1")
	files := erpFiles()
	if len(files) != 40 {
		t.Fatalf("%d files, want 40", len(files))
	}
	number, refused := 0, 0
	for name, file := range files {
		number += 10
		sums := !strings.Contains(name, " amount") // a sum would be wrong too
		together := findingsOf(t, maker, name+".xml", erpFile(number, file.head, file.payments, sums))
		var alone []string
		for i, p := range file.payments {
			alone = append(alone, findingsOf(t, maker, name+".xml", erpFile(number+1+i, file.head, []string{p}, sums))...)
		}
		slices.Sort(together)
		slices.Sort(alone)
		if got, want := slices.Compact(together), slices.Compact(alone); !slices.Equal(got, want) {
			t.Errorf("%s:\n together %q\n alone    %q", name, got, want)
		}
		if len(alone) > 0 {
			refused++
		}
	}
	if refused < 20 || refused > 32 {
		t.Errorf("%d of 40 files have findings", refused)
	}
}
