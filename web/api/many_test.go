package api_test

import (
	"net/http"
	"strings"
	"testing"
)

const (
	validateSwiss = "/api/sic-inst/v1/instruction/validate"
	instructions  = "/Document/CstmrCdtTrfInitn/PmtInf/"
)

// refused reports whether an answer of validate names a place with a code, and nothing else.
func refused(a answer, place, code string) bool {
	errors, _ := a.At("errors").([]any)
	return a.Status == http.StatusBadRequest && len(errors) == 1 && a.Text("errors", 0, "fieldMap") == place &&
		a.Text("errors", 0, "reasonCode") == code
}

// TestADryRunHoldsEachOfManyPaymentsAsIfItWereAlone: a limit, an element that is not carried and a character that is not taken are refused
// in the second payment as in the first, at their place.
func TestADryRunHoldsEachOfManyPaymentsAsIfItWereAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.changed(t, "limit.set", "", `{"limitOf":"account","holder":"CH50 2197 7000 0043 3134 6","perPayment":"200.00"}`)
	two := twoPayments(order(sample))
	if a := b.Send(t, call{Path: validateSwiss, Who: maker1, Body: two}); a.Status != http.StatusOK {
		t.Fatalf("two good ones: %d %s", a.Status, a.Body)
	}
	b.secondRefused(t, validateSwiss, two, []wrongSecond{
		{"Amt/InstdAmt", "AM14", `"value":"199.95"`, `"value":"200.05"`},
		{"IntrmyAgt1", "CH17", `"Cdtr":{`, `"IntrmyAgt1":{"FinInstnId":{"BICFI":"AAAACHBBXXX"}},"Cdtr":{`},
		{"CdtrAcct/Id/IBAN", "AC01", "CH4821966000009613388", "CH4821966000009613380"},
	})
	two = twoPayments(order(europeanSample))
	if a := b.Send(t, call{Path: validateEuropean, Who: maker1, Body: two}); a.Status != http.StatusOK {
		t.Fatalf("two good ones in euro: %d %s", a.Status, a.Body)
	}
	b.secondRefused(t, validateEuropean, two, []wrongSecond{
		{"Tax", "CH17", `"CdtrAgt":`, `"Tax":{"RefNb":"1"},"CdtrAgt":`},
		{"UltmtCdtr/Id/PrvtId/Othr/0/Id", "CH16", `"RmtInf":`, `"UltmtCdtr":{"Nm":"A","Id":{"PrvtId":{"Othr":[{"Id":"é"}]}}},"RmtInf":`},
	})
}

// wrongSecond is what is made wrong in the second of two payments: its place in the payment, the code that refuses it, and what is
// replaced.
type wrongSecond struct{ place, code, from, to string }

// secondRefused asks for a dry run of two payments of which the second is wrong; it alone is refused, at its place.
func (b *bundle) secondRefused(t *testing.T, path, two string, cases []wrongSecond) {
	t.Helper()
	for _, wrong := range cases {
		second := strings.LastIndex(two, wrong.from)
		body := two[:second] + strings.Replace(two[second:], wrong.from, wrong.to, 1)
		body = strings.Replace(body, `"CtrlSum":"399.90",`, "", 1)
		a := b.Send(t, call{Path: path, Who: maker1, Body: body})
		if !refused(a, instructions+"0/CdtTrfTxInf/1/"+wrong.place, wrong.code) {
			t.Errorf("%s: %d %s", wrong.place, a.Status, a.Body)
		}
	}
}

// TestADryRunHoldsEachDebtorAccountOfMany: the second payment information is held against the account it debits and the limits of that one.
func TestADryRunHoldsEachDebtorAccountOfMany(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const own, other = "CH5021977000004331346", "CH7280005000088877766"
	one := order(sample)
	start := strings.Index(one, `"PmtInf":`) + len(`"PmtInf":`)
	information := one[start : len(one)-len("}}}")]
	second := strings.NewReplacer("PMT-1", "PMT-2", own, other, `"MmbId":"21977"`, `"MmbId":"80005"`).Replace(information)
	head := strings.NewReplacer(`"NbOfTxs":"1"`, `"NbOfTxs":"2"`, `"CtrlSum":"199.95",`, "").Replace(one[:start])
	send := func(second string) answer {
		return b.Send(t, call{Path: validateSwiss, Who: maker1, Body: head + "[" + information + "," + second + "]}}}"})
	}
	if a := send(second); a.Status != http.StatusOK {
		t.Fatalf("two accounts: %d %s", a.Status, a.Body)
	}
	const account = instructions + "1/DbtrAcct/Id/IBAN"
	if a := send(strings.Replace(second, other, "CH9300762011623852957", 1)); !refused(a, account, "AC01") {
		t.Errorf("an account of somebody else: %d %s", a.Status, a.Body)
	}
	agent := strings.Replace(second, `"MmbId":"80005"`, `"MmbId":"21977"`, 1)
	if a := send(agent); !refused(a, instructions+"1/DbtrAgt/FinInstnId/ClrSysMmbId/MmbId", "AGNT") {
		t.Errorf("another bank: %d %s", a.Status, a.Body)
	}
	b.changed(t, "limit.set", "", `{"limitOf":"account","holder":"`+other+`","perPayment":"150.00"}`)
	if a := send(second); !refused(a, instructions+"1/CdtTrfTxInf/0/Amt/InstdAmt", "AM14") {
		t.Errorf("above the limit of the second account: %d %s", a.Status, a.Body)
	}
}
