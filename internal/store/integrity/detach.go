package integrity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// DetachInput is an archive whose rows leave the database.
type DetachInput struct {
	OwnerURL string        // the schema's owner
	Archive  io.ReadSeeker // the file
	Seal     payment.Sealer
	Tokens   keyring.Ring
	Signer   auditlog.Signer // whose keys signed the archive
	Now      time.Time
	Batch    int // messages that leave in one transaction, with the rest of their payment
}

// DetachResult counts what left the database.
type DetachResult struct {
	Archive  auditlog.Archive
	Messages int   // of the archive that left in this run
	Rows     int64 // of theirs
	Stayed   int   // messages whose payment is not in the database as the archive has it
	Earlier  int   // messages that had left before
}

// Detach verifies an archive and removes its rows from the database, some payments in each transaction. It removes a payment only if its
// rows are those that the archive proves, so it may be ended at any moment and run again. Two administrators must have approved the digest
// of the file, and the retention of the realm must be over for the month.
func Detach(ctx context.Context, in DetachInput) (DetachResult, error) {
	conn, err := pgx.Connect(ctx, in.OwnerURL)
	if err != nil {
		return DetachResult{}, fmt.Errorf("open the database as owner: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	d := detaching{in: in, conn: conn, q: dbsqlc.New(conn)}
	err = d.begin(ctx)
	if err != nil {
		return DetachResult{}, err
	}
	_, err = in.Archive.Seek(0, io.SeekStart)
	if err == nil {
		err = d.run(ctx)
	}
	if err != nil {
		return d.result, fmt.Errorf("remove the rows of the archive: %w", err)
	}
	return d.result, d.rest(ctx)
}

// rest removes the rows that the payments left behind: the use of limits, batches, uses of second factors, and documents without a message.
func (d *detaching) rest(ctx context.Context) error {
	if d.done.Messages == 0 {
		return nil
	}
	realm, until := d.result.Archive.Realm, d.result.Archive.Until
	for _, remove := range []func() (int64, error){
		func() (int64, error) { return d.q.LimitUseRemove(ctx, realm) },
		func() (int64, error) { return d.q.BatchRemove(ctx, realm, until) },
		func() (int64, error) { return d.q.FactorUseRemove(ctx, realm, until) },
		func() (int64, error) { return d.q.UnmatchedRemove(ctx, until) },
	} {
		left, err := remove()
		d.result.Rows += left
		if err != nil {
			return fmt.Errorf("remove what the payments left behind: %w", err)
		}
	}
	return nil
}

type detaching struct {
	in     DetachInput
	conn   *pgx.Conn
	q      *dbsqlc.Queries
	done   auditlog.Detached
	result DetachResult
	batch  []archivedMessage
}

// archivedMessage is a message with the hashes of the leaves of its moves and documents, by their places.
type archivedMessage struct {
	payment, id uuid.UUID
	opened      bool // its contents are proven by the data key of the payment
	leaves      map[int64]auditlog.Hash
}

// read verifies the archive with the data keys of its payments.
func (d *detaching) read(ctx context.Context, each func(auditlog.ArchivedMessage) error) (auditlog.Archive, error) {
	return auditlog.ReadArchive(d.in.Archive, d.in.Signer.Public(), contentKeys(ctx, d.q), each)
}

// begin verifies the archive, and reads the retention, the approval, and the messages that left before.
func (d *detaching) begin(ctx context.Context) error {
	archive, err := d.read(ctx, func(auditlog.ArchivedMessage) error { return nil })
	if err != nil {
		return fmt.Errorf("the archive proves nothing: %w", err)
	}
	d.result.Archive = archive
	keys, err := identity.MasterDataKeys(d.in.Tokens)
	if err != nil {
		return err
	}
	err = d.old(ctx, keys)
	if err != nil {
		return err
	}
	approved, err := archivesOf(ctx, d.q, keys, archive.Realm)
	if err != nil {
		return err
	}
	for _, one := range approved {
		if one.Digest == archive.Digest && one.Month == archive.Month {
			d.done = one
		}
	}
	if d.done.Realm == "" {
		return fmt.Errorf("two administrators have to approve the archive first (%s): month %s, digest %s", administration.KindRealmArchived,
			archive.Month, archive.Digest)
	}
	earlier, err := d.q.DetachedList(ctx)
	for _, row := range earlier {
		if row.Realm == archive.Realm && row.ChangeID == d.done.ChangeID {
			d.done = store.Detached(row)
			err = d.in.Seal.CheckDetached(d.done, store.Seal(row.KeyID, row.Seal))
		}
	}
	if err != nil {
		return fmt.Errorf("read what left before: %w", err)
	}
	return nil
}

// archivesOf returns the archives that two administrators of a realm approved, without counts.
func archivesOf(ctx context.Context, q *dbsqlc.Queries, keys keyring.Ring, realm string) ([]auditlog.Detached, error) {
	var approved []auditlog.Detached
	err := eachApproved(ctx, q, keys, realm, administration.KindRealmArchived, func(change uuid.UUID, after administration.Values) {
		approved = append(approved, auditlog.Detached{
			Realm: realm, ChangeID: change, Month: after["archivedMonth"], Digest: after["archiveDigest"],
		})
	})
	return approved, err
}

// OtherArchiveError says that two administrators approved another archive of the month.
type OtherArchiveError struct {
	Realm, Month string
	Digests      []string // of those that they approved
}

// Error implements error.
func (e *OtherArchiveError) Error() string {
	return fmt.Sprintf("two administrators of %s approved another archive of %s, with the digest %s: do not replace it with this file",
		e.Realm, e.Month, strings.Join(e.Digests, " or "))
}

// Approved reports whether two administrators approved an archive, or none of its month. Errors: *OtherArchiveError.
func (s *Snapshot) Approved(ctx context.Context, tokens keyring.Ring, archive auditlog.Archive) (bool, error) {
	keys, err := identity.MasterDataKeys(tokens)
	if err != nil {
		return false, err
	}
	approved, err := archivesOf(ctx, s.q, keys, archive.Realm)
	if err != nil {
		return false, err
	}
	other := &OtherArchiveError{Realm: archive.Realm, Month: archive.Month}
	for _, one := range approved {
		if one.Month == archive.Month {
			other.Digests = append(other.Digests, one.Digest)
		}
	}
	found := slices.Contains(other.Digests, archive.Digest)
	if !found && len(other.Digests) > 0 {
		return false, other
	}
	return found, nil
}

// eachApproved calls look for the approved changes of a kind, newest first. A change that fails its seals approves nothing: I20 names it.
func eachApproved(ctx context.Context, q *dbsqlc.Queries, keys keyring.Ring, realm string, kind administration.Kind,
	look func(change uuid.UUID, after administration.Values),
) error {
	changes, err := q.ApprovedChangeList(ctx, realm, string(kind))
	if err != nil {
		return fmt.Errorf("read the approved changes: %w", err)
	}
	for _, change := range changes {
		after, err := store.ApprovedChange(change).After(keys)
		if err == nil {
			look(change.RealmChange.ChangeID, after)
		}
	}
	return nil
}

// old reports an error unless the retention of the realm is over for the month of the archive.
func (d *detaching) old(ctx context.Context, keys keyring.Ring) error {
	archive := d.result.Archive
	changes, err := d.q.ApprovedChangeList(ctx, archive.Realm, string(administration.KindRealmRetention))
	var after administration.Values
	if err == nil && len(changes) > 0 {
		after, err = store.ApprovedChange(changes[0]).After(keys)
	}
	if err == nil && after["retentionMonths"] == "" {
		return fmt.Errorf("the realm has no retention, so its payments stay: two administrators set one (%s)", administration.KindRealmRetention)
	}
	months := 0
	if err == nil {
		months, err = strconv.Atoi(after["retentionMonths"])
	}
	if err != nil {
		return fmt.Errorf("read the retention: %w", err)
	}
	until := archive.Until.AddDate(0, months, 0)
	if d.in.Now.Before(until) {
		return fmt.Errorf("the payments of %s stay until %s: the retention of the realm is %d months", archive.Month,
			until.Format(time.DateOnly), months)
	}
	return nil
}

// run reads the archive again and removes its messages, whole payments at a time.
func (d *detaching) run(ctx context.Context) error {
	again, err := d.read(ctx, func(m auditlog.ArchivedMessage) error {
		next, err := archivedMessageOf(m)
		if err != nil {
			return err
		}
		if last := len(d.batch) - 1; last+1 >= d.in.Batch && d.batch[last].payment != next.payment {
			err = d.remove(ctx)
		}
		d.batch = append(d.batch, next)
		return err
	})
	if err == nil && again.Digest != d.result.Archive.Digest {
		err = errors.New("the file changed meanwhile")
	}
	if err == nil {
		err = d.remove(ctx)
	}
	return err
}

func archivedMessageOf(m auditlog.ArchivedMessage) (archivedMessage, error) {
	found := archivedMessage{opened: m.Opened, leaves: make(map[int64]auditlog.Hash, len(m.Bundle.Rows))}
	var err error
	found.payment, err = uuid.Parse(m.Payment)
	if err == nil {
		found.id, err = uuid.Parse(m.Bundle.MessageID)
	}
	for _, row := range m.Bundle.Rows {
		var leaf struct {
			Move       *struct{} `json:"move"`
			DocumentID string    `json:"documentId"`
		}
		if err == nil {
			err = json.Unmarshal([]byte(row.Leaf), &leaf)
		}
		if leaf.Move != nil || leaf.DocumentID != "" { // a refusal stays in the trail
			found.leaves[row.Index] = auditlog.Leaf{Data: []byte(row.Leaf)}.Hash()
		}
	}
	return found, err
}

// remove removes the payments of the batch in one transaction.
func (d *detaching) remove(ctx context.Context) error {
	batch := d.batch
	d.batch = nil
	if len(batch) == 0 {
		return nil
	}
	done, result := d.done, d.result
	err := pgx.BeginFunc(ctx, d.conn, func(tx pgx.Tx) error {
		q := d.q.WithTx(tx)
		stored, err := d.stored(ctx, q, batch)
		if err != nil {
			return err
		}
		messages, leaves := d.proven(batch, stored, &result)
		if len(messages) == 0 {
			return nil
		}
		err = d.leave(ctx, q, messages, stored)
		if err != nil {
			return err
		}
		return d.removeOf(ctx, q, messages, leaves, &done, &result)
	})
	if err == nil {
		d.done, d.result = done, result
	}
	return err
}

// storedMessage is a message of the database with its leaves.
type storedMessage struct {
	payment uuid.UUID
	leaves  []dbsqlc.LeafListOfMessagesRow
}

// stored locks the payments of a batch and reads their leaves.
func (d *detaching) stored(ctx context.Context, q *dbsqlc.Queries, batch []archivedMessage) (map[uuid.UUID]*storedMessage, error) {
	payments := make([]uuid.UUID, 0, len(batch))
	for _, m := range batch {
		payments = append(payments, m.payment)
	}
	rows, err := q.FamilyLock(ctx, d.result.Archive.Realm, slices.Compact(payments))
	if err != nil {
		return nil, err
	}
	found, ids := make(map[uuid.UUID]*storedMessage, len(rows)), make([]uuid.UUID, 0, len(rows))
	for _, row := range rows {
		found[row.MessageID] = &storedMessage{payment: row.Payment}
		ids = append(ids, row.MessageID)
	}
	leaves, err := q.LeafListOfMessages(ctx, ids, d.result.Archive.Realm)
	for _, leaf := range leaves {
		if !leaf.Refusal { // it stays in the trail
			found[leaf.MessageID].leaves = append(found[leaf.MessageID].leaves, leaf)
		}
	}
	return found, err
}

// proven returns the messages, with their leaves, of the payments that are in the database as the archive proves them. It counts the
// others.
func (d *detaching) proven(batch []archivedMessage, stored map[uuid.UUID]*storedMessage, result *DetachResult) (
	messages []uuid.UUID, leaves []dbsqlc.LeafListOfMessagesRow,
) {
	unlike, size := map[uuid.UUID]bool{}, map[uuid.UUID]int{}
	for _, m := range batch {
		size[m.payment]++
		if is := stored[m.id]; is != nil {
			unlike[m.payment] = unlike[m.payment] || !m.opened || !m.is(is.leaves)
		}
	}
	held := map[uuid.UUID]int{}
	for _, is := range stored {
		held[is.payment]++
	}
	for _, m := range batch {
		switch is := stored[m.id]; {
		case held[m.payment] == 0:
			result.Earlier++
		case is == nil, unlike[m.payment], held[m.payment] != size[m.payment]:
			result.Stayed++
		default:
			messages, leaves = append(messages, m.id), append(leaves, is.leaves...)
		}
	}
	return messages, leaves
}

// is reports whether the leaves in the database are those of the archive.
func (m archivedMessage) is(leaves []dbsqlc.LeafListOfMessagesRow) bool {
	for _, leaf := range leaves {
		hash, there := m.leaves[leaf.LeafIndex]
		if !there || hash != hashOf(leaf.Hash) {
			return false
		}
	}
	return len(leaves) == len(m.leaves)
}

// leave records the payments whose messages leave, under their seals.
func (d *detaching) leave(ctx context.Context, q *dbsqlc.Queries, messages []uuid.UUID, stored map[uuid.UUID]*storedMessage) error {
	left := map[uuid.UUID]int64{}
	for _, id := range messages {
		left[stored[id].payment]++
	}
	rows, err := q.ArchivedPaymentLock(ctx, d.done.Realm, slices.Collect(maps.Keys(left)))
	if err != nil {
		return err
	}
	in := dbsqlc.ArchivedPaymentLeaveParams{Realm: d.done.Realm, ChangeID: &d.done.ChangeID}
	for _, row := range rows {
		record := store.ArchivedPayment(row)
		err = d.in.Seal.CheckArchivedPayment(record, store.Seal(row.KeyID, row.Seal))
		if err != nil {
			return fmt.Errorf("the record of payment %s: %w", row.PaymentID, err)
		}
		record.ChangeID, record.Messages = d.done.ChangeID, left[row.PaymentID]
		seal := d.in.Seal.SealArchivedPayment(record)
		in.KeyID, in.Seals = seal.KeyID, append(in.Seals, seal.MAC[:])
		in.Payments, in.Messages = append(in.Payments, row.PaymentID), append(in.Messages, record.Messages)
	}
	return q.ArchivedPaymentLeave(ctx, in)
}

// removeOf removes messages, marks their leaves, and counts both in the sealed record.
func (d *detaching) removeOf(ctx context.Context, q *dbsqlc.Queries, messages []uuid.UUID, leaves []dbsqlc.LeafListOfMessagesRow,
	done *auditlog.Detached, result *DetachResult,
) error {
	marks := dbsqlc.LeafArchiveParams{Realm: done.Realm}
	for _, leaf := range leaves {
		place := auditlog.Place{Realm: done.Realm, Index: leaf.LeafIndex, Leaf: auditlog.Leaf{Kind: auditlog.Kind(leaf.Kind), RowID: leaf.RowID}}
		seal := d.in.Signer.SealArchived(place, hashOf(leaf.Hash))
		marks.KeyID = seal.KeyID
		marks.Indexes, marks.Seals = append(marks.Indexes, leaf.LeafIndex), append(marks.Seals, seal.MAC[:])
		marks.Kinds = append(marks.Kinds, string(place.Leaf.Kind.Archived()))
	}
	marked, err := q.LeafArchive(ctx, marks)
	if err == nil && marked != int64(len(leaves)) {
		err = ErrTreeChanged
	}
	if err != nil {
		return err
	}
	gone, err := q.MessageRemove(ctx, done.Realm, messages)
	if err != nil {
		return err
	}
	done.Messages += int64(len(messages))
	done.Leaves += marked
	done.At = d.in.Now.UTC().Truncate(time.Microsecond)
	result.Messages, result.Rows = result.Messages+len(messages), result.Rows+gone
	seal := d.in.Seal.SealDetached(*done)
	return q.DetachedPut(ctx, dbsqlc.DetachedPutParams{
		Realm: done.Realm, ChangeID: done.ChangeID, Month: done.Month, Digest: done.Digest, Messages: done.Messages, Leaves: done.Leaves,
		At: done.At, KeyID: seal.KeyID, Seal: seal.MAC[:],
	})
}

// detached compares the records of archived rows with their seals, with the approvals of two administrators, and with the leaves that
// have no row. It counts leaves only of trees that were looked at whole.
func (a *audit) detached(ctx context.Context) ([]Violation, error) {
	rows, err := a.snapshot.q.DetachedList(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the archived months: %w", err)
	}
	keys, err := identity.MasterDataKeys(a.cfg.Tokens)
	if err != nil {
		return nil, err
	}
	found, err := a.archivedPayments(ctx, keys, rows)
	if err != nil {
		return nil, err
	}
	leaves, approved := map[string]int64{}, map[string][]auditlog.Detached{}
	for _, row := range rows {
		is := store.Detached(row)
		what := sealUnfit("", a.cfg.Seal.CheckDetached(is, store.Seal(row.KeyID, row.Seal)), "its month, its archive, its counts or its time")
		if _, read := approved[row.Realm]; !read {
			approved[row.Realm], err = archivesOf(ctx, a.snapshot.q, keys, row.Realm)
			if err != nil {
				return nil, err
			}
		}
		is.Messages, is.Leaves, is.At = 0, 0, time.Time{}
		if what == "" && !slices.Contains(approved[row.Realm], is) {
			what = "no two administrators approved this archive"
		}
		if what != "" {
			found = append(found, Violation{Realm: row.Realm, Table: "archived_month", Key: row.ChangeID.String(), What: what})
		}
		leaves[row.Realm] += row.Leaves
	}
	for realm, count := range a.archived {
		if leaves[realm] != count {
			found = append(found, Violation{Realm: realm, Table: "archived_month", Key: realm, What: fmt.Sprintf(
				"counts %d leaves whose rows left with an archive, and the tree has %d: one of its rows is gone, was put back or was added",
				leaves[realm], count,
			)})
		}
	}
	return found, nil
}

// archivedPayments compares the records of payments in archives with their seals, with the messages that left, and with the changes by
// which two administrators erased payments. Since a checkpoint it reads only the records without a data key.
func (a *audit) archivedPayments(ctx context.Context, keys keyring.Ring, months []dbsqlc.ArchivedMonth) ([]Violation, error) {
	var found []Violation
	unfit := func(realm, key, what string) {
		found = append(found, Violation{Realm: realm, Table: "archived_payment", Key: key, What: what})
	}
	left, erased := map[uuid.UUID]int64{}, map[uuid.UUID]auditlog.ArchivedPayment{}
	read := a.snapshot.q.ArchivedPaymentPage
	if len(a.since) > 0 {
		read = a.snapshot.q.ErasedPaymentPage
	}
	page := func(last dbsqlc.ArchivedPayment) ([]dbsqlc.ArchivedPayment, error) {
		return read(ctx, last.Realm, last.PaymentID, auditedPage)
	}
	err := eachRow(ctx, "check the records of archived payments", page, func(row dbsqlc.ArchivedPayment) error {
		record := store.ArchivedPayment(row)
		what := sealUnfit("", a.cfg.Seal.CheckArchivedPayment(record, store.Seal(row.KeyID, row.Seal)),
			"its data key, its archive, its messages or the change that erased it")
		if what != "" {
			unfit(row.Realm, row.PaymentID.String(), what)
		}
		left[record.ChangeID] += record.Messages
		if len(record.Key) == 0 {
			erased[record.PaymentID] = record
		}
		return nil
	})
	realms := map[string]bool{}
	for _, month := range months {
		realms[month.Realm] = true
		if len(a.since) == 0 && left[month.ChangeID] != month.Messages {
			unfit(month.Realm, month.ChangeID.String(), fmt.Sprintf(
				"of the %d messages of an archive %d are of its payments: a record with its data key is gone, or was added", month.Messages,
				left[month.ChangeID]))
		}
	}
	for realm := range realms {
		if err == nil {
			err = a.erased(ctx, keys, realm, func(id, change uuid.UUID) {
				if erased[id].ErasedBy != change {
					unfit(realm, id.String(), "two administrators had it erased, and its data key was put back, or its record is gone")
				}
				delete(erased, id)
			})
		}
	}
	for id, record := range erased {
		unfit(record.Realm, id.String(), "its data key was deleted, and no two administrators had it erased")
	}
	return found, err
}

// erased calls each for the payments of a realm that two administrators erased, with the change.
func (a *audit) erased(ctx context.Context, keys keyring.Ring, realm string, each func(id, change uuid.UUID)) error {
	return eachApproved(ctx, a.snapshot.q, keys, realm, administration.KindRealmErased, func(change uuid.UUID, after administration.Values) {
		for _, word := range administration.WordsOf[string](after["erasedPayments"]) {
			id, _ := uuid.Parse(word)
			each(id, change)
		}
	})
}
