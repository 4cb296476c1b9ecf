package portal_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestTwoReasonsEachHaveTheirOwnRoom: why a payment is amended and why it is paid again are told beside their own fields, and of the
// longest of both nothing is lost.
func TestTwoReasonsEachHaveTheirOwnRoom(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	maker.submit(with(filled(), "amount", "77.00"))
	id := maker.priced("10.00")[0]
	amend := maker.get("/payments/" + id + "/amend").is(http.StatusOK)
	action := amend.page.Find("main form").AttrOr("action", "")
	why, again := strings.Repeat("ä", 350), strings.Repeat("ö", 140)
	form := with(amend.fields(action), "amount", "77.00", "creditorName", "Beispiel Holzbau GmbH", "act", "check")
	long := maker.post(action, with(form, "amendReason", why+"ä")).is(http.StatusUnprocessableEntity)
	if told := strings.Join(strings.Fields(long.page.Find("#amendReason-error").Text()), " "); !strings.Contains(told, "to 350 characters") {
		t.Errorf("beside a reason of 351 characters stands %q", told)
	}
	if kept := long.fields("/payments/").Get("amendReason"); kept != why+"ä" {
		t.Errorf("the reason comes back as %q", kept)
	}
	check := maker.post(action, with(form, "amendReason", why)).goesTo("/payments/")
	send := strings.TrimSuffix(check, "check") + "submit"
	answers := maker.shown(check, "duplicateAcknowledged", "yes", "duplicateReason", again+"ö")
	longer := maker.post(send, answers).is(http.StatusUnprocessableEntity)
	if told := longer.page.Find("#duplicateReason-error").Text(); !strings.Contains(told, "to 140 characters") {
		t.Errorf("beside a reason of 141 characters stands %q", told)
	}
	maker.post(send, with(answers, "duplicateReason", again)).goesTo("/payments/" + id)
	b.as("checker1").get("/queue/" + id).is(http.StatusOK).says(why + " Reason for paying again: " + again)
}
