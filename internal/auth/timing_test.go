package auth_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"countersign/internal/auth"
	"countersign/internal/identity"
	"countersign/internal/store"
	"countersign/internal/store/provision"
)

// TestNamesHaveNoTimingOfTheirOwn measures what `make timing` asks for: as many names that are accounts and as many that are not, one after
// the other in an order of chance, with a wrong password, at the portal. It tells medians, quartiles and the share: how often a known name
// took longer than an unknown one, one half when nothing can be told apart. It decides nothing by a clock; what it does decide is that both
// are told the same.
func TestNamesHaveNoTimingOfTheirOwn(t *testing.T) {
	names, err := strconv.Atoi(os.Getenv("COUNTERSIGN_TIMING"))
	if err != nil || names < 2 {
		names = 4 // enough for what it decides
	}
	b := setup(t)
	crowd := realm("crowd", "CC")
	for number := range names {
		name := fmt.Sprintf("known-%06d", number)
		crowd.People = append(crowd.People, provision.PersonDefinition{
			DisplayName: name, Duty: provision.DutyPayments, Accounts: []provision.AccountDefinition{{
				Name: name, PasswordHash: passwordHash(), Status: store.UserActive, Roles: []identity.Role{identity.RoleMaker},
			}},
		})
	}
	check(t, provision.Apply(t.Context(), b.db.Provisioner(t), crowd))
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
	longer := 0
	for number := range names {
		if took["known"][number] > took["other"][number] {
			longer++
		}
	}
	for _, kind := range []string{"known", "other"} {
		slices.Sort(took[kind])
		t.Logf("%d names that are %s: median %v, quartiles %v and %v", names, kind, took[kind][names/2], took[kind][names/4],
			took[kind][3*names/4])
	}
	t.Logf("a known name took longer than the unknown one beside it in %.1f %% of the pairs; the medians are %v apart",
		100*float64(longer)/float64(names), took["known"][names/2]-took["other"][names/2])
}
