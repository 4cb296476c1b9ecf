package payment

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"time"

	"github.com/google/uuid"
)

// Release hands the approved content to clearing. There is at most one for a message.
type Release struct {
	Realm       string
	InternalID  uuid.UUID
	Version     int
	Makers      []uuid.UUID
	Approvers   []uuid.UUID // people, in the order of their approvals; empty when none was needed
	ContentHash Digest
	AcceptedAt  time.Time // microseconds count; the database keeps no more
	KeyID       string
	MAC         [sha256.Size]byte
}

// ErrForged: a release's MAC or a document's digest does not match. It must not be sent.
var ErrForged = errors.New("the release does not match what was approved")

// Sealer makes and checks the MAC of releases. Its key is kept outside the database, so nobody who can write rows can make a release
// that the relay would send.
type Sealer struct {
	keyID string
	key   []byte
}

// NewSealer takes a secret key of at least 32 bytes and the name it goes by.
func NewSealer(keyID string, key []byte) (Sealer, error) {
	if len(key) < sha256.Size {
		return Sealer{}, errors.New("the release key needs at least 32 bytes")
	}
	return Sealer{keyID: keyID, key: key}, nil
}

// Check compares a stored release and the document it releases with the MAC. It fails with ErrForged.
func (s Sealer) Check(r Release, content []byte) error {
	mac := s.mac(r)
	if r.KeyID != s.keyID || !hmac.Equal(mac[:], r.MAC[:]) || sha256.Sum256(content) != r.ContentHash {
		return ErrForged
	}
	return nil
}

// mac is HMAC-SHA-256 over every field in a fixed order, each with its length before it, so that no two releases read alike.
func (s Sealer) mac(r Release) [sha256.Size]byte {
	h := hmac.New(sha256.New, s.key)
	field := func(b []byte) {
		h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(b)))) //nolint:gosec // fields are far below 4 GiB
		h.Write(b)
	}
	people := func(list []uuid.UUID) {
		joined := make([]byte, 0, 16*len(list))
		for _, id := range list {
			joined = append(joined, id[:]...)
		}
		field(joined)
	}
	field([]byte("countersign release 1"))
	field([]byte(s.keyID))
	field([]byte(r.Realm))
	field(r.InternalID[:])
	field(binary.BigEndian.AppendUint64(nil, uint64(r.Version))) //nolint:gosec // versions count from 1
	people(r.Makers)
	people(r.Approvers)
	field(r.ContentHash[:])
	field(binary.BigEndian.AppendUint64(nil, uint64(r.AcceptedAt.UnixMicro())))
	return [sha256.Size]byte(h.Sum(nil))
}

// release makes the release of the current version from the approvals it has.
func (m Message) release(approvals []Decision, at time.Time, seal Sealer) Release {
	approvers := make([]uuid.UUID, len(approvals))
	for i, d := range approvals {
		approvers[i] = d.PersonID
	}
	r := Release{
		Realm: m.Realm, InternalID: m.InternalID, Version: m.Version, Makers: m.Makers, Approvers: approvers,
		ContentHash: m.ContentHash, AcceptedAt: at, KeyID: seal.keyID,
	}
	r.MAC = seal.mac(r)
	return r
}
