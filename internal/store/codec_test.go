package store_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// typed is a connection that writes and reads as the service does.
func typed(t *testing.T) *pgx.Conn {
	t.Helper()
	connection := storetest.New(t).Connect(t)
	store.RegisterTypes(connection.TypeMap())
	return connection
}

// TestUUIDsGoAndComeAsTheyAre: one, none and several, against the text the database itself makes of them.
func TestUUIDsGoAndComeAsTheyAre(t *testing.T) {
	t.Parallel()
	one, other := uuid.MustParse("019362a4-7b00-7cc3-8f00-0123456789ab"), uuid.MustParse("ffffffff-0000-4000-8000-00000000000f")
	var gone string
	var back uuid.UUID
	var pointer, null *uuid.UUID
	var list []uuid.UUID
	none := one
	err := typed(t).QueryRow(t.Context(), `SELECT $1::uuid::text || array_to_string($2::uuid[], '+') || coalesce($3::uuid::text, '-'),
		$1::uuid, NULL::uuid, $4::uuid, NULL::uuid, $2::uuid[]`,
		one, []uuid.UUID{other, one}, (*uuid.UUID)(nil), &other).Scan(&gone, &back, &none, &pointer, &null, &list)
	if err != nil {
		t.Fatal(err)
	}
	want := one.String() + other.String() + "+" + one.String() + "-"
	if gone != want {
		t.Errorf("the database got %s, want %s", gone, want)
	}
	if back != one || none != uuid.Nil || *pointer != other || null != nil || !slices.Equal(list, []uuid.UUID{other, one}) {
		t.Errorf("read %s, %s, %v, %v, %v", back, none, pointer, null, list)
	}
}

// TestTextsGoAndComeAsTheyAre: with everything that means something where arrays are written as text.
func TestTextsGoAndComeAsTheyAre(t *testing.T) {
	t.Parallel()
	connection := typed(t)
	type word string
	strange := []string{"", `a "quoted", {text}\`, "Zürich 😀", "NULL", " "}
	var joined, back string
	var pointer, null *string
	var list, empty, none []string
	var own word
	none = strange
	err := connection.QueryRow(t.Context(), `SELECT array_to_string($1::text[], '+'), $2::text, $3::text, $4::text, $1::text[], $5::text[],
		$6::text[], $7::text`, strange, strange[1], &strange[2], (*string)(nil), []string{}, []string(nil), word("own")).
		Scan(&joined, &back, &pointer, &null, &list, &empty, &none, &own)
	if err != nil {
		t.Fatal(err)
	}
	if joined != `+a "quoted", {text}\+Zürich 😀+NULL+ ` || back != strange[1] || *pointer != strange[2] || null != nil || own != "own" {
		t.Errorf("read %q, %q, %v, %v, %q", joined, back, pointer, null, own)
	}
	if !slices.Equal(list, strange) || empty == nil || len(empty) != 0 || none != nil {
		t.Errorf("read the lists %q, %#v, %#v", list, empty, none)
	}
}

// TestBytesGoAndComeAsTheyAre: nothing at all is NULL, and no bytes are not; so it is in lists.
func TestBytesGoAndComeAsTheyAre(t *testing.T) {
	t.Parallel()
	connection := typed(t)
	type hash []byte
	list := [][]byte{{0, 255}, nil, {}, []byte("bytes")}
	var told string
	var back, empty, null, nothing []byte
	var lists, none, short [][]byte
	var own hash
	null = list[0]
	err := connection.QueryRow(t.Context(), `SELECT array_to_string($1::bytea[], '+', 'NULL') || ' ' || coalesce($4::bytea::text, 'NULL'),
		$2::bytea, $3::bytea, $4::bytea, NULL::bytea, $1::bytea[], $5::bytea[], $6::bytea[], $7::bytea`,
		list, list[3], []byte{}, []byte(nil), [][]byte(nil), [][]byte{}, hash("own")).
		Scan(&told, &back, &empty, &null, &nothing, &lists, &none, &short, &own)
	if err != nil {
		t.Fatal(err)
	}
	if want := `\x00ff+NULL+\x+\x6279746573 NULL`; told != want {
		t.Errorf("the database got %s, want %s", told, want)
	}
	if string(back) != "bytes" || empty == nil || len(empty) != 0 || null != nil || nothing != nil || string(own) != "own" {
		t.Errorf("read %q, %#v, %v, %v, %q", back, empty, null, nothing, own)
	}
	if !reflect.DeepEqual(lists, list) || none != nil || short == nil || len(short) != 0 {
		t.Errorf("read the lists %#v, %#v, %#v", lists, none, short)
	}
}

// TestTimesGoAndComeAsTheyAre: before and after the years that the two sides count from, to the microsecond.
func TestTimesGoAndComeAsTheyAre(t *testing.T) {
	t.Parallel()
	times := []time.Time{
		{},
		time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC), time.Date(1999, 12, 31, 23, 59, 59, 1000, time.UTC),
		time.Date(2026, 11, 23, 3, 0, 0, 123_456_000, time.FixedZone("", 3600)),
	}
	var text string
	var back time.Time
	var pointer, null *time.Time
	var list []time.Time
	err := typed(t).QueryRow(t.Context(), `SELECT array_to_string($1::timestamptz[], ' '), $2::timestamptz, $3::timestamptz, $4::timestamptz,
		$1::timestamptz[]`, times, times[3], &times[1], (*time.Time)(nil)).Scan(&text, &back, &pointer, &null, &list)
	if err != nil {
		t.Fatal(err)
	}
	const want = "0001-01-01 00:00:00+00 1969-12-31 23:59:59.999999+00 1999-12-31 23:59:59.000001+00 2026-11-23 02:00:00.123456+00"
	if text != want {
		t.Errorf("the database got %s, want %s", text, want)
	}
	if !back.Equal(times[3]) || !pointer.Equal(times[1]) || null != nil || !slices.EqualFunc(list, times, time.Time.Equal) {
		t.Errorf("read %s, %v, %v, %v", back, pointer, null, list)
	}
}

// TestWhatIsNoValueIsNotRead: NULL where there must be a value, times without end, arrays of several dimensions.
func TestWhatIsNoValueIsNotRead(t *testing.T) {
	t.Parallel()
	connection := typed(t)
	var text string
	var at time.Time
	var pointer *time.Time
	var list []string
	for question, target := range map[string]any{
		"SELECT NULL::text": &text, "SELECT NULL::timestamptz": &at, "SELECT 'infinity'::timestamptz": &at,
		"SELECT '-infinity'::timestamptz": &pointer,
		"SELECT '{a,NULL}'::text[]":       &list, "SELECT '{{a,b},{c,d}}'::text[]": &list,
	} {
		err := connection.QueryRow(t.Context(), question).Scan(target)
		if err == nil {
			t.Errorf("%s is read as %v", question, target)
		}
	}
}
