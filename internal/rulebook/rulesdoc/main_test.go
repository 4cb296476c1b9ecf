package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"countersign/internal/rulebook"
)

func TestPageIsCurrent(t *testing.T) {
	t.Parallel()
	committed, err := os.ReadFile("../../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(committed, page()) {
		t.Error("docs/rules.md is not what the table gives: run go generate ./internal/rulebook")
	}
}

func TestPageNamesEachRuleOnce(t *testing.T) {
	t.Parallel()
	text := string(page())
	for _, rule := range rulebook.Rules() {
		if strings.Count(text, "| `"+rule.ID+"` |") != 1 {
			t.Errorf("rule %s does not stand once on the page", rule.ID)
		}
	}
}
