package simulator

import (
	"crypto/sha256"

	"countersign/internal/iso20022"
	"countersign/internal/profile"
)

// Remember stores the log in a file from now on. First it reads the log of an earlier simulator from that file: it judges every document
// again in order, which restores all payments, recalls and ids, and sends undelivered documents again, byte for byte. Call it before the
// Handler is served. The file is bounded (notebookBytes). It fails when the file cannot be read or written.
func (s *Simulator) Remember(path string) error {
	book, entries, err := openNotebook(path)
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
	s.notebook = book
	for _, exchange := range r.exchanges {
		s.start(exchange)
	}
	return nil
}

// keep writes an entry into the notebook, where there is one. The caller holds the lock. A notebook that cannot be written is given up:
// the simulator goes on and says so.
func (s *Simulator) keep(entry *Entry, again bool) {
	if s.notebook == nil {
		return
	}
	err := s.notebook.write(entry, again)
	if err != nil {
		s.config.Log.Error("the simulator's memory is lost at its end", "error", err)
		s.notebook = nil
	}
}

// place locates an outgoing document.
type place struct {
	exchange *exchange
	index    int
}

// replay brings the memory back.
type replay struct {
	simulator *Simulator
	exchanges []*exchange
	sent      map[string]place // by scheme and message id
}

// in judges a document once more, as it was judged when it came.
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

// expect notes under which ids the documents of an exchange go out.
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

// out gives a document that went out back to its exchange, or begins the exchange of a scenario, with the bytes it went out with.
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

// scenario brings back an incoming payment or its recall, from the document alone.
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
