package auth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auth"
	"countersign/internal/identity"
	"countersign/internal/payment"
)

// failuresOver is longer than a lock after five wrong ones, and than a question stands open.
const failuresOver = 13 * time.Hour

// signs shows the passkey once more than before.
func (k *securityKey) signs(t *testing.T, ask auth.PasskeyAsk) *auth.PasskeyAnswer {
	t.Helper()
	k.count++
	return k.shown(t, ask)
}

// keyed has an account of alpha take a passkey up.
func (b *bundle) keyed(t *testing.T, name string) (identity.Principal, *securityKey) {
	t.Helper()
	by, err := b.SignIn(t.Context(), auth.SignInInput{Realm: "alpha", Name: name, Password: password})
	check(t, err)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	k := &securityKey{key: key, id: "the passkey of the " + name}
	made := k.made(t, b.question(t, by, identity.PurposeEnrol, identity.Approval{}))
	_, err = b.Enrol(t.Context(), auth.EnrolInput{FactorChange: auth.FactorChange{By: by, Password: password}, Name: "Key", Passkey: made})
	check(t, err)
	return by, k
}

func (b *bundle) question(t *testing.T, by identity.Principal, purpose identity.FactorPurpose, of identity.Approval) auth.PasskeyAsk {
	t.Helper()
	ask, ok, err := b.FactorQuestion(t.Context(), auth.PasskeyInput{By: by, Purpose: purpose, For: of, Origin: ownOrigin})
	check(t, err)
	if !ok {
		t.Fatal("nobody asks for a passkey")
	}
	return ask
}

// counts shows a passkey for one content.
func (b *bundle) counts(t *testing.T, by identity.Principal, answer *auth.PasskeyAnswer, of identity.Approval) bool {
	t.Helper()
	_, err := b.StepUp(t.Context(), by, auth.FactorAnswer{Passkey: answer}, of)
	var refused *payment.StepUpError
	if err != nil && !errors.As(err, &refused) {
		t.Error(err)
	}
	return err == nil
}

// TestAPasskeyAnswersItsOwnQuestionAlone shows a passkey for another message, version, content, purpose, person, device and page.
func TestAPasskeyAnswersItsOwnQuestionAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	checker, key := b.keyed(t, "checker")
	maker, other := b.keyed(t, "maker")
	of := identity.Approval{MessageID: uuid.New(), Version: 1, ContentHash: sha256.Sum256([]byte("what is approved"))}
	message, version, content := of, of, of
	message.MessageID, version.Version, content.ContentHash = uuid.New(), 2, sha256.Sum256([]byte("something else"))
	ask := func() auth.PasskeyAsk { return b.question(t, checker, identity.PurposeApproval, of) }
	far, careless := *key, *key
	far.page, careless.careless = "https://portal.bank.example.evil.example", true
	for what, try := range map[string]func() bool{
		"another message": func() bool { return b.counts(t, checker, key.signs(t, ask()), message) },
		"another version": func() bool { return b.counts(t, checker, key.signs(t, ask()), version) },
		"another content": func() bool { return b.counts(t, checker, key.signs(t, ask()), content) },
		"another person":  func() bool { return b.counts(t, maker, key.signs(t, ask()), of) },
		"a question that another person was asked":  func() bool { return b.counts(t, maker, other.signs(t, ask()), of) },
		"another person's device":                   func() bool { return b.counts(t, checker, other.signs(t, ask()), of) },
		"an owner who was there and proved nothing": func() bool { return b.counts(t, checker, careless.signs(t, ask()), of) },
		"another page":                              func() bool { return b.counts(t, checker, far.signs(t, ask()), of) },
		"a question of the profile": func() bool {
			return b.counts(t, checker, key.signs(t, b.question(t, checker, identity.PurposeProfile, of)), of)
		},
		"the ticket of another question": func() bool {
			mixed := ask()
			mixed.Ticket = ask().Ticket
			return b.counts(t, checker, key.signs(t, mixed), of)
		},
		"a question whose time is over": func() bool {
			stale := ask()
			b.clock.Add(failuresOver)
			return b.counts(t, checker, key.signs(t, stale), of)
		},
		"nothing that can be read": func() bool {
			return b.counts(t, checker, &auth.PasskeyAnswer{Origin: ownOrigin, Ticket: ask().Ticket, Response: "{}"}, of)
		},
	} {
		if try() {
			t.Errorf("a passkey counts with %s", what)
		}
		b.clock.Add(failuresOver) // five wrong ones lock an account
	}
	if !b.counts(t, checker, key.signs(t, ask()), of) {
		t.Error("the right answer does not count: nothing above says anything")
	}
}

// TestAPasskeyAnswersAQuestionOnce shows the same answer many times at once, and an older one of a device that counted on.
func TestAPasskeyAnswersAQuestionOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	checker, key := b.keyed(t, "checker")
	of := identity.Approval{MessageID: uuid.New(), Version: 1, ContentHash: sha256.Sum256([]byte("what is approved"))}
	ask := func() auth.PasskeyAsk { return b.question(t, checker, identity.PurposeApproval, of) }
	older, one := key.signs(t, ask()), key.signs(t, ask())
	answers := make(chan bool, 5)
	var wg sync.WaitGroup
	for range cap(answers) {
		wg.Go(func() { answers <- b.counts(t, checker, one, of) })
	}
	wg.Wait()
	close(answers)
	in := 0
	for counted := range answers {
		if counted {
			in++
		}
	}
	if in != 1 {
		t.Errorf("of one answer many times at once %d counted, want 1", in)
	}
	if b.counts(t, checker, older, of) {
		t.Error("an answer counts that the device gave before another one that counted")
	}
}
