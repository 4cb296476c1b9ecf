package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/keyring"
	"countersign/internal/payment"
	"countersign/internal/store/integrity"
)

type auditCommand struct {
	Verify     auditVerifyCommand     `cmd:"" help:"Verify a bundle without a database, or the whole sealed audit trail of a database."`
	Export     auditExportCommand     `cmd:"" help:"Write a bundle that proves one message: its content, decisions, and sent and received documents."`
	Checkpoint auditCheckpointCommand `cmd:"" help:"Print the newest signed checkpoint of each realm. Store them outside the database."`
}

// auditKeySettings say which keys checkpoints are held against.
type auditKeySettings struct {
	AuditKeyFile  string `help:"File with the keys that sign the audit trail, as for serve." env:"COUNTERSIGN_AUDIT_KEY_FILE"`
	PublicKeyFile string `help:"File with the public keys (countersign key public), for verification without the private keys."`
}

// read reads both files, as far as they were given.
func (s auditKeySettings) read() (ring keyring.Ring, public auditlog.PublicKeys, err error) {
	if s.PublicKeyFile != "" {
		text, err := os.ReadFile(s.PublicKeyFile)
		if err != nil {
			return ring, nil, fmt.Errorf("read the public keys: %w", err)
		}
		public, err = auditlog.ParsePublicKeys(text)
		if err != nil {
			return ring, nil, fmt.Errorf("%s: %w", s.PublicKeyFile, err)
		}
	}
	if s.AuditKeyFile != "" {
		ring, err = readRing(s.AuditKeyFile, bareAuditKey)
	}
	return ring, public, err
}

// all are the public keys of both files.
func (s auditKeySettings) all() (auditlog.PublicKeys, error) {
	ring, public, err := s.read()
	if err != nil {
		return nil, err
	}
	signer, err := auditlog.NewSigner(ring)
	return append(signer.Public(), public...), err
}

type auditVerifyCommand struct {
	Bundle       string `arg:"" optional:"" help:"Bundle or archive to verify. If omitted, the database is verified."`
	DatabaseURL  string `help:"PostgreSQL URL of a login that sees every row, as for check. With an archive: for its data keys." env:"COUNTERSIGN_DATABASE_OWNER_URL,COUNTERSIGN_DATABASE_URL"`
	TokenKeyFile string `help:"File with the token keys, as for serve. They seal the approval of an archive." env:"COUNTERSIGN_TOKEN_KEY_FILE"`
	Earlier      string `help:"File with checkpoints printed earlier. Verifies that the trail has only grown since."`

	Keys auditKeySettings `embed:""`
}

// Run proves the bundle, or the database.
func (c *auditVerifyCommand) Run(ctx context.Context) error {
	if c.Bundle != "" {
		return c.bundle(ctx)
	}
	if c.DatabaseURL == "" {
		return errors.New("name a bundle, or give the database with COUNTERSIGN_DATABASE_OWNER_URL")
	}
	cfg := integrity.Config{DatabaseURL: c.DatabaseURL, Now: time.Now()}
	var err error
	cfg.AuditKeys, cfg.AuditPublic, err = c.Keys.read()
	if err != nil {
		return err
	}
	if cfg.AuditKeys.Empty() && len(cfg.AuditPublic) == 0 {
		return errors.New("give --audit-key-file, or --public-key-file where only the public keys may be known")
	}
	if c.Earlier != "" {
		text, err := os.ReadFile(c.Earlier)
		if err != nil {
			return fmt.Errorf("read the earlier checkpoints: %w", err)
		}
		cfg.Earlier = auditlog.SplitCheckpoints(string(text))
		if len(cfg.Earlier) == 0 {
			return fmt.Errorf("%s holds no checkpoint: countersign audit checkpoint prints them", c.Earlier)
		}
	}
	began := time.Now()
	report, err := integrity.CheckTrail(ctx, cfg)
	if err != nil {
		return err
	}
	err = writeReport(stdout, report, time.Since(began))
	if err == nil && report.Broken() > 0 {
		err = errors.New("the audit trail is not what was sealed: docs/operations.md says what to do")
	}
	return err
}

// bundle verifies a bundle, or an archive, and prints the facts that it proves. A given database has the data keys of archives.
func (c *auditVerifyCommand) bundle(ctx context.Context) error {
	trusted, err := c.Keys.all()
	if err != nil {
		return err
	}
	keys := integrity.ContentKeys{URL: c.DatabaseURL}
	defer keys.Close(ctx)
	archive, err := printArchive(c.Bundle, trusted, keys.Keys(ctx))
	switch {
	case errors.Is(err, auditlog.ErrNoArchive):
		err = printBundle(c.Bundle, trusted)
	case err == nil && c.DatabaseURL != "":
		err = c.approved(ctx, archive)
	}
	if err == nil && len(trusted) == 0 {
		fmt.Fprintln(stdout, "Nobody said which key to trust (--public-key-file): compare the key above with the one the institution published.")
	}
	return err
}

// approved compares an archive with those of its month that two administrators approved, and prints the result. Another digest is an error.
func (c *auditVerifyCommand) approved(ctx context.Context, archive auditlog.Archive) error {
	if c.TokenKeyFile == "" {
		fmt.Fprintln(stdout, "not compared with the approval of two administrators: give --token-key-file")
		return nil
	}
	tokens, err := readRing(c.TokenKeyFile, bareTokenKey)
	if err != nil {
		return err
	}
	approved, err := fromSnapshot(ctx, c.DatabaseURL, func(s *integrity.Snapshot) (bool, error) { return s.Approved(ctx, tokens, archive) })
	switch {
	case err != nil:
		return err
	case approved:
		fmt.Fprintln(stdout, "approved by two administrators")
	default:
		fmt.Fprintln(stdout, "not approved by two administrators yet")
	}
	return nil
}

// fromSnapshot reads from a snapshot of the database.
func fromSnapshot[T any](ctx context.Context, url string, read func(*integrity.Snapshot) (T, error)) (T, error) {
	snapshot, err := integrity.Open(ctx, url)
	if err != nil {
		var none T
		return none, err
	}
	defer snapshot.Close(ctx)
	return read(snapshot)
}

// printBundle verifies a bundle and prints the facts it proves.
func printBundle(path string, trusted auditlog.PublicKeys) error {
	file, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the bundle: %w", err)
	}
	bundle, err := auditlog.ParseBundle(file)
	if err != nil {
		return err
	}
	proven, err := bundle.Verify(trusted)
	if err != nil {
		return fmt.Errorf("the bundle proves nothing: %w", err)
	}
	printProven(bundle, proven)
	return nil
}

// printProven prints the facts a bundle proves, one a line.
func printProven(bundle auditlog.Bundle, proven auditlog.Proven) {
	fmt.Fprintf(stdout,
		"proven: message %s of realm %s, under the checkpoint of %s with %d rows, signed by %s\n", bundle.MessageID, bundle.Realm,
		proven.Checkpoint.At.Format(time.RFC3339), proven.Checkpoint.Size, bundle.PublicKey)
	for _, event := range proven.Events {
		line := fmt.Sprintf("%s %s by %s", event.At.Format(time.RFC3339), event.Event, event.ActorName)
		if event.Decision != nil {
			line += fmt.Sprintf(", of content %x, under the grant %s of %s", []byte(event.Decision.ContentHash), event.Decision.GrantID,
				event.Decision.GrantedAt)
		}
		if event.Version != nil {
			line += fmt.Sprintf(", version %d of %s %s", event.Version.Number, event.Version.Amount, event.Version.Currency)
		}
		fmt.Fprintln(stdout, line)
	}
	for _, version := range slices.Sorted(maps.Keys(proven.Payees)) {
		found := proven.Payees[version]
		fmt.Fprintf(stdout, "version %d: the verification of the payee came to %s %s\n", version, found.Result, found.Name)
	}
	printRights(proven)
	for _, content := range bundle.Contents {
		d := proven.Documents[content.DocumentID]
		fmt.Fprintf(stdout,
			"document %s %s %s, %d bytes, sha256 %x\n", d.Direction, d.Name, d.Reference, len(content.Content), []byte(d.ContentHash))
	}
}

// printRights prints who gave the makers and deciders their roles.
func printRights(proven auditlog.Proven) {
	for _, right := range proven.Rights {
		given := "given by the operator of the gateway"
		if right.Change != "" {
			given = fmt.Sprintf("requested by %s and approved by %s in change %s", right.Requester, right.Decider, right.Change)
		}
		fmt.Fprintf(stdout,
			"right: %s was %s since %s under the grant %s, %s\n", right.Account, right.Role, right.At.Format(time.RFC3339), right.Grant,
			given)
	}
	if proven.Unshown > 0 {
		fmt.Fprintf(stdout,
			"of %d makers or deciders the bundle does not tell who gave them their role: the trail did not tell it then\n", proven.Unshown)
	}
}

type auditExportCommand struct {
	Realm       string `help:"Realm of the message." required:""`
	Message     string `help:"Internal id of the message." required:""`
	Output      string `help:"File to write; it must not exist." required:""`
	DatabaseURL string `help:"PostgreSQL URL of a login that sees every row, as for check." required:"" env:"COUNTERSIGN_DATABASE_OWNER_URL,COUNTERSIGN_DATABASE_URL"`

	ReleaseKeyFile string `help:"File with the release keys, as for serve. Only a message that matches its seals is exported." required:"" env:"COUNTERSIGN_RELEASE_KEY_FILE"`

	Keys auditKeySettings `embed:""`
}

// Run writes a bundle that it has proven itself. The file holds names and accounts: only its owner may read it.
func (c *auditExportCommand) Run(ctx context.Context) error {
	id, err := uuid.Parse(c.Message)
	if err != nil {
		return errors.New("--message is the internal id of a message, such as 0199a1b2-0000-7000-8000-000000000000")
	}
	trusted, err := c.Keys.all()
	if err != nil {
		return err
	}
	seal, err := readSealer(c.ReleaseKeyFile)
	if err != nil {
		return err
	}
	bundle, err := c.gather(ctx, seal, id)
	if err != nil {
		return err
	}
	file, err := bundle.Proven(trusted)
	if err != nil {
		return fmt.Errorf("is the key there that signed the checkpoint (--audit-key-file or --public-key-file)? %w", err)
	}
	output, err := os.OpenFile(c.Output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	_, err = output.Write(file)
	err = errors.Join(err, output.Close())
	if err != nil {
		err = errors.Join(err, os.Remove(c.Output))
	}
	return err
}

// gather reads the bundle. What happened a moment ago is waited for: it is sealed within a second.
func (c *auditExportCommand) gather(ctx context.Context, seal payment.Sealer, id uuid.UUID) (auditlog.Bundle, error) {
	const tries, pause = 10, 400 * time.Millisecond
	for try := 1; ; try++ {
		bundle, err := fromSnapshot(ctx, c.DatabaseURL, func(s *integrity.Snapshot) (auditlog.Bundle, error) {
			return s.Bundle(ctx, seal, c.Realm, id)
		})
		if !errors.Is(err, integrity.ErrNotSealed) || try == tries {
			return bundle, err
		}
		select {
		case <-ctx.Done():
			return auditlog.Bundle{}, ctx.Err()
		case <-time.After(pause):
		}
	}
}

type auditCheckpointCommand struct {
	DatabaseURL string `help:"PostgreSQL URL of a login that sees every row, as for check." required:"" env:"COUNTERSIGN_DATABASE_OWNER_URL,COUNTERSIGN_DATABASE_URL"`
}

// Run prints the checkpoints, one after the other.
func (c *auditCheckpointCommand) Run(ctx context.Context) error {
	notes, err := fromSnapshot(ctx, c.DatabaseURL, func(s *integrity.Snapshot) ([]string, error) { return s.Checkpoints(ctx) })
	if err != nil {
		return err
	}
	if len(notes) == 0 {
		return errors.New("nothing is sealed yet: run the gateway with COUNTERSIGN_AUDIT_KEY_FILE")
	}
	fmt.Fprint(stdout, strings.Join(notes, "\n"))
	return nil
}
