package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

// Run prints a script that has the shell ask the program for the next word.
func (c completionCommand) Run() error { //nolint:unparam // a command of the command line returns an error
	if c.Shell == "fish" {
		fmt.Println("complete -c countersign -f -a '(countersign complete -- (commandline -opc)[2..])'")
		return nil
	}
	if c.Shell == "zsh" {
		fmt.Println("autoload -U +X bashcompinit && bashcompinit")
	}
	fmt.Print(`_countersign() {
  COMPREPLY=($(compgen -W "$(countersign complete -- "${COMP_WORDS[@]:1:COMP_CWORD-1}")" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _countersign countersign
`)
	return nil
}

type completeCommand struct {
	Words []string `arg:"" optional:"" help:"Words already typed."`
}

// Run prints the commands and flags that may follow.
func (c completeCommand) Run(parsed *kong.Context) error { //nolint:unparam // a command of the command line returns an error
	at := parsed.Model.Node
	for _, word := range c.Words {
		for _, below := range at.Children {
			if below.Name == word {
				at = below
			}
		}
	}
	for _, below := range at.Children {
		if !below.Hidden {
			fmt.Println(below.Name)
		}
	}
	for _, group := range at.AllFlags(true) {
		for _, flag := range group {
			fmt.Println("--" + strings.TrimPrefix(flag.Name, "--"))
		}
	}
	return nil
}
