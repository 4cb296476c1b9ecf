package service_test

import (
	"errors"
	"strings"
	"testing"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
)

// forgeries are columns that say something else than the document beside them, and the field that is named.
var forgeries = []struct {
	column, value, field string
}{
	{"amount", "2100", "amount"},
	{"currency", "'EUR'", "amount"},
	{"creditor_name", "'Somebody Else'", "creditor's name"},
	{"creditor_account", "'CH9300762011623852957'", "creditor's account"},
	{"creditor_agent", "'09000'", "creditor's bank"},
	{"debtor_name", "'Somebody Else'", "debtor's name"},
	{"debtor_account", "'CH7280005000088877766'", "debtor's account"},
	{"debtor_agent", "'09000'", "debtor's bank"},
	{"remittance", "'Invoice 1'", "remittance"},
	{"instruction_id", "'OTHER'", "instruction ID"},
	{"end_to_end_id", "'OTHER'", "end-to-end ID"},
	{"transaction_id", "'OTHER'", "transaction ID"},
	{"uetr", "'8a562c67-ca16-48ba-b074-65581be6f001'", "UETR"},
}

// TestWhatIsShownIsWhatIsSigned: a row written by the application's role whose columns tell another payment than its document is withheld
// from every reader, and nobody approves or rejects it, not even by the digest of that document.
func TestWhatIsShownIsWhatIsSigned(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	checker := h.Person(t, "checker1")
	for _, forged := range forgeries {
		m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
		if seen, err := h.Reader.Message(ctx, "demo", m.InternalID); err != nil || seen.Withheld != "" || seen.Difference() != "" {
			t.Fatalf("an honest message is withheld: %q %v", seen.Withheld, err)
		}
		id := servicetest.Forge(t, h.DB, m, map[string]string{forged.column: forged.value})
		seen, err := h.Reader.Message(ctx, "demo", id)
		if err != nil || seen.Withheld == "" || !strings.Contains(seen.Difference().String(), " in this part: "+forged.field+".") {
			t.Errorf("%s: %q, %q: %v", forged.column, seen.Withheld, seen.Difference(), err)
		}
		var withheld *payment.WithheldError
		_, err = h.Approval.Approve(ctx, checker, service.Input{InternalID: id, ContentHash: &m.ContentHash, Version: 1})
		if !errors.As(err, &withheld) {
			t.Errorf("%s: approved: %v", forged.column, err)
		}
		_, err = h.Approval.Reject(ctx, checker, service.Input{InternalID: id}, "Not what I ordered.")
		if !errors.As(err, &withheld) {
			t.Errorf("%s: rejected: %v", forged.column, err)
		}
	}
	var releases, refusals int
	err := h.DB.Owner(t).QueryRow(ctx, `SELECT (SELECT count(*) FROM release),
		(SELECT count(*) FROM audit_event WHERE outcome = 'refused' AND detail LIKE '%"withheld"%')`).Scan(&releases, &refusals)
	if err != nil || releases != 0 || refusals != 2*len(forgeries) {
		t.Errorf("%d releases, %d refusals in the audit trail: %v", releases, refusals, err)
	}
}
