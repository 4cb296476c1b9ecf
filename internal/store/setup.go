package store

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/store/internal/dbsqlc"
)

// ErrSetUpOver reports that a set-up is unknown, used, expired, replaced by a later one or was tried too often.
var ErrSetUpOver = errors.New("the set-up is over")

// SetUp is a set-up that can still be used.
type SetUp struct {
	ID       uuid.UUID
	CodeHash []byte
	Account  UserAccount
	UserName string
}

// SetUpKey names a set-up by its link, at a time.
type SetUpKey struct {
	Realm      string
	LinkHashes [][]byte // under all keys in force
	At         time.Time
}

// SetUp finds a set-up by its link. Error: ErrSetUpOver, also for one that does not fit its seal.
func (p *People) SetUp(ctx context.Context, key SetUpKey) (SetUp, error) {
	var head dbsqlc.RealmHead
	row, err := Read(ctx, p.db, key.Realm, func(q *dbsqlc.Queries) (dbsqlc.SetUpByLinkRow, error) {
		row, err := q.SetUpByLink(ctx, key.Realm, key.LinkHashes, key.At)
		if err == nil {
			head, err = q.HeadGet(ctx, key.Realm)
		}
		return row, err
	})
	if err != nil {
		return SetUp{}, setUpError(err, "find a set-up")
	}
	guard := p.db.Guard(nil).At(head)
	if !guard.Fits(ctx, SetUpRow(row.UserSetup)) {
		return SetUp{}, cmp.Or(guard.Err(), ErrSetUpOver)
	}
	account := accountOf(row.UserAccount)
	account.head = head
	return SetUp{ID: row.UserSetup.SetupID, CodeHash: row.UserSetup.CodeHash, UserName: row.UserAccount.Name, Account: account}, nil
}

// setUpError maps "no row" to ErrSetUpOver.
func setUpError(err error, action string) error {
	if errors.Is(err, ErrSetUpOver) {
		return ErrSetUpOver
	}
	err = identityError(err, action, ErrSetUpOver)
	if errors.Is(err, ErrUnknownRealm) {
		return ErrSetUpOver
	}
	return err
}

// TrySetUp counts a try at the code of a set-up before it is compared, so that parallel tries cannot pass the limit. Error: ErrSetUpOver.
func (p *People) TrySetUp(ctx context.Context, realm string, s SetUp, at time.Time) error {
	counted, err := p.db.In(realm, Changing).SetUpTryInsert(ctx, realm, s.ID, at)
	if err == nil && counted == 0 {
		return ErrSetUpOver
	}
	return setUpError(err, "count a try at a set-up")
}

// SetUpUse is the use of a set-up.
type SetUpUse struct {
	SetUp  SetUp
	Change AccountChange // the new password; the account becomes active
	From   string        // the address it came from
}

// UseSetUp uses a set-up: the account gets the password and becomes active, with an audit event, in one transaction. Error: ErrSetUpOver
// when somebody else was first or the account differs from the one that was read.
func (p *People) UseSetUp(ctx context.Context, u SetUpUse) error {
	row, at := u.SetUp.Account.row, u.Change.SignedOutAt
	owner := identity.Actor{
		UserID: row.UserID, PersonID: row.PersonID, Name: row.Name, ClientID: identity.PortalClient, Channel: identity.ChannelPortal,
		SourceAddress: u.From,
	}
	err := p.db.Change(ctx, row.Realm, Act{Actor: owner, At: at}, func(w realmWriter) error {
		used, err := w.q.SetUpUseInsert(ctx, dbsqlc.SetUpUseInsertParams{Realm: row.Realm, SetupID: u.SetUp.ID, UserID: row.UserID, At: at})
		if err != nil {
			return err
		}
		if used == 0 {
			return ErrSetUpOver
		}
		change := u.Change
		if row.Status == administration.StatusUnverified {
			change.Status = administration.StatusActive
		}
		err = w.changeAccount(ctx, row, change)
		if err != nil {
			return err
		}
		return w.told(ctx, owner, auditlog.EventUserSetUp, auditlog.SubjectDetail(row.Name, ""))
	})
	return setUpError(err, "use a set-up")
}
