package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"countersign/internal/auditlog"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/internal/store/integrity"
)

type archiveCommand struct {
	Realm       string `help:"Realm of the messages."`
	Month       string `help:"Archive messages that ended by the end of this month, such as 2026-03."`
	Output      string `help:"File to write; it must not exist."`
	Detach      string `help:"Archive approved by two administrators, whose rows to remove from the database." placeholder:"FILE"`
	DatabaseURL string `help:"PostgreSQL URL of the schema's owner, which stores the data keys of archives." required:"" env:"COUNTERSIGN_DATABASE_OWNER_URL,COUNTERSIGN_DATABASE_URL"`

	ReleaseKeyFile string `help:"File with the release keys, as for serve. Only messages that match their seals are archived." required:"" env:"COUNTERSIGN_RELEASE_KEY_FILE"`
	TokenKeyFile   string `help:"File with the token keys, as for serve. Needed by --detach: they seal the approvals." env:"COUNTERSIGN_TOKEN_KEY_FILE"`

	Keys auditKeySettings `embed:""`
}

// Run writes or detaches an archive.
func (c *archiveCommand) Run(ctx context.Context) error {
	if c.Detach != "" {
		return c.detach(ctx)
	}
	if c.Realm == "" || c.Month == "" || c.Output == "" {
		return &unusableError{"give --realm, --month and --output to write an archive, or --detach and the archive"}
	}
	return c.write(ctx)
}

// write writes the archive, verifies the file and prints its digest.
func (c *archiveCommand) write(ctx context.Context) error {
	trusted, err := c.Keys.all()
	if err != nil {
		return err
	}
	in := integrity.ArchiveInput{Realm: c.Realm, Month: c.Month, Trusted: trusted}
	in.Now, err = store.ServerTime(ctx, c.DatabaseURL)
	if err != nil {
		return err
	}
	in.Seal, err = readSealer(c.ReleaseKeyFile)
	if err != nil {
		return err
	}
	in.Keys = &integrity.ContentKeys{URL: c.DatabaseURL}
	defer in.Keys.Close(ctx)
	file, err := os.OpenFile(c.Output, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	_, err = fromSnapshot(ctx, c.DatabaseURL, func(s *integrity.Snapshot) (int, error) { return s.Archive(ctx, in, file) })
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err != nil {
		return errors.Join(err, os.Remove(c.Output))
	}
	_, err = printArchive(c.Output, trusted, in.Keys.Keys(ctx))
	return err
}

// detachBatch is the number of messages that leave in one transaction: some 40 ms of locks on rows that nobody needs.
const detachBatch = 200

// detach removes the rows of an archive from the database and prints what left.
func (c *archiveCommand) detach(ctx context.Context) error {
	in := integrity.DetachInput{OwnerURL: c.DatabaseURL, Batch: detachBatch}
	ring, _, err := c.Keys.read()
	if err == nil {
		in.Now, err = store.ServerTime(ctx, c.DatabaseURL)
	}
	if err == nil {
		in.Signer, err = auditlog.NewSigner(ring)
	}
	if err == nil {
		in.Seal, err = readSealer(c.ReleaseKeyFile)
	}
	if err == nil {
		in.Tokens, err = readRing(c.TokenKeyFile, bareTokenKey)
	}
	if err != nil {
		return err
	}
	if in.Signer.Empty() {
		return errors.New("give --audit-key-file: it seals the places of what leaves")
	}
	file, err := os.Open(c.Detach)
	if err != nil {
		return fmt.Errorf("read the archive: %w", err)
	}
	defer func() { _ = file.Close() }()
	in.Archive = file
	began := time.Now()
	done, err := integrity.Detach(ctx, in)
	fmt.Fprintf(stdout, "%d of %d messages left the database, with %d rows in %s; %d had left before\n",
		done.Messages, done.Archive.Messages, done.Rows, time.Since(began).Round(time.Millisecond), done.Earlier)
	if err == nil && done.Stayed > 0 {
		err = fmt.Errorf("%s changed since the archive was written, with the messages about the same payments, and stay: "+
			"a later archive has them", counted(done.Stayed, "message"))
	}
	return err
}

// readSealer reads the keys of releases.
func readSealer(path string) (payment.Sealer, error) {
	keys, err := readRing(path, bareReleaseKey)
	if err != nil {
		return payment.Sealer{}, err
	}
	return payment.NewSealer(keys)
}

// printArchive verifies an archive and prints the facts that it proves.
func printArchive(path string, trusted auditlog.PublicKeys, keys auditlog.ContentKey) (auditlog.Archive, error) {
	file, err := os.Open(path)
	if err != nil {
		return auditlog.Archive{}, fmt.Errorf("read the archive: %w", err)
	}
	defer func() { _ = file.Close() }()
	unshown := 0
	archive, err := auditlog.ReadArchive(file, trusted, keys, func(m auditlog.ArchivedMessage) error {
		unshown += m.Proven.Unshown
		return nil
	})
	if err != nil {
		return archive, fmt.Errorf("the archive proves nothing: %w", err)
	}
	fmt.Fprintf(stdout,
		"proven: %d messages of realm %s that ended by the end of %s, signed by %s\n", archive.Messages, archive.Realm, archive.Month,
		archive.PublicKey)
	fmt.Fprintf(stdout,
		"contents of %d messages proven; of %d erased and of %d whose data key is not at hand, decisions, amounts and digests\n",
		archive.Messages-archive.Erased-archive.Closed, archive.Erased, archive.Closed)
	if unshown > 0 {
		fmt.Fprintf(stdout,
			"of %d makers or deciders the archive does not tell who gave them their role: the trail did not tell it then\n", unshown)
	}
	fmt.Fprintf(stdout, "SHA-256 of the file: %s\n", archive.Digest)
	return archive, nil
}
