package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

const answerPath = "/api/common/v1/instruction/answer"

// TestAQuestionByJSON: action ask, the answer, the states, history and events, and what is refused.
func TestAQuestionByJSON(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.Created(t, maker1)
	hash := b.hashOf(t, id)
	asks := call{Path: approvePath, Who: checker1, Body: verdict(id, "ask", "question", "Why twice?", "contentHash", hash)}
	answers := call{Path: answerPath, Who: maker1, Body: `{"identifiers":{"internalId":"` + id + `"},"answer":"Two instalments."}`}
	if a := b.Send(t, answers); a.Status != http.StatusBadRequest || a.GroupStatus() != "RJCT" {
		t.Errorf("an answer without a question: %d %s", a.Status, a.Body)
	}
	asked := b.ok(t, asks)
	if asked.GroupStatus() != "PNDG" {
		t.Errorf("asked: %s", asked.Body)
	}
	b.again(t, asks, asked)
	shown := b.Send(t, get("/api/common/v1/transaction/"+id, maker1))
	if shown.Text("transaction", "state") != "Question" || shown.Text("transaction", "contentHash") != hash ||
		shown.Text("transaction", "expiresAt") == "" {
		t.Errorf("shown: %s", shown.Body)
	}
	list := b.Send(t, get("/api/common/v1/transaction/list?state=Question", checker2))
	if list.Text("transactions", 0, "internalId") != id {
		t.Errorf("the filter: %s", list.Body)
	}
	for name, who := range map[string]person{"the asker": checker1, "another": checker2} {
		a := b.Send(t, call{Path: approvePath, Who: who, Body: verdict(id, "approve", "contentHash", hash)})
		if a.Status != http.StatusBadRequest || a.GroupStatus() != "RJCT" || a.Text("state") != "Question" {
			t.Errorf("%s approves: %d %s", name, a.Status, a.Body)
		}
	}
	answered := b.ok(t, answers)
	b.again(t, answers, answered)
	b.ok(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve", "contentHash", hash)})
	history := b.Send(t, get("/api/common/v1/transaction/"+id+"/history", maker1))
	if history.Text("history", 1, "to") != "Question" || history.Text("history", 1, "reason") != "Why twice?" ||
		history.Text("history", 2, "action") != "answer" || history.Text("history", 2, "reason") != "Two instalments." {
		t.Errorf("the history: %s", history.Body)
	}
	if got := fmt.Sprint(types(b.await(t, 4))); got != "[created question approval_pending approved]" {
		t.Errorf("the events: %s", got)
	}
}

func TestAQuestionIsReadStrictly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.Created(t, maker1)
	for name, c := range map[string]struct{ path, body, place string }{
		"without a question": {approvePath, verdict(id, "ask"), "/ApprovalDetails/question"},
		"blank":              {approvePath, verdict(id, "ask", "question", "  "), "/ApprovalDetails/question"},
		"too long":           {approvePath, verdict(id, "ask", "question", strings.Repeat("a", 513)), "/ApprovalDetails/question"},
		"of an approval":     {approvePath, verdict(id, "approve", "question", "Why?"), "/ApprovalDetails/question"},
		"no answer":          {answerPath, `{"identifiers":{"internalId":"` + id + `"}}`, "/answer"},
		"a blank answer":     {answerPath, `{"identifiers":{"internalId":"` + id + `"},"answer":" "}`, "/answer"},
		"a bulk": {
			approvePath + "/bulk", batchOf(verdict(id, "ask", "contentHash", b.hashOf(t, id))), "",
		},
	} {
		a := b.Send(t, call{Path: c.path, Who: checker1, Body: c.body})
		switch {
		case c.place == "":
			if a.Text("results", 0, "answer", "fields", 0, "reasonCode") == "" {
				t.Errorf("%s: %s", name, a.Body)
			}
		case a.Status != http.StatusBadRequest || a.Text("fields", 0, "fieldMap") != c.place || a.At("fields", 1) != nil:
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	for name, c := range map[string]struct {
		who  person
		body string
	}{
		"a maker asks":           {maker2, verdict(id, "ask", "question", "Why?")},
		"another realm's person": {otherMaker, verdict(id, "ask", "question", "Why?")},
	} {
		if a := b.Send(t, call{Path: approvePath, Who: c.who, Body: c.body}); a.Status == http.StatusOK {
			t.Errorf("%s: %s", name, a.Body)
		}
	}
	b.ok(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "ask", "question", "Why?")})
	for _, who := range []person{maker2, checker1, otherMaker} {
		a := b.Send(t, call{Path: answerPath, Who: who, Body: `{"identifiers":{"internalId":"` + id + `"},"answer":"So."}`})
		if a.Status != http.StatusForbidden && a.Status != http.StatusBadRequest {
			t.Errorf("%s answers: %d %s", who.User, a.Status, a.Body)
		}
	}
	if shown := b.Send(t, get("/api/common/v1/transaction/"+id, maker1)); shown.Text("transaction", "state") != "Question" {
		t.Errorf("answered by another: %s", shown.Body)
	}
}
