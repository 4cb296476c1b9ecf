package integrity

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/keyring"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// AuditedTree is the stored tree of a realm.
type AuditedTree struct {
	Realm string
	Tree  auditlog.Tree
	// Young: rows of before are still being taken up.
	Young bool
	// Whole: leaves and checkpoints reach as far as the tree, so that those beyond its size were added after it was read.
	Whole bool
	// SealedBelow is the transaction of this server up to which all rows are in the tree; "0" for none.
	SealedBelow string
}

// Trees lists the trees, of all realms that have one.
func (s *Snapshot) Trees(ctx context.Context) ([]AuditedTree, error) {
	rows, err := repeated(ctx, func() ([]dbsqlc.AuditedTreeListRow, error) { return s.q.AuditedTreeList(ctx) })
	if err != nil {
		return nil, fmt.Errorf("read the audit trees: %w", err)
	}
	trees := make([]AuditedTree, len(rows))
	for i, row := range rows {
		trees[i] = AuditedTree{
			Realm: row.Realm, Young: row.Young, Tree: treeOf(row.Size, row.Edge), SealedBelow: row.SealedBelow,
			Whole: row.Leaves == row.Size && row.Newest == row.Size,
		}
	}
	return trees, nil
}

func treeOf(size int64, edge [][]byte) auditlog.Tree {
	tree := auditlog.Tree{Size: size}
	for _, hash := range edge {
		tree.Edge = append(tree.Edge, hashOf(hash))
	}
	return tree
}

func hashOf(column []byte) (hash auditlog.Hash) {
	copy(hash[:], column)
	return hash
}

// AuditedLeaf is a leaf as it is stored.
type AuditedLeaf struct {
	Place auditlog.Place // with no data where the row is gone
	Gone  bool
	Hash  auditlog.Hash // as it is stored
	Seal  keyring.Seal
}

// EachLeaf calls look for every leaf of a realm in order, from one on, with the present content of its row.
func (s *Snapshot) EachLeaf(ctx context.Context, realm string, from int64, look func(AuditedLeaf) error) error {
	after := from - 1
	page := func() ([]AuditedLeaf, error) {
		rows, err := s.q.AuditedLeafList(ctx, realm, after, auditedPage)
		if err != nil {
			return nil, err
		}
		return s.leaves(ctx, realm, rows)
	}
	return eachRow(ctx, "read the leaves", page, func(leaf AuditedLeaf) error {
		after = leaf.Place.Index
		return look(leaf)
	})
}

// leaves reads the present content of the rows of leaves.
func (s *Snapshot) leaves(ctx context.Context, realm string, rows []dbsqlc.AuditLeaf) ([]AuditedLeaf, error) {
	said, err := store.Leaves(ctx, s.q, realm, store.LeafRowsOf(rows), s.trail)
	if err != nil {
		return nil, err
	}
	found := make([]AuditedLeaf, len(rows))
	for i, row := range rows {
		leaf, there := said[row.RowID]
		leaf.Kind, leaf.RowID = auditlog.Kind(row.Kind), row.RowID
		found[i] = AuditedLeaf{
			Place: auditlog.Place{Realm: realm, Index: row.LeafIndex, Leaf: leaf}, Gone: !there, Hash: hashOf(row.Hash),
			Seal: store.Seal(row.KeyID, row.Seal),
		}
	}
	return found, nil
}

// Nodes lists the stored nodes of a realm, without those of the tree of an earlier size.
func (s *Snapshot) Nodes(ctx context.Context, realm string, from int64) ([]auditlog.Node, error) {
	var nodes []auditlog.Node
	after := dbsqlc.AuditedNodeListParams{Realm: realm, Level: -1, PageSize: auditedPage}
	page := func() ([]dbsqlc.AuditNode, error) { return s.q.AuditedNodeList(ctx, after) }
	err := eachRow(ctx, "read the nodes", page, func(row dbsqlc.AuditNode) error {
		after.Level, after.NodeIndex = row.Level, row.NodeIndex
		node := auditlog.Node{Level: int(row.Level), Index: row.NodeIndex, Hash: hashOf(row.Hash)}
		if until := node.Until(); until <= 0 || until > from {
			nodes = append(nodes, node)
		}
		return nil
	})
	return nodes, err
}

// Unsealed is a row that no tree has.
type Unsealed struct {
	Realm, Table string
	ID           uuid.UUID
	At           time.Time
	Forged       bool // it does not fit its seal
}

// Unsealed lists the rows without a leaf, written by transactions of this server from one on; "0" for all.
func (s *Snapshot) Unsealed(ctx context.Context, writtenFrom string) ([]Unsealed, error) {
	rows, err := repeated(ctx, func() ([]dbsqlc.AuditedUnsealedListRow, error) { return s.q.AuditedUnsealedList(ctx, writtenFrom) })
	if err != nil {
		return nil, fmt.Errorf("read what is not sealed: %w", err)
	}
	found := make([]Unsealed, len(rows))
	for i, row := range rows {
		found[i] = Unsealed{Realm: row.Realm, Table: row.Relation, ID: row.RowID, At: row.At.UTC()}
	}
	for rest := found; len(rest) > 0 && err == nil; {
		same := slices.IndexFunc(rest, func(u Unsealed) bool { return u.Realm != rest[0].Realm })
		if same < 0 {
			same = len(rest)
		}
		same = min(same, auditedPage)
		err = s.forged(ctx, rest[:same])
		rest = rest[same:]
	}
	return found, err
}

// forged marks those of a realm's rows that do not fit their seal.
func (s *Snapshot) forged(ctx context.Context, rows []Unsealed) error {
	of := make([]store.LeafRow, len(rows))
	for i, row := range rows {
		of[i] = store.LeafRow{Kind: auditlog.KindEvent, RowID: row.ID}
		if row.Table == "document" {
			of[i].Kind = auditlog.KindDocument
		}
	}
	leaves, err := store.Leaves(ctx, s.q, rows[0].Realm, of, s.trail.Strict())
	for i, row := range rows {
		kind := leaves[row.ID].Kind
		rows[i].Forged = kind == kind.Unverified()
	}
	return err
}
