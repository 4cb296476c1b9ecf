package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/store/internal/dbsqlc"
)

// oldSecretSigns is the time for which the replaced secret signs beside the new one.
const oldSecretSigns = 24 * time.Hour

// webhooks reads the webhooks of the realm, those in force first.
func (w realmWriter) webhooks(ctx context.Context) ([]administration.Webhook, error) {
	rows, err := w.q.WebhookListAll(ctx, w.realm)
	var list, retired []administration.Webhook
	for _, row := range rows {
		if row.RetiredAt == nil {
			list = append(list, webhookOf(row))
		} else {
			retired = append(retired, webhookOf(row))
		}
	}
	return append(list, retired...), err
}

func webhookOf(row dbsqlc.Webhook) administration.Webhook {
	w := administration.Webhook{ID: row.WebhookID.String(), URL: row.Url, Events: row.Events, Status: administration.StatusInForce}
	if row.RetiredAt != nil {
		w.Status = administration.StatusRetired
	}
	return w
}

func (s changeStep) webhook(ctx context.Context, subject string) (row dbsqlc.Webhook, found bool, err error) {
	rows, err := s.q.WebhookListAll(ctx, s.realm)
	for _, row := range rows {
		if row.WebhookID.String() == subject {
			return row, true, err
		}
	}
	return row, false, err
}

func (s changeStep) webhookFacts(ctx context.Context, known *administration.Facts, asked requested) error {
	row, found, err := s.webhook(ctx, asked.subject)
	if found {
		known.Found, known.Before = true, webhookOf(row).Values()
	}
	return err
}

// applyWebhook creates a webhook for events from now on, replaces its secret, or retires it.
func (s changeStep) applyWebhook(ctx context.Context, c administration.Change) error {
	if c.Kind == administration.KindWebhookCreate {
		row := dbsqlc.Webhook{
			Realm: s.realm, WebhookID: c.ID, Url: c.After["url"], Events: c.After["events"], Secret: s.secrets.WebhookSecret, MadeAt: s.at,
		}
		err := s.q.WebhookInsert(ctx, dbsqlc.WebhookInsertParams{
			Realm: row.Realm, WebhookID: row.WebhookID, Url: row.Url, Events: row.Events, Secret: row.Secret, MadeAt: row.MadeAt,
		})
		if err == nil {
			err = StartWebhook(ctx, s.q, s.realm, row.WebhookID, s.at)
		}
		if err != nil {
			return err
		}
		return s.ledger.Put(WebhookRow(row))
	}
	row, found, err := s.webhook(ctx, c.Subject)
	if err != nil {
		return err
	}
	if !found || row.WebhookID == uuid.Nil {
		return ErrMoved
	}
	if !s.guard.Fits(ctx, WebhookRow(row)) {
		return &administration.ConflictError{Text: "The webhook does not match its seal. Tell the operator of the gateway."}
	}
	if c.Kind == administration.KindWebhookSecret {
		until := s.at.Add(oldSecretSigns)
		row.OldSecret, row.OldUntil, row.Secret = row.Secret, &until, s.secrets.WebhookSecret
	} else {
		row.RetiredAt = &s.at
	}
	err = One(s.q.WebhookPut(ctx, dbsqlc.WebhookPutParams{
		Secret: row.Secret, OldSecret: row.OldSecret, OldUntil: row.OldUntil, RetiredAt: row.RetiredAt, Realm: row.Realm,
		WebhookID: row.WebhookID,
	}))
	if err != nil {
		return err
	}
	return s.ledger.Put(WebhookRow(row))
}
