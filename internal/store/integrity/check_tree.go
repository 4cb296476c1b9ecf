package integrity

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"countersign/internal/auditlog"
	"countersign/internal/keyring"
	"countersign/internal/store/internal/dbsqlc"
)

const treeSealed = "the audit trail, the history, the decisions and the documents are the sealed ones, whole and in their order, " +
	"up to the newest checkpoint"

// sealedWithin is the age from which an unsealed row is a violation: far above the delay of the gateway.
const sealedWithin = time.Minute

// tableOf returns the table of the row of a leaf.
func tableOf(kind auditlog.Kind) string {
	if kind.OfEvent() {
		return "audit_event"
	}
	return "document"
}

// trees compares the hash tree of each realm with its rows and its checkpoints.
func (a *audit) trees(ctx context.Context) error {
	trees, err := a.snapshot.Trees(ctx)
	if err != nil {
		return err
	}
	if len(a.public()) == 0 {
		if len(trees) > 0 {
			a.skip("I30", treeSealed, auditKeys)
		}
		return nil
	}
	var found []Violation
	begun, seen := make(map[string]bool), make(map[string]bool)
	for _, tree := range trees {
		seen[tree.Realm] = true
		begun[tree.Realm] = tree.Tree.Size > 0 && !tree.Young
		in := treeAudit{audit: a, realm: tree.Realm, nodes: make(map[string]auditlog.Hash)}
		err = in.run(ctx, tree)
		if err != nil {
			return err
		}
		found = append(found, in.found...)
	}
	for _, signed := range a.cfg.Earlier {
		if realm := auditlog.RealmOf(signed); !seen[realm] {
			found = append(found, Violation{Realm: realm, Table: "earlier checkpoint", Key: realm, What: "the realm has no tree any more"})
		}
	}
	unsealed, err := a.snapshot.Unsealed(ctx, a.sealedBelow)
	if err != nil {
		return err
	}
	a.report.Trees = len(trees)
	a.conclude("I30", treeSealed, append(found, a.unsealed(unsealed, begun)...))
	return nil
}

// unsealed returns the rows that wait too long for their seal, and one violation for a realm without any sealed row.
func (a *audit) unsealed(rows []Unsealed, begun map[string]bool) []Violation {
	var found []Violation
	told := make(map[string]bool)
	for _, row := range rows {
		age := a.cfg.Now.Sub(row.At)
		switch {
		case age.Abs() <= sealedWithin:
			a.report.Unsealed++
		case !begun[row.Realm] && !told[row.Realm]:
			told[row.Realm] = true
			found = append(found, Violation{
				Realm: row.Realm, Table: "audit_tree", Key: row.Realm,
				What: "its rows of before are not all sealed yet: run the gateway with COUNTERSIGN_AUDIT_KEY_FILE, and check again",
			})
		case begun[row.Realm]:
			found = append(found, Violation{
				Realm: row.Realm, Table: row.Table, Key: row.ID.String(),
				What: "is not sealed: it was written past the gateway, or the gateway does not seal",
			})
		}
	}
	return found
}

// treeAudit checks the tree of one realm.
type treeAudit struct {
	*audit
	realm string
	from  int64                    // the first leaf that is looked at
	until int64                    // leaves and checkpoints from here on were added meanwhile
	tree  auditlog.Tree            // as the leaves make it
	roots map[int64]auditlog.Hash  // of the sizes that have a checkpoint
	nodes map[string]auditlog.Hash // as the leaves make them
	// earlier are the checkpoints of this realm that were kept elsewhere.
	earlier []auditlog.Checkpoint
	found   []Violation
}

func (t *treeAudit) unfit(table, key, what string) {
	t.found = append(t.found, Violation{Realm: t.realm, Table: table, Key: key, What: what})
}

// maxGone limits the successive missing leaves that are named one by one. An attacker may have moved one leaf to an index far beyond the
// tree.
const maxGone = 1000

// gone reports the missing leaves from one place up to another.
func (t *treeAudit) gone(from, until int64, what string) {
	for last := min(until, from+maxGone); from < last; from++ {
		t.unfit("audit_leaf", strconv.FormatInt(from, 10), what)
	}
	if from < until {
		t.unfit("audit_leaf", fmt.Sprintf("%d to %d", from, until-1), what)
	}
}

func (t *treeAudit) run(ctx context.Context, stored AuditedTree) error {
	err := t.start(ctx, stored)
	if err != nil {
		return err
	}
	checkpoints, err := t.checkpoints(ctx)
	if err != nil {
		return err
	}
	next := t.from
	if next == 0 {
		t.audit.archived[t.realm] += 0
	}
	err = t.snapshot.EachLeaf(ctx, t.realm, t.from, func(leaf AuditedLeaf) error {
		if leaf.Place.Index >= t.until {
			return nil
		}
		t.gone(next, leaf.Place.Index, "is gone")
		next = leaf.Place.Index + 1
		t.leaf(leaf)
		t.report.Leaves++
		return nil
	})
	if err != nil {
		return err
	}
	t.compareRoots(checkpoints)
	t.compareEarlier()
	err = t.compareHead(ctx, append(append(checkpoints, t.earlier...), t.since[t.realm]))
	if err != nil {
		return err
	}
	newest := t.from
	if len(checkpoints) > 0 {
		newest = checkpoints[len(checkpoints)-1].Size
	}
	t.gone(next, newest, "is gone, and a checkpoint has it")
	if newest != stored.Tree.Size || newest != t.tree.Size || stored.Tree.Check() != nil || stored.Tree.Root() != t.tree.Root() {
		t.unfit("audit_tree", t.realm, fmt.Sprintf(
			"says %d leaves, there are %d, and the newest checkpoint is of %d; or its edge is another one", stored.Tree.Size, t.tree.Size, newest,
		))
	}
	return t.compareNodes(ctx)
}

// start makes the tree of the checkpoint to begin with. If the stored hashes do not lead to it, every leaf is checked.
func (t *treeAudit) start(ctx context.Context, stored AuditedTree) error {
	t.until = math.MaxInt64
	if stored.Whole {
		t.until = stored.Tree.Size
	}
	c, found := t.since[t.realm]
	if !found {
		return nil
	}
	tree, err := repeated(ctx, func() (auditlog.Tree, error) { return t.snapshot.hashes(ctx, t.realm).Tree(c.Size) })
	if err != nil && !errors.Is(err, auditlog.ErrBrokenTree) {
		return err
	}
	if err != nil || c.Size > stored.Tree.Size || tree.Root() != c.Root {
		t.unfit("earlier checkpoint", fmt.Sprintf("%s %d", t.realm, c.Size), "the tree did not grow from it: it was put back, or made anew, "+
			"after "+c.At.Format(time.RFC3339)+"; all leaves are looked at")
		return nil
	}
	t.tree, t.from = tree, c.Size
	return nil
}

// checkpoints reads the checkpoints whose signature fits; the others are named.
func (t *treeAudit) checkpoints(ctx context.Context) ([]auditlog.Checkpoint, error) {
	var checkpoints []auditlog.Checkpoint
	t.roots = make(map[int64]auditlog.Hash)
	after := t.from
	page := func() ([]dbsqlc.AuditCheckpoint, error) {
		return t.snapshot.q.AuditedCheckpointList(ctx, t.realm, after, auditedPage)
	}
	err := eachRow(ctx, "read the checkpoints", page, func(stored dbsqlc.AuditCheckpoint) error {
		after = stored.Size
		if stored.Size > t.until {
			return nil
		}
		t.report.Checkpoints++
		c, err := t.public().Read(t.realm, stored.Note)
		if err == nil && (c.Size != stored.Size || !c.At.Equal(stored.At)) {
			err = errors.New("its size or its time is not that of its row")
		}
		if err != nil {
			t.unfit("audit_checkpoint", strconv.FormatInt(stored.Size, 10), "was not signed by the gateway as it is: "+err.Error())
			return nil
		}
		checkpoints = append(checkpoints, c)
		t.roots[c.Size] = auditlog.Hash{}
		return nil
	})
	for _, signed := range t.cfg.Earlier {
		if auditlog.RealmOf(signed) != t.realm {
			continue
		}
		c, err := t.public().Read(t.realm, signed)
		if err != nil {
			t.unfit("earlier checkpoint", t.realm, "was not signed by the gateway as it is: "+err.Error())
			continue
		}
		t.earlier = append(t.earlier, c)
		t.roots[c.Size] = auditlog.Hash{}
	}
	return checkpoints, err
}

// compareEarlier reports checkpoints stored elsewhere that the tree did not grow from.
func (t *treeAudit) compareEarlier() {
	for _, c := range t.earlier {
		if t.roots[c.Size] != c.Root {
			t.unfit("earlier checkpoint", fmt.Sprintf("%s %d", t.realm, c.Size), "the tree did not grow from it: it was put back, "+
				"or made anew, after "+c.At.Format(time.RFC3339))
		}
	}
}

// compareHead reports a head of the realm that is older than that of a checkpoint.
func (t *treeAudit) compareHead(ctx context.Context, checkpoints []auditlog.Checkpoint) error {
	heads, err := t.snapshot.q.HeadListAll(ctx)
	if err != nil {
		return fmt.Errorf("read the heads of the master data: %w", err)
	}
	stored, signed := int64(0), int64(0)
	for _, head := range heads {
		if head.Realm == t.realm {
			stored = head.Number
		}
	}
	for _, c := range checkpoints {
		signed = max(signed, c.Head)
	}
	if stored < signed {
		t.unfit("realm_head", t.realm, fmt.Sprintf("was put back to change %d: a checkpoint was signed under change %d", stored, signed))
	}
	return nil
}

// leaf compares one leaf with its row and its seal, and adds it to the tree.
func (t *treeAudit) leaf(leaf AuditedLeaf) {
	place := leaf.Place
	key, table := place.Leaf.RowID.String(), tableOf(place.Leaf.Kind)
	archived := place.Leaf.Kind == place.Leaf.Kind.Archived()
	switch {
	case archived && leaf.Gone:
	case archived:
		t.unfit(table, key, fmt.Sprintf("left with an archive as leaf %d, and is there", place.Index))
	case leaf.Gone:
		t.unfit(table, key, fmt.Sprintf("was sealed as leaf %d, and is gone", place.Index))
	case place.Leaf.Kind == place.Leaf.Kind.Unverified():
		t.unfit(table, key, fmt.Sprintf("did not fit its seal when it was taken up as leaf %d: the gateway did not write it", place.Index))
	case place.Leaf.Hash() != leaf.Hash:
		t.unfit(table, key, fmt.Sprintf("differs from leaf %d: the row was changed, or a row that belongs to it (the move in the "+
			"history, the decision, the makers; the content of a document)", place.Index))
	}
	if archived && t.from == 0 {
		t.audit.archived[t.realm]++
	}
	if !t.cfg.AuditKeys.Empty() {
		err := t.signer.Check(place, leaf.Hash, leaf.Seal)
		if err != nil {
			what := "its seal does not fit: its place, its row or its hash was changed"
			if errors.Is(err, keyring.ErrUnknownKey) {
				what = "the key of its seal is not in the key file: bring the key back and check again"
			}
			t.unfit("audit_leaf", strconv.FormatInt(place.Index, 10), what)
		}
	}
	for _, node := range t.tree.Append(leaf.Hash) {
		t.nodes[nodeKey(node)] = node.Hash
	}
	if _, wanted := t.roots[t.tree.Size]; wanted {
		t.roots[t.tree.Size] = t.tree.Root()
	}
}

func nodeKey(node auditlog.Node) string { return fmt.Sprintf("%d %d", node.Level, node.Index) }

// compareRoots reports the first checkpoint that the leaves do not lead to; those after it cannot fit either.
func (t *treeAudit) compareRoots(checkpoints []auditlog.Checkpoint) {
	before := t.from
	for _, c := range checkpoints {
		if t.roots[c.Size] != c.Root {
			t.unfit("audit_checkpoint", strconv.FormatInt(c.Size, 10), fmt.Sprintf(
				"the leaves do not lead to its root: one of the leaves from %d to %d was changed, moved, added or taken away", before, c.Size-1))
			return
		}
		before = c.Size
	}
}

// compareNodes compares the stored nodes with the leaves.
func (t *treeAudit) compareNodes(ctx context.Context) error {
	nodes, err := t.snapshot.Nodes(ctx, t.realm, t.from)
	if err != nil {
		return err
	}
	grown, err := t.snapshot.q.AuditTreeSize(ctx, t.realm)
	if err != nil {
		return fmt.Errorf("read how far the tree is: %w", err)
	}
	for _, node := range nodes {
		if node.Until() > t.until && node.Until() <= grown {
			continue // was added meanwhile
		}
		if t.nodes[nodeKey(node)] != node.Hash {
			t.unfit("audit_node", nodeKey(node), "differs from the hash of the leaves below it")
		}
		delete(t.nodes, nodeKey(node))
	}
	for key := range t.nodes {
		t.unfit("audit_node", key, "is gone")
	}
	return nil
}
