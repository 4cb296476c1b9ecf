package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"countersign/web"
)

// TestTheGalleryShowsPagesUnderThePolicyOfThePortal: it answers with a page in the language of the address, and refuses other machines.
func TestTheGalleryShowsPagesUnderThePolicyOfThePortal(t *testing.T) {
	t.Parallel()
	answer := httptest.NewRecorder()
	handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/de/queue", nil))
	page := answer.Body.String()
	if answer.Code != http.StatusOK || !strings.Contains(page, "Beispiel Holzbau GmbH") || !strings.Contains(page, `<html lang="de"`) {
		t.Errorf("the queue: %d\n%.400s", answer.Code, page)
	}
	if policy := answer.Header().Get("Content-Security-Policy"); policy != web.PagePolicy {
		t.Errorf("its policy is %q, not that of the portal", policy)
	}
	for _, elsewhere := range []string{"0.0.0.0:8082", "192.0.2.1:80", "8082", "bank.example:80"} {
		if err := serve(elsewhere); err == nil || !strings.Contains(err.Error(), "give an address of this machine") {
			t.Errorf("%s: %v", elsewhere, err)
		}
	}
}
