package payment_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"countersign/internal/interbank"
	"countersign/internal/money"
	"countersign/internal/payment"
)

// books are sixty items with the statement that fits them: payments and returns of ours, and payments of banks that number alike.
func books(t *testing.T) ([]payment.LedgerItem, interbank.ClearingStatement) {
	t.Helper()
	day := time.Date(2026, time.November, 27, 12, 0, 0, 0, time.UTC)
	s := interbank.ClearingStatement{From: day.Truncate(24 * time.Hour), To: day.Truncate(24*time.Hour).AddDate(0, 0, 1)}
	var ledger []payment.LedgerItem
	for i := range 60 {
		amount, err := money.Parse(money.CHF, fmt.Sprintf("%d.05", 10+i))
		if err != nil {
			t.Fatal(err)
		}
		item := payment.LedgerItem{
			Realm: "demo", GlobalID: payment.ID(fmt.Sprintf("G%015d", i)), Kind: payment.KindInstruction, Direction: payment.DirectionOut,
			State: payment.StateSettled, Amount: amount, Day: day, Approved: true, Sent: true,
		}
		item.TransactionID = string(item.GlobalID)
		line := interbank.StatementLine{TransactionID: item.TransactionID, References: []string{item.TransactionID}, Amount: amount}
		switch i % 4 {
		case 1: // of another bank
			item.Kind, item.Direction, item.State, item.TransactionID = payment.KindPayment, payment.DirectionIn, payment.StateBooked, fmt.Sprintf("T%d", i%3)
			line.TransactionID, line.References, line.Credit = item.TransactionID, []string{item.TransactionID}, true
		case 2: // a return of ours, named by its own id and that of the payment
			item.Kind, item.TransactionID = payment.KindReturn, "T9"
			line.TransactionID, line.References = "T9", []string{"T9", string(item.GlobalID)}
		}
		ledger, s.Lines = append(ledger, item), append(s.Lines, line)
	}
	return ledger, s
}

// Each of a thousand changes of a statement or of the books is named, by its reference, and nothing else is.
func TestEachDifferenceOfAStatementIsNamed(t *testing.T) {
	t.Parallel()
	ledger, s := books(t)
	if found := payment.Reconcile(s, ledger); len(found) > 0 {
		t.Fatalf("a statement that fits has differences: %+v", found)
	}
	random := rand.New(rand.NewPCG(47, 10))
	other, err := money.Parse(money.CHF, "9999.99")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[payment.DifferenceKind]int{}
	for number := range 1000 {
		ledger, s := books(t)
		at := random.IntN(len(ledger))
		reference, want := s.Lines[at].TransactionID, []payment.DifferenceKind{}
		switch number % 8 {
		case 0:
			s.Lines, want = slices.Delete(s.Lines, at, at+1), []payment.DifferenceKind{payment.NotOnStatement}
		case 1:
			s.Lines, want = append(s.Lines, s.Lines[at]), []payment.DifferenceKind{payment.TwiceStated}
		case 2:
			s.Lines[at].Amount, want = other, []payment.DifferenceKind{payment.OtherAmount}
		case 3:
			s.Lines[at].TransactionID, s.Lines[at].References = "STRAY", []string{"STRAY"}
			want = []payment.DifferenceKind{payment.NotHere, payment.NotOnStatement}
		case 4:
			s.Lines[at].Credit = !s.Lines[at].Credit
			want = []payment.DifferenceKind{payment.OtherWay, payment.NotOnStatement}
		case 5:
			ledger[at].State, want = payment.StateUnconfirmed, []payment.DifferenceKind{payment.NotSettledHere}
		case 6:
			ledger = slices.Delete(ledger, at, at+1)
			want = []payment.DifferenceKind{payment.NotHere}
		case 7:
			if ledger[at].Direction == payment.DirectionIn {
				continue
			}
			ledger[at].State, ledger[at].Approved, ledger[at].Sent = payment.StateRejected, false, false
			want = []payment.DifferenceKind{payment.NeverApproved}
		}
		random.Shuffle(len(s.Lines), func(i, j int) { s.Lines[i], s.Lines[j] = s.Lines[j], s.Lines[i] })
		found := payment.Reconcile(s, ledger)
		var got []payment.DifferenceKind
		for _, d := range found {
			got = append(got, d.Kind)
			kinds[d.Kind]++
			if d.Reference != reference && d.Reference != "STRAY" {
				t.Errorf("change %d of %s: %+v", number, reference, d)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		alike := number%8 == 6 && len(got) == 1 && got[0] == payment.TwiceStated // another payment has the same transaction ID
		if !slices.Equal(got, want) && !alike {
			t.Errorf("change %d of %s: %q, want %q", number, reference, got, want)
		}
	}
	if len(kinds) != 7 {
		t.Errorf("kinds seen: %v", kinds)
	}
}
