package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"countersign/internal/identity"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
)

// TestAdministratorsDoItAllByClicking: a person from the request to the first sign-in, with nothing but forms.
func TestAdministratorsDoItAllByClicking(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.as("admin1"), b.as("admin2")
	one.get("/admin").is(http.StatusOK).says("Nothing is waiting")
	one.get("/admin/ask/user.create").is(http.StatusOK).says("Create a user account")
	wrong := one.post("/admin/ask/user.create", url.Values{
		"name": {"maker 3"}, "roles": {"maker, administrator"},
	}).is(http.StatusUnprocessableEntity)
	if len(wrong.problems()) < 3 {
		t.Errorf("the problems: %q", wrong.problems())
	}
	form := url.Values{"name": {"maker3"}, "displayName": {"Maker 3"}, "roles": {"Maker"}, "note": {"Starts on Monday"}}
	asked := one.post("/admin/ask/user.create", form).is(http.StatusOK)
	one.post("/admin/ask/user.create", form).is(http.StatusBadRequest).says("You have already requested this change.")
	code := asked.page.Find("main code").Text()
	if len(code) != 6 || !strings.Contains(asked.main(), "You requested this change.") {
		t.Fatalf("the request shows %q", asked.main())
	}
	change, _ := one.get("/admin").is(http.StatusOK).page.Find("a.row-link").Attr("href")
	one.get(change).says("Another administrator must approve or reject it.")
	one.post(change+"/approve", nil).is(http.StatusForbidden).says("You requested this change.")
	two.get(change).is(http.StatusOK).says("Starts on Monday").says("Maker 3")
	two.post(change+"/reject", url.Values{"reason": {" "}}).is(http.StatusUnprocessableEntity)
	approved := two.post(change+"/approve", nil).is(http.StatusOK).says("Applied")
	link, err := url.Parse(approved.page.Find("main code").Text())
	if err != nil || !strings.HasPrefix(link.Path, "/set-up/demo/") {
		t.Fatalf("the approval shows %q", approved.main())
	}
	two.get(change).is(http.StatusOK)
	if again := two.get(change); again.page.Find("main code").Length() > 0 {
		t.Error("the link is shown again")
	}
	french := b.browser().get(link.Path + "?language=fr").says("Choisissez votre mot de passe")
	if french.page.Find(`.languages a[lang=it]`).AttrOr("href", "") != link.Path+"?language=it" {
		t.Error("the page of a set-up link does not lead to the same page in Italian")
	}
	b.browser().post(link.Path, setUpForm(code, ownPassword)).goesTo("/set-up/done")
	w := b.browser()
	w.post("/signin", url.Values{"realm": {"demo"}, "username": {"maker3"}, "password": {ownPassword}, "next": {"/"}}).is(http.StatusSeeOther)
	w.get("/payments/new").is(http.StatusOK)
	w.get("/admin").is(http.StatusForbidden)
	late := two.post(change+"/approve", nil).is(http.StatusConflict)
	if told := late.problems(); len(told) != 1 || !strings.HasPrefix(told[0], "This change was already applied by") {
		t.Errorf("who decides again is told %q", told)
	}
}

// TestAListOfAllChangesSaysThatThereIsNone: neither that nothing waits, nor a way to itself.
func TestAListOfAllChangesSaysThatThereIsNone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for path, who := range map[string]string{"/admin": "admin1", "/beneficiaries/changes": "checker1"} {
		waiting := b.as(who).get(path).is(http.StatusOK).says("Nothing is waiting").page.Find(".empty a").AttrOr("href", "")
		if waiting != path+"?tab=all" {
			t.Errorf("%s leads to %q", path, waiting)
		}
		all := b.as(who).get(waiting).is(http.StatusOK).says("No change has been requested yet.")
		if said := all.page.Find(".empty").Text(); strings.Contains(said, "waits") || all.page.Find(".empty a").Length() > 0 {
			t.Errorf("%s says %q", waiting, said)
		}
	}
}

// TestAdministratorsTypeAsPeopleDo: roles are ticked, and what is typed as pages show it is what is stored.
func TestAdministratorsTypeAsPeopleDo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.as("admin1"), b.as("admin2")
	roles := one.get("/admin/ask/user.roles?subject=both1").is(http.StatusOK)
	if ticked := roles.page.Find(`input[type="checkbox"][name="roles"][checked]`).Length(); ticked != 2 {
		t.Errorf("%d roles of two are ticked: %s", ticked, roles.main())
	}
	both := url.Values{"roles": {"maker", "administrator"}}
	wrong := one.post("/admin/ask/user.roles?subject=both1", both).is(http.StatusUnprocessableEntity)
	if wrong.page.Find(`#roles.has-problem input[checked]`).Length() != 2 {
		t.Errorf("what was ticked and what is wrong with it: %s", wrong.main())
	}
	b.changed("user.roles", "both1", url.Values{"roles": {"maker", "supervisor"}})
	for _, c := range []struct {
		kind  string
		form  url.Values
		shown []string
	}{
		{
			"policy.create",
			url.Values{"approvals": {"2"}, "amountFrom": {"12'500"}, "amountTo": {"20’000.50"}, "expiresAfter": {"90 min"}},
			[]string{"12'500.00", "20'000.50", "90 min"},
		},
		{
			"account.create",
			url.Values{
				"iban": {"ch93 0076 2011 6238 5295 7"}, "scheme": {"sic-inst"}, "holderName": {"Muster GmbH"}, "holderTown": {"Köniz"},
				"holderCountry": {"ch"}, "agentBic": {"aaaachbb xxx"},
			},
			[]string{"CH93 0076 2011 6238 5295 7", "Switzerland", "AAAACHBBXXX"},
		},
		{
			"limit.set",
			url.Values{"limitOf": {"client"}, "holder": {"demo-backoffice"}, "currency": {"CHF"}, "perDay": {"5 000,5"}},
			[]string{"5'000.50"},
		},
		{
			"provider.set",
			url.Values{
				"issuer": {"https://login.bank.example"}, "providerClient": {"countersign"}, "portalAddress": {"https://payments.bank.example/"},
				"signInAge": {"10 min"},
			},
			[]string{"10 min", "https://payments.bank.example"},
		},
	} {
		change := one.post("/admin/ask/"+c.kind, c.form).goesTo("/admin/changes/")
		for _, text := range c.shown {
			two.get(change).says(text)
		}
	}
	one.post("/admin/ask/limit.set", url.Values{"limitOf": {"person"}, "holder": {"maker1"}, "currency": {"CHF"}, "perDay": {"much"}}).
		is(http.StatusUnprocessableEntity).says("Enter the limit per day as a number")
	order := one.get("/admin/ask/limit.set").is(http.StatusOK).page.Find("main form [name]:not([type=hidden])")
	if first, _ := order.First().Attr("name"); first != "limitOf" {
		t.Errorf("the form of a limit begins with %s, before it is said whom the limit binds", first)
	}
}

// TestOnePersonIsNotTakenForTwo: a second person of a name is refused, and another account of the first is a link away.
func TestOnePersonIsNotTakenForTwo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.as("admin1"), b.as("admin2")
	form := url.Values{"name": {"maker1b"}, "displayName": {"  MAKER   1"}, "roles": {"checker"}}
	one.post("/admin/ask/user.create", form).is(http.StatusUnprocessableEntity).says("A person with this name already exists.")
	another := one.get("/admin/users").is(http.StatusOK).page.Find(`a[href="/admin/ask/user.create?person=maker1"]`)
	filled := one.get(another.AttrOr("href", "/")).is(http.StatusOK).fields("/admin/ask/user.create")
	if filled.Get("personId") != "maker1" {
		t.Fatalf("the form begins with %v", filled)
	}
	one.post("/admin/ask/user.create", with(form, "displayName", "", "personId", "nobody")).is(http.StatusUnprocessableEntity).
		says("one of the person's user names")
	one.post("/admin/ask/user.create", with(form, "displayName", "", "personId", "maker1")).is(http.StatusOK).says("Maker 1")
	change, _ := one.get("/admin").page.Find("a.row-link").Attr("href")
	two.post(change+"/approve", nil).is(http.StatusOK)
	if n := b.count("SELECT count(DISTINCT person_id) FROM user_account WHERE realm = 'demo' AND name LIKE 'maker1%'"); n != 1 {
		t.Errorf("the two accounts belong to %d people", n)
	}
	twins := url.Values{"name": {"twin1"}, "displayName": {"New Twin"}, "roles": {"maker"}}
	one.post("/admin/ask/user.create", twins).is(http.StatusOK)
	one.post("/admin/ask/user.create", with(twins, "name", "twin2", "roles", "checker")).is(http.StatusOK)
	waiting := one.get("/admin").is(http.StatusOK).page.Find("a.row-link")
	two.post(waiting.Eq(0).AttrOr("href", "")+"/approve", nil).is(http.StatusOK)
	two.post(waiting.Eq(1).AttrOr("href", "")+"/approve", nil).is(http.StatusConflict).says("A person with this name already exists.")
}

func TestEveryFormOfAdministrationAsksForAChange(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.as("admin1"), b.as("admin2")
	const iban = "CH5021977000004331346"
	for _, step := range []struct {
		kind, subject string
		form          url.Values
		secret        bool
	}{
		{"user.roles", "maker2", url.Values{"roles": {"maker, supervisor"}}, false},
		{"user.suppress", "maker2", nil, false},
		{"user.restore", "maker2", nil, false},
		{"client.create", "", url.Values{"clientId": {"erp"}, "kind": {"confidential"}}, true},
		{"client.secret", "erp", nil, true},
		{"client.suppress", "erp", nil, false},
		{"account.update", iban, nil, false},
		{"account.close", iban, nil, false},
		{"policy.create", "", url.Values{"approvals": {"2"}, "scheme": {"sic-inst"}, "amountFrom": {"500"}}, false},
	} {
		address := "/admin/ask/" + step.kind
		if step.subject != "" {
			address += "?" + url.Values{"subject": {step.subject}}.Encode()
		}
		form := one.get(address).is(http.StatusOK).fields(address)
		if step.kind == "account.update" {
			if form.Get("holderName") != "Muster AG" {
				t.Fatalf("the form begins with %v", form)
			}
			form.Set("holderName", "Neue Muster AG")
		}
		for name, values := range step.form {
			form[name] = values
		}
		change := one.post(address, form).goesTo("/admin/changes/")
		answer := two.post(change+"/approve", nil)
		if step.secret {
			if secret := answer.is(http.StatusOK).page.Find("main code").Text(); len(secret) != 26 {
				t.Errorf("%s shows %q", step.kind, secret)
			}
			continue
		}
		answer.goesTo(change)
		two.get(change).says("Applied")
	}
	for _, list := range []string{"users", "clients", "accounts", "policies"} {
		one.get("/admin/" + list).is(http.StatusOK)
		b.as("supervisor1").get("/admin/" + list).is(http.StatusForbidden)
	}
	one.get("/admin?tab=all").is(http.StatusOK).says("Close the account " + iban)
	one.post("/admin/ask/policy.create", url.Values{"approvals": {"2"}, "try": {"yes"}}).is(http.StatusOK).says("Of the last 0 payments,").
		says("Second factor for checkers").says("SIC")
	asked := one.post("/admin/ask/policy.create", url.Values{"approvals": {"2"}, "amountFrom": {"12500.00"}, "expiresAfter": {"36h"}}).
		goesTo("/admin/changes/")
	two.get(asked).says("This change tightens controls.").says("Of the last 0 payments,").says("12'500.00").says("36 h")
	two.post(asked+"/approve", nil).goesTo(asked)
	two.get(asked).says("This change tightens controls.").says("Of the last 0 payments,")
	one.get("/admin/policies").says("CHF/EUR 12'500.00 or more: 2 approvals").says("36 h")
	var rivals [2]string
	for i, roles := range []string{"maker", "checker"} {
		rivals[i] = one.post("/admin/ask/user.roles?subject=maker2", url.Values{"roles": {roles}}).goesTo("/admin/changes/")
	}
	two.post(rivals[0]+"/approve", nil).goesTo(rivals[0])
	late := two.post(rivals[1]+"/approve", nil).is(http.StatusConflict).says("The data that this change affects has " +
		"changed since the change was requested.")
	if strings.Contains(late.main(), "decide a change") {
		t.Error("the page says what the program was doing")
	}
	one.get("/admin/ask/user.delete").is(http.StatusNotFound)
}

func TestAnAdministratorBroughtInByTheOperatorIsShownToAll(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.as("admin1")
	if w.get("/admin").page.Find("main").Text(); strings.Contains(w.get("/admin").main(), "without your approval") {
		t.Fatal("a glass is broken already")
	}
	secret, err := identity.NewSetUpSecret(strings.NewReader(strings.Repeat("not by chance ", 20)))
	if err != nil {
		t.Fatal(err)
	}
	b.breakGlass("carla", secret, time.Now())
	w.get("/admin").says("The operator made carla an administrator without your approval").says("both are ill")
	w.get("/audit").says("without your approval")
	_, err = b.DB.Owner(t).Exec(t.Context(), `INSERT INTO break_glass (realm, break_glass_id, user_id, deed, reason, at)
		SELECT realm, gen_random_uuid(), user_id, 'password', 'nobody is there', now() FROM user_account
		WHERE realm = 'demo' AND name = 'maker1'`)
	if err != nil {
		t.Fatal(err)
	}
	w.get("/admin").says("The operator gave maker1 a new password without your approval").says("nobody is there")
}

// TestALimitIsSetByClickingAndShownWhereItBinds: by two administrators; the checker reads what is used of it, and why it refuses.
func TestALimitIsSetByClickingAndShownWhereItBinds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.as("admin1"), b.as("admin2")
	one.get("/admin/limits").is(http.StatusOK).says("No entries")
	one.post("/admin/ask/limit.set", url.Values{"limitOf": {"person"}, "holder": {"nobody"}, "currency": {"CHF"}, "perDay": {"1"}}).
		is(http.StatusUnprocessableEntity)
	asked := one.post("/admin/ask/limit.set", url.Values{
		"limitOf": {"person"}, "holder": {"checker1"}, "currency": {"CHF"}, "perDay": {"150"},
	})
	change := asked.goesTo("/admin/changes/")
	two.post(change+"/approve", nil).goesTo(change)
	one.get("/admin/limits").is(http.StatusOK).says("person Checker 1").says("CHF 150.00 per day").says("CHF 0.00")
	id := b.as("maker1").submit(filled()).InternalID.String()
	checker := b.as("checker1")
	shown := checker.get("/queue/" + id).is(http.StatusOK)
	shown.says("Limit for the person Checker 1: CHF 0.00 of CHF 150.00 used today.")
	shown.says("The daily limit for the person Checker 1 is CHF 150.00, of which CHF 0.00 has already been used.")
	if other := b.as("checker2").get("/queue/" + id).is(http.StatusOK).main(); strings.Contains(other, "Limit for the person") {
		t.Error("another checker reads of the limit")
	}
}

// TestAnUnchangedRetentionIsKept: its form begins with the retention in force, so that sending it as it is removes nothing.
func TestAnUnchangedRetentionIsKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const ask = "/admin/ask/realm.retention"
	b.changed("realm.retention", "", url.Values{"retentionMonths": {"24"}})
	admin := b.as("admin1")
	form := admin.get(ask).is(http.StatusOK).fields(ask)
	if form.Get("retentionMonths") != "24" {
		t.Errorf("the form begins with %v", form)
	}
	admin.get("/admin/realm").is(http.StatusOK).says("24")
	admin.post(ask, form).is(http.StatusUnprocessableEntity).says("All values are the same as before")
}

// TestAValueThatTheProfileDoesNotOfferIsRefusedWithASentence, and is not saved.
func TestAValueThatTheProfileDoesNotOfferIsRefusedWithASentence(t *testing.T) {
	t.Parallel()
	b := setupWith(t, servicetest.Options{Mail: &service.MailConfig{Address: "127.0.0.1:1", Security: service.MailPlain}})
	const said = "Nothing was saved. Choose one of the options in the form."
	checker := b.as("checker1")
	good := checker.get("/me").is(http.StatusOK).fields("/me")
	for _, field := range []string{"language", "theme", "density"} {
		checker.post("/me", with(good, field, "nonsense")).is(http.StatusUnprocessableEntity).says(said)
	}
	checker.post("/me/density", url.Values{"density": {"nonsense"}}).is(http.StatusUnprocessableEntity).says(said)
	notices := checker.get("/me").fields("/me/notices")
	if len(notices) < 2 {
		t.Fatalf("the notices: %v", notices)
	}
	for field := range notices {
		if strings.HasPrefix(field, "notice") {
			checker.post("/me/notices", with(notices, field, "nonsense")).is(http.StatusUnprocessableEntity).says(said)
		}
	}
	checker.post("/me/notices", notices).goesTo("/me")
	setup(t).as("checker1").post("/me/notices", notices).is(http.StatusUnprocessableEntity).says(said) // no e-mails are sent
}
