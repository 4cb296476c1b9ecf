package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// requested is the body of a request.
func requested(t *testing.T, members map[string]any) string {
	t.Helper()
	text, err := json.Marshal(members)
	must(t, err)
	return string(text)
}

// refusedAt sends a request and holds the place of its first finding.
func (b *bundle) refusedAt(t *testing.T, name, place string, members map[string]any) {
	t.Helper()
	a := b.Send(t, call{Path: changeCreate, Who: admin1, Body: requested(t, members)})
	if a.Status != http.StatusBadRequest || a.Text("fields", 0, "fieldMap") != place {
		t.Errorf("%s: %d %s, want 400 at %s", name, a.Status, a.Body, place)
	}
}

// Whatever text of a request has a character that no database takes, or that has it read otherwise than it was written, is refused there.
func TestWhatNobodyCanReadIsRefusedWhereverItStands(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const nul = "a\x00b"
	type values = map[string]any
	for name, test := range map[string]struct {
		kind, place string
		values      values
	}{
		"a user name":        {"user.create", "/values/name", values{"name": nul, "displayName": "X", "roles": []string{"maker"}}},
		"a person's name":    {"user.create", "/values/displayName", values{"name": "x", "displayName": nul, "roles": []string{"maker"}}},
		"a person":           {"user.create", "/values/personId", values{"name": "x", "personId": nul, "roles": []string{"maker"}}},
		"a role":             {"user.create", "/values/roles", values{"name": "x", "displayName": "X", "roles": []string{nul}}},
		"a client":           {"client.create", "/values/clientId", values{"clientId": nul, "kind": "public"}},
		"an account":         {"account.create", "/values/iban", values{"iban": nul, "scheme": "sic-inst"}},
		"a client's policy":  {"policy.create", "/values/clientId", values{"approvals": 1, "clientId": nul}},
		"how long":           {"policy.create", "/values/expiresAfter", values{"approvals": 1, "expiresAfter": nul}},
		"a limit":            {"limit.set", "/values/holder", values{"limitOf": "person", "holder": nul, "currency": "CHF", "perDay": "1.00"}},
		"a limit's currency": {"limit.set", "/values/currency", values{"limitOf": "client", "holder": "x", "currency": nul, "perDay": "1"}},
		"a provider":         {"provider.set", "/values/issuer", values{"issuer": nul, "providerClient": "x", "portalAddress": "https://x"}},
		"a provider's secret": {"provider.set", "/values/providerSecret", values{
			"issuer": "https://x.example", "providerClient": "x", "portalAddress": "https://x.example", "providerSecret": nul,
		}},
	} {
		b.refusedAt(t, name, test.place, values{"kind": test.kind, "values": test.values})
	}
	b.refusedAt(t, "an outer subject", "/values/outerSubject",
		values{"kind": "user.link", "subject": "maker2", "values": values{"outerSubject": nul}})
	for _, kind := range []string{"user.roles", "client.secret", "account.close", "policy.retire", "message.taken", "realm.factors"} {
		b.refusedAt(t, kind, "/subject", values{"kind": kind, "subject": nul, "note": "x"})
	}
	for _, unread := range []string{nul, "a\x1bb", "pay \u202ereverof\u202c", "\u2066a\u2069", "\u200fa"} {
		b.refusedAt(t, "a note", "/note", values{"kind": "user.suppress", "subject": "maker1", "note": unread})
	}
	if a := b.Send(t, call{
		Path: "/api/admin/v1/policy/dry-run", Who: admin1, Body: requested(t, values{"approvals": 1, "clientId": nul}),
	}); a.Status != http.StatusBadRequest || a.Text("fields", 0, "fieldMap") != "/clientId" {
		t.Errorf("a dry run: %d %s", a.Status, a.Body)
	}
	id := b.noted(t, "On two lines:\n\tleft the bank, as of tomorrow \U0001F468\u200D\U0001F469")
	for _, unread := range []string{nul, "no \u202eon"} {
		a := b.Send(t, call{Path: changeApproval, Who: admin2, Body: requested(t, values{
			"changeId": id, "ApprovalDetails": values{"action": "reject", "rejectReason": unread},
		})})
		if a.Status != http.StatusBadRequest || a.Text("fields", 0, "fieldMap") != "/ApprovalDetails/rejectReason" {
			t.Errorf("a reason %q: %d %s", unread, a.Status, a.Body)
		}
	}
}

// noted asks for the suppression of maker2 with a note.
func (b *bundle) noted(t *testing.T, note string) string {
	t.Helper()
	a := b.Send(t, call{Path: changeCreate, Who: admin1, Body: requested(t, map[string]any{
		"kind": "user.suppress", "subject": "maker2", "note": note,
	})})
	if a.Status != http.StatusOK || a.Text("change", "note") != strings.TrimSpace(note) {
		t.Fatalf("the note: %d %s", a.Status, a.Body)
	}
	return a.Text("change", "changeId")
}

// What is said to be empty, or no, is done or refused, and never dropped beside what is done.
func TestWhatIsEmptiedIsDoneOrRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const account = "CH5021977000004331346"
	type values = map[string]any
	for name, test := range map[string]struct {
		kind, subject, place string
		values               values
	}{
		"no as a field of another kind": {"account.update", account, "/values/receives", values{"receives": false}},
		"such a field beside another":   {"account.update", account, "/values/receives", values{"receives": false, "holderTown": "Basel"}},
		"a right of clients": {
			"user.roles", "maker1", "/values/mayDecideOwn",
			values{"roles": []string{"supervisor"}, "mayDecideOwn": false},
		},
		"a number of another kind":    {"user.suppress", "maker1", "/values/approvals", values{"approvals": 0}},
		"a policy of no client":       {"policy.create", "", "/values/clientId", values{"approvals": 1, "clientId": ""}},
		"a policy of no amount":       {"policy.create", "", "/values/amountFrom", values{"approvals": 1, "amountFrom": ""}},
		"an account without a holder": {"account.update", account, "/values/holderName", values{"holderName": ""}},
		"an account without a town":   {"account.update", account, "/values/holderTown", values{"holderTown": "", "holderStreet": "X"}},
		"an account of no bank":       {"account.update", account, "/values/agentBic", values{"agentBic": ""}},
		"a person of no name": {
			"user.create", "", "/values/displayName",
			values{"name": "x", "displayName": "", "roles": []string{"maker"}},
		},
		"a person of no id": {
			"user.create", "", "/values/personId",
			values{"name": "x", "displayName": "X", "personId": "", "roles": []string{"maker"}},
		},
		"a provider of no secret": {"provider.set", "", "/values/providerSecret", values{
			"issuer": "https://x.example", "providerClient": "x", "portalAddress": "https://x.example", "providerSecret": "",
		}},
	} {
		members := values{"kind": test.kind, "values": test.values}
		if test.subject != "" {
			members["subject"] = test.subject
		}
		b.refusedAt(t, name, test.place, members)
	}
	a := b.changed(t, "account.update", account, `{"holderBuilding":"","holderTown":"Basel"}`)
	if a.Text("change", "before", "holderBuilding") == "" || a.Text("change", "after", "holderBuilding") != "" ||
		a.Text("change", "after", "holderTown") != "Basel" {
		t.Errorf("the building number: %s", a.Body)
	}
	a = b.changed(t, "account.update", account, `{"holderStreet":""}`)
	if a.Text("change", "after", "holderStreet") != "" {
		t.Errorf("the street: %s", a.Body)
	}
	var street string
	must(t, b.DB.Owner(t).QueryRow(t.Context(),
		"SELECT holder_street || holder_building FROM debtor_account WHERE realm = 'demo' AND iban = $1", account).Scan(&street))
	if street != "" {
		t.Errorf("stored is %q", street)
	}
	b.CheckInvariants(t)
}

// A name that differs from another by what nobody sees, or by letters that look alike, is no name of somebody new.
func TestNamesThatReadAlikeAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	asked := func(name, displayName string) map[string]any {
		return map[string]any{
			"kind": "user.create", "values": map[string]any{"name": name, "displayName": displayName, "roles": []string{"maker"}},
		}
	}
	for _, unseen := range []string{
		"\ufe0f", "\u034f", "\u17b4", "\u3164", "\u115f", "\uffa0", "\u2065", "\U000e0100", "\u2800", "\u200b", "\u00ad", "\u180e", "\ufffd",
	} {
		b.refusedAt(t, "a user name", "/values/name", asked("adm"+unseen+"in1", "Somebody Else"))
		b.refusedAt(t, "a person's name", "/values/displayName", asked("else", "Maker"+unseen+" 1"))
	}
	for _, name := range []string{"\u0430dmin1", "admin\u043e", "\u03bfadmin"} {
		b.refusedAt(t, "letters that look alike", "/values/name", asked(name, "Somebody Else"))
	}
	for name, displayName := range map[string]string{"\u0430\u043d\u043d\u0430": "\u0410\u043d\u043d\u0430", "zoë-2": "Zoë Müller"} {
		a := b.Send(t, call{Path: changeCreate, Who: admin1, Body: requested(t, asked(name, displayName))})
		if a.Status != http.StatusOK {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
}

// An account that is to be debited is one that its scheme debits, kept by the bank that its IBAN names.
func TestAnAccountIsOfItsSchemeAndItsBank(t *testing.T) {
	t.Parallel()
	b := setup(t)
	type values = map[string]any
	account := func(scheme, iban, bic, iid string) values {
		made := values{"iban": iban, "scheme": scheme, "holderName": "X", "holderTown": "Bern", "holderCountry": "CH", "agentBic": bic}
		if iid != "" {
			made["agentIid"] = iid
		}
		return values{"kind": "account.create", "values": made}
	}
	const swiss, bern, frankfurt = "CH9300762011623852957", "AAAACHBBXXX", "AAAADEFFXXX"
	b.refusedAt(t, "a British account in Swiss clearing", "/values/iban", account("sic-inst", "GB82WEST12345698765432", "AAAAGB2LXXX", ""))
	b.refusedAt(t, "a German one", "/values/iban", account("sic-inst", "DE75512108001245126199", frankfurt, ""))
	b.refusedAt(t, "an account beyond SEPA", "/values/iban", account("sct-inst", "BR1800000000141455123924100C2", "AAAABRSPXXX", ""))
	b.refusedAt(t, "a QR-IBAN", "/values/iban", account("sic-inst", "CH4431999123000889012", bern, "31999"))
	b.refusedAt(t, "another bank's number", "/values/agentIid", account("sic-inst", swiss, bern, "21977"))
	b.refusedAt(t, "a number beside a German IBAN", "/values/agentIid", account("sct-inst", "DE75512108001245126199", frankfurt, "762"))
	b.refusedAt(t, "a bank of another country", "/values/agentBic", account("sic-inst", swiss, frankfurt, "762"))
	for place, changed := range map[string]values{
		"/values/agentIid": {"agentIid": "99999"}, "/values/agentBic": {"agentBic": frankfurt},
	} {
		b.refusedAt(t, "a change", place, values{"kind": "account.update", "subject": "CH5021977000004331346", "values": changed})
	}
	const ours, qr = "CH5021977000004331346", "CH4431999123000889012"
	for name, changed := range map[string]values{
		"an IBAN as QR-IBAN": {"qrIban": swiss}, "a wrong one": {"qrIban": "CH4431999123000889013"},
	} {
		b.refusedAt(t, name, "/values/qrIban", values{"kind": "account.update", "subject": ours, "values": changed})
	}
	withQR := account("sct-inst", "CH5604835012345678009", bern, "4835")
	withQR["values"].(values)["qrIban"] = qr
	b.refusedAt(t, "a QR-IBAN of an account that receives nothing", "/values/qrIban", withQR)
	b.changed(t, "account.update", ours, `{"qrIban":"CH44 3199 9123 0008 8901 2"}`)
	b.changed(t, "account.update", ours, `{"holderTown":"Thun"}`)
	b.refusedAt(t, "another QR-IBAN", "/values/qrIban", values{
		"kind": "account.update", "subject": ours, "values": values{"qrIban": "CH5530000001250094239"},
	})
	taken := account("sic-inst", swiss, bern, "762")
	taken["values"].(values)["qrIban"], taken["values"].(values)["receives"] = qr, true
	b.refusedAt(t, "a taken QR-IBAN", "/values/qrIban", taken)
	for name, members := range map[string]values{
		"Swiss": account("sic-inst", swiss, bern, "00762"), "without its number": account("sic-inst", "LI21088100002324013AA", "AAAALI22XXX", ""),
		"Swiss in euro": account("sct-inst", "CH5604835012345678009", bern, "4835"), "French overseas": account(
			"sct-inst", "FR1420041010050500013M02606", "AAAAREPPXXX", ""),
	} {
		a := b.Send(t, call{Path: changeCreate, Who: admin1, Body: requested(t, members)})
		if a.Status != http.StatusOK {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
}
