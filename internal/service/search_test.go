package service_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/payment"
)

// realm is a world with the honest people of the demo and with the accounts of those who cheat.
func realm(cheats ...hand) world {
	honest := func(name string, role identity.Role) hand {
		return hand{name: name, person: uuid.New(), user: uuid.New(), roles: []identity.Role{role}, active: true}
	}
	return world{approvals: 1, hands: append([]hand{
		honest("checker1", identity.RoleChecker), honest("checker2", identity.RoleChecker), honest("admin1", identity.RoleAdministrator),
		honest("admin2", identity.RoleAdministrator),
	}, cheats...)}
}

// ours is an account of a person who cheats.
func ours(name string, person uuid.UUID, roles ...identity.Role) hand {
	return hand{name: name, person: person, user: uuid.New(), roles: roles, active: true, ours: true}
}

// onePerson has every role by accounts of their own, which the rules of administration already forbid: the search asks what remains.
func onePerson(person uuid.UUID) []hand {
	return []hand{
		ours("entry", person, identity.RoleMaker, identity.RoleChecker), ours("entry2", person, identity.RoleMaker),
		ours("look", person, identity.RoleChecker), ours("office", person, identity.RoleAdministrator),
		ours("office2", person, identity.RoleAdministrator),
	}
}

// search walks every sequence of deeds up to the length, each world once, and has every world looked at.
func search(b *bench, from world, length int, look func(world, []deed)) (worlds, tried int) {
	type reached struct {
		world
		by []deed
	}
	seen, front := map[string]bool{}, []reached{{world: from}}
	for range length {
		var next []reached
		for _, r := range front {
			for _, d := range r.deeds() {
				tried++
				after, err := b.do(r.world, d)
				if err != nil || seen[after.key()] {
					continue
				}
				seen[after.key()] = true
				by := append(slices.Clone(r.by), d)
				look(after, by)
				next = append(next, reached{after, by})
			}
		}
		front = next
	}
	return len(seen), tried
}

// checkFourEyes holds a world against the promise: what was released was approved by somebody who did not make it, unless two people
// turned the approvals off, and what was changed was confirmed by somebody who did not ask for it.
func checkFourEyes(t *testing.T, w world, by []deed) {
	t.Helper()
	for _, c := range w.changes {
		if c.Decision != nil && (c.Decision.By.PersonID == c.Requester.PersonID || c.Decision.By.PersonID == c.Beneficiary) {
			t.Errorf("%v: one person changed %s", by, c.Subject)
		}
	}
	for _, m := range w.messages {
		if m.State == payment.StateApproved && !slices.ContainsFunc(m.Decisions, func(d payment.Decision) bool {
			return d.Action == payment.ActionApprove && d.ForVersion == m.Version && !m.MadeBy(d.PersonID)
		}) {
			t.Errorf("%v: nobody else approved %s", by, m.GlobalID)
		}
	}
}

// TestOnePersonReleasesAndGainsNothing tries every sequence of five deeds by one person with five accounts and two doors.
func TestOnePersonReleasesAndGainsNothing(t *testing.T) {
	t.Parallel()
	worlds, tried := search(newBench(t), realm(onePerson(uuid.New())...), 5, func(w world, by []deed) {
		if w.released > 0 || w.gained > 0 {
			t.Fatalf("one person reached %d releases and %d rights by %v", w.released, w.gained, by)
		}
	})
	t.Logf("%d worlds, %d deeds tried", worlds, tried)
	if worlds < 1000 {
		t.Errorf("only %d worlds were reached: the search does not do what it says", worlds)
	}
}

// TestTwoPeopleReleaseAndGain holds the search itself to account: with a second person it finds both.
func TestTwoPeopleReleaseAndGain(t *testing.T) {
	t.Parallel()
	one, two := uuid.New(), uuid.New()
	released, gained := 0, 0
	from := realm(
		ours("entry", one, identity.RoleMaker, identity.RoleChecker), ours("office", one, identity.RoleAdministrator),
		ours("look", two, identity.RoleChecker), ours("office2", two, identity.RoleAdministrator),
	)
	worlds, tried := search(newBench(t), from, 4, func(w world, by []deed) {
		released, gained = released+min(w.released, 1), gained+min(w.gained, 1)
		checkFourEyes(t, w, by)
	})
	t.Logf("%d worlds, %d deeds tried, %d with a release, %d with a right gained", worlds, tried, released, gained)
	if released == 0 || gained == 0 {
		t.Errorf("two people reached %d releases and %d rights", released, gained)
	}
}
