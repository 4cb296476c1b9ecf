package clearing_test

import (
	"crypto/sha256"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/auditlog"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/keyring"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

// superuser is a connection that is held by no constraint, as somebody who owns the database could have one.
func superuser(t *testing.T, h *servicetest.Env) *pgx.Conn {
	t.Helper()
	conn := h.DB.Connect(t)
	execute(t, conn, `SET session_replication_role = replica; DO $$
		DECLARE c record;
		BEGIN
			FOR c IN SELECT conrelid::regclass AS place, conname FROM pg_constraint WHERE contype = 'c'
				AND connamespace = 'public'::regnamespace LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', c.place, c.conname);
			END LOOP;
		END $$`)
	return conn
}

func execute(t *testing.T, conn *pgx.Conn, statement string, values ...any) {
	t.Helper()
	_, err := conn.Exec(ctx, statement, values...)
	if err != nil {
		t.Fatal(err)
	}
}

// mallorys is a payment nobody entered: CHF 19,999.00 to Mallory.
func mallorys(t *testing.T, h *servicetest.Env, reference string) []byte {
	t.Helper()
	order := servicetest.Document(rulebook.SchemeSIC, 666, h.Clock.Now())
	servicetest.SetAmount(order, "19999.00")
	order.PaymentInformation[0].CreditTransferTransactionInformation[0].Creditor.Name = "Mallory"
	document, err := interbank.CreditTransfer(interbank.CreditTransferInput{
		Scheme: rulebook.SchemeSIC, Order: order, TransactionID: "FORGED", Reference: reference, UETR: "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10",
		From: interbank.Account{
			IBAN: "CH5021977000004331346", Holder: interbank.Holder{Name: "Muster AG", Town: "Bern", Country: "CH"}, AgentBIC: "AAAACHBBXXX",
			AgentIID: "21977",
		},
		AcceptedAt: h.Clock.Now(), Day: h.Clock.Now(),
	})
	if err != nil {
		t.Fatal(err)
	}
	content, err := codec.EncodeXML(document)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// listen lets the test read what the service logs.
func listen(h *servicetest.Env) *testutil.Log {
	log := &testutil.Log{}
	h.Log = log
	return log
}

func alarms(log *testutil.Log) int { return strings.Count(log.String(), "alarm=true") }

// look lets enough time go by for the watch to take up what it finds, many times.
func look(h *servicetest.Env) {
	for range 10 {
		h.Clock.Add(5 * time.Second)
		h.Clearing.RunOnce(ctx)
	}
}

// nothingOf fails when clearing got anything that has the text in it.
func nothingOf(t *testing.T, h *servicetest.Env, what, text string) {
	t.Helper()
	for _, d := range h.Network.Delivered() {
		if strings.Contains(d.Content, text) || strings.Contains(d.Reference, text) {
			t.Errorf("%s: clearing got %s: %s", what, d.Reference, d.Content)
		}
	}
}

func TestTheOutboxSendsOnlyWhatTheGatewayPutThere(t *testing.T) {
	t.Parallel()
	const insert = `INSERT INTO outbox (scheme, reference, name, content, created_at, key_id, mac) VALUES ('sic-inst', $1, $2, $3, $4, $5, $6)`
	h := servicetest.New(t)
	log := listen(h)
	content, then := mallorys(t, h, "FORGED1"), h.Clock.Now()
	mac := sha256.Sum256([]byte("guessed"))
	app := h.DB.ConnectAsApplication(t, "demo")
	for _, forged := range []struct{ reference, name, key string }{
		{"FORGED1", "pacs.002.001.10", "test"}, {"FORGED2", "camt.025.001.05", "test"},
	} {
		execute(t, app, insert, forged.reference, forged.name, content, then, forged.key, mac[:])
	}
	execute(t, app, insert, "FORGED3", "pacs.002.001.10", content, then, "no-such-key", mac[:])
	owner := superuser(t, h)
	execute(t, owner, insert, "FORGED4", "pacs.008.001.08", content, then, "test", mac[:])
	execute(t, owner, insert, "FORGED5", "pacs.008.001.08", content, then, "", []byte{})
	for _, name := range []iso20022.MessageName{"pacs.008.001.08", "pacs.004.001.09", "camt.056.001.08", "camt.029.001.09"} {
		// Even with the key: a payment never leaves from the outbox.
		a := auditlog.Answer{Scheme: string(rulebook.SchemeSIC), Reference: "SEALED-" + string(name), Name: name, Content: content}
		seal := h.Seal.SealAnswer(a)
		execute(t, owner, insert, a.Reference, string(name), content, then, seal.KeyID, seal.MAC[:])
	}
	look(h)
	nothingOf(t, h, "the outbox", "Mallory")
	var refused, held int
	err := owner.QueryRow(
		ctx,
		`SELECT count(refused_at), count(*) FILTER (WHERE refused_at IS NULL) FROM outbox WHERE delivered_at IS NULL`,
	).Scan(&refused, &held)
	if err != nil || refused != 8 || held != 1 {
		t.Errorf("%d refused and %d held, want 8 and 1: %v", refused, held, err)
	}
	if n := alarms(log); n != 9 {
		t.Errorf("%d alarms for 9 rows, looked at ten times:\n%s", n, log)
	}
}

func TestAChangedAnswerIsNotSent(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]string{
		"content":   "UPDATE outbox SET content = convert_to(replace(convert_from(content, 'UTF8'), 'ACCP', 'RJCT'), 'UTF8')",
		"name":      "UPDATE outbox SET name = 'camt.025.001.05'",
		"reference": "UPDATE outbox SET reference = 'P2OTHER'",
		"scheme":    "UPDATE outbox SET scheme = 'sct-inst'",
		"MAC":       "UPDATE outbox SET mac = sha256('x')",
		"no seal":   "UPDATE outbox SET mac = '', key_id = ''",
		"document": "UPDATE outbox SET content = NULL, document_realm = 'demo', name = 'pacs.004.001.09', document_id = (SELECT document_id " +
			"FROM document WHERE direction = 'out' LIMIT 1)",
	} {
		h := servicetest.New(t)
		log := listen(h)
		booked(t, h, rulebook.SchemeSIC, "TX1")
		execute(t, superuser(t, h), change)
		look(h)
		if sent := h.Network.Delivered(); len(sent) != 0 || alarms(log) != 1 {
			t.Errorf("%s: clearing got %v, %d alarms", what, sent, alarms(log))
		}
	}
}

// TestAMarkOfDeliveryThatSomebodyMadeCountsForNothing: an answer that waits is marked as delivered past the gateway. It is not told as
// delivered, and leaves once it is asked for again; the gateway's own mark counts.
func TestAMarkOfDeliveryThatSomebodyMadeCountsForNothing(t *testing.T) {
	t.Parallel()
	for who, mark := range map[string]string{
		"a guessed seal":  "delivery_key_id = 'test', delivery_mac = sha256('guessed')",
		"an unknown key":  "delivery_key_id = 'another', delivery_mac = sha256('guessed')",
		"the answer's":    "delivery_key_id = key_id, delivery_mac = mac",
		"a seal, and key": "delivery_key_id = NULL, delivery_mac = sha256('guessed')",
	} {
		h := servicetest.New(t)
		m, _ := booked(t, h, rulebook.SchemeSIC, "TX1")
		execute(t, superuser(t, h), "UPDATE outbox SET delivered_at = now(), "+mark)
		told := func() (delivered bool) {
			t.Helper()
			documents, err := h.Reader.Documents(ctx, m.Realm, store.DocumentFilter{MessageID: m.InternalID, PageSize: 10})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range documents {
				if d.Name == "pacs.002.001.10" {
					delivered = d.Delivered
				}
			}
			return delivered
		}
		if told() {
			t.Errorf("%s: it is told as delivered", who)
		}
		for range 2 {
			err := h.Clearing.Answer(ctx, m.Scheme, "P2"+string(m.GlobalID))
			if err != nil {
				t.Fatal(err)
			}
		}
		if sent := h.Network.Delivered(); len(sent) != 1 || !told() {
			t.Errorf("%s: clearing got it %d times, and it is told as delivered: %t", who, len(sent), told())
		}
	}
}

// plant writes a document under the reference that the message's own will need. mac is what the planter makes of the seal.
func plant(t *testing.T, conn *pgx.Conn, m payment.Message, reference string, content []byte, keyID string, mac []byte) {
	t.Helper()
	execute(
		t, conn,
		`INSERT INTO document (realm, document_id, message_id, scheme, direction, name, reference, content, content_hash, created_at, key_id, mac)
		VALUES ($1, gen_random_uuid(), $2, $3, 'out', 'pacs.008.001.08', $4, $5, sha256($5), now(), $6, $7)`,
		m.Realm, m.InternalID, string(m.Scheme), reference, content, keyID, append([]byte{}, mac...),
	)
}

func TestAPlantedDocumentIsNotSentInPlaceOfTheApprovedOne(t *testing.T) {
	t.Parallel()
	guessed := sha256.Sum256([]byte("guessed"))
	for _, planter := range []string{"application", "superuser", "superuser without a seal", "superuser with another message's seal"} {
		h := servicetest.New(t)
		log := listen(h)
		other := approved(t, h, rulebook.SchemeSIC)
		send(t, h, other)
		m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
		content := mallorys(t, h, m.Reference())
		switch planter {
		case "application":
			plant(t, h.DB.ConnectAsApplication(t, "demo"), m, m.Reference(), content, "test", guessed[:])
		case "superuser":
			plant(t, superuser(t, h), m, m.Reference(), content, "test", guessed[:])
		case "superuser without a seal":
			plant(t, superuser(t, h), m, m.Reference(), content, "", nil)
		default:
			owner := superuser(t, h)
			execute(
				t, owner,
				`INSERT INTO document (realm, document_id, message_id, scheme, direction, name, reference, content, content_hash, created_at, key_id,
				mac)
				SELECT realm, gen_random_uuid(), message_id, scheme, direction, name, $1, content, content_hash, created_at, key_id, mac FROM document
				  WHERE reference = $2`,
				m.Reference(), other.Reference(),
			)
		}
		_, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID, ContentHash: &m.ContentHash})
		if err != nil {
			t.Fatal(planter, err)
		}
		send(t, h, m)
		look(h)
		nothingOf(t, h, planter, "Mallory")
		for _, d := range h.Network.Delivered() {
			if !strings.Contains(d.Reference, string(other.GlobalID)) {
				t.Errorf("%s: clearing got %s", planter, d.Reference)
			}
		}
		want{payment.StateFailed, "DS0H"}.check(t, h, m)
		if n := alarms(log); n != 1 {
			t.Errorf("%s: %d alarms", planter, n)
		}
		var audited int
		err = h.DB.Owner(t).QueryRow(
			ctx, "SELECT count(*) FROM audit_event WHERE message_id = $1 AND event LIKE '%withhold%'", m.InternalID,
		).Scan(&audited)
		if err != nil || audited != 1 {
			t.Errorf("%s: %d audit rows of the withholding: %v", planter, audited, err)
		}
	}
}

func TestAPlantedReportKeepsNoPaymentFromItsEnd(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	m := approved(t, h, rulebook.SchemeSIC)
	send(t, h, m)
	mac := sha256.Sum256([]byte("guessed"))
	execute(
		t, h.DB.ConnectAsApplication(t, "demo"),
		`INSERT INTO document (realm, document_id, message_id, scheme, direction, name, reference, content, content_hash, created_at, key_id, mac)
		SELECT realm, gen_random_uuid(), message_id, scheme, 'out', 'pain.002.001.10', 'R' || global_id || '-' || (state_sequence + 1), 'x',
		  sha256('x'), now(), 'test', $1 FROM message`,
		mac[:],
	)
	receive(t, h, answer(t, m, "A1", "ACSC", ""))
	want{state: payment.StateSettled}.check(t, h, m)
	reports := map[bool]int{}
	documents, err := h.Reader.Documents(ctx, m.Realm, store.DocumentFilter{MessageID: m.InternalID, PageSize: 50})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range documents {
		if d.Name == "pain.002.001.10" {
			reports[d.Withheld == ""]++
		}
	}
	if reports[true] != 1 || reports[false] != 1 {
		t.Errorf("%d good reports and %d withheld, want one of each", reports[true], reports[false])
	}
}

func TestWhatTheReleaseBindsCannotBeChanged(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]string{
		"Global ID":  "UPDATE message SET global_id = 'DM00000000000000'",
		"scheme":     "UPDATE message SET scheme = 'sct-inst'",
		"kind":       "UPDATE message SET kind = 'return'",
		"created at": "UPDATE message SET created_at = created_at - interval '1 day'",
		"accepted at": "UPDATE message SET accepted_at = accepted_at - interval '1 second'; UPDATE release SET accepted_at = " +
			"accepted_at - interval '1 second'",
		"makers": "UPDATE message_version SET makers = ARRAY[gen_random_uuid()]; UPDATE release SET makers = (SELECT makers FROM " +
			"message_version)",
		"version":            "UPDATE release SET version = 2; UPDATE message SET version = 2; UPDATE message_version SET version = 2",
		"account of release": "UPDATE release SET account_digest = sha256('x')",
		"holder":             "UPDATE debtor_account SET holder_name = 'Mallory'",
		"address":            "UPDATE debtor_account SET holder_street = 'Nowhere'",
		"BIC":                "UPDATE debtor_account SET agent_bic = 'MALLCHZZXXX'",
		"IID":                "UPDATE debtor_account SET agent_iid = '99999'",
		"account closed":     "DELETE FROM debtor_account",
		"approvals":          "UPDATE message SET approvals_required = 0; UPDATE release SET approvals_required = 0",
		"creditor":           "UPDATE message_version SET creditor_name = 'Mallory'",
		"no seal":            "UPDATE message_version SET key_id = '', seal = ''",
	} {
		h := servicetest.New(t)
		log := listen(h)
		m := approved(t, h, rulebook.SchemeSIC)
		execute(t, superuser(t, h), change)
		send(t, h, m)
		if sent := h.Network.Delivered(); len(sent) != 0 {
			t.Errorf("%s: clearing got %v", what, sent)
		}
		var state, code string
		err := h.DB.Owner(t).QueryRow(ctx, "SELECT state, coalesce(status_code, '') FROM message WHERE message_id = $1", m.InternalID).Scan(
			&state, &code,
		)
		if err != nil || state != "Failed" || code != "DS0H" || alarms(log) != 1 {
			t.Errorf("%s: the message is %s %s with %d alarms: %v", what, state, code, alarms(log), err)
		}
	}
}

func TestAChangedMessageIsWithheldFromEverybody(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]string{
		"amount":           "UPDATE message_version SET amount = 2100",
		"currency":         "UPDATE message_version SET currency = 'EUR'",
		"creditor":         "UPDATE message_version SET creditor_name = 'Peter Halter'",
		"creditor account": "UPDATE message_version SET creditor_account = 'CH9300762011623852957'",
		"creditor agent":   "UPDATE message_version SET creditor_agent = 'X'",
		"debtor":           "UPDATE message_version SET debtor_name = 'X'",
		"debtor account":   "UPDATE message_version SET debtor_account = 'CH7280005000088877766'",
		"end-to-end ID":    "UPDATE message_version SET end_to_end_id = 'X'",
		"remittance":       "UPDATE message_version SET remittance = 'X'",
		"external id":      "UPDATE message SET external_id = 'X'",
		"approvals":        "UPDATE message SET approvals_required = 0",
		"policy":           "UPDATE message SET policy_id = gen_random_uuid()",
		"makers":           "UPDATE message_version SET makers = ARRAY[gen_random_uuid()]",
		"digest":           "UPDATE message_version SET content_hash = sha256('x')",
		"Global ID":        "UPDATE message SET global_id = 'DM00000000000000'",
		"maker":            "UPDATE message SET maker_user = (SELECT user_id FROM user_account WHERE name = 'both1' AND realm = 'demo')",
		"no seal":          "UPDATE message_version SET key_id = '', seal = ''",
	} {
		h := servicetest.New(t)
		m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
		if got := current(t, h, m).Withheld; got != "" {
			t.Fatalf("untouched, it is withheld: %s", got)
		}
		execute(t, superuser(t, h), change)
		_, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID})
		var withheld *payment.WithheldError
		if !errors.As(err, &withheld) {
			t.Errorf("%s: the approval got %v", what, err)
		}
		listed, err := h.Reader.Queue(ctx, m.Realm, store.QueueFilter{PageSize: 10})
		if err != nil || len(listed) != 1 || listed[0].Withheld == "" || current(t, h, m).Withheld == "" {
			t.Errorf("%s: the queue shows it as if nothing were wrong: %v", what, err)
		}
		if n := len(h.Network.Delivered()); n != 0 {
			t.Errorf("%s: clearing got %d documents", what, n)
		}
	}
}

// TestAReleasePlantedWithItsKeyIsNotSent: a superuser with the key of releases makes the release of a payment that waits.
func TestAReleasePlantedWithItsKeyIsNotSent(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	log, other, m := listen(h), approved(t, h, rulebook.SchemeSIC), h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	conn := superuser(t, h)
	var account []byte
	err := conn.QueryRow(ctx, "SELECT account_digest FROM release WHERE message_id = $1", other.InternalID).Scan(&account)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := keyring.Parse([]byte(storetest.Key), "bare")
	if err != nil {
		t.Fatal(err)
	}
	keys, err = keys.Derive("release")
	if err != nil {
		t.Fatal(err)
	}
	var f keyring.Fields
	f.Text("countersign release 2", m.Realm)
	f.ID(m.InternalID)
	f.Text(string(m.GlobalID), string(m.Kind), string(m.Scheme))
	f.Number(1)
	f.List(m.Makers)
	f.List(nil)
	f.Bytes(m.ContentHash[:])
	f.Bytes(account)
	f.Moment(m.CreatedAt)
	f.Moment(m.CreatedAt)
	mac := keys.Seal(f).MAC
	execute(t, conn, `WITH r AS (UPDATE message SET accepted_at = created_at WHERE message_id = $1)
		INSERT INTO release (realm, message_id, version, makers, content_hash, approvals_required, accepted_at, key_id, mac, account_digest)
		SELECT realm, message_id, version, makers, content_hash, 0, created_at, 'test', $2, $3 FROM message_version WHERE message_id = $1`,
		m.InternalID, mac[:], account)
	out, err := h.Messages.Outgoing(ctx, m.Realm, m.InternalID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = h.Seal.Verify(out.Release, out.Message); err != nil {
		t.Fatal("the planted release does not fit its own seal:", err)
	}
	err = h.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID)
	if sent := len(h.Network.Delivered()); sent != 0 || alarms(log) == 0 {
		t.Errorf("%d documents were sent, with %d alarms: %v", sent, alarms(log), err)
	}
}

// TestAReleaseThatItsAuditRowsDoNotProveIsNotSent: a superuser with the key of releases lacks the key of audit rows. A payment
// whose release this gateway did not decide leaves only with the rows of all its moves. Without their key it is held.
func TestAReleaseThatItsAuditRowsDoNotProveIsNotSent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		changed string
		held    bool
	}{
		"seals voided":                 {changed: "UPDATE audit_event SET seal = sha256('') WHERE message_id = $1"},
		"seal of the creation voided":  {changed: "UPDATE audit_event SET seal = sha256('') WHERE message_id = $1 AND sequence = 1"},
		"audit row of release deleted": {changed: "DELETE FROM audit_event WHERE message_id = $1 AND sequence = 2"},
		"decision deleted":             {changed: "DELETE FROM decision WHERE message_id = $1"},
		"key of the rows is missing":   {changed: "UPDATE audit_event SET key_id = 'gone' WHERE message_id = $1", held: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := servicetest.New(t)
			log := listen(h)
			m := approved(t, h, rulebook.SchemeSIC)
			conn := h.DB.Connect(t)
			execute(t, conn, "SET session_replication_role = replica")
			h.CheckInvariants(t)
			execute(t, conn, c.changed, m.InternalID)
			named := 0
			for _, invariant := range h.Check(t).Invariants {
				named += len(invariant.Violations)
			}
			err := h.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID)
			if errors.Is(err, payment.ErrUnknownKey) != c.held || !c.held && err != nil {
				t.Errorf("it is sent: %v", err)
			}
			after := want{payment.StateFailed, "DS0H"}
			if c.held {
				after = want{state: payment.StateApproved}
			}
			if sent := len(h.Network.Delivered()); sent != 0 || alarms(log) != 1 || named == 0 {
				t.Errorf("%d documents were sent, with %d alarms and %d rows named", sent, alarms(log), named)
			}
			after.check(t, h, m)
		})
	}
}
