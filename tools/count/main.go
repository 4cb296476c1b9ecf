// Command count prints the size of the product: hand-written lines, packages, the longest chain of imports, words of Markdown, and the
// share of doc comments with a who/what clause used as a noun. Run it by make count. Tests, generated files and tools/ do not count.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// clause finds a who/what clause used as a noun: "is what a caller gets", "whoever asks", "the list of who may approve". It is a
// heuristic: it also finds some indirect questions, and misses clauses after other words.
var clause = regexp.MustCompile(`(?i)\b(is|are|tells|says|knows) (what|who|where|how|whether)\b|\bwhoever\b|\bwhatever\b` +
	`|\bwhat (is|was|are|comes|it|a|the|they)\b|\b(of|to|for|by|with|from|and) (what|who|whom)\b`)

// size holds the counts.
type size struct {
	lines         map[string]int // of hand-written files, by extension
	words, bars   int            // of Markdown: words, and fields without a letter or digit, such as the bars of tables
	docs, unplain int            // doc comments, and those in which clause matches
}

func main() {
	err := run(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "count:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	counted := size{lines: map[string]int{}}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			name := entry.Name()
			if path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" ||
				path == filepath.Join(root, "tools")) {
				return fs.SkipDir
			}
			return nil
		}
		return counted.add(path)
	})
	if err != nil {
		return err
	}
	packages, chain, err := imports(root)
	if err != nil {
		return err
	}
	total := counted.lines[".go"] + counted.lines[".templ"] + counted.lines[".sql"]
	fmt.Printf("lines of Go      %7d\nlines of templ   %7d\nlines of SQL     %7d\nlines together   %7d\n",
		counted.lines[".go"], counted.lines[".templ"], counted.lines[".sql"], total)
	fmt.Printf("packages         %7d\nchain of imports %7d  %s\n", packages, len(chain), strings.Join(chain, " > "))
	fmt.Printf("words of docs    %7d  and %d bars of tables and other signs\n", counted.words, counted.bars)
	fmt.Printf("doc comments     %7d  of which %d (%.1f %%) hold a who/what clause\n", counted.docs, counted.unplain,
		100*float64(counted.unplain)/float64(max(counted.docs, 1)))
	return nil
}

// add counts one file.
func (s *size) add(path string) error {
	extension := filepath.Ext(path)
	switch extension {
	case ".go", ".templ", ".sql", ".md":
	default:
		return nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text := string(content)
	if extension == ".md" {
		for field := range strings.FieldsSeq(text) {
			if strings.ContainsFunc(field, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
				s.words++
			} else {
				s.bars++
			}
		}
		return nil
	}
	if extension != ".go" {
		s.lines[extension] += strings.Count(text, "\n")
		return nil
	}
	if strings.HasSuffix(path, "_test.go") {
		return nil
	}
	syntax, err := parser.ParseFile(token.NewFileSet(), path, content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if ast.IsGenerated(syntax) {
		return nil
	}
	s.lines[extension] += strings.Count(text, "\n")
	s.addDocs(syntax)
	return nil
}

// addDocs counts the doc comments of a file: of the package, functions, types, constants, variables and fields.
func (s *size) addDocs(file *ast.File) {
	ast.Inspect(file, func(node ast.Node) bool {
		switch of := node.(type) {
		case *ast.File:
			s.addDoc(of.Doc)
		case *ast.FuncDecl:
			s.addDoc(of.Doc)
			return false
		case *ast.GenDecl:
			s.addDoc(of.Doc)
		case *ast.TypeSpec:
			s.addDoc(of.Doc)
		case *ast.ValueSpec:
			s.addDoc(of.Doc)
		case *ast.Field:
			s.addDoc(of.Doc)
		}
		return true
	})
}

func (s *size) addDoc(doc *ast.CommentGroup) {
	if doc == nil {
		return
	}
	s.docs++
	if clause.MatchString(strings.Join(strings.Fields(doc.Text()), " ")) {
		s.unplain++
	}
}

// imports returns the number of our packages and the longest chain of imports among them, without the module's path.
func imports(root string) (packages int, chain []string, err error) {
	command := exec.Command("go", "list", "-f", `{{.Module.Path}} {{.ImportPath}} {{join .Imports " "}}`, "./...")
	command.Dir = root
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return 0, nil, err
	}
	edges := map[string][]string{}
	var prefix string
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		prefix = words[0] + "/"
		if name := strings.TrimPrefix(words[1], prefix); !strings.HasPrefix(name, "tools/") {
			edges[name] = words[2:]
		}
	}
	longest := map[string][]string{}
	var walk func(name string) []string
	walk = func(name string) []string {
		if found, done := longest[name]; done {
			return found
		}
		var below []string
		for _, imported := range edges[name] {
			target, ours := strings.CutPrefix(imported, prefix)
			if _, known := edges[target]; !ours || !known {
				continue
			}
			if next := walk(target); len(next) > len(below) {
				below = next
			}
		}
		longest[name] = append([]string{name}, below...)
		return longest[name]
	}
	for name := range edges {
		if found := walk(name); len(found) > len(chain) {
			chain = found
		}
	}
	return len(edges), chain, nil
}
