package service_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"countersign/internal/account"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
)

// wantUnreached asserts the refusal of a payment whose bank is not known or not reached.
func wantUnreached(t *testing.T, err error, says string) {
	t.Helper()
	var refused *payment.RefusalError
	if !errors.As(err, &refused) || len(refused.Findings) != 1 || refused.Findings[0].Code != "AGNT" ||
		refused.Findings[0].Rule != rulebook.RuleCreditorBankReached || !strings.Contains(refused.Findings[0].Text.String(), says) {
		t.Errorf("got %v, want AGNT with %q", err, says)
	}
}

// load puts a directory of SEPA with these rows in force.
func load(t *testing.T, h *servicetest.Env, edition string, rows ...string) {
	t.Helper()
	d, err := account.ParseDirectory([]byte("edition;" + edition + "\nprefix;bic;name;instant\n" + strings.Join(rows, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	in := store.DirectoryImport{Realm: "demo", Scheme: rulebook.SchemeSCT, Directory: d, Source: "test"}
	changed, err := store.ImportDirectory(t.Context(), h.DB.Provisioner(t), in)
	if err != nil || !changed {
		t.Fatalf("changed %v: %v", changed, err)
	}
	changed, err = store.ImportDirectory(t.Context(), h.DB.Provisioner(t), in)
	if err != nil || changed {
		t.Errorf("the same directory again: changed %v, %v", changed, err)
	}
}

const frenchBank = "FR20041;BBBBFRPPXXX;Demo bank;yes"

// TestTheBankIsReachedFromTheFormToTheWire: the directory routes a payment that names no bank, what it says is shown and sent, and a
// payment that it does not reach is refused before anybody approves: at creation, validation, preview and amendment.
func TestTheBankIsReachedFromTheFormToTheWire(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	maker, checker := h.Person(t, "maker1"), h.Person(t, "checker1")
	m := h.Create(t, maker, rulebook.SchemeSCT)
	if m.Summary.CreditorAgent != "BBBBFRPPXXX" {
		t.Errorf("it shows the bank %q", m.Summary.CreditorAgent)
	}
	approved, err := h.Approval.Approve(ctx, checker, service.Input{InternalID: m.InternalID, ContentHash: &m.ContentHash})
	if err != nil || approved.State != payment.StateApproved {
		t.Fatal(approved.State, err)
	}
	err = h.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID)
	if err != nil {
		t.Fatal(err)
	}
	sent := h.Network.Delivered()
	if len(sent) != 1 || !strings.Contains(sent[0].Content, "<CdtrAgt><FinInstnId><BICFI>BBBBFRPPXXX</BICFI></FinInstnId></CdtrAgt>") ||
		strings.Contains(sent[0].Content, "NOTPROVIDED") {
		t.Errorf("sent: %+v", sent)
	}

	waiting := h.Create(t, maker, rulebook.SchemeSCT)
	load(t, h, "2026-03-01", "FR20041;BBBBFRPPXXX;Demo bank;no", "DE;AAAADEFFXXX;Other bank;yes")
	order := h.Order(rulebook.SchemeSCT)
	_, err = h.Submission.Create(ctx, maker, order)
	wantUnreached(t, err, "According to the bank directory dated 2026-03-01, Demo bank")
	findings, err := h.Submission.Validate(ctx, maker, order)
	if err != nil || len(findings) != 1 || findings[0].Code != "AGNT" {
		t.Errorf("validate: %v %v", findings, err)
	}
	preview, err := h.Submission.Preview(ctx, maker, order)
	if err != nil || len(preview.Findings) != 1 || preview.Findings[0].Code != "AGNT" {
		t.Errorf("preview: %v %v", preview.Findings, err)
	}
	_, err = h.Submission.Amend(ctx, maker, waiting.InternalID, order)
	wantUnreached(t, err, "Demo bank does not accept instant payments")
	_, err = h.Approval.Approve(ctx, checker, service.Input{InternalID: waiting.InternalID, ContentHash: &waiting.ContentHash})
	wantUnreached(t, err, "Demo bank does not accept instant payments")
	rejected, err := h.Approval.Reject(ctx, checker, service.Input{InternalID: waiting.InternalID}, "Its bank is not reached.")
	if err != nil || rejected.State != payment.StateRejected {
		t.Errorf("it cannot be rejected: %v", err)
	}
}

// TestABankThatMovedIsSeenAtTheApproval: what was entered for one bank is not approved for another.
func TestABankThatMovedIsSeenAtTheApproval(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	maker, checker := h.Person(t, "maker1"), h.Person(t, "checker1")
	m := h.Create(t, maker, rulebook.SchemeSCT)
	load(t, h, "2026-03-01", "FR20041;CCCCFRPPXXX;Bank that took it over;yes")
	approve := service.Input{InternalID: m.InternalID, ContentHash: &m.ContentHash}
	_, err := h.Approval.Approve(ctx, checker, approve)
	wantUnreached(t, err, "entered for the bank BBBBFRPPXXX, but the bank directory dated 2026-03-01 shows that the account is at the bank "+
		"CCCCFRPPXXX")
	load(t, h, "2026-03-02", frenchBank)
	approved, err := h.Approval.Approve(ctx, checker, approve)
	if err != nil || approved.State != payment.StateApproved {
		t.Errorf("with the old directory: %v", err)
	}
}

// TestAnOlderDirectoryIsNotUsed: a superuser hides the newest edition, under the head that a gateway has verified. No bank is reached by the
// edition before, and the page says so.
func TestAnOlderDirectoryIsNotUsed(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	load(t, h, "2026-03-01", "FR20041;BBBBFRPPXXX;Demo bank;no", "DE;AAAADEFFXXX;Other bank;yes")
	order := h.Order(rulebook.SchemeSCT)
	_, err := h.Submission.Create(ctx, h.Person(t, "maker1"), order)
	wantUnreached(t, err, "Demo bank does not accept instant payments")
	_, err = h.DB.Connect(t).Exec(ctx, "DELETE FROM routing_directory WHERE scheme = 'sct-inst' AND edition = '2026-03-01'")
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Submission.Create(ctx, h.Person(t, "maker1"), order)
	if err == nil {
		t.Error("a payment is entered by the edition before")
	}
	shown, err := h.Reader.Directories(ctx, "demo")
	if err != nil || !shown[slices.IndexFunc(shown, func(d store.DirectorySummary) bool { return d.Scheme == "sct-inst" })].Broken {
		t.Errorf("the page shows %+v %v", shown, err)
	}
}

// TestADirectoryGoesBackOnlyWhenToldTo: yesterday's file does not replace today's by mistake.
func TestADirectoryGoesBackOnlyWhenToldTo(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	load(t, h, "2026-03-02", frenchBank)
	d, err := account.ParseDirectory([]byte("edition;2026-03-01\nprefix;bic;name;instant\n" + frenchBank))
	if err != nil {
		t.Fatal(err)
	}
	in := store.DirectoryImport{Realm: "demo", Scheme: rulebook.SchemeSCT, Directory: d, Source: "test"}
	_, err = store.ImportDirectory(ctx, h.DB.Provisioner(t), in)
	if !errors.Is(err, store.ErrOlderDirectory) {
		t.Errorf("an older directory: %v", err)
	}
	in.Older = true
	changed, err := store.ImportDirectory(ctx, h.DB.Provisioner(t), in)
	if err != nil || !changed {
		t.Errorf("an older directory on purpose: %v", err)
	}
}

// TestWhoWritesIntoTheDatabaseRedirectsNothing: the service cannot write a directory at all, and one that somebody wrote or changed
// without the key routes nothing: every payment is refused until it is imported anew.
func TestWhoWritesIntoTheDatabaseRedirectsNothing(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	maker := h.Person(t, "maker1")
	app := h.DB.ConnectAsApplication(t, "demo")
	for _, statement := range []string{
		`INSERT INTO routing_directory SELECT realm, gen_random_uuid(), scheme, edition, source, entries, content, content_hash, loaded_at ` +
			`FROM routing_directory`,
		`UPDATE routing_directory SET edition = '2030-01-01'`, `DELETE FROM routing_directory`,
	} {
		_, err := app.Exec(ctx, statement)
		if err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("%s: %v", statement, err)
		}
	}
	owner := h.DB.Connect(t)
	const planted = "edition;2026-03-01\nprefix;bic;name;instant\nFR;ZZZZFRPPXXX;Bank of a thief;yes\n"
	_, err := owner.Exec(
		ctx,
		`INSERT INTO routing_directory (realm, directory_id, scheme, edition, source, entries, content, content_hash, loaded_at)
		SELECT realm, 'ffffffff-ffff-7fff-bfff-ffffffffffff', scheme, edition, source, entries, $1::bytea, sha256($1::bytea), loaded_at
		FROM routing_directory WHERE realm = 'demo' AND scheme = 'sct-inst'`,
		[]byte(planted),
	)
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Submission.Create(ctx, maker, h.Order(rulebook.SchemeSCT))
	wantUnreached(t, err, "bank directory cannot be used because it differs from the imported directory")
	_, err = h.Submission.Create(ctx, maker, h.Order(rulebook.SchemeSIC))
	if err != nil {
		t.Errorf("the other scheme: %v", err)
	}
	var named bool
	for _, i := range h.Check(t).Invariants {
		for _, v := range i.Violations {
			named = named || i.ID == "I33" && v.Table == "routing_directory" && v.Key == "ffffffff-ffff-7fff-bfff-ffffffffffff"
		}
	}
	if !named {
		t.Error("the auditor does not name the planted directory")
	}
}

// TestWithoutADirectoryTheOrderNamesTheBank: SEPA has no other way to the creditor's bank, and no placeholder stands for it.
func TestWithoutADirectoryTheOrderNamesTheBank(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t, "I33")
	_, err := h.DB.Owner(t).Exec(ctx, "DELETE FROM routing_directory")
	if err != nil {
		t.Fatal(err)
	}
	h.DB.SealMasterData(t)
	maker := h.Person(t, "maker1")
	_, err = h.Submission.Create(ctx, maker, h.Order(rulebook.SchemeSCT))
	wantUnreached(t, err, "Enter the BIC of the creditor's bank")
	order := h.Order(rulebook.SchemeSCT)
	order.Document.PaymentInformation[0].CreditTransferTransactionInformation[0].CreditorAgent = bankByBIC("CCCCFRPPXXX")
	created, err := h.Submission.Create(ctx, maker, order)
	if err != nil || created.Message.Summary.CreditorAgent != "CCCCFRPPXXX" {
		t.Errorf("with the BIC: %q %v", created.Message.Summary.CreditorAgent, err)
	}
	m := h.Create(t, maker, rulebook.SchemeSIC)
	if m.Summary.CreditorAgent != "21966" {
		t.Errorf("in SIC the IBAN tells the bank: %q", m.Summary.CreditorAgent)
	}
}

func bankByBIC(bic string) *iso20022.BranchAndFinancialInstitutionIdentification6 {
	return &iso20022.BranchAndFinancialInstitutionIdentification6{
		FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{BICFI: bic},
	}
}
