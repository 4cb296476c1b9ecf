package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/auth"
	"countersign/internal/demo"
	"countersign/web/webtest"
)

const (
	changeCreate   = "/api/admin/v1/change/create"
	changeApproval = "/api/admin/v1/change/approval"
	changeList     = "/api/admin/v1/change/list"
)

var admin2 = webtest.Admin2

// asked requests a change and returns its id and the answer.
func (b *bundle) asked(t *testing.T, who person, kind, subject, values string) (string, answer) {
	t.Helper()
	body := `{"kind":"` + kind + `"`
	if subject != "" {
		body += `,"subject":"` + subject + `"`
	}
	if values != "" {
		body += `,"values":` + values
	}
	a := b.Send(t, call{Path: changeCreate, Who: who, Body: body + "}"})
	if a.Status != http.StatusOK {
		t.Fatalf("%s of %s by %s: %d %s", kind, subject, who.User, a.Status, a.Body)
	}
	return a.Text("change", "changeId"), a
}

func changeVerdict(id, action string) string {
	reason := ""
	if action == "reject" {
		reason = `,"rejectReason":"Not now"`
	}
	return `{"changeId":"` + id + `","ApprovalDetails":{"action":"` + action + `"` + reason + `}}`
}

func (b *bundle) approve(t *testing.T, who person, id string) answer {
	t.Helper()
	return b.Send(t, call{Path: changeApproval, Who: who, Body: changeVerdict(id, "approve")})
}

// changed has admin1 ask and admin2 approve.
func (b *bundle) changed(t *testing.T, kind, subject, values string) answer {
	t.Helper()
	id, _ := b.asked(t, admin1, kind, subject, values)
	a := b.approve(t, admin2, id)
	if a.Status != http.StatusOK || a.Text("change", "state") != "Applied" {
		t.Fatalf("%s of %s: %d %s", kind, subject, a.Status, a.Body)
	}
	return a
}

// thirdAdministrator makes one, whose password is set by link and code.
func (b *bundle) thirdAdministrator(t *testing.T) person {
	t.Helper()
	id, asked := b.asked(t, admin1, "user.create", "", `{"name":"admin3","displayName":"Admin 3","roles":["administrator"]}`)
	approved := b.approve(t, admin2, id)
	link := strings.TrimPrefix(approved.Text("setupLink"), "/set-up/demo/")
	must(t, b.Auth.SetUp(t.Context(), auth.SetUpInput{
		Realm: demo.Realm, Link: link, Code: asked.Text("setupCode"), Password: demo.UserPassword, SourceAddress: "192.0.2.7",
	}))
	b.Clock.Add(time.Second) // what began in the moment of the set-up is over with it
	return person{Realm: demo.Realm, Client: demo.Backoffice, User: "admin3"}
}

func TestTwoAdministratorsMakeAnAccountWithLinkAndCode(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, asked := b.asked(t, admin1, "user.create", "", `{"name":"Maker3","displayName":"Maker 3","roles":["maker"]}`)
	if asked.Text("setupLink") != "" || len(asked.Text("setupCode")) != 6 || asked.Text("change", "after", "status") != "unverified" {
		t.Errorf("the request shows %s", asked.Body)
	}
	for _, again := range []person{admin1, maker1} {
		if a := b.approve(t, again, id); a.Status != http.StatusForbidden {
			t.Errorf("%s approves: %d %s", again.User, a.Status, a.Body)
		}
	}
	if a := b.approve(t, admin1, id); a.Text("errorCode") != "403_FOUR_EYES" {
		t.Errorf("the requester is told %s", a.Body)
	}
	approved := b.approve(t, admin2, id)
	if approved.Status != http.StatusOK || approved.Text("setupCode") != "" || approved.Text("change", "decidedBy") != "admin2" {
		t.Fatalf("the approval: %d %s", approved.Status, approved.Body)
	}
	link := strings.TrimPrefix(approved.Text("setupLink"), "/set-up/demo/")
	set := auth.SetUpInput{
		Realm: demo.Realm, Link: link, Code: asked.Text("setupCode"), Password: demo.UserPassword, SourceAddress: "192.0.2.7",
	}
	wrong := set
	wrong.Code = approved.Text("change", "changeId")
	if err := b.Auth.SetUp(t.Context(), wrong); err == nil {
		t.Error("the link alone sets a password")
	}
	must(t, b.Auth.SetUp(t.Context(), set))
	b.Clock.Add(time.Minute) // content is written under a grant that is older
	if a := b.Send(t, call{
		Path: createSwiss, Who: person{Realm: demo.Realm, Client: demo.Backoffice, User: "maker3"}, Body: order(sample),
	}); a.Status != http.StatusOK {
		t.Errorf("the new maker's payment: %d %s", a.Status, a.Body)
	}
	if a := b.approve(t, admin2, id); a.Status != http.StatusBadRequest || a.Text("errorCode") != "400_STATE" {
		t.Errorf("a second approval: %d %s", a.Status, a.Body)
	}
	if a := b.Send(t, get("/api/admin/v1/change/"+id, admin2)); strings.Contains(a.Body, link) || strings.Contains(a.Body,
		asked.Text("setupCode")) {
		t.Errorf("the secrets are shown again: %s", a.Body)
	}
	if a := b.Send(t, get("/api/common/v1/audit/list?event=change.approve", admin1)); !strings.Contains(a.Body, `"subject":"maker3"`) {
		t.Errorf("the trail: %s", a.Body)
	}
	b.CheckInvariants(t)
}

// TestARequestIsRefusedWithAllThatIsWrong goes through the rules of each kind.
func TestARequestIsRefusedWithAllThatIsWrong(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, test := range map[string]struct{ body, place string }{
		"no kind":                {`{}`, "/kind"},
		"an unknown kind":        {`{"kind":"user.delete"}`, "/kind"},
		"an unknown subject":     {`{"kind":"user.suppress","subject":"nobody"}`, "/subject"},
		"no subject":             {`{"kind":"user.suppress"}`, "/subject"},
		"another realm's client": {`{"kind":"client.suppress","subject":"demo2-backoffice"}`, "/subject"},
		"a strange field":        {`{"kind":"user.roles","subject":"maker1","values":{"iban":"x"}}`, "/values/iban"},
		"a member unknown":       {`{"kind":"user.roles","subject":"maker1","values":{"admin":true}}`, "/values/admin"},
		"a status by hand": {
			`{"kind":"user.roles","subject":"maker1","values":{"roles":["maker","checker"],"status":"active"}}`,
			"/values/status",
		},
		"nothing changes": {`{"kind":"user.roles","subject":"maker1","values":{"roles":["maker"]}}`, "/values"},
		"no role":         {`{"kind":"user.roles","subject":"maker1","values":{"roles":[]}}`, "/values/roles"},
		"two duties": {
			`{"kind":"user.create","values":{"name":"x","displayName":"X","roles":["maker","administrator"]}}`,
			"/values/roles",
		},
		"a maker who administers": {`{"kind":"user.roles","subject":"maker1","values":{"roles":["administrator"]}}`, "/values/roles"},
		"a taken name":            {`{"kind":"user.create","values":{"name":"MAKER1","displayName":"X","roles":["maker"]}}`, "/values/name"},
		"an unknown person": {`{"kind":"user.create","values":{"name":"x","personId":"019b0a50-0000-7000-8000-000000000001",` +
			`"roles":["maker"]}}`, "/values/personId"},
		"the last administrators":  {`{"kind":"user.suppress","subject":"admin2"}`, "/subject"},
		"not suppressed":           {`{"kind":"user.restore","subject":"maker1"}`, "/values"},
		"a taken client":           {`{"kind":"client.create","values":{"clientId":"demo-straight","kind":"public"}}`, "/values/clientId"},
		"a client of no kind":      {`{"kind":"client.create","values":{"clientId":"x","kind":"portal"}}`, "/values/kind"},
		"the portal's client":      {`{"kind":"client.suppress","subject":"portal"}`, "/subject"},
		"a taken account":          {`{"kind":"account.create","values":{"iban":"CH5021977000004331346"}}`, "/values/iban"},
		"a wrong account":          {`{"kind":"account.create","values":{"iban":"CH5021977000004331347"}}`, "/values/iban"},
		"a policy without number":  {`{"kind":"policy.create","values":{"scheme":"sic-inst"}}`, "/values/approvals"},
		"a policy of no client":    {`{"kind":"policy.create","values":{"approvals":1,"clientId":"nobody"}}`, "/values/clientId"},
		"a policy upside down":     {`{"kind":"policy.create","values":{"approvals":1,"amountFrom":"2","amountTo":"1"}}`, "/values/amountTo"},
		"a step-up of nobody":      {`{"kind":"policy.create","values":{"approvals":0,"stepUp":true}}`, "/values/stepUp"},
		"too many approvals":       {`{"kind":"policy.create","values":{"approvals":10}}`, "/values/approvals"},
		"a float of approvals":     {`{"kind":"policy.create","values":{"approvals":1.5}}`, "/values/approvals"},
		"a note that is too long":  {`{"kind":"user.suppress","subject":"maker1","note":"` + strings.Repeat("x", 513) + `"}`, "/note"},
		"an unknown policy":        {`{"kind":"policy.retire","subject":"019b0a50-0000-7000-8000-000000000001"}`, "/subject"},
		"the policy of everything": {`{"kind":"policy.retire","subject":"` + b.policyOfEverything(t) + `"}`, "/subject"},
	} {
		a := b.Send(t, call{Path: changeCreate, Who: admin1, Body: test.body})
		if a.Status != http.StatusBadRequest || a.Text("fields", 0, "fieldMap") != test.place {
			t.Errorf("%s: %d %s, want 400 at %s", name, a.Status, a.Body, test.place)
		}
	}
	if a := b.Send(t, get(changeList, admin1)); len(a.At("changes").([]any)) != 0 {
		t.Errorf("something was stored: %s", a.Body)
	}
}

func (b *bundle) policyOfEverything(t *testing.T) string {
	t.Helper()
	var id string
	must(t, b.DB.Owner(t).QueryRow(t.Context(),
		"SELECT policy_id FROM policy WHERE realm = 'demo' AND rank = 0 AND retired_at IS NULL").Scan(&id))
	return id
}

func TestAdministrationIsForAdministratorsOfTheRealm(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, _ := b.asked(t, admin1, "user.suppress", "maker2", "")
	for _, who := range []person{maker1, checker1, both1, supervisor1, otherMaker} {
		for _, path := range []string{
			"change/list", "change/" + id, "user/list", "client/list", "account/list", "policy/list", "provider/list", "limit/list",
			"realm/list",
		} {
			if a := b.Send(t, get("/api/admin/v1/"+path, who)); a.Status != http.StatusForbidden {
				t.Errorf("%s reads %s: %d", who.User, path, a.Status)
			}
		}
		for path, body := range map[string]string{
			changeCreate: `{"kind":"user.suppress","subject":"maker2"}`, changeApproval: changeVerdict(id, "approve"),
			"/api/admin/v1/policy/dry-run": `{"approvals":1}`,
		} {
			if a := b.Send(t, call{Path: path, Who: who, Body: body}); a.Status != http.StatusForbidden {
				t.Errorf("%s posts %s: %d", who.User, path, a.Status)
			}
		}
	}
	for _, list := range []string{"user", "client", "account", "policy"} {
		a := b.Send(t, get("/api/admin/v1/"+list+"/list", admin1))
		if a.Status != http.StatusOK || strings.Contains(strings.ToLower(a.Body), "hash\"") || strings.Contains(a.Body, "argon2") {
			t.Errorf("the list of %s: %d %s", list, a.Status, a.Body)
		}
	}
	if a := b.Send(t, call{
		Path: changeApproval, Who: admin2, Body: changeVerdict("019b0a50-0000-7000-8000-000000000001", "approve"),
	}); a.Status != http.StatusNotFound {
		t.Errorf("an unknown change: %d", a.Status)
	}
	if a := b.Send(t, call{Path: changeApproval, Who: admin2, Body: changeVerdict(id, "reject")}); a.Text("change", "state") != "Rejected" {
		t.Errorf("the rejection: %s", a.Body)
	}
	if a := b.Send(t, get(changeList+"?state=Rejected&kind=user.suppress&subject=maker2", admin1)); len(a.At("changes").([]any)) != 1 {
		t.Errorf("the filters: %s", a.Body)
	}
}

func TestRolesThatNeedASecondFactorChangeByTwo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const factors = "realm.factors"
	reads := func(who person, want int) {
		t.Helper()
		b.Clock.Add(time.Second)
		if a := b.Send(t, get(listPath, who)); a.Status != want {
			t.Errorf("%s reads: %d, want %d", who.User, a.Status, want)
		}
	}
	for _, who := range []person{maker1, maker2, checker1, supervisor1, admin1, admin2} {
		b.Token(t, who)
	}
	for _, values := range []string{`{"secondFactorRoles":["boss"]}`, `{"secondFactorRoles":[]}`, `{"roles":["checker"]}`} {
		a := b.Send(t, call{Path: changeCreate, Who: admin1, Body: `{"kind":"realm.factors","values":` + values + `}`})
		if a.Status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", values, a.Status, a.Body)
		}
	}
	if a := b.Send(t, call{
		Path: changeCreate, Who: admin1, Body: `{"kind":"realm.factors","subject":"demo2","values":{"secondFactorRoles":["checker"]}}`,
	}); a.Status != http.StatusBadRequest {
		t.Errorf("another realm: %d %s", a.Status, a.Body)
	}
	id, _ := b.asked(t, admin1, factors, "", `{"secondFactorRoles":["supervisor","checker"]}`)
	rival, _ := b.asked(t, admin2, factors, "demo", `{"secondFactorRoles":["maker"]}`)
	if a := b.approve(t, admin1, id); a.Status != http.StatusForbidden {
		t.Errorf("the requester decides: %d %s", a.Status, a.Body)
	}
	reads(checker1, http.StatusOK)
	if a := b.approve(t, admin2, id); a.Status != http.StatusOK {
		t.Fatalf("the approval: %d %s", a.Status, a.Body)
	}
	reads(checker1, http.StatusUnauthorized)
	reads(supervisor1, http.StatusUnauthorized)
	reads(maker1, http.StatusOK)
	if a := b.approve(t, admin1, rival); a.Status != http.StatusBadRequest {
		t.Errorf("a change of what was there before: %d %s", a.Status, a.Body)
	}
	a := b.Send(t, get("/api/admin/v1/realm/list", admin1))
	if len(a.At("realms").([]any)) != 1 || !strings.Contains(a.Body, `"secondFactorRoles":["checker","supervisor"]`) {
		t.Errorf("what the realm asks: %s", a.Body)
	}
	b.changed(t, "user.roles", "maker1", `{"roles":["maker","checker"]}`) // a role of which the realm asks more
	reads(maker1, http.StatusUnauthorized)
	reads(maker2, http.StatusOK)
	b.changed(t, factors, "demo", "")
	b.SignOut()
	reads(checker1, http.StatusOK)
	b.CheckInvariants(t)
}

// TestAnEMailAddressAndItsContentChangeByTwo: the address of an account, and what e-mails of the realm contain.
func TestAnEMailAddressAndItsContentChangeByTwo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	defer b.CheckInvariants(t)
	for _, body := range []string{
		`{"kind":"user.email","subject":"maker1","values":{"email":"a@b\r\nBcc: c@d"}}`,
		`{"kind":"user.email","subject":"maker1","values":{"email":""}}`, // it has none
		`{"kind":"user.email","subject":"nobody","values":{"email":"a@b"}}`,
		`{"kind":"realm.notices","values":{"noticeDetails":false}}`,
	} {
		if a := b.Send(t, call{Path: changeCreate, Who: admin1, Body: body}); a.Status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", body, a.Status, a.Body)
		}
	}
	b.changed(t, "user.email", "maker1", `{"email":"maker1@bank.example"}`)
	b.changed(t, "realm.notices", "", `{"noticeDetails":true}`)
	b.changed(t, "realm.factors", "", `{"secondFactorRoles":["supervisor"]}`)
	if a := b.Send(t, get("/api/admin/v1/user/list", admin1)); !strings.Contains(a.Body, `"email":"maker1@bank.example"`) {
		t.Errorf("the users: %s", a.Body)
	}
	if a := b.Send(t, get("/api/admin/v1/realm/list", admin1)); !strings.Contains(a.Body, `"noticeDetails":true`) ||
		!strings.Contains(a.Body, `"secondFactorRoles":["supervisor"]`) {
		t.Errorf("the realm: %s", a.Body)
	}
	b.changed(t, "user.email", "maker1", `{"email":""}`)
	if a := b.Send(t, get("/api/admin/v1/user/list", admin1)); strings.Contains(a.Body, "maker1@bank.example") {
		t.Errorf("an address that was removed: %s", a.Body)
	}
}

// TestARealmThatSomebodyWroteIsNotSealedAnew: what stands beside the roles in the row would get a good seal by the way.
func TestARealmThatSomebodyWroteIsNotSealedAnew(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Token(t, admin2)
	id, _ := b.asked(t, admin1, "realm.factors", "", `{"secondFactorRoles":["checker"]}`)
	_, err := b.DB.Owner(t).Exec(t.Context(), "UPDATE realm SET access_token_seconds = 600 WHERE realm = 'demo'")
	if err != nil {
		t.Fatal(err)
	}
	if a := b.approve(t, admin2, id); a.Status != http.StatusBadRequest || !strings.Contains(a.Body, "failed their integrity check") {
		t.Errorf("a row that somebody wrote: %d %s", a.Status, a.Body)
	}
}

func TestClientsAccountsAndPoliciesChangeByTwo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.changed(t, "client.create", "", `{"clientId":"erp","kind":"confidential","mayDecideOwn":false}`)
	login := func(secret string) int {
		t.Helper()
		form := url.Values{
			"grant_type": {"password"}, "client_id": {"erp"}, "client_secret": {secret}, "username": {"maker1"}, "password": {demo.UserPassword},
		}
		return b.Send(t, call{Path: "/api/auth/v1/realms/demo/login", Body: form.Encode(), Kind: "application/x-www-form-urlencoded"}).Status
	}
	first := made.Text("clientSecret")
	if login(first) != http.StatusOK {
		t.Error("the secret does not open")
	}
	second := b.changed(t, "client.secret", "erp", "").Text("clientSecret")
	if login(first) != http.StatusUnauthorized || login(second) != http.StatusOK {
		t.Error("the old secret opens, or the new one does not")
	}
	b.changed(t, "client.suppress", "erp", "")
	if login(second) != http.StatusUnauthorized {
		t.Error("the suppressed client opens")
	}
	b.changed(t, "account.update", "CH5021977000004331346", `{"holderName":"Neue Muster AG"}`)
	b.changed(t, "policy.create", "", `{"approvals":3,"rank":50,"scheme":"sic-inst"}`)
	a := b.Send(t, call{Path: createSwiss, Who: maker1, Body: order(sample)})
	detail := b.Send(t, get("/api/common/v1/transaction/"+a.Text("identifiers", "internalId"), maker1))
	if required := detail.At("transaction", "approvalsRequired"); required != float64(3) {
		t.Errorf("the new policy asks for %v approvals: %s", required, detail.Body)
	}
	if !strings.Contains(detail.Body, "Neue Muster AG") {
		t.Errorf("the debtor is not the new one: %s", detail.Body)
	}
	run := b.Send(t, call{Path: "/api/admin/v1/policy/dry-run", Who: admin1, Body: `{"approvals":2,"rank":60}`})
	if run.At("of") != float64(1) || run.At("changed") != float64(1) || run.At("byApprovals", "2") != float64(1) {
		t.Errorf("the dry run: %s", run.Body)
	}
	b.changed(t, "account.close", "CH5021977000004331346", "")
	if a = b.Send(t, call{Path: createSwiss, Who: maker1, Body: order(sample)}); a.Status != http.StatusBadRequest {
		t.Errorf("a payment from a closed account: %d %s", a.Status, a.Body)
	}
	b.changed(t, "account.create", "",
		`{"iban":"CH93 0076 2011 6238 5295 7","scheme":"sic-inst","holderName":"Zweite `+
			`AG","holderTown":"Bern","holderCountry":"CH","agentBic":"AAAACHBBXXX","agentIid":"762"}`)
	b.CheckInvariants(t)
}

// TestAChangeIsWhatItsRequesterSaw refuses to apply one whose subject moved meanwhile.
func TestAChangeIsWhatItsRequesterSaw(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, _ := b.asked(t, admin1, "user.roles", "maker1", `{"roles":["maker","checker"]}`)
	b.changed(t, "user.roles", "maker1", `{"roles":["maker","supervisor"]}`)
	if a := b.approve(t, admin2, first); a.Status != http.StatusBadRequest || a.Text("errorCode") != "400_STATE" {
		t.Errorf("a stale change: %d %s", a.Status, a.Body)
	}
	var wins int
	second, _ := b.asked(t, admin1, "user.roles", "maker1", `{"roles":["maker"]}`)
	var all sync.WaitGroup
	var mu sync.Mutex
	for range 8 {
		all.Go(func() {
			a := b.approve(t, admin2, second)
			mu.Lock()
			defer mu.Unlock()
			if a.Status == http.StatusOK {
				wins++
			}
		})
	}
	all.Wait()
	if wins != 1 {
		t.Errorf("%d of eight approvals were taken, want 1", wins)
	}
}
