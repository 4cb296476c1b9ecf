package portal_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"countersign/internal/orderform"
)

// table is a CSV file of payments like filled(), with other amounts; change alters its lines.
func table(lines int) []string {
	rows := []string{orderform.TableHead()}
	for i := range lines {
		rows = append(rows, fmt.Sprintf("CH5021977000004331346;Beispiel Holzbau GmbH;CH48 0900 0000 8700 1234 %d;Seestrasse;41;8002;"+
			"Zürich;CH;CHF;%d.50;;Rechnung %d;", i, i+100, i))
	}
	return rows
}

// TestAFileThatWasUploadedBeforeSaysSo on the page before its submission, to everybody in the realm.
func TestAFileThatWasUploadedBeforeSaysSo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second := b.as("maker1"), b.as("maker2")
	rows := table(2)
	for i := range rows[1:] {
		cells := strings.Split(rows[i+1], ";")
		cells[2] = filled().Get("creditorIban")
		rows[i+1] = strings.Join(cells, ";")
	}
	many, single := []byte(strings.Join(rows, "\r\n")), sample(t, "sic-inst_01_pain.001.001.09.xml")
	const said = "This file was already uploaded"
	for name, content := range map[string][]byte{"many.csv": many, "one.xml": single} {
		path := first.upload(name, content).goesTo("/payments/")
		page := first.get(path).is(http.StatusOK)
		if strings.Contains(page.main(), said) {
			t.Errorf("%s: the first upload: %s", name, page.main())
		}
		again := second.upload(name, content).goesTo("/payments/")
		second.get(again).is(http.StatusOK).says("by Maker 1, and 0 of its payments were submitted.")
		action := strings.TrimSuffix(path, "/check") + "/submit"
		first.post(action, page.fields(action)).is(http.StatusSeeOther)
		want := "by Maker 1, and 2 of its payments were submitted."
		if name == "one.xml" {
			want = "by Maker 1, and 1 of its payments was submitted."
		}
		second.get(again).is(http.StatusOK).says(said).says(want)
		third := second.upload("other-"+name, content).goesTo("/payments/")
		second.get(third).is(http.StatusOK).says(want)
		other := b.asIn("demo2", "maker1")
		elsewhere := other.upload(name, content)
		if elsewhere.location != "" {
			elsewhere = other.get(elsewhere.location)
		}
		if strings.Contains(elsewhere.main(), said) {
			t.Errorf("%s: in another realm: %s", name, elsewhere.main())
		}
	}
}

func TestAFileOfManyPaymentsIsMendedAndSubmitted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	begun := time.Now()
	b.config.Now = func() time.Time { return begun.Add(time.Since(begun) / 100) } // a part ends by its number, on slow machines too
	b.serve()
	maker := b.as("maker1")
	iban := filled().Get("creditorIban")
	rows := table(25)
	for i := range rows[1:] {
		cells := strings.Split(rows[i+1], ";")
		cells[2] = iban
		rows[i+1] = strings.Join(cells, ";")
	}
	rows[3] = strings.Replace(rows[3], "102.50", "10,2,5", 1) // line 4 of the file, whose first one names the columns
	rows[5] = strings.Replace(rows[5], "104.50", "101.50", 1) // pays like line 3
	path := maker.upload("Lohn.csv", []byte("\xef\xbb\xbf"+strings.Join(rows, "\r\n"))).goesTo("/payments/batches/")
	for _, w := range []*browser{b.as("maker2"), b.asIn("demo2", "maker1")} {
		w.get(path).is(http.StatusNotFound)
		w.post(path+"/submit", url.Values{}).is(http.StatusNotFound)
	}
	b.as("checker1").get(path).is(http.StatusForbidden)
	list := maker.get(path).is(http.StatusOK).says("0 of 25 payments submitted").says("24 payments (CHF 2'707.00) are ready.")
	if ready := list.page.Find("tbody tr:contains('First payment')").Length(); ready != 24 {
		t.Errorf("%d lines say that the account was not paid before, want the 24 ready ones", ready)
	}
	if first := list.page.Find("tbody tr").First().AttrOr("id", ""); first != "line-4" {
		t.Errorf("the list begins with %s, want the line that needs correction", first)
	}
	if open := list.page.Find("tbody tr:has(.summary) " +
		"details[open]").Length(); open != 0 || list.page.Find("tbody details .summary").Length() != 24 {
		t.Errorf("%d of the ready lines are unfolded", open)
	}
	if n := b.count("SELECT count(*) FROM message"); n != 0 {
		t.Fatalf("%d messages before anybody submitted", n)
	}
	maker.get("/mine?tab=drafts").says("Lohn.csv")
	maker.get("/payments/new").says("Continue a draft (1)")
	maker.withHTMX().post("/payments/keep", with(filled(), "creditorName", "Begun after the file")).is(http.StatusOK)
	if rows := maker.get("/mine?tab=drafts").page.Find("tr[data-row]"); !strings.Contains(rows.First().Text(), "Begun after the file") {
		t.Errorf("the draft changed last is not the first of %d", rows.Length())
	}

	part := maker.post(path+"/submit", list.fields(path+"/submit")).goesTo(path)
	if !strings.Contains(part, "from=22") {
		t.Errorf("the first part ends at %s", part)
	}
	going := maker.get(part).is(http.StatusOK).says("18 of 25 payments submitted").says("Continue submitting")
	if going.page.Find("form[data-go-on]").Length() != 1 {
		t.Error("no script goes on")
	}
	if maker.get(part).is(http.StatusOK).says("Continue submitting").page.Find("form[data-go-on]").Length() != 0 {
		t.Error("the page submits what nobody sent when it is loaded again")
	}
	maker.post(path+"/submit", list.fields(path+"/submit")).goesTo(path) // the first part, sent again
	maker.get(maker.post(path+"/submit", going.fields(path+"/submit")).goesTo(path)).says("23 of 25 payments submitted").
		says("Explain why this payment is also needed")
	if n := b.count("SELECT count(*) FROM message"); n != 23 {
		t.Errorf("%d messages, want 23", n)
	}

	list = maker.get(path)
	mend := list.page.Find("#line-4 a").AttrOr("href", "")
	line := maker.get(mend).is(http.StatusOK).says("Correct line 4 of Lohn.csv").says("Check the line and go back to the file")
	if strings.Contains(line.main(), "Use a template") || line.page.Find("main a[href='"+path+"']").Length() != 1 {
		t.Errorf("the form of a line is headed %s", line.main())
	}
	form := with(line.fields(mend), "amount", "102.50", "act", "check")
	maker.post(mend, with(form, "amount", "1,0,2")).is(http.StatusUnprocessableEntity).says("Correct line 4 of Lohn.csv")
	maker.post(mend, form).goesTo(path)
	maker.get(maker.post(path+"/submit", maker.get(path).fields(path+"/submit")).goesTo(path)).says("24 of 25 payments submitted")
	another := maker.post(mend, with(form, "amount", "102.60")).goesTo("/payments/") // in another tab, that was opened before
	maker.get(another).says("already been submitted. This form contains a different payment")
	check := maker.get(path).page.Find("#line-6 a").AttrOr("href", "")
	maker.post(strings.TrimSuffix(check, "check")+"submit",
		maker.shown(check, "duplicateAcknowledged", "yes", "duplicateReason", "Two invoices")).goesTo("/payments/")
	maker.get(path).says("25 of 25 payments submitted")
	if n := b.count("SELECT count(DISTINCT message_id) FROM message"); n != 25 {
		t.Errorf("%d messages, want 25", n)
	}
}

// TestTheSampleTableIsReady: it pays from an account of the realm, so that it can be submitted as it is.
func TestTheSampleTableIsReady(t *testing.T) {
	t.Parallel()
	maker := setup(t).as("maker1")
	page := maker.get("/payments/upload").is(http.StatusOK)
	content, err := url.PathUnescape(strings.TrimPrefix(page.page.Find("a[download]").AttrOr("href", ""), "data:text/csv;charset=utf-8,"))
	if err != nil || page.page.Find("td[data-head=Example]").First().Text() == "" {
		t.Fatalf("%q, %v", content, err)
	}
	maker.get(maker.upload("countersign.csv", []byte(content)).goesTo("/payments/batches/")).is(http.StatusOK).
		says("1 payment (CHF 1'234.50) is ready.")
}

func TestAFileOfManyPaymentsIsRefusedByLine(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	head := orderform.TableHead()
	for want, content := range map[string]string{
		"rename the column \"colour\"":          head + ";colour\n",
		"add one line for each payment":         head + "\n",
		"The file you sent has 1'001":           strings.Join(table(1001), "\n"),
		"13 columns":                            head + "\na;b\n",
		"at most 1'000 bytes":                   "creditorIban;message\nCH93;" + strings.Repeat("x", 1001) + "\n",
		"at most 100 columns":                   "creditorIban;message\nCH93;\"; ;\"" + strings.Repeat(";", 99) + "\n",
		"quotation marks":                       "creditorIban;message\nCH93;\"open\n",
		"Send the payment order as an XML file": "Dear Sir, please pay:\nA; 1\n",
		"Add the column creditorIban":           "creditorName;amount\nA;1\n",
		"reference, message, endToEndId.":       "foo;bar\n1;2\n",
		"Save the table in UTF-8":               "creditorName;creditorIban\nM\xfcller;CH93\nMüller;CH93\n",
	} {
		maker.upload("Lohn.csv", []byte(content)).is(http.StatusUnprocessableEntity).says(want)
	}
	mixed := maker.upload("Lohn.csv", []byte("Empfänger;Betrag\nM\xfcller;1\n")).is(http.StatusUnprocessableEntity)
	if mixed.says("Save the table in UTF-8"); mixed.page.Find(".visually-hidden:contains(unknown)").Length() != 0 {
		t.Errorf("a table in two encodings is refused of no line: %s", mixed.main())
	}
	order := string(sample(t, "sic-inst_01_pain.001.001.09.xml"))
	begin, end := strings.Index(order, "<CdtTrfTxInf>"), strings.Index(order, "</CdtTrfTxInf>")+len("</CdtTrfTxInf>")
	two := order[:end] + order[begin:]
	two = regexp.MustCompile(`<UETR>.*</UETR>`).ReplaceAllString(two, "")
	maker.upload("two.xml", []byte(two)).is(http.StatusUnprocessableEntity).says("the file says 1 but contains 2 payments")
	two = strings.Replace(two, "<NbOfTxs>1</NbOfTxs>", "<NbOfTxs>2</NbOfTxs>", 1)
	maker.upload("two.xml", []byte(two)).is(http.StatusUnprocessableEntity).says("the file says 199.95, but the payments add up to 399.9")
	two = strings.Replace(two, "<CtrlSum>199.95</CtrlSum>", "<CtrlSum>399.90</CtrlSum>", 1)
	maker.upload("two.xml", []byte(two)).is(http.StatusUnprocessableEntity).says("/PmtInf/0/NbOfTxs").says("/PmtInf/0/CtrlSum")
	two = strings.Replace(two, "<NbOfTxs>1</NbOfTxs>", "<NbOfTxs>2</NbOfTxs>", 1)
	two = strings.Replace(two, "<CtrlSum>199.95</CtrlSum>", "<CtrlSum>399.90</CtrlSum>", 1)
	path := maker.upload("two.xml", []byte(two)).goesTo("/payments/batches/")
	maker.get(path).is(http.StatusOK).says("0 of 2 payments submitted")
	other := strings.Replace(two, "<Cdtr>", "<UltmtDbtr><Nm>Muster AG</Nm></UltmtDbtr><Cdtr>", 1)
	path = maker.upload("two.xml", []byte(other)).goesTo("/payments/batches/")
	maker.get(path).is(http.StatusOK).says("2 payments (CHF 399.90) are ready.")
	if n := b.count("SELECT count(*) FROM draft"); n != 4 {
		t.Errorf("%d drafts, want 4", n)
	}
}

// TestATableOfASpreadsheetIsRead: a table in Windows-1252 with German headings becomes drafts with the names that it shows, and the sample
// of the page is a table that is taken.
func TestATableOfASpreadsheetIsRead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	latin := "Empf\xe4nger;IBAN;Strasse;PLZ;Ort;W\xe4hrung;Betrag\r\nB\xe4ckerei M\xfcller \x96 " +
		"S\xf6hne;CH5604835012345678009;Weg;8001;Z\xfcrich;CHF;12.50\r\n"
	path := maker.upload("Lohn.csv", []byte(latin)).goesTo("/payments/batches/")
	maker.get(path).is(http.StatusOK).says("read as Windows-1252").says("Bäckerei Müller").says("12.50")

	link, _ := maker.get("/payments/upload").is(http.StatusOK).page.Find("a[download]").Attr("href")
	sample, err := url.PathUnescape(strings.TrimPrefix(link, "data:text/csv;charset=utf-8,"))
	if err != nil {
		t.Fatal(err)
	}
	path = maker.upload("sample.csv", []byte(sample)).goesTo("/payments/batches/")
	maker.get(path).is(http.StatusOK).says("Muster AG").says("1'234.50")
}

// TestAFileOfStrangeNamesSaysWhatToMend: what can be written plainly is, and the page shows it before anybody submits; of the rest each
// line says which answer it is about, in the language of the page, and by its number what nobody sees.
func TestAFileOfStrangeNamesSaysWhatToMend(t *testing.T) {
	t.Parallel()
	maker := setup(t).as("maker1")
	maker.header.Set("Accept-Language", "de-CH")
	rows := []string{orderform.TableHead()}
	for line, name := range []string{"<b>A</b>", "Mu\u0308ller \u202eGA", "one\ntwo", "\u682a\u5f0f", "a\u0007b", "No amount"} {
		amount := "100.40"
		if name == "No amount" {
			amount = ""
		}
		rows = append(rows, fmt.Sprintf("CH5021977000004331346;\"%s\";CH4821966000009613388;Seestrasse;41;8002;Zürich;CH;CHF;%s;;Rechnung %d;",
			name, amount, line))
	}
	list := maker.get(maker.upload("Löhne.csv", []byte(strings.Join(rows, "\n"))).goesTo("/payments/batches/")).is(http.StatusOK)
	for line, want := range []string{
		"<b>A</b>", "Müller GA", "one two",
		`Name des Empfängers Ersetzen Sie "株" (Zeichen 1). Verwenden Sie nur lateinische Buchstaben, Ziffern und Symbole.`,
		"Entfernen Sie das Zeichen U+0007", "Betrag Geben Sie den Betrag ein. CH21",
	} {
		number := []int{2, 3, 4, 6, 7, 8}[line] // one name has two lines
		got := strings.Join(strings.Fields(list.page.Find(fmt.Sprintf("#line-%d", number)).Text()), " ")
		if state := strings.HasSuffix(got, "Bereit"); !strings.Contains(got, want) || state != (line < 3) {
			t.Errorf("line %d reads %q, want %q in it", line+1, got, want)
		}
	}
	if was := list.page.Find("#line-3 del").First().Text(); was != "Mu\u0308ller ⟨U+202E⟩GA" {
		t.Errorf("line 2 was %q", was)
	}
	if strings.Contains(list.text, "<b>A") {
		t.Error("a name is taken for HTML")
	}
}

// TestALineOfAnotherAccountIsPaidFromNoneByItself: the account that stands first in the list was chosen by nobody.
func TestALineOfAnotherAccountIsPaidFromNoneByItself(t *testing.T) {
	t.Parallel()
	maker := setup(t).as("maker1")
	rows := table(3)
	for i := range rows[1:] {
		rows[i+1] = strings.Replace(rows[i+1], fmt.Sprintf("CH48 0900 0000 8700 1234 %d", i), filled().Get("creditorIban"), 1)
	}
	rows[1] = strings.Replace(rows[1], "CH5021977000004331346", "CH9300762011623852957", 1)
	rows[2] = strings.Replace(rows[2], "CH5021977000004331346", "", 1)
	rows[3] = strings.Replace(rows[3], "Rechnung 2", strings.Repeat("m", 141), 1)
	path := maker.upload("Lohn.csv", []byte(strings.Join(rows, "\n"))).goesTo("/payments/batches/")
	list := maker.get(path).is(http.StatusOK).says("Message Enter at most 140 characters instead of 141. CH16")
	for line, want := range map[string]string{
		"#line-2": "Choose one of your own accounts to debit. The account you chose is not registered in your realm.",
		"#line-3": "Choose one of your own accounts to debit.",
	} {
		row := list.page.Find(line)
		if !strings.Contains(row.Text(), want) {
			t.Errorf("%s says %q", line, strings.Join(strings.Fields(row.Text()), " "))
		}
		mend := row.Find("a").AttrOr("href", "")
		form := maker.get(mend).is(http.StatusOK)
		if said := form.page.Find("#debtorAccount-error").Text(); !strings.Contains(said, want) {
			t.Errorf("the form of %s says %q", line, said)
		}
		maker.post(mend, with(form.fields(mend), "act", "check")).is(http.StatusUnprocessableEntity)
		maker.post(mend, with(form.fields(mend), "act", "check", "debtorAccount", filled().Get("debtorAccount"))).goesTo(path)
		maker.get(path).says("Line " + strings.TrimPrefix(line, "#line-") + " corrected")
	}
}

// TestALineInAnotherCurrencyIsMendedInPlace: it refuses no other line, and never becomes an amount of francs by itself. A line has the
// number that it has in the file, as the refusal of a whole file counts.
func TestALineInAnotherCurrencyIsMendedInPlace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	iban := filled().Get("creditorIban")
	rows := []string{orderform.TableHead()}
	for i, currency := range []string{"CHF", "USD", "chf"} {
		rows = append(rows, fmt.Sprintf("CH5021977000004331346;Beispiel Holzbau GmbH;%s;Seestrasse;41;8002;Zürich;CH;%s;%d.50;;Rechnung %d;",
			iban, currency, i+100, i))
	}
	path := maker.upload("Lohn.csv", []byte(strings.Join(rows, "\n"))).goesTo("/payments/batches/")
	list := maker.get(path).is(http.StatusOK).says("2 payments (CHF 203.00) are ready.")
	line := strings.Join(strings.Fields(list.page.Find("#line-3").Text()), " ")
	if !strings.Contains(line, "GmbHUSD 101.50 ") || !strings.Contains(line, "Amount Enter CHF for SIC instant payments") {
		t.Errorf("line 3 of the file reads %q", line)
	}
	mend := list.page.Find("#line-3 a").AttrOr("href", "")
	form := maker.get(mend).is(http.StatusOK).fields(mend)
	if form.Get("amount") != "USD 101.50" {
		t.Errorf("the form says %q", form.Get("amount"))
	}
	if said := maker.get(mend).page.Find("#amount-error").Text(); !strings.Contains(said, "Enter CHF for SIC instant payments") {
		t.Errorf("the form that is opened to mend it says %q", said)
	}
	form.Set("act", "check")
	maker.post(mend, form).is(http.StatusUnprocessableEntity).says("AM03")
	form.Set("amount", "95.20")
	maker.post(mend, form).goesTo(path)
	maker.get(path).says("3 payments (CHF 298.20) are ready.")
	maker.upload("Lohn.csv", []byte(strings.Join(append(rows, "a;b"), "\n"))).is(http.StatusUnprocessableEntity).says("13 columns").says("5")
}
