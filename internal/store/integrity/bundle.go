package integrity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/auditlog"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// ErrNotGenuine reports that a row of the message does not match its seal: the gateway did not write it, and its leaf proves nothing.
var ErrNotGenuine = errors.New("the message is withheld: a row of it does not match its seal, and no bundle is made of it; " +
	"run countersign check")

// ErrNotSealed reports that rows of the message wait for their seal, or that there is no such message.
var ErrNotSealed = errors.New("the message is not sealed whole: there is none of this id, or its newest rows wait for their seal")

// Bundle collects the proof of a message: its leaves with their proofs under the newest checkpoint, the bytes of its documents, and the
// origin of the rights of its makers and deciders. The caller adds the public key. seal checks the version, the decisions and the documents
// of the message first: the tree has a leaf of each row that was in the trail, by any writer.
//
// Errors: ErrNotSealed, ErrNotGenuine.
func (s *Snapshot) Bundle(ctx context.Context, seal payment.Sealer, realm string, message uuid.UUID) (auditlog.Bundle, error) {
	newest, err := s.newest(ctx, realm)
	if err != nil {
		return auditlog.Bundle{}, err
	}
	bundles, err := s.bundlesUnder(ctx, seal, newest, []uuid.UUID{message})
	if err != nil {
		return auditlog.Bundle{}, err
	}
	return bundles[0], nil
}

// newest is the newest checkpoint of a realm. Error: ErrNotSealed.
func (s *Snapshot) newest(ctx context.Context, realm string) (dbsqlc.AuditCheckpoint, error) {
	newest, err := s.q.AuditCheckpointNewest(ctx, realm)
	if errors.Is(err, pgx.ErrNoRows) {
		return newest, ErrNotSealed
	}
	if err != nil {
		return newest, fmt.Errorf("read the checkpoint: %w", err)
	}
	return newest, nil
}

// bundlesUnder collects the proofs of messages under a checkpoint, with a few statements for all of them: rows after it are left out.
//
// Errors: ErrNotSealed, ErrNotGenuine.
func (s *Snapshot) bundlesUnder(ctx context.Context, seal payment.Sealer, newest dbsqlc.AuditCheckpoint, messages []uuid.UUID) (
	[]auditlog.Bundle, error,
) {
	realm := newest.Realm
	rows, err := s.rowsOf(ctx, newest, messages)
	if err != nil {
		return nil, err
	}
	acted, err := s.q.ActorListOfMessages(ctx, realm, messages)
	if err != nil {
		return nil, fmt.Errorf("read who wrote or decided messages: %w", err)
	}
	contents, err := s.genuine(ctx, seal, realm, messages)
	if err != nil {
		return nil, err
	}
	bundles := make([]auditlog.Bundle, len(messages))
	for i, id := range messages {
		of := acted[i]
		shown, err := s.rights(ctx, realm, newest.Size, of.People)
		if err != nil {
			return nil, fmt.Errorf("message %s: %w", id, err)
		}
		bundles[i] = auditlog.Bundle{
			Realm: realm, MessageID: id.String(), Rows: rows[id], Contents: contents[id], Rights: shown.rows, Changes: shown.changes,
			Grants: []auditlog.GrantRow{}, Checkpoint: newest.Note,
		}
		for _, head := range of.Heads {
			grants, err := s.grants(ctx, realm, head, of.People)
			if err != nil {
				return nil, fmt.Errorf("message %s: %w", id, err)
			}
			bundles[i].Grants = append(bundles[i].Grants, grants...)
		}
	}
	return bundles, nil
}

// rowsOf returns the rows of messages under a checkpoint, each with its proof. Errors: ErrNotSealed, ErrNotGenuine.
func (s *Snapshot) rowsOf(ctx context.Context, newest dbsqlc.AuditCheckpoint, messages []uuid.UUID) (map[uuid.UUID][]auditlog.Row, error) {
	found, err := s.q.LeafListOfMessages(ctx, messages, newest.Realm)
	if err != nil {
		return nil, fmt.Errorf("read the leaves of messages: %w", err)
	}
	leaves, of := make([]dbsqlc.AuditLeaf, 0, len(found)), make([]uuid.UUID, 0, len(found))
	for _, leaf := range found {
		if leaf.LeafIndex < 0 {
			return nil, fmt.Errorf("message %s: %w", leaf.MessageID, ErrNotSealed)
		}
		if leaf.LeafIndex < newest.Size {
			leaves = append(leaves, dbsqlc.AuditLeaf{
				Realm: newest.Realm, LeafIndex: leaf.LeafIndex, Kind: leaf.Kind, RowID: leaf.RowID, Hash: leaf.Hash,
			})
			of = append(of, leaf.MessageID)
		}
	}
	proven, err := s.proven(ctx, newest.Realm, newest.Size, leaves)
	if err != nil {
		return nil, err
	}
	rows := make(map[uuid.UUID][]auditlog.Row, len(messages))
	for i, row := range proven {
		rows[of[i]] = append(rows[of[i]], row)
	}
	for _, id := range messages {
		if len(rows[id]) == 0 {
			return nil, fmt.Errorf("message %s: %w", id, ErrNotSealed)
		}
	}
	return rows, nil
}

// Bundle makes the bundle of a message of a realm, proves it, and returns its file. It reads with the service's own login.
//
// Errors: ErrNotSealed, ErrNotGenuine.
func (t *Trees) Bundle(ctx context.Context, realm string, message uuid.UUID) (file []byte, err error) {
	var bundle auditlog.Bundle
	err = t.db.InRealm(ctx, realm, store.Frozen, func(q *dbsqlc.Queries) error {
		bundle, err = (&Snapshot{q: q}).Bundle(ctx, t.db.Seal(), realm, message)
		return err
	})
	if err != nil {
		return nil, err
	}
	return bundle.Proven(t.signer.Public())
}

// Bundle is Trees.Bundle by the connections of pages.
func (s *Service) Bundle(ctx context.Context, realm string, message uuid.UUID) ([]byte, error) {
	return s.cfg.Pages.Bundle(ctx, realm, message)
}

// genuine checks messages with their decisions and documents against their seals, and returns the contents of the documents. Error:
// ErrNotGenuine.
func (s *Snapshot) genuine(ctx context.Context, seal payment.Sealer, realm string, messages []uuid.UUID) (
	map[uuid.UUID][]auditlog.Content, error,
) {
	stored, err := store.In(s.q, seal).Messages(ctx, realm, messages, store.ForRead)
	if err == nil && len(stored) < len(messages) {
		err = payment.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read the message: %w", err)
	}
	contents := make(map[uuid.UUID][]auditlog.Content, len(messages))
	for _, m := range stored {
		if m.Withheld != "" {
			return nil, fmt.Errorf("message %s: %w: %s", m.InternalID, ErrNotGenuine, m.Withheld)
		}
		contents[m.InternalID] = []auditlog.Content{}
	}
	documents, err := s.q.ContentListOfMessages(ctx, messages, realm)
	if err != nil {
		return nil, fmt.Errorf("read the documents of messages: %w", err)
	}
	for _, row := range documents {
		d, id := row.Document, store.OrZero(row.Document.MessageID)
		err = seal.CheckStored(store.Kept(d), store.Seal(d.KeyID, d.Mac))
		if err != nil {
			return nil, fmt.Errorf("message %s: %w: document %s: %w", id, ErrNotGenuine, d.DocumentID, err)
		}
		contents[id] = append(contents[id], auditlog.Content{
			DocumentID: d.DocumentID.String(), Content: d.Content, PayeeName: row.PayeeName, Source: d.Source,
		})
	}
	return contents, nil
}

// proven makes the rows of bundles of leaves, each with its proof.
func (s *Snapshot) proven(ctx context.Context, realm string, size int64, rows []dbsqlc.AuditLeaf) ([]auditlog.Row, error) {
	list := make([]auditlog.Row, 0, len(rows))
	leaves, err := s.leaves(ctx, realm, rows)
	if err != nil {
		return nil, err
	}
	hashes := s.hashes(ctx, realm)
	for _, leaf := range leaves {
		kind := leaf.Place.Leaf.Kind
		if leaf.Gone || kind == kind.Unverified() || kind == kind.Archived() || leaf.Place.Leaf.Hash() != leaf.Hash {
			return nil, fmt.Errorf("%w: row %s of the trail", ErrNotGenuine, leaf.Place.Leaf.RowID)
		}
		proof, err := hashes.Proof(size, leaf.Place.Index)
		if err != nil {
			return nil, err
		}
		list = append(list, auditlog.Row{Index: leaf.Place.Index, Leaf: string(leaf.Place.Leaf.Data), Proof: proof})
	}
	return list, nil
}

// shownRights are the rows of a bundle about the rights of some people.
type shownRights struct {
	rows    []auditlog.Row
	changes []auditlog.ChangeContent
}

// rights returns the origin of the rights of people.
func (s *Snapshot) rights(ctx context.Context, realm string, size int64, people []string) (shownRights, error) {
	return reused(s.repeated.rights, strings.Join(people, " "), func() (shownRights, error) {
		rows, err := s.q.LeafListOfRights(ctx, realm, people)
		if err != nil {
			return shownRights{}, fmt.Errorf("read the leaves of their rights: %w", err)
		}
		rows = slices.DeleteFunc(rows, func(row dbsqlc.AuditLeaf) bool { return row.LeafIndex >= size })
		shown := shownRights{changes: []auditlog.ChangeContent{}}
		shown.rows, err = s.proven(ctx, realm, size, rows)
		if err != nil {
			return shown, err
		}
		events := make([]uuid.UUID, len(rows))
		for i, row := range rows {
			events[i] = row.RowID
		}
		changes, err := s.q.ChangeContentListOfRights(ctx, realm, events)
		for _, c := range changes {
			shown.changes = append(shown.changes, auditlog.ChangeContent{ChangeID: c.ChangeID.String(), Content: c.Content})
		}
		return shown, err
	})
}

// repeats caches values that many bundles of an archive need. Without maps nothing is cached.
type repeats struct {
	rights map[string]shownRights
	told   map[string][]auditlog.Hash
	grants map[string][]auditlog.GrantRow
}

func newRepeats() repeats {
	return repeats{rights: map[string]shownRights{}, told: map[string][]auditlog.Hash{}, grants: map[string][]auditlog.GrantRow{}}
}

// maxRepeats limits the values of each map.
const maxRepeats = 1000

// reused returns a cached value, or reads it.
func reused[V any](values map[string]V, key string, read func() (V, error)) (V, error) {
	value, there := values[key]
	if there {
		return value, nil
	}
	value, err := read()
	if err == nil && values != nil {
		if len(values) >= maxRepeats {
			clear(values)
		}
		values[key] = value
	}
	return value, err
}

// grants returns the grants of people that were in force under a head. A head whose rows differ from the trail has none, and the verifier
// reports the rights as not shown.
func (s *Snapshot) grants(ctx context.Context, realm string, head int64, people []string) ([]auditlog.GrantRow, error) {
	number := strconv.FormatInt(head, 10)
	return reused(s.repeated.grants, number+" "+strings.Join(people, " "), func() ([]auditlog.GrantRow, error) {
		given, err := s.q.GrantListOfPeople(ctx, realm, people)
		if err != nil {
			return nil, fmt.Errorf("read the grants of makers and deciders: %w", err)
		}
		leaves, err := reused(s.repeated.told, number, func() ([]auditlog.Hash, error) {
			rows, err := s.q.RowsToldUnder(ctx, realm, head)
			return hashesOf(rows), err
		})
		if err != nil {
			return nil, fmt.Errorf("read the master data of messages: %w", err)
		}
		var grants []auditlog.GrantRow
		for _, grant := range given {
			grant.EndedAt = nil // as it was then
			row := store.Grant(grant)
			if at := slices.Index(leaves, row.Digest()); at >= 0 {
				grants = append(grants, auditlog.GrantRow{Head: head, Index: int64(at), Record: row.Record(), Proof: auditlog.ProofOf(leaves, at)})
			}
		}
		slices.SortFunc(grants, func(a, b auditlog.GrantRow) int { return cmp.Compare(a.Index, b.Index) })
		return grants, nil
	})
}

// hashes reads the tree of a realm.
func (s *Snapshot) hashes(ctx context.Context, realm string) *auditlog.Stored {
	return auditlog.NewStored(func(level int, from, count int64) ([]auditlog.Hash, error) {
		var rows [][]byte
		var err error
		if level == 0 {
			rows, err = s.q.LeafHashList(ctx, realm, from, from+count)
		} else {
			rows, err = s.q.NodeHashList(ctx, dbsqlc.NodeHashListParams{
				Realm: realm, Level: int32(level), NodeFrom: from, NodeBefore: from + count, //nolint:gosec // a level is below 64
			})
		}
		if err != nil {
			return nil, fmt.Errorf("read the tree: %w", err)
		}
		return hashesOf(rows), nil
	})
}

func hashesOf(rows [][]byte) []auditlog.Hash {
	hashes := make([]auditlog.Hash, len(rows))
	for i, row := range rows {
		hashes[i] = hashOf(row)
	}
	return hashes
}

// Checkpoints returns the newest signed checkpoint of each realm that has one.
func (s *Snapshot) Checkpoints(ctx context.Context) ([]string, error) {
	trees, err := s.Trees(ctx)
	var notes []string
	for _, tree := range trees {
		if tree.Note != "" {
			notes = append(notes, tree.Note)
		}
	}
	return notes, err
}
