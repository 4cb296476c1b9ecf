package auditlog

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/mod/sumdb/note"
)

// bundleFormat is the format of bundles. Another one gets another number.
const bundleFormat = "countersign bundle 1"

// MaxBundle limits the size of a bundle in bytes: far above a message with all its documents.
const MaxBundle = 64 << 20

// Bundle proves the life of one message and its bytes; docs/bundle.md describes the format for other programs.
type Bundle struct {
	Format     string    `json:"format"`
	Realm      string    `json:"realm"`
	MessageID  string    `json:"messageId"`
	Checkpoint string    `json:"checkpoint"` // a signed note
	PublicKey  string    `json:"publicKey"`  // that signed it, as package note reads it
	Rows       []Row     `json:"rows"`       // in the order of the tree
	Contents   []Content `json:"contents"`
	// Rights are the rows that gave the makers and deciders their roles, in the order of the tree; Changes are the contents of the requested
	// changes; Grants are the grants of the roles in the master data under which they acted.
	Rights  []Row           `json:"rights"`
	Changes []ChangeContent `json:"changes"`
	Grants  []GrantRow      `json:"grants"`
}

// Row is a leaf with its way up to the checkpoint's root.
type Row struct {
	Index int64  `json:"index"`
	Leaf  string `json:"leaf"`
	Proof []Hash `json:"proof"`
}

// Content is the bytes of a document and, of a version whose payee verification found a close match, the name of the account.
type Content struct {
	DocumentID string `json:"documentId"`
	Content    []byte `json:"content"`
	PayeeName  string `json:"payeeName,omitempty"`
	Source     []byte `json:"source,omitempty"`
}

// GrantRow is a row of the grant of a role with its way up to the root of the master data under a head.
type GrantRow struct {
	Head   int64  `json:"head"` // its number
	Index  int64  `json:"index"`
	Proof  []Hash `json:"proof"`
	Record []byte `json:"record"`
}

// ChangeContent is the content of a change of administration: values, before and after.
type ChangeContent struct {
	ChangeID string `json:"changeId"`
	Content  []byte `json:"content"`
}

// Encode writes the bundle as a file: one line of RFC 8785 canonical JSON, and one with its SHA-256 in hexadecimal digits.
func (b Bundle) Encode() ([]byte, error) {
	b.Format = bundleFormat
	line, err := canonical(b)
	if err != nil {
		return nil, fmt.Errorf("write the bundle: %w", err)
	}
	digest := sha256.Sum256(line)
	return append(append(line, '\n'), hex.EncodeToString(digest[:])+"\n"...), nil
}

// canonical writes a value as RFC 8785 canonical JSON, independent of the order of its fields.
func canonical(value any) ([]byte, error) {
	text, err := written(value)
	if err != nil {
		return nil, err
	}
	canonical := jsontext.Value(text)
	err = canonical.Canonicalize()
	if err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return canonical, nil
}

// Proven adds the public key that signed the checkpoint and returns the file of the bundle, which it has verified against the trusted keys.
func (b Bundle) Proven(trusted PublicKeys) ([]byte, error) {
	key, err := trusted.SignerOf(b.Realm, b.Checkpoint)
	if err != nil {
		return nil, fmt.Errorf("find the key that signed the checkpoint: %w", err)
	}
	b.PublicKey = key.Line(b.Realm)
	file, err := b.Encode()
	if err != nil {
		return nil, err
	}
	read, err := ParseBundle(file)
	if err == nil {
		_, err = read.Verify(trusted)
	}
	if err != nil {
		return nil, unproven(err)
	}
	return file, nil
}

func unproven(err error) error {
	return fmt.Errorf("the stored rows do not prove the message (countersign check names them): %w", err)
}

// ParseBundle reads a file in its one form: no byte may differ.
func ParseBundle(file []byte) (Bundle, error) {
	if len(file) > MaxBundle {
		return Bundle{}, fmt.Errorf("the bundle is larger than %d bytes", MaxBundle)
	}
	line, rest, found := bytes.Cut(file, []byte("\n"))
	digest := sha256.Sum256(line)
	if !found || string(rest) != hex.EncodeToString(digest[:])+"\n" {
		return Bundle{}, errors.New("the file is damaged: its second line is not the SHA-256 of the first")
	}
	again := jsontext.Value(bytes.Clone(line))
	err := again.Canonicalize()
	if err != nil || !bytes.Equal(again, line) {
		return Bundle{}, errors.New("the first line is not canonical JSON (RFC 8785)")
	}
	var b Bundle
	err = json.Unmarshal(line, &b, json.RejectUnknownMembers(true))
	if err != nil {
		return Bundle{}, fmt.Errorf("the first line is no bundle: %w", err)
	}
	written, err := canonical(b)
	whole := b.Rows != nil && b.Contents != nil && b.Rights != nil && b.Changes != nil && b.Grants != nil
	if err != nil || !whole || !bytes.Equal(written, line) || b.Format != bundleFormat {
		return Bundle{}, errors.New("the first line is no bundle of the format " + bundleFormat)
	}
	return b, nil
}

// Verify verifies the bundle. trusted are the public keys of its expected issuer; without any, the key in the bundle is used, and the
// caller must compare it with the published one. The error names the part that does not fit.
func (b Bundle) Verify(trusted PublicKeys) (Proven, error) {
	checkpoint, err := b.verifyCheckpoint(trusted)
	if err != nil {
		return Proven{}, err
	}
	return b.verifyUnder(checkpoint, true)
}

// verifyUnder verifies the bundle under its verified checkpoint, or all but the contents of the documents: it then proves their digests
// alone.
func (b Bundle) verifyUnder(checkpoint Checkpoint, opened bool) (Proven, error) {
	p := proving{bundle: b, opened: opened, named: map[string]bool{}, rights: newRights()}
	p.proven = Proven{Checkpoint: checkpoint, Documents: make(map[string]Document), Payees: map[int]PayeeResult{}}
	err := eachRow(checkpoint, b.Rights, func(data []byte) error { return p.rights.take(b.Realm, data) })
	if err == nil {
		err = p.rights.conclude(b.Changes)
	}
	if err == nil {
		err = eachRow(checkpoint, b.Rows, p.take)
	}
	if err == nil {
		err = p.grants()
	}
	if err != nil {
		return Proven{}, err
	}
	return p.conclude()
}

// eachRow proves that rows are in the tree, in their order, and hands over their leaves.
func eachRow(checkpoint Checkpoint, rows []Row, take func(data []byte) error) error {
	after := int64(-1)
	for _, row := range rows {
		leaf := Leaf{Data: []byte(row.Leaf)}
		if row.Proof == nil || row.Index <= after || !checkpoint.Contains(row.Index, leaf.Hash(), row.Proof) {
			return fmt.Errorf("row %d is not in the tree of the checkpoint, or not in its place", row.Index)
		}
		after = row.Index
		err := take(leaf.Data)
		if err != nil {
			return fmt.Errorf("row %d: %w", row.Index, err)
		}
	}
	return nil
}

// verifyCheckpoint verifies the signature, and that the key is trusted.
func (b Bundle) verifyCheckpoint(trusted PublicKeys) (Checkpoint, error) {
	if len(trusted) > 0 {
		known := false
		for _, key := range trusted {
			known = known || key.Line(b.Realm) == b.PublicKey
		}
		if !known {
			return Checkpoint{}, errors.New("the key of the bundle is none of those that are trusted")
		}
	}
	verifier, err := note.NewVerifier(b.PublicKey)
	if err != nil || verifier.Name() != origin(b.Realm) {
		return Checkpoint{}, errors.New("the public key is no key of this realm")
	}
	opened, err := note.Open([]byte(b.Checkpoint), note.VerifierList(verifier))
	if err != nil {
		return Checkpoint{}, fmt.Errorf("the checkpoint: %w", err)
	}
	checkpoint, err := parseCheckpoint(opened.Text)
	alone := strings.Count(b.Checkpoint, "\n— ") == 1 // the library passes over a signature that stands there twice
	if err != nil || checkpoint.Realm != b.Realm || len(opened.UnverifiedSigs) > 0 || len(opened.Sigs) != 1 || !alone ||
		!onlyForm(opened) {
		return Checkpoint{}, errors.New("the checkpoint is none of this realm, or signed otherwise")
	}
	return checkpoint, nil
}
