package store

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// Concurrent writes are batched (store.Gather): one round trip reads and one writes to make a message, and two more
// to decide it. The functions here build the arrays of a statement from its items and the outcomes from its rows. A
// single new message, or a single step without a document, uses the statement for one. An item that fails with
// store.ErrAlone is written by insert or transact.

// TransactFrom is Transact for a message whose state this process just stored or read. It decides without a lock and
// does not read the message. Steps of many messages are batched, and the guard of the UPDATE refuses a message that
// changed since. Transact decides the refused ones. Errors: as Transact.
func (s *Messages) TransactFrom(ctx context.Context, seen payment.Message, decide DecideFunc) error {
	t, err := decide(seen)
	if err == nil {
		err = s.move(ctx, t, nil)
		if err == nil || errors.Is(err, ErrUnknown) || errors.Is(err, ErrUnavailable) {
			return err
		}
	}
	_, err = s.Transact(ctx, seen.Realm, seen.InternalID, decide)
	return err
}

// step is a step of a message, ready to be written. What can be made before its turn is made there: while one makes it nobody is kept
// waiting.
type step struct {
	transition payment.Transition
	values     dbsqlc.MessageMoveIfParams
	documents  []documentRow // which clearing sent for it, the report of an end, and what carries a release
	out        *Outgoing     // what it releases; nil for nothing
}

// move writes a step, and the document that brought it, in a batch. Errors: store.ErrAlone; as store.Gather.Do.
func (s *Messages) move(ctx context.Context, t payment.Transition, brought *Document) error {
	one, err := s.stepOf(t, brought)
	if err != nil {
		return err
	}
	_, err = s.writing.Do(ctx, t.Message().Realm, writing{step: one, follow: func() { s.stored(t, one.out) }})
	return err
}

// stepOf makes a transition ready, with the document that brought it; nil for none. Error: store.ErrAlone.
func (s *Messages) stepOf(t payment.Transition, brought *Document) (*step, error) {
	if d := t.Decision(); !t.Valid() || t.Version() != nil || len(t.LimitUses()) > 0 || d != nil && d.FactorUse != uuid.Nil {
		return nil, ErrAlone // a new version, or a limit or a second factor beside the step
	}
	one := &step{transition: t, values: s.moveParams(t), out: released(t)}
	if one.out != nil {
		s.carry(one)
	}
	if brought != nil {
		sealed := brought.Sealed()
		one.documents = append(one.documents, documentRow{
			id: s.newID(), direction: payment.DocumentIn, document: *brought, hash: sealed.Hash, seal: s.sealReceived(sealed),
		})
	}
	if out, ends := t.Report(); ends {
		content, err := codec.EncodeXML(out.Document())
		if err != nil {
			return nil, ErrAlone
		}
		one.documents = append(one.documents, s.documents.outboundRow(outboundDocument(out, content, t.At())))
	}
	return one, nil
}

// tooLate returns the result for a decision that lost to another one, from a batched read. Under the message's lock
// each loser would wait for all before it, and on a busy machine fail with a time-out. Errors: store.ErrAlone for a
// message that still waits or may still change; the errors of decide; as store.Gather.Do.
func (s *Messages) tooLate(ctx context.Context, realm string, id uuid.UUID, decide DecideFunc) (payment.Message, error) {
	seen, err := s.reading.Do(ctx, realm, id)
	if err != nil {
		return payment.Message{}, err
	}
	_, err = decide(seen)
	switch {
	case err == nil:
		return payment.Message{}, ErrAlone
	case errors.Is(err, ErrNoChange):
		return seen, nil
	}
	return seen, err
}

// askAll reads what new messages need to know. What no policy matches is not confirmed.
func (s *Messages) askAll(ctx context.Context, realm string, asked []SubmissionQuery) ([]*dbsqlc.SubmissionContextRow, error) {
	q, found := s.db.Alone(realm, Reading), make([]*dbsqlc.SubmissionContextRow, len(asked))
	if len(asked) == 1 {
		row, err := q.SubmissionContext(ctx, contextParams(asked[0]))
		found[0] = &row
		return found, err
	}
	p := dbsqlc.SubmissionContextAllParams{Realm: realm}
	for i, ask := range asked {
		p.Items, p.ClientIds = append(p.Items, int32(i)), append(p.ClientIds, ask.ClientID)
		p.Channels, p.Schemes = append(p.Channels, string(ask.Channel)), append(p.Schemes, string(ask.Scheme))
		p.Kinds, p.Amounts = append(p.Kinds, string(ask.Kind)), append(p.Amounts, ask.Amount)
		p.DebtorAccounts = append(p.DebtorAccounts, ask.DebtorAccount)
	}
	rows, err := q.SubmissionContextAll(ctx, p)
	if err != nil {
		return nil, err
	}
	for i, row := range rows {
		if i == 0 || row.DirectoryID != rows[i-1].DirectoryID {
			s.banks.readAhead(ctx, q, directoryKey{Realm: realm, ID: row.DirectoryID})
		}
		found[row.Item] = &dbsqlc.SubmissionContextRow{
			Realm: row.Realm, Policy: row.Policy, DirectoryID: row.DirectoryID, AccountIban: row.AccountIban, AccountScheme: row.AccountScheme,
			AccountCurrency: row.AccountCurrency, HolderName: row.HolderName, HolderStreet: row.HolderStreet, HolderBuilding: row.HolderBuilding,
			HolderPostcode: row.HolderPostcode, HolderTown: row.HolderTown, HolderCountry: row.HolderCountry, AgentBic: row.AgentBic,
			AgentIid: row.AgentIid, AccountOpen: row.AccountOpen, AccountKeyID: row.AccountKeyID, AccountSeal: row.AccountSeal, Limited: row.Limited,
		}
	}
	return found, nil
}

// ask reads the realm data for a new message in a batch. It fails with store.ErrAlone when a seal fails or a limit
// may apply; other errors as store.Gather.Do.
func (s *Messages) ask(ctx context.Context, ask SubmissionQuery) (SubmissionFacts, error) {
	row, err := s.asking.Do(ctx, ask.Realm, ask)
	if err != nil {
		return SubmissionFacts{}, err
	}
	known, err := s.factsOf(ctx, s.db.Alone(ask.Realm, Reading), ask.Realm, row)
	if err != nil || known.mayBind(ask.Kind) {
		return SubmissionFacts{}, ErrAlone
	}
	return known, nil
}

// considerAll reads messages with the data for their decisions. A message that is no instruction or matches no policy
// is not confirmed.
func (s *Messages) considerAll(ctx context.Context, realm string, ids []uuid.UUID) ([]*dbsqlc.MessageConsiderAllRow, error) {
	q, found, places := s.db.Alone(realm, Reading), make([]*dbsqlc.MessageConsiderAllRow, len(ids)), make([]int32, len(ids))
	for i := range ids {
		places[i] = int32(i)
	}
	rows, err := q.MessageConsiderAll(ctx, places, ids, realm)
	for i := range rows {
		if i == 0 || rows[i].DirectoryID != rows[i-1].DirectoryID {
			s.banks.readAhead(ctx, q, directoryKey{Realm: realm, ID: rows[i].DirectoryID})
		}
		found[rows[i].Item] = &rows[i]
	}
	return found, err
}

// readAll reads messages whose decisions are all made. What still waits is not confirmed: decisions that were read by another statement
// could be newer than the message.
func (s *Messages) readAll(ctx context.Context, realm string, ids []uuid.UUID) ([]*payment.Message, error) {
	q, keys := s.db.Alone(realm, Reading), make([]dbsqlc.MessageReadParams, len(ids))
	for i, id := range ids {
		keys[i] = dbsqlc.MessageReadParams{Realm: realm, MessageID: id}
	}
	rows, decided := make([]*dbsqlc.MessageReadRow, len(ids)), []uuid.UUID{}
	found, failed := q.MessageRead(ctx, keys), error(nil)
	found.QueryRow(func(i int, row dbsqlc.MessageReadRow, err error) {
		switch {
		case err == nil && row.MessageListed.State != string(payment.StateApprovalPending):
			rows[i], decided = &row, append(decided, ids[i])
		case err != nil && !errors.Is(err, pgx.ErrNoRows):
			failed = errors.Join(failed, err)
		}
	})
	failed = errors.Join(failed, found.Close())
	if failed != nil || len(decided) == 0 {
		return make([]*payment.Message, len(ids)), failed
	}
	decisions, err := q.DecisionList(ctx, realm, decided)
	if err != nil {
		return nil, err
	}
	of := make(map[uuid.UUID][]dbsqlc.DecisionListRow, len(decided))
	for _, row := range decisions {
		of[row.MessageID] = append(of[row.MessageID], row)
	}
	messages := make([]*payment.Message, len(ids))
	for i, row := range rows {
		if row != nil {
			m := Whole(s.db.Seal(), dbsqlc.MessageGetRow(*row), of[ids[i]])
			messages[i] = &m
		}
	}
	return messages, nil
}

// done is the outcome of a successful write.
var done = &struct{}{}

// writing is an item to write: a new instruction, or a step of a message.
type writing struct {
	created *dbsqlc.MessageInsertParams
	step    *step
	// follow runs after the item is stored, even if its caller gave up: otherwise a release would wait seconds for
	// the next poll.
	follow func()
}

// writeAll writes what waits in one transaction: a statement for new instructions, one for steps, and one commit. If these went out beside
// each other, there would be more statements with fewer items in each.
func (s *Messages) writeAll(ctx context.Context, realm string, items []writing) ([]*struct{}, error) {
	var created []*dbsqlc.MessageInsertParams
	var steps []*step
	for _, item := range items {
		if item.created != nil {
			created = append(created, item.created)
		} else {
			steps = append(steps, item.step)
		}
	}
	inserted, moved := make([]*struct{}, len(created)), make([]*struct{}, len(steps))
	var statements []Statement
	if len(created) > 0 {
		statements = append(statements, insertAll(realm, created, inserted))
	}
	if len(steps) > 0 {
		statements = append(statements, moves(realm, steps, moved))
	}
	err := s.db.For(ForWrites).OneTrip(ctx, realm, Changing, statements...)
	outcomes := make([]*struct{}, len(items))
	for i, item := range items {
		of := &moved
		if item.created != nil {
			of = &inserted
		}
		outcomes[i], *of = (*of)[0], (*of)[1:]
		if err == nil && outcomes[i] != nil {
			item.follow()
		}
	}
	return outcomes, err
}

// insertAll is the statement that writes new instructions, and notes which it wrote.
func insertAll(realm string, created []*dbsqlc.MessageInsertParams, outcomes []*struct{}) Statement {
	if len(created) == 1 {
		return func(ctx context.Context, q *dbsqlc.Queries) error {
			err := q.MessageInsert(ctx, *created[0])
			if err == nil {
				outcomes[0] = done
			}
			return err
		}
	}
	p, of := sized[dbsqlc.MessageInsertAllParams](len(created)), make(map[uuid.UUID]int, len(created))
	p.Realm = realm
	for i, one := range created {
		of[one.MessageID] = i
		addMessage(&p, one)
		addVersion(&p, one)
		addTrail(&p, one)
	}
	return func(ctx context.Context, q *dbsqlc.Queries) error {
		written, err := q.MessageInsertAll(ctx, p)
		for _, id := range written {
			outcomes[of[id]] = done
		}
		return err
	}
}

// moves is the statement that writes steps of messages, and notes which it wrote. There is at least one.
func moves(realm string, steps []*step, outcomes []*struct{}) Statement {
	if len(steps) == 1 && len(steps[0].documents) == 0 {
		return func(ctx context.Context, q *dbsqlc.Queries) error {
			_, err := q.MessageMoveIf(ctx, steps[0].values)
			if errors.Is(err, pgx.ErrNoRows) {
				return nil
			}
			if err == nil {
				outcomes[0] = done
			}
			return err
		}
	}
	p, of := sized[dbsqlc.MessageMoveAllParams](len(steps)), make(map[uuid.UUID]int, len(steps))
	p.Realm = realm
	for _, path := range paths(steps) {
		taken := make([]*dbsqlc.MessageMoveIfParams, len(path))
		for i, place := range path {
			taken[i] = &steps[place].values
			of[taken[i].EventID] = place
			addStep(&p, taken[i])
			addActor(&p, taken[i])
			addDecision(&p, taken[i])
			for _, d := range steps[place].documents {
				addDocument(&p, taken[i].EventID, d)
			}
		}
		addGoal(&p, taken)
	}
	return func(ctx context.Context, q *dbsqlc.Queries) error {
		written, err := q.MessageMoveAll(ctx, p)
		for _, event := range written {
			outcomes[of[event]] = done
		}
		return err
	}
}
