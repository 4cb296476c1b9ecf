package main

import (
	"os"

	"countersign/internal/profile"
)

type clearingCommand struct {
	Reconcile reconcileCommand        `cmd:"" help:"Compare a statement of clearing (camt.053, camt.052) with the payments approved and sent here, and list each difference."`
	Profiles  clearingProfilesCommand `cmd:"" help:"Print the built-in clearing profiles, in the format of a profile file."`
}

type clearingProfilesCommand struct{}

// Run prints the file.
func (clearingProfilesCommand) Run() error {
	_, err := os.Stdout.Write(profile.Shipped())
	return err
}
