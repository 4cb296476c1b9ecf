package integrity

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/auditlog"
	"countersign/internal/i18n"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// Verification is the result of a comparison of the trail of a realm with its tree.
type Verification struct {
	Of          int64 // leaves of the newest checkpoint
	Looked      int64 // leaves held against their rows
	Checkpoints int   // whose signature and root fit
	Found       []Unfit
	// Ended: the time was up before all was looked at.
	Ended bool
}

// Unfit is a row that differs from its seal.
type Unfit struct {
	Table, Key string
	What       i18n.Text
}

// maxUnfit limits the rows that are named; countersign check names all.
const maxUnfit = 100

// verifyPage is the number of leaves of one transaction.
const verifyPage = 500

// Verify compares every row of a realm's trail with its leaf, the leaves with the signed roots, and the signatures with the keys, until the
// context ends. Each page is a transaction of its own, so that it blocks nothing; rows added meanwhile are left out.
func (t *Trees) Verify(ctx context.Context, realm string) (Verification, error) {
	v := verification{trees: t, realm: realm, roots: map[int64]auditlog.Hash{}}
	err := v.checkpoints(ctx)
	for err == nil && v.result.Looked < v.result.Of {
		err = v.page(ctx)
	}
	if err != nil && ctx.Err() != nil {
		v.result.Ended, err = true, nil
	}
	if err != nil {
		return Verification{}, fmt.Errorf("verify the audit trail of %s: %w", realm, err)
	}
	return v.result, nil
}

type verification struct {
	trees  *Trees
	realm  string
	tree   auditlog.Tree
	roots  map[int64]auditlog.Hash // that were signed, by the size they are of
	result Verification
}

func (v *verification) unfit(table, key string, what i18n.Text) {
	if len(v.result.Found) < maxUnfit {
		v.result.Found = append(v.result.Found, Unfit{Table: table, Key: key, What: what})
	}
}

// checkpoints reads the signed checkpoints.
func (v *verification) checkpoints(ctx context.Context) error {
	after := int64(-1)
	for {
		var rows []dbsqlc.AuditCheckpoint
		err := v.trees.db.InRealm(ctx, v.realm, store.Reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
			var err error
			rows, err = q.AuditedCheckpointList(ctx, v.realm, after, verifyPage)
			return err
		})
		if err != nil {
			return err
		}
		for _, row := range rows {
			after = row.Size
			c, err := v.trees.signer.Public().Read(v.realm, row.Note)
			if err == nil && c.Size != row.Size {
				err = errors.New("its size is not that of its row")
			}
			if err != nil {
				v.unfit("audit_checkpoint", strconv.FormatInt(row.Size, 10), i18n.Text("was not signed by the gateway as it is: %s").With(err))
				continue
			}
			v.roots[c.Size], v.result.Of = c.Root, max(v.result.Of, c.Size)
		}
		if len(rows) < verifyPage {
			return nil
		}
	}
}

// page checks the next leaves.
func (v *verification) page(ctx context.Context) error {
	var rows []dbsqlc.AuditLeaf
	var said map[uuid.UUID]auditlog.Leaf
	err := v.trees.db.InRealm(ctx, v.realm, store.Reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		var err error
		rows, err = q.AuditedLeafList(ctx, v.realm, v.tree.Size-1, verifyPage)
		if err != nil {
			return err
		}
		said, err = store.Leaves(ctx, q, v.realm, store.LeafRowsOf(rows), nil)
		return err
	})
	if err != nil {
		return err
	}
	for _, row := range rows {
		if v.result.Looked >= v.result.Of {
			return nil
		}
		if row.LeafIndex != v.tree.Size {
			v.unfit("audit_leaf", strconv.FormatInt(v.tree.Size, 10), "is gone; the leaves after it cannot be proven")
			v.result.Of = v.result.Looked
			return nil
		}
		v.leaf(row, said)
	}
	if len(rows) == 0 {
		v.unfit("audit_leaf", strconv.FormatInt(v.tree.Size, 10), "is gone, and a checkpoint has it")
		v.result.Of = v.result.Looked
	}
	return nil
}

// leaf compares one leaf with its row and its seal, and the tree up to it with the signed root.
func (v *verification) leaf(row dbsqlc.AuditLeaf, said map[uuid.UUID]auditlog.Leaf) {
	table := tableOf(auditlog.Kind(row.Kind))
	leaf, there := said[row.RowID]
	leaf.Kind, leaf.RowID = auditlog.Kind(row.Kind), row.RowID
	hash := hashOf(row.Hash)
	archived := leaf.Kind == leaf.Kind.Archived()
	switch {
	case archived && !there:
	case archived:
		v.unfit(table, row.RowID.String(), "left with an archive, and is there")
	case !there:
		v.unfit(table, row.RowID.String(), "was sealed, and is gone")
	case leaf.Kind == leaf.Kind.Unverified():
		v.unfit(table, row.RowID.String(), "did not fit its seal when it was taken up: the gateway did not write it")
	case leaf.Hash() != hash:
		v.unfit(table, row.RowID.String(), "differs from its leaf: the row was changed, or a row that belongs to it")
	}
	place := auditlog.Place{Realm: v.realm, Index: row.LeafIndex, Leaf: leaf}
	if v.trees.signer.Check(place, hash, store.Seal(row.KeyID, row.Seal)) != nil {
		v.unfit("audit_leaf", strconv.FormatInt(row.LeafIndex, 10), "its seal does not fit: its place, its row or its hash was changed")
	}
	v.tree.Append(hash)
	v.result.Looked = v.tree.Size
	root, signed := v.roots[v.tree.Size]
	switch {
	case !signed:
	case root == v.tree.Root():
		v.result.Checkpoints++
	default:
		v.unfit("audit_checkpoint", strconv.FormatInt(v.tree.Size, 10), "the leaves do not lead to its root")
	}
}
