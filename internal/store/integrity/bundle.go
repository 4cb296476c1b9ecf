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
	return s.bundleUnder(ctx, seal, newest, message)
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

// bundleUnder is Bundle under a checkpoint: rows after it are left out.
func (s *Snapshot) bundleUnder(ctx context.Context, seal payment.Sealer, newest dbsqlc.AuditCheckpoint, message uuid.UUID) (
	auditlog.Bundle, error,
) {
	realm := newest.Realm
	b := auditlog.Bundle{
		Realm: realm, MessageID: message.String(), Rows: []auditlog.Row{}, Contents: []auditlog.Content{}, Rights: []auditlog.Row{},
		Changes: []auditlog.ChangeContent{}, Grants: []auditlog.GrantRow{}, Checkpoint: newest.Note,
	}
	rows, err := s.q.LeafListOfMessage(ctx, realm, &message)
	if err != nil {
		return b, fmt.Errorf("read the leaves of the message: %w", err)
	}
	rows = slices.DeleteFunc(rows, func(row dbsqlc.AuditLeaf) bool { return row.LeafIndex >= newest.Size })
	waiting, err := s.q.UnsealedCountOfMessage(ctx, realm, &message)
	if err != nil {
		return b, fmt.Errorf("read what is not sealed: %w", err)
	}
	if len(rows) == 0 || waiting > 0 {
		return b, ErrNotSealed
	}
	b.Rows, err = s.proven(ctx, newest.Size, rows)
	if err != nil {
		return b, err
	}
	err = s.rights(ctx, &b, newest.Size, message)
	if err != nil {
		return b, err
	}
	contents, err := s.genuine(ctx, seal, realm, message)
	for _, c := range contents {
		b.Contents = append(b.Contents, auditlog.Content{
			DocumentID: c.Document.DocumentID.String(), Content: c.Document.Content, PayeeName: c.PayeeName, Source: c.Document.Source,
		})
	}
	return b, err
}

// Bundle makes the bundle of a message of a realm, proves it, and returns its file. It reads with the service's own login.
//
// Errors: ErrNotSealed, ErrNotGenuine.
func (t *Trees) Bundle(ctx context.Context, realm string, message uuid.UUID) (file []byte, err error) {
	var bundle auditlog.Bundle
	err = t.db.InRealm(ctx, realm, store.Frozen, func(tx pgx.Tx, q *dbsqlc.Queries) error {
		bundle, err = (&Snapshot{tx: tx, q: q}).Bundle(ctx, t.db.Seal(), realm, message)
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

// genuine checks a message with its decisions and documents against their seals, and returns the documents. Error: ErrNotGenuine.
func (s *Snapshot) genuine(ctx context.Context, seal payment.Sealer, realm string, message uuid.UUID) (
	[]dbsqlc.ContentListOfMessageRow, error,
) {
	m, err := store.In(s.q, seal).Message(ctx, realm, message, store.ForRead)
	if err != nil {
		return nil, fmt.Errorf("read the message: %w", err)
	}
	if m.Withheld != "" {
		return nil, fmt.Errorf("%w: %s", ErrNotGenuine, m.Withheld)
	}
	documents, err := s.q.ContentListOfMessage(ctx, realm, &message)
	if err != nil {
		return nil, fmt.Errorf("read the documents of the message: %w", err)
	}
	for _, row := range documents {
		d := row.Document
		err = seal.CheckStored(store.Kept(d), store.Seal(d.KeyID, d.Mac))
		if err != nil {
			return nil, fmt.Errorf("%w: document %s: %w", ErrNotGenuine, d.DocumentID, err)
		}
	}
	return documents, nil
}

// proven makes the rows of a bundle of leaves, each with its proof.
func (s *Snapshot) proven(ctx context.Context, size int64, rows []dbsqlc.AuditLeaf) ([]auditlog.Row, error) {
	list := []auditlog.Row{}
	if len(rows) == 0 {
		return list, nil
	}
	leaves, err := s.leaves(ctx, rows[0].Realm, rows)
	if err != nil {
		return nil, err
	}
	hashes := s.hashes(ctx, rows[0].Realm)
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

// rights adds the origin of the rights of the message's makers and deciders.
func (s *Snapshot) rights(ctx context.Context, b *auditlog.Bundle, size int64, message uuid.UUID) error {
	people, err := s.q.PeopleOfMessage(ctx, b.Realm, message)
	if err != nil {
		return fmt.Errorf("read who wrote or decided the message: %w", err)
	}
	shown, err := reused(s.repeated.rights, strings.Join(people, " "), func() (shownRights, error) {
		return s.rightsOf(ctx, b.Realm, size, people)
	})
	if err != nil {
		return err
	}
	b.Rights, b.Changes = shown.rows, shown.changes
	return s.grants(ctx, b, message, people)
}

// shownRights are the rows of a bundle about the rights of some people.
type shownRights struct {
	rows    []auditlog.Row
	changes []auditlog.ChangeContent
}

func (s *Snapshot) rightsOf(ctx context.Context, realm string, size int64, people []string) (shownRights, error) {
	rows, err := s.q.LeafListOfRights(ctx, realm, people)
	if err != nil {
		return shownRights{}, fmt.Errorf("read the leaves of their rights: %w", err)
	}
	rows = slices.DeleteFunc(rows, func(row dbsqlc.AuditLeaf) bool { return row.LeafIndex >= size })
	shown := shownRights{changes: []auditlog.ChangeContent{}}
	shown.rows, err = s.proven(ctx, size, rows)
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
}

// repeats caches values that many bundles of an archive need. Without maps nothing is cached.
type repeats struct {
	rights map[string]shownRights
	told   map[string][]auditlog.Hash
	hashes map[string][]auditlog.Hash
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

// grants adds the grants of people that were in force under the heads of the message's moves. A head whose rows differ from the trail has
// none, and the verifier reports the rights as not shown.
func (s *Snapshot) grants(ctx context.Context, b *auditlog.Bundle, message uuid.UUID, people []string) error {
	numbers, err := s.q.HeadsOfMessage(ctx, b.Realm, &message)
	if err != nil {
		return fmt.Errorf("read the heads of the master data of the message: %w", err)
	}
	given, err := s.q.GrantListOfPeople(ctx, b.Realm, people)
	if err != nil {
		return fmt.Errorf("read the grants of makers and deciders: %w", err)
	}
	for _, number := range numbers {
		leaves, err := reused(s.repeated.told, strconv.FormatInt(number, 10), func() ([]auditlog.Hash, error) {
			rows, err := s.q.RowsToldUnder(ctx, b.Realm, number)
			return hashesOf(rows), err
		})
		if err != nil {
			return fmt.Errorf("read the master data of the message: %w", err)
		}
		places := make(map[auditlog.Hash]int, len(leaves))
		for i, leaf := range leaves {
			places[leaf] = i
		}
		first := len(b.Grants)
		for _, grant := range given {
			grant.EndedAt = nil // as it was then
			row := store.Grant(grant)
			if at, there := places[row.Digest()]; there {
				b.Grants = append(b.Grants, auditlog.GrantRow{
					Head: number, Index: int64(at), Record: row.Record(), Proof: auditlog.ProofOf(leaves, at),
				})
			}
		}
		slices.SortFunc(b.Grants[first:], func(a, b auditlog.GrantRow) int { return cmp.Compare(a.Index, b.Index) })
	}
	return nil
}

// hashes reads the tree of a realm.
func (s *Snapshot) hashes(ctx context.Context, realm string) auditlog.Stored {
	return func(level int, from, count int64) ([]auditlog.Hash, error) {
		found, err := reused(s.repeated.hashes, fmt.Sprint(level, from, count), func() ([]auditlog.Hash, error) {
			var rows [][]byte
			var err error
			if level == 0 {
				rows, err = s.q.LeafHashList(ctx, realm, from, from+count)
			} else {
				rows, err = s.q.NodeHashList(ctx, dbsqlc.NodeHashListParams{
					Realm: realm, Level: int32(level), NodeFrom: from, NodeBefore: from + count, //nolint:gosec // a level is below 64
				})
			}
			return hashesOf(rows), err
		})
		if err != nil {
			return nil, fmt.Errorf("read the tree: %w", err)
		}
		return slices.Clone(found), nil // the reader joins them in place
	}
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
	if err != nil {
		return nil, err
	}
	var notes []string
	for _, tree := range trees {
		newest, err := s.q.AuditCheckpointNote(ctx, tree.Realm, tree.Tree.Size)
		if errors.Is(err, pgx.ErrNoRows) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read the checkpoint: %w", err)
		}
		notes = append(notes, newest)
	}
	return notes, nil
}
