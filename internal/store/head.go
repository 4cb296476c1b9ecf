package store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/store/internal/dbsqlc"
)

// The errors of a head.
var (
	// ErrOldHead says that the head of a realm is older than one that this gateway saw, or than the audit trail tells: somebody put it back.
	ErrOldHead = errors.New("the head of the master data is older than one that was seen before")
	// ErrOtherSet says that the rows of master data are not those under the head: some were changed, deleted or added past the gateway.
	ErrOtherSet = errors.New("the rows of master data are not those of its head")
)

// rowKey names a row of master data within its realm, or a group of rows.
type rowKey struct{ table, key string }

// state is the master data of a realm under one head: the digest of each row.
type state struct {
	head   dbsqlc.RealmHead
	rows   map[rowKey][sha256.Size]byte
	groups map[rowKey]int    // the number of rows in each group
	newest map[rowKey]string // the highest key in each group
	// limitedPeople: there are limits on people.
	limitedPeople bool
	names         map[uuid.UUID]string // of people and accounts, by their ids
	policies      []administration.Policy
}

func newState(rows []Row) (*state, error) {
	s := &state{
		rows: make(map[rowKey][sha256.Size]byte, len(rows)), groups: map[rowKey]int{}, newest: map[rowKey]string{}, names: map[uuid.UUID]string{},
	}
	for _, row := range rows {
		if row.err != nil {
			return nil, row.err
		}
		s.rows[rowKey{row.Table, row.Key}] = row.Digest()
		if row.group != "" {
			group := rowKey{row.Table, row.group}
			s.groups[group]++
			s.newest[group] = max(s.newest[group], row.Key)
			s.limitedPeople = s.limitedPeople || row.Table == "spending_limit" && strings.HasPrefix(row.group, "person ")
		}
		if id, err := uuid.Parse(row.Key); err == nil && row.name != "" {
			s.names[id] = row.name
		}
		if row.policy != nil {
			s.policies = append(s.policies, policyOf(*row.policy))
		}
	}
	return s, nil
}

// verifiedNames are the names of people and accounts under the newest head that was verified.
type verifiedNames map[uuid.UUID]string

// names returns the verified names of a realm, for the tables can be changed before the check names a row; none before a head was verified.
func (d *Database) names(realm string) verifiedNames {
	if d == nil {
		return nil
	}
	if kept := d.heads.of(realm).kept(); kept != nil {
		return kept.names
	}
	return nil
}

// of returns the verified name of a person or an account, or the stored one where there is none.
func (n verifiedNames) of(id uuid.UUID, stored string) string {
	if name, verified := n[id]; verified {
		return name
	}
	return stored
}

// told returns the head in the form that the steps of messages name.
func (s *state) told() auditlog.Head {
	return auditlog.Head{Number: s.head.Number, Rows: int64(len(s.rows)), Root: s.head.Digest}
}

// withHead adds the newest verified head to the detail of a step in which a person uses a right.
func (d *Database) withHead(realm, detail string) string {
	if kept := d.heads.of(realm).kept(); kept != nil {
		return auditlog.WithHead(detail, kept.told())
	}
	return detail
}

// has reports whether the state has this row with this content.
func (s *state) has(row Row) bool {
	digest, known := s.rows[rowKey{row.Table, row.Key}]
	return known && row.err == nil && digest == row.Digest()
}

// digestOf returns the root of the tree of the digests of rows, in the order of their tables and keys.
func digestOf(rows map[rowKey][sha256.Size]byte) [sha256.Size]byte {
	leaves := make([]auditlog.Hash, 0, len(rows))
	for _, key := range inOrder(rows) {
		leaves = append(leaves, rows[key])
	}
	return auditlog.RootOf(leaves)
}

func inOrder(rows map[rowKey][sha256.Size]byte) []rowKey {
	return slices.SortedFunc(maps.Keys(rows), func(a, b rowKey) int {
		return cmp.Or(strings.Compare(a.table, b.table), strings.Compare(a.key, b.key))
	})
}

// headFields are the fields under the seal of a head.
func headFields(h dbsqlc.RealmHead) keyring.Fields {
	var fields keyring.Fields
	fields.Text("realm head 1", h.Realm)
	fields.Number(h.Number)
	fields.ID(OrZero(h.ChangeID))
	fields.Bytes(h.Digest)
	return fields
}

// CheckHead checks the seal of a head. Errors: keyring.ErrForged, keyring.ErrUnknownKey.
func CheckHead(h dbsqlc.RealmHead, keys keyring.Ring) error {
	return keys.Verify(Seal(h.KeyID, h.Seal), headFields(h))
}

func sameHead(a, b dbsqlc.RealmHead) bool {
	return a.Number == b.Number && a.KeyID == b.KeyID && bytes.Equal(a.Digest, b.Digest) && bytes.Equal(a.Seal, b.Seal)
}

// readState reads the head of a realm and all rows under it, and checks both. Errors: keyring.ErrForged, keyring.ErrUnknownKey,
// ErrOtherSet, ErrOldHead also for a head that is older than the audit trail tells, ErrBusy when the head changes all the time,
// pgx.ErrNoRows without a head.
func readState(ctx context.Context, q *dbsqlc.Queries, realm string, keys keyring.Ring) (*state, error) {
	for range 4 {
		before, err := q.HeadGet(ctx, realm)
		if err != nil {
			return nil, err
		}
		told, err := q.HeadTold(ctx, realm)
		if err != nil {
			return nil, fmt.Errorf("read the newest change of the master data: %w", err)
		}
		rows, err := Set(ctx, q, realm)
		if err != nil {
			return nil, fmt.Errorf("read the master data: %w", err)
		}
		after, err := q.HeadGet(ctx, realm)
		if err != nil {
			return nil, err
		}
		if !sameHead(before, after) {
			continue // a change came between: the rows may be of both
		}
		s, err := stateOf(before, rows, keys)
		if err == nil && told > before.Number {
			err = ErrOldHead
		}
		return s, err
	}
	return nil, fmt.Errorf("%w: the master data changes all the time", ErrBusy)
}

// stateOf makes the state of a head and its rows. Errors: keyring.ErrForged, keyring.ErrUnknownKey, ErrOtherSet.
func stateOf(head dbsqlc.RealmHead, rows []Row, keys keyring.Ring) (*state, error) {
	s, err := newState(rows)
	if err != nil {
		return nil, err
	}
	s.head = head
	err = CheckHead(head, keys)
	if digest := digestOf(s.rows); err == nil && !bytes.Equal(digest[:], head.Digest) {
		err = ErrOtherSet
	}
	return s, err
}

// CheckSet compares the rows of a realm with its head. Errors: keyring.ErrForged, keyring.ErrUnknownKey, ErrOtherSet.
func CheckSet(head dbsqlc.RealmHead, rows []Row, keys keyring.Ring) error {
	_, err := stateOf(head, rows, keys)
	return err
}

// heads caches the newest verified state of each realm.
type heads struct {
	mu    sync.Mutex
	known map[string]*knownHead
}

// NewestHead is the highest number of a head of a realm that this gateway saw; 0 for none. An older head does not count.
func (d *Database) NewestHead(realm string) int64 {
	k := d.heads.of(realm)
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.seen
}

// HeadSeen records the number of a verified head or checkpoint of a realm.
func (d *Database) HeadSeen(realm string, number int64) {
	k := d.heads.of(realm)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.seen = max(k.seen, number)
	if k.state != nil && k.state.head.Number < number {
		k.state = nil
	}
}

// knownHead is the newest state of a realm.
type knownHead struct {
	loading sync.Mutex // one load at a time

	mu     sync.Mutex
	seen   int64 // the highest number, in the database and in signed checkpoints: it only rises
	state  *state
	failed error // of the last load, for a moment
}

// failureHolds is the time before a failed verification is repeated: each reads all master data of the realm.
const failureHolds = time.Second

func (h *heads) of(realm string) *knownHead {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known[realm] == nil {
		h.known[realm] = &knownHead{}
	}
	return h.known[realm]
}

func (k *knownHead) kept() *state {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.state
}

func (k *knownHead) lately() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.failed
}

func (k *knownHead) fail(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.failed = err
	time.AfterFunc(failureHolds, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.failed = nil
	})
}

// load returns the state under the newest head of a realm. It reads the rows only if the head differs from that of the cached state.
func (d *Database) load(ctx context.Context, q *dbsqlc.Queries, realm string) (*state, error) {
	k := d.heads.of(realm)
	k.loading.Lock()
	defer k.loading.Unlock()
	now, err := q.HeadGet(ctx, realm)
	if errors.Is(err, pgx.ErrNoRows) {
		_, none := q.RealmGet(ctx, realm)
		if errors.Is(none, pgx.ErrNoRows) {
			return &state{}, nil // there is no such realm
		}
	}
	kept := k.kept()
	switch {
	case err == nil && kept != nil && sameHead(now, kept.head):
		return kept, nil
	case err == nil:
		err = k.lately()
	}
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, err
	}
	var read *state
	if err == nil {
		read, err = readState(ctx, q, realm, d.masterData)
	}
	if err == nil {
		err = d.keep(realm, read)
	}
	if err == nil {
		return read, nil
	}
	if forged(err) {
		k.fail(err)
		d.log.LogAttrs(ctx, slog.LevelError,
			"the master data of a realm differ from its head and are not valid; run countersign check",
			slog.Bool("alarm", true), slog.String("realm", realm), slog.String("error", err.Error()), slog.Any("rows", differing(read, kept)))
	}
	return nil, err
}

// forged reports whether an error proves changed data rather than a failed read.
func forged(err error) bool {
	return errors.Is(err, keyring.ErrForged) || errors.Is(err, keyring.ErrUnknownKey) || errors.Is(err, ErrOtherSet) ||
		errors.Is(err, ErrOldHead) || errors.Is(err, pgx.ErrNoRows)
}

// mostNamed limits the rows that an alarm names.
const mostNamed = 20

// differing names rows that differ between two states.
func differing(read, kept *state) []string {
	if read == nil || kept == nil {
		return nil
	}
	var names []string
	for key, digest := range read.rows {
		if kept.rows[key] != digest {
			names = append(names, key.table+" "+key.key)
		}
	}
	for key := range kept.rows {
		if _, there := read.rows[key]; !there {
			names = append(names, key.table+" "+key.key)
		}
	}
	slices.Sort(names)
	return names[:min(len(names), mostNamed)]
}

// LookAt compares the whole master data of a realm with its head, and seals the head again with the first key if another key sealed it. It
// returns the differences: rows, if a state is cached to compare with, or the head.
func (d *Database) LookAt(ctx context.Context, realm string) (differ []string, err error) {
	read, err := Read(ctx, d, realm, func(q *dbsqlc.Queries) (*state, error) { return readState(ctx, q, realm, d.masterData) })
	switch {
	case err == nil && read.head.KeyID != d.masterData.IDs()[0]:
		return nil, d.resealHead(ctx, realm)
	case err == nil:
		err = d.keep(realm, read)
	}
	if !forged(err) {
		return nil, err
	}
	differ = differing(read, d.heads.of(realm).kept())
	if len(differ) == 0 {
		differ = []string{"realm_head " + realm}
	}
	return differ, nil
}

// resealHead seals the head of a realm with the first key.
func (d *Database) resealHead(ctx context.Context, realm string) error {
	return d.InRealm(ctx, realm, Changing, func(q *dbsqlc.Queries) error {
		_, err := q.HeadLock(ctx, realm)
		if err != nil {
			return err
		}
		now, err := readState(ctx, q, realm, d.masterData)
		if err != nil {
			return err
		}
		head, seal := now.head, d.masterData.Seal(headFields(now.head))
		return One(q.HeadPut(ctx, dbsqlc.HeadPutParams{
			Realm: head.Realm, Number: head.Number, ChangeID: head.ChangeID, Digest: head.Digest, KeyID: seal.KeyID, Seal: seal.MAC[:],
		}))
	})
}

// Ledger collects the rows of master data that a transaction writes, and raises the head of the realm at its end. While it is open no other
// transaction changes master data of the realm.
type Ledger struct {
	q     *dbsqlc.Queries
	keys  keyring.Ring
	realm string
	state *state                       // as the transaction found it
	rows  map[rowKey][sha256.Size]byte // as the transaction leaves them
	wrote map[rowKey][sha256.Size]byte
	next  *state // as the transaction leaves it
}

// Act is the reason of a change of master data, for the audit trail.
type Act struct {
	Change uuid.UUID // the approved change; zero for what people do to their own accounts, and for the operator
	Actor  identity.Actor
	At     time.Time
}

// OpenLedger locks the head of a realm for a change of master data. It fails as a load does: nothing is changed on top of rows that the
// head does not cover.
func (d *Database) OpenLedger(ctx context.Context, q *dbsqlc.Queries, realm string) (*Ledger, error) {
	_, err := q.HeadLock(ctx, realm)
	if err != nil {
		return nil, err
	}
	found, err := d.load(ctx, q, realm)
	if err != nil {
		return nil, err
	}
	return newLedger(q, d.masterData, realm, found), nil
}

// OpenLedgerAs is OpenLedger for the operator, who has no Database. A realm without a row has an empty ledger. anew accepts the rows as
// stored: for a realm that nobody else administers yet.
func OpenLedgerAs(ctx context.Context, q *dbsqlc.Queries, realm string, keys keyring.Ring, anew bool) (*Ledger, error) {
	head, err := q.HeadLock(ctx, realm)
	if errors.Is(err, pgx.ErrNoRows) {
		_, err = q.RealmGet(ctx, realm)
		if errors.Is(err, pgx.ErrNoRows) {
			return newLedger(q, keys, realm, &state{}), nil
		}
		head.Realm = realm
		if err == nil {
			err = keyring.ErrForged
		}
		if anew && errors.Is(err, keyring.ErrForged) {
			return renew(ctx, q, head, keys)
		}
	}
	if err != nil {
		return nil, err
	}
	found, err := readState(ctx, q, realm, keys)
	if anew && errors.Is(err, ErrOtherSet) {
		return renew(ctx, q, head, keys)
	}
	if err != nil {
		return nil, fmt.Errorf("the master data of the realm %s: %w; run countersign check", realm, err)
	}
	return newLedger(q, keys, realm, found), nil
}

// renew opens a ledger on the stored rows without comparing them with the head.
func renew(ctx context.Context, q *dbsqlc.Queries, head dbsqlc.RealmHead, keys keyring.Ring) (*Ledger, error) {
	rows, err := Set(ctx, q, head.Realm)
	if err != nil {
		return nil, err
	}
	found, err := newState(rows)
	if err != nil {
		return nil, err
	}
	found.head = head
	l := newLedger(q, keys, head.Realm, found)
	l.state, l.wrote = &state{head: head}, maps.Clone(l.rows) // all of them are told anew
	return l, nil
}

func newLedger(q *dbsqlc.Queries, keys keyring.Ring, realm string, found *state) *Ledger {
	l := &Ledger{
		q: q, keys: keys, realm: realm, state: found, rows: make(map[rowKey][sha256.Size]byte, len(found.rows)+1),
		wrote: map[rowKey][sha256.Size]byte{},
	}
	maps.Copy(l.rows, found.rows)
	return l
}

// Put adds a row that the transaction wrote. written is the error of the statement that wrote it; Put returns it and adds nothing.
func (l *Ledger) Put(row Row, written error) error {
	if err := cmp.Or(written, row.err); err != nil {
		return err
	}
	key, digest := rowKey{row.Table, row.Key}, row.Digest()
	l.rows[key], l.wrote[key] = digest, digest
	return nil
}

// Has reports whether a row equals that of the newest change.
func (l *Ledger) Has(row Row) bool { return l.state.has(row) }

// Close raises the head if a row changed, writes the rows into the audit trail, and reads the set again: it must equal the rows that the
// transaction wrote.
func (l *Ledger) Close(ctx context.Context, act Act) error {
	if len(l.wrote) == 0 {
		return nil
	}
	digest := digestOf(l.rows)
	if bytes.Equal(digest[:], l.state.head.Digest) {
		return nil
	}
	head := dbsqlc.RealmHead{Realm: l.realm, Number: l.state.head.Number + 1, ChangeID: OrNull(act.Change), Digest: digest[:]}
	seal := l.keys.Seal(headFields(head))
	put := dbsqlc.HeadPutParams{
		Realm: head.Realm, Number: head.Number, ChangeID: head.ChangeID, Digest: head.Digest, KeyID: seal.KeyID, Seal: seal.MAC[:],
	}
	var err error
	if l.state.head.Number == 0 {
		err = l.q.HeadInsert(ctx, dbsqlc.HeadInsertParams(put))
	} else {
		err = One(l.q.HeadPut(ctx, put))
	}
	if err == nil {
		err = l.tell(ctx, head.Number, act)
	}
	if err != nil {
		return err
	}
	l.next, err = readState(ctx, l.q, l.realm, l.keys)
	return wrapped(err, "read the changed master data")
}

// toldAtOnce limits the rows of one row of the audit trail.
const toldAtOnce = 500

// tell writes the audit event with the digests of the written rows.
func (l *Ledger) tell(ctx context.Context, number int64, act Act) error {
	var rows []auditlog.MasterRow
	for _, key := range inOrder(l.wrote) {
		digest := l.wrote[key]
		if l.state.rows[key] != digest || number == 1 {
			rows = append(rows, auditlog.MasterRow{Table: key.table, Key: key.key, Digest: hex.EncodeToString(digest[:])})
		}
	}
	change := ""
	if act.Change != uuid.Nil {
		change = act.Change.String()
	}
	for some := range slices.Chunk(rows, toldAtOnce) {
		err := AppendEvent(ctx, l.q, l.keys, Event{
			Realm: l.realm, Actor: act.Actor, Name: auditlog.EventRealmRows, Detail: auditlog.RowsDetail(number, change, some), At: act.At,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Committed caches the state of a ledger after the commit of its transaction.
func (d *Database) Committed(l *Ledger) {
	if l == nil || l.next == nil {
		return
	}
	_ = d.keep(l.realm, l.next) // another change may have come since
}

// keep caches a verified state unless it is older than the cached one. Error: ErrOldHead.
func (d *Database) keep(realm string, read *state) error {
	k := d.heads.of(realm)
	k.mu.Lock()
	defer k.mu.Unlock()
	if read.head.Number < k.seen ||
		k.state != nil && read.head.Number == k.state.head.Number && !bytes.Equal(read.head.Digest, k.state.head.Digest) {
		return ErrOldHead
	}
	k.seen, k.state, k.failed = read.head.Number, read, nil
	return nil
}

// Change runs work in one transaction that changes master data of a realm without two administrators: changes of people to their own
// accounts. Errors: as InRealm, those of OpenLedger.
func (d *Database) Change(ctx context.Context, realm string, act Act, work func(realmWriter) error) error {
	var ledger *Ledger
	err := d.InRealm(ctx, realm, Changing, func(q *dbsqlc.Queries) (err error) {
		ledger, err = d.OpenLedger(ctx, q, realm)
		if err == nil {
			err = work(realmWriter{q: q, keys: d.masterData, ledger: ledger, realm: realm, at: act.At})
		}
		if err != nil {
			return err
		}
		return ledger.Close(ctx, act)
	})
	if err == nil {
		d.Committed(ledger)
	}
	return err
}
