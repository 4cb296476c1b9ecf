package integrity

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"countersign/internal/auditlog"
	"countersign/internal/i18n"
	"countersign/internal/keyring"
	"countersign/internal/store/internal/dbsqlc"
)

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
func (a *audit) trees(ctx context.Context) ([]Violation, error) {
	trees, err := a.snapshot.Trees(ctx)
	if err != nil {
		return nil, err
	}
	var found []Violation
	begun, seen := make(map[string]bool), make(map[string]bool)
	for _, tree := range trees {
		seen[tree.Realm] = true
		begun[tree.Realm] = tree.Size > 0 && !tree.Young
		in := treeAudit{audit: a, realm: tree.Realm}
		err = in.run(ctx, tree)
		if err != nil {
			return nil, err
		}
		for _, one := range in.found {
			found = append(found, Violation{Realm: tree.Realm, Table: one.Table, Key: one.Key, What: one.What.String()})
		}
	}
	for _, signed := range a.cfg.Earlier {
		if realm := auditlog.RealmOf(signed); !seen[realm] {
			found = append(found, Violation{Realm: realm, Table: "earlier checkpoint", Key: realm, What: "the realm has no tree any more"})
		}
	}
	unsealed, err := a.snapshot.q.AuditedUnsealedList(ctx, a.sealedBelow)
	a.report.Trees = len(trees)
	return append(found, a.late(unsealed, begun)...), err
}

// late returns the rows that wait too long for their seal, and one violation for a realm without any sealed row.
func (a *audit) late(rows []dbsqlc.AuditedUnsealedListRow, begun map[string]bool) []Violation {
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
				Realm: row.Realm, Table: tableOf(auditlog.Kind(row.Kind)), Key: row.RowID.String(),
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
	earlier     []auditlog.Checkpoint
	checkpoints []auditlog.Checkpoint // those that were signed as they are stored
	found       []Unfit
}

func (t *treeAudit) unfit(table, key string, what i18n.Text) {
	t.found = append(t.found, Unfit{Table: table, Key: key, What: what})
}

// maxGone limits the successive missing leaves that are named one by one. An attacker may have moved one leaf to an index far beyond the
// tree.
const maxGone = 1000

// gone reports the missing leaves from one place up to another.
func (t *treeAudit) gone(from, until int64, what i18n.Text) {
	for last := min(until, from+maxGone); from < last; from++ {
		t.unfit("audit_leaf", strconv.FormatInt(from, 10), what)
	}
	if from < until {
		t.unfit("audit_leaf", fmt.Sprintf("%d to %d", from, until-1), what)
	}
}

func (t *treeAudit) run(ctx context.Context, row dbsqlc.AuditedTreeListRow) error {
	stored := treeOf(row.Size, row.Edge)
	t.nodes, t.roots = make(map[string]auditlog.Hash), make(map[int64]auditlog.Hash)
	t.until = math.MaxInt64
	if row.Leaves == row.Size && row.Newest == row.Size { // leaves and checkpoints beyond its size were added after it was read
		t.until = row.Size
	}
	err := t.start(ctx, row.Size)
	if err == nil {
		err = t.readCheckpoints(ctx)
	}
	if err != nil {
		return err
	}
	next := t.from
	if next == 0 {
		t.audit.archived[t.realm] += 0
	}
	after := t.from - 1
	page := func(AuditedLeaf) ([]AuditedLeaf, error) {
		rows, err := t.snapshot.q.AuditedLeafList(ctx, t.realm, after, auditedPage)
		if err != nil {
			return nil, err
		}
		return t.snapshot.leaves(ctx, t.realm, rows)
	}
	err = eachRow(ctx, "read the leaves", page, func(leaf AuditedLeaf) error {
		after = leaf.Place.Index
		if leaf.Place.Index >= t.until {
			return nil
		}
		t.gone(next, leaf.Place.Index, "this entry is missing")
		next = leaf.Place.Index + 1
		t.leaf(leaf)
		t.report.Leaves++
		return nil
	})
	if err != nil {
		return err
	}
	t.compareRoots()
	err = t.compareHead(ctx)
	if err != nil {
		return err
	}
	newest := t.newest()
	t.gone(next, newest, "this entry is missing, but a checkpoint includes it")
	if newest != stored.Size || newest != t.tree.Size || stored.Check() != nil || stored.Root() != t.tree.Root() {
		t.unfit("audit_tree", t.realm, i18n.Text("leaves recorded: %s, leaves in the tree: %s, leaves covered by the newest checkpoint: "+
			"%s; if the three numbers are equal, the edge hashes of the tree differ").
			With(fmt.Sprint(stored.Size), fmt.Sprint(t.tree.Size), fmt.Sprint(newest)))
	}
	return t.compareNodes(ctx)
}

// newest is the size of the newest checkpoint, or of the one that the check began with.
func (t *treeAudit) newest() int64 {
	if last := len(t.checkpoints) - 1; last >= 0 {
		return t.checkpoints[last].Size
	}
	return t.from
}

// start makes the tree of the checkpoint to begin with. If the stored hashes do not lead to it, every leaf is checked.
func (t *treeAudit) start(ctx context.Context, size int64) error {
	c, found := t.since[t.realm]
	if !found {
		return nil
	}
	tree, err := repeated(ctx, func() (auditlog.Tree, error) { return t.snapshot.hashes(ctx, t.realm).Tree(c.Size) })
	if err != nil && !errors.Is(err, auditlog.ErrBrokenTree) {
		return err
	}
	if err != nil || c.Size > size || tree.Root() != c.Root {
		t.notFrom(c, "; all leaves are looked at")
		return nil
	}
	t.tree, t.from = tree, c.Size
	return nil
}

// notFrom reports a checkpoint that the tree did not grow from.
func (t *treeAudit) notFrom(c auditlog.Checkpoint, then string) {
	t.unfit("earlier checkpoint", fmt.Sprintf("%s %d", t.realm, c.Size), i18n.Data(
		"the tree did not grow from it: it was put back, or made anew, after "+c.At.Format(time.RFC3339)+then))
}

// readCheckpoints reads the checkpoints whose signature fits, and reports the others.
func (t *treeAudit) readCheckpoints(ctx context.Context) error {
	page := func(last dbsqlc.AuditCheckpoint) ([]dbsqlc.AuditCheckpoint, error) {
		return t.snapshot.q.AuditedCheckpointList(ctx, t.realm, max(t.from, last.Size), auditedPage)
	}
	err := eachRow(ctx, "read the checkpoints", page, func(stored dbsqlc.AuditCheckpoint) error {
		if stored.Size > t.until {
			return nil
		}
		t.report.Checkpoints++
		c, err := t.public().Read(t.realm, stored.Note)
		if err == nil && (c.Size != stored.Size || !c.At.Equal(stored.At)) {
			err = errors.New("its size or its time is not that of its row")
		}
		if err != nil {
			t.unfit("audit_checkpoint", strconv.FormatInt(stored.Size, 10), i18n.Text("the checkpoint differs from the one that the gateway "+
				"signed: %s").With(err))
			return nil
		}
		t.checkpoints = append(t.checkpoints, c)
		t.roots[c.Size] = auditlog.Hash{}
		return nil
	})
	for _, signed := range t.cfg.Earlier {
		if auditlog.RealmOf(signed) != t.realm {
			continue
		}
		c, err := t.public().Read(t.realm, signed)
		if err != nil {
			t.unfit("earlier checkpoint", t.realm, i18n.Text("the checkpoint differs from the one that the gateway signed: %s").With(err))
			continue
		}
		t.earlier = append(t.earlier, c)
		t.roots[c.Size] = auditlog.Hash{}
	}
	return err
}

// compareHead reports a head of the realm that is older than that of a checkpoint.
func (t *treeAudit) compareHead(ctx context.Context) error {
	heads, err := t.snapshot.q.HeadListAll(ctx)
	if err != nil {
		return fmt.Errorf("read the heads of the master data: %w", err)
	}
	stored, signed := int64(0), t.since[t.realm].Head
	for _, head := range heads {
		if head.Realm == t.realm {
			stored = head.Number
		}
	}
	for _, c := range slices.Concat(t.checkpoints, t.earlier) {
		signed = max(signed, c.Head)
	}
	if stored < signed {
		t.unfit("realm_head", t.realm, i18n.Text("the realm was reset to change number %s, although a checkpoint had already been signed at "+
			"change number %s").
			With(fmt.Sprint(stored), fmt.Sprint(signed)))
	}
	return nil
}

// leaf compares one leaf with its row and its seal, and adds it to the tree.
func (t *treeAudit) leaf(leaf AuditedLeaf) {
	place := leaf.Place
	kind := place.Leaf.Kind
	archived, what := kind == kind.Archived(), i18n.Text("")
	switch {
	case archived && leaf.Gone:
	case archived:
		what = "the row was moved to an archive as leaf %s but is still in the database"
	case leaf.Gone:
		what = "the row was sealed as leaf %s but is missing"
	case kind == kind.Unverified():
		what = "the row did not match its seal when it was added as leaf %s, so the row was not written by the gateway"
	case place.Leaf.Hash() != leaf.Hash:
		what = "the row no longer matches leaf %s, because the row itself, its change of state, its decision, its makers or its content " +
			"was changed"
	}
	if what != "" {
		t.unfit(tableOf(kind), place.Leaf.RowID.String(), what.With(strconv.FormatInt(place.Index, 10)))
	}
	if archived && t.from == 0 {
		t.audit.archived[t.realm]++
	}
	if !t.signer.Empty() {
		err := t.signer.Check(place, leaf.Hash, leaf.Seal)
		if err != nil {
			what := i18n.Text("the seal of this leaf is not valid because the position, row or hash of the leaf was changed")
			if errors.Is(err, keyring.ErrUnknownKey) {
				what = "this seal cannot be checked because its key is missing from the key file, so restore the key and check again"
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

// compareRoots reports the checkpoints kept elsewhere that the tree did not grow from, and the first stored one that the leaves do not lead
// to; those after it cannot fit either.
func (t *treeAudit) compareRoots() {
	for _, c := range t.earlier {
		if t.roots[c.Size] != c.Root {
			t.notFrom(c, "")
		}
	}
	before := t.from
	for _, c := range t.checkpoints {
		if t.roots[c.Size] != c.Root {
			t.unfit("audit_checkpoint", strconv.FormatInt(c.Size, 10), i18n.Text("the leaves do not lead to the root of the checkpoint, so "+
				"one of the leaves from %s to %s was changed, moved, added or removed").With(fmt.Sprint(before), fmt.Sprint(c.Size-1)))
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
			t.unfit("audit_node", nodeKey(node), "the stored hash differs from the hash of the leaves below this node")
		}
		delete(t.nodes, nodeKey(node))
	}
	for key := range t.nodes {
		t.unfit("audit_node", key, "this entry is missing")
	}
	return nil
}
