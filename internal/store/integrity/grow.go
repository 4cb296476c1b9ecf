package integrity

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/auditlog"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// batch limits the rows sealed in one transaction.
const batch = 1000

// Trees are the hash trees of all realms.
type Trees struct {
	db     *store.Database
	signer auditlog.Signer
}

// NewTrees makes the trees of a database, whose checkpoints the signer signs.
func NewTrees(db *store.Database, signer auditlog.Signer) *Trees {
	return &Trees{db: db, signer: signer}
}

// Standing is the state of a realm's tree.
type Standing struct {
	Size int64
	// Waits is the time of the oldest row that is not in the tree; zero if all are.
	Waits time.Time
	// Old: rows of before, or of another server, may not be in the tree yet.
	Old bool
}

// Standing returns the state of the tree of a realm, and begins a missing one.
func (t *Trees) Standing(ctx context.Context, realm string) (Standing, error) {
	row, err := t.db.In(realm, store.Keyed).AuditTreeStanding(ctx, realm)
	if errors.Is(err, pgx.ErrNoRows) {
		return Standing{Old: true}, t.db.In(realm, store.Changing).AuditTreeBegin(ctx, realm)
	}
	if err != nil {
		return Standing{}, err
	}
	found := Standing{Size: row.Size, Old: row.Server != row.ThisServer}
	if row.WaitsSince.Unix() != 0 {
		found.Waits = row.WaitsSince.UTC()
	}
	return found, nil
}

// ErrTreeChanged reports that the stored tree differs from the signed one: it was changed outside the program, or the key of the newest
// checkpoint is missing. Nothing is sealed on top of it.
var ErrTreeChanged = errors.New("the audit tree differs from the signed one")

// LostError reports that the database lacks a checkpoint that this gateway saw: it lost committed rows, or was restored.
type LostError struct {
	Seen auditlog.Checkpoint
	Size int64 // of the stored tree
	// Messages are the Global IDs of known messages whose newest row is lost, the newest first.
	Messages []string
}

// Error names both trees and the known messages.
func (e *LostError) Error() string {
	text := fmt.Sprintf("%s: it went back from the %d leaves that were signed at %s to other ones, %d now", ErrTreeChanged, e.Seen.Size,
		e.Seen.At.Format(time.RFC3339), e.Size)
	if len(e.Messages) == 0 {
		return text + "; this gateway knows no payment that lost rows, only clearing's statement names them"
	}
	named := e.Messages[:min(len(e.Messages), maxLostNamed)]
	return fmt.Sprintf("%s; %d known payments lost rows (the statement of clearing may name more), the newest: %s", text, len(e.Messages),
		strings.Join(named, ", "))
}

// Is reports that a lost checkpoint is a change of the tree.
func (e *LostError) Is(target error) bool { return target == ErrTreeChanged }

// ErrElsewhere reports that another process adds to the tree right now.
var ErrElsewhere = errors.New("the audit tree grows elsewhere")

// Progress is the state that the sealer of a realm keeps between batches.
type Progress struct {
	// Checkpoint is the newest that was seen; the tree never goes back behind it.
	Checkpoint auditlog.Checkpoint
	note       string                // the same, signed
	recent     []store.MarkedMessage // the newest messages under it
	// More: there are rows left for another batch.
	More bool
	// Added counts the rows of the last batch; Unverified names those that did not fit their seal.
	Added      int
	Unverified []string

	sweep sweep
}

// sweep is the progress over the rows without a transaction of this server, by their keys.
type sweep struct {
	below    string // the oldest transaction that ran when the sweep began
	last     store.LeafRow
	complete bool
}

// Seal seals rows of a realm, at most one batch, and signs the checkpoint after them.
//
// Errors: ErrTreeChanged, ErrElsewhere, store.ErrBusy, store.ErrUnavailable, store.ErrUnknown.
func (t *Trees) Seal(ctx context.Context, realm string, from Progress, now time.Time) (Progress, error) {
	next := from
	next.More, next.Added, next.Unverified = false, 0, nil
	err := t.db.InRealm(ctx, realm, store.Keyed, func(q *dbsqlc.Queries) error {
		g, err := t.grow(ctx, q, realm, from.Checkpoint)
		if lost, is := errors.AsType[*LostError](err); is {
			lost.Messages, err = lostOf(ctx, q, realm, from.recent)
			return errors.Join(lost, err)
		}
		if err != nil {
			return err
		}
		var rows []store.LeafRow
		if g.server != g.end.ThisServer && !next.sweep.complete {
			rows, err = g.sweep(ctx, &next.sweep)
			next.More = true
		} else {
			rows, err = g.unsealed(ctx, next.sweep)
			next.More = len(rows) == batch
			next.sweep = sweep{}
		}
		if err != nil {
			return fmt.Errorf("look for rows to seal: %w", err)
		}
		next.Added = len(rows)
		err = g.add(ctx, rows, now)
		next.Checkpoint, next.note = g.checkpoint, g.end.Note
		next.Unverified = g.unverified
		if err == nil && next.Checkpoint.Size > from.Checkpoint.Size {
			next.recent, err = recentOf(ctx, q, next.Checkpoint, from)
		}
		return err
	})
	if err != nil {
		return from, fmt.Errorf("seal the audit trail of %s: %w", realm, err)
	}
	return next, nil
}

// growth is a tree that is locked to add to it.
type growth struct {
	*Trees
	q          *dbsqlc.Queries
	realm      string
	tree       auditlog.Tree
	checkpoint auditlog.Checkpoint    // the newest, which the tree fits
	end        dbsqlc.AuditTreeEndRow // with the newest checkpoint, signed

	// The old and the new values of the tree's row.
	sealedBelow, server string
	moved               bool
	unverified          []string // rows that did not fit their seal
}

// grow locks the tree of a realm and compares it with its newest checkpoint, and that with the newest that was seen.
func (t *Trees) grow(ctx context.Context, q *dbsqlc.Queries, realm string, seen auditlog.Checkpoint) (*growth, error) {
	row, err := q.AuditTreeLock(ctx, realm)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrElsewhere
	}
	if err != nil {
		return nil, err
	}
	end, err := q.AuditTreeEnd(ctx, realm)
	if err != nil {
		return nil, err
	}
	g := &growth{Trees: t, q: q, realm: realm, tree: treeOf(row.Size, row.Edge), end: end, sealedBelow: row.SealedBelow, server: row.Server}
	err = g.tree.Check()
	if err != nil {
		return nil, errors.Join(ErrTreeChanged, err)
	}
	if g.tree.Size == 0 && end.Note == "" {
		return g, g.has(ctx, seen)
	}
	g.checkpoint, err = t.signer.Public().Read(realm, end.Note)
	switch {
	case err != nil:
		return nil, errors.Join(ErrTreeChanged, err)
	case g.checkpoint.Size != g.tree.Size || g.checkpoint.Root != g.tree.Root():
		return nil, fmt.Errorf("%w: its %d leaves are not those of the checkpoint of %d", ErrTreeChanged, g.tree.Size, g.checkpoint.Size)
	}
	err = g.has(ctx, seen)
	if err != nil {
		return nil, err
	}
	t.db.HeadSeen(realm, max(g.checkpoint.Head, seen.Head))
	return g, nil
}

// has finds a checkpoint that was seen before among the stored ones. Error: LostError.
func (g *growth) has(ctx context.Context, seen auditlog.Checkpoint) error {
	if seen.Size == 0 || g.checkpoint.Size == seen.Size && g.checkpoint.Root == seen.Root {
		return nil
	}
	note, err := g.q.AuditCheckpointNote(ctx, g.realm, seen.Size)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	stored, err := g.signer.Public().Read(g.realm, note)
	if err != nil || stored.Root != seen.Root {
		return &LostError{Seen: seen, Size: g.tree.Size}
	}
	return nil
}

// unsealed lists rows in the order of the transactions that wrote them. begun is the sweep that ended just now, if one did.
func (g *growth) unsealed(ctx context.Context, begun sweep) ([]store.LeafRow, error) {
	if begun.complete {
		g.sealedBelow, g.server, g.moved = begun.below, g.end.ThisServer, true
	}
	rows, err := g.q.UnsealedList(ctx, g.realm, g.sealedBelow, batch)
	if err != nil {
		return nil, err
	}
	g.sealedBelow, g.moved = g.end.Below, true
	if len(rows) == batch { // the rest of the last one's transaction is yet to be seen
		g.sealedBelow, err = older(g.end.Below, rows[batch-1].WrittenIn)
	}
	found := make([]store.LeafRow, len(rows))
	for i, row := range rows {
		found[i] = store.LeafRow{Kind: auditlog.Kind(row.Kind), RowID: row.RowID}
	}
	return found, err
}

// older is the older one of two transactions.
func older(one, other string) (string, error) {
	first, err := strconv.ParseUint(one, 10, 64)
	if err != nil {
		return "", fmt.Errorf("read the number of a transaction: %w", err)
	}
	second, err := strconv.ParseUint(other, 10, 64)
	if err != nil {
		return "", fmt.Errorf("read the number of a transaction: %w", err)
	}
	return strconv.FormatUint(min(first, second), 10), nil
}

// sweep lists rows that the tree does not have by their keys, events before documents.
func (g *growth) sweep(ctx context.Context, s *sweep) (rows []store.LeafRow, err error) {
	if s.below == "" {
		s.below, s.last.Kind = g.end.Below, auditlog.KindEvent
	}
	page, err := g.q.SweptList(ctx, dbsqlc.SweptListParams{Realm: g.realm, Kind: string(s.last.Kind), After: s.last.RowID, PageSize: batch})
	for _, row := range page {
		s.last = store.LeafRow{Kind: auditlog.Kind(row.Kind), RowID: row.RowID}
		if !row.Sealed {
			rows = append(rows, s.last)
		}
	}
	s.complete = len(page) < batch
	return rows, err
}

// add adds the rows to the tree, signs the checkpoint after them and stores all of it.
func (g *growth) add(ctx context.Context, rows []store.LeafRow, now time.Time) error {
	if len(rows) == 0 {
		if !g.moved {
			return nil
		}
		return g.keep(ctx)
	}
	err := g.addLeaves(ctx, rows)
	if err != nil {
		return err
	}
	checkpoint := auditlog.Checkpoint{
		Realm: g.realm, Size: g.tree.Size, Root: g.tree.Root(), At: now.UTC().Truncate(time.Microsecond),
		Head: max(g.db.NewestHead(g.realm), g.checkpoint.Head),
	}
	signed, err := g.signer.Sign(checkpoint)
	if err != nil {
		return err
	}
	err = g.q.AuditCheckpointInsert(ctx, dbsqlc.AuditCheckpointInsertParams{
		Realm: g.realm, Size: checkpoint.Size, Note: signed, At: checkpoint.At,
	})
	if err != nil {
		return fmt.Errorf("keep the checkpoint: %w", err)
	}
	g.checkpoint, g.end.Note = checkpoint, signed
	return g.keep(ctx)
}

// addLeaves stores the leaves of the rows and the nodes they complete.
func (g *growth) addLeaves(ctx context.Context, rows []store.LeafRow) error {
	leaves, err := store.Leaves(ctx, g.q, g.realm, rows, g.db.TrailKeys())
	if err != nil {
		return err
	}
	added, nodes := dbsqlc.AuditLeafInsertParams{Realm: g.realm}, dbsqlc.AuditNodeInsertParams{Realm: g.realm}
	for _, row := range rows {
		leaf, there := leaves[row.RowID]
		if !there {
			return fmt.Errorf("the %s %s is gone", row.Kind, row.RowID)
		}
		if leaf.Kind != row.Kind {
			g.unverified = append(g.unverified, string(row.Kind)+" "+row.RowID.String())
		}
		hash, seal := leaf.Hash(), g.signer.Seal(auditlog.Place{Realm: g.realm, Index: g.tree.Size, Leaf: leaf})
		added.Indexes, added.Ids = append(added.Indexes, g.tree.Size), append(added.Ids, row.RowID)
		added.Kinds = append(added.Kinds, string(leaf.Kind))
		added.Hashes, added.Seals, added.KeyID = append(added.Hashes, hash[:]), append(added.Seals, seal.MAC[:]), seal.KeyID
		for _, node := range g.tree.Append(hash) {
			nodes.Levels, nodes.Indexes = append(nodes.Levels, int32(node.Level)), append(nodes.Indexes, node.Index) //nolint:gosec // below 64
			nodes.Hashes = append(nodes.Hashes, node.Hash[:])
		}
	}
	err = g.q.AuditLeafInsert(ctx, added)
	if err != nil {
		return fmt.Errorf("keep the leaves: %w", err)
	}
	if len(nodes.Levels) == 0 {
		return nil
	}
	err = g.q.AuditNodeInsert(ctx, nodes)
	if err != nil {
		return fmt.Errorf("keep the nodes: %w", err)
	}
	return nil
}

// keep stores the state of the tree.
func (g *growth) keep(ctx context.Context) error {
	edge := make([][]byte, len(g.tree.Edge))
	for i, hash := range g.tree.Edge {
		edge[i] = hash[:]
	}
	err := g.q.AuditTreeUpdate(ctx, dbsqlc.AuditTreeUpdateParams{
		Realm: g.realm, Size: g.tree.Size, Edge: edge, SealedBelow: g.sealedBelow, Server: g.server,
	})
	if err != nil {
		return fmt.Errorf("keep the tree: %w", err)
	}
	return nil
}
