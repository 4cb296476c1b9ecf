package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// CreditorPast sums up earlier payments to a creditor, in the currency of a payment: the last 50 payments to the account, and those among
// the realm's last 1,000 messages to the same name at other accounts.
type CreditorPast struct {
	Payments int          // to this account
	Most     money.Amount // the largest of them
	Name     string       // the creditor's in the last of them
	// Elsewhere are the payments to this name at other accounts, OtherAccount the one used last, MaxElsewhere the largest amount.
	Elsewhere    int
	OtherAccount string
	MaxElsewhere money.Amount
}

// CreditorPast reads the earlier payments to the creditor of a payment.
func (r *Reader) CreditorPast(ctx context.Context, realm string, s payment.Summary, except uuid.UUID) (CreditorPast, error) {
	var past CreditorPast
	currency := s.Amount.Currency()
	err := r.read(ctx, realm, Reading, func(q *dbsqlc.Queries) error {
		here, err := q.CreditorAccountPast(ctx, dbsqlc.CreditorAccountPastParams{
			Realm: realm, CreditorAccount: s.CreditorAccount, Currency: string(currency), OtherThan: except,
		})
		if err != nil {
			return fmt.Errorf("read the payments to an account: %w", err)
		}
		past.Payments, past.Name = int(here.Payments), here.Name
		past.Most, err = money.FromMinor(currency, here.Most)
		if err != nil || past.Payments > 0 {
			return err
		}
		elsewhere, err := q.CreditorNamePast(ctx, dbsqlc.CreditorNamePastParams{
			Realm: realm, OtherThan: except, Currency: string(currency), CreditorName: s.CreditorName, CreditorAccount: s.CreditorAccount,
		})
		if err != nil {
			return fmt.Errorf("read the payments to a name: %w", err)
		}
		past.Elsewhere, past.OtherAccount = int(elsewhere.Payments), elsewhere.Account
		past.MaxElsewhere, err = money.FromMinor(currency, elsewhere.Most)
		return err
	})
	return past, err
}

// CreditorPasts reads the earlier payments to the accounts of payments, in their order. Payments to their names at other accounts are not
// read.
func (r *Reader) CreditorPasts(ctx context.Context, realm string, of []payment.Message) ([]CreditorPast, error) {
	pasts := make([]CreditorPast, len(of))
	ask := dbsqlc.CreditorAccountsPastParams{Realm: realm}
	for i, m := range of {
		ask.Items, ask.Accounts = append(ask.Items, int32(i)), append(ask.Accounts, m.Summary.CreditorAccount)
		ask.Currencies, ask.Others = append(ask.Currencies, string(m.Summary.Amount.Currency())), append(ask.Others, m.InternalID)
	}
	err := r.read(ctx, realm, Searching, func(q *dbsqlc.Queries) error {
		rows, err := q.CreditorAccountsPast(ctx, ask)
		if err != nil {
			return fmt.Errorf("read the payments to accounts: %w", err)
		}
		for _, row := range rows {
			most, err := money.FromMinor(of[row.Item].Summary.Amount.Currency(), row.Most)
			if err != nil {
				return err
			}
			pasts[row.Item] = CreditorPast{Payments: int(row.Payments), Most: most, Name: row.Name}
		}
		return nil
	})
	return pasts, err
}

// CreditorNews holds the news about the creditor of a payment.
type CreditorNews struct {
	First        bool // nothing that was approved was paid to the account before
	OtherAccount bool // and the same name was paid at another account
	// ListedName is under which name the list of beneficiaries has the account, "" where it has not.
	ListedName string
	// AddedAt is since when a beneficiary has the account, AccountChangedAt when its account became this one, EarlierIBAN the one before;
	// zero where there is no such beneficiary or change.
	AddedAt          time.Time
	AccountChangedAt time.Time
	EarlierIBAN      string
	// FormerName is the beneficiary that two people removed or gave another account; "" for an account in force or never listed.
	FormerName string
}

// CreditorNews reads the news about the creditors of payments, by the ids of the payments that have any. A beneficiary that does not fit
// its seal is ignored; the log raises an alarm.
func (r *Reader) CreditorNews(ctx context.Context, realm string, of []payment.Message) (map[uuid.UUID]CreditorNews, error) {
	ask := dbsqlc.CreditorFirstParams{Realm: realm}
	for _, m := range of {
		if m.Kind == payment.KindInstruction && m.Summary.CreditorAccount != "" {
			ask.MessageIds, ask.Accounts = append(ask.MessageIds, m.InternalID), append(ask.Accounts, m.Summary.CreditorAccount)
			ask.Names = append(ask.Names, m.Summary.CreditorName)
		}
	}
	news := map[uuid.UUID]CreditorNews{}
	if len(ask.MessageIds) == 0 {
		return news, nil
	}
	err := r.read(ctx, realm, Searching, func(q *dbsqlc.Queries) error {
		firsts, err := q.CreditorFirst(ctx, ask)
		if err != nil {
			return fmt.Errorf("look for first payments: %w", err)
		}
		for _, row := range firsts {
			news[row.MessageID] = CreditorNews{First: true, OtherAccount: row.OtherAccount}
		}
		known, former, err := r.beneficiaries(ctx, q, realm, ask.Accounts)
		for i, id := range ask.MessageIds {
			if name := former[ask.Accounts[i]]; name != "" {
				n := news[id]
				n.FormerName = name
				news[id] = n
			}
			if b, found := known[ask.Accounts[i]]; found {
				n := news[id]
				n.ListedName = b.Name
				n.AddedAt, n.AccountChangedAt, n.EarlierIBAN = b.AddedAt.UTC(), Time(b.AccountChangedAt), b.EarlierIban
				news[id] = n
			}
		}
		return err
	})
	return news, err
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

// FormerBeneficiaries returns the names of beneficiaries that no longer have one of these accounts, by account.
func (r *Reader) FormerBeneficiaries(ctx context.Context, realm string, accounts []string) (former map[string]string, err error) {
	err = r.read(ctx, realm, Searching, func(q *dbsqlc.Queries) (err error) {
		_, former, err = r.beneficiaries(ctx, q, realm, accounts)
		return err
	})
	return former, err
}

// Recent is a creditor that a person paid lately, with the last payment to its account.
type Recent struct {
	MessageID uuid.UUID
	Name      string
	Account   string
}

// RecentCreditors lists the creditors that a person paid last in a scheme, each account once, of their last 100 payments.
func (r *Reader) RecentCreditors(ctx context.Context, by identity.Principal, scheme rulebook.Scheme, most int32) ([]Recent, error) {
	var list []Recent
	err := r.read(ctx, by.Realm, Searching, func(q *dbsqlc.Queries) error {
		rows, err := q.CreditorRecent(ctx, dbsqlc.CreditorRecentParams{
			Realm: by.Realm, UserID: &by.UserID, Scheme: string(scheme), Most: most,
		})
		for _, row := range rows {
			list = append(list, Recent{MessageID: row.MessageID, Name: row.CreditorName, Account: row.CreditorAccount})
		}
		return err
	})
	return list, err
}

// LastPaid is the last approved payment to an account.
type LastPaid struct {
	At     time.Time // of its settlement, or of its entry before that
	Amount money.Amount
}

// LastPaid returns the last payment to each of these accounts, by account. Accounts without any are left out.
func (r *Reader) LastPaid(ctx context.Context, realm string, accounts []string) (map[string]LastPaid, error) {
	paid := make(map[string]LastPaid, len(accounts))
	err := r.read(ctx, realm, Searching, func(q *dbsqlc.Queries) error {
		rows, err := q.CreditorLastPaid(ctx, accounts, realm)
		for _, row := range rows {
			amount, err := money.FromMinor(money.Currency(row.Currency), row.Amount)
			if err != nil {
				return err
			}
			paid[row.CreditorAccount] = LastPaid{At: row.PaidAt.UTC(), Amount: amount}
		}
		return err
	})
	return paid, err
}
