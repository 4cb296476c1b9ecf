package payment

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/keyring"
)

// What a seal may tell. Web and stations branch on these.
var (
	// ErrForged: the row was not made by this gateway, or was changed afterwards. It must not be shown as ours, decided or sent.
	ErrForged = keyring.ErrForged
	// ErrUnknownKey: the key that sealed the row is not in the key file. An operator may bring it back, so nothing is known: what waits
	// for it is held, not ended.
	ErrUnknownKey = keyring.ErrUnknownKey
	// ErrUnsealed: the row has no seal, because it is older than seals are. It cannot be proven.
	ErrUnsealed = errors.New("there is no seal")
)

// Sealer makes and checks the seals of what is stored. Its keys are kept outside the database, so nobody who can write rows can make
// one that is shown, decided or sent as ours. Each purpose has a subkey of its own. The zero Sealer has no key: what it makes, the
// database refuses.
type Sealer struct {
	keys      keyring.Ring
	releases  keyring.Ring
	versions  keyring.Ring
	documents keyring.Ring
	answers   keyring.Ring
}

// NewSealer derives the subkeys of a key ring. The first key of the ring seals, all of them verify.
func NewSealer(keys keyring.Ring) (Sealer, error) {
	s := Sealer{keys: keys}
	for purpose, ring := range map[string]*keyring.Ring{
		"release": &s.releases, "version": &s.versions, "document": &s.documents, "outbox": &s.answers,
	} {
		derived, err := keys.Derive(purpose)
		if err != nil {
			return Sealer{}, fmt.Errorf("prepare the keys of the %s: %w", purpose, err)
		}
		*ring = derived
	}
	return s, nil
}

// KeyIDs names the keys of the ring; the first one seals.
func (s Sealer) KeyIDs() []string { return s.keys.IDs() }

// HasKey reports whether the ring has a key of this id.
func (s Sealer) HasKey(id string) bool { return s.keys.Has(id) }

// verify compares a stored seal with the fields. Errors: ErrUnsealed, ErrUnknownKey, ErrForged.
func verify(ring keyring.Ring, seal keyring.Seal, covered fields) error {
	if seal == (keyring.Seal{}) {
		return ErrUnsealed
	}
	return ring.Verify(seal, covered)
}

// fields are what a seal covers, in a fixed order, each with its length before it, so that no two lists read alike. The first names the
// layout, so that another layout never reads like this one.
type fields []byte

func (f *fields) bytes(value []byte) {
	*f = append(binary.BigEndian.AppendUint32(*f, uint32(len(value))), value...) //nolint:gosec // fields are far below 4 GiB
}

func (f *fields) text(values ...string) {
	for _, value := range values {
		*f = append(binary.BigEndian.AppendUint32(*f, uint32(len(value))), value...) //nolint:gosec // fields are far below 4 GiB
	}
}

func (f *fields) number(values ...int64) {
	for _, value := range values {
		*f = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(*f, 8), uint64(value)) //nolint:gosec // the bits count, not the sign
	}
}

// moment counts in microseconds; the database keeps no more.
func (f *fields) moment(at time.Time) { f.number(at.UnixMicro()) }

func (f *fields) id(ids ...uuid.UUID) {
	for _, id := range ids {
		f.bytes(id[:])
	}
}

// people are one field, so that nobody moves from one list to the next.
func (f *fields) people(list []uuid.UUID) {
	*f = binary.BigEndian.AppendUint32(*f, uint32(16*len(list))) //nolint:gosec // people are few
	for _, id := range list {
		*f = append(*f, id[:]...)
	}
}
