package tidy

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestThePlanAndThePackagesAgree holds the plan free of rooms that are not there. A package without a row is a finding of the floors.
func TestThePlanAndThePackagesAgree(t *testing.T) {
	t.Parallel()
	packages := packageNames(load(t))
	for _, folder := range slices.Sorted(maps.Keys(floors)) {
		if packages[folder] == "" {
			t.Errorf("the plan has a row for %s, which holds no package: take the row out", folder)
		}
	}
	for _, bar := range barred {
		if bar.from != "*" && !holdsPackage(packages, bar.from) {
			t.Errorf("%s is barred from %s, but holds no package: take the row out", bar.from, bar.target)
		}
	}
}

// TestNoTwoPackagesShareAName: a reader who meets a name knows the room it means. Programs are all called main.
func TestNoTwoPackagesShareAName(t *testing.T) {
	t.Parallel()
	packages := packageNames(load(t))
	home := map[string]string{}
	for _, folder := range slices.Sorted(maps.Keys(packages)) {
		name := packages[folder]
		if other := home[name]; other != "" && name != "main" {
			t.Errorf("%s and %s are both called %s: name one of them after what only it holds", other, folder, name)
		}
		home[name] = folder
	}
}

// packageNames is the name of each folder's package.
func packageNames(sources []source) map[string]string {
	names := map[string]string{}
	for _, file := range sources {
		names[file.folder()] = strings.TrimSuffix(file.syntax.Name.Name, "_test")
	}
	return names
}

// holdsPackage says whether a folder or one below it is a package.
func holdsPackage(packages map[string]string, folder string) bool {
	for own := range packages {
		if within(own, folder) {
			return true
		}
	}
	return false
}
