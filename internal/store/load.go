package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/globalid"
	"countersign/internal/identity"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// listed makes the domain's message of its row and holds it against the seal of its version: every message that leaves the store says
// whether it is withheld. It never fails: one row that somebody planted must not keep the others from being shown, so an amount that no
// currency has is no amount, which the seal cannot cover.
func listed(seal payment.Sealer, m dbsqlc.MessageListed) payment.Message {
	amount, err := money.FromMinor(money.Currency(m.Currency), m.Amount)
	message := payment.Message{
		Realm: m.Realm, InternalID: m.MessageID, GlobalID: globalid.ID(m.GlobalID), Kind: payment.Kind(m.Kind),
		Scheme: rulebook.Scheme(m.Scheme), Direction: payment.Direction(m.Direction), Channel: identity.Channel(m.Channel), ClientID: text(m.ClientID), ExternalID: text(m.ExternalID),
		OriginalID: orZero(m.OriginalID), AnswersID: orZero(m.AnswersID), AnswerBy: moment(m.AnswerBy), Deadline: moment(m.Deadline), Reason: text(m.Reason),
		MakerUser: orZero(m.MakerUser), MakerName: m.MakerName, MakerLogin: m.MakerLogin, Makers: m.Makers,
		ApprovalsRequired: int(m.ApprovalsRequired), PolicyID: orZero(m.PolicyID), ExpiresAt: moment(m.ExpiresAt), CreatedAt: m.CreatedAt.UTC(),
		Version: int(m.Version), State: payment.State(m.State), Sequence: int(m.StateSequence), StateSince: m.StateSince.UTC(),
		AcceptedAt: moment(m.AcceptedAt), DeliveredAt: moment(m.DeliveredAt), SettledAt: moment(m.SettledAt),
		RecallState: payment.State(m.RecallState), ReturnState: payment.State(m.ReturnState),
		StatusCode: text(m.StatusCode), StatusText: text(m.StatusText), Inquiries: int(m.Inquiries),
		DocumentID: m.DocumentID,
		Summary: payment.Summary{
			Amount: amount, InstructionID: text(m.InstructionID), EndToEndID: m.EndToEndID, TransactionID: text(m.TransactionID), UETR: text(m.Uetr),
			DebtorName: m.DebtorName, OrderedDebtorName: text(m.OrderedDebtorName), DebtorAccount: m.DebtorAccount, DebtorAgent: m.DebtorAgent,
			CreditorName: m.CreditorName, CreditorAccount: m.CreditorAccount, CreditorAgent: m.CreditorAgent, Remittance: m.Remittance,
		},
		Seal: sealFromDB(m.KeyID, m.Seal),
	}
	copy(message.ContentHash[:], m.ContentHash)
	if err != nil {
		err = payment.ErrForged
	} else {
		err = seal.CheckVersion(message)
	}
	message.Withheld = payment.WithheldBy(err)
	return message
}

// whole adds to a message what lists do without: its content, its account and the decisions about its current version.
func whole(seal payment.Sealer, row dbsqlc.MessageGetRow, decisions []dbsqlc.DecisionListRow) payment.Message {
	message := listed(seal, row.MessageListed).WithContent(row.Content)
	message.Account = accountOrNone(accountColumns{
		IBAN: row.AccountIban, Scheme: row.AccountScheme, Currency: row.AccountCurrency, Name: row.HolderName, Street: row.HolderStreet,
		Building: row.HolderBuilding, Postcode: row.HolderPostcode, Town: row.HolderTown, Country: row.HolderCountry,
		BIC: row.AgentBic, IID: row.AgentIid, Open: row.AccountOpen,
	})
	for _, decision := range decisions {
		if int(decision.Version) == message.Version {
			message.Decisions = append(message.Decisions, decisionFromDB(decision))
		}
	}
	return message
}

func decisionFromDB(d dbsqlc.DecisionListRow) payment.Decision {
	return payment.Decision{
		Ordinal: int(d.Ordinal), Action: payment.Action(d.Action), UserID: d.CheckerUser, PersonID: d.CheckerPerson, Name: d.DisplayName,
		ClientID: d.ClientID, Channel: identity.Channel(d.Channel), Reason: text(d.Reason), Remark: text(d.Remark), Login: d.CheckerLogin, DecidedAt: d.DecidedAt.UTC(),
		ForVersion: int(d.Version), Grant: identity.Grant{ID: orZero(d.GrantID), Role: identity.RoleChecker, GrantedAt: moment(d.GrantedAt)},
	}
}

// lockMode says whether a message is locked while it is read.
type lockMode bool

const (
	forUpdate lockMode = true
	forRead   lockMode = false
)

// loader reads messages in a transaction that is under way, each held against its seal.
type loader struct {
	q    *dbsqlc.Queries
	seal payment.Sealer
}

// loadIn makes the loader of a transaction.
func loadIn(q *dbsqlc.Queries, seal payment.Sealer) loader { return loader{q: q, seal: seal} }

// message reads a message, or fails with payment.ErrNotFound. For an update it is locked first and read in a second statement, which sees what the lock waited for.
func (l loader) message(ctx context.Context, realm string, id uuid.UUID, mode lockMode) (payment.Message, error) {
	var err error
	if mode == forUpdate {
		_, err = l.q.MessageLock(ctx, realm, id)
	}
	var row dbsqlc.MessageGetRow
	if err == nil {
		row, err = l.q.MessageGet(ctx, realm, id)
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return payment.Message{}, payment.ErrNotFound
	}
	if err != nil {
		return payment.Message{}, fmt.Errorf("load the message: %w", err)
	}
	var decisions []dbsqlc.DecisionListRow
	pendingWithoutApproval := row.MessageListed.State == string(payment.StateApprovalPending) && row.MessageListed.Approvals == 0
	if !pendingWithoutApproval && row.MessageListed.ApprovalsRequired > 0 {
		decisions, err = l.q.DecisionList(ctx, realm, id)
		if err != nil {
			return payment.Message{}, fmt.Errorf("load the decisions: %w", err)
		}
	}
	m := whole(l.seal, row, decisions)
	if mode == forRead && m.Withheld == "" {
		m.Withheld = m.Difference() // whoever reads one message may be about to decide it
	}
	return m, nil
}
