package portal_test

import (
	"bytes"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/clearing"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store/integrity"
)

// TestTheOperatorSeesWhatIsStuckAndTriesItAgain: a payment that clearing does not take pauses, and is named with the reason and its next
// try. The operator's supervisor has it tried at once; it leaves, once, and the audit trail tells who did it.
func TestTheOperatorSeesWhatIsStuckAndTriesItAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.as("supervisor1").get("/operation").is(http.StatusNotFound)
	b.config.OperatorRealm = "demo"
	b.serve()
	operator := b.as("supervisor1")
	page := operator.get("/operation").is(http.StatusOK).says("Connected").says("No failed tasks").says("Delivery to " +
		"clearing").says("Answer from clearing")
	if text := page.main(); strings.Contains(text, "send-sic") || strings.Contains(text, "archived") {
		t.Errorf("a queue by its internal name, or an archive where there is none: %s", text)
	}
	archivedMonth(b)
	operator.get("/operation").is(http.StatusOK).says("Latest archived month: 01.2025. Messages moved to archives: 7.")
	b.CheckFile = filepath.Join(t.TempDir(), "check.json")
	outcome := integrity.Report{Invariants: []integrity.Invariant{{ID: "I4", Violations: make([]integrity.Violation, 1)}}}
	if err := (integrity.Result{}).Add(outcome, time.Now()).Write(b.CheckFile); err != nil {
		t.Fatal(err)
	}
	b.config.Checks, b.config.Sealing = b.Checks, func() integrity.SignerStanding {
		return integrity.SignerStanding{Lost: []string{"demo"}, Missing: map[string][]string{"demo": {"DE0CH5RV72K3F8G1"}, "demo2": {"D20CH5RV72K3F8G1"}}}
	}
	b.serve()
	operator = b.as("supervisor1")
	operator.get("/operation").is(http.StatusOK).says("Latest database checks").says("Failed checks: ")
	if to := b.as("admin1").get("/").tiles()["Payments stopped"][1]; to != "/admin/ask/realm.reconciled" {
		t.Errorf("an administrator of a stopped realm is led to %q", to)
	}
	if page := b.as("admin1").get("/").says("Known payments with missing " +
		"data").says("DE0CH5RV72K3F8G1").main(); strings.Contains(page, "D20CH5RV72K3F8G1") {
		t.Errorf("an administrator sees payments of another realm: %s", page)
	}

	b.Network.Refuse = func(servicetest.Delivery) error { return clearing.ErrOtherDocument }
	m := b.as("maker1").submit(filled())
	checker, path := b.as("checker1"), "/queue/"+m.InternalID.String()
	checker.post(path+"/approve", checker.get(path).is(http.StatusOK).fields(path+"/approve")).goesTo("/queue")
	for deadline := time.Now().Add(time.Minute); len(b.Clearing.Stuck()) == 0; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nothing is stuck")
		}
		b.Clearing.RunOnce(t.Context())
	}
	operator.get("/operation").is(http.StatusOK).says(m.InternalID.String()).says("another one under this message " +
		"id").says("Delivery to clearing")
	for _, page := range []string{"/operation", "/reconcile", "/quarantine"} {
		b.as("maker1").get(page).is(http.StatusForbidden).says("To see this page, you need the role of supervisor or administrator.")
	}
	b.as("maker1").post("/operation/retry", nil).is(http.StatusForbidden)
	b.asIn("demo2", "maker1").post("/operation/retry", nil).is(http.StatusNotFound)

	operator.get("/operation").says("Quarantine").says("Audit trail")
	before := b.Clearing.Stuck()[0].Next
	operator.post("/operation/retry", url.Values{"subject": {"another"}}).is(http.StatusSeeOther)
	broken := strings.NewReader("subject=%zz")
	operator.send(http.MethodPost, "/operation/retry", "application/x-www-form-urlencoded", broken).is(http.StatusBadRequest)
	if now := b.Clearing.Stuck()[0].Next; !now.Equal(before) {
		t.Errorf("another subject, or one that cannot be read, ends the pause: %s, and was %s", now, before)
	}
	operator.post("/operation/retry", url.Values{"subject": {m.InternalID.String()}}).is(http.StatusSeeOther)
	if !b.Clearing.Stuck()[0].Next.IsZero() {
		t.Error("it pauses on")
	}
	if n := b.count("SELECT count(*) FROM audit_event WHERE event = 'operation.try-again'"); n != 1 {
		t.Errorf("the audit trail tells %d times of one try", n)
	}

	b.Network.Refuse = nil
	operator.post("/operation/retry", nil).is(http.StatusSeeOther)
	b.Clearing.RunOnce(t.Context())
	if sent := b.Network.Delivered(); len(sent) != 1 || sent[0].Reference != m.Reference() {
		t.Errorf("after the operator's try clearing has %v, want the payment, once", sent)
	}
	operator.get("/operation").is(http.StatusOK).says("No failed tasks")
	if n := b.count("SELECT count(*) FROM audit_event WHERE event = 'operation.try-again' AND actor_name = 'Supervisor 1'"); n != 2 {
		t.Errorf("the audit trail tells %d times of it", n)
	}
}

// TestTwoAdministratorsEraseAPaymentThatLeft on pages: the page of the payment says with which archive it left. The request names its reason, the
// administrator who asked does not approve it, and the approval of another deletes the data key.
func TestTwoAdministratorsEraseAPaymentThatLeft(t *testing.T) {
	t.Parallel()
	b := setup(t)
	archivedMonth(b)
	left := auditlog.ArchivedPayment{Realm: "demo", PaymentID: uuid.New(), Key: bytes.Repeat([]byte("k"), 32), Messages: 1}
	owner := b.DB.Owner(t)
	if err := owner.QueryRow(t.Context(), "SELECT change_id FROM archived_month WHERE month = '2025-01'").Scan(&left.ChangeID); err != nil {
		t.Fatal(err)
	}
	seal := b.Seal.SealArchivedPayment(left)
	if _, err := owner.Exec(t.Context(), "INSERT INTO archived_payment VALUES ($1, $2, $3, $4, 1, NULL, $5, "+
		"$6)", left.Realm, left.PaymentID, left.Key,
		left.ChangeID, seal.KeyID, seal.MAC[:]); err != nil {
		t.Fatal(err)
	}
	b.as("checker1").get("/payments/" + left.PaymentID.String()).is(http.StatusNotFound).
		says("This payment was moved to the archive of 01.2025.")
	uetr := uuid.NewString()
	if _, err := owner.Exec(t.Context(), "UPDATE archived_payment SET names = ARRAY[$1]", uetr); err != nil {
		t.Fatal(err)
	}
	b.as("checker1").get("/payments?q=" + uetr).is(http.StatusNotFound).says("This payment was moved to the archive of 01.2025.")
	b.as("checker1").get("/payments?q=" + uuid.NewString()).is(http.StatusOK).says("No payment matches your search.")
	admin := b.as("admin1")
	says := func(row string) {
		if text := strings.Join(strings.Fields(admin.get("/admin/realm").is(http.StatusOK).main()), " "); !strings.Contains(text, row) {
			t.Errorf("the page of the realm lacks %q: %s", row, text)
		}
	}
	says("Months before a payment can be archivedpayments are kept indefinitelyRetention")
	says("Newest archived month01.2025Archive Payments with erased personal data0Erase")
	const ask = "/admin/ask/realm.erased"
	if admin.get("/admin/realm").page.Find(`a[href="`+ask+`"]`).Length() != 1 {
		t.Error("no link leads to the erasure")
	}
	admin.get(ask).is(http.StatusOK).says("Erase personal data in archives").says("The data is erased as soon as this change is approved.")
	form := url.Values{"erasedPayments": {left.PaymentID.String()}}
	admin.post(ask, form).is(http.StatusUnprocessableEntity).says("Enter the request or law that requires the personal data to be erased.")
	form.Set("note", "Request of 3 March")
	change := admin.post(ask, form).goesTo("/admin/changes/")
	admin.post(change+"/approve", nil).is(http.StatusForbidden)
	kept := "SELECT count(*) FROM archived_payment WHERE key IS NOT NULL"
	if b.count(kept) != 1 {
		t.Error("the key is deleted before two administrators decided")
	}
	b.as("admin2").post(change+"/approve", nil).goesTo(change)
	if b.count(kept) != 0 {
		t.Error("two administrators decided, and the key is there")
	}
	says("Payments with erased personal data1Erase")
	admin.get(change).is(http.StatusOK).says("The keys of the erased data have been deleted.")
	admin.get("/admin/ask/realm.archived").is(http.StatusOK).says("First, an operator creates the archive").
		says("countersign archive --detach")
	for month, next := range map[string]string{
		"2025-01": "The payments of this month have been removed from the " +
			"database.", "2025-03": "Next, an operator runs “countersign archive --detach”",
	} {
		form := url.Values{"archivedMonth": {month}, "archiveDigest": {strings.Repeat("ab", 32)}}
		asked := admin.post("/admin/ask/realm.archived", form).goesTo("/admin/changes/")
		b.as("admin2").post(asked+"/approve", nil).goesTo(asked)
		admin.get(asked).is(http.StatusOK).says(next).says(month[5:] + "." + month[:4])
	}
}

// archivedMonth records that seven messages left with an archive, and plants a record of a newer one.
func archivedMonth(b *bench) {
	for month, messages := range map[string]int64{"2025-01": 7, "2025-02": 90} {
		digest := strings.Repeat("a", 64)
		asked, err := b.Admin.Request(b.t.Context(), b.Person(b.t, "admin1"), service.RequestInput{
			Kind: administration.KindRealmArchived, Values: administration.Values{"archivedMonth": month, "archiveDigest": digest},
		})
		if err != nil {
			b.t.Fatal(err)
		}
		left := auditlog.Detached{
			Realm: "demo", ChangeID: asked.Change.ID, Month: month, Digest: digest, Messages: messages, At: time.Now().UTC().Truncate(time.Microsecond),
		}
		seal := b.Seal.SealDetached(left)
		if month == "2025-02" {
			left.Messages++
		}
		_, err = b.DB.Owner(b.t).Exec(b.t.Context(), "INSERT INTO archived_month VALUES ($1, $2, $3, $4, $5, 0, $6, $7, $8)",
			left.Realm, left.ChangeID, left.Month, left.Digest, left.Messages, left.At, seal.KeyID, seal.MAC[:])
		if err != nil {
			b.t.Fatal(err)
		}
	}
}
