package store

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// stepBy is a step that the database may refuse because the role of its actor ended since the request was admitted.
type stepBy struct {
	realm string
	grant identity.Grant // zero for a step of no person
}

// explain turns the refusal of the database into a payment.ForbiddenError where the grant of the role has ended, and leaves every other
// error as it is. The transaction is over by now, so the grant is read anew; the text of the refusal is not relied on.
func (s *Messages) explain(ctx context.Context, step stepBy, err error) error {
	var refused *pgconn.PgError
	if step.grant.ID == uuid.Nil || !errors.As(err, &refused) || refused.Code != pgerrcode.InsufficientPrivilege {
		return err
	}
	ended := false
	looked := s.db.InRealm(ctx, step.realm, Reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		var err error
		ended, err = q.GrantEnded(ctx, step.realm, step.grant.ID)
		return err
	})
	if looked != nil || !ended {
		return errors.Join(err, looked)
	}
	return &payment.ForbiddenError{
		Text: i18n.Text("You no longer have the role %s. Nothing was done. Ask a person with this role to do it.").With(step.grant.Role.Text()),
	}
}
