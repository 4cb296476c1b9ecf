package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"countersign/web"
)

func TestTheGalleryShowsPagesWithoutADatabase(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	p := start(t, []string{"COUNTERSIGN_GALLERY_LISTEN=" + address}, "gallery")
	if !poll(func() bool { return strings.Contains(p.output.String(), "the gallery is up") }) {
		t.Fatal("the gallery does not come up")
	}
	answer, err := http.Get("http://" + address + "/de/queue")
	must(t, err)
	page, err := io.ReadAll(answer.Body)
	must(t, err)
	must(t, answer.Body.Close())
	if answer.StatusCode != http.StatusOK || !strings.Contains(string(page), "Beispiel Holzbau GmbH") ||
		!strings.Contains(string(page), `<html lang="de"`) {
		t.Errorf("the queue: %d\n%.400s", answer.StatusCode, page)
	}
	if policy := answer.Header.Get("Content-Security-Policy"); policy != web.PagePolicy {
		t.Errorf("its policy is %q, not that of the portal", policy)
	}
	if code := p.terminate(t); code != 0 {
		t.Errorf("ends with %d", code)
	}
	for _, elsewhere := range []string{"0.0.0.0:8082", "192.0.2.1:80", "8082", "bank.example:80"} {
		refused := start(t, nil, "gallery", "--listen", elsewhere)
		if code := refused.wait(t); code != exitUsage || !strings.Contains(refused.output.String(), "give an address of this machine") {
			t.Errorf("%s: ends with %d: %s", elsewhere, code, refused.output)
		}
	}
}
