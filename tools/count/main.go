// Command count prints the size of the product: hand-written lines, packages, the longest chain of imports, words of Markdown, and the
// share of doc comments with a who/what clause used as a noun. Run it by make count. Tests, generated files and tools/ do not count, and
// test support counts apart: packages whose name begins or ends with test, and that no other package imports.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
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
	support       map[string]int // lines of Go by package of test support
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
	edges, err := imports(root)
	if err != nil {
		return err
	}
	counted := size{lines: map[string]int{}, support: takeSupport(edges)}
	err = filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			name := entry.Name()
			if file != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" ||
				file == filepath.Join(root, "tools")) {
				return fs.SkipDir
			}
			return nil
		}
		return counted.add(file)
	})
	if err != nil {
		return err
	}
	chain, supporting := longestChain(edges), 0
	for _, lines := range counted.support {
		supporting += lines
	}
	total := counted.lines[".go"] + counted.lines[".templ"] + counted.lines[".sql"]
	fmt.Printf("lines of Go      %7d\nlines of templ   %7d\nlines of SQL     %7d\nlines together   %7d\n",
		counted.lines[".go"], counted.lines[".templ"], counted.lines[".sql"], total)
	fmt.Printf("test support     %7d  in %d packages\n", supporting, len(counted.support))
	fmt.Printf("packages         %7d\nchain of imports %7d  %s\n", len(edges), len(chain), strings.Join(chain, " > "))
	fmt.Printf("words of docs    %7d  and %d bars of tables and other signs\n", counted.words, counted.bars)
	fmt.Printf("doc comments     %7d  of which %d (%.1f %%) hold a who/what clause\n", counted.docs, counted.unplain,
		100*float64(counted.unplain)/float64(max(counted.docs, 1)))
	return nil
}

// add counts one file.
func (s *size) add(file string) error {
	extension := filepath.Ext(file)
	switch extension {
	case ".go", ".templ", ".sql", ".md":
	default:
		return nil
	}
	content, err := os.ReadFile(file)
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
	if strings.HasSuffix(file, "_test.go") {
		return nil
	}
	syntax, err := parser.ParseFile(token.NewFileSet(), file, content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if ast.IsGenerated(syntax) {
		return nil
	}
	s.addDocs(syntax)
	if _, supports := s.support[filepath.ToSlash(filepath.Dir(file))]; supports {
		s.support[filepath.ToSlash(filepath.Dir(file))] += strings.Count(text, "\n")
		return nil
	}
	s.lines[extension] += strings.Count(text, "\n")
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

// imports returns what each of our packages imports of ours, without tests, tools/ and the module's path.
func imports(root string) (map[string][]string, error) {
	command := exec.Command("go", "list", "-f", `{{.Module.Path}} {{.ImportPath}} {{join .Imports " "}}`, "./...")
	command.Dir = root
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return nil, err
	}
	edges := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		name := strings.TrimPrefix(words[1], words[0]+"/")
		if strings.HasPrefix(name, "tools/") {
			continue
		}
		edges[name] = nil
		for _, imported := range words[2:] {
			if target, ours := strings.CutPrefix(imported, words[0]+"/"); ours {
				edges[name] = append(edges[name], target)
			}
		}
	}
	return edges, nil
}

// takeSupport takes the packages of test support out of edges, and returns them without lines yet. One that the product imports stays.
func takeSupport(edges map[string][]string) map[string]int {
	support := map[string]int{}
	isSupport := func(name string) bool {
		last := path.Base(name)
		return strings.HasPrefix(last, "test") || strings.HasSuffix(last, "test")
	}
	product := map[string]bool{}
	for name, imported := range edges {
		for _, target := range imported {
			product[target] = product[target] || !isSupport(name)
		}
	}
	for name := range edges {
		if isSupport(name) && !product[name] {
			support[name] = 0
		}
	}
	for name := range support {
		delete(edges, name)
	}
	return support
}

// longestChain returns the longest chain of imports.
func longestChain(edges map[string][]string) (chain []string) {
	longest := map[string][]string{}
	var walk func(name string) []string
	walk = func(name string) []string {
		if found, done := longest[name]; done {
			return found
		}
		var below []string
		for _, target := range edges[name] {
			if _, known := edges[target]; !known {
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
	return chain
}
