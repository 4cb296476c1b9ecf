package integrity

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

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

// rulesOf returns the CHECKs and NOT NULLs of the schema: their tables, their names, and the conditions of rows that break them. Their
// texts are those of schema.txt.
func rulesOf(objects map[SchemaObject]string) (tables, rules, broken []string) {
	for _, object := range slices.SortedFunc(maps.Keys(objects), func(a, b SchemaObject) int { return strings.Compare(a.Name, b.Name) }) {
		table, rule, named := strings.Cut(object.Name, ".")
		column, _, _ := strings.Cut(objects[object], " DEFAULT ")
		if object.Kind == "column" && strings.Contains(column, " NOT NULL") {
			tables, rules = append(tables, table), append(rules, rule+" is never empty")
			// not IS NULL: from version 17 on the server answers that from the catalog, without reading the rows
			broken = append(broken, `num_nulls("`+rule+`") > 0`)
			continue
		}
		condition, isCheck := strings.CutPrefix(objects[object], "CHECK ")
		if object.Kind != "constraint" || !named || !isCheck {
			continue
		}
		tables, rules, broken = append(tables, table), append(rules, rule), append(broken, condition+" IS FALSE")
	}
	return tables, rules, broken
}
