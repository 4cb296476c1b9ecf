package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"countersign/internal/keyring"
	"countersign/internal/postgres"
)

// private refuses a file of secrets that other accounts of this machine may read or change. Root's files are accepted, because service
// managers mount secrets that way. systemd lets the service's user read a credential by an access list, which shows as a readable group.
// The error text continues the file's name.
func private(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return errors.New("is no file: name a file of your own")
	}
	others := fs.FileMode(0o077)
	if filepath.Dir(path) == os.Getenv("CREDENTIALS_DIRECTORY") {
		others = 0o037
	}
	if mode := info.Mode().Perm(); mode&others != 0 {
		return fmt.Errorf("is open to others (mode %04o): run chmod 600 on it", mode)
	}
	stat, known := info.Sys().(*syscall.Stat_t)
	if known && stat.Uid != 0 && int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("belongs to user %d, and this program runs as user %d: give it to this user (chown)", stat.Uid, os.Geteuid())
	}
	return nil
}

// readPrivate reads a file of keys, which nobody else on this machine may read or change.
func readPrivate(path string) ([]byte, error) { return readPrivateOf("the keys", "the key file", path) }

// readPrivateOf is readPrivate for a file that holds something else: what it holds and what it is, in the words of the errors.
func readPrivateOf(what, file, path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	err = private(path, info)
	if err != nil {
		return nil, fmt.Errorf("%s %s %w", file, path, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	return text, nil
}

// The ids of the keys in files that hold nothing but the digits of one key.
const (
	bareReleaseKey = "release-1"
	bareTokenKey   = "token-1"
	bareAuditKey   = "audit-1"
)

// readRing reads a file of secret keys: lines "id hex", of which the first seals and all verify, or one line of nothing but 64 hexadecimal
// digits, which is the key called bareID. It refuses a file that others may read or change, and a key that was not made by chance.
func readRing(path, bareID string) (keyring.Ring, error) {
	text, err := readPrivate(path)
	if err != nil {
		return keyring.Ring{}, err
	}
	ring, err := keyring.Parse(text, bareID)
	if err != nil {
		return keyring.Ring{}, fmt.Errorf("read the keys of %s (make one: countersign key new --id ID): %w", path, err)
	}
	if weak := ring.Weak(); len(weak) > 0 {
		return keyring.Ring{}, fmt.Errorf(
			"the key %s in %s was not made by chance: make another one (countersign key new --id ID)", weak[0], path,
		)
	}
	return ring, nil
}

// readOrMakeRing reads a file of keys, or makes one with a new key if it does not exist: for the demo, whose keys are its own affair.
func readOrMakeRing(path, bareID string) (keyring.Ring, error) {
	ring, err := readRing(path, bareID)
	if !errors.Is(err, fs.ErrNotExist) {
		return ring, err
	}
	err = os.WriteFile(path, []byte(newKeyLine(bareID)), 0o600)
	if err != nil {
		return keyring.Ring{}, fmt.Errorf("keep the key: %w", postgres.Unwritable(path, err))
	}
	return readRing(path, bareID)
}

// newKeyLine makes a new key, as a line of a key file.
func newKeyLine(id string) string {
	key := make([]byte, keyring.KeyBytes)
	_, _ = rand.Read(key) // never fails, by its documentation
	return id + " " + hex.EncodeToString(key) + "\n"
}

type keyCommand struct {
	New    keyNewCommand    `cmd:"" help:"Print a new line for a key file. Put it first: it is used from the next start on."`
	Public keyPublicCommand `cmd:"" help:"Print the public keys of the audit trail, for verifying bundles."`
}

type keyPublicCommand struct {
	AuditKeyFile string `help:"File with the keys that sign the audit trail." required:"" env:"COUNTERSIGN_AUDIT_KEY_FILE"`
}

// Run prints a line for each key.
func (c *keyPublicCommand) Run() error {
	public, err := auditKeySettings{AuditKeyFile: c.AuditKeyFile}.all()
	if err == nil {
		fmt.Fprint(stdout, public)
	}
	return err
}

type keyNewCommand struct {
	ID string `help:"Name of the key: a-z, 0-9, dots and dashes, at most 32 characters, for example release-2027." required:""`
}

// Run prints the line. It goes to standard output and nowhere else.
func (c *keyNewCommand) Run() error {
	line := newKeyLine(c.ID)
	_, err := keyring.Parse([]byte(line), "")
	if err != nil {
		return fmt.Errorf("make the key %s: %w", c.ID, err)
	}
	fmt.Fprint(stdout, line)
	return nil
}
