package auth

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store"
)

// Errors of a second factor. They do not reveal the password: it was right, or the check of the factor is never reached.
var (
	// ErrFactor: the code or passkey is wrong, too old, or used before.
	ErrFactor = errors.New("this is no code of yours, or it was used before: wait for the next one")
	// ErrFactorsForged: the stored factors of the account were changed outside the program. The account is barred until an operator repairs
	// it.
	ErrFactorsForged = store.ErrFactorForged
	// ErrNoFactor: the account has no second factor that could be shown.
	ErrNoFactor = errors.New("this account has no second factor: take one up on your profile")
)

// FactorNeededError reports that the password was right, and that a factor is missing.
type FactorNeededError struct {
	By    identity.Principal    // whose password it was; nobody is signed in yet
	Kinds []identity.FactorKind // what may be shown, each once
	// Enrol: a role of the account needs a second factor and it has none, so its owner takes one up before anything else.
	Enrol bool
}

func (e *FactorNeededError) Error() string {
	if e.Enrol {
		return "a role of this account needs a second factor: sign in to the portal and take one up"
	}
	return "the password alone is not enough: show a second factor"
}

// Factor is a second factor as its owner sees it.
type Factor struct {
	ID         uuid.UUID
	Kind       identity.FactorKind
	Name       string
	MadeAt     time.Time
	LastUsedAt time.Time // zero when it never was
	CodesLeft  int       // of recovery codes
}

// FactorAnswer is the second factor that a person enters beside the password.
type FactorAnswer = identity.FactorAnswer

// PasskeyAnswer is the answer of a browser to a passkey request.
type PasskeyAnswer = identity.PasskeyAnswer

// Factors lists the caller's second factors. Error: ErrFactorsForged.
func (s *Service) Factors(ctx context.Context, by identity.Principal) ([]Factor, error) {
	stored, err := s.factors(ctx, by.Realm, by.UserID)
	if err != nil {
		return nil, err
	}
	list := make([]Factor, len(stored))
	for i, f := range stored {
		list[i] = Factor{ID: f.ID, Kind: f.Kind, Name: f.Name, MadeAt: f.MadeAt}
		if f.Uses > 0 {
			list[i].LastUsedAt = f.LastUsedAt
		}
		if f.Kind == identity.FactorRecovery {
			list[i].CodesLeft = max(0, len(f.Secret)/digestSize-f.Uses)
		}
	}
	return list, nil
}

func (s *Service) factors(ctx context.Context, realm string, user uuid.UUID) ([]store.Factor, error) {
	list, err := s.people.Factors(ctx, realm, user)
	if errors.Is(err, ErrFactorsForged) {
		s.log.LogAttrs(ctx, slog.LevelError, "the second factors of an account do not fit their seals, nobody signs in to it",
			slog.Bool("alarm", true), slog.String("realm", realm), slog.String("user", user.String()))
	}
	return list, err
}

// kindsOf returns the kinds of the factors, each once, without recovery codes alone.
func kindsOf(factors []store.Factor) []identity.FactorKind {
	var kinds []identity.FactorKind
	for _, f := range factors {
		if !slices.Contains(kinds, f.Kind) {
			kinds = append(kinds, f.Kind)
		}
	}
	if len(kinds) == 1 && kinds[0] == identity.FactorRecovery {
		return nil
	}
	return kinds
}

// askFactor refuses a sign-in with the right password that needs a factor. Errors: *FactorNeededError, ErrFactorsForged.
func (s *Service) askFactor(ctx context.Context, by identity.Principal) error {
	list, err := s.factors(ctx, by.Realm, by.UserID)
	if err != nil {
		return err
	}
	if kinds := kindsOf(list); len(kinds) > 0 {
		return &FactorNeededError{By: by, Kinds: kinds}
	}
	asked, err := s.asked(ctx, by)
	if err == nil && asked {
		return &FactorNeededError{By: by, Enrol: true}
	}
	return err
}

// asked reports whether the realm requires a second factor for one of the person's roles. Error: ErrFactorsForged.
func (s *Service) asked(ctx context.Context, by identity.Principal) (bool, error) {
	roles, err := s.people.FactorRoles(ctx, by.Realm)
	return slices.ContainsFunc(roles, by.Has), err
}

// factorCheck is the check of a shown second factor.
type factorCheck struct {
	by      identity.Principal
	answer  FactorAnswer
	purpose identity.FactorPurpose
	about   identity.Approval // for identity.PurposeApproval
}

// shown is a factor that matches an answer, with the digest of the answer, which counts only once.
type shown struct {
	factor store.Factor
	token  [digestSize]byte
	count  uint32 // of a passkey
	copied bool   // the passkey did not count on: it is a copy, or there is one
}

// checkFactor counts the try, finds the factor that matches the answer, and records its use. Tries are counted for the account, as password
// tries are for a name, before the answer is compared: five wrong ones lock the account, also when they arrive at once. Errors:
// *AccountError (locked), ErrFactor, ErrNoFactor, ErrFactorsForged.
func (s *Service) checkFactor(ctx context.Context, c factorCheck) (identity.StepUp, error) {
	list, err := s.factors(ctx, c.by.Realm, c.by.UserID)
	if err != nil {
		return identity.StepUp{}, err
	}
	if len(kindsOf(list)) == 0 {
		return identity.StepUp{}, ErrNoFactor
	}
	now := s.now()
	counter := s.keys.names.Digests([]byte(c.by.Realm), []byte("second factor"), c.by.UserID[:])[0]
	_, _, err = s.logins.Reserve(ctx, store.LoginTry{
		Realm: c.by.Realm, NameHash: counter[:], At: now, ForgetBefore: now.Add(-failuresForgotten),
	})
	if err != nil {
		err = s.reserveError(ctx, attempt{realm: c.by.Realm, clientID: c.by.ClientID, source: c.by.SourceAddress}, err)
		s.refuseFactor(ctx, c, err, false)
		return identity.StepUp{}, err
	}
	fits, found := s.fitting(c, list, now)
	if !found || fits.copied {
		s.refuseFactor(ctx, c, ErrFactor, fits.copied)
		return identity.StepUp{}, ErrFactor
	}
	use := store.FactorUse{
		ID: uuid.Must(uuid.NewV7()), By: c.by, Factor: fits.factor, Token: fits.token, Purpose: c.purpose, For: c.about, At: now,
		Count: fits.count,
	}
	err = s.people.UseFactor(ctx, use)
	if errors.Is(err, store.ErrFactorSpent) {
		s.refuseFactor(ctx, c, ErrFactor, false)
		return identity.StepUp{}, ErrFactor
	}
	if err != nil {
		return identity.StepUp{}, err
	}
	// The caller may be gone by now, but the factor was right: the failures are taken back all the same.
	err = s.logins.Clear(context.WithoutCancel(ctx), c.by.Realm, counter[:])
	return identity.StepUp{
		UseID: use.ID, UserID: c.by.UserID, Kind: fits.factor.Kind, Name: fits.factor.Name, For: c.about, At: now,
	}, err
}

// fitting returns the first factor of the list that matches the answer. A code is compared with all factors that take codes.
func (s *Service) fitting(c factorCheck, list []store.Factor, now time.Time) (shown, bool) {
	for _, f := range list {
		found, fits := shown{factor: f}, false
		switch {
		case f.Kind == identity.FactorTOTP && c.answer.Code != "":
			found.token, fits = s.fitsTOTP(c, f, now)
		case f.Kind == identity.FactorRecovery && c.answer.Code != "":
			found.token, fits = s.fitsRecovery(c, f)
		case f.Kind == identity.FactorPasskey && c.answer.Passkey != nil:
			found, fits = s.fitsPasskey(c, f)
		}
		if fits {
			return found, true
		}
	}
	return shown{}, false
}

// refuseFactor writes a refused second factor to the log and the audit trail, without the code or passkey itself. That a passkey was copied
// is told there alone.
func (s *Service) refuseFactor(ctx context.Context, c factorCheck, cause error, copied bool) {
	why, sentence := "wrong", i18n.Text("Someone entered the correct password but not a valid second factor.")
	if account, is := errors.AsType[*AccountError](cause); is {
		why = string(account.Problem)
	}
	if copied {
		why = "counter"
		sentence = "A passkey may have been copied, because its counter did not increase. Remove the passkey, and find out who has the copy."
	}
	attributes := []slog.Attr{
		slog.String("realm", c.by.Realm), slog.String("user", c.by.UserID.String()), slog.String("purpose", string(c.purpose)),
		slog.String("why", why), slog.String("source", c.by.SourceAddress),
	}
	if copied {
		attributes = append(attributes, slog.Bool("alarm", true))
	}
	s.log.LogAttrs(ctx, slog.LevelWarn, "a second factor was refused", attributes...)
	s.database.Refused(ctx, store.Refusal{
		Realm: c.by.Realm, Event: auditlog.EventFactorRefused, Why: why, Sentence: sentence, At: s.now(), Actor: c.by.Actor(),
	})
}

// SecondSignInInput is the second half of a sign-in to the portal: a factor, after the password.
type SecondSignInInput struct {
	Session       PortalSession // whose password was right, and when
	Answer        FactorAnswer
	SourceAddress string
}

// secondHalf limits the time between the password and the second factor.
const secondHalf = 5 * time.Minute

// SecondSignIn completes the sign-in of a user with a right password by a second factor. Errors: ErrUnauthorized when more than five
// minutes passed since the password or the account changed, *AccountError (locked), ErrFactor, ErrNoFactor, ErrFactorsForged, *LimitError.
func (s *Service) SecondSignIn(ctx context.Context, in SecondSignInInput) (identity.Principal, error) {
	err := s.addresses.take(network(in.SourceAddress), s.now())
	if err != nil {
		return identity.Principal{}, err
	}
	by, _, err := s.HalfSignedIn(ctx, in.Session)
	if err != nil {
		return identity.Principal{}, err
	}
	by.SourceAddress = in.SourceAddress
	_, err = s.checkFactor(ctx, factorCheck{by: by, answer: in.Answer, purpose: identity.PurposeSignIn})
	return by, err
}

// HalfSignedIn returns the user of a session that still needs a second factor, and the kinds of factor the user has. Errors:
// ErrUnauthorized, ErrFactorsForged.
func (s *Service) HalfSignedIn(ctx context.Context, session PortalSession) (identity.Principal, []identity.FactorKind, error) {
	if s.now().Sub(session.Since) > secondHalf {
		return identity.Principal{}, nil, ErrUnauthorized
	}
	by, err := s.SessionPrincipal(ctx, session)
	if err != nil {
		return identity.Principal{}, nil, err
	}
	list, err := s.factors(ctx, by.Realm, by.UserID)
	return by, kindsOf(list), err
}

// StepUp checks the second factor for the approval of one content. A code or passkey answer counts for that content alone. Errors:
// payment.StepUpError when the factor does not count.
func (s *Service) StepUp(ctx context.Context, by identity.Principal, shows FactorAnswer, of identity.Approval) (identity.StepUp, error) {
	shown, err := s.checkFactor(ctx, factorCheck{by: by, answer: shows, purpose: identity.PurposeApproval, about: of})
	locked, is := errors.AsType[*AccountError](err)
	switch {
	case is:
		return shown, &payment.StepUpError{
			Text: "You entered a wrong second factor too many times. Wait before you try again.", RetryAfter: locked.RetryAfter,
		}
	case errors.Is(err, ErrFactor):
		return shown, &payment.StepUpError{Text: "The second factor is wrong or was already used. Wait for the next code."}
	case errors.Is(err, ErrNoFactor):
		return shown, &payment.StepUpError{Text: "The approval policy requires a second factor. Set one up in your profile."}
	case errors.Is(err, ErrFactorsForged):
		return shown, &payment.StepUpError{Text: "Your second factors failed their integrity check and cannot be used. Tell an operator."}
	}
	return shown, err
}
