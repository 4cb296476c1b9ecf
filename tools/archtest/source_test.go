package archtest

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// module is the path of this project's module.
const module = "countersign"

// source is one parsed Go file.
type source struct {
	path      string // from the module's root, with slashes
	content   string
	files     *token.FileSet
	syntax    *ast.File
	generated bool
	test      bool
}

// folder is the package's path below the module.
func (s source) folder() string {
	return path.Dir(s.path)
}

func (s source) line(position token.Pos) int {
	return s.files.Position(position).Line
}

// importPath is the path that a name such as "time" stands for in this file, "" if it is no import.
func (s source) importPath(name string) string {
	for _, spec := range s.syntax.Imports {
		imported := strings.Trim(spec.Path.Value, `"`)
		known := path.Base(imported)
		if spec.Name != nil {
			known = spec.Name.Name
		}
		if known == name {
			return imported
		}
	}
	return ""
}

// root finds the folder of the module above the test.
func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		_, err = os.Stat(filepath.Join(dir, "go.mod"))
		if err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}

// load parses every Go file of the module that is built here. It opens the files itself, so the test cache notices a change in any.
func load(t *testing.T) []source {
	t.Helper()
	top := root(t)
	var sources []source
	err := filepath.WalkDir(top, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(top, name)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return skipFolder(top, relative, entry.Name())
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		built, err := build.Default.MatchFile(filepath.Dir(name), entry.Name())
		if err != nil || !built {
			return err
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		sources = append(sources, parse(t, filepath.ToSlash(relative), string(content)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return sources
}

// skipFolder leaves out what is no part of the module: hidden folders, test data, and modules of their own.
func skipFolder(top, relative, name string) error {
	if relative == "." {
		return nil
	}
	_, err := os.Stat(filepath.Join(top, relative, "go.mod"))
	if err == nil || strings.HasPrefix(name, ".") || name == "testdata" {
		return filepath.SkipDir
	}
	return nil
}

func parse(t *testing.T, name, content string) source {
	t.Helper()
	files := token.NewFileSet()
	syntax, err := parser.ParseFile(files, name, content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return source{
		path: name, content: content, files: files, syntax: syntax,
		generated: ast.IsGenerated(syntax), test: strings.HasSuffix(name, "_test.go"),
	}
}

// within says whether a path is a folder or stands below it.
func within(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, folder+"/")
}
