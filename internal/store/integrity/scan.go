package integrity

import (
	"context"
	"reflect"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"countersign/internal/store/internal/dbsqlc"
)

// asStored reads rows even if they break the rules of the schema: a superuser can drop NOT NULL and empty a column, or write a time outside
// the calendar. An impossible value is read as zero. The seals do not fit such a row, and brokenRules names it; reading it must not stop
// the check of other rows.
type asStored struct {
	dbsqlc.DBTX
	types *pgtype.Map
	scope scope
}

// Query queries the rows in scope; values that a field cannot hold become zero.
func (a asStored) Query(ctx context.Context, sql string, arguments ...any) (pgx.Rows, error) {
	sql, arguments = a.scope.narrow(sql, arguments)
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

// Scan fills each field that can hold its column and leaves the others at their zero values. It never fails.
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
