package portal_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// rowsOf reads an export in CSV.
func rowsOf(t *testing.T, got answer) [][]string {
	t.Helper()
	got.is(http.StatusOK)
	text, marked := strings.CutPrefix(got.text, "\xef\xbb\xbf")
	if !marked || !strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment") {
		t.Errorf("%s has no byte order mark, or no file name: %q", got.what, got.header)
	}
	table := csv.NewReader(strings.NewReader(text))
	table.Comma = ';'
	rows, err := table.ReadAll()
	if err != nil || len(rows) == 0 {
		t.Fatalf("%s: %v, %v", got.what, rows, err)
	}
	return rows
}

// sheetOf reads the texts of the sheet of a workbook, row by row.
func sheetOf(t *testing.T, got answer) [][]string {
	t.Helper()
	got.is(http.StatusOK)
	archive, err := zip.NewReader(bytes.NewReader([]byte(got.text)), int64(len(got.text)))
	if err != nil {
		t.Fatal(err)
	}
	file, err := archive.Open("xl/worksheets/sheet1.xml")
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	var sheet struct {
		Rows []struct {
			Cells []struct {
				Kind   string `xml:"t,attr"`
				Number string `xml:"v"`
				Text   string `xml:"is>t"`
			} `xml:"c"`
		} `xml:"sheetData>row"`
	}
	err = xml.Unmarshal(content, &sheet)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for _, row := range sheet.Rows {
		var cells []string
		for _, cell := range row.Cells {
			cells = append(cells, cell.Number+cell.Text)
		}
		rows = append(rows, cells)
	}
	return rows
}

// TestListsAreExported: a table holds what its list shows with its filters, on all pages, safe for spreadsheets, and is audited.
func TestListsAreExported(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	maker.submit(with(filled(), "remittanceText", "-2+3 cmd"))
	other := maker.submit(with(filled(), "amount", "77.25", "creditorName", "Zürcher & Söhne"))
	checker := b.as("checker1")
	for _, list := range []string{"/payments", "/queue"} {
		page := checker.get(list + "?text=S%C3%B6hne&tab=all").is(http.StatusOK)
		link := page.page.Find("a:contains('CSV')").AttrOr("href", "")
		rows := rowsOf(t, checker.get(link))
		if len(rows) != 2 || rows[1][5] != other.Summary.CreditorName || rows[1][7] != "77.25" || rows[1][8] != "CHF" {
			t.Errorf("%s exports %q", link, rows)
		}
		sheet := sheetOf(t, checker.get(strings.Replace(link, "csv", "xlsx", 1)))
		if len(sheet) != 2 || sheet[1][5] != other.Summary.CreditorName || sheet[1][7] != "77.25" {
			t.Errorf("%s exports %q", list, sheet)
		}
		all := rowsOf(t, checker.get(list+"/table?format=csv&tab=all"))
		if len(all) != 3 {
			t.Errorf("%s exports %d rows, want 3", list, len(all))
		}
		for _, row := range all {
			for _, cell := range row {
				if strings.HasPrefix(cell, "-") || strings.HasPrefix(cell, "=") {
					t.Errorf("%s has the formula %q", list, cell)
				}
			}
		}
	}
	for _, list := range []string{"/incoming", "/recalls"} {
		if rows := rowsOf(t, checker.get(list+"/table?format=csv")); len(rows) != 1 {
			t.Errorf("%s exports %q", list, rows)
		}
	}
	if n := b.count("SELECT count(*) FROM audit_event WHERE event = 'list.export' AND actor_name = 'Checker 1'"); n != 8 {
		t.Errorf("%d exports are audited, want 8", n)
	}
	b.as("admin1").get("/payments/table").is(http.StatusForbidden)
	b.CheckInvariants(t)
}

// TestATableHasTheDecimalSignOfItsReader: by the language of the pages and the country that the browser names, else Switzerland.
func TestATableHasTheDecimalSignOfItsReader(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.as("maker1").submit(filled())
	for _, reader := range []struct{ page, accept, amount string }{
		{"de", "de-CH,de;q=0.9,en;q=0.8", "1234.50"},
		{"de", "de-DE,de;q=0.9,en;q=0.8", "1234,50"},
		{"de", "en-US,en;q=0.9,de-AT;q=0.8", "1234,50"},
		{"de", "de,en-US;q=0.7", "1234.50"},
		{"fr", "de-CH", "1234,50"},
		{"fr", "fr-FR", "1234,50"},
		{"it", "", "1234.50"},
		{"it", "it-IT", "1234,50"},
		{"en", "de-DE", "1234.50"},
		{"en", "%%", "1234.50"},
	} {
		checker := b.as("checker1")
		checker.post("/me", url.Values{"theme": {"auto"}, "density": {"default"}, "language": {reader.page}}).goesTo("/me")
		checker.header.Set("Accept-Language", reader.accept)
		rows := rowsOf(t, checker.get("/payments/table?format=csv"))
		if rows[1][7] != reader.amount {
			t.Errorf("pages in %s, browser %q: the amount is %q, want %q", reader.page, reader.accept, rows[1][7], reader.amount)
		}
		if sheet := sheetOf(t, checker.get("/payments/table?format=xlsx")); sheet[1][7] != "1234.50" {
			t.Errorf("the workbook has %q", sheet[1][7])
		}
	}
}

// TestThePageForPrintHoldsTheWholeRecord: decisions, digest, timeline, documents and audit trail stand on one page.
func TestThePageForPrintHoldsTheWholeRecord(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	m := o.settled(filled())
	page := o.as("supervisor1").get("/payments/" + m.InternalID.String() + "/print").is(http.StatusOK).says("Print or save as PDF")
	page.says(hash(m)).says("Checker 1").says("Settled").says("Payment: Approved").says("pacs.008.001.08").says("Printed by supervisor1, " +
		"realm demo")
	decided := page.page.Find(".parts section:contains('Decisions') dl").Text()
	if !strings.Contains(decided, "Checker 1, checker1") || !strings.Contains(decided, hash(m)) || page.page.Find(".timeline").Length() != 1 {
		t.Errorf("the decisions are %q beside %d timelines", decided, page.page.Find(".timeline").Length())
	}
}

// TestAnExportGoesBeyondItsPages reads a list that is longer than what an export reads at a time.
func TestAnExportGoesBeyondItsPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	for _, amount := range []string{"10.00", "11.00", "12.00"} {
		maker.submit(with(filled(), "amount", amount))
	}
	b.planted(1200)
	if rows := rowsOf(t, b.as("checker1").get("/payments/table")); len(rows) != 1204 {
		t.Errorf("%d rows are exported, want 1204", len(rows))
	}
	if rows := sheetOf(t, b.as("both1").get("/queue/table?format=xlsx&tab=all")); len(rows) != 1204 {
		t.Errorf("%d rows of the queue are exported, want 1204", len(rows))
	}
}

// planted adds so many rows like those of a message, which nobody made: they are withheld.
func (b *bench) planted(count int) {
	b.t.Helper()
	b.change(`SET session_replication_role = replica;
		INSERT INTO message SELECT realm, gen_random_uuid(), lpad(translate(upper(to_hex(n)), '', ''), 16, '0'), kind, scheme, direction, channel,
		client_id, NULL, maker_user, maker_person, policy_id, approvals_required, expires_at, original_id, answers_id, answer_by, deadline, reason,
		created_at, version, approvals, state, state_sequence, state_since, accepted_at, delivered_at, settled_at, status_code, status_text,
		inquiries, inquire_at, listed_amount FROM (SELECT * FROM message LIMIT 1) m, generate_series(1, ` + strconv.Itoa(count) + `) n;
		INSERT INTO message_version SELECT v.realm, m.message_id, v.version, v.document_id, v.content_hash, v.maker_user, v.maker_person, v.makers,
		v.previous_version, v.previous_makers, v.first_maker, v.approvals_required, v.created_at, v.amount, v.currency, v.instruction_id,
		v.end_to_end_id, v.transaction_id, v.uetr, v.debtor_name, v.debtor_account, v.debtor_agent, v.creditor_name, v.creditor_account,
		v.creditor_agent, v.remittance, v.key_id, v.seal, v.ordered_debtor_name, v.maker_role, v.maker_grant_id, v.maker_granted_at, v.clients,
		v.payee_result, v.payee_name, v.payee_at, v.words
		FROM (SELECT * FROM message_version LIMIT 1) v, message m WHERE NOT EXISTS (SELECT FROM message_version w WHERE w.message_id = m.message_id)`)
}
