package integrity_test

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store/integrity"
	"countersign/internal/store/storetest"
)

// resealed changes the leaves of a bundle and makes a tree and a signed checkpoint of them, as somebody could who has the signing key.
func resealed(t *testing.T, b auditlog.Bundle, change func(string) string) []byte {
	t.Helper()
	var rows []*auditlog.Row
	b.Rows, b.Rights = slices.Clone(b.Rows), slices.Clone(b.Rights)
	for _, list := range [][]auditlog.Row{b.Rights, b.Rows} {
		for i := range list {
			rows = append(rows, &list[i])
		}
	}
	slices.SortFunc(rows, func(a, b *auditlog.Row) int { return int(a.Index - b.Index) })
	var tree auditlog.Tree
	var kept []tlog.Hash
	stored := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		var found []tlog.Hash
		for _, index := range indexes {
			found = append(found, kept[index])
		}
		return found, nil
	})
	for i, row := range rows {
		row.Index, row.Leaf = int64(i), change(row.Leaf)
		hashes, err := tlog.StoredHashes(row.Index, []byte(row.Leaf), stored)
		must(t, err)
		kept = append(kept, hashes...)
		tree.Append(tlog.RecordHash([]byte(row.Leaf)))
	}
	for _, row := range rows {
		proof, err := tlog.ProveRecord(tree.Size, row.Index, stored)
		must(t, err)
		row.Proof = proof
	}
	signer, err := auditlog.NewSigner(storetest.AuditKeys(t))
	must(t, err)
	b.Checkpoint, err = signer.Sign(auditlog.Checkpoint{Realm: b.Realm, Size: tree.Size, Root: tree.Root(), At: time.Unix(1, 0).UTC()})
	must(t, err)
	file, err := b.Encode()
	must(t, err)
	return file
}

// grantOfDecision is the grant of a checker, in the detail of a leaf.
var grantOfDecision = regexp.MustCompile(`\\"granted\\":\[(\{[^]]*\\"role\\":\\"checker\\"[^]]*\})\]`)

// Rights that no two administrators can have given are refused by both programs, even where the tree was signed over them.
func TestABundleWhoseRightsOnePersonGaveIsRefused(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	asked, err := h.Admin.Request(ctx, h.Person(t, "admin1"), service.RequestInput{
		Kind: administration.KindUserRoles, Subject: "checker2", Values: administration.Values{"roles": "checker, maker"},
	})
	must(t, err)
	_, err = h.Admin.Decide(ctx, h.Person(t, "admin2"), service.DecideInput{ChangeID: asked.Change.ID, Approve: true})
	must(t, err)
	h.Clock.Add(time.Second)
	maker := h.Person(t, "checker2")
	bundle, err := auditlog.ParseBundle(bundleOf(t, h, approve(t, h, h.Create(t, maker, rulebook.SchemeSIC))))
	must(t, err)
	one, other := h.Person(t, "admin1").PersonID.String(), h.Person(t, "admin2").PersonID.String()
	whole := resealed(t, bundle, func(leaf string) string { return leaf })
	_, err = proves(t, whole)
	must(t, err)
	// in changes a word where a leaf tells of an event.
	in := func(event, before, after string) func(string) string {
		return func(leaf string) string {
			if strings.Contains(leaf, `"event":"`+event+`"`) {
				return strings.ReplaceAll(leaf, before, after)
			}
			return leaf
		}
	}
	names, changes := []string{"unchanged"}, [][]byte{whole}
	for name, change := range map[string]func(string) string{
		"asked for by who approved":       in("change.request", one, other),
		"asked for by who gains":          in("change.request", one, maker.PersonID.String()),
		"approved by another one":         in("change.approve", other, "00000000-0000-7000-8000-000000000000"),
		"approved at another time":        in("change.approve", `"at":"2026-`, `"at":"2025-`),
		"rights of another change":        in("user.rights", asked.Change.ID.String(), "00000000-0000-7000-8000-000000000000"),
		"rights of no change":             in("user.rights", `\"change\":\"`+asked.Change.ID.String()+`\",`, ""),
		"the operator's, from the portal": in("user.rights", `"channel":"operator"`, `"channel":"portal"`),
		"a decision under another role":   in("user.rights", `\"role\":\"checker\"`, `\"role\":\"supervisor\"`),
		"a decision after its right had ended": func(leaf string) string {
			return grantOfDecision.ReplaceAllString(leaf, `\"granted\":[$1],\"ended\":[$1]`)
		},
		"approved something else": in("change.approve", `"contentHash":"`, `"contentHash":"00`),
	} {
		file := resealed(t, bundle, change)
		_, err := proves(t, file)
		if err == nil {
			t.Errorf("%s: it proves all the same", name)
		}
		names, changes = append(names, name), append(changes, file)
	}
	for i, verdict := range otherProgram(t, changes) {
		if strings.HasPrefix(verdict, "proven") != (i == 0) {
			t.Errorf("%s: the other program says %s", names[i], verdict)
		}
	}
}

// TestNoBundleIsMadeOfAMessageThatNobodyEntered: a superuser plants a payment in the rows of another one, and the trail is signed as it
// stands. The message is withheld, and no bundle is made of it; nor of one whose document or decision was changed.
func TestNoBundleIsMadeOfAMessageThatNobodyEntered(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"another creditor": "UPDATE message_version SET creditor_name = 'Mallory' WHERE message_id = $1",
		"another decider":  "UPDATE decision SET checker_user = (SELECT user_id FROM user_account WHERE realm = 'demo' AND name = 'checker2') WHERE message_id = $1",
		"another document": "UPDATE document SET reference = 'X' || reference WHERE message_id = $1 AND name LIKE 'pacs.002%'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := servicetest.New(t)
			m := settle(t, h, approve(t, h, h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)))
			conn := h.DB.Connect(t)
			_, err := conn.Exec(ctx, "SET session_replication_role = replica")
			must(t, err)
			done, err := conn.Exec(ctx, statement, m.InternalID)
			must(t, err)
			h.Notary.Sweep(ctx)
			s, err := integrity.Open(ctx, h.DB.OwnerURL)
			must(t, err)
			defer s.Close(ctx)
			_, err = s.Bundle(ctx, h.Seal, m.Realm, m.InternalID)
			if done.RowsAffected() == 0 || !errors.Is(err, integrity.ErrNotGenuine) {
				t.Errorf("%d rows changed: %v, want no bundle", done.RowsAffected(), err)
			}
		})
	}
}
