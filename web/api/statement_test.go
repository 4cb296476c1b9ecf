package api_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"countersign/internal/interbank"
	"countersign/internal/rulebook"
	"countersign/internal/testutil"
)

// asXML asks for a document instead of JSON.
func asXML(path string, who person) call {
	c := get(path, who)
	c.Change = func(r *http.Request) { r.Header.Set("Accept", "application/xml") }
	return c
}

// lint holds a document against an ISO schema with another program.
func lint(t *testing.T, version, content string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "document.xml")
	must(t, os.WriteFile(file, []byte(content), 0o600))
	output, err := exec.Command(testutil.Program(t, "xmllint", "make xmllint"), "--noout", "--nonet", "--schema",
		filepath.Join("..", "..", "internal", "iso20022", "schema", version+".xsd"), file).CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s\n%s", version, err, output, content)
	}
}

// The bookings of a day are listed per account, and are a camt.053 that a reconciliation can read and a camt.054 each.
func TestBookingsAreAStatementAndNotifications(t *testing.T) {
	t.Parallel()
	b := setupInterbank(t)
	const path = "/api/common/v1/account/statement?iban="
	accounts := map[rulebook.Scheme]string{rulebook.SchemeSIC: "CH5021977000004331346", rulebook.SchemeSCT: "DE62007620110623852957"}
	ids := map[rulebook.Scheme][]string{}
	for _, scheme := range rulebook.Schemes() {
		out, _ := b.settled(t, scheme)
		in, _, _ := b.booked(t, scheme)
		ids[scheme] = []string{out, in}
	}
	open := b.ok(t, call{Path: createSwiss, Who: maker1, Body: order(sample)}).Text("identifiers", "internalId")
	sent := b.ok(t, call{
		Path: createEuropean, Who: maker1, Body: strings.ReplaceAll(order(europeanSample), "2026-11-20", b.Now().Format(time.DateOnly)),
	}).Text("identifiers", "internalId")
	b.ok(t, call{Path: approvePath, Who: checker1, Body: verdict(sent, "approve")})
	b.deliver(t, sent)
	today := b.Now().In(b.Zone)
	day := today.Format(time.DateOnly)
	if a := b.Send(t, asXML(path+accounts[rulebook.SchemeSIC]+"&day="+day, supervisor1)); a.Status != http.StatusBadRequest || !strings.Contains(a.Body, "DT01") {
		t.Errorf("the camt.053 of a day that is not over: %d %s", a.Status, a.Body)
	}
	b.Clock.Add(24 * time.Hour)
	b.SignOut()
	for scheme, iban := range accounts {
		a := b.ok(t, get(path+iban+"&day="+day, supervisor1))
		if got := []string{a.Text("transactions", 0, "internalId"), a.Text("transactions", 1, "internalId")}; strings.Join(got, " ") != strings.Join(ids[scheme], " ") {
			t.Errorf("%s: booked are %v, want %v: %s", scheme, got, ids[scheme], a.Body)
		}
		if next := b.ok(t, get(path+iban+"&pageSize=1&day="+day, supervisor1)).Text("page", "next"); next != ids[scheme][0] {
			t.Errorf("%s: the page after the first begins behind %q", scheme, next)
		}
		if a := b.ok(t, get(path+iban+"&day="+today.AddDate(0, 0, 1).Format(time.DateOnly), supervisor1)); strings.Contains(a.Body, ids[scheme][0]) {
			t.Errorf("%s: the next day has bookings of this one", scheme)
		}
		statement := b.ok(t, asXML(path+iban+"&day="+day, supervisor1)).Body
		lint(t, "camt.053.001.08", statement)
		read, err := interbank.ReadClearingStatement([]byte(statement), b.Zone)
		must(t, err)
		if len(read.Lines) != 2 || read.Lines[0].Credit || !read.Lines[1].Credit || read.From.Format(time.DateOnly) != day {
			t.Errorf("%s: the statement reads as %+v", scheme, read)
		}
		for i, line := range read.Lines {
			note := b.ok(t, asXML("/api/common/v1/transaction/"+ids[scheme][i], supervisor1)).Body
			lint(t, "camt.054.001.08", note)
			if !strings.Contains(note, "<TxId>"+line.TransactionID+"<") || !strings.Contains(note, iban) {
				t.Errorf("%s: the notification of %s is %s", scheme, line.TransactionID, note)
			}
		}
	}
	for want, c := range map[int]call{
		http.StatusNotFound:   asXML(path+"CH9300762011623852957&day="+day, supervisor1),
		http.StatusBadRequest: asXML("/api/common/v1/transaction/"+open, supervisor1),
		http.StatusForbidden:  get(path+accounts[rulebook.SchemeSIC]+"&day="+day, admin1),
	} {
		if a := b.Send(t, c); a.Status != want {
			t.Errorf("%s: %d %s, want %d", c.Path, a.Status, a.Body, want)
		}
	}
	if a := b.Send(t, get(path+accounts[rulebook.SchemeSIC]+"&day=yesterday", supervisor1)); a.Status != http.StatusBadRequest {
		t.Errorf("a day that is none: %d %s", a.Status, a.Body)
	}
	_, err := b.DB.ConnectAsApplication(t, "demo").Exec(t.Context(), `WITH planted AS (
			INSERT INTO message_history (realm, message_id, sequence, kind, from_state, action, to_state, previous_sequence, version, actor_name, channel, at)
			SELECT realm, message_id, state_sequence + 1, kind, state, 'settle', 'Settled', state_sequence, version, 'Clearing', 'clearing', now()
			FROM message WHERE message_id = $1)
		UPDATE message SET state = 'Settled', state_sequence = state_sequence + 1, state_since = $2, settled_at = $2
		WHERE message_id = $1`, sent, today)
	must(t, err)
	for _, path := range []string{path + accounts[rulebook.SchemeSCT] + "&day=" + day, "/api/common/v1/transaction/" + sent} {
		if a := b.Send(t, asXML(path, supervisor1)); a.Status != http.StatusBadRequest {
			t.Errorf("%s with a settlement that was planted: %d %s", path, a.Status, a.Body)
		}
	}
	booked, first := path+accounts[rulebook.SchemeSIC]+"&day="+day, ids[rulebook.SchemeSIC][0]
	before := bookedAt(b.ok(t, asXML(booked, supervisor1)).Body)
	for set, want := range map[string]string{"settled_at = $2": before, "settled_at = NULL": before, "state_since = $2": ""} {
		_, err = b.DB.Owner(t).Exec(t.Context(), "UPDATE message SET "+set+" WHERE message_id = $1 AND $2::timestamptz IS NOT NULL", first, today.Add(time.Second))
		must(t, err)
		a := b.Send(t, asXML(booked, supervisor1))
		if got := bookedAt(a.Body); (a.Status == http.StatusOK) != (want != "") || got != want {
			t.Errorf("%s: %d, booked at %s, want %s", set, a.Status, got, want)
		}
		_, err = b.DB.Owner(t).Exec(t.Context(), `UPDATE message m SET settled_at = h.at, state_since = h.at FROM message_history h
			WHERE h.message_id = m.message_id AND h.sequence = m.state_sequence AND m.message_id = $1`, first)
		must(t, err)
	}
	row := "UPDATE message_version SET debtor_name = 'Somebody Else' WHERE message_id = $1"
	_, err = b.DB.Owner(t).Exec(t.Context(), row, ids[rulebook.SchemeSIC][0])
	must(t, err)
	a := b.Send(t, asXML(path+accounts[rulebook.SchemeSIC]+"&day="+day, supervisor1))
	if a.Status != http.StatusBadRequest || strings.Contains(a.Body, "Somebody Else") {
		t.Errorf("a booking that fails its seal: %d %s", a.Status, a.Body)
	}
}

// bookedAt returns the times of the bookings of a statement.
func bookedAt(statement string) string {
	return strings.Join(regexp.MustCompile(`<BookgDt>.*?</BookgDt>`).FindAllString(statement, -1), " ")
}
