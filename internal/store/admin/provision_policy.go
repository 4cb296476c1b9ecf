package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// policies makes the policies in force those of the definition. A policy row never changes, because messages refer to the
// one they were made under: what differs is retired, and a new row takes its place.
func (p provision) policies(ctx context.Context, wanted []PolicyDefinition) error {
	missing := make(map[policyKey]PolicyDefinition, len(wanted))
	for _, definition := range wanted {
		key := keyOfPolicy(definition)
		_, twice := missing[key]
		if twice {
			return errors.New("two policies are the same")
		}
		missing[key] = definition
	}
	rows, err := p.q.PolicyInForce(ctx, p.realm)
	if err != nil {
		return fmt.Errorf("read those in force: %w", err)
	}
	for _, row := range rows {
		key := keyOfPolicy(policyDefinitionFromDB(row))
		_, stays := missing[key]
		if stays {
			delete(missing, key)
		} else {
			row.RetiredAt = &p.at
		}
		err = p.keepPolicy(ctx, row)
		if err != nil {
			return fmt.Errorf("keep or retire one: %w", err)
		}
	}
	for _, definition := range wanted {
		_, absent := missing[keyOfPolicy(definition)]
		if !absent {
			continue
		}
		err = p.insertPolicy(ctx, definition)
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
		Rank: int(row.Rank), ClientID: store.Text(row.ClientID), Channel: identity.Channel(store.Text(row.Channel)),
		Scheme: store.Text(row.Scheme), Kind: store.Text(row.Kind), AmountFrom: row.AmountFrom, AmountTo: row.AmountTo,
		ApprovalsRequired: int(row.ApprovalsRequired), Pending: store.Seconds(row.PendingSeconds), ContentHashRequired: row.ContentHashRequired,
		StepUp: row.StepUp,
	}
}

// keepPolicy seals a policy that stays or has just been retired.
func (p provision) keepPolicy(ctx context.Context, row dbsqlc.Policy) error {
	keyID, seal, err := store.Policy(row).Sealed(p.keys)
	if err != nil {
		return err
	}
	return p.q.PolicySeal(ctx, dbsqlc.PolicySealParams{
		RetiredAt: row.RetiredAt, KeyID: keyID, Seal: seal, Realm: row.Realm, PolicyID: row.PolicyID,
	})
}

func (p provision) insertPolicy(ctx context.Context, d PolicyDefinition) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	row := dbsqlc.Policy{
		Realm: p.realm, PolicyID: id, Rank: int32(d.Rank), //nolint:gosec // small
		ClientID: store.OrNull(d.ClientID), Channel: store.OrNull(string(d.Channel)),
		Scheme: store.OrNull(d.Scheme), Kind: store.OrNull(d.Kind), AmountFrom: d.AmountFrom, AmountTo: d.AmountTo,
		ApprovalsRequired: int32(d.ApprovalsRequired), PendingSeconds: wholeSeconds(d.Pending), //nolint:gosec // the schema bounds it to 9
		ContentHashRequired: d.ContentHashRequired, StepUp: d.StepUp,
	}
	keyID, seal, err := store.Policy(row).Sealed(p.keys)
	if err != nil {
		return err
	}
	return p.q.PolicyProvision(ctx, dbsqlc.PolicyProvisionParams{
		Realm: row.Realm, PolicyID: row.PolicyID, Rank: row.Rank, ClientID: row.ClientID, Channel: row.Channel, Scheme: row.Scheme,
		Kind: row.Kind, AmountFrom: row.AmountFrom, AmountTo: row.AmountTo, ApprovalsRequired: row.ApprovalsRequired,
		PendingSeconds: row.PendingSeconds, ContentHashRequired: row.ContentHashRequired, StepUp: row.StepUp,
		At: p.at, KeyID: keyID, Seal: seal,
	})
}
