package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"countersign/internal/auditlog"
	"countersign/internal/payment"
	"countersign/internal/store/integrity"
)

type archiveCommand struct {
	Realm       string `help:"Realm of the messages." required:""`
	Month       string `help:"Month by whose end they ended, such as 2026-03." required:""`
	Output      string `help:"File to write; it must not exist." required:""`
	DatabaseURL string `help:"PostgreSQL URL of a login that sees every row, as for check." required:"" env:"COUNTERSIGN_DATABASE_OWNER_URL,COUNTERSIGN_DATABASE_URL"`

	ReleaseKeyFile string `help:"File with the keys of releases, as serve has it: only messages that match their seals are archived." required:"" env:"COUNTERSIGN_RELEASE_KEY_FILE"`

	Keys auditKeySettings `embed:""`
}

// Run writes the archive, verifies the file and prints its digest. The file holds names and accounts: only its owner may read it.
func (c *archiveCommand) Run(ctx context.Context) error {
	trusted, err := c.Keys.all()
	if err != nil {
		return err
	}
	in := integrity.ArchiveInput{Realm: c.Realm, Month: c.Month, Now: time.Now(), Trusted: trusted}
	in.Seal, err = readSealer(c.ReleaseKeyFile)
	if err != nil {
		return err
	}
	snapshot, err := integrity.Open(ctx, c.DatabaseURL)
	if err != nil {
		return err
	}
	defer snapshot.Close(ctx)
	file, err := os.OpenFile(c.Output, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	_, err = snapshot.Archive(ctx, in, file)
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err != nil {
		return errors.Join(err, os.Remove(c.Output))
	}
	return printArchive(c.Output, trusted)
}

// readSealer reads the keys of releases.
func readSealer(path string) (payment.Sealer, error) {
	keys, err := readRing(path, bareReleaseKey)
	if err != nil {
		return payment.Sealer{}, err
	}
	return payment.NewSealer(keys)
}

// printArchive verifies an archive and prints what it proves.
func printArchive(path string, trusted auditlog.PublicKeys) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read the archive: %w", err)
	}
	defer func() { _ = file.Close() }()
	unshown := 0
	archive, err := auditlog.ReadArchive(file, trusted, func(m auditlog.ArchivedMessage) error {
		unshown += m.Proven.Unshown
		return nil
	})
	if err != nil {
		return fmt.Errorf("the archive proves nothing: %w", err)
	}
	fmt.Printf("proven: %d messages of realm %s that ended by the end of %s, signed by %s\n", archive.Messages, archive.Realm, archive.Month,
		archive.PublicKey)
	if unshown > 0 {
		fmt.Printf("of %d makers or deciders the archive does not tell who gave them their role: the trail did not tell it then\n", unshown)
	}
	fmt.Printf("SHA-256 of the file: %s\n", archive.Digest)
	return nil
}
