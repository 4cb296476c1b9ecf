package identity

import (
	"time"

	"github.com/google/uuid"
)

// FactorKind is a kind of second factor.
type FactorKind string

// The kinds of second factors. Recovery codes stand in for the other two when they are lost; nobody has them alone.
const (
	FactorTOTP     FactorKind = "totp"    // a code of an authenticator app (RFC 6238)
	FactorPasskey  FactorKind = "passkey" // an assertion of a security key or a device (WebAuthn)
	FactorRecovery FactorKind = "recovery"
)

// FactorPurpose is the purpose of a check of a second factor.
type FactorPurpose string

// The purposes. A code or passkey answer for one purpose counts for no other.
const (
	PurposeEnrol    FactorPurpose = "enrol"    // taking it up
	PurposeSignIn   FactorPurpose = "sign-in"  // beside the password
	PurposeProfile  FactorPurpose = "profile"  // changing factors
	PurposeApproval FactorPurpose = "approval" // approving one content
)

// Approval names the content that a second factor approves: one version of one message.
type Approval struct {
	MessageID   uuid.UUID
	Version     int
	ContentHash [32]byte
}

// StepUp is a second factor that was shown for one approval and was right. It counts once, for that content alone.
type StepUp struct {
	UseID  uuid.UUID // of the row that proves it
	UserID uuid.UUID
	Kind   FactorKind
	Name   string // as its owner calls it
	For    Approval
	At     time.Time
}

// FactorAnswer is the second factor that a person enters beside the password: one of the two fields.
type FactorAnswer struct {
	Code    string // six digits of an authenticator app, or a recovery code
	Passkey *PasskeyAnswer
}

// Empty reports whether nothing is shown.
func (a FactorAnswer) Empty() bool { return a.Code == "" && a.Passkey == nil }

// PasskeyAnswer is the answer of a browser to a passkey request.
type PasskeyAnswer struct {
	Origin   string // of the page that asked
	Ticket   string // of the question
	Response string // JSON, as PublicKeyCredential.toJSON writes it
}
