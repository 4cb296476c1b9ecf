package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/store/internal/dbsqlc"
)

// MaxAccess limits the accounts of an access review, and maxReviews the listed reviews.
const MaxAccess, maxReviews = 10_000, 50

// AccountAccess holds the rights of an account, as an access review shows and stores them.
type AccountAccess struct {
	User     string       `json:"user"`
	Name     string       `json:"name"`
	Status   string       `json:"status"`
	Roles    []AccessRole `json:"roles"`
	SignedIn *time.Time   `json:"lastSignIn,omitempty"`
	Factors  int          `json:"secondFactors"` // without recovery codes
}

// ClientAccess holds the rights of a client, as an access review shows and stores them.
type ClientAccess struct {
	Client       string          `json:"client"`
	Kind         string          `json:"kind"`
	Status       string          `json:"status"`
	Since        time.Time       `json:"since"`
	Used         *time.Time      `json:"lastUse,omitempty"` // of the tokens that are kept
	Roles        []identity.Role `json:"roles,omitempty"`   // of the program itself
	MayDecideOwn bool            `json:"mayDecideOwn,omitempty"`
	PayeeWaived  bool            `json:"payeeWaived,omitempty"`
	Unapproved   bool            `json:"unapproved,omitempty"` // a policy sends payments of the client without any approval
}

// RealmAccess holds the rights of everybody in a realm.
type RealmAccess struct {
	Accounts []AccountAccess `json:"accounts"`
	Clients  []ClientAccess  `json:"clients"` // nil in reviews that did not cover them
}

// AccessRole is a role in force.
type AccessRole struct {
	Role  identity.Role `json:"role"`
	Since time.Time     `json:"since"`
}

// AccessReview is a confirmed review.
type AccessReview struct {
	ID          uuid.UUID
	At          time.Time
	By          string
	Note        string
	RealmAccess // of AccessReview only
}

// reviewDetail is the detail of the event of a review.
type reviewDetail struct {
	RealmAccess

	Note string `json:"note,omitempty"`
}

// Access lists the accounts of a realm with their roles and the times of the grants, their last sign-ins and second factors, and the
// clients. A realm with more than MaxAccess accounts or clients has one more in the list.
func (r *Reader) Access(ctx context.Context, realm string) (access RealmAccess, err error) {
	err = r.read(ctx, realm, Reading, func(q *dbsqlc.Queries) error {
		rows, err := q.AccessList(ctx, realm, MaxAccess+1)
		for _, row := range rows {
			one := AccountAccess{User: row.Name, Name: row.DisplayName, Status: row.Status, Factors: int(row.Factors), Roles: []AccessRole{}}
			for i, role := range row.Roles {
				one.Roles = append(one.Roles, AccessRole{identity.Role(role), row.Since[i].UTC()})
			}
			if at := Time(row.SignedInAt); !at.IsZero() {
				one.SignedIn = &at
			}
			access.Accounts = append(access.Accounts, one)
		}
		if err != nil {
			return err
		}
		access.Clients, err = clientAccess(ctx, realmWriter{q: q, realm: realm})
		return err
	})
	return access, reportError(err)
}

func clientAccess(ctx context.Context, w realmWriter) ([]ClientAccess, error) {
	policies, err := w.policiesInForce(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := w.q.AccessClientList(ctx, w.realm, MaxAccess+1)
	list := make([]ClientAccess, len(rows))
	for i, row := range rows {
		list[i] = ClientAccess{
			Client: row.ClientID, Kind: row.Kind, Status: administration.StatusActive, Since: row.CreatedAt.UTC(),
			Roles:        administration.WordsOf[identity.Role](row.Roles),
			MayDecideOwn: row.MayDecideOwn, PayeeWaived: row.PayeeWaived, Unapproved: administration.Unapproved(policies, row.ClientID),
		}
		if row.Suppressed {
			list[i].Status = administration.StatusSuppressed
		}
		if at := earlier(time.Time{}, row.UsedAt); !at.IsZero() {
			list[i].Used = &at
		}
	}
	return list, err
}

// AccessReviews lists the confirmed reviews, newest first.
func (r *Reader) AccessReviews(ctx context.Context, realm string) (list []AccessReview, err error) {
	rows, err := r.in(realm, Reading).AccessReviewList(ctx, realm, maxReviews)
	for _, row := range rows {
		list = append(list, AccessReview{ID: row.EventID, At: row.At.UTC(), By: row.ActorName})
	}
	return list, reportError(err)
}

// AccessReview returns a confirmed review, or payment.ErrNotFound.
func (r *Reader) AccessReview(ctx context.Context, realm string, id uuid.UUID) (AccessReview, error) {
	review := AccessReview{ID: id}
	row, err := r.in(realm, Reading).AccessReviewGet(ctx, realm, id)
	if err != nil {
		return review, missing(err)
	}
	var detail reviewDetail
	err = json.Unmarshal([]byte(row.Detail), &detail)
	review.At, review.By, review.Note, review.RealmAccess = row.At.UTC(), row.ActorName, detail.Note, detail.RealmAccess
	return review, err
}

// ReviewAccess writes confirmed rights into the audit trail.
func (d *Desk) ReviewAccess(ctx context.Context, by identity.Principal, access RealmAccess, note string, at time.Time) error {
	detail, err := json.Marshal(reviewDetail{access, note})
	if err == nil {
		err = d.db.append(ctx, Event{
			Realm: by.Realm, Actor: by.Actor(), Name: auditlog.EventAccessReview, Detail: string(detail), At: at,
		})
	}
	return wrapped(err, "keep an access review")
}
