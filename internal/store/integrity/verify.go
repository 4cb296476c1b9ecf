package integrity

import (
	"context"
	"fmt"

	"countersign/internal/i18n"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// Verification is the result of a comparison of the trail of a realm with its tree.
type Verification struct {
	Of          int64 // leaves of the newest checkpoint
	Looked      int64 // leaves compared with their rows
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

// Verify compares the trail of a realm with its tree, as the check does, until the context ends. It reads one snapshot with the service's
// own login; rows added meanwhile are left out.
func (t *Trees) Verify(ctx context.Context, realm string) (Verification, error) {
	var v Verification
	err := t.db.InRealm(ctx, realm, store.Frozen, func(q *dbsqlc.Queries) error {
		a := &audit{snapshot: &Snapshot{q: q}, signer: t.signer, archived: map[string]int64{}}
		trees, err := a.snapshot.Trees(ctx)
		if err != nil || len(trees) == 0 {
			return err
		}
		in := treeAudit{audit: a, realm: realm}
		err = in.run(ctx, trees[0])
		v = Verification{Of: in.newest(), Looked: in.tree.Size, Found: in.found[:min(len(in.found), maxUnfit)]}
		for _, c := range in.checkpoints {
			if root, reached := in.roots[c.Size]; reached && root == c.Root {
				v.Checkpoints++
			}
		}
		return err
	})
	if err != nil && ctx.Err() != nil {
		v.Ended, err = true, nil
	}
	if err != nil {
		return Verification{}, fmt.Errorf("verify the audit trail of %s: %w", realm, err)
	}
	return v, nil
}
