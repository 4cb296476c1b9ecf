package portal_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// flight is the panel of a payment under way, and what it asks.
func (a answer) flight() (panel *goquery.Selection, asks string) {
	a.t.Helper()
	panel = a.page.Find("#payment .flight")
	if panel.Length() != 1 {
		a.t.Fatalf("%s shows %d clocks", a.what, panel.Length())
	}
	return panel, panel.AttrOr("hx-get", "")
}

// approved is a payment of maker1 that checker1 has approved.
func (b *bench) approved() (path string) {
	b.t.Helper()
	m := b.as("maker1").submit(filled())
	checker, queue := b.as("checker1"), "/queue/"+m.InternalID.String()
	checker.post(queue+"/approve", checker.get(queue).fields(queue+"/approve")).goesTo("/queue")
	return "/payments/" + m.InternalID.String()
}

// TestAPageOfAPaymentUnderWayAsksLittle: once a second, answered with nothing while it shows what is true, and else with what is new alone.
func TestAPageOfAPaymentUnderWayAsksLittle(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, maker := b.approved(), b.as("maker1")
	asked := maker.withHTMX()
	panel, asks := maker.get(path).is(http.StatusOK).flight()
	if !strings.HasPrefix(asks, path+"/flight?seen=") || panel.AttrOr("hx-trigger", "") != "every 1s" {
		t.Fatalf("it asks %q %s", asks, panel.AttrOr("hx-trigger", ""))
	}
	for range 2 {
		if same := asked.get(asks).is(http.StatusNoContent); same.text != "" || same.header.Get("Set-Cookie") != "" {
			t.Errorf("nothing new is answered by %q, cookie %q", same.text, same.header.Get("Set-Cookie"))
		}
	}
	for _, change := range []string{
		"delivered_at = now()", "inquiries = inquiries + 1", "accepted_at = accepted_at - interval '1 minute'",
	} {
		b.change("SET session_replication_role = replica; UPDATE message SET " + change)
		news := asked.get(asks).is(http.StatusOK)
		if news.page.Find("main, nav.primary, #shortcut-sheet").Length() != 0 || news.page.Find("#payment").Length() != 1 {
			t.Errorf("after %s the whole page comes", change)
		}
		panel, asks = news.flight()
		asked.get(asks).is(http.StatusNoContent)
	}
	if panel.AttrOr("hx-trigger", "") != "every 5s" {
		t.Errorf("a late answer is asked for %s", panel.AttrOr("hx-trigger", ""))
	}
	b.change("SET session_replication_role = replica; UPDATE message SET state = 'Failed', " +
		"state_sequence = state_sequence + 1, status_code = 'AC04'")
	over := asked.get(asks).is(http.StatusOK)
	if told := over.page.Find("#status").Text(); !strings.Contains(told, "account is closed") {
		t.Errorf("the end is told aloud as %q", told)
	}
	if over.page.Find(".flight, [hx-trigger]").Length() != 0 {
		t.Error("what is over goes on asking")
	}
	asked.get(asks).is(http.StatusOK) // a page that missed the end
}

// TestAPageOfAnUnconfirmedPaymentGoesOnAsking: it says that clearing's answer still counts, and shows it when it comes. Its
// timeline tells known facts alone.
func TestAPageOfAnUnconfirmedPaymentGoesOnAsking(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, maker := b.approved(), b.as("maker1")
	_, asks := maker.get(path).is(http.StatusOK).flight()
	for range 2 {
		b.become("(SELECT message_id FROM message)", "Unconfirmed")
	}
	b.change("SET session_replication_role = replica; UPDATE message_history SET action = CASE from_state WHEN 'Unconfirmed' THEN 'deliver' " +
		"ELSE 'time out' END WHERE to_state = 'Unconfirmed'")
	news := maker.withHTMX().get(asks).is(http.StatusOK).says("Do not pay again yet. Clearing has not answered.")
	titles := maker.get(path + "/timeline").page.Find(".timeline .event-unsure .event-title").Text()
	if !strings.Contains(titles, "Unconfirmed") || !strings.Contains(titles, "Received by clearing, no answer yet") {
		t.Errorf("the timeline says %q", titles)
	}
	b.config.OperatorRealm = "demo"
	b.serve()
	connections := b.as("supervisor1").get("/operation").is(http.StatusOK).page.Find("table:contains('Connections to clearing')").Text()
	if !strings.Contains(connections, "Connected, but answers missing") || !strings.Contains(connections, "1 message has no answer yet. "+
		"It was sent") {
		t.Errorf("the connections are %q", connections)
	}
	if list := b.as("checker1").get("/").is(http.StatusOK).page.Find(".clearing").Text(); !strings.Contains(list, "Connected, but "+
		"answers missing") {
		t.Errorf("the dashboard says %q", list)
	}
	maker = b.as("maker1")
	for _, page := range []answer{news, maker.get(path).is(http.StatusOK)} {
		var asking *goquery.Selection
		asking, asks = page.flight()
		if _, hidden := asking.Attr("hidden"); !hidden || asking.AttrOr("hx-trigger", "") != "every 5s" {
			t.Errorf("it goes on asking %q %s", asks, asking.AttrOr("hx-trigger", "never"))
		}
		if page.page.Find("a[href='/help#unconfirmed']").Length() != 1 {
			t.Error("it does not lead to what to do")
		}
		maker.withHTMX().get(asks).is(http.StatusNoContent)
	}
	b.change("SET session_replication_role = replica; UPDATE message SET state = 'Settled', settled_at = now(), " +
		"state_sequence = state_sequence + 1")
	over := maker.withHTMX().get(asks).is(http.StatusOK).says("Settled")
	if over.page.Find(".flight, [hx-trigger]").Length() != 0 {
		t.Error("what is over goes on asking")
	}
}

// TestWhatAPageOfAPaymentUnderWayAsksIsForIt: each part of the page asks for itself, an address that somebody opens leads to the page, and
// an open page keeps nobody signed in.
func TestWhatAPageOfAPaymentUnderWayAsksIsForIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, maker := b.approved(), b.as("maker1")
	_, asks := maker.get(path + "/messages").is(http.StatusOK).flight()
	b.change("SET session_replication_role = replica; UPDATE message SET delivered_at = now()")
	if news := maker.withHTMX().get(asks).is(http.StatusOK); news.page.Find(".documents-table").Length() != 1 {
		t.Error("the list of messages becomes another part of the page")
	}
	if got := maker.get(asks).goesTo(path); got != path+"/messages" {
		t.Errorf("the address leads to %s", got)
	}
	maker.get(path + "/flight?part=everything").is(http.StatusNotFound)
	b.asIn("demo2", "maker1").withHTMX().get(asks).is(http.StatusNotFound)

	b.change("UPDATE sessions SET expiry = now() + interval '3 minutes'")
	maker.withHTMX().get(asks).is(http.StatusOK)
	if n := b.count("SELECT count(*) FROM sessions WHERE expiry > now() + interval '4 minutes'"); n != 0 {
		t.Error("a page that asks by itself keeps somebody signed in")
	}
	b.change("UPDATE sessions SET expiry = now() - interval '1 minute'")
	late := maker.withHTMX().get(asks).is(http.StatusUnauthorized)
	if to := late.header.Get("HX-Redirect"); !strings.HasPrefix(to, "/signin?ended=yes&next=") {
		t.Errorf("without a session it leads to %q", to)
	}
}
