package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/calendar"
	"countersign/internal/iso20022/code"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/web/webtest"
)

// codeSets is the program's own edition, with one more purpose where one is given.
func codeSets(t *testing.T, day, purpose string) *code.Edition {
	t.Helper()
	content, err := code.Builtin().Content()
	must(t, err)
	var file map[string]any
	must(t, json.Unmarshal(content, &file))
	if purpose != "" {
		file["sets"].(map[string]any)["ExternalPurpose1Code"].(map[string]any)[purpose] = "A purpose of tomorrow."
	}
	file["edition"] = day
	content, err = json.Marshal(file)
	must(t, err)
	read, err := code.Parse(content, time.Time{})
	must(t, err)
	return read
}

func (b *bundle) importReference(t *testing.T, in store.ReferenceImport) {
	t.Helper()
	in.Source = "of a test"
	changed, err := store.ImportReference(t.Context(), store.Provisioner{
		OwnerURL: b.DB.OwnerURL, Keys: storetest.Keys(t), At: time.Now(),
	}, in)
	if err != nil || !changed {
		t.Fatalf("imported: %v, %v", changed, err)
	}
	must(t, b.Service.ReadReferences(t.Context()))
}

// TestImportedCodeSetsAndCalendarsAreInForce: without a restart, from their day on, and not once they are not what was imported. Both doors
// for people and programs check with them, and /readyz says which they are.
func TestImportedCodeSetsAndCalendarsAreInForce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inForce := func(data string) string {
		return b.Send(t, webtest.Get("/readyz", webtest.Nobody)).Text("referenceData", data)
	}
	validate := func() webtest.Answer {
		body := strings.Replace(webtest.Order(webtest.Sample), `"RmtInf"`, `"Purp":{"Cd":"ZZZ1"},"RmtInf"`, 1)
		body = strings.ReplaceAll(body, "2026-11-20", b.Clock.Now().Format(time.DateOnly))
		return b.Send(t, webtest.Call{Path: "/api/sic-inst/v1/instruction/validate", Who: webtest.Maker1, Body: body})
	}
	refused := func(when string) {
		t.Helper()
		if a := validate(); a.Status != http.StatusBadRequest || !strings.Contains(a.Body, "/Purp/Cd") || !strings.Contains(a.Body, "CH16") {
			t.Errorf("%s: a new purpose is answered with %d %s", when, a.Status, a.Body)
		}
	}
	refused("by the program's own codes")
	const old = "2025-05-31, of the program, older than a quarter: import the one of today (countersign codes import)"
	if words := inForce("codes"); words != old {
		t.Errorf("the program's own codes: %s", words)
	}
	b.importReference(t, store.ReferenceImport{Codes: codeSets(t, "2026-08-31", "ZZZ1")})
	if a := validate(); a.Status != http.StatusOK {
		t.Errorf("imported: %d %s", a.Status, a.Body)
	}
	if words := inForce("codes"); words != "2026-08-31" {
		t.Errorf("imported: %s", words)
	}
	b.importReference(t, store.ReferenceImport{
		Codes: codeSets(t, "2026-11-19", ""), From: time.Date(2026, time.November, 21, 0, 0, 0, 0, time.UTC),
	})
	if a := validate(); a.Status != http.StatusOK || inForce("codes") != "2026-08-31" {
		t.Errorf("the day before the next edition: %d %s %s", a.Status, a.Body, inForce("codes"))
	}
	b.Clock.Add(24 * time.Hour)
	b.SignOut()
	refused("by the edition without it, from its day on")

	days, err := calendar.Parse([]byte("edition;2026-11-20\nday;scheme;clearing\n2026-12-24;sic-inst;closed\n"))
	must(t, err)
	b.importReference(t, store.ReferenceImport{Calendar: days})
	eve := time.Date(2026, time.December, 24, 0, 0, 0, 0, time.UTC)
	if b.Service.Rules.BankingDays("sic-inst", eve).IsBankingDay(eve) || !b.Service.Rules.BankingDays("sct-inst", eve).IsBankingDay(eve) {
		t.Error("the imported calendar is not in force for its scheme, or for another")
	}
	if sic, sct := inForce("calendar sic-inst"), inForce("calendar sct-inst"); sic != "2026-11-20" || sct != "2026-11-22, of the program" {
		t.Errorf("calendars in force: %s; %s", sic, sct)
	}

	watching := store.NewReferences(b.Service.Database) // as a gateway does that read it when it was good
	_, err = watching.Editions(t.Context())
	must(t, err)
	_, err = b.DB.Owner(t).Exec(t.Context(), "UPDATE reference_edition SET from_day = '2026-11-01' WHERE edition = '2026-11-19'")
	must(t, err)
	remembered, err := watching.Editions(t.Context())
	must(t, err)
	b.Service.Rules.Published.Put(remembered)
	if a := validate(); a.Status != http.StatusOK {
		t.Errorf("an edition that was good when it was read counts: %d %s", a.Status, a.Body)
	}
	must(t, b.Service.ReadReferences(t.Context()))
	if a := validate(); a.Status != http.StatusOK {
		t.Errorf("an edition that is not what was imported counts: %d %s", a.Status, a.Body)
	}
	if words := inForce("codes"); !strings.HasPrefix(words, "2026-08-31; one of those imported is not what it was") {
		t.Errorf("tampered with: %s", words)
	}
}
