package store

import (
	"context"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/store/internal/dbsqlc"
)

// clients reads one client, or all for an empty id.
func (w realmWriter) clients(ctx context.Context, clientID string) ([]administration.Client, error) {
	rows, err := w.q.ClientSubjectList(ctx, w.realm, OrNull(clientID))
	list := make([]administration.Client, len(rows))
	for i, row := range rows {
		list[i] = administration.Client{
			ClientID: row.ClientID, Kind: row.Kind, MayDecideOwn: row.MayDecideOwn, PayeeWaived: row.PayeeWaived,
			Roles: administration.WordsOf[identity.Role](row.Roles), Status: administration.StatusActive, SecretHash: row.SecretHash,
		}
		if row.SuppressedAt != nil {
			list[i].Status = administration.StatusSuppressed
		}
	}
	return list, err
}

// clientRow makes the row of a client.
func (w realmWriter) clientRow(c administration.Client) dbsqlc.Client {
	return dbsqlc.Client{
		Realm: w.realm, ClientID: c.ClientID, Kind: c.Kind, SecretHash: c.SecretHash, MayDecideOwn: c.MayDecideOwn,
		PayeeWaived: c.PayeeWaived, Roles: administration.Words(c.Roles), CreatedAt: w.at,
	}
}

// client applies a client of a realm's file.
func (p provision) client(ctx context.Context, c administration.Client) error {
	row, err := p.q.ClientProvision(ctx, dbsqlc.ClientProvisionParams(p.clientRow(c)))
	return p.ledger.Put(ClientRow(row), err)
}

func (s changeStep) applyClient(ctx context.Context, c administration.Change) error {
	if c.Kind == administration.KindClientCreate {
		var after administration.Client
		administration.Fill(&after, c.After)
		if after.Kind == administration.ClientConfidential {
			after.SecretHash = s.secrets.ClientSecretHash
		}
		row := s.clientRow(after)
		return s.ledger.Put(ClientRow(row), s.q.ClientInsert(ctx, dbsqlc.ClientInsertParams(row)))
	}
	rows, err := s.q.ClientSubjectList(ctx, s.realm, &c.Subject)
	if err != nil {
		return err
	}
	if len(rows) != 1 {
		return ErrMoved
	}
	row := rows[0]
	if !s.guard.Fits(ctx, ClientRow(row)) {
		return &administration.ConflictError{Text: "The stored client failed its integrity check and may have been changed outside the " +
			"gateway. Tell an operator."}
	}
	switch c.Kind {
	case administration.KindClientSecret:
		row.SecretHash = s.secrets.ClientSecretHash
	case administration.KindClientPayee:
		row.PayeeWaived = c.After["payeeWaived"] == administration.Yes
	case administration.KindClientRoles:
		row.Roles = c.After["roles"]
	default: // it is suppressed
		row.SuppressedAt = &s.at
	}
	return s.ledger.Put(ClientRow(row), One(s.q.ClientPut(ctx, dbsqlc.ClientPutParams{
		SecretHash: row.SecretHash, SuppressedAt: row.SuppressedAt, PayeeWaived: row.PayeeWaived, Roles: row.Roles,
		Realm: row.Realm, ClientID: row.ClientID,
	})))
}

// ClientRow is the row of a client.
func ClientRow(c dbsqlc.Client) Row {
	return Row{Table: "client", Realm: c.Realm, Key: c.ClientID}.
		covers(c.ClientID, c.Kind, c.SecretHash, c.MayDecideOwn, c.SuppressedAt, c.PayeeWaived, c.Roles, c.CreatedAt)
}

func (s changeStep) clientFacts(ctx context.Context, known *administration.Facts, asked requested) error {
	clients, err := s.clients(ctx, asked.name())
	if err == nil && len(clients) == 1 {
		known.Found, known.Before = true, clients[0].Values()
	}
	return err
}
