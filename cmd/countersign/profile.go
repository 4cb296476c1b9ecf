package main

import (
	"os"

	"countersign/internal/profile"
)

type clearingCommand struct {
	Profiles clearingProfilesCommand `cmd:"" help:"Print the clearing profiles that come with the program, in the form of a file of your own."`
}

type clearingProfilesCommand struct{}

// Run prints the file.
func (clearingProfilesCommand) Run() error {
	_, err := os.Stdout.Write(profile.Shipped())
	return err
}
