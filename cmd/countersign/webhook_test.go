package main

import (
	"encoding/json"
	"fmt"
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
	testutil.Long(t)
	t.Parallel()
	testutil.Program(t, "python3", "the receiver needs it")
	h := newHouse(t)
	p := h.open(t)
	o := newOffice(t, h)
	address := freeAddress(t)
	secret := o.change(t, "webhook.create", `{"url":"http://`+address+`/"}`).WebhookSecret
	reader := o.change(t, "client.create", `{"clientId":"reader","kind":"confidential","roles":["supervisor"]}`).ClientSecret
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
	tail := func(after string) *program {
		return start(t, []string{
			"COUNTERSIGN_URL=http://" + h.gateway, "COUNTERSIGN_API_CLIENT=reader", "COUNTERSIGN_API_SECRET=" + reader,
		}, "events", "tail", "--cursor", filepath.Join(h.data, "cursor"), "--after", after)
	}
	first := tail("")
	until(t, first, `"type":"message.settled"`)
	if code := first.terminate(t); code != 0 {
		t.Errorf("the reader ends with %d", code)
	}
	another := o.newPaper(0)
	_, err = o.create(another)
	must(t, err)
	next := tail("latest") // the file has the place
	until(t, next, another.id)
	if strings.Contains(next.output.String(), order.id) {
		t.Errorf("events come twice:\n%s", next.output)
	}
	if code := p.terminate(t); code != 0 {
		t.Errorf("the demo ends with %d", code)
	}
}

// changed is the answer to an approved change of administration.
type changed struct {
	WebhookSecret, ClientSecret string
	Change                      struct{ ChangeID, State string }
}

// change has one administrator ask for a change, and another one approve it.
func (o *office) change(t *testing.T, kind, values string) (answer changed) {
	t.Helper()
	body := `{"kind":"` + kind + `","values":` + values + `}`
	for user, path := range []string{"/api/admin/v1/change/create", "/api/admin/v1/change/approval"} {
		r, err := o.askAs(fmt.Sprint("admin", user+1), http.MethodPost, path, body)
		must(t, err)
		must(t, json.Unmarshal([]byte(r.text), &answer))
		body = `{"changeId":"` + answer.Change.ChangeID + `","ApprovalDetails":{"action":"approve"}}`
	}
	if answer.Change.State != "Applied" {
		t.Fatalf("%s is not applied: %+v", kind, answer)
	}
	return answer
}

// until waits for a text in the output of a program.
func until(t *testing.T, p *program, text string) {
	t.Helper()
	for end := time.Now().Add(patience); !strings.Contains(p.output.String(), text); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the program does not print %s:\n%s", text, p.output)
		}
	}
}
