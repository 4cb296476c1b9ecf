package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"countersign/internal/realmfile"
	"countersign/internal/store"
)

type realmApplyCommand struct {
	File   string        `arg:"" help:"YAML file as realm show prints it; - reads standard input."`
	DryRun bool          `help:"Print the changes without making them."`
	Portal string        `help:"Address of the portal, to print links in full." env:"COUNTERSIGN_PORTAL_URL" placeholder:"URL"`
	Owner  ownerSettings `embed:""`
}

// Run changes the realm to match the file, and prints each difference and the secrets of new users and clients.
func (c *realmApplyCommand) Run(ctx context.Context) error {
	by, err := c.Owner.provisioner()
	if err != nil {
		return err
	}
	form, err := readRealmFile(c.File)
	if err != nil {
		return &unusableError{err.Error()}
	}
	now, err := store.ReadRealm(ctx, by.OwnerURL, form.Realm)
	if err != nil {
		return fmt.Errorf("%w (make the realm first: countersign realm create)", err)
	}
	made := printedSecrets{realm: form.Realm, portal: c.Portal, by: by}
	wanted, err := form.Definition(now.RealmDefinition, &made)
	if err != nil {
		return inWords(err)
	}
	changes, err := realmfile.Differences(now.RealmDefinition, wanted)
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		fmt.Printf("The realm %s is as the file says: nothing to change.\n", form.Realm)
		return nil
	}
	fmt.Println(strings.Join(changes, "\n"))
	if now.EverTwo {
		return store.ErrAdministered
	}
	if c.DryRun {
		fmt.Printf("Nothing was changed (--dry-run): %s.\n", counted(len(changes), "difference"))
		return nil
	}
	by.Tell = made.print
	err = store.ApplyNewRealm(ctx, by, now, wanted)
	if err != nil {
		return made.withdrawn(inWords(err))
	}
	fmt.Printf("The realm %s is as the file says: %s applied.\n", form.Realm, counted(len(changes), "difference"))
	return nil
}

func readRealmFile(path string) (realmfile.Form, error) {
	input := os.Stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return realmfile.Form{}, err
		}
		defer func() { _ = file.Close() }()
		input = file
	}
	content, err := io.ReadAll(io.LimitReader(input, realmfile.Limit+1))
	if err != nil {
		return realmfile.Form{}, fmt.Errorf("read %s: %w", path, err)
	}
	form, err := realmfile.Parse(content)
	if err != nil {
		return realmfile.Form{}, fmt.Errorf("%s: %w", path, err)
	}
	return form, nil
}

// realmText is a realm as a file.
func realmText(realm store.RealmDefinition) ([]byte, error) {
	return realmfile.Write(realmfile.Of(realm))
}
