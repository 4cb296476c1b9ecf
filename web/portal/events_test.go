package portal_test

import (
	"bufio"
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/rulebook"
)

// listen opens the stream of live counts and returns its lines; the channel closes with the stream.
func (w *browser) listen(ctx context.Context) <-chan string { return w.listenTo(ctx, "/events") }

// listenTo is the same of a stream with an address of its own.
func (w *browser) listenTo(ctx context.Context, path string) <-chan string {
	t := w.b.t
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.b.server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := w.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if kind := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || kind != "text/event-stream" {
		t.Fatalf("the stream answers %d, %s", response.StatusCode, kind)
	}
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		defer func() { _ = response.Body.Close() }()
		scanner := bufio.NewScanner(response.Body)
		for scanner.Scan() {
			lines <- scanner.Text()
		}
	}()
	return lines
}

// until reads lines up to one that holds the text; found is false when the stream ended before.
func until(lines <-chan string, text string) (found bool) {
	for line := range lines {
		if strings.Contains(line, text) {
			return true
		}
	}
	return false
}

func TestAnOpenQueueHearsOfNewMessages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	checker := b.as("checker1")
	stream := checker.get("/queue?text=Holzbau").page.Find("[data-events]").AttrOr("data-events", "")
	if !strings.HasPrefix(stream, "/events?") || !strings.Contains(stream, "text=Holzbau") {
		t.Errorf("the queue listens to %q", stream)
	}
	maker, other := b.as("maker1"), b.as("checker2")
	between := maker.submit(filled()) // after the page was made, before its stream began
	lines := checker.listenTo(ctx, stream)
	if !until(lines, "Show 1 new entry") {
		t.Fatal("the stream ended without news of what came before it began")
	}
	maker.submit(with(filled(), "creditorName", "Somebody else", "endToEndId", "E2E-2", "amount", "2"))
	second := maker.submit(with(filled(), "endToEndId", "E2E-3", "amount", "3"))
	if !until(lines, "Show 2 new entries") {
		t.Fatal("the stream does not tell of the second arrival, or tells of what the filter leaves out")
	}
	path := "/queue/" + between.InternalID.String() + "/approve"
	other.post(path, url.Values{"looked": {"First payment"}, "version": {"1"}, "contentHash": {hash(between)}}).goesTo("/queue")
	update, found := block(lines, "Show 1 new entry") // one of the two is decided, the other is still news
	if !found || !strings.Contains(update, "row-"+between.InternalID.String()) || !strings.Contains(update, "Approved by Checker 2") {
		t.Errorf("the row that somebody decided is told as %q", update)
	}
	if !strings.Contains(update, "1 found") || !strings.Contains(update, "3.00") {
		t.Errorf("the header does not follow: %q", update)
	}
	path = "/payments/" + second.InternalID.String() + "/withdraw"
	maker.post(path, url.Values{"version": {"1"}, "reason": {"wrong"}}).goesTo("/mine")
	if _, found := block(lines, "Withdrawn, "); !found {
		t.Error("the stream does not tell of a withdrawal")
	}
}

// TestWhatAnOpenQueueHearsIsThatOfItsAddress: a list that nothing narrows stays one, and so does the way to what came.
func TestWhatAnOpenQueueHearsIsThatOfItsAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	day := "?since=" + time.Now().AddDate(0, 0, -1).Format(time.DateOnly)
	for query, says := range map[string]string{"": "1 waiting", day: "1 found"} {
		b.change("SET session_replication_role = replica; UPDATE message SET state = 'Withdrawn'")
		stream := b.as("checker1").get("/queue"+query).is(http.StatusOK).page.Find("[data-events]").AttrOr("data-events", "")
		lines := b.as("checker1").listenTo(ctx, stream)
		b.as("maker1").submit(with(filled(), "endToEndId", "E2E"+strings.ReplaceAll(query, "?since=", "-")))
		update, found := block(lines, "Show 1 new entry")
		if !found || !strings.Contains(update, says) || !strings.Contains(update, `href="/queue`+query+`"`) {
			t.Errorf("of %q is told, not that %s: %q", query, says, update)
		}
	}
}

// TestAnOpenQueueHearsWhatHappensOnAnotherInstance: what came, who looks and who decided is told wherever it happened.
func TestAnOpenQueueHearsWhatHappensOnAnotherInstance(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.beside()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	checker := b.as("checker1")
	lines := checker.listenTo(ctx, checker.get("/queue").page.Find("[data-events]").AttrOr("data-events", ""))
	m := other.as("maker1").submit(filled())
	if !until(lines, "Show 1 new entry") {
		t.Fatal("the stream ended without news of what another instance took")
	}
	rival, path := other.as("checker2"), "/queue/"+m.InternalID.String()
	page := rival.get(path).is(http.StatusOK)
	if !until(lines, "Checker 2 is viewing this item") {
		t.Fatal("the stream ended without telling who looks on another instance")
	}
	rival.post(path+"/approve", page.fields(path+"/approve")).goesTo("/queue")
	if !until(lines, "Approved by Checker 2") {
		t.Fatal("the stream ended without telling what was decided on another instance")
	}
}

// What somebody decides between the page and its stream is told by the stream's first news, and not when the page shows it as decided.
func TestAnOpenQueueHearsWhatWasDecidedBeforeItsStreamBegan(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	maker, checker, other := b.as("maker1"), b.as("checker1"), b.as("checker2")
	waiting := maker.submit(filled())
	stream := checker.get("/queue").page.Find("[data-events]").AttrOr("data-events", "")
	path := "/queue/" + waiting.InternalID.String() + "/approve"
	other.post(path, url.Values{"looked": {"First payment"}, "version": {"1"}, "contentHash": {hash(waiting)}}).goesTo("/queue")
	update, found := block(checker.listenTo(ctx, stream), "row-"+waiting.InternalID.String())
	if !found || !strings.Contains(update, "Approved by Checker 2") {
		t.Errorf("the stream begins with %q", update)
	}
}

// TestAnOpenQueueHearsWhatWaitsAsSomethingElse: the first of two approvals by somebody else, and another amount, are told where they stand,
// also those between the page and its stream; the row still waits.
func TestAnOpenQueueHearsWhatWaitsAsSomethingElse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	maker, checker, other := b.as("maker1"), b.as("checker1"), b.as("checker2")
	large := maker.submit(with(filled(), "amount", "19000"))
	row, path := "row-"+large.InternalID.String(), "/queue/"+large.InternalID.String()+"/approve"
	stream := checker.get("/queue").page.Find("[data-events]").AttrOr("data-events", "")
	lines := checker.listenTo(ctx, stream)
	for _, heard := range []<-chan string{lines, checker.listenTo(ctx, stream)} {
		if heard == lines {
			other.post(path, url.Values{"looked": {"First payment"}, "version": {"1"}, "contentHash": {hash(large)}}).goesTo("/queue")
		}
		update, found := block(heard, row)
		if !found || !strings.Contains(update, "1 of 2") || strings.Contains(update, "is-decided") {
			t.Fatalf("of the first approval is told %q", update)
		}
	}
	amend := maker.get("/payments/" + large.InternalID.String() + "/amend").is(http.StatusOK)
	action := amend.page.Find("main form").AttrOr("action", "")
	check := maker.post(action, with(amend.fields(action), "amount", "18500", "act", "check", "amendReason", "typo")).goesTo("/payments/")
	page := maker.get(check).is(http.StatusOK)
	action = page.page.Find("main form").AttrOr("action", "")
	maker.post(action, page.fields(action)).goesTo("/payments/")
	update, found := block(lines, "Amended")
	if !found || !strings.Contains(update, row) || !strings.Contains(update, "18&#39;500.00") || !strings.Contains(update, "0 of 2") {
		t.Errorf("of another amount is told %q", update)
	}
}

// TestAnOpenQueueHearsHowOldItsRowsAre: the ages of rows, and of the oldest above them, go on while nothing else happens; those that are
// told by the same number are not sent.
func TestAnOpenQueueHearsHowOldItsRowsAre(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var ahead atomic.Int64
	b.config.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	b.serve()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	id := b.as("maker1").submit(filled()).InternalID.String()
	checker := b.as("checker1")
	page := checker.get("/queue").page
	if age := page.Find("#age-" + id).Text(); age != "< 1 min" {
		t.Errorf("the row is %q old", age)
	}
	lines := checker.listenTo(ctx, page.Find("[data-events]").AttrOr("data-events", ""))
	for _, one := range []struct {
		ahead time.Duration
		told  string
	}{{time.Minute, "1 min"}, {3 * time.Minute, "3 min"}, {2*time.Hour + time.Minute, "2 h"}} {
		ahead.Store(int64(one.ahead))
		update, found := block(lines, one.told+"</time>")
		if !found || strings.Count(update, ">"+one.told+"</time>") != 2 || !strings.Contains(update, `<time id="age-`+id+`"`) {
			t.Fatalf("%s later is told %q", one.ahead, update)
		}
	}
	b.Clock.Set(time.Now().In(b.config.Zone))              // which dates the order
	b.Create(t, b.Person(t, "maker1"), rulebook.SchemeSIC) // not by the portal, for which it may be tomorrow
	update, found := block(lines, "Show 1 new entry")
	if !found || strings.Contains(update, `id="age-`) {
		t.Errorf("an arrival comes with ages that are what they were: %q", update)
	}
}

// block reads events up to one that holds the text, and returns that one.
func block(lines <-chan string, text string) (event string, found bool) {
	var lately []string
	for line := range lines {
		if line == "" {
			if whole := strings.Join(lately, "\n"); strings.Contains(whole, text) {
				return whole, true
			}
			lately = nil
			continue
		}
		lately = append(lately, line)
	}
	return "", false
}

func TestAStreamEndsWithTheSessionAndDoesNotProlongIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	checker := b.as("checker1")
	b.change("UPDATE sessions SET expiry = now() + interval '5 minutes'")
	lines := checker.listen(ctx)
	if !until(lines, ": still here") {
		t.Fatal("the stream ended at once")
	}
	if n := b.count("SELECT count(*) FROM sessions WHERE expiry > now() + interval '5 minutes'"); n != 0 {
		t.Error("an open page prolongs the session")
	}
	b.change(
		"DELETE FROM user_role WHERE realm = 'demo' AND user_id = (SELECT user_id FROM user_account WHERE realm = 'demo' AND name = 'checker1')",
	)
	if until(lines, "no line is this one") || ctx.Err() != nil {
		t.Error("the stream went on after the role was taken away")
	}
	maker := b.as("maker1")
	maker.get("/events").is(http.StatusNoContent)
	b.browser().get("/events").is(http.StatusNoContent)
}

// TestAStreamEndsSoonAfterTheRoleWasTakenAway: not with the next look at the queue, which is far away here.
func TestAStreamEndsSoonAfterTheRoleWasTakenAway(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.config.EventsPause = time.Hour
	b.serve()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	lines, stays := b.as("checker1").listen(ctx), b.as("checker2").listen(ctx)
	b.changed("user.roles", "checker1", url.Values{"roles": {"supervisor"}})
	if until(lines, "no line is this one") || ctx.Err() != nil {
		t.Error("the stream went on after the role was taken away")
	}
	select {
	case _, open := <-stays:
		if !open {
			t.Error("the stream of somebody else ended too")
		}
	default:
	}
}

// TestOnePersonDoesNotTakeTheStreamsOfOthers: beyond four the browser is told not to come back, and an ended one makes room.
func TestOnePersonDoesNotTakeTheStreamsOfOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	checker := b.as("checker1")
	ended, end := context.WithCancel(ctx)
	checker.listen(ended)
	for range 3 {
		checker.listen(ctx)
	}
	for _, session := range []*browser{checker, b.as("checker1")} { // in another session too
		if status := session.openEvents(ctx); status != http.StatusNoContent {
			t.Fatalf("one stream more: %d", status)
		}
	}
	if !until(b.as("checker2").listen(ctx), ": still here") {
		t.Error("another person has no stream")
	}
	end()
	for ctx.Err() == nil {
		if checker.openEvents(ctx) == http.StatusOK {
			return
		}
	}
	t.Error("an ended stream makes no room")
}

// openEvents asks for the stream, closes it again and returns how it was answered.
func (w *browser) openEvents(ctx context.Context) int {
	w.b.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.b.server.URL+"/events", nil)
	if err != nil {
		w.b.t.Fatal(err)
	}
	response, err := w.client.Do(r)
	if err != nil {
		w.b.t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}
