package store_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// TestUUIDsGoAndComeAsTheyAre: one, none and several, against the text the database itself makes of them.
func TestUUIDsGoAndComeAsTheyAre(t *testing.T) {
	t.Parallel()
	connection := storetest.New(t).Connect(t)
	store.RegisterUUID(connection.TypeMap())
	one, other := uuid.MustParse("019362a4-7b00-7cc3-8f00-0123456789ab"), uuid.MustParse("ffffffff-0000-4000-8000-00000000000f")
	var gone string
	var back uuid.UUID
	var pointer, null *uuid.UUID
	var list []uuid.UUID
	none := one
	err := connection.QueryRow(t.Context(), `SELECT $1::uuid::text || array_to_string($2::uuid[], '+') || coalesce($3::uuid::text, '-'),
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
