package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/testutil"
)

// line is one line of the simulator's log, with what crash tests do not ask for.
type line struct {
	logEntry
	Scheme, Status, Reason string
}

// lines reads the log; about one transaction when its id is given.
func (s *stage) lines(t *testing.T, transaction string) (list []line) {
	t.Helper()
	answer, err := http.Get("http://" + s.simulator + "/log?transactionId=" + transaction)
	must(t, err)
	content, err := io.ReadAll(answer.Body)
	must(t, errors.Join(err, answer.Body.Close()))
	must(t, json.Unmarshal(content, &list))
	return list
}

// String is the line in short: direction, message, what it says, and what became of it if that is not the usual.
func (l line) String() string {
	words := []string{l.Direction, strings.Join(strings.Split(l.Name, ".")[:2], ".")}
	for _, word := range []string{l.Status, l.Reason} {
		if word != "" {
			words = append(words, word)
		}
	}
	if l.Outcome != "taken" && l.Outcome != "delivered" {
		words = append(words, l.Outcome)
	}
	return strings.Join(words, " ")
}

const inquiry = "in pacs.028"

// wire waits until exactly these documents have crossed about a transaction, in this order; status requests are left out. The last call
// about a transaction holds to the end. It returns the log.
func (s *stage) wire(t *testing.T, transaction string, want ...string) (list []line) {
	t.Helper()
	s.mu.Lock()
	s.crossed[transaction] = want
	s.mu.Unlock()
	met := poll(func() bool {
		list = s.lines(t, transaction)
		return slices.Equal(inShort(list), want)
	})
	if !met {
		t.Fatalf("on the wire about %s:\n got %q\nwant %q", transaction, inShort(list), want)
	}
	return list
}

// inShort tells what crossed without the status requests. A status request that crossed its answer gets the same answer once more: on a
// slow machine that is no other story.
func inShort(list []line) (texts []string) {
	asked := false
	for _, l := range list {
		text := l.String()
		switch {
		case text == inquiry:
			asked = true
		case asked && len(texts) > 0 && texts[len(texts)-1] == text:
			asked = false
		default:
			texts = append(texts, text)
		}
	}
	return texts
}

// inquiries counts the status requests.
func inquiries(list []line) (count int) {
	for _, l := range list {
		if l.String() == inquiry {
			count++
		}
	}
	return count
}

// receipt waits for the gateway's camt.025 about a document it got; it names that document's message id and no transaction.
func (s *stage) receipt(t *testing.T, about line) {
	t.Helper()
	found := poll(func() bool {
		return slices.ContainsFunc(s.lines(t, ""), func(l line) bool {
			return l.String() == "in camt.025 ACCP" && strings.Contains(l.XML, "<MsgId>"+about.MessageID+"</MsgId>")
		})
	})
	if !found {
		t.Errorf("no receipt for %s", about)
	}
}

// history lists the steps of a message as "from: action: to", without deliveries and status requests.
func (s *stage) history(t *testing.T, id string) (list []string) {
	t.Helper()
	r := s.ok(t, "supervisor1", "/api/common/v1/transaction/"+id+"/history", "")
	steps, _ := r.at("history").([]any)
	for i := range steps {
		action := r.string("history", i, "action")
		if action != "deliver" && action != "inquire" {
			list = append(list, action+": "+r.string("history", i, "to"))
		}
	}
	return list
}

// checkWire holds the whole log: nothing came after what the scripts saw; each document follows its schema, by our reader and by another
// program; no message id ever stood for two documents; each business transaction took effect once.
func (s *stage) checkWire(t *testing.T) {
	t.Helper()
	all, about := s.lines(t, ""), map[string][]line{}
	for _, l := range all {
		about[l.TransactionID] = append(about[l.TransactionID], l)
	}
	for transaction, want := range s.crossed {
		if got := inShort(about[transaction]); !slices.Equal(got, want) {
			t.Errorf("in the end on the wire about %s:\n got %q\nwant %q", transaction, got, want)
		}
	}
	s.checkEffects(t, all)
	checkDocuments(t, all)
}

// checkEffects holds that nothing was sent twice and nothing took effect twice.
func (s *stage) checkEffects(t *testing.T, all []line) {
	t.Helper()
	effects := map[string]int{}
	for _, l := range all {
		if l.Direction == "in" && l.Outcome == "duplicate" {
			t.Errorf("sent twice: %s about %s", l, l.TransactionID)
		}
		if l.Effective && l.TransactionID != "" && l.String() != inquiry && !strings.HasPrefix(l.Name, "pacs.002") {
			effects[l.Scheme+" "+l.Name+" "+l.TransactionID]++
		}
	}
	for effect, count := range effects {
		if count != 1 {
			t.Errorf("%s took effect %d times", effect, count)
		}
	}
}

func checkDocuments(t *testing.T, all []line) {
	t.Helper()
	files, names, known, folder := map[string][]string{}, map[string]bool{}, map[string]string{}, t.TempDir()
	for number, l := range all {
		if first, again := known[l.Direction+l.MessageID]; again {
			if first != l.XML {
				t.Errorf("the message id %s stood for two documents", l.MessageID)
			}
			continue
		}
		known[l.Direction+l.MessageID] = l.XML
		if l.Direction == "out" && l.Outcome == "refused" {
			continue // broken on purpose
		}
		_, findings := codec.DecodeXML([]byte(l.XML))
		if len(findings) > 0 {
			t.Errorf("%s about %s: %+v", l, l.TransactionID, findings)
		}
		name := filepath.Join(folder, fmt.Sprintf("%d.xml", number))
		begin, end := strings.Index(l.XML, "<Document "), strings.LastIndex(l.XML, "</Document>")+len("</Document>")
		must(t, os.WriteFile(name, []byte(l.XML[begin:end]), 0o600)) // without the header of a profile
		namespace := codec.Namespace([]byte(l.XML))
		files[namespace], names[l.Name] = append(files[namespace], name), true
	}
	if len(names) != 7 {
		t.Errorf("the scripts sent documents of %d messages, not of 7: pacs.008, pacs.002, pacs.004, pacs.028, camt.056, camt.029, camt.025",
			len(names))
	}
	lint(t, files)
}

// lint holds files, by their namespace, against the ISO schemas, and those of SIX against schemas derived from what is publicly known.
func lint(t *testing.T, files map[string][]string) {
	t.Helper()
	program := testutil.Program(t, "xmllint", "make xmllint")
	for name, paths := range files {
		schema := filepath.Join("..", "..", "internal", "iso20022", "schema", name[strings.LastIndex(name, ":")+1:]+".xsd")
		if variant, six := strings.CutPrefix(name, iso20022.NamespaceOfSIX); six {
			schema = filepath.Join("..", "..", "internal", "profile", "testdata", "derived-six", variant+".xsd")
		}
		output, err := exec.Command(program, append([]string{"--noout", "--nonet", "--schema", schema}, paths...)...).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, lastLines(string(output), 20))
		}
	}
}

// checkInbox holds that everything clearing sent found its place: nothing waits and nothing is in quarantine.
func (s *stage) checkInbox(t *testing.T) {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), s.databaseURL(t))
	must(t, err)
	defer func() { must(t, connection.Close(t.Context())) }()
	var left string
	err = connection.QueryRow(t.Context(), `SELECT coalesce(string_agg(name || ' ' || outcome || ' ' || reason, '; '), '')
		FROM inbox WHERE outcome NOT IN ('matched', 'answered')`).Scan(&left)
	must(t, err)
	if left != "" {
		t.Errorf("left in the inbox: %s", left)
	}
}

// trueTimes are the times of a message before a script moved its past.
type trueTimes struct {
	id       string
	created  time.Time
	accepted *time.Time
	deadline *time.Time
}

// back moves the past: it changes one time of a message, as the owner of the database.
func (s *stage) back(t *testing.T, m message, change string) {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), s.databaseURL(t))
	must(t, err)
	defer func() { must(t, connection.Close(t.Context())) }()
	was := trueTimes{id: m.id}
	must(t, connection.QueryRow(t.Context(), "SELECT created_at, accepted_at, deadline FROM message WHERE message_id = $1", m.id).
		Scan(&was.created, &was.accepted, &was.deadline))
	done, err := connection.Exec(t.Context(), "UPDATE message SET "+change+" WHERE message_id = $1", m.id)
	must(t, err)
	if done.RowsAffected() != 1 {
		t.Fatalf("%s changed %d messages", change, done.RowsAffected())
	}
	s.mu.Lock()
	s.moved = append(s.moved, was)
	s.mu.Unlock()
}

// forth puts right what back moved, the last first: the auditor finds it.
func (s *stage) forth(t *testing.T) {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), s.databaseURL(t))
	must(t, err)
	defer func() { must(t, connection.Close(t.Context())) }()
	for _, was := range slices.Backward(s.moved) {
		_, err = connection.Exec(t.Context(), "UPDATE message SET created_at = $1, accepted_at = $2, deadline = $3 WHERE message_id = $4",
			was.created, was.accepted, was.deadline, was.id)
		must(t, err)
	}
}
