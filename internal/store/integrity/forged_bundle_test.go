package integrity_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/demo"
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
	// The signing key proves a false statement too, as docs/security.md says: an approval by another name.
	_, err = proves(t, resealed(t, bundle, func(leaf string) string { return strings.ReplaceAll(leaf, "Checker 1", "Mallory") }))
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
		"rights that were not verified": in("user.rights", "countersign event 1", "countersign unverified event 1"),
		"moves that were not verified":  in("instruction.approve", "countersign event 1", "countersign unverified event 1"),
		"approved something else":       in("change.approve", `"contentHash":"`, `"contentHash":"00`),
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
		"another decider": "UPDATE decision SET checker_user = (SELECT user_id FROM user_account WHERE realm = 'demo' AND name = 'checker2') " +
			"WHERE message_id = $1",
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

// TestWhatTheGatewayDidNotWriteIsSignedAsUnverified: rows planted beside the running gateway with the login of the service, under seals of
// other rows, get leaves that say so, with an alarm. No bundle is made of them, and the check names them.
func TestWhatTheGatewayDidNotWriteIsSignedAsUnverified(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		statements []string // $1 is a settled payment, $2 one that waits, $3 the id of a new one
		about      int      // the payment that no bundle is made of; 0 for none
	}{
		"a payment that nobody made": {about: 3},
		"a withdrawal in somebody's name": {about: 2, statements: []string{
			`INSERT INTO message_history (realm, message_id, sequence, kind, from_state, action, to_state, previous_sequence, version, actor_user,
				actor_person, actor_name, client_id, channel, at)
				SELECT realm, message_id, 2, kind, to_state, 'withdraw', 'Withdrawn', 1, version, actor_user, actor_person, actor_name, client_id,
				channel, at FROM message_history WHERE message_id::text = $2 AND $1 <> $3`,
			`INSERT INTO audit_event (realm, event_id, message_id, sequence, event, actor_user, actor_person, actor_name, client_id, channel,
				content_hash, detail, at, key_id, seal)
				SELECT realm, move_event(message_id, 2), message_id, 2, 'instruction.withdraw', actor_user, actor_person, actor_name, client_id,
				channel, content_hash, '{"from":"Approval Pending","to":"Withdrawn"}', at, key_id, seal
				FROM audit_event WHERE message_id::text = $2 AND $1 <> $3`,
			"UPDATE message SET state = 'Withdrawn', state_sequence = 2 WHERE message_id::text = $2 AND $1 <> $3",
		}},
		"a document that clearing did not send": {statements: []string{
			`INSERT INTO document (realm, document_id, message_id, scheme, direction, name, reference, content, content_hash, created_at, key_id,
				mac) SELECT realm, $3::uuid, message_id, scheme, direction, name, reference || 'b', content || ' ', sha256(content || ' '),
				created_at, key_id, mac FROM document WHERE message_id::text = $1 AND direction = 'in' AND $2 <> $3 LIMIT 1`,
		}},
		"a right that nobody gave": {statements: []string{
			`INSERT INTO audit_event (realm, event_id, event, actor_name, channel, detail, at, key_id, seal)
				SELECT realm, $3::uuid, event, actor_name, channel, replace(detail, '"role":"maker"', '"role":"checker"'), at, key_id, seal
				FROM audit_event WHERE event = 'user.rights' AND $1 <> $2 LIMIT 1`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := servicetest.New(t)
			var log strings.Builder
			h.Log = &log
			settled := settle(t, h, approve(t, h, h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)))
			waiting := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
			h.Notary.Sweep(ctx)
			ids := []uuid.UUID{settled.InternalID, waiting.InternalID, service.NewID()}
			if c.about == 3 {
				plantCopy(t, h, ids[0], ids[2])
			} else {
				conn := h.DB.ConnectAsApplication(t, demo.Realm)
				must(t, pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
					for _, statement := range c.statements {
						done, err := tx.Exec(ctx, statement, ids[0].String(), ids[1].String(), ids[2].String())
						if err != nil || done.RowsAffected() != 1 {
							return errors.Join(err, errors.New("nothing was planted"))
						}
					}
					return nil
				}))
			}
			if standing := h.Notary.Standing(); standing.Unverified != 0 {
				t.Errorf("before that, %d rows are unverified", standing.Unverified)
			}
			h.Notary.Sweep(ctx)
			found := h.Notary.Standing().Unverified
			h.Notary.Sweep(ctx)
			h.Notary.Sweep(ctx)
			again, alarms := h.Notary.Standing().Unverified, strings.Count(log.String(), "signed as unverified")
			if found == 0 || again != found || alarms != 1 {
				t.Errorf("%d rows are unverified, %d after further looks, with %d alarms", found, again, alarms)
			}
			before := h.Notary.Standing().Unverified
			h.Notary.Sweep(ctx)
			if after := h.Notary.Standing().Unverified; after != before {
				t.Errorf("%d rows are unverified, and %d after a look at none", before, after)
			}
			if c.about > 0 {
				snapshot, err := integrity.Open(ctx, h.DB.OwnerURL)
				must(t, err)
				defer snapshot.Close(ctx)
				_, err = snapshot.Bundle(ctx, h.Seal, demo.Realm, ids[c.about-1])
				if !errors.Is(err, integrity.ErrNotGenuine) {
					t.Errorf("a bundle of it: %v", err)
				}
			}
			var row string
			must(t, h.DB.Connect(t).QueryRow(ctx, "SELECT row_id::text FROM audit_leaf WHERE kind LIKE 'unverified%' LIMIT 1").Scan(&row))
			if !anyNamed(audit(t, h, h.DB.OwnerURL), []string{row}) {
				t.Error("the check does not name the row")
			}
		})
	}
}

// plantCopy inserts copies of the rows of a message under another id, in one transaction with the login of the
// service: a decision passes the guards of the schema only about a message that is there.
func plantCopy(t *testing.T, h *servicetest.Env, from, to uuid.UUID) {
	t.Helper()
	must(t, pgx.BeginFunc(ctx, h.DB.ConnectAsApplication(t, demo.Realm), func(tx pgx.Tx) error {
		for _, statement := range []map[string]string{{
			"message":         `'global_id', translate(global_id, '0123456789', '1234567890'), 'external_id', NULL`,
			"document":        `'document_id', $2::uuid, 'reference', 'X' || reference, 'written_in', pg_current_xact_id()::text`,
			"message_version": `'document_id', $2::uuid`, "message_history": `'realm', realm`,
		}, {
			"decision": `'realm', realm`, "release": `'realm', realm`,
			"audit_event": `'event_id', move_event($2, sequence), 'written_in', pg_current_xact_id()::text`,
		}} {
			var parts []string
			for table, changed := range statement {
				where := ""
				if table == "document" {
					where = " AND document_id = (SELECT document_id FROM message_version WHERE message_id = $1)"
				}
				parts = append(parts, fmt.Sprintf(`%[1]s_copied AS (INSERT INTO %[1]s SELECT (jsonb_populate_record(NULL::%[1]s,
					to_jsonb(r) || jsonb_build_object('message_id', $2::uuid, %[2]s))).* FROM %[1]s r WHERE message_id = $1%[3]s)`,
					table, changed, where))
			}
			_, err := tx.Exec(ctx, "WITH "+strings.Join(parts, ", ")+" SELECT", from, to)
			if err != nil {
				return err
			}
		}
		return nil
	}))
}
