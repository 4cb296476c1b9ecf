package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// NoticeChoice is the delivery of one kind of notice that a user chose.
type NoticeChoice struct {
	Kind     string
	Delivery string // at once, hourly, daily or none
	Minutes  int    // the age of the occasion at the notice
}

// NoticeScan says which notices a scan adds.
type NoticeScan struct {
	Now, Since, AskedSince time.Time
	Hour, Day              time.Time      // of the next e-mails with the notices of an hour and of a day
	Defaults               []NoticeChoice // of all kinds, for users without a choice
}

// Mail is the notices of a user that are sent together.
type Mail struct {
	Realm   string
	ID      uuid.UUID // the same at each attempt
	UserID  uuid.UUID
	Since   time.Time // of its oldest notice
	Failed  int       // attempts
	Notices []Notice
}

// Notice is a message to a user about a payment.
type Notice struct {
	Kind      string
	MessageID uuid.UUID
	GlobalID  payment.ID
	State     payment.State // of the message now
}

// MailResult is the end of an e-mail.
type MailResult string

// The ends of e-mails.
const (
	MailSent    MailResult = "sent"
	MailDropped MailResult = "dropped" // nothing in it is wanted, or for the user, any more
	MailFailed  MailResult = "failed"  // refused, or given up
)

// NoticeStanding counts waiting and failed e-mails.
type NoticeStanding struct {
	SentAt, FailedAt time.Time // of the last; zero for none
	Failure          string
	Retrying         int // notices that failed and are tried again
	GivenUp          int
}

// Notices stores notices and how users want them.
type Notices struct{ db *Database }

// NewNotices makes the store.
func NewNotices(db *Database) *Notices { return &Notices{db: db} }

// Choices lists the choices of a user; kinds without a choice are left out.
func (n *Notices) Choices(ctx context.Context, realm string, user uuid.UUID) ([]NoticeChoice, error) {
	rows, err := n.db.In(realm, Reading).NoticeChoices(ctx, realm, user)
	list := make([]NoticeChoice, len(rows))
	for i, row := range rows {
		list[i] = NoticeChoice{Kind: row.Kind, Delivery: row.Delivery, Minutes: int(row.Minutes)}
	}
	return list, err
}

// Choose stores the choices of a user.
func (n *Notices) Choose(ctx context.Context, by identity.Principal, choices []NoticeChoice) error {
	return n.db.InRealm(ctx, by.Realm, Changing, func(q *dbsqlc.Queries) error {
		for _, c := range choices {
			err := q.NoticeChoicePut(ctx, dbsqlc.NoticeChoicePutParams{
				Realm: by.Realm, UserID: by.UserID, Kind: c.Kind, Delivery: c.Delivery, Minutes: int32(c.Minutes), //nolint:gosec // up to 1,440
			})
			if err != nil {
				return fmt.Errorf("store how notices are sent: %w", err)
			}
		}
		return nil
	})
}

// Scan adds the missing notices of a realm.
func (n *Notices) Scan(ctx context.Context, realm string, scan NoticeScan) error {
	params := dbsqlc.NoticeScanParams{
		Realm: realm, Now: scan.Now, Since: scan.Since, AskedSince: scan.AskedSince, Hour: scan.Hour, Day: scan.Day,
	}
	for _, d := range scan.Defaults {
		params.Kinds, params.Deliveries = append(params.Kinds, d.Kind), append(params.Deliveries, d.Delivery)
		params.Minutes = append(params.Minutes, int32(d.Minutes)) //nolint:gosec // up to 1,440
	}
	_, err := n.db.In(realm, Changing).NoticeScan(ctx, params)
	return err
}

// Due lists the users with notices to send, without those of held.
func (n *Notices) Due(ctx context.Context, realm string, held []uuid.UUID, now time.Time, most int32) ([]uuid.UUID, error) {
	return n.db.In(realm, Reading).NoticesDue(ctx, dbsqlc.NoticesDueParams{
		Realm: realm, Held: append([]uuid.UUID{}, held...), Now: now, PageSize: most,
	})
}

// MailClaim reserves the notices of a user until a time.
type MailClaim struct {
	Realm         string
	UserID, Fresh uuid.UUID // Fresh is the id of a new e-mail
	Now, Until    time.Time
}

// Claim reserves the due notices of a user for this process; none when another process has them.
func (n *Notices) Claim(ctx context.Context, c MailClaim) (Mail, error) {
	m := Mail{Realm: c.Realm, UserID: c.UserID}
	err := n.db.InRealm(ctx, c.Realm, Changing, func(q *dbsqlc.Queries) error {
		known, err := q.NoticeFirst(ctx, c.Realm, c.UserID, c.Now)
		if err != nil {
			return err
		}
		rows, err := q.NoticeClaim(ctx, dbsqlc.NoticeClaimParams{
			Fresh: c.Fresh, HeldUntil: c.Until, Realm: c.Realm, UserID: c.UserID, Now: c.Now, MailID: known,
		})
		for _, row := range rows {
			m.ID, m.Failed = OrZero(row.MailID), int(row.Failed)
			if m.Since.IsZero() || row.MadeAt.Before(m.Since) {
				m.Since = row.MadeAt.UTC()
			}
			m.Notices = append(m.Notices, Notice{
				Kind: row.Kind, MessageID: row.MessageID, GlobalID: payment.ID(row.GlobalID), State: payment.State(row.State),
			})
		}
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return m, err
}

// End stores the end of an e-mail; failure says why it failed.
func (n *Notices) End(ctx context.Context, m Mail, now time.Time, result MailResult, failure string) error {
	return n.db.In(m.Realm, Changing).NoticeDone(ctx, dbsqlc.NoticeDoneParams{
		Realm: m.Realm, UserID: m.UserID, MailID: m.ID, Now: now, Result: string(result), Failure: failure,
	})
}

// Retry stores a failed attempt and the time of the next.
func (n *Notices) Retry(ctx context.Context, m Mail, now, next time.Time, failure string) error {
	return n.db.In(m.Realm, Changing).NoticeRetry(ctx, dbsqlc.NoticeRetryParams{
		Realm: m.Realm, UserID: m.UserID, MailID: m.ID, Now: now, DueAt: next, Failure: failure,
	})
}

// Recipient is a user who gets notices.
type Recipient struct {
	identity.Principal
	Email, Language string
	Details         bool // e-mails of the realm may name amounts and creditors
}

// Recipient returns an active user with an address, and the roles of this moment. Error: ErrUnknownUser, also for rows that do not fit
// their seals.
func (n *Notices) Recipient(ctx context.Context, realm string, user uuid.UUID) (Recipient, error) {
	var r Recipient
	var row dbsqlc.UserPrincipalGetRow
	var of dbsqlc.Realm
	err := n.db.InRealm(ctx, realm, Reading, func(q *dbsqlc.Queries) (err error) {
		row, err = q.UserPrincipalGet(ctx, identity.PortalClient, realm, user)
		if err != nil {
			return err
		}
		preference, err := q.PreferenceGet(ctx, realm, user)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		r.Language = preference.Language
		of, err = q.RealmGet(ctx, realm)
		return err
	})
	if err != nil {
		return r, identityError(err, "read a recipient", ErrUnknownUser)
	}
	guard := n.db.Guard(nil).At(row.RealmHead)
	if row.UserAccount.Status != administration.StatusActive || row.UserAccount.Email == "" || !guard.Principal(ctx, row) {
		return r, cmp.Or(guard.Err(), ErrUnknownUser)
	}
	r.Principal, r.Email = principalOf(row), row.UserAccount.Email
	r.Details = of.NoticeDetails && guard.Fits(ctx, Realm(of))
	return r, nil
}

// Standing counts the e-mails of all realms by state; GivenUp counts since a time.
func (n *Notices) Standing(ctx context.Context, since time.Time) (NoticeStanding, error) {
	var all NoticeStanding
	realms, err := n.db.Realms(ctx)
	for _, realm := range realms {
		row, readErr := n.db.In(realm, Reading).NoticeStanding(ctx, since, realm)
		err = errors.Join(err, readErr)
		if row.SentAt.Unix() > 0 && row.SentAt.After(all.SentAt) {
			all.SentAt = row.SentAt.UTC()
		}
		if row.FailedAt.Unix() > 0 && row.FailedAt.After(all.FailedAt) {
			all.FailedAt, all.Failure = row.FailedAt.UTC(), row.Failure
		}
		all.Retrying += int(row.Retrying)
		all.GivenUp += int(row.GivenUp)
	}
	return all, err
}

// noticesKept is the time for which notices are stored: longer than the time after which a scan would add one again.
const noticesKept = 30 * 24 * time.Hour

// Clean deletes old notices of every realm, in small transactions.
func (n *Notices) Clean(ctx context.Context, now time.Time) error {
	_, err := n.db.dropEverywhere(ctx, func(q *dbsqlc.Queries, realm string) (int64, error) {
		return q.NoticesDrop(ctx, realm, now.Add(-noticesKept), DropBatch)
	})
	return err
}
