package main

import (
	_ "embed"
	"fmt"
)

// notices are the licences of everything that is linked into the program. TestTheNoticesAreThoseOfWhatIsLinked writes them (-update).
//
//go:embed notices.txt
var notices string

type licensesCommand struct{}

// Run prints the notices.
func (licensesCommand) Run() error {
	fmt.Print(notices)
	return nil
}
