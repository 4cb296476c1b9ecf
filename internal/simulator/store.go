package simulator

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"countersign/internal/iso20022"
	"countersign/internal/profile"
)

// logFileBytes is the size at which a logFile is renamed (".1", replacing the one before) and a new one is begun, so that both together
// hold the last 8 to 16 MiB: some thousands of documents.
const logFileBytes = 8 << 20

// logFile appends the entries of the log to a file, one JSON object a line. An outgoing document has two lines: one before its first post,
// one after its last; the later one counts. Lines are not flushed to the disk: they survive the end of the program in any form, and a power
// cut may lose the last ones.
type logFile struct {
	path string
	file *os.File
	size int64
}

// openLogFile opens the file behind its last whole line and returns the entries in it and in the one before, oldest first.
func openLogFile(path string) (*logFile, []*Entry, error) {
	before, _, err := readLogFile(path + ".1")
	if err != nil {
		return nil, nil, err
	}
	now, whole, err := readLogFile(path)
	if err != nil {
		return nil, nil, err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("open the simulator's memory: %w", err)
	}
	err = file.Truncate(whole) // a line that a crash cut off
	if err == nil {
		_, err = file.Seek(whole, io.SeekStart)
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("open the simulator's memory: %w", err), file.Close())
	}
	return &logFile{path: path, file: file, size: whole}, merge(append(before, now...)), nil
}

// readLogFile reads the whole lines of a file, and returns their length in bytes. A missing file has none.
func readLogFile(path string) (entries []*Entry, whole int64, err error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read the simulator's memory: %w", err)
	}
	for line := range bytes.Lines(content) {
		entry := new(Entry)
		if !bytes.HasSuffix(line, []byte("\n")) || json.Unmarshal(line, entry) != nil {
			break
		}
		entries = append(entries, entry)
		whole += int64(len(line))
	}
	return entries, whole, nil
}

// merge replaces the first of two lines about one entry by the later one.
func merge(lines []*Entry) []*Entry {
	var entries []*Entry
	places := make(map[uint64]int)
	for _, line := range lines {
		place, known := places[line.Number]
		if known {
			line.XML = entries[place].XML
			entries[place] = line
			continue
		}
		places[line.Number] = len(entries)
		entries = append(entries, line)
	}
	return entries
}

// write appends a line. A line about the outcome leaves out the document, which its first line has.
func (n *logFile) write(entry *Entry, again bool) error {
	line := *entry
	if again {
		line.XML = ""
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // XML is full of what it would escape
	err := encoder.Encode(&line)
	if err != nil {
		return fmt.Errorf("write the simulator's memory: %w", err)
	}
	if n.size+int64(text.Len()) > logFileBytes && !again {
		err = n.turn()
		if err != nil {
			return err
		}
	}
	written, err := n.file.Write(text.Bytes())
	n.size += int64(written)
	if err != nil {
		return fmt.Errorf("write the simulator's memory: %w", err)
	}
	return nil
}

// turn renames the full file and begins a new one.
func (n *logFile) turn() error {
	err := errors.Join(n.file.Close(), os.Rename(n.path, n.path+".1"))
	if err != nil {
		return fmt.Errorf("turn over the simulator's memory: %w", err)
	}
	n.file, err = os.OpenFile(n.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("turn over the simulator's memory: %w", err)
	}
	n.size = 0
	return nil
}

// Remember stores the log in a file from now on. First it reads the log of an earlier simulator from that file: it judges every document
// again in order, which restores all payments, recalls and ids, and sends undelivered documents again, byte for byte. Call it before the
// Handler is served. The file is bounded (logFileBytes). It fails when the file cannot be read or written.
func (s *Simulator) Remember(path string) error {
	book, entries, err := openLogFile(path)
	if err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	r := replay{simulator: s, sent: make(map[string]place)}
	for _, entry := range entries {
		if entry.Direction == directionIn {
			r.in(entry)
		} else {
			r.out(entry)
		}
		s.journal.restore(entry)
	}
	s.logFile = book
	for _, exchange := range r.exchanges {
		s.start(exchange)
	}
	return nil
}

// keep writes an entry into the logFile, if there is one. The caller holds the lock. After an error the simulator logs it and continues
// without the file.
func (s *Simulator) keep(entry *Entry, again bool) {
	if s.logFile == nil {
		return
	}
	err := s.logFile.write(entry, again)
	if err != nil {
		s.config.Log.Error("the simulator's memory is lost at its end", "error", err)
		s.logFile = nil
	}
}

// place locates an outgoing document.
type place struct {
	exchange *exchange
	index    int
}

// replay restores the memory from the file.
type replay struct {
	simulator *Simulator
	exchanges []*exchange
	sent      map[string]place // by scheme and message id
}

// in judges a received document again, as it was judged first.
func (r *replay) in(entry *Entry) {
	scheme, found := schemeNamed(entry.Scheme)
	d := &delivery{scheme: scheme, messageID: entry.MessageID, xml: []byte(entry.XML), digest: sha256.Sum256([]byte(entry.XML))}
	if !found || d.decode(nil) != nil {
		return // it was refused unread
	}
	judged := r.simulator.judge(d)
	if judged.answer == nil {
		return
	}
	if judged.outcome == outcomeTaken && entry.Outcome == outcomeDuplicate {
		judged.answer.next = len(judged.answer.drafts) // the first one is forgotten; it was answered
	}
	r.expect(judged.answer)
}

// expect records the ids under which the documents of an exchange are sent.
func (r *replay) expect(x *exchange) {
	r.exchanges = append(r.exchanges, x)
	for i, draft := range x.drafts {
		id := draft.messageID
		if id == "" {
			id = r.simulator.identifier(x.scheme, x.cause, i)
		}
		r.sent[x.scheme.name+"/"+id] = place{x, i}
	}
}

// out adds a sent document, with its bytes, to its exchange, or begins the exchange of its scenario.
func (r *replay) out(entry *Entry) {
	scheme, found := schemeNamed(entry.Scheme)
	if !found {
		return
	}
	at, known := r.sent[scheme.name+"/"+entry.MessageID]
	if !known {
		started := r.scenario(scheme, entry)
		if started == nil {
			return // what it answered is forgotten
		}
		at = place{exchange: started}
	}
	x, draft := at.exchange, at.exchange.drafts[at.index]
	draft.messageID, draft.xml = entry.MessageID, []byte(entry.XML)
	x.due = true
	if x.payment != nil {
		x.payment.decided = true
	}
	if entry.Outcome != outcomeDelivered && entry.Outcome != outcomeRefused {
		return
	}
	draft.delivered++
	if draft.delivered >= draft.copies {
		x.next = at.index + 1
	}
}

// scenario restores an incoming payment or its recall, from the document alone.
func (r *replay) scenario(scheme scheme, entry *Entry) *exchange {
	document, findings := profile.Read([]byte(entry.XML))
	if len(findings) > 0 {
		return nil
	}
	s, key := r.simulator, scheme.name+"/"+entry.TransactionID
	switch document := document.(type) {
	case *iso20022.FIToFICustomerCreditTransfer:
		s.scenarios[scheme.name]++
		s.incoming.put(key, &incoming{document: document, answered: make(chan struct{})})
	case *iso20022.FIToFIPaymentCancellationRequest:
		payment, known := s.incoming.get(key)
		if known {
			payment.recalls++
		}
	default:
		return nil
	}
	about := original{transactionID: entry.TransactionID, endToEndID: entry.EndToEndID}
	send := &draft{name: document.MessageName(), about: about, reason: entry.Reason, copies: 1, messageID: entry.MessageID}
	started := &exchange{scheme: scheme, cause: entry.MessageID, drafts: []*draft{send}}
	r.expect(started)
	return started
}
