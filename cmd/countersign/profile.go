package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"countersign/internal/profile"
	"countersign/internal/rulebook"
)

// profileSettings say in which form documents travel to clearing; docs/clearing.md shows the profiles side by side.
type profileSettings struct {
	ProfilesFile string `help:"File with clearing profiles of your own, in the form that countersign clearing profiles prints." name:"clearing-profiles-file" env:"COUNTERSIGN_CLEARING_PROFILES_FILE"`
	SICProfile   string `help:"Clearing profile of Swiss instant payments; NAME@YYYY-MM-DD after a comma begins on that day." name:"clearing-sic-profile" default:"sic-iso" env:"COUNTERSIGN_CLEARING_SIC_PROFILE"`
	SCTProfile   string `help:"Clearing profile of SEPA instant payments, likewise." name:"clearing-sct-profile" default:"sct-epc" env:"COUNTERSIGN_CLEARING_SCT_PROFILE"`
	SICEnds      string `help:"BICs of this side and of clearing, with a comma between, for a profile with headers." name:"clearing-sic-ends" env:"COUNTERSIGN_CLEARING_SIC_ENDS"`
	SCTEnds      string `help:"The same for SEPA instant payments." name:"clearing-sct-ends" env:"COUNTERSIGN_CLEARING_SCT_ENDS"`
}

// book reads the profiles and puts those chosen in force. Every wrong setting is a sentence that names it.
func (s *profileSettings) book() (profile.Registry, error) {
	own, err := readProfiles(s.ProfilesFile)
	if err != nil {
		return profile.Registry{}, fmt.Errorf("COUNTERSIGN_CLEARING_PROFILES_FILE: %w", err)
	}
	book, err := profile.NewRegistry(own)
	if err != nil {
		return profile.Registry{}, fmt.Errorf("COUNTERSIGN_CLEARING_PROFILES_FILE: %w", err)
	}
	for _, one := range []struct {
		scheme                  rulebook.Scheme
		setting, choice, ending string
		ends                    string
	}{
		{rulebook.SchemeSIC, "COUNTERSIGN_CLEARING_SIC_PROFILE", s.SICProfile, "COUNTERSIGN_CLEARING_SIC_ENDS", s.SICEnds},
		{rulebook.SchemeSCT, "COUNTERSIGN_CLEARING_SCT_PROFILE", s.SCTProfile, "COUNTERSIGN_CLEARING_SCT_ENDS", s.SCTEnds},
	} {
		sender, receiver, both := strings.Cut(one.ends, ",")
		if one.ends != "" && !both {
			return profile.Registry{}, fmt.Errorf("%s: write two BICs with a comma between: of this side, of clearing", one.ending)
		}
		ends := profile.Ends{Sender: strings.TrimSpace(sender), Receiver: strings.TrimSpace(receiver)}
		book, err = book.Choose(string(one.scheme), one.choice, ends)
		if err != nil {
			return profile.Registry{}, fmt.Errorf("%s: %w", one.setting, err)
		}
	}
	return book, nil
}

// readProfiles reads a file of profiles; nil without one.
func readProfiles(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, profile.MaxBytes+1))
	if err == nil && len(content) == 0 {
		err = errors.New("the file is empty")
	}
	return content, err
}

type clearingCommand struct {
	Profiles clearingProfilesCommand `cmd:"" help:"Print the clearing profiles that come with the program, in the form of a file of your own."`
}

type clearingProfilesCommand struct{}

// Run prints the file.
func (clearingProfilesCommand) Run() error {
	_, err := os.Stdout.Write(profile.Shipped())
	return err
}
