package auth

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/store"
)

// Limits of the second factors of one account.
const (
	maxFactors    = 10
	maxFactorName = 64
)

// The errors of adding and removing factors.
var (
	ErrFactorName = errors.New("give it a name of 1 to 64 characters, by which you know it again")
	ErrTooMany    = errors.New("you have ten second factors: give one up first")
	ErrNewPasskey = errors.New("the browser made no passkey that fits: try again")
	ErrNoSuch     = errors.New("there is no such second factor any more")
	// ErrFactorsChanged: another request of the same account was first.
	ErrFactorsChanged = store.ErrFactorsChanged
	ErrLastFactor     = errors.New("your realm asks for a second factor: take another one up before you give this one up")
)

// FactorChange authorises a change of second factors by the password and, when the account has one, a second factor.
type FactorChange struct {
	By       identity.Principal
	Password string
	Answer   FactorAnswer
}

// EnrolInput adds a factor: an authenticator app by Held and Code, or a passkey.
type EnrolInput struct {
	FactorChange
	Name    string
	Held    string // of NewTOTP
	Code    string // of the new app
	Passkey *PasskeyAnswer
}

// Enrol adds a second factor. The first one comes with recovery codes, which are shown once; nil for a later one. Errors: ErrFactorName,
// ErrTooMany, ErrEnrolment, ErrNewCode, ErrNewPasskey, ErrFactorsChanged, and those of a change of factors: *AccountError, *BusyError,
// *LimitError, ErrFactor, ErrFactorsForged, ErrUnauthorized.
func (s *Service) Enrol(ctx context.Context, in EnrolInput) (codes []string, err error) {
	list, err := s.factors(ctx, in.By.Realm, in.By.UserID)
	if err != nil {
		return nil, err
	}
	if len(list) >= maxFactors {
		return nil, ErrTooMany
	}
	fresh, err := s.proven(in)
	if err != nil {
		return nil, err
	}
	err = s.mayChangeFactors(ctx, in.FactorChange, list)
	if err != nil {
		return nil, err
	}
	added := []store.NewFactor{fresh}
	if len(kindsOf(list)) == 0 {
		var extra store.NewFactor
		codes, extra = s.newCodes(in.By)
		added = append(added, extra)
	}
	return s.addFactors(ctx, codes, store.FactorAddition{By: in.By, Known: list, New: added})
}

// proven checks the possession of a new factor and returns it. Errors: ErrFactorName, ErrEnrolment, ErrNewCode, ErrNewPasskey.
func (s *Service) proven(in EnrolInput) (store.NewFactor, error) {
	name := strings.TrimSpace(in.Name)
	length := utf8.RuneCountInString(name)
	if length == 0 || length > maxFactorName || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) {
		return store.NewFactor{}, ErrFactorName
	}
	n := store.NewFactor{By: in.By, UseID: uuid.Must(uuid.NewV7())}
	var err error
	if in.Passkey != nil {
		n.Factor, n.Token, err = s.created(factorCheck{by: in.By, purpose: identity.PurposeEnrol}, in.Passkey)
	} else {
		n.Factor, n.Token, err = s.newApp(in)
	}
	n.Factor.Name, n.Factor.MadeAt = name, s.now()
	if n.Factor.ID == uuid.Nil {
		n.Factor.ID = uuid.Must(uuid.NewV7())
	}
	return n, err
}

// newApp is an authenticator app whose first code fits.
func (s *Service) newApp(in EnrolInput) (factor store.Factor, token [digestSize]byte, err error) {
	secret, err := s.heldSecret(in.By, in.Held)
	if err != nil {
		return factor, token, err
	}
	step, fits := stepOf(secret, in.Code, s.now())
	if !fits {
		return factor, token, ErrNewCode
	}
	factor.ID, factor.Kind = uuid.Must(uuid.NewV7()), identity.FactorTOTP
	factor.Secret, err = s.keys.factors.Encrypt(rand.Reader, secret, secretOf(in.By, factor.ID)...)
	return factor, stepToken(step), err
}

// mayChangeFactors checks the password and, if the person has one, a factor. Errors: *AccountError, *BusyError, *LimitError, ErrFactor,
// ErrFactorsForged, ErrUnauthorized.
func (s *Service) mayChangeFactors(ctx context.Context, c FactorChange, list []store.Factor) error {
	err := s.addresses.take(network(c.By.SourceAddress), s.now())
	if err != nil {
		return err
	}
	err = s.checkOwnPassword(ctx, c.By, c.Password)
	if err != nil {
		return err
	}
	if len(kindsOf(list)) == 0 {
		return nil
	}
	if c.Answer.Empty() {
		return ErrFactor
	}
	_, err = s.checkFactor(ctx, factorCheck{by: c.By, answer: c.Answer, purpose: identity.PurposeProfile})
	return err
}

// addFactors stores factors, and returns the recovery codes among them, which are shown only where they count.
func (s *Service) addFactors(ctx context.Context, codes []string, a store.FactorAddition) ([]string, error) {
	err := s.people.AddFactors(ctx, a)
	if err != nil {
		return nil, err
	}
	return codes, nil
}

// NewRecoveryCodes replaces the recovery codes by new ones, which are shown once. Errors: ErrNoFactor, ErrFactorsChanged, and those of a
// change of factors.
func (s *Service) NewRecoveryCodes(ctx context.Context, c FactorChange) ([]string, error) {
	list, err := s.factors(ctx, c.By.Realm, c.By.UserID)
	if err != nil {
		return nil, err
	}
	if len(kindsOf(list)) == 0 {
		return nil, ErrNoFactor
	}
	err = s.mayChangeFactors(ctx, c, list)
	if err != nil {
		return nil, err
	}
	codes, n := s.newCodes(c.By)
	return s.addFactors(ctx, codes, store.FactorAddition{By: c.By, Known: list, New: []store.NewFactor{n}})
}

// RemoveFactor removes a second factor; with the last one it removes the recovery codes, which do not count alone. Errors: ErrNoSuch,
// ErrLastFactor, ErrFactorsChanged, and those of a change of factors.
func (s *Service) RemoveFactor(ctx context.Context, c FactorChange, id uuid.UUID) error {
	list, err := s.factors(ctx, c.By.Realm, c.By.UserID)
	if err != nil {
		return err
	}
	var gone, stay []store.Factor
	for _, f := range list {
		if f.ID == id {
			gone = append(gone, f)
		} else {
			stay = append(stay, f)
		}
	}
	if len(gone) == 0 {
		return ErrNoSuch
	}
	err = s.mayChangeFactors(ctx, c, list)
	if err != nil {
		return err
	}
	if len(kindsOf(stay)) == 0 {
		asked, err := s.asked(ctx, c.By)
		if err != nil {
			return err
		}
		if asked {
			return ErrLastFactor
		}
		gone = append(gone, stay...)
	}
	return s.people.RemoveFactors(ctx, store.FactorRemoval{By: c.By, Known: list, Factors: gone, At: s.now()})
}

// FactorQuestion starts a request for a passkey: one of the account's, or for identity.PurposeEnrol a new one. ok is false when the account
// has none, or browsers support no passkeys at the portal's address.
func (s *Service) FactorQuestion(ctx context.Context, in PasskeyInput) (ask PasskeyAsk, ok bool, err error) {
	list, err := s.factors(ctx, in.By.Realm, in.By.UserID)
	if err != nil {
		return PasskeyAsk{}, false, err
	}
	ask, ok = s.askPasskey(in)
	ask = ask.withCredentials(list)
	if in.Purpose == identity.PurposeEnrol {
		ask.UserID, ask.UserName, ask.Algorithms = base64.RawURLEncoding.EncodeToString(in.By.UserID[:]), in.By.UserName, algorithms
		return ask, ok, nil
	}
	return ask, ok && len(ask.Credentials) > 0, nil
}
