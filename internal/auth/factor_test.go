package auth_test

import (
	"encoding/base32"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"

	"countersign/internal/auth"
	"countersign/internal/identity"
	"countersign/internal/store"
)

// app is an authenticator app in which somebody has the key.
type app struct {
	key   string
	clock func() time.Time
}

// code is what it shows, some steps from now.
func (a app) code(t *testing.T, steps int) string {
	t.Helper()
	code, err := totp.GenerateCode(a.key, a.clock().Add(time.Duration(steps)*30*time.Second))
	check(t, err)
	return code
}

// enrol takes an authenticator app up for the checker of alpha, with the code of the step before this one, and returns the recovery codes.
func (b *bundle) enrol(t *testing.T) (app, []string) {
	t.Helper()
	by, err := b.SignIn(t.Context(), auth.SignInInput{Realm: "alpha", Name: "checker", Password: password})
	check(t, err)
	fresh, err := b.NewTOTP(by)
	check(t, err)
	a := app{key: fresh.Key, clock: b.clock.Now}
	codes, err := b.Enrol(t.Context(), auth.EnrolInput{
		FactorChange: auth.FactorChange{By: by, Password: password}, Name: "Phone", Held: fresh.Held, Code: a.code(t, -1),
	})
	check(t, err)
	if len(codes) != 10 {
		t.Fatalf("%d recovery codes came with the first factor", len(codes))
	}
	return a, codes
}

func (b *bundle) withCode(t *testing.T, name, code string) error {
	t.Helper()
	return withCodeAt(t, b.Service, name, code)
}

func withCodeAt(t *testing.T, gateway *auth.Service, name, code string) error {
	t.Helper()
	_, err := gateway.Login(t.Context(), auth.LoginInput{Realm: "alpha", Client: office, Name: name, Password: password, SecondFactor: code})
	return err
}

func TestAPasswordAloneIsNotEnoughOfSomebodyWithASecondFactor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a, codes := b.enrol(t)
	var needed *auth.FactorNeededError
	_, err := b.SignIn(t.Context(), auth.SignInInput{Realm: "alpha", Name: "checker", Password: password})
	if !errors.As(err, &needed) || needed.Enrol || len(needed.Kinds) != 2 {
		t.Fatalf("the portal: %v, want a factor to be asked for", err)
	}
	if err := b.withCode(t, "checker", ""); !errors.As(err, &needed) {
		t.Errorf("the API: %v, want a factor to be asked for", err)
	}
	for what, refused := range map[string]string{
		"the code of enrolling": a.code(t, -1), "two steps old": a.code(t, -2), "two steps ahead": a.code(t, 2), "nonsense": "12345x",
	} {
		if err := b.withCode(t, "checker", refused); !errors.Is(err, auth.ErrFactor) {
			t.Errorf("%s: %v, want it refused", what, err)
		}
	}
	session := auth.PortalSession{Realm: "alpha", UserID: needed.By.UserID, Since: b.clock.Now()}
	by, err := b.SecondSignIn(t.Context(), auth.SecondSignInInput{Session: session, Answer: auth.FactorAnswer{Code: a.code(t, 1)}})
	if err != nil || by.UserName != "checker" {
		t.Errorf("a code one step ahead: %v", err)
	}
	b.clock.Add(6 * time.Minute)
	_, err = b.SecondSignIn(t.Context(), auth.SecondSignInInput{Session: session, Answer: auth.FactorAnswer{Code: a.code(t, 0)}})
	if !errors.Is(err, auth.ErrUnauthorized) {
		t.Errorf("six minutes after the password: %v, want it to be over", err)
	}
	check(t, b.withCode(t, "checker", strings.ToUpper(strings.ReplaceAll(codes[3], "-", " "))))
	if err := b.withCode(t, "checker", codes[3]); !errors.Is(err, auth.ErrFactor) {
		t.Errorf("a recovery code twice: %v, want it refused", err)
	}
	check(t, b.withCode(t, "checker", codes[4]))
	secret, err := base32.StdEncoding.DecodeString(a.key)
	check(t, err)
	if b.count(t, "SELECT count(*) FROM second_factor WHERE position('\\x"+hexOf(secret)+"'::bytea IN secret) > 0") != 0 {
		t.Error("the key of the app stands in the database as it is")
	}
	if n := b.count(t, "SELECT count(*) FROM audit_event WHERE event = 'second-factor.use' AND detail LIKE '%sign-in%'"); n != 3 {
		t.Errorf("the audit trail tells of %d uses, want 3", n)
	}
	if strings.Contains(b.log.String(), codes[3]) || strings.Contains(b.log.String(), a.key) {
		t.Error("the log holds a secret")
	}
}

func hexOf(secret []byte) string {
	const digits = "0123456789abcdef"
	var text strings.Builder
	for _, one := range secret {
		text.WriteByte(digits[one>>4])
		text.WriteByte(digits[one&15])
	}
	return text.String()
}

// However many wrong codes come at once to two gateways, five are compared; the right one then waits as well.
func TestParallelWrongCodesAreBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a, _ := b.enrol(t)
	var wg sync.WaitGroup
	results := make(chan error, 40)
	gateways := []*auth.Service{b.Service, b.another(t)}
	for i := range cap(results) {
		wg.Go(func() { results <- withCodeAt(t, gateways[i%2], "checker", "000000") })
	}
	wg.Wait()
	close(results)
	wrong, locked := 0, 0
	for err := range results {
		var account *auth.AccountError
		switch {
		case errors.Is(err, auth.ErrFactor):
			wrong++
		case errors.As(err, &account) && account.Problem == auth.ProblemLocked:
			locked++
		default:
			t.Errorf("a wrong code: %v", err)
		}
	}
	if wrong != 5 || locked != 35 {
		t.Errorf("%d wrong codes were compared and %d locked out, want 5 and 35", wrong, locked)
	}
	var account *auth.AccountError
	if err := b.withCode(t, "checker", a.code(t, 0)); !errors.As(err, &account) || account.Problem != auth.ProblemLocked {
		t.Errorf("the right code while it is locked: %v", err)
	}
	b.clock.Add(61 * time.Second)
	check(t, b.withCode(t, "checker", a.code(t, 0)))
}

func TestOfTheSameCodeAtOnceOneCounts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a, codes := b.enrol(t)
	gateways := []*auth.Service{b.Service, b.another(t)}
	for _, code := range []string{a.code(t, 0), codes[0]} {
		var wg sync.WaitGroup
		results := make(chan error, 5)
		for i := range cap(results) {
			wg.Go(func() { results <- withCodeAt(t, gateways[i%2], "checker", code) })
		}
		wg.Wait()
		close(results)
		in := 0
		for err := range results {
			if err == nil {
				in++
			}
		}
		if in != 1 {
			t.Errorf("one code let %d in, want 1", in)
		}
		b.clock.Add(61 * time.Second)
	}
	for _, statement := range []string{"DELETE FROM factor_use", "UPDATE factor_use SET token = sha256('x')"} {
		_, err := b.db.ConnectAsApplication(t, "alpha").Exec(t.Context(), statement)
		if err == nil {
			t.Errorf("the service's role does not leave used codes as they are: %s", statement)
		}
	}
}

// A login that writes rows without the key neither takes a factor away nor gives one.
func TestFactorsThatSomebodyWroteByHandLetNobodyIn(t *testing.T) {
	t.Parallel()
	for what, statement := range map[string]string{
		"removed":  "UPDATE second_factor SET removed_at = now() WHERE kind = 'totp'",
		"given on": "UPDATE second_factor SET user_id = (SELECT user_id FROM user_account WHERE name = 'maker' AND realm = 'alpha')",
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			a, _ := b.enrol(t)
			b.owner(t, "ALTER TABLE factor_use DROP CONSTRAINT factor_use_realm_factor_id_user_id_fkey")
			b.owner(t, statement)
			name := map[string]string{"removed": "checker", "given on": "maker"}[what]
			err := b.withCode(t, name, a.code(t, 0))
			if !errors.Is(err, auth.ErrFactorsForged) || !strings.Contains(b.log.String(), `"alarm":true`) {
				t.Errorf("got %v, want nobody in and an alarm", err)
			}
		})
	}
}

func TestARealmAsksARoleForASecondFactor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	wanted := realm("alpha", "AA")
	wanted.SecondFactor = []identity.Role{identity.RoleChecker}
	check(t, store.ApplyRealm(t.Context(), b.db.Provisioner(t), wanted))
	var needed *auth.FactorNeededError
	if err := b.withCode(t, "checker", ""); !errors.As(err, &needed) || !needed.Enrol {
		t.Errorf("a checker through the API: %v, want to be sent to the portal", err)
	}
	_, err := b.SignIn(t.Context(), auth.SignInInput{Realm: "alpha", Name: "checker", Password: password})
	if !errors.As(err, &needed) || !needed.Enrol {
		t.Errorf("a checker in the portal: %v, want to be asked to take one up", err)
	}
	check(t, b.withCode(t, "maker", ""))
	check(t, store.ApplyRealm(t.Context(), b.db.Provisioner(t), realm("alpha", "AA")))
	check(t, b.withCode(t, "checker", ""))
}

func TestTheLastFactorStaysWhereTheRealmAsksForOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a, _ := b.enrol(t)
	wanted := realm("alpha", "AA")
	wanted.SecondFactor = []identity.Role{identity.RoleChecker}
	check(t, store.ApplyRealm(t.Context(), b.db.Provisioner(t), wanted))
	by, _, err := b.HalfSignedIn(t.Context(), auth.PortalSession{Realm: "alpha", UserID: b.userID(t, "checker"), Since: b.clock.Now()})
	check(t, err)
	list, err := b.Factors(t.Context(), by)
	check(t, err)
	for _, f := range list {
		if f.Kind != identity.FactorTOTP {
			continue
		}
		err = b.RemoveFactor(t.Context(), auth.FactorChange{By: by, Password: password, Answer: auth.FactorAnswer{Code: a.code(t, 0)}}, f.ID)
		if !errors.Is(err, auth.ErrLastFactor) {
			t.Errorf("the last factor is given up: %v", err)
		}
	}
	left, err := b.Factors(t.Context(), by)
	check(t, err)
	if len(left) != len(list) {
		t.Errorf("%d of %d factors are left", len(left), len(list))
	}
}

// Of changes of one account's factors at the same time one counts: the others were allowed by what was there before it. So nobody takes a
// second factor up by the password alone because they were quick, and the last one stays though two are given up at once.
func TestOfTwoChangesOfFactorsAtOnceOneCounts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by, err := b.SignIn(t.Context(), auth.SignInInput{Realm: "alpha", Name: "checker", Password: password})
	check(t, err)
	fresh, err := b.NewTOTP(by)
	check(t, err)
	one := app{key: fresh.Key, clock: b.clock.Now}
	refused := atOnce(t, 3, func(int) error {
		_, err := b.Enrol(t.Context(), auth.EnrolInput{
			FactorChange: auth.FactorChange{By: by, Password: password}, Name: "Phone", Held: fresh.Held, Code: one.code(t, -1),
		})
		return err
	}, auth.ErrFactorsChanged, auth.ErrFactor)
	list, err := b.Factors(t.Context(), by)
	check(t, err)
	if refused != 2 || len(list) != 2 {
		t.Errorf("%d of 3 are refused, and there are %d factors", refused, len(list))
	}
	second, err := b.NewTOTP(by)
	check(t, err)
	other := app{key: second.Key, clock: b.clock.Now}
	_, err = b.Enrol(t.Context(), auth.EnrolInput{
		FactorChange: auth.FactorChange{By: by, Password: password, Answer: auth.FactorAnswer{Code: one.code(t, 0)}},
		Name:         "Tablet", Held: second.Held, Code: other.code(t, -1),
	})
	check(t, err)
	wanted := realm("alpha", "AA")
	wanted.SecondFactor = []identity.Role{identity.RoleChecker}
	check(t, store.ApplyRealm(t.Context(), b.db.Provisioner(t), wanted))
	list, err = b.Factors(t.Context(), by)
	check(t, err)
	var apps []uuid.UUID
	for _, f := range list {
		if f.Kind == identity.FactorTOTP {
			apps = append(apps, f.ID)
		}
	}
	codes := []string{one.code(t, 1), other.code(t, 0)}
	refused = atOnce(t, 2, func(i int) error {
		return b.RemoveFactor(t.Context(), auth.FactorChange{By: by, Password: password, Answer: auth.FactorAnswer{Code: codes[i]}}, apps[i])
	}, auth.ErrFactorsChanged, auth.ErrLastFactor)
	list, err = b.Factors(t.Context(), by)
	check(t, err)
	if refused != 1 || len(list) != 2 {
		t.Errorf("%d of 2 are refused, and %d factors are left", refused, len(list))
	}
}

// atOnce does something several times at once, and counts how often it came to one of these errors.
func atOnce(t *testing.T, times int, do func(i int) error, expected ...error) (refused int) {
	results := make(chan error, times)
	for i := range times {
		go func() { results <- do(i) }()
	}
	for range times {
		err := <-results
		switch {
		case slices.ContainsFunc(expected, func(want error) bool { return errors.Is(err, want) }):
			refused++
		case err != nil:
			t.Errorf("neither done nor refused: %v", err)
		}
	}
	return refused
}

func TestFactorsChangeByPasswordAndFactorAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a, codes := b.enrol(t)
	by, _, err := b.HalfSignedIn(t.Context(), auth.PortalSession{Realm: "alpha", UserID: b.userID(t, "checker"), Since: b.clock.Now()})
	check(t, err)
	list, err := b.Factors(t.Context(), by)
	check(t, err)
	remove := func(password, code string) error {
		return b.RemoveFactor(t.Context(), auth.FactorChange{By: by, Password: password, Answer: auth.FactorAnswer{Code: code}}, list[0].ID)
	}
	var account *auth.AccountError
	if err := remove("not it", a.code(t, 0)); !errors.As(err, &account) {
		t.Errorf("without the password: %v", err)
	}
	if err := remove(password, ""); !errors.Is(err, auth.ErrFactor) {
		t.Errorf("without a factor: %v", err)
	}
	again, err := b.NewRecoveryCodes(t.Context(), auth.FactorChange{By: by, Password: password, Answer: auth.FactorAnswer{Code: codes[0]}})
	check(t, err)
	if err := b.withCode(t, "checker", codes[1]); !errors.Is(err, auth.ErrFactor) {
		t.Errorf("a code of the set before: %v, want it refused", err)
	}
	check(t, remove(password, again[0]))
	check(t, b.withCode(t, "checker", ""))
	left, err := b.Factors(t.Context(), by)
	if err != nil || len(left) != 0 {
		t.Errorf("after the last one was given up %d are left: %v", len(left), err)
	}
}

// userID is the account of a name in alpha.
func (b *bundle) userID(t *testing.T, name string) uuid.UUID {
	t.Helper()
	var id uuid.UUID
	check(t, b.db.Owner(t).QueryRow(t.Context(), "SELECT user_id FROM user_account WHERE realm = 'alpha' AND name = $1", name).Scan(&id))
	return id
}
