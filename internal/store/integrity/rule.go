package integrity

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// rulesHeldElsewhere are the rules that another invariant already checks: that seals are there, that a digest is that of its content, and
// that the outbox has answers only.
var rulesHeldElsewhere = map[string]bool{
	"creation_key.creation_key_sealed": true, "document.document_outbound_sealed": true, "document.document_check": true,
	"message_version.message_version_sealed": true, "outbox.outbox_sealed": true, "outbox.outbox_delivery_sealed": true,
	"outbox.outbox_answers_only": true,
}

// olderThan says of a rule that came later how a row of before looks, which it does not hold for.
var olderThan = map[string]string{
	"decision.decision_under_a_grant": "checker_role IS NULL AND grant_id IS NULL AND granted_at IS NULL " +
		"AND message_created_at IS NULL",
	"message_version.message_version_under_a_grant": "maker_role IS NULL AND maker_grant_id IS NULL AND maker_granted_at IS NULL",
	"message_version.message_version_clients":       "clients IS NULL",
}

// brokenRules checks every row against every CHECK and NOT NULL of the schema in the migrations: a superuser may have written past a rule,
// or dropped it. It runs one statement for each table.
func (s *Snapshot) brokenRules(ctx context.Context) ([]Violation, error) {
	tables, rules, broken := rulesOf(described())
	statements, err := s.q.RuleStatementList(ctx, tables, rules, broken)
	if err != nil {
		return nil, err
	}
	var found []Violation
	for _, one := range statements {
		unfit, err := s.violations(ctx, one.Statement)
		if err != nil {
			return nil, fmt.Errorf("hold the rules of %s: %w", one.Name, err)
		}
		found = append(found, unfit...)
	}
	return found, nil
}

// rulesOf are the CHECKs and NOT NULLs of the schema: their tables, their names, and the conditions that hold for rows which break them.
// Their texts are those of schema.txt.
func rulesOf(objects map[SchemaObject]string) (tables, rules, broken []string) {
	for _, object := range slices.SortedFunc(maps.Keys(objects), func(a, b SchemaObject) int { return strings.Compare(a.Name, b.Name) }) {
		table, rule, named := strings.Cut(object.Name, ".")
		column, _, _ := strings.Cut(objects[object], " DEFAULT ")
		if object.Kind == "column" && strings.Contains(column, " NOT NULL") {
			tables, rules = append(tables, table), append(rules, rule+" is never empty")
			// IS NULL would not do: from 17 on the server takes the catalog's word that no row is, whatever the rows say
			broken = append(broken, `num_nulls("`+rule+`") > 0`)
			continue
		}
		check, later := strings.CutSuffix(objects[object], " NOT VALID")
		condition, isCheck := strings.CutPrefix(check, "CHECK ")
		if object.Kind != "constraint" || !named || !isCheck || rulesHeldElsewhere[object.Name] {
			continue
		}
		breaks := condition + " IS FALSE"
		if before := olderThan[object.Name]; later && before != "" {
			breaks += " AND NOT (" + before + ")"
		}
		tables, rules, broken = append(tables, table), append(rules, rule), append(broken, breaks)
	}
	return tables, rules, broken
}
