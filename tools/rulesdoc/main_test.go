package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"countersign/internal/rulebook"
)

func TestPageIsCurrent(t *testing.T) {
	t.Parallel()
	committed, err := os.ReadFile("../../docs/rules.md")
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
	for _, rule := range slices.Concat(rulebook.Rules(), incomingRules(), rulebook.RTransactionRules()) {
		count := 0
		for _, before := range []string{"| `", "<br>`", ", `"} {
			count += strings.Count(text, before+rule.ID+"` `")
		}
		if count != 1 {
			t.Errorf("rule %s does not stand once on the page", rule.ID)
		}
	}
}

func TestPageNamesEachReason(t *testing.T) {
	t.Parallel()
	_, reasons, _ := strings.Cut(string(page()), "### Reasons of a recall")
	for _, scheme := range rulebook.Schemes() {
		for _, list := range [][]rulebook.Reason{
			rulebook.RecallReasons(scheme), rulebook.ReturnReasons(scheme),
			rulebook.ResolutionReasons(scheme),
		} {
			for _, reason := range list {
				if !strings.Contains(reasons, "| "+reason.Code+" ") && !strings.Contains(reasons, "<br>"+reason.Code+" ") &&
					!strings.Contains(reasons, " "+reason.Code+",") {
					t.Errorf("%s: %s is not on the page", scheme, reason.Code)
				}
			}
		}
	}
}
