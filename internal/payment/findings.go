package payment

import (
	"strings"

	"countersign/internal/rulebook"
)

// together merges the findings of rules with those of the structure, in document order. A place has one finding: an unreadable element is
// not missing, and a sum over it is not wrong. The findings of the structure keep the order of reading.
func together(structure, rules []Finding) []Finding {
	if len(structure) == 0 {
		return rules
	}
	all := make([]Finding, 0, len(structure)+len(rules))
	next := 0
	for _, rule := range rules {
		if follows(rule, structure) {
			continue
		}
		for next < len(structure) && before(structure[next].Pointer, rule.Pointer) {
			all = append(all, structure[next])
			next++
		}
		all = append(all, rule)
	}
	return append(all, structure[next:]...)
}

// before orders the findings of a body: those outside the document come first, in reading order.
func before(structure, rule string) bool {
	return !within(structure, "/Document") || rulebook.ComparePointers(structure, rule) <= 0
}

// codeMissing: a mandatory element is not there (ISO ExternalStatusReason1Code).
const codeMissing = "CH21"

// follows reports whether a rule finding repeats a structure finding: it is about the unreadable element or a part of
// it, about its missing parent, or about a count or sum over it.
func follows(rule Finding, structure []Finding) bool {
	for _, broken := range structure {
		switch {
		case within(rule.Pointer, broken.Pointer):
			return true
		case (rule.Code == codeMissing || rule.Rule == rulebook.RuleDateMissing) && within(broken.Pointer, rule.Pointer):
			return true
		case addsUp[rule.Rule] && strings.Contains(broken.Pointer, "/CdtTrfTxInf/") && strings.Contains(broken.Pointer, "/Amt"):
			return true
		}
	}
	return false
}

// addsUp are the rules that compare a sum with the amounts of the payments.
var addsUp = map[string]bool{"control-sum": true, "payment-control-sum": true}

// within reports whether a place equals another one or is below it.
func within(place, other string) bool {
	return place == other || other != "" && strings.HasPrefix(place, other+"/")
}
