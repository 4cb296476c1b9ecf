package main

import (
	"fmt"
	"runtime/debug"
)

type versionCommand struct{}

// Run prints the version of the program and of the Go it was built with.
func (versionCommand) Run() error { //nolint:unparam // a command of the command line returns an error
	info, ok := debug.ReadBuildInfo()
	if !ok {
		fmt.Println("countersign (unknown build)")
		return nil
	}
	revision := "unknown revision"
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			revision = s.Value
		}
	}
	fmt.Println("countersign", info.Main.Version, revision, info.GoVersion)
	return nil
}
