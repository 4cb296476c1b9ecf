package store_test

import (
	"context"
	"testing"

	"countersign/internal/administration"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
)

// TestARowThatDoesNotFitItsSealHidesNoneBehindIt: lists go on after it, whole pages long, in every order.
func TestARowThatDoesNotFitItsSealHidesNoneBehindIt(t *testing.T) {
	t.Parallel()
	h, ctx := servicetest.New(t), context.Background()
	for name, iban := range map[string]string{
		"Alpha AG": "CH4821966000009613388", "Beta AG": "CH9300762011623852957", "Delta AG": "DE89370400440532013000",
	} {
		asked, err := h.Admin.Request(ctx, h.Person(t, "maker1"), service.RequestInput{
			Kind: administration.KindBeneficiaryCreate, Values: administration.Values{"creditorName": name, "creditorIban": iban},
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = h.Admin.DecideBeneficiary(ctx, h.Person(t, "checker1"), service.DecideInput{ChangeID: asked.Change.ID, Approve: true})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, subject := range []string{"maker1", "checker1", "maker2"} {
		_, err := h.Admin.Request(ctx, h.Person(t, "admin1"), service.RequestInput{Kind: administration.KindUserSuppress, Subject: subject})
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
	book, err := h.Admin.Beneficiaries(ctx, h.Person(t, "maker1"), store.Book{PageSize: 1})
	if err != nil || len(book) != 1 || book[0].Name != "Delta AG" {
		t.Errorf("behind two forged rows are the beneficiaries %+v, %v", book, err)
	}
	for _, f := range []store.ChangeFilter{
		{OldestFirst: true}, {Sort: store.ChangeSortKind, Kind: administration.KindUserSuppress}, {Sort: store.ChangeSortState},
	} {
		f.PageSize, f.State = 1, administration.StatePending
		list, err := h.Admin.Changes(ctx, h.Person(t, "admin1"), f)
		if err != nil || len(list) != 1 || list[0].Subject != "checker1" {
			t.Errorf("in the order %+v are the changes %+v, %v", f, list, err)
		}
	}
}

// TestADecisionThatDoesNotFitItsSealHidesNoneBehindIt: an approval that was forged counts as a rejection, which is no place in the order of
// states to go on behind: those that were approved stand there still. In a list of one state is nothing that shows another.
func TestADecisionThatDoesNotFitItsSealHidesNoneBehindIt(t *testing.T) {
	t.Parallel()
	h, ctx := servicetest.New(t), context.Background()
	var asked []string
	for _, iban := range []string{"CH4821966000009613388", "CH9300762011623852957", "DE89370400440532013000"} {
		change, err := h.Admin.Request(ctx, h.Person(t, "maker1"), service.RequestInput{
			Kind: administration.KindBeneficiaryCreate, Values: administration.Values{"creditorName": "Alpha AG", "creditorIban": iban},
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = h.Admin.DecideBeneficiary(ctx, h.Person(t, "checker1"), service.DecideInput{ChangeID: change.Change.ID, Approve: true})
		if err != nil {
			t.Fatal(err)
		}
		asked = append(asked, change.Change.ID.String())
	}
	conn := h.DB.Connect(t)
	_, err := conn.Exec(ctx, "SET session_replication_role = replica")
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.Exec(ctx, "UPDATE realm_change_decision SET seal = sha256(seal) WHERE change_id = $1", asked[2])
	if err != nil {
		t.Fatal(err)
	}
	f := store.ChangeFilter{Sort: store.ChangeSortState, PageSize: 1}
	for _, want := range []string{asked[2], asked[1], asked[0]} {
		list, err := h.Admin.BeneficiaryChanges(ctx, h.Person(t, "checker1"), f)
		if err != nil || len(list) != 1 || list[0].ID.String() != want {
			t.Fatalf("behind %s %q is %+v, not %s: %v", f.From, f.FromWord, list, want, err)
		}
		f.From, f.FromWord = list[0].ID, f.Sort.Word(list[0])
	}
	for state, want := range map[administration.State]int{administration.StateApplied: 2, administration.StateRejected: 0, "": 3} {
		list, err := h.Admin.BeneficiaryChanges(ctx, h.Person(t, "checker1"), store.ChangeFilter{State: state, PageSize: 10})
		if err != nil || len(list) != want {
			t.Errorf("%d changes are %q, not %d: %v", len(list), state, want, err)
		}
	}
}
