package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// ListedMessage makes a message from its row and checks the seal of its version: Withheld is set for an invalid one. It
// never fails, so one planted row does not hide the others; an amount in an unknown currency becomes zero, which no seal
// covers.
func ListedMessage(seal payment.Sealer, people verifiedNames, m dbsqlc.MessageListed) payment.Message {
	amount, err := money.FromMinor(money.Currency(m.Currency), m.Amount)
	message := payment.Message{
		Realm: m.Realm, InternalID: m.MessageID, GlobalID: payment.ID(m.GlobalID), Kind: payment.Kind(m.Kind), Scheme: rulebook.Scheme(m.Scheme),
		Direction: payment.Direction(m.Direction), Channel: identity.Channel(m.Channel), ClientID: Text(m.ClientID),
		ExternalID: Text(m.ExternalID), OriginalID: OrZero(m.OriginalID), AnswersID: OrZero(m.AnswersID),
		AnswerBy: Time(m.AnswerBy), Deadline: Time(m.Deadline), Reason: Text(m.Reason),
		MakerUser: OrZero(m.MakerUser), MakerName: m.MakerName, Makers: m.Makers, Clients: m.Clients,
		MakerLogin:        people.of(OrZero(m.MakerUser), m.MakerLogin),
		ApprovalsRequired: int(m.ApprovalsRequired), PolicyID: OrZero(m.PolicyID), ExpiresAt: Time(m.ExpiresAt),
		ExecutionDay: Time(m.ExecutionDay),
		CreatedAt:    m.CreatedAt.UTC(), Version: int(m.Version), State: payment.State(m.State), Sequence: int(m.StateSequence),
		StateSince: m.StateSince.UTC(), AcceptedAt: Time(m.AcceptedAt), DeliveredAt: Time(m.DeliveredAt),
		SettledAt: Time(m.SettledAt), RecallState: payment.State(m.RecallState), ReturnState: payment.State(m.ReturnState),
		StatusCode: Text(m.StatusCode), StatusText: Text(m.StatusText), Inquiries: int(m.Inquiries),
		DocumentID: m.DocumentID, ApprovalsListed: int(m.Approvals),
		Summary: payment.Summary{
			Amount: amount, InstructionID: Text(m.InstructionID), EndToEndID: m.EndToEndID, TransactionID: Text(m.TransactionID),
			UETR: Text(m.Uetr), DebtorName: m.DebtorName, OrderedDebtorName: Text(m.OrderedDebtorName), DebtorAccount: m.DebtorAccount,
			DebtorAgent: m.DebtorAgent, CreditorName: m.CreditorName, CreditorAccount: m.CreditorAccount, CreditorAgent: m.CreditorAgent,
			Remittance: m.Remittance,
		},
		Payee: Payee(m.PayeeResult, m.PayeeName, m.PayeeAt), Seal: Seal(m.KeyID, m.Seal),
	}
	copy(message.ContentHash[:], m.ContentHash)
	if len(m.Makers) > 0 {
		message.MakerName = people.of(m.Makers[0], m.MakerName)
	}
	if err != nil {
		err = payment.ErrForged
	} else {
		err = seal.CheckVersion(message)
	}
	message.Withheld = payment.WithheldBy(err)
	return message
}

// Undecided reports whether a message has no decisions to read: it waits for a single approval, or needs none. The count in a row that
// needs more approvals is not trusted.
func Undecided(m dbsqlc.MessageListed) bool {
	return m.ApprovalsRequired == 0 ||
		payment.State(m.State).Pending() && m.Approvals == 0 && m.ApprovalsRequired == 1
}

// Whole makes a complete message: with its content, its account and the decisions about its current version.
func Whole(seal payment.Sealer, people verifiedNames, row dbsqlc.MessageGetRow, decisions []dbsqlc.DecisionListRow) payment.Message {
	message := ListedMessage(seal, people, row.MessageListed).WithContent(row.Content)
	account, found := accountColumns{
		IBAN: row.AccountIban, Scheme: row.AccountScheme, Currency: row.AccountCurrency, Name: row.HolderName, Street: row.HolderStreet,
		Building: row.HolderBuilding, Postcode: row.HolderPostcode, Town: row.HolderTown, Country: row.HolderCountry,
		BIC: row.AgentBic, IID: row.AgentIid, Open: row.AccountOpen,
	}.row(message.Realm)
	if found {
		debtor := Account(account)
		message.Account = &debtor
	}
	var current []payment.Decision
	for _, decision := range decisions {
		if int(decision.Version) == message.Version {
			current = append(current, decisionFrom(people, decision))
		}
	}
	return message.WithDecisions(current, payment.Stored{Approvals: int(row.MessageListed.Approvals), Later: row.Later})
}

// decisionFrom makes the decision of its row.
func decisionFrom(people verifiedNames, d dbsqlc.DecisionListRow) payment.Decision {
	return payment.Decision{
		Ordinal: int(d.Ordinal), Action: payment.Action(d.Action), UserID: d.CheckerUser, PersonID: d.CheckerPerson,
		Name:     people.of(d.CheckerPerson, d.DisplayName),
		ClientID: d.ClientID, Channel: identity.Channel(d.Channel), Reason: Text(d.Reason), Remark: Text(d.Remark),
		Login: people.of(d.CheckerUser, d.CheckerLogin), DecidedAt: d.DecidedAt.UTC(), ForVersion: int(d.Version),
		Grant:     identity.Grant{ID: d.GrantID, Role: identity.RoleChecker, GrantedAt: d.GrantedAt.UTC()},
		FactorUse: OrZero(d.FactorUseID), FactorKind: identity.FactorKind(d.FactorKind),
	}
}

// Lock selects whether a message is locked when it is read.
type Lock bool

// The ways to read one message.
const (
	ForUpdate Lock = true
	ForRead   Lock = false
)

// Loader reads messages in a transaction and checks their seals.
type Loader struct {
	q    *dbsqlc.Queries
	seal payment.Sealer
	keys keyring.Ring // of the audit trail
	db   *Database    // nil: names are those of the tables
}

// In makes the loader of a transaction that has no keys of the audit trail: it does not prove the number of moves of a message.
func In(q *dbsqlc.Queries, seal payment.Sealer) Loader { return Loader{q: q, seal: seal} }

// loader makes the loader of a transaction.
func (d *Database) loader(q *dbsqlc.Queries) Loader {
	return Loader{q: q, seal: d.Seal(), keys: d.masterData, db: d}
}

// Rows reads messages with their content, in one round trip; nil for an unknown one.
func (l Loader) Rows(ctx context.Context, realm string, ids []uuid.UUID) ([]*dbsqlc.MessageGetRow, error) {
	keys, rows := make([]dbsqlc.MessageGetParams, len(ids)), make([]*dbsqlc.MessageGetRow, len(ids))
	for i, id := range ids {
		keys[i] = dbsqlc.MessageGetParams{Realm: realm, MessageID: id}
	}
	var failed error
	l.q.MessageGet(ctx, keys).QueryRow(func(i int, row dbsqlc.MessageGetRow, err error) {
		switch {
		case err == nil:
			rows[i] = &row
		case !errors.Is(err, pgx.ErrNoRows):
			failed = errors.Join(failed, err)
		}
	})
	if failed != nil {
		return nil, fmt.Errorf("load the message: %w", failed)
	}
	return rows, nil
}

// Message reads a message, or fails with payment.ErrNotFound. For an update it locks the row first and reads it by a
// second statement, which sees the changes of the lock's former owner.
func (l Loader) Message(ctx context.Context, realm string, id uuid.UUID, mode Lock) (payment.Message, error) {
	if mode == ForUpdate {
		_, err := l.q.MessageLock(ctx, realm, id)
		if err != nil {
			return payment.Message{}, wrapped(missing(err), "lock the message")
		}
	}
	messages, err := l.Messages(ctx, realm, []uuid.UUID{id}, mode)
	if err == nil && len(messages) == 0 {
		err = payment.ErrNotFound
	}
	if err != nil {
		return payment.Message{}, err
	}
	return messages[0], nil
}

// Messages reads complete messages in the order of their ids, with a few statements for all of them. It leaves out unknown ones.
func (l Loader) Messages(ctx context.Context, realm string, ids []uuid.UUID, mode Lock) ([]payment.Message, error) {
	rows, err := l.Rows(ctx, realm, ids)
	if err != nil {
		return nil, err
	}
	var decided, pending []uuid.UUID
	for _, row := range rows {
		if row != nil && !Undecided(row.MessageListed) {
			decided = append(decided, row.MessageListed.MessageID)
		}
		if row != nil && mode == ForRead && payment.State(row.MessageListed.State).Waits() {
			pending = append(pending, row.MessageListed.MessageID)
		}
	}
	decisions, err := decisionsOf(ctx, l.q, realm, decided)
	if err != nil {
		return nil, err
	}
	asked := map[uuid.UUID]int{}
	if len(pending) > 0 {
		list, err := l.q.MessageApprovalsAsked(ctx, realm, pending)
		if err != nil {
			return nil, fmt.Errorf("ask the policies of their time: %w", err)
		}
		for _, one := range list {
			asked[one.MessageID] = int(one.Asked)
		}
	}
	messages := make([]payment.Message, 0, len(ids))
	for _, row := range rows {
		if row == nil {
			continue
		}
		m := Whole(l.seal, l.db.names(realm), *row, decisions[row.MessageListed.MessageID])
		if mode == ForRead && m.Withheld == "" {
			m.Withheld = m.Difference() // a person may be about to decide it
		}
		if mode == ForRead && m.State.Waits() {
			m = m.RequiringApprovals(asked[m.InternalID])
		}
		messages = append(messages, m)
	}
	return messages, l.prove(ctx, realm, waiting(messages))
}

// decisionsOf reads the decisions about messages, by message.
func decisionsOf(ctx context.Context, q *dbsqlc.Queries, realm string, ids []uuid.UUID) (map[uuid.UUID][]dbsqlc.DecisionListRow, error) {
	of := make(map[uuid.UUID][]dbsqlc.DecisionListRow, len(ids))
	if len(ids) == 0 {
		return of, nil
	}
	rows, err := q.DecisionList(ctx, realm, ids)
	for _, row := range rows {
		of[row.MessageID] = append(of[row.MessageID], row)
	}
	return of, wrapped(err, "load the decisions")
}

// waiting returns the messages that wait for a person or for their day.
func waiting(messages []payment.Message) []*payment.Message {
	var list []*payment.Message
	for i := range messages {
		if messages[i].Waits() {
			list = append(list, &messages[i])
		}
	}
	return list
}

// mostMoves limits the moves that are read with a waiting message: far more than people make.
const mostMoves = 1000

// proven is prove for one message.
func (l Loader) proven(ctx context.Context, m payment.Message) (payment.Message, error) {
	err := l.prove(ctx, m.Realm, []*payment.Message{&m})
	return m, err
}

// prove withholds each of these messages of a realm unless the seals of the audit rows of its moves prove it: of all moves while it waits,
// later of the last one. The time of a settlement is that of the last move. A row of a version can be changed with the key of releases, and
// one of a decision has no seal: the seal of the audit row covers both.
func (l Loader) prove(ctx context.Context, realm string, list []*payment.Message) error {
	if len(l.keys.IDs()) == 0 {
		return nil
	}
	for some := range slices.Chunk(list, mostMoves) {
		var moves []uuid.UUID
		for _, m := range some {
			moves = append(moves, movesOf(*m, m.Waits())...)
		}
		rows, err := l.q.EventFactList(ctx, moves, realm)
		if err != nil {
			return fmt.Errorf("read the moves of messages: %w", err)
		}
		of := map[uuid.UUID][]dbsqlc.EventFactListRow{}
		for _, row := range rows {
			of[OrZero(row.MessageID)] = append(of[OrZero(row.MessageID)], row)
		}
		for _, m := range some {
			m.Withheld = cmp.Or(m.Withheld, payment.WithheldBy(l.unproven(of[m.InternalID], *m, m.Waits())))
			m.SettledAt = time.Time{}
			if result, _ := m.CoreResult(); result == payment.CoreSettled {
				m.SettledAt = m.StateSince
			}
		}
	}
	return nil
}

// movesOf returns the ids of the audit rows of all moves of a message, the newest first, or of the last one.
func movesOf(m payment.Message, all bool) []uuid.UUID {
	last := 1
	if all {
		last = mostMoves
	}
	moves := make([]uuid.UUID, min(m.Sequence, last))
	for back := range moves {
		moves[back] = auditlog.MoveID(m.InternalID, m.Sequence-back)
	}
	return moves
}

// unproven returns why the seals of the audit rows of its moves do not prove a message as it was read: payment.ErrForged,
// payment.ErrUnknownKey. The last move left it as it is. With all moves, one made its version with these makers, and others its decisions.
func (l Loader) unproven(moves []dbsqlc.EventFactListRow, m payment.Message, all bool) error {
	last, made, decided := false, false, map[int]bool{}
	var failed error
	for _, row := range moves {
		e := eventOf(row)
		current := e.Version != nil && e.Version.Number == m.Version
		if current {
			e.Version = versionOf(m)
		}
		failed = errors.Join(failed, e.Check(l.keys, Seal(row.KeyID, row.Seal)))
		made = made || current
		if e.Move != nil && e.Move.Sequence == m.Sequence {
			last = e.Move.To == string(m.State) && e.Move.Version == m.Version && e.Move.At.Equal(m.StateSince)
		}
		if e.Decision != nil && e.Decision.Version == m.Version {
			decided[e.Decision.Ordinal] = true
		}
	}
	undecided := func(d payment.Decision) bool { return !decided[d.Ordinal] }
	if failed == nil && (!last || all && (!made || len(moves) != len(movesOf(m, all)) || slices.ContainsFunc(m.Decisions, undecided))) {
		return payment.ErrForged
	}
	return failed
}
