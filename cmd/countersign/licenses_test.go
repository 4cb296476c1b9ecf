package main

import (
	"cmp"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write notices.txt anew")

// TestTheNoticesAreThoseOfWhatIsLinked: each module that the program links, Go itself and each file of others in static has its licence in
// notices.txt, and nothing else has.
func TestTheNoticesAreThoseOfWhatIsLinked(t *testing.T) {
	t.Parallel()
	command := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}", ".")
	command.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	listed, err := command.Output()
	must(t, err)
	root, err := exec.Command("go", "env", "GOROOT").Output()
	must(t, err)
	modules := append([]string(nil), "Go, its library and run time\t"+strings.TrimSpace(string(root)))
	for line := range strings.Lines(string(listed)) {
		if line = strings.TrimSpace(line); line != "" {
			modules = append(modules, line)
		}
	}
	slices.Sort(modules)
	under := map[string][]string{} // names by the text of the licence
	for _, module := range slices.Compact(modules) {
		name, folder, _ := strings.Cut(module, "\t")
		text := licenceIn(t, folder)
		under[text] = append(under[text], name)
	}
	for _, file := range filesIn(t, filepath.Join("..", "..", "static", "licenses")) {
		content, err := os.ReadFile(file)
		must(t, err)
		text := plain(content)
		under[text] = append(under[text], "static: "+strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
	}
	texts := make([]string, 0, len(under))
	for text, names := range under {
		texts = append(texts, strings.Join(names, "\n")+"\n\n"+text+"\n")
	}
	slices.SortFunc(texts, cmp.Compare[string])
	const rule = "\n================================================================================\n\n"
	want := "Countersign links or serves the following works of others, under these licences.\n" + rule + strings.Join(texts, rule)
	if *update {
		must(t, os.WriteFile("notices.txt", []byte(want), 0o600))
		return
	}
	if notices != want {
		t.Error("notices.txt is not that of what is linked: go test -run TestTheNotices ./cmd/countersign -update")
	}
}

// licenceIn joins the files of a module that hold its licence and notices.
func licenceIn(t *testing.T, folder string) string {
	t.Helper()
	named := regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.-].*)?$`)
	var texts []string
	for _, file := range filesIn(t, folder) {
		if named.MatchString(filepath.Base(file)) && filepath.Ext(file) != ".go" {
			content, err := os.ReadFile(file)
			must(t, err)
			texts = append(texts, plain(content))
		}
	}
	if len(texts) == 0 {
		t.Errorf("%s has no licence", folder)
	}
	return strings.Join(texts, "\n\n")
}

func plain(content []byte) string {
	return strings.TrimSpace(strings.ReplaceAll(string(content), "\r\n", "\n"))
}

func filesIn(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	must(t, err)
	var files []string
	for _, entry := range entries {
		if !entry.IsDir() {
			files = append(files, filepath.Join(folder, entry.Name()))
		}
	}
	return files
}
