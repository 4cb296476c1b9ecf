package integrity

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/internal/identity"
	"countersign/internal/interbank"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/profile"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// auditedPage is the number of rows the integrity check reads at once, which bounds its memory.
const auditedPage = 500

// eachRow reads a table in pages, each after the last row that was looked at; the first after the zero row.
func eachRow[R any](ctx context.Context, action string, page func(last R) ([]R, error), look func(R) error) error {
	var last R
	for {
		rows, err := repeated(ctx, func() ([]R, error) { return page(last) })
		if err != nil {
			return fmt.Errorf("%s: %w", action, err)
		}
		for _, row := range rows {
			last = row
			err = look(row)
			if err != nil {
				return err
			}
		}
		if len(rows) < auditedPage {
			return nil
		}
	}
}

// AuditedVersion is a version of a message as it is stored, with any defects.
type AuditedVersion struct {
	// Message has the fields of this version. Its maker's names and its decisions are left out; no seal covers them.
	Message payment.Message
	// Release is that of this version; nil when there is none.
	Release *payment.Release
	Sent    [][]byte // the documents that were made for clearing of it
	// Found: it is found by the words of its names, its accounts and its purpose, and by no others.
	Found bool
}

// EachVersion hands over every version of every message, in pages.
func (s *Snapshot) EachVersion(ctx context.Context, look func(AuditedVersion) error) error {
	page := func(last dbsqlc.AuditedVersionListRow) ([]dbsqlc.AuditedVersionListRow, error) {
		v := last.MessageVersion
		return s.q.AuditedVersionList(ctx, dbsqlc.AuditedVersionListParams{
			Realm: v.Realm, MessageID: v.MessageID, Version: v.Version, PageSize: auditedPage,
		})
	}
	return eachRow(ctx, "read the versions", page, func(row dbsqlc.AuditedVersionListRow) error {
		return look(auditedVersion(row))
	})
}

// foundBy reports whether the stored search words of a version are those of its content.
func foundBy(m payment.Message, words []string) bool {
	want := strings.Split(store.Words(m), " ")
	slices.Sort(want)
	slices.Sort(words)
	return slices.Equal(slices.Compact(want), words)
}

func auditedVersion(row dbsqlc.AuditedVersionListRow) AuditedVersion {
	m, v := row.Message, row.MessageVersion
	// An amount no currency has is no amount; the seal then does not fit.
	amount, _ := money.FromMinor(money.Currency(v.Currency), v.Amount)
	a := AuditedVersion{Sent: row.Sent, Message: payment.Message{
		Realm: m.Realm, InternalID: m.MessageID, GlobalID: payment.ID(m.GlobalID), Kind: payment.Kind(m.Kind),
		Scheme: rulebook.Scheme(m.Scheme), Direction: payment.Direction(m.Direction), Channel: identity.Channel(m.Channel),
		ClientID: store.Text(m.ClientID), ExternalID: store.Text(m.ExternalID), OriginalID: store.OrZero(m.OriginalID),
		AnswersID: store.OrZero(m.AnswersID), Reason: store.Text(m.Reason), MakerUser: store.OrZero(m.MakerUser), Makers: v.Makers,
		Clients: v.Clients, Payee: store.Payee(v.PayeeResult, v.PayeeName, v.PayeeAt),
		ApprovalsRequired: int(v.ApprovalsRequired), PolicyID: store.OrZero(m.PolicyID), CreatedAt: m.CreatedAt.UTC(),
		ExpiresAt: store.Time(m.ExpiresAt), Deadline: store.Time(m.Deadline), AnswerBy: store.Time(m.AnswerBy), Version: int(v.Version),
		State: payment.State(m.State), AcceptedAt: store.Time(m.AcceptedAt), DeliveredAt: store.Time(m.DeliveredAt), Content: row.Content,
		Summary: payment.Summary{
			Amount: amount, InstructionID: store.Text(v.InstructionID), EndToEndID: v.EndToEndID, TransactionID: store.Text(v.TransactionID),
			UETR: store.Text(v.Uetr), DebtorName: v.DebtorName, OrderedDebtorName: store.Text(v.OrderedDebtorName), DebtorAccount: v.DebtorAccount,
			DebtorAgent: v.DebtorAgent, CreditorName: v.CreditorName, CreditorAccount: v.CreditorAccount, CreditorAgent: v.CreditorAgent,
			Remittance: v.Remittance,
		},
		Seal: store.Seal(v.KeyID, v.Seal),
	}}
	copy(a.Message.ContentHash[:], v.ContentHash)
	a.Found = foundBy(a.Message, row.FoundBy)
	a.Message.ExecutionDay = a.Message.OrderedDay()
	if v.Version == m.Version {
		a.Message.ExecutionDay = store.Time(m.ExecutionDay)
	}
	if row.DebtorAccount.Iban != "" {
		account := store.Account(row.DebtorAccount)
		a.Message.Account = &account
	}
	if row.Release.MessageID == m.MessageID {
		release := store.Release(row.Release, row.Approvers)
		a.Release = &release
	}
	return a
}

// otherBanks finds transaction ids of incoming payments under a bank that is not the sender of the payment's document.
func (s *Snapshot) otherBanks(ctx context.Context) ([]Violation, error) {
	var found []Violation
	page := func(last dbsqlc.AuditedIncomingBankListRow) ([]dbsqlc.AuditedIncomingBankListRow, error) {
		return s.q.AuditedIncomingBankList(ctx, last.MessageID, auditedPage)
	}
	err := eachRow(ctx, "read the banks of incoming payments", page, func(row dbsqlc.AuditedIncomingBankListRow) error {
		document, _ := profile.Read(row.Content) // one that cannot be read names no bank
		if !slices.Contains(interbank.Senders(document), row.Bank) {
			found = append(found, Violation{
				Realm: row.Realm, Table: "incoming_payment", Key: strings.Join([]string{row.Scheme, row.TransactionID, row.Bank}, " "),
				What: fmt.Sprintf("of message %s: its bank is not the sender of the payment", row.MessageID),
			})
		}
		return nil
	})
	return found, err
}

// Ledger reads the messages of a scheme in all realms that moved money since a time, or may have. Days are those of zone.
func (s *Snapshot) Ledger(ctx context.Context, scheme rulebook.Scheme, since time.Time, zone *time.Location) ([]payment.LedgerItem, error) {
	var ledger []payment.LedgerItem
	page := func(last dbsqlc.LedgerListRow) ([]dbsqlc.LedgerListRow, error) {
		return s.q.LedgerList(ctx, dbsqlc.LedgerListParams{
			Scheme: string(scheme), Since: since, Realm: last.Realm, MessageID: last.MessageID, PageSize: auditedPage,
		})
	}
	err := eachRow(ctx, "read the books", page, func(row dbsqlc.LedgerListRow) error {
		item, err := store.LedgerItem(row, zone)
		ledger = append(ledger, item)
		return err
	})
	return ledger, err
}
