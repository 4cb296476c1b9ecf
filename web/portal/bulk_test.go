package portal_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/uuid"

	"countersign/internal/payment"
)

// items are what the form of a bulk sends.
func (a answer) items() []string {
	var items []string
	a.page.Find("form [name=item]").Each(func(_ int, item *goquery.Selection) { items = append(items, item.AttrOr("value", "")) })
	return items
}

// chosen is the address of the page that compares these messages.
func chosen(ids ...string) string { return "/queue/bulk?tab=all&" + url.Values{"id": ids}.Encode() }

func (b *bench) state(id string) payment.State { return b.message("demo", id).State }

func TestSeveralAreComparedAndApprovedTogether(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, both := b.as("maker1"), b.as("both1")
	ids := maker.priced("10.00", "20.50", "30.00", "40.00")
	own := both.priced("50.00")[0]
	rejected, amended := ids[2], ids[3]
	path := "/queue/" + rejected + "/reject"
	form := with(b.as("checker2").get("/queue/"+rejected).fields(path), "category", "other", "reason", "No")
	b.as("checker2").post(path, form).goesTo("/queue")
	amend := maker.get("/payments/" + amended + "/amend").is(http.StatusOK)
	action := amend.page.Find("main form").AttrOr("action", "")
	check := maker.post(action, with(amend.fields(action), "amount", "41.00", "act", "check", "amendReason", "typo")).goesTo("/payments/")
	maker.post(strings.TrimSuffix(check, "check")+"submit", maker.shown(check)).goesTo("/payments/")

	page := both.get(chosen(append(ids, own, ids[0], "no key")...)).is(http.StatusOK)
	page.says("Compare 2 payments").says("Not included: 3").says("was already rejected by Checker 2")
	page.says("This payment was amended after submission.")
	page.says("Another person must approve or reject it")
	if len(page.items()) != 2 {
		t.Fatalf("the form sends %v", page.items())
	}
	done := both.post("/queue/bulk?tab=all", url.Values{"item": page.items()}).is(http.StatusOK).says("2 of 2 approved.")
	if back := done.page.Find(".back a").AttrOr("href", ""); back != "/queue?tab=all" {
		t.Errorf("it leads back to %s", back)
	}
	for id, want := range map[string]payment.State{
		ids[0]: payment.StateApproved, ids[1]: payment.StateApproved, rejected: payment.StateRejected, own: payment.StateApprovalPending,
		amended: payment.StateApprovalPending,
	} {
		if got := b.state(id); got != want {
			t.Errorf("%s is %s, want %s", id, got, want)
		}
	}
	both.post("/queue/bulk", url.Values{"item": page.items()}).is(http.StatusOK).says("2 of 2 approved.") // sent twice
	if n := b.count("SELECT count(*) FROM decision WHERE action = 'approve'"); n != 2 {
		t.Errorf("%d approvals, want 2", n)
	}
	for _, other := range []string{ids[0] + "~2~" + hash(b.message("demo", ids[0])), ids[0] + "~1~" + strings.Repeat("0", 64)} {
		both.post("/queue/bulk", url.Values{"item": {other}}).is(http.StatusOK).says("0 of 1 approved.").says("already approved " +
			"by") // other content
	}
}

// TestAFirstApprovalAmongSeveralIsCounted: the line says how many approvals there are now, and nothing else about it.
func TestAFirstApprovalAmongSeveralIsCounted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.as("maker1").priced("12000.00", "13.00")
	page := b.as("checker1").get(chosen(ids...)).is(http.StatusOK).says("0 of 2")
	b.as("checker1").get("/queue/" + ids[0]).says("Nothing will be sent yet. After your approval, another person must also approve.")
	b.as("checker1").get("/queue/" + ids[1]).says("The payment is sent immediately after approval")
	done := b.as("checker1").post("/queue/bulk", url.Values{"item": page.items()}).is(http.StatusOK)
	done.says("1 of 2 approved. 1 payment is waiting for another approval.").says("1 of 2 approvals given, by Checker 1")
	if flag := strings.TrimSpace(done.page.Find(".bulk-list .flag").First().Text()); flag != "1 of 2" {
		t.Errorf("the line is marked %q", flag)
	}
	b.as("maker1").get("/mine").is(http.StatusOK).says("1 of 2 approvals given")
	b.as("checker2").get("/queue/" + ids[0]).says("The payment is sent immediately after approval")
}

// TestEachOfSeveralHasItsOwnOutcome: what happened between the comparison and the approval stops that message alone.
// TestSeveralAreComparedWithWhatTheirPagesWarnOf: who approves many sees at each line what its own page would have said.
func TestSeveralAreComparedWithWhatTheirPagesWarnOf(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	ids := maker.priced("10.00", "20.00")
	check := maker.post("/payments/new", with(filled(), "amount", "10.00", "endToEndId", "E2E-again")).goesTo("/payments/")
	answers := maker.shown(check, "duplicateAcknowledged", "yes", "duplicateReason", "Two invoices")
	again := strings.Split(maker.post(strings.TrimSuffix(check, "check")+"submit", answers).goesTo("/payments/"), "/")[2]
	list := b.as("checker1").get(chosen(ids[0], ids[1], again)).is(http.StatusOK)
	list.says("Possible duplicate: same account and amount entered once in the last 7 days").says("First payment to this account")
	if n := strings.Count(list.page.Find(".bulk-list").Text(), "Possible duplicate: "); n != 2 {
		t.Errorf("%d lines warn of a duplicate, want 2", n)
	}
	list.says("Another payment has the same creditor account and the same amount.").says("Reason for paying again: Two invoices")
	german := b.as("checker2")
	german.post("/me", url.Values{"theme": {"auto"}, "density": {"default"}, "language": {"de"}}).goesTo("/me")
	for _, path := range []string{chosen(again), "/queue/" + again, "/payments/" + again + "/timeline"} {
		german.get(path).is(http.StatusOK).says("Erneut bezahlt: Two invoices")
	}
}

func TestEachOfSeveralHasItsOwnOutcome(t *testing.T) {
	t.Parallel()
	b := setup(t)
	both, rival := b.as("both1"), b.as("checker2")
	ids := append(b.as("maker1").priced("10.00", "20.00", "30.00"), both.priced("40.00")...)
	page := b.as("checker1").get(chosen(ids...)).is(http.StatusOK)
	items := page.items()
	if len(items) != 4 {
		t.Fatalf("%d items", len(items))
	}
	path := "/queue/" + ids[0] + "/approve"
	rival.post(path, rival.get("/queue/"+ids[0]).fields(path)).goesTo("/queue")
	late := both.post("/queue/bulk", url.Values{"item": items[2:3], "shown": items[2:3]}).is(http.StatusOK).
		says("A warning was added after the page was opened.")
	if strings.Contains(strings.ToLower(late.text), "not ticked") {
		t.Error("what was ticked counts as not ticked")
	}
	items = append(items[:1], b.as("checker1").get(chosen(ids[1:]...)).is(http.StatusOK).items()...)
	forged := strings.Split(items[1], "~")
	items[1] = forged[0] + "~1~" + strings.Repeat("0", 64) + "~" + forged[3]                   // not what was shown
	items = slices.Insert(items, 2, "nothing", uuid.NewString()+"~1~"+strings.Repeat("1", 64)) // what is no message stops none behind it
	got := both.post("/queue/bulk", url.Values{"item": items}).is(http.StatusOK)
	got.says("1 of 6 approved. 5 payments were not approved. The reasons are " +
		"below.").says("was already approved by Checker 2").says("Another person must approve or reject it")
	got.says("The current version differs from the version you opened.")
	want := []payment.State{payment.StateApproved, payment.StateApprovalPending, payment.StateApproved, payment.StateApprovalPending}
	for i, id := range ids {
		if state := b.state(id); state != want[i] {
			t.Errorf("message %d is %s, want %s", i, state, want[i])
		}
	}
	if n := b.count("SELECT count(*) FROM decision"); n != 2 {
		t.Errorf("%d decisions, want 2", n)
	}
}

// TestWhatAsksForASecondFactorIsLeftOutOfABulk, before anything is approved and, where the policy came between, at its approval.
func TestWhatAsksForASecondFactorIsLeftOutOfABulk(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids, checker := b.as("maker1").priced("10.00", "700.00", "20.00"), b.as("checker1")
	before := checker.get(chosen(ids...)).is(http.StatusOK).items()
	b.changed("policy.create", "", url.Values{"approvals": {"1"}, "rank": {"900"}, "amountFrom": {"500.00"}, "stepUp": {"yes"}})
	page := checker.get(chosen(ids...)).is(http.StatusOK)
	page.says("Compare 2 payments").says("The policy requires a second factor. Open and approve this payment on its own.")
	if len(page.items()) != 2 || len(before) != 3 {
		t.Fatalf("the form sends %d, and sent %d before the policy", len(page.items()), len(before))
	}
	checker.post("/queue/bulk", url.Values{"item": before}).is(http.StatusOK).
		says("2 of 3 approved. 1 payment was not approved. The reason is below.").
		says("The policy requires a second factor. Open and approve this payment on its own.")
	if b.state(ids[1]) != payment.StateApprovalPending {
		t.Errorf("without a second factor it is %s", b.state(ids[1]))
	}
}

func TestABulkHasLimitsAndItsPeople(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, checker := b.as("maker1"), b.as("checker1")
	id := maker.priced("10.00")[0]
	checker.get("/queue/bulk?tab=all").goesTo("/queue?tab=all")
	checker.post("/queue/bulk", nil).goesTo("/queue")
	if to := checker.withHTMX().post("/queue/bulk", nil).is(http.StatusOK).header.Get("HX-Redirect"); to != "/queue" {
		t.Errorf("htmx is led to %q, and would put a whole page into a part of one", to)
	}
	items := checker.get(chosen(id)).is(http.StatusOK).items()
	checker.post("/queue/bulk", url.Values{"item": slices.Repeat(items, 51)}).goesTo("/queue")
	for _, name := range []string{"maker1", "supervisor1"} {
		who := b.as(name)
		if refused := who.get(chosen(id)); refused.status == http.StatusOK && len(refused.items()) != 0 {
			t.Errorf("%s is offered to approve", name)
		}
		who.post("/queue/bulk", url.Values{"item": items}).says("0 of 1 approved.")
	}
	if state := b.state(id); state != payment.StateApprovalPending {
		t.Errorf("the message is %s", state)
	}
	b.copies(id, 60)
	many := checker.get("/queue?sort=newest").is(http.StatusOK).rows()
	if page := checker.get(chosen(many...)).is(http.StatusOK); len(page.items()) > 50 {
		t.Errorf("%d are approved together", len(page.items()))
	}
}

// TestWhatIsLeftOutOfABulkTakesNobodysPlace: fifty that can be approved together are, wherever they stand in the selection, and only what
// comes after them is told to wait. An address with more than anybody can tick on a page is not looked at.
func TestWhatIsLeftOutOfABulkTakesNobodysPlace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	both := b.as("both1")
	var amounts []string
	for cents := range 51 {
		amounts = append(amounts, fmt.Sprintf("10.%02d", cents))
	}
	own := both.priced("1.00", "2.00")
	selected := slices.Concat(own, b.as("maker1").priced(amounts...), []string{own[0], uuid.NewString()})
	page := both.get(chosen(selected...)).is(http.StatusOK).says("Compare 50 payments").says("Not included: 3")
	if n := strings.Count(page.main(), "You can approve up to 50 payments together."); n != 1 || len(page.items()) != 50 {
		t.Errorf("%d are sent, and %d told to wait", len(page.items()), n)
	}
	for range 100 {
		selected = append(selected, uuid.NewString())
	}
	both.get(both.get(chosen(selected...)).goesTo("/queue?tab=all")).says("Select no more than 50 payments.")
}

// TestABulkGoesOnInSteps: a page with a script is told after every few, and sends the rest by itself.
// TestAMessageNamedTwiceCountsOnce: no page of ours sends such a form.
func TestAMessageNamedTwiceCountsOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.as("maker1").priced("1.00", "2.00")
	checker := b.as("checker1")
	items := checker.get(chosen(ids...)).items()
	done := checker.post("/queue/bulk", url.Values{"item": {items[0], items[1], items[0], items[0]}}).is(http.StatusOK)
	done.says("2 of 2 approved")
	if n := b.count("SELECT count(*) FROM decision"); n != 2 {
		t.Errorf("%d decisions", n)
	}
}

func TestABulkGoesOnInSteps(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.as("maker1").priced("1.00", "2.00", "12000.00", "4.00", "5.00", "6.00", "7.00")
	checker := b.as("checker1")
	form := url.Values{"item": checker.get(chosen(ids...)).items()}
	first := checker.withHTMX().post("/queue/bulk", form).is(http.StatusOK).says("5 of 7 processed")
	if n := b.count("SELECT count(*) FROM decision"); n != 5 || len(first.items()) != 2 {
		t.Fatalf("%d decided, %d are left", n, len(first.items()))
	}
	rest := url.Values{"item": first.items(), "approved": {"4"}, "waiting": {"1"}, "refused": {"0"}}
	last := checker.withHTMX().post("/queue/bulk", rest).is(http.StatusOK).says("6 of 7 approved. 1 payment is waiting for another " +
		"approval.")
	if len(last.items()) != 0 || b.count("SELECT count(*) FROM decision") != 7 {
		t.Error("something is left")
	}
}
