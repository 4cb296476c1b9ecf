package integrity

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// schemaQuery lists the objects of the schema. It stands in a file of its own, because sqlc does not know the functions of the catalog.
//
//go:embed schema.sql
var schemaQuery string

// schemaDescribed is the list of a schema made by the migrations alone, one object a line: kind, name and definition with tabs between. A
// test writes it (-update).
//
//go:embed schema.txt
var schemaDescribed string

// SchemaObject names an object of the schema, or a constant row that the migrations insert.
type SchemaObject struct {
	Kind string // table, column, constraint, index, policy, trigger, function, grant, role, setting or row among others
	Name string
}

// Schema reads the objects of the schema with their definitions, as this version of PostgreSQL writes them.
func (s *Snapshot) Schema(ctx context.Context) (map[SchemaObject]string, error) {
	rows, err := s.db.Query(ctx, schemaQuery)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	objects := make(map[SchemaObject]string)
	var object SchemaObject
	var definition string
	_, err = pgx.ForEachRow(rows, []any{&object.Kind, &object.Name, &definition}, func() error {
		objects[object] = definition
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	return objects, nil
}

// described reads schema.txt.
func described() map[SchemaObject]string {
	objects := make(map[SchemaObject]string)
	for line := range strings.Lines(schemaDescribed) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(parts) == 3 {
			objects[SchemaObject{Kind: parts[0], Name: parts[1]}] = parts[2]
		}
	}
	return objects
}

// otherSchema lists the objects that differ from the migrations: missing, additional, and changed ones.
func (s *Snapshot) otherSchema(ctx context.Context) ([]Violation, error) {
	there, err := s.Schema(ctx)
	if err != nil {
		return nil, err
	}
	var found []Violation
	report := func(object SchemaObject, what string) {
		table, key := "schema", object.Kind+" "+object.Name
		if object.Kind == "row" {
			table, key, _ = strings.Cut(object.Name, " ")
		}
		found = append(found, Violation{Table: table, Key: key, What: what})
	}
	for object, want := range described() {
		is, present := there[object]
		switch {
		case !present:
			report(object, "this entry is missing")
		case is != want:
			report(object, "is "+is+", and the migrations make it "+want)
		}
		delete(there, object)
	}
	for object, is := range there {
		report(object, "is not made by the migrations: "+is)
	}
	slices.SortFunc(found, func(a, b Violation) int { return strings.Compare(a.Table+" "+a.Key, b.Table+" "+b.Key) })
	return found, nil
}
