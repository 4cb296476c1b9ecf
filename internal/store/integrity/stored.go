package integrity

import (
	"context"
	"reflect"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"countersign/internal/store/internal/dbsqlc"
)

// asStored reads rows as they are, also such as the schema's rules do not let be: a superuser can take NOT NULL away and empty a column, or
// write a time that no clock shows. What a field cannot hold is its zero value there. The seals do not fit such a row, and the rules name
// it (brokenRules); that it cannot be read must not keep the auditor from all others.
type asStored struct {
	dbsqlc.DBTX
	types *pgtype.Map
}

// Query reads as the connection does, but for what the fields cannot hold.
func (a asStored) Query(ctx context.Context, sql string, arguments ...any) (pgx.Rows, error) {
	rows, err := a.DBTX.Query(ctx, sql, arguments...)
	if err != nil {
		return nil, err
	}
	return &storedRows{Rows: rows, types: a.types}, nil
}

// storedRows are the rows of one query. All are scanned into fields of the same types, as the code of queries does.
type storedRows struct {
	pgx.Rows
	types *pgtype.Map
	plans []pgtype.ScanPlan // how each column is read; made with the first row
}

// Scan fills what can be filled and leaves the rest at its zero value. It never fails.
func (r *storedRows) Scan(fields ...any) error {
	columns, values := r.FieldDescriptions(), r.RawValues()
	for i, field := range fields {
		if len(r.plans) == i {
			r.plans = append(r.plans, r.types.PlanScan(columns[i].DataTypeOID, columns[i].Format, field))
		}
		err := r.plans[i].Scan(values[i], field)
		if err != nil {
			reflect.ValueOf(field).Elem().SetZero()
		}
	}
	return nil
}
