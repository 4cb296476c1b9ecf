package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/store/internal/dbsqlc"
)

// LockedError reports too many failed tries for a name; the next try counts from Until on.
type LockedError struct {
	Until  time.Time
	UserID uuid.UUID // the account of the name; zero for none
}

func (e *LockedError) Error() string { return "locked until " + e.Until.UTC().Format(time.RFC3339) }

// LoginTry is a try to sign in with a password.
type LoginTry struct {
	Realm    string
	Name     string // normalised
	NameHash []byte // keyed digest of Name; tries are counted under it, whether or not the name exists
	At       time.Time
	// ForgetBefore: if the last try was before this, the earlier failures no longer count.
	ForgetBefore time.Time
}

// UserAccount holds the fields of an account for a password check.
type UserAccount struct {
	UserID       uuid.UUID
	PasswordHash string
	Status       string
	AsOf         time.Time // as of identity.Principal

	row  dbsqlc.UserAccount
	head dbsqlc.RealmHead // read after the row, in the same transaction
}

func accountOf(row dbsqlc.UserAccount) UserAccount {
	return UserAccount{
		UserID: row.UserID, PasswordHash: row.PasswordHash, Status: row.Status, AsOf: asOf(row.SignedOutAt), row: row,
	}
}

// Genuine reports whether the account equals that of the newest change of the realm. The log raises an alarm if not.
func (p *People) Genuine(ctx context.Context, a UserAccount) (bool, error) {
	guard := p.db.Guard(nil).At(a.head)
	return guard.Fits(ctx, User(a.row)), guard.Err()
}

// Logins counts the tries to sign in, by name.
type Logins struct {
	db *Database
}

// NewLogins makes the counter.
func NewLogins(db *Database) *Logins { return &Logins{db: db} }

// Reserve counts the try as a failure before its password is checked, so that parallel tries cannot pass the limit; Clear takes a success
// back. found is false for an unknown name, which is counted too. Errors: *LockedError, ErrUnknownRealm.
func (l *Logins) Reserve(ctx context.Context, try LoginTry) (account UserAccount, found bool, err error) {
	err = l.db.InRealm(ctx, try.Realm, Changing, func(q *dbsqlc.Queries) error {
		counted, err := q.ThrottleReserveUnlocked(ctx, dbsqlc.ThrottleReserveUnlockedParams{
			Realm: try.Realm, NameHash: try.NameHash, At: try.At, ForgetBefore: try.ForgetBefore,
		})
		if err != nil {
			return fmt.Errorf("count the try: %w", err)
		}
		row, err := q.UserByName(ctx, try.Realm, storable(try.Name))
		known := err == nil
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("find the user: %w", err)
		}
		if counted == 0 {
			return lockedUntil(ctx, q, try, row.UserID)
		}
		if !known {
			return nil
		}
		account = accountOf(row)
		account.head, err = q.HeadGet(ctx, try.Realm)
		found = err == nil
		return err
	})
	var locked *LockedError
	if err != nil && !errors.As(err, &locked) {
		return UserAccount{}, false, identityError(err, "reserve a login", ErrUnknownRealm)
	}
	return account, found, err
}

func lockedUntil(ctx context.Context, q *dbsqlc.Queries, try LoginTry, user uuid.UUID) error {
	until, err := q.ThrottleLockedUntil(ctx, try.Realm, try.NameHash)
	if errors.Is(err, pgx.ErrNoRows) {
		// A right password cleared the row between the two statements: the next try will count.
		return &LockedError{Until: try.At, UserID: user}
	}
	if err != nil {
		return fmt.Errorf("read the lock: %w", err)
	}
	return &LockedError{Until: until.UTC(), UserID: user}
}

// Clear forgets the failures of a name after a right password.
func (l *Logins) Clear(ctx context.Context, realm string, nameHash []byte) error {
	err := l.db.In(realm, Changing).ThrottleClear(ctx, realm, nameHash)
	return wrapped(err, "clear the tries of a name")
}
