package auth

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
	"github.com/go-webauthn/webauthn/webauthn"

	"countersign/internal/identity"
	"countersign/internal/store"
)

// challengeLife limits the age of a challenge when it is answered.
const challengeLife = 5 * time.Minute

// PasskeyAsk is a request for a passkey to a browser. The server does not store it: the challenge is a keyed digest over the user, the
// purpose and the expiry, so an answer counts for these alone. The digest of an accepted answer is stored, so that it counts once.
type PasskeyAsk struct {
	Challenge   string   `json:"challenge"` // base64url
	RelyingID   string   `json:"rpId"`
	Credentials []string `json:"credentials"` // base64url; of a new one those that are there already
	Ticket      string   `json:"-"`           // what the page brings back
	// UserID, UserName and Algorithms are for a new passkey.
	UserID     string  `json:"userId,omitempty"` // base64url
	UserName   string  `json:"userName,omitempty"`
	Algorithms []int64 `json:"algorithms,omitempty"`
}

// JSON returns the request in the form for the page's script.
func (a PasskeyAsk) JSON() string {
	text, err := json.Marshal(a)
	if err != nil {
		return "" // texts and numbers always encode
	}
	return string(text)
}

// PasskeyInput names the user, the purpose and the page of a passkey request.
type PasskeyInput struct {
	By      identity.Principal
	Purpose identity.FactorPurpose
	For     identity.Approval
	Origin  string
}

// ticketSize is the length in bytes of the ticket that a page returns with the answer: the expiry of the challenge and a random part.
const ticketSize = 8 + 16

// askPasskey makes a question. ok is false when the portal is reached by an address that browsers know no passkeys for,
// such as an IP address.
func (s *Service) askPasskey(in PasskeyInput) (ask PasskeyAsk, ok bool) {
	party, known := relyingParty(in.Origin)
	if !known {
		return PasskeyAsk{}, false
	}
	ticket := random(ticketSize)
	binary.BigEndian.PutUint64(ticket, uint64(s.now().Add(challengeLife).Unix())) //nolint:gosec // after 1970
	check := factorCheck{by: in.By, purpose: in.Purpose, about: in.For}
	challenge := s.challenges(check, ticket)[0]
	return PasskeyAsk{
		Challenge: base64.RawURLEncoding.EncodeToString(challenge[:]), RelyingID: party,
		Ticket: base64.RawURLEncoding.EncodeToString(ticket),
	}, true
}

// withCredentials names the passkeys of an account in a question.
func (a PasskeyAsk) withCredentials(list []store.Factor) PasskeyAsk {
	a.Credentials = []string{}
	for _, f := range list {
		if f.Kind == identity.FactorPasskey {
			a.Credentials = append(a.Credentials, base64.RawURLEncoding.EncodeToString(f.CredentialID))
		}
	}
	return a
}

// relyingParty is the name that passkeys of an origin belong to.
func relyingParty(origin string) (string, bool) {
	parsed, err := url.Parse(origin)
	if err != nil || protocol.ValidateRPID(parsed.Hostname()) != nil {
		return "", false
	}
	return parsed.Hostname(), true
}

// challenges returns the challenges of a ticket under all keys in force, the first key's first.
func (s *Service) challenges(c factorCheck, ticket []byte) [][digestSize]byte {
	version := binary.BigEndian.AppendUint64(nil, uint64(c.about.Version)) //nolint:gosec // versions are counted one by one
	return s.keys.challenges.Digests([]byte(c.by.Realm), c.by.UserID[:], []byte(c.purpose), c.about.MessageID[:], version,
		c.about.ContentHash[:], ticket)
}

// openTicket reads a ticket that has not ended.
func (s *Service) openTicket(text string) ([]byte, bool) {
	ticket, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(ticket) != ticketSize {
		return nil, false
	}
	return ticket, s.now().Unix() <= int64(binary.BigEndian.Uint64(ticket)) //nolint:gosec // as it was written
}

// passkeyUser adapts an account to the library.
type passkeyUser struct {
	by          identity.Principal
	credentials []webauthn.Credential
}

// WebAuthnID is the account.
func (u passkeyUser) WebAuthnID() []byte { return u.by.UserID[:] }

// WebAuthnName returns the name that the user types.
func (u passkeyUser) WebAuthnName() string { return u.by.UserName }

// WebAuthnDisplayName returns the name that pages show.
func (u passkeyUser) WebAuthnDisplayName() string { return u.by.DisplayName }

// WebAuthnCredentials are the passkeys looked at.
func (u passkeyUser) WebAuthnCredentials() []webauthn.Credential { return u.credentials }

// verifier is the library, for pages of one origin.
func verifier(origin string) (*webauthn.WebAuthn, error) {
	party, _ := relyingParty(origin)
	return webauthn.New(&webauthn.Config{RPID: party, RPDisplayName: "Countersign", RPOrigins: []string{origin}})
}

// fitsPasskey checks an assertion against a stored passkey: the challenge of this request, the origin of the portal, and user verification
// by the device. The counter of the passkey must have increased since its last use.
func (s *Service) fitsPasskey(c factorCheck, f store.Factor) (found shown, fits bool) {
	found.factor = f
	answer := c.answer.Passkey
	ticket, open := s.openTicket(answer.Ticket)
	if !open {
		return found, false
	}
	var stored webauthn.Credential
	err := json.Unmarshal(f.Secret, &stored)
	if err != nil {
		return found, false
	}
	stored.Authenticator.SignCount = max(stored.Authenticator.SignCount, f.SignCount)
	for _, challenge := range s.challenges(c, ticket) {
		said, err := asserted(answer, stored, c.by, challenge)
		if err == nil {
			found.token, found.count, found.copied = sha256.Sum256(challenge[:]), said.SignCount, said.CloneWarning
			return found, true
		}
	}
	return found, false
}

// sessionOf names the user and the challenge that an answer must match.
func sessionOf(by identity.Principal, challenge [digestSize]byte) webauthn.SessionData {
	return webauthn.SessionData{
		Challenge: base64.RawURLEncoding.EncodeToString(challenge[:]), UserID: by.UserID[:],
		UserVerification: protocol.VerificationRequired, CredParams: webauthn.CredentialParametersDefault(),
	}
}

// asserted verifies an answer and returns its authenticator data.
func asserted(
	answer *PasskeyAnswer, stored webauthn.Credential, by identity.Principal, challenge [digestSize]byte,
) (webauthn.Authenticator, error) {
	library, err := verifier(answer.Origin)
	if err != nil {
		return webauthn.Authenticator{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(answer.Response))
	if err != nil {
		return webauthn.Authenticator{}, err
	}
	session := sessionOf(by, challenge)
	session.AllowedCredentialIDs = [][]byte{stored.ID}
	fits, err := library.ValidateLogin(passkeyUser{by: by, credentials: []webauthn.Credential{stored}}, session, parsed)
	if err != nil {
		return webauthn.Authenticator{}, err
	}
	return fits.Authenticator, nil
}

// created reads a new passkey from the answer of a browser.
func (s *Service) created(c factorCheck, answer *PasskeyAnswer) (factor store.Factor, token [digestSize]byte, err error) {
	ticket, open := s.openTicket(answer.Ticket)
	if !open {
		return factor, token, ErrEnrolment
	}
	library, err := verifier(answer.Origin)
	if err != nil {
		return factor, token, ErrNewPasskey
	}
	for _, challenge := range s.challenges(c, ticket) {
		parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(answer.Response))
		if err != nil {
			return factor, token, ErrNewPasskey
		}
		made, err := library.CreateCredential(passkeyUser{by: c.by}, sessionOf(c.by, challenge), parsed)
		if err != nil {
			continue
		}
		made.Attestation = webauthn.CredentialAttestation{} // which make of device it is: nobody asks
		text, err := json.Marshal(made)
		if err != nil {
			return factor, token, fmt.Errorf("keep a passkey: %w", err)
		}
		factor.Kind, factor.Secret, factor.CredentialID = identity.FactorPasskey, text, made.ID
		return factor, sha256.Sum256(challenge[:]), nil
	}
	return factor, token, ErrNewPasskey
}

// algorithms are the kinds of keys that a new passkey may have.
var algorithms = []int64{int64(webauthncose.AlgES256), int64(webauthncose.AlgEdDSA), int64(webauthncose.AlgRS256)}
