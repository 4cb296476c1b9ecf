//go:build long

package integrity_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/integrity"
	"countersign/internal/store/internal/dbsqlc"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

// TestTenTimesTheRows fills a database and one with ten times as many rows, and reports the times of checks, lists, searches, an archive and
// approvals in both, and their ratios. One payment in 21 waits. The seals of all fit, and the checks find nothing.
func TestTenTimesTheRows(t *testing.T) {
	rows := testutil.Count(t, "COUNTERSIGN_SCALE_ROWS", 20_000)
	both := [2]*scaled{newScaled(t, rows), newScaled(t, 10*rows)}
	text := func(text string) store.Filter {
		return store.Filter{Search: store.Search{Text: text, Compact: strings.ToUpper(strings.ReplaceAll(text, " ", ""))}, PageSize: 50}
	}
	page := func(f store.Filter) func(*scaled) error {
		return func(s *scaled) error {
			_, _, err := s.h.Reader.Page(ctx, "demo", f)
			return err
		}
	}
	for _, m := range []struct {
		name  string
		times int
		do    func(*scaled) error
	}{
		{"queue", 40, func(s *scaled) error {
			checker := store.Checker{Person: s.h.Person(t, "checker1").PersonID}
			list, err := s.h.Reader.Queue(ctx, "demo", store.QueueFilter{Checker: checker, PageSize: 61})
			if err == nil {
				_, err = s.h.Reader.CreditorNews(ctx, "demo", list)
			}
			return err
		}},
		{"list", 40, page(store.Filter{PageSize: 50})},
		{"search, name of all", 40, page(text("Haller"))},
		{"search, name of one in 42", 40, page(text("Seltener"))},
		{"search, no name", 40, page(text("Nobody"))},
		{"search, part of a reference", 40, page(text("external-12"))},
		{"search, a reference", 40, page(text("external-12-211"))},
		{"payment and approval", 40, func(s *scaled) error {
			approve(t, s.h, s.h.Create(t, s.h.Person(t, "maker1"), rulebook.SchemeSIC))
			return nil
		}},
		{"check", 1, func(s *scaled) error { return s.check(t) }},
		{"check --since", 3, func(s *scaled) error { return s.check(t, s.since...) }},
		{"archive of a month", 1, func(s *scaled) error { archiveTo(t, s.h, io.Discard); return nil }},
	} {
		var took [2][]time.Duration
		for range m.times {
			for i, s := range both {
				began := time.Now()
				must(t, m.do(s))
				took[i] = append(took[i], time.Since(began))
			}
		}
		p50 := func(of []time.Duration) float64 {
			slices.Sort(of)
			return of[len(of)/2].Seconds() * 1000
		}
		t.Logf("%-28s %10.1f ms %12.1f ms, ratio %.2f", m.name, p50(took[0]), p50(took[1]), p50(took[1])/p50(took[0]))
	}
}

// check fails the test for each broken invariant.
func (s *scaled) check(t *testing.T, since ...string) error {
	t.Helper()
	report := audit(t, s.h, s.h.DB.OwnerURL, since...)
	t.Logf("%d versions, %d documents, %d leaves", report.Versions, report.Documents, report.Leaves)
	for _, i := range report.Invariants {
		for _, v := range i.Violations[:min(3, len(i.Violations))] {
			t.Errorf("%s is broken by %s %s: %s (and %d more)", i.ID, v.Table, v.Key, v.What, len(i.Violations)-1)
		}
	}
	return nil
}

// scaled is a database of copies of some payments, under names of their own and sealed anew.
type scaled struct {
	h                *servicetest.Env
	owner            *pgx.Conn
	copied           []copied
	payments         int
	since            []string // the checkpoints before the last payments
	releases, events keyring.Ring
}

// copied is a payment with its sealed rows.
type copied struct {
	version   integrity.AuditedVersion
	documents []dbsqlc.Document
	keys      []dbsqlc.CreationKey
	events    []auditlog.Event
}

func newScaled(t *testing.T, rows int) *scaled {
	t.Helper()
	h := servicetest.New(t)
	s := &scaled{h: h, owner: h.DB.Connect(t)}
	release, err := keyring.Parse([]byte(storetest.Key), "")
	must(t, err)
	s.releases, err = release.Derive("release")
	must(t, err)
	s.events, err = identity.MasterDataKeys(storetest.Keys(t))
	must(t, err)
	maker, empty := h.Person(t, "maker1"), s.rows(t)
	for _, scheme := range rulebook.Schemes() {
		order := h.Order(scheme)
		order.Document.PaymentInformation[0].CreditTransferTransactionInformation[0].Creditor.Name = "Rosa Seltener"
		made, err := h.Submission.Create(ctx, maker, order)
		must(t, err)
		settle(t, h, approve(t, h, made.Message))
		for range 19 {
			settle(t, h, approve(t, h, h.Create(t, maker, scheme)))
		}
		h.Create(t, maker, scheme) // waits
	}
	h.Notary.Sweep(ctx)
	s.read(t)
	const last = 100
	s.grow(t, (rows-empty)*len(s.copied)/(s.rows(t)-empty)-last)
	must(t, s.owner.QueryRow(ctx, `SELECT array_agg(note)
		FROM (SELECT DISTINCT ON (realm) note FROM audit_checkpoint ORDER BY realm, size DESC) x`).Scan(&s.since))
	s.grow(t, last)
	t.Logf("%d rows, %d payments", s.rows(t), s.payments)
	return s
}

// rows counts the rows of all tables.
func (s *scaled) rows(t *testing.T) (rows int) {
	t.Helper()
	_, err := s.owner.Exec(ctx, "VACUUM ANALYZE")
	must(t, err)
	must(t, s.owner.QueryRow(ctx, `SELECT sum(reltuples)::bigint FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
		AND reltuples > 0`).Scan(&rows))
	return rows
}

// read reads the payments to copy.
func (s *scaled) read(t *testing.T) {
	t.Helper()
	q, at := dbsqlc.New(s.owner), map[uuid.UUID]int{}
	all, err := integrity.Open(ctx, s.h.DB.OwnerURL)
	must(t, err)
	defer all.Close(ctx)
	must(t, all.EachVersion(ctx, func(v integrity.AuditedVersion) error {
		at[v.Message.InternalID] = len(s.copied)
		s.copied = append(s.copied, copied{version: v})
		return nil
	}))
	documents, err := q.AuditedDocumentList(ctx, "", uuid.Nil, 10_000)
	must(t, err)
	for _, d := range documents {
		of := &s.copied[at[*d.MessageID]]
		of.documents = append(of.documents, d)
	}
	keys, err := q.AuditedRequestKeyList(ctx, dbsqlc.AuditedRequestKeyListParams{PageSize: 10_000})
	must(t, err)
	for _, k := range keys {
		of := &s.copied[at[k.MessageID]]
		of.keys = append(of.keys, k)
	}
	for id, place := range at {
		var rows []store.LeafRow
		for sequence := range count(t, s.h, "message_history WHERE message_id = '"+id.String()+"'") {
			rows = append(rows, store.LeafRow{Kind: auditlog.KindEvent, RowID: auditlog.MoveID(id, sequence+1)})
		}
		leaves, err := store.Leaves(ctx, q, s.copied[place].version.Message.Realm, rows, nil)
		must(t, err)
		for _, row := range rows {
			var event auditlog.Event
			must(t, json.Unmarshal(leaves[row.RowID].Data, &event))
			s.copied[place].events = append(s.copied[place].events, event)
		}
	}
}

// moved is the id of a row in the n-th copy.
func moved(id uuid.UUID, n int) uuid.UUID {
	return uuid.MustParse(fmt.Sprintf("%s%012x", id.String()[:24], n))
}

// uetr is that of a Global ID.
func uetr(id payment.ID) string {
	digest := sha256.Sum256([]byte("uetr " + string(id)))
	made := uuid.UUID(digest[:16])
	made[6], made[8] = made[6]&0x0f|0x40, made[8]&0x3f|0x80
	return made.String()
}

// between stands before the number in a key: one message id may have many payments.
var between = map[string]string{"external-id": "-", "message-id": "#"}

// piece are the names and seals of some copies, as rows of temporary tables.
type piece struct{ payments, documents, keys, events [][]any }

// add adds the n-th copy.
func (s *scaled) add(t *testing.T, p *piece, n int) {
	t.Helper()
	of := s.copied[n%len(s.copied)]
	m := of.version.Message
	old, was := m.InternalID, m.GlobalID
	m.InternalID, m.ExternalID = moved(old, n), fmt.Sprintf("%s-%d", m.ExternalID, n)
	m.GlobalID = payment.New(was.Mark(), m.CreatedAt.AddDate(0, 0, 1).Add(time.Duration(n)*time.Millisecond), [4]byte{})
	rename := strings.NewReplacer(string(was), string(m.GlobalID), uetr(was), uetr(m.GlobalID))
	sealed := func(seal keyring.Seal) []byte { return slices.Clone(seal.MAC[:]) }
	var release []byte
	if r := of.version.Release; r != nil {
		f := keyring.Fields{}
		f.Text("countersign release 2", r.Realm)
		f.ID(m.InternalID)
		f.Text(string(m.GlobalID), string(m.Kind), string(m.Scheme))
		f.Number(int64(r.Version))
		f.List(r.Makers)
		f.List(r.Approvers)
		f.Bytes(r.ContentHash[:])
		f.Bytes(r.Account[:])
		f.Moment(m.CreatedAt)
		f.Moment(r.AcceptedAt)
		release = sealed(s.releases.Seal(f))
	}
	p.payments = append(p.payments, []any{
		n, old, m.InternalID, string(was), string(m.GlobalID), uetr(was), uetr(m.GlobalID), sealed(s.h.Seal.SealVersion(m)), release,
	})
	documents := map[string]string{}
	for _, d := range of.documents {
		id := d.DocumentID
		d.DocumentID, d.MessageID = moved(id, n), &m.InternalID
		d.Reference, d.Content = rename.Replace(d.Reference), []byte(rename.Replace(string(d.Content)))
		documents[id.String()] = d.DocumentID.String()
		seal := s.h.Seal.SealKept(store.Kept(d))
		if d.Direction == "out" {
			seal = s.h.Seal.SealDocument(store.Kept(d).Outbound)
		}
		p.documents = append(p.documents, []any{n, id, sealed(seal)})
	}
	for _, k := range of.keys {
		scope := k.Scope
		k.Key, k.MessageID = fmt.Sprintf("%s%s%d", k.Key, between[scope], n), m.InternalID
		p.keys = append(p.keys, []any{n, scope, sealed(s.h.Seal.SealRequestKey(store.RequestKey(k)))})
	}
	for i, e := range of.events {
		e.EventID, e.MessageID = auditlog.MoveID(m.InternalID, i+1), m.InternalID.String()
		if e.Version != nil {
			version := *e.Version
			version.DocumentID = documents[version.DocumentID]
			e.Version = &version
		}
		seal, err := e.Seal(s.events)
		must(t, err)
		p.events = append(p.events, []any{n, i + 1, sealed(seal)})
	}
}

// copies says how each table is copied: the tables it is joined with, and the columns with other values. A column with the value "" gets its
// default.
var copies = []struct {
	table, from string
	columns     map[string]string
}{
	{"message", "message x JOIN piece p ON x.message_id = p.old", map[string]string{
		"message_id": "p.new", "global_id": "p.global", "external_id": "x.external_id || '-' || p.n",
	}},
	{"message_version", "message_version x JOIN piece p ON x.message_id = p.old", map[string]string{
		"message_id": "p.new", "document_id": "moved(x.document_id, p.n)", "seal": "p.seal",
	}},
	{"message_history", "message_history x JOIN piece p ON x.message_id = p.old", map[string]string{"message_id": "p.new"}},
	{"decision", "decision x JOIN piece p ON x.message_id = p.old", map[string]string{"message_id": "p.new"}},
	{"release", "release x JOIN piece p ON x.message_id = p.old", map[string]string{"message_id": "p.new", "mac": "p.mac"}},
	{"document", "document x JOIN piece p ON x.message_id = p.old JOIN piece_document d ON d.n = p.n AND d.id = x.document_id", map[string]string{
		"message_id": "p.new", "document_id": "moved(x.document_id, p.n)", "reference": "replace(x.reference, p.was, p.global)",
		"content": "renamed(x.content, p)", "content_hash": "sha256(renamed(x.content, p))", "mac": "d.seal", "written_in": "",
	}},
	{"inbox", `inbox x JOIN piece_document d ON x.document_id = d.id JOIN piece p ON p.n = d.n
		JOIN document y ON y.realm = x.realm AND y.document_id = moved(d.id, d.n)`, map[string]string{
		"reference": "replace(x.reference, p.was, p.global)", "document_id": "y.document_id", "content_hash": "y.content_hash",
	}},
	{"creation_key", "creation_key x JOIN piece p ON x.message_id = p.old JOIN piece_key k ON k.n = p.n AND k.scope = x.scope", map[string]string{
		"message_id": "p.new", "key": "x.key || CASE x.scope WHEN 'message-id' THEN '#' ELSE '-' END || p.n", "seal": "k.seal",
	}},
	{
		"audit_event", "audit_event x JOIN piece p ON x.message_id = p.old JOIN piece_event e ON e.n = p.n AND e.sequence = x.sequence",
		map[string]string{
			"message_id": "p.new", "event_id": "move_event(p.new, x.sequence)", "seal": "e.seal", "written_in": "",
			"place": "pg_current_xact_id()::text::bigint",
		},
	},
}

// grow adds payments, and has the audit trail sealed.
func (s *scaled) grow(t *testing.T, payments int) {
	t.Helper()
	const atOnce = 2000
	_, err := s.owner.Exec(ctx, `SET session_replication_role = replica; SET synchronous_commit = off;
		CREATE TEMP TABLE IF NOT EXISTS piece (n integer PRIMARY KEY, old uuid, new uuid, was text, global text, uetr_was text, uetr text,
		  seal bytea, mac bytea);
		CREATE TEMP TABLE IF NOT EXISTS piece_document (n integer, id uuid, seal bytea);
		CREATE TEMP TABLE IF NOT EXISTS piece_key (n integer, scope text, seal bytea);
		CREATE TEMP TABLE IF NOT EXISTS piece_event (n integer, sequence integer, seal bytea);
		CREATE OR REPLACE FUNCTION pg_temp.moved(id uuid, n integer) RETURNS uuid LANGUAGE sql IMMUTABLE
		AS $$ SELECT overlay(id::text PLACING lpad(to_hex(n), 12, '0') FROM 25)::uuid $$;
		CREATE OR REPLACE FUNCTION pg_temp.renamed(content bytea, p piece) RETURNS bytea LANGUAGE sql IMMUTABLE
		AS $$ SELECT convert_to(replace(replace(convert_from(content, 'UTF8'), p.was, p.global), p.uetr_was, p.uetr), 'UTF8') $$`)
	must(t, err)
	for until := s.payments + payments; s.payments < until; {
		var p piece
		for range min(atOnce, until-s.payments) {
			s.payments++
			s.add(t, &p, s.payments)
		}
		must(t, pgx.BeginFunc(ctx, s.owner, func(tx pgx.Tx) error { return p.insert(tx) }))
		s.h.Clock.Add(time.Second)
		s.h.Notary.Sweep(ctx)
	}
	s.h.Clock.Add(65 * time.Second) // a row that is not sealed by then is a finding
	s.rows(t)
}

func (p piece) insert(tx pgx.Tx) error {
	_, err := tx.Exec(ctx, "TRUNCATE piece, piece_document, piece_key, piece_event")
	for table, of := range map[string]struct {
		columns []string
		rows    [][]any
	}{
		"piece":          {[]string{"n", "old", "new", "was", "global", "uetr_was", "uetr", "seal", "mac"}, p.payments},
		"piece_document": {[]string{"n", "id", "seal"}, p.documents},
		"piece_key":      {[]string{"n", "scope", "seal"}, p.keys},
		"piece_event":    {[]string{"n", "sequence", "seal"}, p.events},
	} {
		_, failed := tx.CopyFrom(ctx, pgx.Identifier{table}, of.columns, pgx.CopyFromRows(of.rows))
		err = errors.Join(err, failed)
	}
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "ANALYZE piece, piece_document, piece_key, piece_event")
	for _, c := range copies {
		var columns []string
		if err == nil {
			err = tx.QueryRow(ctx, `SELECT array_agg(attname::text) FROM pg_attribute
				WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`, c.table).Scan(&columns)
		}
		var names, values []string
		for _, column := range columns {
			value, other := c.columns[column]
			switch {
			case !other:
				value = "x." + column
			case value == "":
				continue
			}
			names, values = append(names, column), append(values, value)
		}
		if err == nil {
			sql := "INSERT INTO " + c.table + " (" + strings.Join(names, ", ") + ") SELECT " + strings.Join(values, ", ") + " FROM " + c.from
			_, err = tx.Exec(ctx, strings.NewReplacer("moved(", "pg_temp.moved(", "renamed(", "pg_temp.renamed(").Replace(sql))
		}
		if err != nil {
			return fmt.Errorf("copy %s: %w", c.table, err)
		}
	}
	return nil
}
