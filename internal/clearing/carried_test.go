package clearing_test

import (
	"testing"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
)

// outbound is how many documents to clearing are stored of a message, and how many of them by the transaction that released it.
func outbound(t *testing.T, h *servicetest.Env, m payment.Message) (stored, released int) {
	t.Helper()
	must(t, h.DB.Owner(t).QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE d.xmin = r.xmin)
		FROM document d JOIN release r USING (realm, message_id)
		WHERE d.message_id = $1 AND d.direction = 'out' AND d.reference = $2`, m.InternalID, m.Reference()).Scan(&stored, &released))
	return stored, released
}

// TestWhatIsReleasedIsStoredWithWhatCarriesIt: a process that delivers stores the document to clearing with the release, in one
// transaction, and clearing gets those bytes. One that does not leaves that to the delivery.
func TestWhatIsReleasedIsStoredWithWhatCarriesIt(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	rests := approved(t, h, rulebook.SchemeSIC)
	if stored, _ := outbound(t, h, rests); stored != 0 {
		t.Errorf("a process that does not deliver stored %d documents", stored)
	}
	send(t, h, rests)
	h.Run(t)
	for _, scheme := range rulebook.Schemes() {
		m := approved(t, h, scheme)
		inState(t, h, m, payment.StateProcessing)
		stored, released := outbound(t, h, m)
		if stored != 1 || released != 1 {
			t.Errorf("%s: %d documents are stored, %d with the release", scheme, stored, released)
		}
		var same bool
		sent := h.Network.Delivered()
		last := sent[len(sent)-1]
		must(t, h.DB.Owner(t).QueryRow(ctx, "SELECT content = $2 FROM document WHERE direction = 'out' AND reference = $1",
			m.Reference(), []byte(last.Content)).Scan(&same))
		if last.Reference != m.Reference() || !same {
			t.Errorf("%s: clearing got %s, with the bytes that are stored: %t", scheme, last.Reference, same)
		}
	}
}

// TestAPlantedDocumentKeepsNoApprovalBack: something lies where the document of a release is to be stored. The payment is approved all the
// same, by itself, and withheld when it is to be sent.
func TestAPlantedDocumentKeepsNoApprovalBack(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	log := listen(h)
	h.Run(t)
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	plant(t, superuser(t, h), m, m.Reference(), mallorys(t, h, m.Reference()), "", nil)
	_, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID})
	if err != nil {
		t.Fatal(err)
	}
	inState(t, h, m, payment.StateFailed)
	want{payment.StateFailed, "DS0H"}.check(t, h, m)
	if sent, told := len(h.Network.Delivered()), alarms(log); sent != 0 || told != 1 {
		t.Errorf("%d documents were sent, with %d alarms", sent, told)
	}
}
