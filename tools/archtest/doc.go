// Package archtest tests rules of the code that no linter knows: the floors of the packages and their imports, SQL, clocks, root contexts,
// skipped tests, and the languages of the portal. It has no code of its own. plan_test.go lists the floors, rule_test.go the rules.
package archtest
