package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"time"

	"countersign/internal/identity"
)

// DeviceLife limits how long a browser counts as known after a sign-in.
const DeviceLife = 180 * 24 * time.Hour

// device is a browser in which a name signed in before. Its tries are counted apart from the name's, so that nobody can lock people out of
// their own browser by guessing. Its text is the id, the end in seconds, and a keyed digest over both, the realm and the name: it cannot be
// made without the key, and does not reveal its owner.
type device struct {
	id     [16]byte
	endsAt time.Time
}

// NewDevice makes the text by which this browser is recognised as one in which the name signed in.
func (s *Service) NewDevice(realm, name string) string {
	d := device{id: [16]byte(random(16)), endsAt: s.now().Add(DeviceLife)}
	digest := s.deviceDigests(d, realm, identity.NormaliseName(name))[0]
	text := binary.BigEndian.AppendUint64(d.id[:], uint64(d.endsAt.Unix())) //nolint:gosec // after 1970
	return base64.RawURLEncoding.EncodeToString(append(text, digest[:]...))
}

// deviceOf reads the text of a browser. It is none unless it was made for this realm and name, and has not ended.
func (s *Service) deviceOf(text, realm, name string) (device, bool) {
	const size = 16 + 8 + sha256.Size
	if len(text) != base64.RawURLEncoding.EncodedLen(size) {
		return device{}, false
	}
	read, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return device{}, false
	}
	d := device{id: [16]byte(read[:16]), endsAt: time.Unix(int64(binary.BigEndian.Uint64(read[16:24])), 0)} //nolint:gosec // as it was written
	for _, digest := range s.deviceDigests(d, realm, name) {
		if subtle.ConstantTimeCompare(digest[:], read[24:]) == 1 {
			return d, s.now().Before(d.endsAt)
		}
	}
	return device{}, false
}

func (s *Service) deviceDigests(d device, realm, name string) [][sha256.Size]byte {
	end := binary.BigEndian.AppendUint64(nil, uint64(d.endsAt.Unix())) //nolint:gosec // after 1970
	return s.keys.devices.Digests([]byte(realm), []byte(name), d.id[:], end)
}

// counter returns the key under which a try is counted: the device when it is known for the name, else the name.
func (s *Service) counter(a attempt, name string) [sha256.Size]byte {
	known, ok := s.deviceOf(a.device, a.realm, name)
	if !ok {
		return s.keys.names.Digests([]byte(a.realm), []byte(name))[0]
	}
	return s.keys.names.Digests([]byte(a.realm), []byte(name), known.id[:])[0]
}
