package integrity_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/auth"
	"countersign/internal/clearing"
	"countersign/internal/demo"
	"countersign/internal/identity"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/code"
	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/simulator"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

var ctx = context.Background()

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// withCore is the usual gateway with a core bank.
func withCore(t *testing.T) *servicetest.Env {
	t.Helper()
	server := httptest.NewServer(simulator.NewCore(nil).Handler())
	t.Cleanup(server.Close)
	return servicetest.With(t, servicetest.Options{Core: service.NewCoreBank(service.CoreBankConfig{
		Address: server.URL, Within: 5 * time.Second, Log: slog.New(slog.DiscardHandler),
	})})
}

// places are the keys of messages that a tampering may strike, by what became of them.
type places map[string][]string

// fill brings a believable number of messages of both schemes and all kinds to their ends, through the services.
func fill(t *testing.T, h *servicetest.Env, settled int) places {
	t.Helper()
	found := places{}
	add := func(end string, m payment.Message) { found[end] = append(found[end], m.InternalID.String()) }
	populate(t, h)
	limited(t, h, found)
	owner := store.Provisioner{OwnerURL: h.DB.OwnerURL, Keys: storetest.Keys(t), At: h.Clock.Now()}
	_, err := store.ImportReference(t.Context(), owner, store.ReferenceImport{Codes: code.Builtin(), Source: "of the drill"})
	must(t, err)
	for _, scheme := range rulebook.Schemes() {
		for range settled / 2 {
			add("settled", settle(t, h, approve(t, h, h.Create(t, h.Person(t, "maker1"), scheme))))
		}
		for range 2 {
			m := h.Create(t, h.Person(t, "maker2"), scheme)
			_, err := h.Approval.Reject(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID}, "The invoice is paid.")
			must(t, err)
			add("rejected", m)
			add("pending", h.Create(t, h.Person(t, "maker2"), scheme))
			withdrawn := h.Create(t, h.Person(t, "maker1"), scheme)
			_, err = h.Submission.Withdraw(ctx, h.Person(t, "maker1"), withdrawn.InternalID, "Entered twice.")
			must(t, err)
		}
		amended := h.Create(t, h.Person(t, "maker1"), scheme)
		_, err := h.Submission.Amend(ctx, h.Person(t, "maker2"), amended.InternalID, h.Order(scheme))
		must(t, err)
		add("amended", amended)
		for number := range 5 {
			in, document := arrive(t, h, scheme, fmt.Sprintf("TX-%s-%d", scheme[:3], number))
			add("incoming", in)
			if number == 0 {
				sendBack(t, h, in, document)
			}
			if number < 4 { // the others wait in the outbox
				must(t, h.Clearing.Answer(ctx, scheme, "P2"+string(in.GlobalID)))
			}
		}
		add("recall", recallOf(t, h, settle(t, h, approve(t, h, h.Create(t, h.Person(t, "maker1"), scheme)))))
		for number := range 4 {
			order := h.Order(scheme)
			order.IdempotencyKey = fmt.Sprintf("order %d of %s", number, scheme)
			result, err := h.Submission.Create(ctx, h.Person(t, "maker1"), order)
			must(t, err)
			add("keyed", result.Message)
		}
	}
	administer(t, h)
	signIn(t, h)
	found["ended session"] = signInAtPortal(t, h)
	factors(t, h)
	archivesApproved(t, h)
	return found
}

// archivesApproved has two administrators approve two archives, and records each with a payment of one message that had no leaf.
func archivesApproved(t *testing.T, h *servicetest.Env) {
	t.Helper()
	for _, month := range []string{"2024-11", "2024-12"} {
		done := auditlog.Detached{Realm: "demo", Month: month, Digest: strings.Repeat("a", 64), Messages: 1, At: h.Clock.Now().UTC()}
		applied(t, h, service.RequestInput{
			Kind: administration.KindRealmArchived, Values: administration.Values{"archivedMonth": month, "archiveDigest": done.Digest},
		})
		owner := h.DB.Owner(t)
		must(t, owner.QueryRow(ctx, "SELECT change_id FROM realm_change WHERE kind = $1 ORDER BY requested_at DESC, change_id DESC LIMIT 1",
			administration.KindRealmArchived).Scan(&done.ChangeID))
		seal := h.Seal.SealDetached(done)
		_, err := owner.Exec(ctx, "INSERT INTO archived_month VALUES ($1, $2, $3, $4, 1, 0, $5, $6, $7)",
			done.Realm, done.ChangeID, done.Month, done.Digest, done.At, seal.KeyID, seal.MAC[:])
		must(t, err)
		left := auditlog.ArchivedPayment{
			Realm: "demo", PaymentID: uuid.New(), Key: bytes.Repeat([]byte(month[5:]), 16), ChangeID: done.ChangeID, Messages: 1,
		}
		seal = h.Seal.SealArchivedPayment(left)
		_, err = owner.Exec(ctx, "INSERT INTO archived_payment VALUES ($1, $2, $3, $4, 1, NULL, $5, $6)",
			left.Realm, left.PaymentID, left.Key, left.ChangeID, seal.KeyID, seal.MAC[:])
		must(t, err)
	}
}

// backOffice is the client of the demo's back office.
var backOffice = auth.ClientCredentials{ClientID: "demo-backoffice", ClientSecret: demo.ClientSecret}

// signIn lets three people in through the API; two use the refresh token, and one signs out.
func signIn(t *testing.T, h *servicetest.Env) {
	t.Helper()
	for _, name := range []string{"maker1", "checker1"} {
		set, err := h.Auth.Login(ctx, auth.LoginInput{Realm: "demo", Client: backOffice, Name: name, Password: demo.UserPassword})
		must(t, err)
		_, err = h.Auth.Refresh(ctx, auth.RefreshInput{Realm: "demo", Client: backOffice, RefreshToken: set.RefreshToken})
		must(t, err)
	}
	set, err := h.Auth.Login(ctx, auth.LoginInput{Realm: "demo", Client: backOffice, Name: "maker2", Password: demo.UserPassword})
	must(t, err)
	must(t, h.Auth.Logout(ctx, auth.RevokeInput{Realm: "demo", Client: backOffice, Token: set.RefreshToken}))
}

// signInAtPortal opens sessions of the portal and ends one. It returns what stood in the row of that one while it was open: its name, its
// data and its end.
func signInAtPortal(t *testing.T, h *servicetest.Env) []string {
	t.Helper()
	for number := range 4 {
		must(t, h.Sessions.CommitCtx(ctx, fmt.Sprintf("token %d", number), []byte("maker1"), time.Now().Add(time.Hour)))
	}
	ended := "the token of the session that ends"
	must(t, h.Sessions.CommitCtx(ctx, ended, []byte("checker1"), time.Now().Add(time.Hour)))
	var row string
	err := h.DB.Owner(t).QueryRow(ctx, `SELECT token || ' ' || encode(data, 'hex') || ' ' || (extract(epoch FROM expiry) * 1000000)::bigint
		FROM sessions WHERE position('checker1'::bytea IN data) > 0`).Scan(&row)
	must(t, err)
	must(t, h.Sessions.End(ctx, store.SessionEnd{Token: ended, By: h.Person(t, "checker1"), Reason: "sign-out", At: h.Clock.Now()}))
	return []string{row}
}

// factors has two people take authenticator apps up, and one of them sign in with it.
func factors(t *testing.T, h *servicetest.Env) {
	t.Helper()
	for _, name := range []string{"maker1", "checker1"} {
		code, _ := enrol(t, h, name)
		set := signInWith(t, h, name, code(0))
		_, err := h.Auth.Refresh(ctx, auth.RefreshInput{Realm: "demo", Client: backOffice, RefreshToken: set.RefreshToken})
		must(t, err)
		if name == "checker1" {
			approveWithFactor(t, h, code(1))
		}
	}
}

// enrol has somebody take an authenticator app up, and returns the codes that it shows, and the recovery codes.
func enrol(t *testing.T, h *servicetest.Env, name string) (code func(steps int) string, recovery []string) {
	t.Helper()
	by := h.Person(t, name)
	by.Channel, by.ClientID = identity.ChannelPortal, identity.PortalClient
	fresh, err := h.Auth.NewTOTP(by)
	must(t, err)
	code = func(steps int) string {
		code, err := totp.GenerateCode(fresh.Key, h.Clock.Now().Add(time.Duration(steps)*30*time.Second))
		must(t, err)
		return code
	}
	recovery, err = h.Auth.Enrol(ctx, auth.EnrolInput{
		FactorChange: auth.FactorChange{By: by, Password: demo.UserPassword}, Name: "Phone", Held: fresh.Held, Code: code(-1),
	})
	must(t, err)
	return code, recovery
}

// signInWith signs somebody in with a second factor.
func signInWith(t *testing.T, h *servicetest.Env, name, code string) auth.TokenSet {
	t.Helper()
	set, err := h.Auth.Login(ctx, auth.LoginInput{
		Realm: "demo", Client: backOffice, Name: name, Password: demo.UserPassword, SecondFactor: code,
	})
	must(t, err)
	return set
}

// applied has two administrators make a change, and returns link and code of the account that it makes.
func applied(t *testing.T, h *servicetest.Env, in service.RequestInput) (link, code string) {
	t.Helper()
	asked, err := h.Admin.Request(ctx, h.Person(t, "admin1"), in)
	must(t, err)
	decided, err := h.Admin.Decide(ctx, h.Person(t, "admin2"), service.DecideInput{ChangeID: asked.Change.ID, Approve: true})
	must(t, err)
	return strings.TrimPrefix(decided.SetUpPath, identity.SetUpPath(demo.Realm, "")), asked.Code
}

// setUp has somebody set the first password of an account.
func setUp(t *testing.T, h *servicetest.Env, link, code string) {
	t.Helper()
	must(t, h.Auth.SetUp(ctx, auth.SetUpInput{
		Realm: demo.Realm, Link: link, Code: code, Password: demo.UserPassword, SourceAddress: "192.0.2.7",
	}))
}

// newcomer is the change that makes an account of a maker.
func newcomer(name string) service.RequestInput {
	return service.RequestInput{
		Kind: administration.KindUserCreate, Values: administration.Values{"name": name, "displayName": "The " + name, "roles": "maker"},
	}
}

// approveWithFactor brings a payment to its approval whose policy asks for a second factor.
func approveWithFactor(t *testing.T, h *servicetest.Env, code string) {
	t.Helper()
	_, err := h.DB.Owner(t).Exec(ctx, `INSERT INTO policy (realm, policy_id, rank, amount_from, amount_to, approvals_required, step_up,
		pending_seconds, created_at) VALUES ('demo', gen_random_uuid(), 900, 777, 777, 1, true, 86400, '2020-01-01')`)
	must(t, err)
	h.DB.SealMasterData(t)
	order := h.Order(rulebook.SchemeSIC)
	servicetest.SetAmount(order.Document, "7.77")
	made, err := h.Submission.Create(ctx, h.Person(t, "maker1"), order)
	must(t, err)
	m := made.Message
	_, err = h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{
		InternalID: m.InternalID, ContentHash: &m.ContentHash, StepUp: identity.FactorAnswer{Code: code},
	})
	must(t, err)
}

// limited has two administrators set limits, and releases payments that take of them.
func limited(t *testing.T, h *servicetest.Env, found places) {
	t.Helper()
	for _, values := range []administration.Values{
		{"limitOf": "account", "holder": "CH5021977000004331346", "perDay": "1000000.00"},
		{"limitOf": "person", "holder": "maker2", "currency": "CHF", "perPayment": "5000.00", "perDay": "900000.00"},
		{"limitOf": "client", "holder": "demo-backoffice", "currency": "EUR", "perPayment": "5000.00"},
	} {
		applied(t, h, service.RequestInput{Kind: administration.KindLimitSet, Values: values})
	}
	h.Clock.Add(2 * time.Minute)
	for range 8 {
		m := settle(t, h, approve(t, h, h.Create(t, h.Person(t, "maker2"), rulebook.SchemeSIC)))
		found["limited"] = append(found["limited"], m.InternalID.String())
	}
}

// administer has two administrators change something.
func administer(t *testing.T, h *servicetest.Env) {
	t.Helper()
	asks := []service.RequestInput{
		{Kind: administration.KindProviderSet, Values: administration.Values{
			"issuer": "https://login.bank.example", "providerClient": "countersign", "portalAddress": "https://payments.bank.example",
		}},
		{Kind: administration.KindWebhookCreate, Values: administration.Values{"url": "https://erp.bank.example/events"}},
		{Kind: administration.KindWebhookCreate, Values: administration.Values{"url": "https://erp.bank.example/2", "events": "message.settled"}},
		{Kind: administration.KindUserLink, Subject: "maker1", Values: administration.Values{"outerSubject": "s-1"}},
		{Kind: administration.KindUserLink, Subject: "checker1", Values: administration.Values{"outerSubject": "s-2"}},
	}
	for number := range 6 {
		asks = append(asks, service.RequestInput{
			Kind: administration.KindClientCreate, Values: administration.Values{"clientId": fmt.Sprintf("drill-%d", number), "kind": "public"},
		})
	}
	for _, ask := range asks {
		applied(t, h, ask)
	}
}

func approve(t *testing.T, h *servicetest.Env, m payment.Message) payment.Message {
	t.Helper()
	m, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID})
	must(t, err)
	return m
}

// settle sends a released message and has clearing say that the payment was settled.
func settle(t *testing.T, h *servicetest.Env, m payment.Message) payment.Message {
	t.Helper()
	must(t, h.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID))
	receive(t, h, m.Scheme, "ST-"+string(m.GlobalID), &iso20022.FIToFIPaymentStatusReport{
		GroupHeader: iso20022.GroupHeader91{MessageID: "ST-" + string(m.GlobalID), CreationDateTime: "2026-03-02T11:00:01Z"},
		TransactionInformationAndStatus: []iso20022.PaymentTransaction110{
			{OriginalTransactionID: string(m.GlobalID), TransactionStatus: "ACSC"},
		},
	})
	now, err := h.Reader.Message(ctx, m.Realm, m.InternalID)
	must(t, err)
	return now
}

func receive(t *testing.T, h *servicetest.Env, scheme rulebook.Scheme, reference string, document iso20022.Document) {
	t.Helper()
	content, err := codec.EncodeXML(document)
	must(t, err)
	must(t, h.Clearing.Receive(ctx, clearing.Document{Scheme: scheme, Reference: reference, Content: content, ReceivedAt: h.Clock.Now()}))
}

// arrive brings another bank's payment in.
func arrive(t *testing.T, h *servicetest.Env, scheme rulebook.Scheme, transactionID string) (payment.Message,
	*iso20022.FIToFICustomerCreditTransfer,
) {
	t.Helper()
	order := servicetest.Document(scheme, 900, h.Clock.Now())
	order.PaymentInformation[0].CreditTransferTransactionInformation[0].CreditorAccount.ID.IBAN = map[rulebook.Scheme]string{
		rulebook.SchemeSIC: "CH5021977000004331346", rulebook.SchemeSCT: "DE62007620110623852957",
	}[scheme]
	document, err := interbank.CreditTransfer(interbank.CreditTransferInput{
		Scheme: scheme, Order: order, TransactionID: transactionID, Reference: "IN-" + transactionID,
		UETR: "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10", From: interbank.Account{
			IBAN: "CH4821966000009613388", Holder: interbank.Holder{Name: "Peter Haller", Town: "Zuerich", Country: "CH"},
			AgentBIC: "BBBBCHZZXXX", AgentIID: "21966",
		},
		CreditorAgent: "AAAADEFFXXX", AcceptedAt: h.Clock.Now(), Day: h.Clock.Now(),
	})
	must(t, err)
	receive(t, h, scheme, "IN-"+transactionID, document)
	realm, id, err := h.Incoming(ctx, scheme, transactionID)
	must(t, err)
	m, err := h.Reader.Message(ctx, realm, id)
	must(t, err)
	return m, document
}

// sendBack has the other bank recall a payment, and returns it.
func sendBack(t *testing.T, h *servicetest.Env, in payment.Message, document *iso20022.FIToFICustomerCreditTransfer) {
	t.Helper()
	recall, err := interbank.CancellationRequest(interbank.RTransactionInput{
		Request: rulebook.Request{Reason: "CUST"}, Scheme: in.Scheme, Original: document, MessageID: "RE1", ID: "RE1", At: h.Clock.Now(),
	})
	must(t, err)
	receive(t, h, in.Scheme, "RE1", recall)
	request(t, h, payment.RTransaction{
		Request: rulebook.Request{Reason: "FOCR"}, Kind: payment.KindReturn, Scheme: in.Scheme, OriginalID: in.InternalID,
	})
}

func recallOf(t *testing.T, h *servicetest.Env, paid payment.Message) payment.Message {
	t.Helper()
	return request(t, h, payment.RTransaction{
		Request: rulebook.Request{Reason: "DUPL"}, Kind: payment.KindRecall, Scheme: paid.Scheme, OriginalID: paid.InternalID,
	})
}

// request makes an R-transaction, has it approved and sends it.
func request(t *testing.T, h *servicetest.Env, in payment.RTransaction) payment.Message {
	t.Helper()
	result, err := h.Submission.CreateRTransaction(ctx, h.Person(t, "maker1"), in)
	must(t, err)
	m := approve(t, h, result.Message)
	must(t, h.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID))
	return m
}

// TestACheckSinceACheckpointKnowsEarlierPayments: of the payments of a day under one limit, some are older than the checkpoint.
func TestACheckSinceACheckpointKnowsEarlierPayments(t *testing.T) {
	t.Parallel()
	h := withCore(t)
	limited(t, h, places{})
	h.Notary.Sweep(ctx)
	before := audit(t, h, h.DB.OwnerURL).Newest
	settle(t, h, approve(t, h, h.Create(t, h.Person(t, "maker2"), rulebook.SchemeSIC)))
	h.Notary.Sweep(ctx)
	primary, err := url.Parse(h.DB.OwnerURL)
	must(t, err)
	query := primary.Query()
	query.Set("target_session_attrs", "read-write") // the check reads, also through the address of the primary alone
	primary.RawQuery = query.Encode()
	since := audit(t, h, primary.String(), before...)
	if since.Messages != 1 {
		t.Errorf("%d messages since the checkpoint, want 1", since.Messages)
	}
	for _, i := range since.Invariants {
		for _, v := range i.Violations {
			t.Errorf("%s is broken by %s %s: %s", i.ID, v.Table, v.Key, v.What)
		}
	}
}
