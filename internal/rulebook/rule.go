package rulebook

import (
	"slices"

	"countersign/internal/i18n"
)

// Rule is one row of the table.
type Rule struct {
	// ID names the rule in findings, tests and docs; it never changes its meaning.
	ID string
	// Scheme is the one scheme the rule holds for; empty for both.
	Scheme Scheme
	// Element is the target of findings: an RFC 6901 pointer from the body root with index 0 for repeated elements.
	// {party}, {agent} or {level} stand for several places.
	Element string
	// Code is the ISO 20022 external status reason of its findings.
	Code string
	// Text is the sentence of its findings; a finding may be more precise.
	Text i18n.Text
	// Source is the guideline and section the rule comes from.
	Source string
	// CheckedBy is the package that holds the rule when Check is nil.
	CheckedBy string
	// Check reports the places that break the rule.
	Check func(*inspection)

	level level
}

// level is the part of a document a rule looks at; Check is called once for each such part.
type level int

const (
	levelMessage     level = iota // the whole message
	levelInformation              // each PmtInf
	levelTransaction              // each CdtTrfTxInf
	levelParty                    // each party, at whatever place
	levelAgent                    // each bank, at whatever place
	levelCount
)

// HoldsFor reports whether the rule applies to the scheme.
func (r Rule) HoldsFor(scheme Scheme) bool {
	return r.Scheme == "" || r.Scheme == scheme
}

// Rules is the whole table, by subject.
func Rules() []Rule {
	return slices.Clone(table)
}

// table is the rulebook. It is never written to.
var table = slices.Concat(
	messageRules, referenceRules, amountRules, typeRules, purposeRules, dateRules, partyRules, addressRules,
	agentRules, accountRules, remittanceRules, forbiddenRules, subsetRules, textRules, rulesElsewhere,
)

// plans are the rules to run by scheme and level.
var plans = map[Scheme]*plan{SchemeSIC: newPlan(SchemeSIC), SchemeSCT: newPlan(SchemeSCT)}

type plan [levelCount][]*Rule

func newPlan(scheme Scheme) *plan {
	var made plan
	for i := range table {
		if table[i].HoldsFor(scheme) && table[i].Check != nil {
			made[table[i].level] = append(made[table[i].level], &table[i])
		}
	}
	return &made
}
