package main

import (
	"os"

	"countersign/internal/profile"
)

type clearingCommand struct {
	Reconcile reconcileCommand        `cmd:"" help:"Compare a statement of clearing (camt.053, camt.052) with what was approved and sent here, and name each difference."`
	Profiles  clearingProfilesCommand `cmd:"" help:"Print the clearing profiles that come with the program, in the form of a file of your own."`
}

type clearingProfilesCommand struct{}

// Run prints the file.
func (clearingProfilesCommand) Run() error {
	_, err := os.Stdout.Write(profile.Shipped())
	return err
}
