package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/internal/testutil"
)

// TestTheReceiverOfTheDocsTakesWebhooks runs docs/webhook_receiver.py against the demo, which is killed before it delivers.
func TestTheReceiverOfTheDocsTakesWebhooks(t *testing.T) {
	t.Parallel()
	testutil.Program(t, "python3", "the receiver needs it")
	h := newHouse(t)
	p := h.open(t)
	o := newOffice(t, h)
	address := freeAddress(t)
	ask := func(user, path, body string) (answer struct {
		WebhookSecret string
		Change        struct{ ChangeID string }
	},
	) {
		t.Helper()
		r, err := o.askAs(user, http.MethodPost, path, body)
		must(t, err)
		if r.status != http.StatusOK {
			t.Fatalf("%d %s", r.status, r.text)
		}
		must(t, json.Unmarshal([]byte(r.text), &answer))
		return answer
	}
	change := ask("admin1", "/api/admin/v1/change/create", `{"kind":"webhook.create","values":{"url":"http://`+address+`/"}}`).Change.ChangeID
	secret := ask("admin2", "/api/admin/v1/change/approval", `{"changeId":"`+change+`","ApprovalDetails":{"action":"approve"}}`).WebhookSecret
	order := o.newPaper(0)
	_, err := o.create(order)
	must(t, err)
	_, err = o.approve(order)
	must(t, err)
	p.kill(t)
	p = h.open(t)
	receiver := exec.Command("python3", filepath.Join("..", "..", "docs", "webhook_receiver.py"), strings.Split(address, ":")[1])
	receiver.Env = append(os.Environ(), "WEBHOOK_SECRET="+secret)
	var said testutil.Log
	receiver.Stdout, receiver.Stderr = &said, &said
	must(t, receiver.Start())
	t.Cleanup(func() { _ = receiver.Process.Kill(); _ = receiver.Wait() })
	want := []string{"message.created " + order.id, "message.approved " + order.id, "message.settled " + order.id}
	for end := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		left := said.String()
		for _, line := range want {
			_, rest, found := strings.Cut(left, line+"\n")
			if !found {
				left = "missing"
				break
			}
			left = rest
		}
		if left != "missing" {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the receiver says:\n%s", said.String())
		}
	}
	if code := p.terminate(t); code != 0 {
		t.Errorf("the demo ends with %d", code)
	}
}
