package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/auditlog"
	"countersign/internal/payee"
	"countersign/web/webtest"
)

// asking is the gateway with the simulator's banks to ask about payees.
func asking(t *testing.T) (*bundle, webtest.Banks) {
	t.Helper()
	banks := webtest.AskBanks(t)
	return &bundle{webtest.With(t, webtest.Options{Payee: banks})}, banks
}

// paying is an order in euro to a name, under keys of its own.
func paying(key, name string) string {
	return strings.NewReplacer(`"EXT"`, `"EXT-`+key+`"`, `"MSG"`, `"MSG-`+key+`"`, "Atelier Exemple SARL", name).Replace(europeanSample)
}

const validateEuropean = "/api/sct-inst/v1/instruction/validate"

// outcomes are the names of the simulator's table, and what becomes of them.
var outcomes = []struct {
	name, matched string
	result        payee.Result
}{
	{"Atelier Exemple SARL", "", payee.Match},
	{"Nearly Right AG", "Nearly Right Holding AG", payee.CloseMatch},
	{"Somebody Else", "", payee.NoMatch},
	{"Not Kept Here", "", payee.NotPossible},
	{"Late Answer", "", payee.Late},
}

func TestEachOutcomeAboutAPayeeIsToldAndKept(t *testing.T) {
	t.Parallel()
	b, _ := asking(t)
	for i, outcome := range outcomes {
		t.Run(string(outcome.result), func(t *testing.T) {
			t.Parallel()
			key := fmt.Sprint(i)
			checked := b.Send(t, call{Path: validateEuropean, Body: paying(key, outcome.name), Who: maker1})
			holds(t, checked, outcome.result, outcome.matched, "success", "payee")
			made := b.Send(t, call{Path: createEuropean, Body: paying(key, outcome.name), Who: maker1})
			holds(t, made, outcome.result, outcome.matched, "payee")
			id := made.Text("identifiers", "internalId")
			read := b.Send(t, get("/api/common/v1/transaction/"+id, checker1))
			holds(t, read, outcome.result, outcome.matched, "transaction", "payee")
			trail := b.Send(t, get("/api/common/v1/transaction/"+id+"/audit", supervisor1))
			var content []byte
			err := b.DB.Owner(t).QueryRow(t.Context(), "SELECT content FROM document WHERE message_id = $1 AND direction = 'in'", id).Scan(&content)
			if err != nil {
				t.Fatal(err)
			}
			said, named := trail.Text("events", 0, "detail", "payee"), trail.Text("events", 0, "detail", "payeeNameHash")
			if said != string(outcome.result) || named != auditlog.PayeeNameHash(content, outcome.matched) {
				t.Errorf("the audit trail says %s %q", said, named)
			}
			decided := b.Send(t, call{Path: approvePath, Body: verdict(id, "approve", ""), Who: checker1})
			if decided.Status != http.StatusOK {
				t.Errorf("it stops the approval: %s", decided.Body)
			}
		})
	}
}

// holds looks at a verification in an answer.
func holds(t *testing.T, a answer, result payee.Result, matched string, at ...any) {
	t.Helper()
	found, _ := a.At(at...).(map[string]any)
	name, _ := found["matchedName"].(string)
	if a.Status != http.StatusOK || found["result"] != string(result) || name != matched || found["at"] == nil {
		t.Errorf("%d with %v, want %s %q in %s", a.Status, found, result, matched, a.Body)
	}
}

func TestABankThatIsLateHoldsASubmissionUpForFiveSeconds(t *testing.T) {
	t.Parallel()
	b, _ := asking(t)
	began := time.Now()
	made := b.Send(t, call{Path: createEuropean, Body: paying("1", "Late Answer"), Who: maker1})
	first := time.Since(began)
	holds(t, made, payee.Late, "", "payee")
	if first < payee.Limit {
		t.Errorf("it did not wait for the answer: %s", first)
	}
	began = time.Now()
	again := b.Send(t, call{Path: createEuropean, Body: paying("2", "Late Answer"), Who: maker1})
	holds(t, again, payee.Late, "", "payee")
	if time.Since(began) >= payee.Limit {
		t.Error("the same question a moment later waits again")
	}
}

func TestNobodyIsAskedWithoutNeed(t *testing.T) {
	t.Parallel()
	b, banks := asking(t)
	swiss := b.Send(t, call{Path: createSwiss, Body: sample, Who: maker1})
	urgent := strings.Replace(paying("2", "Somebody Else"), `"Cd":"SEPA"`, `"Cd":"URGP"`, 1)
	refused := b.Send(t, call{Path: createEuropean, Body: urgent, Who: maker1})
	forbidden := b.Send(t, call{Path: createEuropean, Body: paying("3", "Somebody Else"), Who: checker1})
	if swiss.Status != http.StatusOK || swiss.At("payee") != nil || refused.Status != http.StatusBadRequest ||
		forbidden.Status != http.StatusForbidden {
		t.Errorf("%d, %d and %d: %s", swiss.Status, refused.Status, forbidden.Status, swiss.Body)
	}
	if banks.Asked.Load() != 0 {
		t.Errorf("asked %d times", banks.Asked.Load())
	}
	b.Send(t, call{Path: validateEuropean, Body: paying("4", "Somebody Else"), Who: maker1})
	b.Send(t, call{Path: createEuropean, Body: paying("4", "Somebody Else"), Who: maker1})
	b.Send(t, call{Path: createEuropean, Body: paying("4", "Somebody Else"), Who: maker1})
	if banks.Asked.Load() != 1 {
		t.Errorf("checking, submitting and submitting again asked %d times", banks.Asked.Load())
	}
}

func TestAnAmendedPayeeIsVerifiedAnew(t *testing.T) {
	t.Parallel()
	b, banks := asking(t)
	made := b.Send(t, call{Path: createEuropean, Body: paying("1", "Somebody Else"), Who: maker1})
	id := made.Text("identifiers", "internalId")
	amend := func(body string) answer {
		body = strings.Replace(body, `"externalId":"EXT-1"`, `"internalId":"`+id+`"`, 1)
		return b.Send(t, call{Path: "/api/sct-inst/v1/instruction/update", Body: body, Who: maker2}) // whose token is newer
	}
	b.Clock.Add(time.Hour) // nothing is remembered any more
	same := amend(strings.Replace(paying("1", "Somebody Else"), "Invoice 118", "Invoice 119", 1))
	holds(t, same, payee.NoMatch, "", "payee")
	if same.Text("payee", "at") != made.Text("payee", "at") || banks.Asked.Load() != 1 {
		t.Errorf("asked %d times, of %s and then of %s", banks.Asked.Load(), made.Text("payee", "at"), same.Text("payee", "at"))
	}
	other := amend(paying("1", "Nearly Right AG"))
	holds(t, other, payee.CloseMatch, "Nearly Right Holding AG", "payee")
	if banks.Asked.Load() != 2 {
		t.Errorf("asked %d times", banks.Asked.Load())
	}
	read := b.Send(t, get("/api/common/v1/transaction/"+id, checker2))
	holds(t, read, payee.CloseMatch, "Nearly Right Holding AG", "transaction", "payee")
	b.isWhole(t)
}

func TestAVerificationThatSomebodyWroteWithholdsThePayment(t *testing.T) {
	t.Parallel()
	b, _ := asking(t)
	made := b.Send(t, call{Path: createEuropean, Body: paying("1", "Somebody Else"), Who: maker1})
	id := made.Text("identifiers", "internalId")
	_, err := b.DB.Owner(t).Exec(t.Context(), "UPDATE message_version SET payee_result = 'MTCH' WHERE message_id = $1", id)
	must(t, err)
	read := b.Send(t, get("/api/common/v1/transaction/"+id, checker1))
	decided := b.Send(t, call{Path: approvePath, Body: verdict(id, "approve", ""), Who: checker1})
	if read.Text("transaction", "withheld") == "" || decided.Status == http.StatusOK {
		t.Errorf("%d: %s and %s", decided.Status, read.Body, decided.Body)
	}
}

func TestAClientMayDoWithoutTheVerificationAndAskForItAgain(t *testing.T) {
	t.Parallel()
	b, banks := asking(t)
	b.changed(t, "client.payee", "demo-backoffice", `{"payeeWaived":true}`)
	waived := b.Send(t, call{Path: createEuropean, Body: paying("1", "Somebody Else"), Who: maker1})
	holds(t, waived, payee.Waived, "", "payee")
	if banks.Asked.Load() != 0 {
		t.Errorf("asked %d times", banks.Asked.Load())
	}
	b.changed(t, "client.payee", "demo-backoffice", `{"payeeWaived":false}`)
	b.Clock.Add(2 * time.Second) // a token is looked up again
	verified := b.Send(t, call{Path: createEuropean, Body: paying("2", "Somebody Else"), Who: maker1})
	holds(t, verified, payee.NoMatch, "", "payee")
	b.isWhole(t)
}

// isWhole has the auditor find nothing.
func (b *bundle) isWhole(t *testing.T) {
	t.Helper()
	for _, invariant := range b.Check(t).Invariants {
		for _, violation := range invariant.Violations {
			t.Errorf("%s: %s %s: %s", invariant.ID, violation.Table, violation.Key, violation.What)
		}
	}
}
