package portal_test

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"countersign/views/ui"
)

// TestATemplateFillsTheForm saves a payment under a name, for oneself and for others, and pays from it.
func TestATemplateFillsTheForm(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, other := b.as("maker1"), b.as("maker2")
	empty := maker.get("/templates").is(http.StatusOK).says("A template fills in the form")
	if href := empty.page.Find(".empty a").AttrOr("href", ""); href != "/payments/new" {
		t.Errorf("the empty list leads to %q", href)
	}
	check := maker.post("/payments/new", filled()).goesTo("/payments/")
	save := maker.get(check).is(http.StatusOK).page.Find("a:contains('Save as a template')").AttrOr("href", "")
	form := maker.get(save).is(http.StatusOK).says("SIC · Beispiel Holzbau GmbH · CHF 1'234.50").fields("/templates")
	typed := maker.post("/payments/new", with(filled(), "amount", "chf 1234.50")).goesTo("/payments/")
	maker.get("/templates?draft=" + strings.Split(typed, "/")[2]).is(http.StatusOK).says("SIC · Beispiel Holzbau GmbH · CHF 1'234.50")
	maker.post(save, with(form, "name", " ")).is(http.StatusUnprocessableEntity).says("Enter a name")
	maker.post(save, with(form, "name", strings.Repeat("é", 61))).is(http.StatusUnprocessableEntity).says("Shorten the name")
	maker.post(save, with(form, "name", "Rent")).goesTo("/payments/")
	other.post(save, with(form, "name", "Theirs", "person", "demo/maker2")).is(http.StatusNotFound)
	maker.post("/templates", url.Values{"name": {"Nothing"}}).is(http.StatusNotFound)
	b.as("checker1").get("/templates").is(http.StatusForbidden)

	list := maker.get("/templates").is(http.StatusOK)
	use, change := list.page.Find(".template-table a").AttrOr("href", ""), list.page.Find("form:has([name=act])").AttrOr("action", "")
	payment := maker.get(use).is(http.StatusOK).fields("/payments/new")
	for name, want := range map[string]string{
		"creditorName": "Beispiel Holzbau GmbH", "amount": "1'234.50", "remittanceText": "Rechnung 1107",
		"debtorAccount": "CH5021977000004331346",
	} {
		if payment.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, payment.Get(name), want)
		}
	}
	if id := payment.Get("endToEndId"); id == "E2E-1" || id == "" {
		t.Errorf("the end-to-end ID is %q: each payment has one of its own", id)
	}
	for _, w := range []*browser{other, b.asIn("demo2", "maker1")} {
		w.get(use).is(http.StatusNotFound)
		w.post(change, url.Values{"act": {"remove"}}).is(http.StatusNotFound)
		w.post(change, url.Values{"name": {"Mine"}, "act": {"save"}}).is(http.StatusNotFound)
	}
	maker.post(change, url.Values{"name": {"Rent of March"}, "shared": {"yes"}, "act": {"save"}}).goesTo("/templates")
	other.get("/templates").says("Rent of March").says("shared by Maker 1")
	paid := with(other.get(use).is(http.StatusOK).fields("/payments/new"), "act", "check")
	other.get(other.post("/payments/new", paid).goesTo("/payments/")).is(http.StatusOK).says("Rent of March").says("Saved by Maker 1 on ")
	other.submit(paid)
	b.asIn("demo2", "maker1").get(use).is(http.StatusNotFound)

	second := with(form, "name", "Second")
	maker.get("/templates").says("Last payment to creditor")
	if maker.get("/templates?q=HOLZBAU").page.Find(".template-table tbody tr").Length() != 1 {
		t.Error("a template is not found by a part of its creditor")
	}
	maker.get("/templates?q=Bäckerei").is(http.StatusOK).says("No template has this name or creditor").says("Show all")
	submitted := maker.submit(with(filled(), "amount", "5.00")).InternalID.String()
	for _, page := range []string{"/payments/" + submitted, "/payments/" + submitted + "/submitted"} {
		save := maker.get(page).is(http.StatusOK).page.Find("a:contains('Save as a template')").AttrOr("href", "")
		maker.get(save).is(http.StatusOK).says("SIC · Beispiel Holzbau GmbH · CHF 5.00")
	}
	maker.post("/templates?like="+submitted, second).goesTo("/templates")
	maker.post(change, url.Values{"name": {"Second"}, "act": {"save"}}).is(http.StatusUnprocessableEntity).says("You already have a " +
		"template with this name")
	maker.post(save, second).goesTo("/payments/") // a new meaning
	if n := b.count("SELECT count(*) FROM payment_template"); n != 2 {
		t.Errorf("%d templates are kept", n)
	}
	// Moved to another row by hand, what is encrypted does not open; nor does what was never encrypted count.
	b.change("SET session_replication_role = replica; UPDATE payment_template SET template_id = gen_random_uuid() WHERE name = 'Second'; " +
		"UPDATE payment_template SET answers = '{\"Values\":{\"CreditorName\":\"Mine AG\"}}' WHERE name = 'Rent of March'")
	torn := maker.get("/templates").is(http.StatusOK).says("This template cannot be opened because it was saved with a key that no longer " +
		"exists.")
	if n := torn.page.Find(".template-table :is(a, form[action='/templates/pay'])").Length(); n != 0 {
		t.Errorf("%d templates that were changed by hand can be used", n)
	}
	maker.get(use).is(http.StatusNotFound)
	maker.post(change, url.Values{"act": {"remove"}}).goesTo("/templates")
}

// TestTemplatesHaveALimit: a person keeps fifty.
func TestTemplatesHaveALimit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	save := "/templates?like=" + maker.submit(filled()).InternalID.String()
	maker.post(save, url.Values{"name": {"First"}}).goesTo("/templates")
	b.change("SET session_replication_role = replica; " +
		"INSERT INTO payment_template SELECT realm, gen_random_uuid(), user_id, 'No ' || n, scheme, " +
		"answers, shared, saved_at FROM payment_template, generate_series(2, 50) n")
	maker.post(save, url.Values{"name": {"One more"}}).is(http.StatusUnprocessableEntity).says("You already have 50 templates")
	maker.post(save, url.Values{"name": {"First"}}).goesTo("/templates")
}

// TestNoNameAndNoAmountOfAFormIsStoredInTheClear reads what the database keeps of drafts, parked forms and templates.
func TestNoNameAndNoAmountOfAFormIsStoredInTheClear(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	check := maker.post("/payments/new", filled()).goesTo("/payments/")
	maker.withHTMX().post("/payments/keep", with(filled(), "draft", strings.Split(check, "/")[2])).is(http.StatusOK)
	saved := maker.post("/templates?draft="+strings.Split(check, "/")[2], url.Values{"name": {"Rent"}}).goesTo(check)
	maker.get(saved).is(http.StatusOK).says("Saved as “Rent”.").says("Submit CHF")
	maker.upload("Lohn Holzbau.xml", sample(t, "sic-inst_01_pain.001.001.09.xml")).is(http.StatusSeeOther)
	b.expire()
	maker.post(strings.TrimSuffix(check, "check")+"submit", url.Values{"duplicateReason": {"Rechnung Holzbau"}}).signInAgain(maker)
	maker = b.as("maker1")
	for _, table := range []string{"draft", "parked_form", "payment_template"} {
		if b.count("SELECT count(*) FROM "+table) == 0 {
			t.Fatalf("nothing stands in %s", table)
		}
		for _, secret := range []string{"Holzbau", "1234.50", "1'234.50", "Rechnung", "CH48", "CH50", "<Document"} {
			n := b.count("SELECT count(*) FROM "+table+" t WHERE position($1 IN to_jsonb(t)::text) > 0 "+
				"OR position(encode(convert_to($1, 'UTF8'), 'hex') IN to_jsonb(t)::text) > 0", secret)
			if n != 0 {
				t.Errorf("%s stands in %d rows of %s", secret, n, table)
			}
		}
	}
	if n := b.count("SELECT count(*) FROM draft"); n != 2 {
		t.Errorf("%d drafts", n)
	}
	maker.get("/mine?tab=drafts").is(http.StatusOK).says("File Lohn Holzbau.xml").says("Beispiel Holzbau GmbH")
	// A draft of before is read as it is.
	b.change("SET session_replication_role = replica; " +
		"UPDATE draft SET answers = '{\"Values\":{\"CreditorName\":\"Alte AG\"}}' WHERE file = ''")
	maker.get("/mine?tab=drafts").is(http.StatusOK).says("Alte AG")
	// Under another row what is hidden does not open.
	b.change("SET session_replication_role = replica; UPDATE draft SET draft_id = gen_random_uuid() WHERE file <> ''")
	if list := maker.get("/mine?tab=drafts").is(http.StatusOK); strings.Contains(list.text, "Lohn") {
		t.Error("a draft that was moved by hand is listed")
	}
}

// TestTemplatesArePaidTogether: each ticked template becomes a payment of one file, with ids of its own; nobody pays another person's private
// template, and nothing is paid without a tick.
func TestTemplatesArePaidTogether(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	for name, amount := range map[string]string{"Rent": "1200", "Cleaning": "310.50"} {
		sent := maker.submit(with(filled(), "amount", amount, "endToEndId", "E2E-"+name))
		save := "/templates?like=" + sent.InternalID.String()
		maker.post(save, url.Values{"name": {name}}).goesTo("/templates")
	}
	list := maker.get("/templates").is(http.StatusOK)
	form := list.fields("/templates/pay")
	list.page.Find("input[form=pay]").Each(func(_ int, box *goquery.Selection) { form.Add("template", box.AttrOr("value", "")) })
	if len(form["template"]) != 2 {
		t.Fatalf("%d templates can be ticked", len(form["template"]))
	}
	maker.post("/templates/pay", url.Values{}).goesTo("/templates")
	b.as("maker2").post("/templates/pay", url.Values{"template": form["template"]}).is(http.StatusNotFound)
	b.as("checker1").post("/templates/pay", url.Values{"template": form["template"]}).is(http.StatusForbidden)
	file := maker.post("/templates/pay", form).goesTo("/payments/batches/")
	maker.get(file).is(http.StatusOK).says("1'200.00").says("310.50")
	if n := b.count("SELECT count(*) FROM message"); n != 2 {
		t.Errorf("%d messages before the file is submitted", n)
	}
	if n := b.count("SELECT count(*) FROM draft WHERE batch_id IS NOT NULL"); n != 2 {
		t.Errorf("%d drafts of the file", n)
	}
	again := maker.get(maker.post("/templates/pay", form).goesTo("/payments/batches/")).is(http.StatusOK)
	if strings.Contains(again.main(), "already uploaded") || b.count("SELECT count(*) FROM draft WHERE file_hash IS NOT NULL") != 0 {
		t.Errorf("templates paid again were uploaded: %s", again.main())
	}
}

// TestATemplateIsPaidInOneStep: its row says when its account was paid last, and its button leads to the page that checks the payment, or to
// the form with what the template lacks.
func TestATemplateIsPaidInOneStep(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	sent := maker.submit(with(filled(), "amount", "1200"))
	save := "/templates?like=" + sent.InternalID.String()
	maker.post(save, url.Values{"name": {"Rent"}}).goesTo("/templates")
	row := maker.get("/templates").is(http.StatusOK).says("Beispiel Holzbau GmbH").says("CH48 2196 6000 0096 1338 8").says("CHF 1'200.00")
	row.says("not paid yet")
	checker, queue := b.as("checker1"), "/queue/"+sent.InternalID.String()
	checker.post(queue+"/approve", checker.get(queue).fields(queue+"/approve")).goesTo("/queue")
	maker.get("/templates").is(http.StatusOK).says(ui.Day(sent.CreatedAt) + ", CHF 1'200.00")

	pay := row.fields("/templates/pay")
	pay.Set("template", row.page.Find("button[name=template]").AttrOr("value", ""))
	b.as("maker2").post("/templates/pay", url.Values{"template": pay["template"]}).is(http.StatusNotFound)
	b.as("checker1").post("/templates/pay", url.Values{"template": pay["template"]}).is(http.StatusForbidden)
	check := maker.post("/templates/pay", pay).goesTo("/payments/")
	if !strings.HasSuffix(check, "/check") {
		t.Errorf("the button leads to %s", check)
	}
	maker.get(check).is(http.StatusOK).says("CHF 1'200.00").says("Beispiel Holzbau GmbH")
	if n := b.count("SELECT count(*) FROM message"); n != 1 {
		t.Errorf("%d messages before the payment is submitted", n)
	}
	key := strings.Split(maker.post("/payments/new", with(filled(), "amount", "77")).goesTo("/payments/"), "/")[2]
	maker.withHTMX().post("/payments/keep", with(filled(), "draft", key, "amount", "")).is(http.StatusOK)
	maker.post("/templates?draft="+key, url.Values{"name": {"Any amount"}}).goesTo("/payments/")
	row = maker.get("/templates").is(http.StatusOK)
	pay.Set("template", row.page.Find("tr:contains('Any amount') button[name=template]").AttrOr("value", ""))
	maker.post("/templates/pay", pay).is(http.StatusUnprocessableEntity).says("Enter the amount").says("Beispiel Holzbau GmbH")
}

// TestATemplateOfARemovedBeneficiaryWarns its maker on the check page and in a file of templates, and the checker in the queue; so with an
// account that its beneficiary no longer has.
func TestATemplateOfARemovedBeneficiaryWarns(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, checker := b.as("maker1"), b.as("checker1")
	const warning, line = "This account is no longer on the list of beneficiaries", "This is no longer the account of Beispiel Holzbau GmbH"
	var keys []string
	for amount, iban := range map[string]string{"10.00": "", "11.00": "", "12.00": "CH6221966000001234567"} {
		sent := maker.submit(with(filled(), "amount", amount, "endToEndId", amount, "creditorIban", cmp.Or(iban, filled().Get("creditorIban"))))
		maker.post("/templates?like="+sent.InternalID.String(), url.Values{"name": {amount}}).goesTo("/templates")
	}
	for _, name := range []string{"10.00", "11.00", "12.00"} {
		keys = append(keys, b.text("SELECT template_id::text FROM payment_template WHERE name = '"+name+"'"))
	}
	b.change("SET session_replication_role = replica; UPDATE message_version SET created_at = created_at - interval '30 days'")
	maker.takenIn(holzbau())
	path := "/beneficiaries/" + b.text("SELECT beneficiary_id::text FROM beneficiary")
	single := func() answer {
		return maker.get(maker.post("/templates/pay", url.Values{"template": keys[:1]}).goesTo("/payments/")).is(http.StatusOK)
	}
	if text := single().main(); strings.Contains(text, warning) {
		t.Fatalf("a beneficiary in force: %s", text)
	}
	for i, change := range []struct {
		act  string
		form url.Values
	}{{"/change", with(holzbau(), "creditorIban", "CH9300762011623852957")}, {"/remove", nil}} {
		asked := maker.post(path+change.act, change.form).goesTo("/beneficiaries/changes/")
		checker.post(asked+"/approve", nil).goesTo(asked)
		single().says(warning)
		many := maker.post("/templates/pay", url.Values{"template": keys}).goesTo("/payments/batches/")
		if n := strings.Count(maker.get(many).is(http.StatusOK).main(), line); n != 2 {
			t.Errorf("%s: %d lines warn, want 2", change.act, n)
		}
		if i == 0 {
			maker.submitFile(many)
		}
		if n := b.count("SELECT count(*) FROM message"); n != 4 {
			t.Errorf("%s: %d payments, want 4: the third line is submitted, and no other without a look at its page", change.act, n)
		}
	}
	m := maker.submit(with(filled(), "amount", "13.00", "endToEndId", "13"))
	if said := checker.get("/queue").is(http.StatusOK).flags(m.InternalID.String()); !strings.Contains(said, "Former beneficiary") {
		t.Errorf("the row is marked %q", said)
	}
}
