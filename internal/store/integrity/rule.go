package integrity

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// brokenRules checks every row against every foreign key, CHECK and NOT NULL of the schema in the migrations: a superuser may have written
// past a rule, or dropped it.
func (s *Snapshot) brokenRules(ctx context.Context) ([]Violation, error) {
	tables, err := s.q.ReadableTableList(ctx)
	if err != nil {
		return nil, err
	}
	statements := rulesOf(described())
	var found []Violation
	for _, table := range tables {
		for _, statement := range statements[table] {
			unfit, err := s.violations(ctx, statement)
			if err != nil {
				return nil, fmt.Errorf("hold the rules of %s: %w", table, err)
			}
			found = append(found, unfit...)
		}
	}
	return found, nil
}

// rulesOf returns, by table, the statements that list the rows which break a rule of a schema: one for each foreign key, and one for all
// CHECKs and NOT NULLs, whose conditions are the texts of schema.txt.
func rulesOf(objects map[SchemaObject]string) map[string][]string {
	statements, broken, names := map[string][]string{}, map[string][]string{}, map[string][]string{}
	for _, object := range slices.SortedFunc(maps.Keys(objects), func(a, b SchemaObject) int { return strings.Compare(a.Name, b.Name) }) {
		table, rule, _ := strings.Cut(object.Name, ".")
		column, _, _ := strings.Cut(objects[object], " DEFAULT ")
		condition, isCheck := strings.CutPrefix(objects[object], "CHECK ")
		reference, isReference := strings.CutPrefix(objects[object], "FOREIGN KEY (")
		unfit := condition + " IS FALSE"
		switch {
		case object.Kind == "column" && strings.Contains(column, " NOT NULL"):
			// not IS NULL: from version 17 on the server answers that from the catalog, without reading the rows
			unfit, rule = `num_nulls("`+rule+`") > 0`, rule+" is never empty"
		case object.Kind == "constraint" && isReference:
			statements[table] = append(statements[table], foreignKey(objects, table, rule, reference))
			continue
		case object.Kind != "constraint" || !isCheck:
			continue
		}
		broken[table] = append(broken[table], "("+unfit+")")
		names[table] = append(names[table], "CASE WHEN "+unfit+" THEN '"+rule+"' END")
	}
	for table, conditions := range broken {
		statements[table] = append(statements[table], fmt.Sprintf("SELECT %s, ('breaks a rule of its table: ' || concat_ws(', ', %s))::text "+
			"FROM public.%s WHERE %s", rowOf(objects, table), strings.Join(names[table], ", "), table, strings.Join(conditions, " OR ")))
	}
	return statements
}

// foreignKey returns the statement that lists the rows which break a foreign key, such as "a, b) REFERENCES t(a, b)".
func foreignKey(objects map[SchemaObject]string, table, name, reference string) string {
	from, to, _ := strings.Cut(reference, ") REFERENCES ")
	target, to, _ := strings.Cut(to, "(")
	to, _, _ = strings.Cut(to, ")")
	columns := strings.Split(from, ", ")
	same := make([]string, len(columns))
	for i, column := range strings.Split(to, ", ") {
		same[i] = "p." + column + " = c." + columns[i]
	}
	return fmt.Sprintf("SELECT %s, ('does not fit any row of %s (%s): ' || concat_ws(' ', %s))::text "+
		"FROM public.%s c WHERE num_nulls(%s) = 0 AND NOT EXISTS (SELECT FROM public.%s p WHERE %s)",
		rowOf(objects, table), target, name, strings.TrimPrefix(from, "realm, "), table, from, target, strings.Join(same, " AND "))
}

// rowOf returns SQL for the realm, the table and the key of a row. A row of which part of the key is empty is named by its place too.
func rowOf(objects map[SchemaObject]string, table string) string {
	realm := "''"
	if objects[SchemaObject{"column", table + ".realm"}] != "" {
		realm = "coalesce(realm, '')"
	}
	key := strings.TrimSuffix(strings.TrimPrefix(objects[SchemaObject{"constraint", table + "." + table + "_pkey"}], "PRIMARY KEY ("), ")")
	return fmt.Sprintf("%s::text, '%s'::text, concat_ws(' ', %s, CASE WHEN num_nulls(%s) > 0 THEN 'at ' || ctid END)::text", realm, table,
		strings.TrimPrefix(key, "realm, "), key)
}
