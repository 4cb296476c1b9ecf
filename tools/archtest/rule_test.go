package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// scope says which files a rule holds for.
type scope int

const (
	// everywhere but in generated code.
	written scope = iota
	// as written, but not in tests.
	program
	// in all files but tests, generated ones included.
	built
)

func (s scope) holds(file source) bool {
	switch s {
	case program:
		return !file.generated && !file.test
	case built:
		return !file.test
	default:
		return !file.generated
	}
}

// rule is one habit of the code. The check reports each place that breaks it, with what to do.
type rule struct {
	name  string
	scope scope
	check func(file source, report reporter)
}

// reporter takes a finding at a position.
type reporter func(at token.Pos, format string, values ...any)

// rules are all rules about single files. Exceptions stand in the table allowed.
var rules = []rule{
	{"floors", built, checkFloors},
	{"confined modules", built, checkConfined},
	{"clock", program, forbidden("time.Now", "take the time as an argument")},
	{"root context", program, forbidden("context.Background", "take the context as an argument")},
	{"root context", program, forbidden("context.TODO", "take the context as an argument")},
	{"panic", program, checkPanic},
	{"sql", program, checkSQL},
	{"documentation", program, checkDocumentation},
	{"marks", written, checkMarks},
	{"skips", written, checkSkips},
}

// checkSkips leaves it to one package when a test may be skipped.
func checkSkips(file source, report reporter) {
	ast.Inspect(file.syntax, func(node ast.Node) bool {
		called, is := node.(*ast.SelectorExpr)
		if !is || !slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, called.Sel.Name) {
			return true
		}
		of, named := called.X.(*ast.Ident)
		if named && slices.Contains([]string{"t", "b", "tb", "f"}, of.Name) {
			report(called.Pos(), "ask internal/testutil, which knows when a test may be skipped")
		}
		return true
	})
}

func checkFloors(file source, report reporter) {
	own, planned := floors[file.folder()]
	if !planned {
		report(file.syntax.Package, "package %s has no floor: give it one in tools/archtest/plan_test.go", file.folder())
		return
	}
	for _, spec := range file.syntax.Imports {
		target, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module+"/")
		for _, bar := range barred {
			if within(file.folder(), bar.from) && (bar.target == "*" && ours || within(target, bar.target)) {
				report(spec.Pos(), "%s must not import %s: %s", bar.from, target, bar.reason)
			}
		}
		if !ours {
			continue
		}
		if floor, known := floors[target]; known && floor > own {
			report(spec.Pos(), "floor %d imports %s on floor %d: imports point down", own, target, floor)
		}
		if slices.Contains(testSupport, target) && !slices.Contains(testSupport, file.folder()) {
			report(spec.Pos(), "%s imports %s: test support stays in tests", file.folder(), target)
		}
	}
}

func checkConfined(file source, report reporter) {
	for _, spec := range file.syntax.Imports {
		imported := strings.Trim(spec.Path.Value, `"`)
		for _, limit := range confined {
			home := func(home string) bool { return within(file.folder(), home) }
			if strings.HasPrefix(imported, limit.module) && !slices.ContainsFunc(limit.homes, home) {
				report(spec.Pos(), "%s may be imported under %s only", imported, strings.Join(limit.homes, ", "))
			}
		}
	}
}

// forbidden makes the check that nothing uses one name of the standard library, called or not.
func forbidden(name, advice string) func(source, reporter) {
	home, member, _ := strings.Cut(name, ".")
	return func(file source, report reporter) {
		ast.Inspect(file.syntax, func(node ast.Node) bool {
			selector, ok := node.(*ast.SelectorExpr)
			if !ok || selector.Sel.Name != member {
				return true
			}
			if holder, ok := selector.X.(*ast.Ident); ok && file.importPath(holder.Name) == home {
				report(selector.Pos(), "%s: %s", name, advice)
			}
			return true
		})
	}
}

func checkPanic(file source, report reporter) {
	ast.Inspect(file.syntax, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		if name, ok := call.Fun.(*ast.Ident); ok && name.Name == "panic" {
			report(call.Pos(), "panic: return an error")
		}
		return true
	})
}

// sqlText finds SQL in a string: upper-case keywords anywhere, or a whole statement in lower case. A sentence such as "Select a
// reason from the list" is none.
var sqlText = regexp.MustCompile(`\b(SELECT|INSERT INTO|DELETE FROM|TRUNCATE)\s` +
	`|\bUPDATE\s+\S+\s+SET\b` +
	`|\b(CREATE|ALTER|DROP)\s+(TABLE|INDEX|DATABASE|SCHEMA|ROLE|USER|POLICY)\b` +
	`|^\s*select\s[\s\S]*\sfrom\s|^\s*insert into\s|^\s*delete from\s|^\s*update\s+\S+\s+set\s`)

func checkSQL(file source, report reporter) {
	ast.Inspect(file.syntax, func(node ast.Node) bool {
		literal, ok := node.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(literal.Value)
		if err == nil && sqlText.MatchString(text) {
			report(literal.Pos(), "SQL text: put it into queries/ and run `make generate`")
		}
		return true
	})
}

var (
	mark         = regexp.MustCompile(`\b(TODO|FIXME)\b`)
	numberedMark = regexp.MustCompile(`\bTODO\(#\d+\)`)
)

func checkMarks(file source, report reporter) {
	for _, group := range file.syntax.Comments {
		for _, comment := range group.List {
			if mark.MatchString(numberedMark.ReplaceAllString(comment.Text, "")) {
				report(comment.Pos(), "a mark of unfinished work without an issue: finish it, or write %s", "TODO"+"(#number)")
			}
		}
	}
}

// excused says whether a table entry takes a file out of a rule.
func excused(name, file string) bool {
	for _, exception := range allowed {
		if exception.rule == name && within(file, exception.place) {
			return true
		}
	}
	return false
}

// findings applies one rule to one file.
func findings(one rule, file source) []string {
	if !one.scope.holds(file) || excused(one.name, file.path) {
		return nil
	}
	var found []string
	one.check(file, func(at token.Pos, format string, values ...any) {
		found = append(found, fmt.Sprintf("%s:%d: %s", file.path, file.line(at), fmt.Sprintf(format, values...)))
	})
	return found
}
