package portal_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/PuerkitoBio/goquery"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/testutil"
	"countersign/views/ui"
)

// searches is what is typed, and the letters of the payments it finds; "?" before them when it may find others too.
var searches = []struct{ typed, finds string }{
	{"CHF 1'918.05", "a"},
	{"1'918.05", "a"},
	{"1918.05", "a"},
	{"1918,05", "a"},
	{"1’918.05", "a"},
	{"1 918.05", "a"},
	{"1918.05 CHF", "a"},
	{"chf1918.05", "a"},
	{"1918", "a"},
	{"1'918", "a"},
	{"EUR 1'918.05", ""},
	{"EUR 751.10", "c"},
	{"1200.00", "d"},
	{"1200", "d"},
	{"18669", "b"},
	{"…613388", "abd"},
	{"613388", "abd"},
	{"1338 8", "abd"},
	{"CH48 2196 6000 0096 1338 8", "abd"},
	{"ch4821966000009613388", "abd"},
	{"DE89 3704 0044 0532 0130 00", "c"},
	{"013000", "c"},
	{"elektrizitatswerk", "a"},
	{"ELEKTRIZITÄTSWERK", "a"},
	{"Elektrizitaetswerk", "a"},
	{"Stadt  Zürich", "a"},
	{"zuerich", "a"},
	{"Societe Generale", "b"},
	{"d’Horlogerie", "b"},
	{"backerei grossmann", "d"},
	{"muller", "c"},
	{"Invoice 4711", "a"},
	{"lieferung", "b"},
	{"maker2", "b"},
	{"Maker 2", "b"},
	{"2026-118", "b"},
	{"SEPA", "c"},
	{"Waiting for approval", "abcd"},
	{"Muster GmbH", "c"},
	{"Zürich Elektrizitätswerk", "a"},
	{"grossmann Bäckerei", "d"},
	{"4711 invoice", "a"},
	{"Zuerich 4711", "a"},
	{"Generale Lieferung", "b"},
	{"Generale Honorar", ""},
	{"Wartet auf Freigabe", "abcd"},
	{"en attente de validation", "abcd"},
	{"In attesa di autorizzazione", "abcd"},
	{"Zürich 1918", "a"},
	{"1'918.05 elektrizitaetswerk", "a"},
	{"Elektrizitätswerk CHF 1'918.05", "a"},
	{"Generale 1918", ""},
	{"Zürich EUR 1918", ""},
	{"today", "abcd"},
	{"Heute", "abcd"},
	{"hier", ""},
	{"%", ""},
	{"_", ""},
}

// TestSearchTakesWhatTheScreenPrints: whatever a list or a payment shows can be looked for as it is shown, in the queue and in the list of
// all payments alike.
func TestSearchTakesWhatTheScreenPrints(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	b := setup(t)
	maker, zone := b.as("maker1"), b.config.Zone
	m := map[string]payment.Message{
		"a": maker.submit(
			with(filled(), "creditorName", "Elektrizitätswerk der Stadt Zürich", "amount", "1'918.05", "remittanceText", "Invoice 4711, Rate 2"),
		),
		"b": b.as("maker2").submit(
			with(filled(), "creditorName", "Société Générale d'Horlogerie SA", "amount", "18669.05", "endToEndId", "INVOICE-2026-118",
				"remittanceText", "Lieferung Maerz"),
		),
		"c": maker.submit(with(
			filled(), "scheme", "sct-inst", "debtorAccount", "DE62007620110623852957", "creditorIban", "DE89370400440532013000", "creditorName",
			"Muller Sohne", "street", "Ring", "town", "Koeln", "postcode", "50667", "country", "DE", "remittanceText", "Honorar", "amount", "751.10",
			"endToEndId", "E2E-3",
		)),
		"d": maker.submit(
			with(filled(), "creditorName", "Bäckerei  Großmann", "amount", "1200", "remittanceText", "Znueni", "endToEndId", "E2E-4"),
		),
	}
	today, reference := time.Now().In(zone), string(m["a"].GlobalID)
	table := append(slices.Clone(searches), []struct{ typed, finds string }{
		{today.Format("02.01.2006"), "abcd"},
		{today.Format(time.DateOnly), "abcd"},
		{today.Format("2.1."), "abcd"},
		{today.AddDate(0, 0, -1).Format("02.01.2006"), ""},
		{string(m["c"].GlobalID)[3:], "?c"},
		{m["b"].InternalID.String()[20:], "?b"},
		{today.Format("15:04"), "?"},
		{ui.DateTime(m["a"].CreatedAt), "?a"},
		{ui.ClockTime(m["a"].CreatedAt), "?a"},
		{m["a"].CreatedAt.In(zone).Format("02.01.2006 15:04"), "?a"},
		{ui.DateTime(m["a"].CreatedAt.Add(-time.Hour)), ""},
		{"by maker2", "b"},
		{"von Maker 2", "b"},
		{"par maker2", "b"},
		{reference[3:12], "?a"},
		{reference[:8], "?a"},
		{strings.ToLower(reference[2:11]), "?a"},
	}...)
	checker := b.as("checker1")
	for _, row := range table {
		wanted, atLeast := strings.CutPrefix(row.finds, "?")
		for _, list := range []string{"/queue", "/payments"} {
			got := checker.get(list + "?text=" + url.QueryEscape(row.typed)).is(http.StatusOK)
			is := found(got, m)
			byChance := func(letter rune) bool {
				return !strings.ContainsRune(wanted, letter) && names(m[string(letter)], row.typed)
			}
			exactly := strings.Map(func(letter rune) rune {
				if byChance(letter) {
					return -1
				}
				return letter
			}, is)
			if exactly != wanted && (!atLeast || !strings.Contains(is, wanted)) {
				t.Errorf("%s: %q finds %q, want %q", list, row.typed, is, row.finds)
			}
		}
	}
	for _, typed := range []string{reference, m["a"].InternalID.String(), strings.ToUpper(m["a"].InternalID.String()), " " + reference + " "} {
		checker.get("/payments?text=" + url.QueryEscape(typed)).goesTo("/payments/" + m["a"].InternalID.String())
	}
	for typed, letter := range map[string]string{"INVOICE-2026-118": "b", "E2E-3": "c"} {
		checker.get("/payments?text=" + url.QueryEscape(typed)).goesTo("/payments/" + m[letter].InternalID.String())
	}
	if len(table) < 40 {
		t.Errorf("%d searches", len(table))
	}
}

// names reports whether a text is a part of an identifier of a message: those are drawn, and may have any few digits in them.
func names(m payment.Message, text string) bool {
	about := m.Summary
	ids := []string{m.InternalID.String(), string(m.GlobalID), about.UETR, about.TransactionID, about.InstructionID, about.EndToEndID}
	plain := func(text string) string {
		return strings.Map(func(letter rune) rune {
			if !unicode.IsLetter(letter) && !unicode.IsDigit(letter) {
				return -1
			}
			return unicode.ToLower(letter)
		}, text)
	}
	part := plain(text)
	return part != "" && slices.ContainsFunc(ids, func(id string) bool { return strings.Contains(plain(id), part) })
}

// markSearches is what lists print of recalls and returns and beside a state, and the letters of what it finds.
var markSearches = []struct{ typed, finds string }{
	{"Recalled", "a"},
	{"Zurückgerufen", "a"},
	{"Recall refused", "Bb"},
	{"recall in progress", "c"},
	{"Rückruf läuft", "c"},
	{"Returned", "i"},
	{"Return in progress", ""},
	{"Payment sent twice by mistake (DUPL)", "AC"},
	{"Payment sent twice by mistake", "ACc"},
	{"Zahlung irrtümlich doppelt gesendet (DUPL)", "AC"},
	{"Sent by mistake (FRAD)", ""},
	{"DUPL", "AC"},
	{"recall of a payment to Petra Muster", "Aa"},
	{"zurückgerufen von Petra Muster", "Aa"},
	{"rappel d'un paiement en faveur de Petra Muster", "Aa"},
	{"richiamo del pagamento a Petra Muster", "Aa"},
	{"money goes back to Anna Beispiel", "Ii"},
	{"from Anna Beispiel", "Ii"},
	{"to Petra Muster", "Aa"},
	{"an Petra Muster", "Aa"},
	{"à Petra Muster", "Aa"},
	{"a Petra Muster", "Aa"},
	{"to …331346", "Ii"},
	{"to ...331346", "Ii"},
}

// TestSearchTakesWhatTheScreenPrintsOfRecallsAndReturns: the badge beside a state, the reason of a recall, and the words before a name.
func TestSearchTakesWhatTheScreenPrintsOfRecallsAndReturns(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	m := map[string]payment.Message{}
	recall := func(name, creditor, remittance, amount, reason string) (sent, asked iso20022.Document) {
		m[name] = o.settled(with(sepa(), "creditorName", creditor, "remittanceText", remittance, "amount", amount, "endToEndId", "E2E-"+name))
		sent = o.lastSent("pacs.008")
		asking := o.as("maker1").requests("/payments/"+m[name].InternalID.String()+"/recall", "reason", reason)
		m[strings.ToUpper(name)] = o.approve(asking)
		return sent, o.lastSent("camt.056")
	}
	const bank = "BBBBFRPPXXX"
	sent, _ := recall("a", "Petra Muster", "Rechnung 1", "101.10", "DUPL")
	back, err := interbank.Return(interbank.RTransactionInput{
		Request: rulebook.Request{Reason: "FOCR"}, Scheme: rulebook.SchemeSCT,
		Original: sent.(*iso20022.FIToFICustomerCreditTransfer), Bank: bank, MessageID: "RET1", ID: "RET1", At: time.Now(), Day: time.Now(),
	})
	o.receive(rulebook.SchemeSCT, "RET1", back, err)
	_, asked := recall("b", "Hans Beispiel", "Rechnung 2", "202.20", "TECH")
	no, err := interbank.Resolution(interbank.RTransactionInput{
		Request: rulebook.Request{Reason: "NOAS"}, Scheme: rulebook.SchemeSCT,
		Recall: asked.(*iso20022.FIToFIPaymentCancellationRequest), Bank: bank, MessageID: "NO1", ID: "NO1", At: time.Now(),
	})
	o.receive(rulebook.SchemeSCT, "NO1", no, err)
	recall("c", "Karl Exemple", "payment sent twice by mistake", "303.30", "DUPL")
	m["i"], _ = o.arrived(rulebook.SchemeSIC, "TX1")
	m["I"] = o.approve(o.as("maker1").requests("/payments/"+m["i"].InternalID.String()+"/return", "reason", "AC04"))
	report, err := interbank.StatusReport(interbank.StatusReportInput{
		Scheme: rulebook.SchemeSIC, About: o.lastSent("pacs.004"), Reference: "STI", StatusID: "S1", At: time.Now(),
	})
	o.receive(rulebook.SchemeSIC, "STI", report, err)
	reader := o.as("supervisor1")
	for _, row := range markSearches {
		got := reader.get("/payments?text=" + url.QueryEscape(row.typed)).is(http.StatusOK)
		if is := found(got, m); is != row.finds {
			t.Errorf("%q finds %q, want %q: %s", row.typed, is, row.finds, got.main())
		}
	}
}

// found are the names of the messages that a list shows, in the order of the names.
func found(list answer, messages map[string]payment.Message) string {
	var names []string
	list.page.Find("tr[data-row]").Each(func(_ int, tr *goquery.Selection) {
		for name, message := range messages {
			if message.InternalID.String() == tr.AttrOr("data-row", "") {
				names = append(names, name)
			}
		}
	})
	slices.Sort(names)
	return strings.Join(names, "")
}
