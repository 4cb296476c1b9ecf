package clearing

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/profile"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

// unprocessableError: the document is fine in itself, but belongs to nothing here or cannot be booked. An operator sees the reason.
type unprocessableError struct {
	reason i18n.Text
	about  payment.Message // the message that it disagrees with; zero when it belongs to none
	alarm  bool            // somebody must look at once
	knows  bool            // a stranger repeats of the payment what only its parties know
	answer *store.Document // what clearing gets all the same; nil for nothing
}

// isStranger reports whether a document was refused because its bank is no party of the payment.
func isStranger(err error) bool {
	cannot, is := errors.AsType[*unprocessableError](err)
	return is && cannot.alarm
}

// isUnknown reports whether no incoming payment of the sender has the id that it names. A stranger that repeats what only the parties of
// another bank's payment know is left out: it gets no answer, because the payment may be its own under another name of the bank. Who
// guesses an id is answered alike whether another bank used the id or not.
func isUnknown(err error) bool {
	return errors.Is(err, payment.ErrNotFound) || isStranger(err) && !unprocessableOf(err).knows
}

// weaker reports whether another reason is more specific: about a payment of the same bank, or one that the stranger knows.
func (e *unprocessableError) weaker(than *unprocessableError) bool {
	return e.alarm && (!than.alarm || than.knows && !e.knows)
}

func (e *unprocessableError) Error() string { return e.reason.String() }

func unprocessable(reason i18n.Text) error { return &unprocessableError{reason: reason} }

// unprocessableOf returns the reason why a document can never be booked; nil when an error gives none.
func unprocessableOf(err error) *unprocessableError {
	var cannot *unprocessableError
	switch {
	case errors.As(err, &cannot):
		return cannot
	case errors.Is(err, payment.ErrIllegalMove):
		return &unprocessableError{reason: "This document contradicts the current state of the payment or request that it refers to."}
	}
	return nil
}

func (s *Service) quarantine(ctx context.Context, in store.Document, failed *unprocessableError) error {
	err := s.inbox.Quarantine(ctx, in, failed.reason, failed.answer)
	if err == nil {
		s.auditQuarantined(ctx, in, failed)
	}
	return err
}

// seen handles a document whose message id is in the inbox. The same document is a duplicate. Another one is stored under the id with a
// digest behind: message ids are unique per bank and period, so it is processed when another bank sends it or the period is over.
func (s *Service) seen(ctx context.Context, in store.Document, parsed iso20022.Document) error {
	earlier, same, err := s.inbox.Received(ctx, in)
	if err != nil {
		return err
	}
	if same {
		return ErrDuplicate
	}
	used := in.Reference
	in.Reference = used[:min(len(used), 120)] + "~" + shortDigest(in.Content)
	if parsed == nil {
		foreign, _ := profile.ReadForeign(in.Content)
		err = s.receiveForeign(ctx, in, foreign)
	} else {
		err = s.processUnder(ctx, in, parsed, earlier, used)
	}
	if errors.Is(err, store.ErrSeen) {
		return ErrDuplicate
	}
	return err
}

// processUnder processes another document under a used message id.
func (s *Service) processUnder(ctx context.Context, in store.Document, parsed iso20022.Document, earlier store.Document, id string) error {
	return s.processOrQuarantine(ctx, in, func() error {
		sender, period := s.sender(in.Scheme, parsed), s.cfg.Rules.UniqueFor(in.Scheme, s.cfg.Now().In(s.cfg.Zone))
		if in.At.Sub(earlier.At) >= period || sender != s.senderOf(earlier) {
			return s.process(ctx, in, parsed)
		}
		if err := s.fromPartner(in); err != nil {
			return err
		}
		if transfer, is := parsed.(*iso20022.FIToFICustomerCreditTransfer); is {
			return s.repeatedMessage(ctx, in, transfer)
		}
		return unprocessable(i18n.Text("The message ID %s was already used for another document.").With(id))
	})
}

// sender returns the BankID of the sending bank of a document.
func (s *Service) sender(scheme rulebook.Scheme, document iso20022.Document) string {
	return interbank.Sender(document, s.cfg.Profiles.PartnerBIC(string(scheme)))
}

// senderOf is the sender of a stored document, "" when it cannot be read.
func (s *Service) senderOf(stored store.Document) string {
	parsed, findings := profile.Read(stored.Content)
	if len(findings) > 0 {
		return ""
	}
	return s.sender(stored.Scheme, parsed)
}

// giveUp moves a document that waited to quarantine.
func (s *Service) giveUp(ctx context.Context, in store.Document, failed *unprocessableError) error {
	first, err := s.inbox.GiveUp(ctx, in, failed.reason)
	if first {
		s.auditQuarantined(ctx, in, failed)
	}
	return err
}

// auditQuarantined logs and audits a document that an operator has to look at.
func (s *Service) auditQuarantined(ctx context.Context, in store.Document, failed *unprocessableError) {
	if failed.alarm {
		s.alarmOnce(ctx, "quarantine "+string(in.Scheme)+" "+in.Reference, "document in quarantine: look at it now",
			"scheme", in.Scheme, "name", in.Name, "reference", in.Reference, "reason", failed.reason)
	}
	s.cfg.Log.WarnContext(ctx, "document of clearing quarantined", "scheme", in.Scheme, "name", in.Name,
		"reference", in.Reference, "reason", failed.reason)
	s.auditRefused(ctx, store.Refusal{
		Realm: failed.about.Realm, MessageID: failed.about.InternalID, Event: auditlog.EventDocumentQuarantined, Why: "quarantine",
		Sentence: i18n.Text("Message %s %s (%s) was put in quarantine. %s").With(in.Name, in.Reference, in.Scheme, failed.reason),
	})
}

// auditRefused writes the refusal of a document from or to clearing into the audit trail of its realm, else of the operator's realm.
// Without either, only the inbox, the outbox and the log have it.
func (s *Service) auditRefused(ctx context.Context, refused store.Refusal) {
	if refused.Realm == "" {
		refused.Realm, refused.MessageID = s.cfg.OperatorRealm, uuid.Nil
	}
	if refused.Realm == "" {
		return
	}
	refused.Actor, refused.At = identity.Gateway(identity.ChannelClearing), s.cfg.Now()
	s.inbox.Refused(ctx, refused)
}
