package auditlog

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"countersign/internal/keyring"
)

// originPrefix begins the origin of every checkpoint; the realm follows.
const originPrefix = "countersign/"

// Checkpoint is the size and root of a realm's tree at a time, and the number of the newest head of its master data.
type Checkpoint struct {
	Realm string
	Size  int64
	Root  Hash
	At    time.Time
	Head  int64
}

// ErrNoCheckpoint reports a text that is no checkpoint of this gateway's form.
var ErrNoCheckpoint = errors.New("is no checkpoint")

// origin names the tree of a realm, and the key under which its checkpoints are signed: a signature for one realm is none for another.
func origin(realm string) string { return originPrefix + realm }

// text returns the signed text of the checkpoint: origin, size, root, time and head, a line each.
func (c Checkpoint) text() string {
	root := base64.StdEncoding.EncodeToString(c.Root[:])
	return fmt.Sprintf("%s\n%d\n%s\ntime %s\nhead %d\n", origin(c.Realm), c.Size, root, stamp(c.At), c.Head)
}

// stamp writes a time as checkpoints have it: UTC, to the microsecond.
func stamp(at time.Time) string { return at.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano) }

// parseCheckpoint reads the text that was signed.
func parseCheckpoint(text string) (Checkpoint, error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 6 || lines[5] != "" || !strings.HasPrefix(lines[0], originPrefix) {
		return Checkpoint{}, ErrNoCheckpoint
	}
	c := Checkpoint{Realm: strings.TrimPrefix(lines[0], originPrefix)}
	var err error
	c.Size, err = strconv.ParseInt(lines[1], 10, 64)
	if err != nil || c.Size < 0 {
		return Checkpoint{}, ErrNoCheckpoint
	}
	root, err := base64.StdEncoding.DecodeString(lines[2])
	if err != nil || len(root) != len(c.Root) {
		return Checkpoint{}, ErrNoCheckpoint
	}
	copy(c.Root[:], root)
	c.At, err = time.Parse(time.RFC3339Nano, strings.TrimPrefix(lines[3], "time "))
	if err == nil {
		c.Head, err = strconv.ParseInt(strings.TrimPrefix(lines[4], "head "), 10, 64)
	}
	if err != nil || c.Head < 0 || c.text() != text {
		return Checkpoint{}, ErrNoCheckpoint
	}
	return c, nil
}

// Signer signs checkpoints, and seals the places of leaves. The first key signs; all of them verify.
type Signer struct {
	keys  []keyring.SigningKey
	seals keyring.Ring
}

// NewSigner makes the signer of a ring of keys.
func NewSigner(ring keyring.Ring) (Signer, error) {
	keys, err := ring.SigningKeys("audit checkpoint")
	if err != nil {
		return Signer{}, err
	}
	seals, err := ring.Derive("audit leaf")
	return Signer{keys: keys, seals: seals}, err
}

// Empty reports whether there is no key, so that nothing can be sealed.
func (s Signer) Empty() bool { return len(s.keys) == 0 }

// Public are the public keys, the one that signs first.
func (s Signer) Public() PublicKeys {
	public := make(PublicKeys, len(s.keys))
	for i, key := range s.keys {
		public[i] = PublicKey{ID: key.ID, Key: key.Key.Public().(ed25519.PublicKey)}
	}
	return public
}

// Sign writes the checkpoint under the first key, as a signed note.
func (s Signer) Sign(c Checkpoint) (string, error) {
	if s.Empty() {
		return "", errors.New("sign a checkpoint: there is no key")
	}
	c.At = c.At.UTC().Truncate(time.Microsecond)
	signer, err := note.NewSigner(privateKey(origin(c.Realm), s.keys[0].Key))
	if err != nil {
		return "", fmt.Errorf("sign a checkpoint: %w", err)
	}
	signed, err := note.Sign(&note.Note{Text: c.text()}, signer)
	if err != nil {
		return "", fmt.Errorf("sign a checkpoint: %w", err)
	}
	return string(signed), nil
}

// privateKey formats a key for package note.
func privateKey(name string, key ed25519.PrivateKey) string {
	public, _ := note.NewEd25519VerifierKey(name, key.Public().(ed25519.PublicKey))
	hash := strings.TrimPrefix(public, name+"+")[:8]
	return "PRIVATE+KEY+" + name + "+" + hash + "+" + base64.StdEncoding.EncodeToString(append([]byte{1}, key.Seed()...))
}

// Place is a leaf with its place in a tree.
type Place struct {
	Realm string
	Index int64
	Leaf  Leaf
}

func (p Place) fields(hash Hash) keyring.Fields {
	var fields keyring.Fields
	fields.Text("audit leaf 1", p.Realm, string(p.Leaf.Kind))
	fields.Number(p.Index)
	fields.ID(p.Leaf.RowID)
	fields.Bytes(hash[:])
	return fields
}

// Seal returns the seal of a leaf's place: with it the check names a changed place.
func (s Signer) Seal(p Place) keyring.Seal { return s.seals.Seal(p.fields(p.Leaf.Hash())) }

// SealArchived returns the seal of the place of a row that leaves the database; hash is that of its leaf.
func (s Signer) SealArchived(p Place, hash Hash) keyring.Seal {
	p.Leaf.Kind = p.Leaf.Kind.Archived()
	return s.seals.Seal(p.fields(hash))
}

// Check checks the seal of a place with this hash. Errors: those of keyring.Ring.
func (s Signer) Check(p Place, hash Hash, seal keyring.Seal) error {
	return s.seals.Verify(seal, p.fields(hash))
}

// PublicKey verifies checkpoints.
type PublicKey struct {
	ID  string
	Key ed25519.PublicKey
}

// PublicKeys verify checkpoints that any of them signed.
type PublicKeys []PublicKey

// String writes the keys as files hold them: a line "id base64" each.
func (p PublicKeys) String() string {
	var text strings.Builder
	for _, key := range p {
		text.WriteString(key.ID + " " + base64.StdEncoding.EncodeToString(key.Key) + "\n")
	}
	return text.String()
}

var publicLine = regexp.MustCompile(`^([a-z0-9][a-z0-9.-]{0,31}) ([A-Za-z0-9+/]{43}=)$`)

// ParsePublicKeys reads a file of public keys.
func ParsePublicKeys(text []byte) (PublicKeys, error) {
	var public PublicKeys
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		found := publicLine.FindStringSubmatch(line)
		if found == nil {
			return nil, errors.New("a line of public keys is an id, a space and 32 bytes in base64: countersign key public prints them")
		}
		key, err := base64.StdEncoding.DecodeString(found[2])
		if err != nil {
			return nil, fmt.Errorf("read the public key %s: %w", found[1], err)
		}
		public = append(public, PublicKey{ID: found[1], Key: key})
	}
	if len(public) == 0 {
		return nil, errors.New("there is no public key in the file: countersign key public prints them")
	}
	return public, nil
}

// Line returns the key that verifies checkpoints of a realm, in the form of package note.
func (p PublicKey) Line(realm string) string {
	line, _ := note.NewEd25519VerifierKey(origin(realm), p.Key)
	return line
}

// SignerOf is the key that signed a checkpoint of a realm. Errors: as Read.
func (p PublicKeys) SignerOf(realm, signed string) (PublicKey, error) {
	var last error
	for _, key := range p {
		_, err := PublicKeys{key}.Read(realm, signed)
		if err == nil {
			return key, nil
		}
		last = err
	}
	return PublicKey{}, errors.Join(errors.New("none of the keys signed it"), last)
}

// SplitCheckpoints splits a text of several signed checkpoints.
func SplitCheckpoints(text string) []string {
	var notes []string
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, originPrefix):
			notes = append(notes, line)
		case len(notes) > 0:
			notes[len(notes)-1] += line
		}
	}
	for i, each := range notes {
		notes[i] = strings.TrimRight(each, "\n") + "\n"
	}
	return notes
}

// RealmOf returns the realm that a checkpoint names; "" for none.
func RealmOf(signed string) string {
	first, _, _ := strings.Cut(signed, "\n")
	realm, found := strings.CutPrefix(first, originPrefix)
	if !found {
		return ""
	}
	return realm
}

// Read verifies a signed checkpoint of a realm.
//
// Errors: ErrNoCheckpoint; note.UnverifiedNoteError when none of the keys signed it; note.InvalidSignatureError.
func (p PublicKeys) Read(realm, signed string) (Checkpoint, error) {
	verifiers := make([]note.Verifier, 0, len(p))
	for _, key := range p {
		verifier, err := note.NewVerifier(key.Line(realm))
		if err != nil {
			return Checkpoint{}, fmt.Errorf("use the public key %s: %w", key.ID, err)
		}
		verifiers = append(verifiers, verifier)
	}
	opened, err := note.Open([]byte(signed), note.VerifierList(verifiers...))
	if err != nil {
		return Checkpoint{}, fmt.Errorf("verify a checkpoint: %w", err)
	}
	c, err := parseCheckpoint(opened.Text)
	if err == nil && (c.Realm != realm || !onlyForm(opened)) {
		err = ErrNoCheckpoint
	}
	return c, err
}

// onlyForm reports whether the signatures of a note are written in the one way that base64 has for their bytes: the library ignores the
// unused bits of the last character.
func onlyForm(opened *note.Note) bool {
	for _, signature := range opened.Sigs {
		_, err := base64.StdEncoding.Strict().DecodeString(signature.Base64)
		if err != nil {
			return false
		}
	}
	return true
}
