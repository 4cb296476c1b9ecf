package governance_test

import (
	"context"
	"testing"

	"countersign/internal/admin"
	"countersign/internal/administration"
	"countersign/internal/stationtest"
	"countersign/internal/store/governance"
	"countersign/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// TestARowThatDoesNotFitItsSealHidesNoneBehindIt: lists go on after it, whole pages long, in every order.
func TestARowThatDoesNotFitItsSealHidesNoneBehindIt(t *testing.T) {
	t.Parallel()
	h, ctx := stationtest.New(t), context.Background()
	for name, iban := range map[string]string{
		"Alpha AG": "CH4821966000009613388", "Beta AG": "CH9300762011623852957", "Delta AG": "DE89370400440532013000",
	} {
		asked, err := h.Admin.Request(ctx, h.Person(t, "maker1"), admin.RequestInput{
			Kind: administration.KindBeneficiaryCreate, Values: administration.Values{"creditorName": name, "creditorIban": iban},
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = h.Admin.DecideBeneficiary(ctx, h.Person(t, "checker1"), admin.DecideInput{ChangeID: asked.Change.ID, Approve: true})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, subject := range []string{"maker1", "checker1", "maker2"} {
		_, err := h.Admin.Request(ctx, h.Person(t, "admin1"), admin.RequestInput{Kind: administration.KindUserSuppress, Subject: subject})
		if err != nil {
			t.Fatal(err)
		}
	}
	conn := h.DB.Connect(t)
	for _, forged := range []string{
		"SET session_replication_role = replica", "UPDATE beneficiary SET town = 'Elsewhere' WHERE name IN ('Alpha AG', 'Beta AG')",
		"UPDATE realm_change SET seal = sha256(seal) WHERE subject IN ('maker2', 'maker1')",
	} {
		_, err := conn.Exec(ctx, forged)
		if err != nil {
			t.Fatal(err)
		}
	}
	book, err := h.Admin.Beneficiaries(ctx, h.Person(t, "maker1"), governance.Book{PageSize: 1})
	if err != nil || len(book) != 1 || book[0].Name != "Delta AG" {
		t.Errorf("behind two forged rows are the beneficiaries %+v, %v", book, err)
	}
	for _, f := range []governance.Filter{
		{OldestFirst: true}, {Sort: governance.SortKind, Kind: administration.KindUserSuppress}, {Sort: governance.SortState},
	} {
		f.PageSize, f.State = 1, administration.StatePending
		list, err := h.Admin.Changes(ctx, h.Person(t, "admin1"), f)
		if err != nil || len(list) != 1 || list[0].Subject != "checker1" {
			t.Errorf("in the order %+v are the changes %+v, %v", f, list, err)
		}
	}
}
