package simulator

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// logBytes limits the documents in the journal, beside the number of its entries.
const logBytes = 256 << 20

// The directions of a document, from the side of clearing.
const (
	directionIn  = "in"
	directionOut = "out"
)

// What became of a document.
const (
	outcomeTaken     = "taken"     // in: acted upon
	outcomeDuplicate = "duplicate" // in: known already, not acted upon again
	outcomeRefused   = "refused"   // in: answered with an error; out: a document broken on purpose that the gateway refused
	outcomeDropped   = "dropped"   // in: the connection was closed without an answer
	outcomeSending   = "sending"   // out: not yet delivered
	outcomeDelivered = "delivered" // out: the gateway answered 2xx
	outcomeAbandoned = "abandoned" // out: given up
)

// Entry is one document in the log.
type Entry struct {
	// Number counts the entries from 1; the first number shown is higher once old entries were forgotten.
	Number uint64 `json:"number"`
	// Direction is in (from the gateway) or out (to the gateway).
	Direction string `json:"direction"`
	// At is when the document came in, or was sent for the first time. UTC.
	At time.Time `json:"at"`
	// Scheme is sic-inst or sct-inst.
	Scheme string `json:"scheme"`
	// Name is the message definition, such as pacs.008.001.08; empty when the document could not be read.
	Name string `json:"name,omitempty"`
	// MessageID is the X-Message-Id it travelled under.
	MessageID string `json:"messageId,omitempty"`
	// TransactionID is the TxId of the payment it is about.
	TransactionID string `json:"transactionId,omitempty"`
	// EndToEndID is the EndToEndId of that payment.
	EndToEndID string `json:"endToEndId,omitempty"`
	// Status is the status inside the document: the TxSts of a pacs.002, the answer of a camt.029 or camt.025.
	Status string `json:"status,omitempty"`
	// Reason is the ISO reason code in it.
	Reason string `json:"reason,omitempty"`
	// Outcome is taken, duplicate, refused or dropped for a document that came in; sending, delivered, refused or abandoned for one
	// that goes out.
	Outcome string `json:"outcome"`
	// Detail says in a sentence why the outcome is not the usual one.
	Detail string `json:"detail,omitempty"`
	// Attempts counts the posts of an outgoing document.
	Attempts int `json:"attempts,omitempty"`
	// Effective is true for a document that came in and was acted upon: once for each business transaction.
	Effective bool `json:"effective"`
	// XML is the document as it was on the wire.
	XML string `json:"xml"`
}

// journal holds the latest entries, oldest first.
type journal struct {
	limit   int
	entries []*Entry
	bytes   int
	count   uint64
}

// add numbers an entry and appends it. The holder of the simulator's lock may change the entry while it is being sent.
func (j *journal) add(entry *Entry) {
	entry.Number = j.count + 1
	j.restore(entry)
}

// restore adds an entry under its own number.
func (j *journal) restore(entry *Entry) {
	j.count = entry.Number
	j.entries = append(j.entries, entry)
	j.bytes += len(entry.XML)
	for len(j.entries) > j.limit || j.bytes > logBytes && len(j.entries) > 1 {
		j.bytes -= len(j.entries[0].XML)
		j.entries[0] = nil
		j.entries = j.entries[1:]
	}
}

// after copies the entries with a higher number that are about the transaction, or about any when it is "".
func (j *journal) after(number uint64, transactionID string) []Entry {
	found := []Entry{}
	for _, entry := range j.entries {
		if entry.Number > number && (transactionID == "" || transactionID == entry.TransactionID) {
			found = append(found, *entry)
		}
	}
	return found
}

// serveLog writes the entries as a JSON array, one entry a line.
func (s *Simulator) serveLog(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	number := uint64(0)
	if text := query.Get("after"); text != "" {
		parsed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			writeRefusal(w, &refusal{http.StatusBadRequest, "400_BAD_REQUEST", "Enter the number of a log entry in after."})
			return
		}
		number = parsed
	}
	s.mutex.Lock()
	entries := s.journal.after(number, query.Get("transactionId"))
	s.mutex.Unlock()
	writeEntries(w, entries)
}

func writeEntries(w http.ResponseWriter, entries []Entry) {
	w.Header().Set("Content-Type", "application/json")
	between := "["
	for i := range entries {
		line, err := json.Marshal(&entries[i])
		if err != nil {
			return // cannot happen: strings, numbers and times of this century
		}
		_, err = w.Write(append([]byte(between), line...))
		if err != nil {
			return
		}
		between = ",\n"
	}
	if len(entries) == 0 {
		_, _ = w.Write([]byte("["))
	}
	_, _ = w.Write([]byte("]\n"))
}

func (s *Simulator) serveLiveness(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "live"})
}

// memory is a map of limited size that forgets its oldest key first.
type memory[V any] struct {
	limit  int
	values map[string]V
	keys   []string // in the order they came; a ring once the limit is reached
	oldest int
}

func newMemory[V any](limit int) memory[V] {
	return memory[V]{limit: limit, values: make(map[string]V)}
}

func (m *memory[V]) get(key string) (V, bool) {
	value, found := m.values[key]
	return value, found
}

func (m *memory[V]) put(key string, value V) {
	_, known := m.values[key]
	m.values[key] = value
	if known {
		return
	}
	if len(m.keys) < m.limit {
		m.keys = append(m.keys, key)
		return
	}
	delete(m.values, m.keys[m.oldest])
	m.keys[m.oldest] = key
	m.oldest = (m.oldest + 1) % m.limit
}
