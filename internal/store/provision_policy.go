package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/store/internal/dbsqlc"
)

// provisionPolicies makes the policies in force those of the definition. A policy row never changes, because messages refer to the
// one they were made under: what differs is retired, and a new row takes its place.
func provisionPolicies(ctx context.Context, q *dbsqlc.Queries, realm string, wanted []PolicyDefinition) error {
	missing := make(map[policyKey]PolicyDefinition, len(wanted))
	for _, definition := range wanted {
		key := keyOfPolicy(definition)
		_, twice := missing[key]
		if twice {
			return errors.New("two policies are the same")
		}
		missing[key] = definition
	}
	rows, err := q.PolicyInForce(ctx, realm)
	if err != nil {
		return fmt.Errorf("read those in force: %w", err)
	}
	for _, row := range rows {
		key := keyOfPolicy(policyDefinitionFromDB(row))
		_, stays := missing[key]
		if stays {
			delete(missing, key)
			continue
		}
		err = q.PolicyRetire(ctx, realm, row.PolicyID)
		if err != nil {
			return fmt.Errorf("retire one: %w", err)
		}
	}
	for _, definition := range wanted {
		_, absent := missing[keyOfPolicy(definition)]
		if !absent {
			continue
		}
		err = insertPolicy(ctx, q, realm, definition)
		if err != nil {
			return fmt.Errorf("add one: %w", err)
		}
	}
	return nil
}

// policyKey is a definition with its amounts as values, so that two can be compared.
type policyKey struct {
	PolicyDefinition
	from, to int64 // -1 for none
}

func keyOfPolicy(p PolicyDefinition) policyKey {
	key := policyKey{PolicyDefinition: p, from: -1, to: -1}
	if p.AmountFrom != nil {
		key.from = *p.AmountFrom
	}
	if p.AmountTo != nil {
		key.to = *p.AmountTo
	}
	key.AmountFrom, key.AmountTo = nil, nil
	return key
}

func policyDefinitionFromDB(row dbsqlc.Policy) PolicyDefinition {
	return PolicyDefinition{
		Rank: int(row.Rank), ClientID: text(row.ClientID), Channel: identity.Channel(text(row.Channel)), Scheme: text(row.Scheme),
		Kind: text(row.Kind), AmountFrom: row.AmountFrom, AmountTo: row.AmountTo, ApprovalsRequired: int(row.ApprovalsRequired),
		Pending: seconds(row.PendingSeconds),
	}
}

func insertPolicy(ctx context.Context, q *dbsqlc.Queries, realm string, p PolicyDefinition) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	return q.PolicyProvision(ctx, dbsqlc.PolicyProvisionParams{
		Realm: realm, PolicyID: id, Rank: int32(p.Rank), ClientID: orNull(p.ClientID), Channel: orNull(string(p.Channel)), //nolint:gosec // small
		Scheme: orNull(p.Scheme), Kind: orNull(p.Kind), AmountFrom: p.AmountFrom, AmountTo: p.AmountTo,
		ApprovalsRequired: int32(p.ApprovalsRequired), PendingSeconds: wholeSeconds(p.Pending), //nolint:gosec // the schema bounds it to 9
	})
}
