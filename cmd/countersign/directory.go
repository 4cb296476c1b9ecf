package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"countersign/internal/directory"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/internal/store/provision"
)

type directoryCommand struct {
	Import importDirectoryCommand `cmd:"" help:"Put a directory of banks in force: which bank keeps an account, and whether instant payments reach it."`
}

type importDirectoryCommand struct {
	File   string        `arg:"" help:"The directory, in the form of docs/operations.md, or the bank master of SIX (CSV, version 3)." type:"existingfile"`
	Scheme string        `help:"Scheme whose payments it is for; the bank master is for sic-inst." enum:",sic-inst,sct-inst" default:""`
	Realm  []string      `help:"Realms that use it; without one all of them."`
	Older  bool          `help:"Put it in force though the one in force is of a later day."`
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
		changed, err := provision.ImportDirectory(ctx, by, provision.DirectoryImport{
			Realm: realm, Scheme: scheme, Directory: read, Source: filepath.Base(c.File), Older: c.Older,
		})
		if errors.Is(err, store.ErrNoRealm) {
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

// read takes the file for what its first line says it is.
func (c *importDirectoryCommand) read() (rulebook.Scheme, *directory.Directory, error) {
	info, err := os.Stat(c.File)
	if err == nil && info.Size() > directory.MaxBytes {
		return "", nil, fmt.Errorf("the file is larger than %d MiB", directory.MaxBytes>>20)
	}
	content, err := os.ReadFile(c.File)
	if err != nil {
		return "", nil, err
	}
	scheme := rulebook.Scheme(c.Scheme)
	if !directory.IsBankMaster(content) {
		if scheme == "" {
			return "", nil, errors.New("say which payments the directory is for: --scheme sic-inst or --scheme sct-inst")
		}
		read, err := directory.Parse(content)
		return scheme, read, err
	}
	if scheme == rulebook.SchemeSCT {
		return "", nil, errors.New(
			"the bank master of SIX does not tell whom SEPA instant payments reach: give the directory of your SEPA clearing",
		)
	}
	read, err := directory.ParseBankMaster(content)
	return rulebook.SchemeSIC, read, err
}

// realms are those that were named, or all.
func (c *importDirectoryCommand) realms(ctx context.Context) ([]string, error) {
	if len(c.Realm) > 0 {
		return c.Realm, nil
	}
	present, err := provision.Realms(ctx, c.Owner.DatabaseURL)
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
