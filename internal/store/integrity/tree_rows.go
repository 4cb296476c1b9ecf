package integrity

import (
	"context"
	"fmt"
	"math"

	"countersign/internal/auditlog"
	"countersign/internal/keyring"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// Trees lists the trees, of all realms that have one.
func (s *Snapshot) Trees(ctx context.Context) ([]dbsqlc.AuditedTreeListRow, error) {
	trees, err := repeated(ctx, func() ([]dbsqlc.AuditedTreeListRow, error) { return s.q.AuditedTreeList(ctx) })
	if err != nil {
		return nil, fmt.Errorf("read the audit trees: %w", err)
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

// leaves reads the present content of the rows of leaves.
func (s *Snapshot) leaves(ctx context.Context, realm string, rows []dbsqlc.AuditLeaf) ([]AuditedLeaf, error) {
	of := make([]store.LeafRow, len(rows))
	for i, row := range rows {
		of[i] = store.LeafRow{Kind: auditlog.Kind(row.Kind), RowID: row.RowID}
	}
	said, err := store.Leaves(ctx, s.q, realm, of, s.trail)
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
	after := dbsqlc.AuditedNodeListParams{Realm: realm, Level: math.MinInt32, PageSize: auditedPage}
	page := func(dbsqlc.AuditNode) ([]dbsqlc.AuditNode, error) { return s.q.AuditedNodeList(ctx, after) }
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
