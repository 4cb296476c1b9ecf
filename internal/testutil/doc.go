// Package testutil holds helpers for tests: skip rules for machines that lack a program, and logs that tests read.
package testutil
