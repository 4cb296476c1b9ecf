package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// Outgoing loads a released message. It fails with payment.ErrNotFound when there is no release.
func (s *Messages) Outgoing(ctx context.Context, realm string, id uuid.UUID) (Outgoing, error) {
	var out Outgoing
	err := s.db.InRealm(ctx, realm, Reading, func(q *dbsqlc.Queries) error {
		row, err := q.ReleaseGet(ctx, realm, id)
		if err != nil {
			return wrapped(missing(err), "load the release")
		}
		out.Release = Release(row.Release, row.Approvers)
		l := s.db.loader(q)
		out.Message, err = l.Message(ctx, realm, id, ForRead)
		if err == nil {
			out.Unproven, err = l.unreleased(ctx, out.Message)
		}
		return err
	})
	return out, err
}

// unreleased returns the reason why the seals of its audit rows do not prove that a message was released: payment.ErrForged,
// payment.ErrUnknownKey. They cover its moves, versions and decisions, and their key is not that of the release.
func (l Loader) unreleased(ctx context.Context, m payment.Message) (unproven, err error) {
	if len(l.keys.IDs()) == 0 {
		return nil, nil
	}
	rows, err := l.q.EventFactList(ctx, movesOf(m, true), m.Realm)
	if err != nil {
		return nil, fmt.Errorf("read the moves of a released message: %w", err)
	}
	unproven = l.unproven(rows, m, true)
	released := func(row dbsqlc.EventFactListRow) bool { return releases(payment.State(row.ToState)) }
	if unproven == nil && !slices.ContainsFunc(rows, released) {
		unproven = payment.ErrForged
	}
	return unproven, nil
}

// releases reports whether a message is released by a move into a state: a payment that needs no approval is at once in process.
func releases(to payment.State) bool {
	return to == payment.StateApproved || to == payment.StateProcessing
}

// MakeOutbound makes the document of a released message, and its bytes. On an error the delivery makes it again and
// reports the error.
type MakeOutbound func(out Outgoing) (payment.Outbound, []byte, error)

// Carry makes later decisions store the release and its document to clearing by the same statement. Otherwise the delivery stores the
// document before it sends it, with a statement and a commit of its own. Call Carry before the first decision.
func (s *Messages) Carry(with MakeOutbound) { s.makeOutbound = with }

// released returns the release of a transition, in its stored form; nil for none.
func released(t payment.Transition) *Outgoing {
	if !t.Valid() || t.Release() == nil {
		return nil
	}
	return &Outgoing{Message: t.After(), Release: *t.Release()}
}

// carry attaches the released document to a step.
func (s *Messages) carry(one *step) {
	if s.makeOutbound == nil || !s.nudges.Working() {
		return
	}
	made, content, err := s.makeOutbound(*one.out)
	if err != nil {
		return
	}
	one.out.Made, one.out.Content = &made, content
	addDocument(&one.values, s.documents.row(outboundDocument(made, content, one.transition.At())))
}

// Release reads a release with its approvers.
func Release(r dbsqlc.Release, approvers []uuid.UUID) payment.Release {
	release := payment.Release{
		Realm: r.Realm, InternalID: r.MessageID, Version: int(r.Version), Makers: r.Makers, Approvers: approvers,
		AcceptedAt: r.AcceptedAt.UTC(), Seal: Seal(r.KeyID, r.Mac),
	}
	copy(release.ContentHash[:], r.ContentHash)
	copy(release.Account[:], r.AccountDigest)
	return release
}

// MissingKeyError reports that the newest release or message was sealed with a missing key.
type MissingKeyError struct {
	KeyID string
}

func (e *MissingKeyError) Error() string {
	return "the key " + e.KeyID + " sealed the newest messages, but the key file does not hold it: add its line to the file"
}

// WrongKeyError reports a key in the key file whose id matches the stored seals but whose value does not.
type WrongKeyError struct{ KeyID string }

func (e *WrongKeyError) Error() string {
	return "the key " + e.KeyID +
		" in the key file is not the one that sealed what is stored, none of the newest and oldest messages fits it: " +
		"put the right file back"
}

// CheckKeys checks the keys against the newest release and version of each realm. It fails with MissingKeyError for a
// missing key, and with WrongKeyError for another key under that id. Such a program would withhold valid messages.
func (s *Messages) CheckKeys(ctx context.Context) error {
	realms, err := s.db.Realms(ctx)
	if err != nil {
		return err
	}
	for _, realm := range realms {
		err = s.db.InRealm(ctx, realm, Reading, func(q *dbsqlc.Queries) error {
			ids, err := q.NewestKeyList(ctx, realm)
			for _, id := range ids {
				if !s.db.Seal().HasKey(id) {
					return &MissingKeyError{KeyID: id}
				}
			}
			if err != nil {
				return err
			}
			return s.tryKeys(ctx, q, realm)
		})
		if err != nil {
			return fmt.Errorf("look at the keys in use: %w", err)
		}
	}
	return nil
}

// tryKeys checks the seals of the newest and the oldest messages of a realm. A single failure is left to the auditor;
// if every seal of a key fails, the key is wrong.
func (s *Messages) tryKeys(ctx context.Context, q *dbsqlc.Queries, realm string) error {
	rows, err := q.MessageListEnds(ctx, realm)
	if err != nil {
		return err
	}
	fits := map[string]bool{}
	for _, row := range rows {
		m := ListedMessage(s.db.Seal(), nil, row)
		fits[m.Seal.KeyID] = fits[m.Seal.KeyID] || !errors.Is(s.db.Seal().CheckVersion(m), payment.ErrForged)
	}
	for id, one := range fits {
		if !one {
			return &WrongKeyError{KeyID: id}
		}
	}
	return nil
}
