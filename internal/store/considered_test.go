package store

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/store/internal/dbsqlc"
)

// What a row of MessageConsiderAll holds about the message, its account and its realm arrives in the rows it is taken apart into: a column
// that was added to the one is not forgotten in the others.
func TestNothingOfAConsideredRowIsLeftBehind(t *testing.T) {
	t.Parallel()
	var row dbsqlc.MessageConsiderAllRow
	fill(t, reflect.ValueOf(&row).Elem())
	row.Realm_2, row.Realm.Realm = "realm of the message", "realm"
	whole := reflect.ValueOf(row)
	same(t, whole, reflect.ValueOf(listedRow(&row)))
	same(t, whole, reflect.ValueOf(factsRow(&row)))
	same(t, whole, reflect.ValueOf(messageRow(&row)))
	for i := range whole.NumField() {
		name, taken := whole.Type().Field(i).Name, false
		for _, part := range []any{listedRow(&row), factsRow(&row), messageRow(&row)} {
			_, known := reflect.TypeOf(part).FieldByName(name)
			taken = taken || known
		}
		if !taken && name != "Item" && name != "Realm_2" && name != "MadeAt" { // the place, the realm once more, what policies are asked by
			t.Errorf("%s goes nowhere", name)
		}
	}
}

// same holds each field of a part against the one of the same name.
func same(t *testing.T, whole, part reflect.Value) {
	t.Helper()
	for i := range part.NumField() {
		name := part.Type().Field(i).Name
		got, want := part.Field(i), whole.FieldByName(name)
		switch {
		case part.Type() == reflect.TypeFor[dbsqlc.MessageListed]() && name == "Realm":
			want = whole.FieldByName("Realm_2")
		case name == "MessageListed":
			same(t, whole, got)
			continue
		}
		if !want.IsValid() || !reflect.DeepEqual(got.Interface(), want.Interface()) {
			t.Errorf("%s of %s is %v", name, part.Type(), got.Interface())
		}
	}
}

// fill gives each field a value of its own.
func fill(t *testing.T, row reflect.Value) {
	t.Helper()
	for i := range row.NumField() {
		field, number := row.Field(i), int64(i+1)
		if field.Kind() == reflect.Pointer {
			field.Set(reflect.New(field.Type().Elem()))
			field = field.Elem()
		}
		switch field.Interface().(type) {
		case string:
			field.SetString(row.Type().Field(i).Name)
		case int32, int64:
			field.SetInt(number)
		case bool:
			field.SetBool(true)
		case uuid.UUID:
			field.Set(reflect.ValueOf(uuid.UUID{byte(number)}))
		case time.Time:
			field.Set(reflect.ValueOf(time.Unix(number, 0)))
		case []byte:
			field.Set(reflect.ValueOf([]byte{byte(number)}))
		case []string:
			field.Set(reflect.ValueOf([]string{row.Type().Field(i).Name}))
		case []uuid.UUID:
			field.Set(reflect.ValueOf([]uuid.UUID{{byte(number)}}))
		case dbsqlc.Realm, dbsqlc.Policy:
			fill(t, field)
		default:
			t.Fatalf("%s has a type that the test does not know", row.Type().Field(i).Name)
		}
	}
}
