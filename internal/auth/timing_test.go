package auth_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"countersign/internal/administration"
	"countersign/internal/auth"
	"countersign/internal/identity"
	"countersign/internal/store"
	"countersign/internal/testutil"
)

// TestNamesHaveNoTimingOfTheirOwn measures what `make timing` asks for: as many names that are accounts and as many that are not, one after
// the other in an order of chance, with a wrong password, at the portal. It tells medians, quartiles, how often a known name took longer
// than the unknown one beside it, one half when nothing can be told apart, and how far from chance that is. It decides nothing by a clock;
// what it does decide is that both are told the same.
func TestNamesHaveNoTimingOfTheirOwn(t *testing.T) {
	testutil.Long(t)
	names, err := strconv.Atoi(os.Getenv("COUNTERSIGN_TIMING"))
	if err != nil || names < 2 {
		names = 4 // enough for what it decides
	}
	b := setup(t)
	crowd := realm("crowd", "CC")
	for number := range names {
		name := fmt.Sprintf("known-%06d", number)
		crowd.People = append(crowd.People, store.PersonDefinition{
			DisplayName: name, Duty: administration.DutyPayments, Accounts: []store.AccountDefinition{{
				Name: name, PasswordHash: passwordHash(), Status: administration.StatusActive, Roles: []identity.Role{identity.RoleMaker},
			}},
		})
	}
	check(t, store.ApplyRealm(t.Context(), b.db.Provisioner(t), crowd))
	took, order := map[string][]time.Duration{}, rand.New(rand.NewPCG(1, 2))
	for number := range names {
		kinds := []string{"known", "other"}
		if order.IntN(2) == 1 { // a pattern of the garbage collector's would else fall on one of them
			slices.Reverse(kinds)
		}
		for _, kind := range kinds {
			name := fmt.Sprintf("%s-%06d", kind, number)
			b.clock.Add(time.Second) // no limit of the address has a part in it
			began := time.Now()
			_, err = b.SignIn(t.Context(), auth.SignInInput{Realm: "crowd", Name: name, Password: "not the password", SourceAddress: "192.0.2.7"})
			took[kind] = append(took[kind], time.Since(began))
			var refused *auth.AccountError
			if !errors.As(err, &refused) || refused.Problem != auth.ProblemIncorrect {
				t.Fatalf("%s is told %v", name, err)
			}
		}
	}
	tellTiming(t, took["known"], took["other"])
}

// tellTiming tells what was measured, and two tests of it: of the signs of the differences within the pairs, and of their ranks (Wilcoxon).
// Each is a number that lies between -2 and 2 in nineteen runs of twenty when nothing can be told apart.
func tellTiming(t *testing.T, known, other []time.Duration) {
	t.Helper()
	longer, differences := 0, make([]time.Duration, len(known))
	for i := range known {
		differences[i] = known[i] - other[i]
		if differences[i] > 0 {
			longer++
		}
	}
	slices.SortFunc(differences, func(a, b time.Duration) int { return cmp.Compare(a.Abs(), b.Abs()) })
	n, ranks := float64(len(known)), 0.0
	for i, difference := range differences {
		if difference > 0 {
			ranks += float64(i + 1)
		}
	}
	for name, list := range map[string][]time.Duration{"known": known, "other": other} {
		slices.Sort(list)
		t.Logf("%d names that are %s: median %v, quartiles %v and %v", len(list), name, list[len(list)/2], list[len(list)/4],
			list[3*len(list)/4])
	}
	t.Logf("a known name took longer than the unknown one in %.2f %% of the pairs (%+.2f deviations of chance); ranks %+.2f deviations",
		100*float64(longer)/n, (2*float64(longer)-n)/math.Sqrt(n), (ranks-n*(n+1)/4)/math.Sqrt(n*(n+1)*(2*n+1)/24))
}
