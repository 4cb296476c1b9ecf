package archtest

import (
	"maps"
	"slices"
	"testing"
)

func TestEveryFileKeepsTheRules(t *testing.T) {
	t.Parallel()
	sources := load(t)
	if len(sources) < 10 {
		t.Fatalf("only %d files were found: the test looks in the wrong place", len(sources))
	}
	for _, one := range rules {
		for _, file := range sources {
			for _, finding := range findings(one, file) {
				t.Errorf("%s (rule %q)", finding, one.name)
			}
		}
	}
}

func TestEveryPackageHasAComment(t *testing.T) {
	t.Parallel()
	documented := map[string]bool{}
	for _, file := range load(t) {
		if file.test || file.generated {
			continue
		}
		documented[file.folder()] = documented[file.folder()] || file.syntax.Doc != nil
	}
	for _, folder := range slices.Sorted(maps.Keys(documented)) {
		if !documented[folder] {
			t.Errorf("package %s has no comment: say what it holds and why it exists", folder)
		}
	}
}

// TestRulesFindWhatTheyForbid breaks each rule once, so that no rule can go blind unnoticed, and shows what each must let pass.
func TestRulesFindWhatTheyForbid(t *testing.T) {
	t.Parallel()
	const doc = "// Package x is a sample.\n"
	for _, test := range []struct {
		name, rule, path, content string
		found                     bool
	}{
		{"upwards", "floors", "internal/payment/a.go", `package payment; import _ "countersign/internal/store"`, true},
		{"down", "floors", "internal/service/a.go", `package approval; import _ "countersign/internal/store"`, false},
		{"upwards in a test", "floors", "internal/payment/a_test.go", `package payment; import _ "countersign/internal/store"`, false},
		{"no floor", "floors", "internal/cellar/a.go", `package cellar`, true},
		{"barred", "floors", "internal/simulator/a.go", `package simulator; import _ "countersign/internal/payment"`, true},
		{"barred of Go", "floors", "internal/i18n/a.go", `package i18n; import _ "regexp"`, true},
		{"barred altogether", "floors", "internal/postgres/a.go", `package postgres; import _ "countersign/internal/money"`, true},
		{"test support", "floors", "web/portal/a.go", `package portal; import _ "countersign/internal/store/storetest"`, true},
		{"database", "confined modules", "web/api/a.go", `package api; import _ "github.com/jackc/pgx/v5/pgxpool"`, true},
		{"database at home", "confined modules", "internal/store/a.go", `package store; import _ "github.com/jackc/pgx/v5"`, false},
		{"echo", "confined modules", "internal/auth/a.go", `package auth; import _ "github.com/labstack/echo/v4"`, true},
		{"echo at home", "confined modules", "web/request/a.go", `package request; import _ "github.com/labstack/echo/v4"`, false},
		{"clock", "clock", "web/a.go", `package web; import "time"; var t = time.Now()`, true},
		{"clock by another name", "clock", "web/a.go", `package web; import c "time"; var now = c.Now`, true},
		{"clock in cmd", "clock", "cmd/countersign/a.go", `package main; import "time"; var t = time.Now()`, false},
		{"clock of our own", "clock", "web/a.go", `package web; var t = clock.Now()`, false},
		{"context", "root context", "web/a.go", `package web; import "context"; var c = context.Background()`, true},
		{"context to do", "root context", "web/a.go", `package web; import "context"; var c = context.TODO()`, true},
		{"panic", "panic", "web/a.go", `package web; func f() { panic("no") }`, true},
		{"sql", "sql", "web/a.go", "package web; var q = `SELECT id FROM message`", true},
		{"sql in lower case", "sql", "web/a.go", "package web; var q = `update message set state = 1`", true},
		{"sql in a test", "sql", "web/a_test.go", "package web; var q = `SELECT id FROM message`", false},
		{"a sentence", "sql", "views/a.go", "package views; var s = `Select a reason from the list. Update the form.`", false},
		{"function without comment", "documentation", "web/a.go", `package web; func F() {}`, true},
		{"method without comment", "documentation", "web/a.go", "package web\n// T is one.\ntype T[K any] int\nfunc (*T[K]) F() {}", true},
		{"method out of reach", "documentation", "web/a.go", "package web\ntype t int\nfunc (t) F() {}", false},
		{"type without comment", "documentation", "web/a.go", `package web; type T int`, true},
		{"constant without comment", "documentation", "web/a.go", `package web; const C = 1`, true},
		{"group with comment", "documentation", "web/a.go", "package web\n// Limits.\nconst (\nA = 1\nB = 2\n)", false},
		{"mark", "marks", "web/a.go", doc + "package x // " + "TODO" + ": later", true},
		{"skip", "skips", "web/a_test.go", `package web; func f(t *testing.T) { t.Skipf("not here: %v", t) }`, true},
		{"what a test needs", "skips", "web/a_test.go", `package web; func f(t *testing.T) { testneed.Miss(t, "no browser") }`, false},
		{"mark with issue", "marks", "web/a.go", doc + "package x // " + "TODO" + "(#12): later", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var found []string
			for _, one := range rules {
				if one.name == test.rule {
					found = append(found, findings(one, parse(t, test.path, test.content))...)
				}
			}
			if (len(found) != 0) != test.found {
				t.Errorf("found %q, want a finding: %v", found, test.found)
			}
		})
	}
}

// TestExceptionsNameRules keeps the table of exceptions honest.
func TestExceptionsNameRules(t *testing.T) {
	t.Parallel()
	for _, exception := range allowed {
		known := slices.ContainsFunc(rules, func(one rule) bool { return one.name == exception.rule })
		if !known || exception.reason == "" {
			t.Errorf("exception for rule %q in %s: no such rule, or no reason", exception.rule, exception.place)
		}
	}
}
