package auditlog_test

import (
	"crypto/ed25519"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"

	"countersign/internal/auditlog"
	"countersign/internal/keyring"
)

// stored keeps what the store keeps: leaves, and each eighth level of nodes.
type stored map[[2]int64]auditlog.Hash

func (s stored) read(level int, from, count int64) ([]auditlog.Hash, error) {
	var hashes []auditlog.Hash
	for i := from; i < from+count; i++ {
		hash, there := s[[2]int64{int64(level), i}]
		if !there {
			break
		}
		hashes = append(hashes, hash)
	}
	return hashes, nil
}

func grown(size int64) (auditlog.Tree, stored) {
	var tree auditlog.Tree
	kept := stored{}
	for i := range size {
		leaf := tlog.RecordHash([]byte{byte(i), byte(i >> 8), byte(i >> 16)})
		kept[[2]int64{0, i}] = leaf
		for _, node := range tree.Append(leaf) {
			kept[[2]int64{int64(node.Level), node.Index}] = node.Hash
		}
	}
	return tree, kept
}

// TestTheTreeIsTheOneOfRFC6962 holds roots, inclusion and consistency against the implementation of Go's checksum database.
func TestTheTreeIsTheOneOfRFC6962(t *testing.T) {
	t.Parallel()
	const most = 70_000 // beyond a node of level 16
	tree, kept := grown(most)
	reader := auditlog.NewStored(kept.read)
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(1, most).Draw(t, "size")
		root, err := tlog.TreeHash(size, reader)
		if err != nil {
			t.Fatal(err)
		}
		index := rapid.Int64Range(0, size-1).Draw(t, "leaf")
		proof, err := reader.Proof(size, index)
		if err != nil {
			t.Fatal(err)
		}
		c := auditlog.Checkpoint{Size: size, Root: root}
		if !c.Contains(index, kept[[2]int64{0, index}], proof) {
			t.Fatal("a good proof is refused")
		}
		if c.Contains(index, kept[[2]int64{0, (index + 1) % most}], proof) {
			t.Fatal("the proof of one leaf is taken for another")
		}
	})
	whole, err := tlog.TreeHash(most, reader)
	if err != nil || whole != tree.Root() {
		t.Errorf("the root is %s, not %s (%v)", tree.Root(), whole, err)
	}
	empty, err := tlog.TreeHash(0, nil)
	if err != nil || (auditlog.Tree{}).Root() != empty {
		t.Errorf("the root of the empty tree is %s (%v)", auditlog.Tree{}.Root(), err)
	}
}

func signer(t *testing.T, lines ...string) auditlog.Signer {
	t.Helper()
	ring, err := keyring.Parse([]byte(strings.Join(lines, "\n")), "")
	if err != nil {
		t.Fatal(err)
	}
	s, err := auditlog.NewSigner(ring)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var (
	oldKey = "audit-1 " + strings.Repeat("3d", keyring.KeyBytes)
	newKey = "audit-2 " + strings.Repeat("4e", keyring.KeyBytes)
)

func TestACheckpointIsSignedForItsRealm(t *testing.T) {
	t.Parallel()
	by := signer(t, oldKey)
	c := auditlog.Checkpoint{Realm: "demo", Size: 12, Root: auditlog.Hash{1}, At: time.Date(2026, 3, 2, 11, 0, 0, 123456789, time.UTC)}
	signed, err := by.Sign(c)
	if err != nil {
		t.Fatal(err)
	}
	read, err := by.Public().Read("demo", signed)
	if err != nil || read.Size != 12 || read.Root != c.Root || !read.At.Equal(c.At.Truncate(time.Microsecond)) {
		t.Fatalf("read %+v, %v", read, err)
	}
	_, err = by.Public().Read("demo2", signed)
	if err == nil {
		t.Error("a checkpoint of one realm counts in another")
	}
	_, err = signer(t, newKey).Public().Read("demo", signed)
	if err == nil {
		t.Error("a checkpoint counts that another key signed")
	}
	_, err = signer(t, newKey, oldKey).Public().Read("demo", signed)
	if err != nil {
		t.Errorf("after a rotation: %v", err)
	}
	for i := range len(signed) {
		changed := []byte(signed)
		changed[i] ^= 1
		read, err := by.Public().Read("demo", string(changed))
		if err == nil {
			t.Errorf("byte %d (%q) flipped, and it reads %+v", i, signed[i], read)
		}
	}
}

func TestPublicKeysAreReadBack(t *testing.T) {
	t.Parallel()
	public := signer(t, newKey, oldKey).Public()
	read, err := auditlog.ParsePublicKeys([]byte("# of the bank\n\n" + public.String()))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(read, public, func(a, b auditlog.PublicKey) bool { return a.ID == b.ID && a.Key.Equal(b.Key) }) {
		t.Errorf("read %v, want %v", read, public)
	}
	if len(public[0].Key) != ed25519.PublicKeySize || public[0].ID != "audit-2" {
		t.Errorf("the first key is %v", public[0])
	}
	for _, text := range []string{"", "# nothing", "audit-1", "audit-1 AAAA", "Audit-1 " + strings.Repeat("A", 43) + "="} {
		_, err := auditlog.ParsePublicKeys([]byte(text))
		if err == nil {
			t.Errorf("%q is taken for public keys", text)
		}
	}
}
