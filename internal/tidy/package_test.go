package tidy

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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

// tableRow is a row of the floors in docs/architecture.md: the number, and the packages in the second column.
var (
	tableRow  = regexp.MustCompile(`(?m)^\| (-?\d+) \| (.*?) \|`)
	quotation = regexp.MustCompile("`([a-z0-9/]+)`")
)

// tableOfFloors reads the floors as a page tells them.
func tableOfFloors(page string) map[string]int {
	table := map[string]int{}
	for _, row := range tableRow.FindAllStringSubmatch(page, -1) {
		floor, _ := strconv.Atoi(row[1]) // the pattern takes digits only
		for _, folder := range quotation.FindAllStringSubmatch(row[2], -1) {
			table[folder[1]] = floor
		}
	}
	return table
}

// untold names the differences between the plan and the table of floors. Test support and the programs of the development are no part
// of the table.
func untold(table map[string]int) (found []string) {
	for _, folder := range slices.Sorted(maps.Keys(floors)) {
		told, has := table[folder]
		switch {
		case !has && !slices.Contains(testSupport, folder) && !slices.Contains(development, folder):
			found = append(found, fmt.Sprintf("%s stands on floor %d, but is not in the table", folder, floors[folder]))
		case has && told != floors[folder]:
			found = append(found, fmt.Sprintf("%s stands on floor %d, and the table says %d", folder, floors[folder], told))
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(table)) {
		if _, planned := floors[folder]; !planned {
			found = append(found, folder+" is in the table, but not in the plan")
		}
	}
	return found
}

// TestTheArchitectureTellsThePlan holds the table of docs/architecture.md and the plan together.
func TestTheArchitectureTellsThePlan(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root(t), "docs/architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, difference := range untold(tableOfFloors(string(page))) {
		t.Errorf("docs/architecture.md: %s", difference)
	}
	table := tableOfFloors("| Floor |\n| 3 | `internal/payment`, `internal/cellar` | words with `views` |\n")
	found := strings.Join(untold(table), "\n")
	for _, want := range []string{
		"payment stands on floor 4, and the table says 3", "cellar is in the table",
		"views stands on floor 8, but is not",
	} {
		if !strings.Contains(found, want) {
			t.Errorf("%q is not found in a wrong table", want)
		}
	}
}

// folderLimit is the most hand-written files of one folder, tests not counted: more cannot be taken in at a look.
const folderLimit = 30

// fullFolders counts the files of each folder and names those with too many.
func fullFolders(sources []source) (found []string) {
	count := map[string]int{}
	for _, file := range sources {
		if !file.generated && !file.test {
			count[file.folder()]++
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(count)) {
		if count[folder] > folderLimit {
			found = append(found, fmt.Sprintf("%s has %d files, %d are allowed: give what belongs together a folder of its own",
				folder, count[folder], folderLimit))
		}
	}
	return found
}

func TestNoFolderIsOverfull(t *testing.T) {
	t.Parallel()
	for _, finding := range fullFolders(load(t)) {
		t.Error(finding)
	}
	var many []source
	for i := range folderLimit + 1 {
		many = append(many, parse(t, fmt.Sprintf("internal/x/f%d.go", i), "package x"))
	}
	if len(fullFolders(many)) != 1 || len(fullFolders(many[1:])) != 0 {
		t.Error("the rule of full folders does not find what it forbids")
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
