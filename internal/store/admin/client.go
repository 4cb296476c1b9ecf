package admin

import (
	"context"

	"countersign/internal/administration"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// Clients lists the clients of a realm by their ids.
func (c *Changes) Clients(ctx context.Context, realm string) ([]administration.Client, error) {
	return ask(ctx, c, question{realm, "list clients"}, func(s step) ([]administration.Client, error) { return s.clients(ctx, "") })
}

func (s step) clients(ctx context.Context, clientID string) ([]administration.Client, error) {
	rows, err := s.q.ClientSubjectList(ctx, s.realm, store.OrNull(clientID))
	list := make([]administration.Client, len(rows))
	for i, row := range rows {
		list[i] = administration.Client{
			ClientID: row.ClientID, Kind: row.Kind, MayDecideOwn: row.MayDecideOwn, PayeeWaived: row.PayeeWaived,
			Status: administration.StatusActive,
		}
		if row.SuppressedAt != nil {
			list[i].Status = administration.StatusSuppressed
		}
	}
	return list, err
}

func (s step) applyClient(ctx context.Context, c administration.Change) error {
	if c.Kind == administration.KindClientCreate {
		after, err := administration.ClientOf(c.After, "")
		if err != nil {
			return err
		}
		row := dbsqlc.Client{
			Realm: s.realm, ClientID: after.ClientID, Kind: after.Kind, MayDecideOwn: after.MayDecideOwn, PayeeWaived: after.PayeeWaived,
		}
		if after.Kind == administration.ClientConfidential {
			row.SecretHash = s.secrets.ClientSecretHash
		}
		keyID, seal, err := store.Client(row).Sealed(s.keys)
		if err != nil {
			return err
		}
		return s.q.ClientInsert(ctx, dbsqlc.ClientInsertParams{
			Realm: row.Realm, ClientID: row.ClientID, Kind: row.Kind, SecretHash: row.SecretHash, MayDecideOwn: row.MayDecideOwn,
			PayeeWaived: row.PayeeWaived, At: s.at,
			KeyID: keyID, Seal: seal,
		})
	}
	rows, err := s.q.ClientSubjectList(ctx, s.realm, &c.Subject)
	if err != nil {
		return err
	}
	if len(rows) != 1 {
		return store.ErrMoved
	}
	row := rows[0]
	if !s.guard.Client(ctx, row) {
		return &administration.ConflictError{Text: "The client is not as it was sealed. Tell the operator of the gateway."}
	}
	switch c.Kind {
	case administration.KindClientSecret:
		row.SecretHash = s.secrets.ClientSecretHash
	case administration.KindClientPayee:
		row.PayeeWaived = c.After["payeeWaived"] == administration.Yes
	default: // it is suppressed
		row.SuppressedAt = &s.at
	}
	keyID, seal, err := store.Client(row).Sealed(s.keys)
	if err != nil {
		return err
	}
	return store.One(s.q.ClientPut(ctx, dbsqlc.ClientPutParams{
		SecretHash: row.SecretHash, SuppressedAt: row.SuppressedAt, PayeeWaived: row.PayeeWaived,
		KeyID: keyID, Seal: seal, Realm: row.Realm, ClientID: row.ClientID,
	}))
}
