package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// CreditorPast sums up earlier payments to a creditor, in the currency of a payment: the last 50 payments to the account and, if there are
// none, those among the realm's last 1,000 messages to the same name at other accounts.
type CreditorPast struct {
	Payments int          // to this account
	Most     money.Amount // the largest of them
	Name     string       // the creditor's in the last of them
	// Elsewhere are the payments to this name at other accounts, OtherAccount the one used last, MaxElsewhere the largest amount.
	Elsewhere    int
	OtherAccount string
	MaxElsewhere money.Amount
}

// CreditorNews holds the news about the creditor of a payment.
type CreditorNews struct {
	Past CreditorPast
	// ListedName is under which name the list of beneficiaries has the account, "" where it has not.
	ListedName string
	// AddedAt is since when a beneficiary has the account, AccountChangedAt when its account became this one, EarlierIBAN the one before;
	// zero where there is no such beneficiary or change.
	AddedAt          time.Time
	AccountChangedAt time.Time
	EarlierIBAN      string
	// FormerName is the beneficiary that two people removed or gave another account; "" for an account in force or never listed.
	FormerName string
	// Alike counts the payments that SimilarTo would list since DuplicateWindow before the creation of the payment: at most ten.
	Alike int
}

// DuplicateWindow is the time within which a payment of the same amount to the same account counts as a possible duplicate.
const DuplicateWindow = 7 * 24 * time.Hour

// CreditorNews reads the news about the creditors of payment orders that are not approved, by their ids. A beneficiary that does not fit
// its seal is ignored; the log raises an alarm.
func (r *Reader) CreditorNews(ctx context.Context, realm string, of []payment.Message) (map[uuid.UUID]CreditorNews, error) {
	ask, like := dbsqlc.CreditorPastParams{Realm: realm}, dbsqlc.DuplicateCountsParams{Realm: realm}
	for i, m := range of {
		if m.Kind == payment.KindInstruction && m.Summary.CreditorAccount != "" {
			ask.Items, ask.Accounts = append(ask.Items, int32(i)), append(ask.Accounts, m.Summary.CreditorAccount)
			ask.Currencies = append(ask.Currencies, string(m.Summary.Amount.Currency()))
			ask.Names, like.Amounts = append(ask.Names, m.Summary.CreditorName), append(like.Amounts, m.Summary.Amount.Minor())
			like.Sinces, like.Others = append(like.Sinces, m.CreatedAt.Add(-DuplicateWindow)), append(like.Others, m.InternalID)
		}
	}
	news := map[uuid.UUID]CreditorNews{}
	if len(ask.Items) == 0 {
		return news, nil
	}
	like.Items, like.Accounts, like.Currencies = ask.Items, ask.Accounts, ask.Currencies
	err := r.read(ctx, realm, Searching, func(q *dbsqlc.Queries) error {
		pasts, err := q.CreditorPast(ctx, ask)
		if err != nil {
			return fmt.Errorf("read the earlier payments to creditors: %w", err)
		}
		known, former, err := r.beneficiaries(ctx, q, realm, ask.Accounts)
		if err != nil {
			return err
		}
		for _, row := range pasts {
			s := of[row.Item].Summary
			n := CreditorNews{FormerName: former[s.CreditorAccount]}
			n.Past, err = pastOf(row, s.Amount.Currency())
			if err != nil {
				return err
			}
			if b, found := known[s.CreditorAccount]; found {
				n.ListedName = b.Name
				n.AddedAt, n.AccountChangedAt, n.EarlierIBAN = b.AddedAt.UTC(), Time(b.AccountChangedAt), b.EarlierIban
			}
			news[of[row.Item].InternalID] = n
		}
		alike, err := q.DuplicateCounts(ctx, like)
		if err != nil {
			return fmt.Errorf("count similar payments: %w", err)
		}
		for _, row := range alike {
			n := news[of[row.Item].InternalID]
			n.Alike = int(row.Payments)
			news[of[row.Item].InternalID] = n
		}
		return nil
	})
	return news, err
}

func pastOf(row dbsqlc.CreditorPastRow, currency money.Currency) (CreditorPast, error) {
	most, err := money.FromMinor(currency, row.Most)
	elsewhere, err2 := money.FromMinor(currency, row.MostElsewhere)
	return CreditorPast{
		Payments: int(row.Payments), Most: most, Name: row.Name,
		Elsewhere: int(row.Elsewhere), OtherAccount: row.OtherAccount, MaxElsewhere: elsewhere,
	}, errors.Join(err, err2)
}

// beneficiaries reads the beneficiaries in force with one of these accounts, by account, and the names of those that no longer have one.
func (r *Reader) beneficiaries(
	ctx context.Context, q *dbsqlc.Queries, realm string, accounts []string,
) (known map[string]dbsqlc.Beneficiary, former map[string]string, err error) {
	rows, err := q.BeneficiaryOfAccounts(ctx, realm, accounts)
	if err != nil {
		return nil, nil, fmt.Errorf("look for beneficiaries: %w", err)
	}
	guard := r.db.Guard(q)
	known, former = make(map[string]dbsqlc.Beneficiary, len(rows)), map[string]string{}
	for _, b := range rows {
		switch {
		case !guard.Fits(ctx, Beneficiary(b)):
			continue
		case b.Removed:
			former[b.Iban] = b.Name
		default:
			known[b.Iban] = b
		}
		if b.EarlierIban != "" {
			former[b.EarlierIban] = b.Name
		}
	}
	for iban := range known {
		delete(former, iban)
	}
	return known, former, nil
}

// Recent is a creditor that a person paid lately, with the last payment to its account.
type Recent struct {
	MessageID uuid.UUID
	Name      string
	Account   string
}

// RecentCreditors lists the creditors that a person paid last in a scheme, each account once, of the settled ones of their last
// 100 payments.
func (r *Reader) RecentCreditors(ctx context.Context, by identity.Principal, scheme rulebook.Scheme, most int32) ([]Recent, error) {
	var list []Recent
	rows, err := r.in(by.Realm, Searching).CreditorRecent(ctx, dbsqlc.CreditorRecentParams{
		Realm: by.Realm, UserID: &by.UserID, Scheme: string(scheme), Most: most,
	})
	for _, row := range rows {
		list = append(list, Recent{MessageID: row.MessageID, Name: row.CreditorName, Account: row.CreditorAccount})
	}
	return list, missing(err)
}

// LastPaid is the last approved payment to an account.
type LastPaid struct {
	At     time.Time // of its settlement, or of its entry before that
	Amount money.Amount
}

// LastPaid returns the last payment to each of these accounts, by account. Accounts without any are left out.
func (r *Reader) LastPaid(ctx context.Context, realm string, accounts []string) (map[string]LastPaid, error) {
	paid := make(map[string]LastPaid, len(accounts))
	rows, err := r.in(realm, Searching).CreditorLastPaid(ctx, accounts, realm)
	for _, row := range rows {
		amount, err := money.FromMinor(money.Currency(row.Currency), row.Amount)
		if err != nil {
			return nil, err
		}
		paid[row.CreditorAccount] = LastPaid{At: row.PaidAt.UTC(), Amount: amount}
	}
	return paid, missing(err)
}
