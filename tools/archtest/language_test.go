package archtest

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// textPackage is where the languages of the portal are.
const textPackage = "countersign/internal/i18n"

// galleryPackage shows pages with fixed data: what it says is a text of the portal, which is found there, or an invented fact.
const galleryPackage = "countersign/tools/gallery/screens"

// translations are the texts of the catalogue: by key, language and plural form.
type translations map[string]map[string]map[string]string

// programPackage speaks to programs: its texts are English alone.
const programPackage = "countersign/web/api"

// sentences are the texts that lower floors write: their file of the catalogue.
const sentences = "sentence.yaml"

// readCatalogue reads the files of the catalogue, and names texts that stand twice.
func readCatalogue(t *testing.T) translations {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root(t), "internal/i18n/catalogue/*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no catalogue", err)
	}
	all := translations{}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var entries map[string]map[string]any
		if err := yaml.Unmarshal(content, &entries); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for key, said := range entries {
			if all[key] != nil {
				t.Errorf("%s: %q stands in another file too: take one out", filepath.Base(path), key)
			}
			all[key] = map[string]map[string]string{}
			for language, text := range said {
				all[key][language] = formsOf(text)
			}
		}
	}
	return all
}

// formsOf are the plural forms of a text; a plain one has "other" alone.
func formsOf(text any) map[string]string {
	several, plural := text.(map[string]any)
	if !plural {
		return map[string]string{"other": fmt.Sprint(text)}
	}
	forms := map[string]string{}
	for form, sentence := range several {
		forms[form] = fmt.Sprint(sentence)
	}
	return forms
}

// verb is one placeholder of a text.
var verb = regexp.MustCompile(`%(?:\[(\d+)\])?([a-z%])`)

// quoted is the label of a page, a button or a choice in a text. Lower case is no label.
var quoted = regexp.MustCompile(`“(\p{Lu}[^”]*)”`)

// verbsOf are the verbs of a text by the place of their value.
func verbsOf(text string) map[string]string {
	verbs, next := map[string]string{}, 1
	for _, found := range verb.FindAllStringSubmatch(text, -1) {
		if found[2] == "%" {
			continue
		}
		at := found[1]
		if at == "" {
			at = fmt.Sprint(next)
		}
		verbs[at] = found[2]
		next++
	}
	return verbs
}

// faultsOfCatalogue names what is wrong with the catalogue, given the texts that the program says and where.
func faultsOfCatalogue(all translations, said map[string]token.Position) (faults []string) {
	for _, key := range slices.Sorted(maps.Keys(said)) {
		for _, language := range []string{"de", "fr", "it"} {
			if len(all[key][language]) == 0 {
				faults = append(faults, fmt.Sprintf("%s: %q has no text in %q: add it to internal/i18n/catalogue", said[key], key,
					language))
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if _, used := said[key]; !used {
			faults = append(faults, fmt.Sprintf("%q is in the catalogue, and nobody says it", key))
		}
		for language, forms := range all[key] {
			faults = append(faults, faultsOfForms(key, language, forms)...)
			for _, name := range quoted.FindAllStringSubmatch(key, -1) {
				if label := all[name[1]][language]["other"]; !strings.Contains(fmt.Sprint(forms), label) {
					faults = append(faults, fmt.Sprintf("%q in %q names %q, whose label is %q", key, language, name[1], label))
				}
			}
		}
	}
	return faults
}

// faultsOfForms names what is wrong with a text in one language. A form for one may say it in a word instead of the number.
func faultsOfForms(key, language string, forms map[string]string) (faults []string) {
	if !slices.Contains([]string{"de", "fr", "it", "en"}, language) {
		faults = append(faults, fmt.Sprintf("%q: %q is no language of the portal", key, language))
	}
	if forms["other"] == "" {
		faults = append(faults, fmt.Sprintf("%q: the text in %q has no form \"other\"", key, language))
	}
	want := verbsOf(key)
	for form, sentence := range forms {
		got := verbsOf(sentence)
		if form == "one" {
			maps.DeleteFunc(got, func(_, verb string) bool { return verb == "d" })
			less := maps.Clone(want)
			maps.DeleteFunc(less, func(_, verb string) bool { return verb == "d" })
			if maps.Equal(got, less) {
				continue
			}
		}
		if !maps.Equal(got, want) {
			faults = append(faults, fmt.Sprintf("%q in %q: %q has other placeholders", key, language, sentence))
		}
		if strings.ContainsRune(sentence, 'ß') {
			faults = append(faults, fmt.Sprintf("%q in %q: %q: Swiss banks write ss", key, language, sentence))
		}
	}
	return faults
}

// listed is what the go command says of a package.
type listed struct {
	ImportPath string
	Dir        string
	Export     string
	GoFiles    []string
	Imports    []string
}

// listPackages asks for all packages of the portal's floors and what they import.
func listPackages(t *testing.T) (all map[string]listed) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Imports", "./...")
	command.Dir = root(t)
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	all = map[string]listed{}
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var one listed
		err := decoder.Decode(&one)
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all[one.ImportPath] = one
	}
}

// saidTexts finds every constant that is a text of the catalogue, and every text that is made while the program runs.
func saidTexts(t *testing.T) (said map[string]token.Position, made []token.Position) {
	t.Helper()
	all, said := listPackages(t), map[string]token.Position{}
	files := token.NewFileSet()
	imports := importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(all[path].Export) })
	for path, one := range all {
		if path == galleryPackage || strings.HasPrefix(path, programPackage) || path != textPackage && !slices.Contains(one.Imports, textPackage) {
			continue
		}
		var syntax []*ast.File
		for _, name := range one.GoFiles {
			file, err := parser.ParseFile(files, filepath.Join(one.Dir, name), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			syntax = append(syntax, file)
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
		_, err := (&types.Config{Importer: imports}).Check(path, files, syntax, info)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range syntax {
			ast.Inspect(file, func(node ast.Node) bool {
				if unsaid(info, node) {
					t.Errorf("%s: a text is written as it is: write { say(ctx, …) }", files.Position(node.Pos()))
				}
				return noteText(files, info, node, said, &made)
			})
		}
	}
	return said, made
}

// noteText notes a constant text, or one made of something else. It goes no deeper into a text it found.
func noteText(files *token.FileSet, info *types.Info, node ast.Node, said map[string]token.Position, made *[]token.Position) bool {
	expression, is := node.(ast.Expr)
	if !is {
		return true
	}
	found := info.Types[expression]
	if found.Type == nil || found.IsType() || found.Type.String() != textPackage+".Text" {
		return true
	}
	if found.Value != nil {
		if key := constant.StringVal(found.Value); key != "" && key[0] >= ' ' { // else a mark
			said[key] = files.Position(expression.Pos())
		}
		return false
	}
	call, is := expression.(*ast.CallExpr)
	if is && info.Types[call.Fun].IsType() && !strings.Contains(files.Position(call.Pos()).Filename, "/internal/i18n/") {
		*made = append(*made, files.Position(expression.Pos()))
	}
	return true
}

// unsaid finds texts that a template writes as they are, in no language.
func unsaid(info *types.Info, node ast.Node) bool {
	call, is := node.(*ast.CallExpr)
	if !is || len(call.Args) == 0 {
		return false
	}
	function, is := call.Fun.(*ast.SelectorExpr)
	if !is || function.Sel.Name != "JoinStringErrs" {
		return false
	}
	written := info.Types[call.Args[0]].Type
	return written != nil && written.String() == textPackage+".Text"
}

// writtenSentences are the sentences without values that stand in some string of a lower floor: they are stored in English, or are the
// names of states, roles and kinds.
func writtenSentences(t *testing.T) map[string]token.Position {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root(t), "internal/i18n/catalogue", sentences))
	if err != nil {
		t.Fatal(err)
	}
	var entries map[string]any
	if err := yaml.Unmarshal(content, &entries); err != nil {
		t.Fatal(err)
	}
	written := lowerStrings(t)
	found := map[string]token.Position{}
	for key := range entries {
		if !verb.MatchString(key) && strings.Contains(written, strings.TrimSuffix(key, ".")) {
			found[key] = token.Position{Filename: sentences}
		}
	}
	return found
}

// lowerStrings are all strings of the floors below the pages, and of the program itself.
func lowerStrings(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, file := range load(t) {
		if strings.HasSuffix(file.path, "_test.go") || strings.HasPrefix(file.path, "web/") || strings.HasPrefix(file.path, "views/") {
			continue
		}
		ast.Inspect(file.syntax, func(node ast.Node) bool {
			if sum, is := node.(*ast.BinaryExpr); is && sum.Op == token.ADD {
				all.WriteString(joinedLiterals(sum) + "\n")
			}
			if literal, is := node.(*ast.BasicLit); is && literal.Kind == token.STRING {
				text := constant.StringVal(constant.MakeFromLiteral(literal.Value, literal.Kind, 0))
				all.WriteString(text + "\n")
				if text != "" { // the label of a field, inside a sentence
					all.WriteString("the " + text + "\nthe " + strings.ToLower(text[:1]) + text[1:] + "\n")
				}
			}
			return true
		})
	}
	return all.String()
}

// joinedLiterals are the strings of a sum, as far as they follow each other.
func joinedLiterals(expression ast.Expr) string {
	switch part := expression.(type) {
	case *ast.BinaryExpr:
		return joinedLiterals(part.X) + joinedLiterals(part.Y)
	case *ast.BasicLit:
		if part.Kind == token.STRING {
			return constant.StringVal(constant.MakeFromLiteral(part.Value, part.Kind, 0))
		}
	}
	return "\n"
}

// TestEveryTextIsTranslated finds texts without a translation, texts that nobody says, and placeholders that differ.
func TestEveryTextIsTranslated(t *testing.T) {
	t.Parallel()
	said, made := saidTexts(t)
	if len(said) == 0 {
		t.Error("no text is found")
	}
	for key, position := range writtenSentences(t) {
		said[key] = position
	}
	for _, fault := range faultsOfCatalogue(readCatalogue(t), said) {
		t.Error(fault)
	}
	for _, position := range made {
		t.Errorf("%s: a text made while the program runs is in no catalogue: use a constant with placeholders", position)
	}
	wrong := translations{
		"%d of %s": {
			"de": {"other": "%d von %d"}, "fr": {
				"one":   "un de %[2]s",
				"other": "%d de %s",
			}, "it": {"other": "%[2]s: %[1]d"}, "pl": {"other": "%d %s"},
		},
		"See “Street”": {"de": {"other": "Siehe «Strasse»"}, "fr": {"other": "Voir « Rue »"}, "it": {"other": "Vedi «Via»"}},
		"Street":       {"de": {"other": "Straße"}, "fr": {"other": "Rue"}, "it": {"one": "Via"}},
	}
	found := strings.Join(faultsOfCatalogue(wrong, map[string]token.Position{"%d of %s": {}, "New": {}}), "\n")
	for _, want := range []string{
		`"New" has no text in "de"`, `"Street" is in the catalogue, and nobody says it`, `"%d von %d" has other placeholders`,
		`"pl" is no language`, "Swiss banks write ss", `"See “Street”" in "de" names "Street", whose label is "Straße"`, `"it" has no form "other"`,
	} {
		if !strings.Contains(found, want) {
			t.Errorf("%q is not found in a wrong catalogue:\n%s", want, found)
		}
	}
	if strings.Contains(found, "un de") || strings.Contains(found, "%[1]d") {
		t.Errorf("a right text is called wrong:\n%s", found)
	}
}
