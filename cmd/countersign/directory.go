package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"countersign/internal/account"
	"countersign/internal/calendar"
	"countersign/internal/iso20022/code"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

type directoryCommand struct {
	Import importDirectoryCommand `cmd:"" help:"Import a directory of banks: which bank holds an account, and whether instant payments reach it."`
}

type importDirectoryCommand struct {
	File   string        `arg:"" help:"The directory, in the form of docs/operations.md, or the bank master of SIX (CSV, version 3)." type:"existingfile"`
	Scheme string        `help:"Scheme of the directory; the bank master is for sic-inst." enum:",sic-inst,sct-inst" default:""`
	Realm  []string      `help:"Realms that use it. Default: all."`
	Older  bool          `help:"Import it even if the current one is newer."`
	Owner  ownerSettings `embed:""`
}

// Run reads the file and puts it in force in each realm.
func (c *importDirectoryCommand) Run(ctx context.Context, log *slog.Logger) error {
	scheme, read, err := c.read()
	if err != nil {
		return &unusableError{fmt.Sprintf("%s: %s", c.File, err)}
	}
	by, err := c.Owner.provisioner()
	if err != nil {
		return err
	}
	realms, err := c.realms(ctx)
	if err != nil {
		return err
	}
	for _, realm := range realms {
		changed, err := store.ImportDirectory(ctx, by, store.DirectoryImport{
			Realm: realm, Scheme: scheme, Directory: read, Source: filepath.Base(c.File), Older: c.Older,
		})
		if errors.Is(err, store.ErrUnknownRealm) {
			return fmt.Errorf("there is no realm %s: name one that countersign serves", realm)
		}
		if err != nil {
			return err
		}
		words := "the directory is in force"
		if !changed {
			words = "this very directory is in force already"
		}
		log.InfoContext(ctx, words, "realm", realm, "scheme", string(scheme), "edition", read.Edition().Format(time.DateOnly), "rows", read.Len())
	}
	return nil
}

// read reads the file in the format that its first line names.
func (c *importDirectoryCommand) read() (rulebook.Scheme, *account.Directory, error) {
	content, err := readAtMost(c.File, account.MaxBytes)
	if err != nil {
		return "", nil, err
	}
	scheme := rulebook.Scheme(c.Scheme)
	if !account.IsBankMaster(content) {
		if scheme == "" {
			return "", nil, errors.New("say which payments the directory is for: --scheme sic-inst or --scheme sct-inst")
		}
		read, err := account.ParseDirectory(content)
		return scheme, read, err
	}
	if scheme == rulebook.SchemeSCT {
		return "", nil, errors.New(
			"the bank master of SIX does not tell whom SEPA instant payments reach: give the directory of your SEPA clearing",
		)
	}
	read, err := account.ParseBankMaster(content)
	return rulebook.SchemeSIC, read, err
}

// realms are those that were named, or all.
func (c *importDirectoryCommand) realms(ctx context.Context) ([]string, error) {
	if len(c.Realm) > 0 {
		return c.Realm, nil
	}
	present, err := store.Realms(ctx, c.Owner.DatabaseURL)
	if err != nil {
		return nil, err
	}
	if len(present) == 0 {
		return nil, errors.New("the database holds no realm: run countersign migrate and provision one first")
	}
	names := make([]string, len(present))
	for i, realm := range present {
		names[i] = realm.Realm
	}
	return names, nil
}

type codesCommand struct {
	Import importCodesCommand `cmd:"" help:"Import an edition of the external code sets, for all realms."`
}

type importCodesCommand struct {
	File    string        `arg:"" help:"The external code sets as iso20022.org publishes them in JSON." type:"existingfile"`
	Edition string        `help:"Publication date of the file, YYYY-MM-DD; the file does not contain it."`
	From    string        `help:"First day the edition applies, in Zurich. Default: the publication date."`
	Owner   ownerSettings `embed:""`
}

// Run reads the file and puts it in force.
func (c *importCodesCommand) Run(ctx context.Context, log *slog.Logger) error {
	published, err := optionalDay("--edition", c.Edition)
	if err != nil {
		return err
	}
	from, err := optionalDay("--from", c.From)
	if err != nil {
		return err
	}
	content, err := readAtMost(c.File, code.MaxBytes)
	if err != nil {
		return &unusableError{fmt.Sprintf("%s: %s", c.File, err)}
	}
	read, err := code.Parse(content, published)
	if err != nil {
		return &unusableError{fmt.Sprintf("%s: %s", c.File, err)}
	}
	return importReference(ctx, log, c.Owner, store.ReferenceImport{Codes: read, From: from, Source: filepath.Base(c.File)})
}

type calendarCommand struct {
	Import importCalendarCommand `cmd:"" help:"Import a calendar of clearing days, for all realms."`
}

type importCalendarCommand struct {
	File    string        `arg:"" help:"The days, in the form of docs/operations.md, or the clearing day calendar of SIX (JSON, version 1)." type:"existingfile"`
	Service string        `help:"Service whose days count in the calendar of SIX, as that file names it."`
	Owner   ownerSettings `embed:""`
}

// Run reads the file and puts it in force.
func (c *importCalendarCommand) Run(ctx context.Context, log *slog.Logger) error {
	content, err := readAtMost(c.File, calendar.MaxBytes)
	var read *calendar.Edition
	switch {
	case err != nil:
	case calendar.IsClearingDays(content):
		read, err = calendar.ParseClearingDays(content, c.Service)
	default:
		read, err = calendar.Parse(content)
	}
	if err != nil {
		return &unusableError{fmt.Sprintf("%s: %s", c.File, err)}
	}
	return importReference(ctx, log, c.Owner, store.ReferenceImport{Calendar: read, Source: filepath.Base(c.File)})
}

func importReference(ctx context.Context, log *slog.Logger, owner ownerSettings, in store.ReferenceImport) error {
	by, err := owner.provisioner()
	if err != nil {
		return err
	}
	changed, err := store.ImportReference(ctx, by, in)
	if errors.Is(err, store.ErrOlderReference) && in.Codes != nil {
		return fmt.Errorf("%w: say with --from from which day on it is to be in force", err)
	}
	if err != nil {
		return err
	}
	words := "the edition is in force; gateways that run read it within a minute"
	if !changed {
		words = "this very edition is there already"
	}
	if in.Codes != nil {
		log.InfoContext(ctx, words, "edition", in.Codes.Day().Format(time.DateOnly), "codes", in.Codes.Len())
		return nil
	}
	log.InfoContext(ctx, words, "edition", in.Calendar.Day().Format(time.DateOnly), "days", in.Calendar.Len(),
		"schemes", strings.Join(in.Calendar.Schemes(), " "))
	return nil
}

// optionalDay reads a day of a flag; zero for none.
func optionalDay(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	day, err := calendar.ParseDay(time.DateOnly, text, time.UTC)
	if err != nil {
		return time.Time{}, &unusableError{fmt.Sprintf("%s: write a day such as 2026-08-31, not %q", flag, text)}
	}
	return day, nil
}

// readAtMost reads a file that is no larger than it may be.
func readAtMost(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > most {
		return nil, fmt.Errorf("the file is larger than %d MiB", most>>20)
	}
	return os.ReadFile(path)
}
