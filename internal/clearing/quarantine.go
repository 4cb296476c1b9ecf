package clearing

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store"
)

// unprocessableError: the document is fine in itself, but belongs to nothing here or cannot be booked. An operator sees the reason.
type unprocessableError struct {
	reason i18n.Text
	about  payment.Message // the message that it disagrees with; zero when it belongs to none
	answer *store.Document // what clearing gets all the same; nil for nothing
}

// Error is the reason in English.
func (e *unprocessableError) Error() string { return e.reason.String() }

func unprocessable(reason i18n.Text) error { return &unprocessableError{reason: reason} }

// unprocessableOf is why a document cannot be booked, whoever tries again; nil when an error says nothing of it.
func unprocessableOf(err error) *unprocessableError {
	var cannot *unprocessableError
	switch {
	case errors.As(err, &cannot):
		return cannot
	case errors.Is(err, payment.ErrIllegalMove):
		return &unprocessableError{reason: "The state of the message contradicts this document."}
	}
	return nil
}

func (s *Service) quarantine(ctx context.Context, in store.Document, failed *unprocessableError) error {
	err := s.inbox.Quarantine(ctx, in, failed.reason, failed.answer)
	if errors.Is(err, store.ErrSeen) {
		return s.seen(ctx, in)
	}
	if err == nil {
		s.auditQuarantined(ctx, in, failed)
	}
	return err
}

// seen tells a duplicate, which is dropped, from another document under a used id, which an operator must see.
func (s *Service) seen(ctx context.Context, in store.Document) error {
	same, err := s.inbox.Received(ctx, in)
	if err != nil {
		return err
	}
	if same {
		return ErrDuplicate
	}
	used := in.Reference
	in.Reference = used[:min(len(used), 120)] + "~" + shortDigest(in.Content)
	failed := &unprocessableError{reason: i18n.Text("The message id %s was used before for another document.").With(used)}
	err = s.inbox.Quarantine(ctx, in, failed.reason, nil)
	if errors.Is(err, store.ErrSeen) {
		return ErrDuplicate
	}
	if err == nil {
		s.auditQuarantined(ctx, in, failed)
	}
	return err
}

// giveUp puts a document that waited into quarantine.
func (s *Service) giveUp(ctx context.Context, in store.Document, failed *unprocessableError) error {
	first, err := s.inbox.GiveUp(ctx, in, failed.reason)
	if first {
		s.auditQuarantined(ctx, in, failed)
	}
	return err
}

// auditQuarantined tells the log and the audit trail of a document that an operator has to look at.
func (s *Service) auditQuarantined(ctx context.Context, in store.Document, failed *unprocessableError) {
	s.cfg.Log.WarnContext(ctx, "document of clearing quarantined", "scheme", in.Scheme, "name", in.Name,
		"reference", in.Reference, "reason", failed.reason)
	s.auditRefused(ctx, store.Refusal{
		Realm: failed.about.Realm, MessageID: failed.about.InternalID, Event: auditlog.EventDocumentQuarantined, Why: "quarantine",
		Sentence: string(in.Name) + " " + in.Reference + " of " + string(in.Scheme) + ": " + failed.reason.String(),
	})
}

// auditRefused keeps a refusal of what came from clearing, or was on its way there, in the audit trail: of the realm it belongs to, else of
// the operator's. Without either, the inbox and the outbox tell of it, and the log.
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
