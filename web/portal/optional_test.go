package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestWhatIsRefusedWhenEmptyIsNotOptional: of each form that is complete, each answer is left out in turn. Where the answer is then asked for,
// neither its label nor its hint may have called it optional.
func TestWhatIsRefusedWhenEmptyIsNotOptional(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	settled := o.settled(with(filled(), "amount", "5.00"))
	recall := url.Values{"reason": {"CUST"}, "information1": {"Not ordered"}}
	forms := map[string]map[string]url.Values{
		"admin1": {
			"/admin/ask/user.create":   {"name": {"maker9"}, "displayName": {"Maker 9"}, "roles": {"maker"}, "email": {"maker9@bank.example"}},
			"/admin/ask/client.create": {"clientId": {"erp9"}, "kind": {"confidential"}, "roles": {"supervisor"}},
			"/admin/ask/account.create": {
				"iban": {"CH9300762011623852957"}, "scheme": {"sic-inst"}, "currency": {"CHF"}, "holderName": {"Muster AG"}, "holderStreet": {"Weg"},
				"holderBuilding": {"1"}, "holderPostcode": {"8001"}, "holderTown": {"Zürich"}, "holderCountry": {"CH"}, "agentBic": {"POFICHBEXXX"},
			},
			"/admin/ask/policy.create": {"approvals": {"2"}, "rank": {"7"}, "scheme": {"sic-inst"}, "amountFrom": {"5"}, "expiresAfter": {"24h"}},
			"/admin/ask/limit.set":     {"limitOf": {"account"}, "holder": {"CH5021977000004331346"}, "perPayment": {"5.00"}, "perDay": {"50.00"}},
			"/admin/ask/provider.set": {
				"issuer": {"https://login.bank.example"}, "providerClient": {"portal"}, "providerSecret": {"secret"},
				"portalAddress": {"https://payments.bank.example"}, "signInAge": {"5m"},
			},
			"/admin/ask/webhook.create":                                       {"url": {"https://erp.bank.example/events"}, "events": {"message.settled"}},
			"/admin/ask/realm.factors":                                        {"secondFactorRoles": {"administrator"}},
			"/admin/ask/realm.retention":                                      {"retentionMonths": {"120"}},
			"/admin/ask/realm.archived":                                       {"archivedMonth": {"2025-01"}, "archiveDigest": {"00"}},
			"/admin/ask/realm.difference":                                     {"difference": {"E2E-1 missing"}, "note": {"Looked up"}},
			"/admin/ask/realm.erased":                                         {"erasedPayments": {settled.InternalID.String()}, "note": {"Request of the customer"}},
			"/admin/ask/realm.reconciled":                                     {"note": {"Statement of today"}},
			"/admin/ask/message.taken?subject=" + settled.InternalID.String(): {"note": {"Its statement"}},
		},
		"maker1": {
			"/beneficiaries/new": {
				"creditorName": {"Muster AG"}, "creditorIban": {"CH9300762011623852957"}, "addressKind": {"structured"}, "street": {"Weg"},
				"buildingNumber": {"1"}, "postcode": {"8001"}, "town": {"Zürich"}, "country": {"CH"}, "note": {"Invoice"},
			},
			"/payments/new": filled(),
			"/payments/" + settled.InternalID.String() + "/recall": recall,
		},
	}
	for person, complete := range forms {
		w := o.as(person)
		for path, form := range complete {
			page := w.get(path)
			if page.status != http.StatusOK {
				t.Errorf("%s answers %d", path, page.status)
				continue
			}
			for field := range form {
				hint := page.page.Find(`[id="` + field + `-hint"]`).Text()
				if page.page.Find(`label[for="`+field+`"] .optional`).Length() == 0 && !strings.Contains(hint, "ptional") {
					continue
				}
				refused := w.post(path, with(form, field, ""))
				if said := refused.page.Find(`[id="` + field + `-error"]`).Text(); said != "" {
					t.Errorf("%s calls %s optional, and says %q without it", path, field, said)
				}
			}
		}
	}
}
