package clearing

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/code"
	"countersign/internal/payment"
	"countersign/internal/store"
)

// receiveStatus books a pacs.002: the answer to our instruction or return, or clearing's status of an incoming payment.
func (s *Service) receiveStatus(ctx context.Context, in store.Document, document *iso20022.FIToFIPaymentStatusReport) error {
	status, err := interbank.ReadStatus(document)
	if err != nil {
		return unprocessable(i18n.Data(err.Error()))
	}
	decide := s.fitting(in, status.Original, func(m payment.Message) (payment.Transition, error) { return s.statusMove(ctx, m, status) })
	realm, id, err := s.sentMessage(ctx, status.Original)
	incoming := errors.Is(err, payment.ErrNotFound)
	if incoming {
		var m payment.Message
		m, err = s.incomingAbout(ctx, in, status.Original, "")
		realm, id = m.Realm, m.InternalID
	}
	if errors.Is(err, payment.ErrNotFound) {
		return unprocessable(i18n.Text("No payment in this gateway has the transaction ID %s.").With(status.Original.TransactionID))
	}
	if err != nil {
		return err
	}
	err = s.recordAnswer(ctx, in.Of(realm, id), decide)
	if err == nil {
		s.offerBooking(realm, id)
	}
	if err != nil || !incoming {
		return err
	}
	return s.processWaiting(ctx, in.Scheme, status.Original.TransactionID) // such as a recall that waits for the booking
}

// incomingAbout finds the incoming payment that a document of a bank is about: by its transaction id, which several banks may use, by the
// bank, and by all that the document repeats of it. from is the BankID of that bank; "" for a document of clearing itself. Errors:
// payment.ErrNotFound when no payment has the transaction id; unprocessableError when none of them fits.
func (s *Service) incomingAbout(ctx context.Context, in store.Document, about interbank.Original, from string) (payment.Message, error) {
	return s.chooseIncoming(ctx, in, about.TransactionID, from, matching{
		fits:  func(m payment.Message) error { return s.fits(in, m, about) },
		knows: func(m payment.Message) bool { return m.KnownTo(about) },
	})
}

// matching compares a document with an incoming payment. fits returns the mismatch. knows reports whether it repeats what only the parties
// of the payment know.
type matching struct {
	fits  func(payment.Message) error
	knows func(payment.Message) bool
}

// chooseIncoming returns the first fitting payment of those of a bank with a transaction id. When none fits, the error names the mismatch
// of the likeliest one.
func (s *Service) chooseIncoming(
	ctx context.Context, in store.Document, transactionID, from string, with matching,
) (payment.Message, error) {
	list, err := s.cfg.Messages.IncomingByTransaction(ctx, in.Scheme, transactionID, from)
	if err != nil {
		return payment.Message{}, err
	}
	var against error
	for _, found := range list {
		m, err := s.trustedMessage(ctx, found.Realm, found.ID)
		if err == nil && from != "" {
			err = s.comesFrom(m, from)
			if isStranger(err) {
				unprocessableOf(err).knows = with.fits(m) == nil && with.knows(m)
			}
		}
		if err == nil {
			err = with.fits(m)
		}
		if err == nil {
			return m, nil
		}
		cannot := unprocessableOf(err)
		if cannot == nil {
			return payment.Message{}, err
		}
		if against == nil || unprocessableOf(against).weaker(cannot) {
			against = err
		}
	}
	if against != nil {
		return payment.Message{}, against
	}
	return payment.Message{}, payment.ErrNotFound
}

// comesFrom refuses a document about a message whose sender is no bank of it, with an alarm. The sender gets no answer.
func (s *Service) comesFrom(m payment.Message, from string) error {
	err := m.ComesFrom(from)
	if err != nil {
		return &unprocessableError{about: m, alarm: true, reason: i18n.Data(err.Error())}
	}
	return nil
}

// fits returns the reason why a document does not answer a message: another scheme, or an id, amount, currency or day that disagrees. Such
// a document goes to quarantine.
func (s *Service) fits(in store.Document, m payment.Message, about interbank.Original) error {
	if m.Scheme != in.Scheme {
		return &unprocessableError{about: m, reason: i18n.Text("The message %s belongs to the scheme %s, but this document came through the scheme %s.").With(
			m.GlobalID, m.Scheme, in.Scheme,
		)}
	}
	err := m.AgreesWith(about, s.cfg.Zone)
	if err != nil {
		return &unprocessableError{about: m, reason: i18n.Data(err.Error())}
	}
	return nil
}

// fitting decides about a message that a document fits.
func (s *Service) fitting(in store.Document, about interbank.Original, decide store.DecideFunc) store.DecideFunc {
	return func(m payment.Message) (payment.Transition, error) {
		err := s.fits(in, m, about)
		if err != nil {
			return payment.Transition{}, err
		}
		return decide(m)
	}
}

// noteWithin limits the wait of an answer for the note of the delivery that it overtook. The note must be queued first, so that the message
// is Processing before its end.
const noteWithin = 50 * time.Millisecond

// recordAnswer records clearing's answer to a message. The message may be our answer to a received recall, which is then Answered.
func (s *Service) recordAnswer(ctx context.Context, in store.Document, decide store.DecideFunc) (err error) {
	var seen payment.Message
	ctx, end := s.cfg.Traces.Message(ctx, in.MessageID, "answer "+string(in.Name))
	defer func() { end(err) }()
	look := func(m payment.Message) (payment.Transition, error) {
		seen = m
		return decide(m)
	}
	if sent := s.sending.wait(ctx, in.MessageID, noteWithin); sent != nil {
		err = s.inbox.RecordFrom(ctx, *sent, in, look)
	} else {
		err = s.inbox.Record(ctx, in, look)
	}
	if errors.Is(err, payment.ErrIllegalMove) && seen.Direction == payment.DirectionOut && seen.AcceptedAt.IsZero() {
		return s.neverSent(ctx, seen)
	}
	if err != nil {
		return err
	}
	return s.recallAnswered(ctx, seen)
}

// neverSent raises the alarm about an answer of clearing to a message of ours that never left here: money may have moved that is not in
// these books. After a restore it left from the database that is gone. What waits for its approval can still come to its true state; what
// ended here cannot, because nothing is sent, and nothing settles, that was not approved here.
func (s *Service) neverSent(ctx context.Context, m payment.Message) error {
	s.alarmOnce(ctx, "unsent "+m.InternalID.String(), "clearing answers about a message that was never sent from here: after a restore, "+
		"see \"After a restore\" in docs/operations.md", "realm", m.Realm, "internalId", m.InternalID, "globalId", m.GlobalID, "state", m.State)
	switch {
	case m.State == payment.StateScheduled:
		return &unprocessableError{about: m, reason: i18n.Text(
			"Nothing was sent for %s because its state in this gateway is “%s”. If the gateway was restored from a backup, clearing might "+
				"already have received the message. In that case, wait until the gateway releases the message on its execution date. The gateway "+
				"can then adopt the state that clearing reports.",
		).With(m.GlobalID, m.State.Text())}
	case m.State.Pending():
		return &unprocessableError{about: m, reason: i18n.Text(
			"Nothing was sent for %s because its state in this gateway is “%s”. If the gateway was restored from a backup, clearing might "+
				"already have received the message. In that case, have the message approved again before it expires. The gateway can then adopt "+
				"the state that clearing reports.",
		).With(m.GlobalID, m.State.Text())}
	}
	return &unprocessableError{about: m, reason: i18n.Text(
		"Nothing was sent for %s because its state in this gateway is “%s”, which is final. If the gateway was restored from a backup, the "+
			"message might have a different state at clearing. In that case, use another system to make the booking that matches the state at "+
			"clearing.",
	).With(m.GlobalID, m.State.Text())}
}

// sentMessage finds the message of ours that a document is about: by the message id it answers, or by the transaction id.
func (s *Service) sentMessage(ctx context.Context, about interbank.Original) (realm string, id uuid.UUID, err error) {
	global, ours := payment.ParseReference(about.MessageID)
	if !ours {
		global, err = payment.Parse(about.TransactionID)
	}
	if err != nil {
		return "", uuid.Nil, payment.ErrNotFound
	}
	return s.cfg.Messages.FindByGlobalID(ctx, global)
}

// statusMove returns the move of a status. A positive one confirms the settlement of an incoming payment. A status that ends nothing is
// stored beside the message, and a blocked payment raises an alarm.
func (s *Service) statusMove(ctx context.Context, m payment.Message, status interbank.Status) (payment.Transition, error) {
	switch status.Outcome {
	case interbank.OutcomeNegative:
		return moveIf(m.RejectByClearing(status.Reason.Code, status.Reason.Text, s.cfg.Now()))
	case interbank.OutcomePositive:
		if m.Kind == payment.KindPayment {
			return moveIf(m.Book(s.cfg.Now()))
		}
		return moveIf(m.Settle(s.cfg.Now()))
	case interbank.OutcomeNone:
		if status.Status == interbank.StatusBlocked {
			s.alarmOnce(ctx, "blocked "+m.InternalID.String(), "clearing blocked a payment", "realm", m.Realm, "internalId", m.InternalID,
				"globalId", m.GlobalID)
		}
		text, _ := code.TransactionStatuses.Find(status.Status)
		return moveIf(m.Report(status.Status, strings.TrimSpace(text.Text+" "+status.Reason.Text), s.cfg.Now()))
	}
	return payment.Transition{}, store.ErrNoChange
}
