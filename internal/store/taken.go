package store

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/administration"
)

// messageFacts reads the facts about a released message that clearing is not known to have.
func (s changeStep) messageFacts(ctx context.Context, known *administration.Facts, asked requested) error {
	id, _ := uuid.Parse(asked.subject)
	row, err := s.q.MessageUntaken(ctx, s.realm, OrNull(id), OrNull(strings.ToUpper(asked.subject)))
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	known.Found, known.Before = err == nil, administration.MessageValues(row.MessageID.String(), row.GlobalID)
	return err
}

// applyMessage does nothing: the change counts when the message is sent.
func (s changeStep) applyMessage(context.Context, administration.Change) error { return nil }

// Taken reports whether two administrators confirmed that clearing has a message as another document under its id. A change or decision
// that does not fit its seal is ignored.
func (c *Changes) Taken(ctx context.Context, realm string, id uuid.UUID) (bool, error) {
	list, err := c.Changes(ctx, realm, ChangeFilter{
		Kind: administration.KindMessageTaken, Subject: id.String(), State: administration.StateApplied, PageSize: 1,
	})
	return len(list) > 0, err
}
