package store

import (
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/payee"
)

// Seal reads the two columns of a seal; a row without one has the zero Seal.
func Seal(keyID string, mac []byte) keyring.Seal {
	seal := keyring.Seal{KeyID: keyID}
	copy(seal.MAC[:], mac)
	return seal
}

// Payee reads the three columns of a verification of the payee; a version without one has none.
func Payee(result, matchedName *string, at *time.Time) payee.Verification {
	return payee.Verification{Result: payee.Result(Text(result)), MatchedName: Text(matchedName), At: Time(at)}
}

// Text reads a nullable column; NULL is "".
func Text(column *string) string {
	if column == nil {
		return ""
	}
	return *column
}

// Time reads a nullable time; NULL is the zero time.
func Time(column *time.Time) time.Time {
	if column == nil {
		return time.Time{}
	}
	return column.UTC()
}

// OrNull writes a value for a nullable column; the zero value is NULL.
func OrNull[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// ActorIDs returns the actor's user and person for nullable columns; both are NULL when the gateway acts.
func ActorIDs(a identity.Actor) (user, person *uuid.UUID) {
	return OrNull(a.UserID), OrNull(a.PersonID)
}

// Roles converts names of roles to the domain's.
func Roles(names []string) []identity.Role {
	roles := make([]identity.Role, len(names))
	for i, name := range names {
		roles[i] = identity.Role(name)
	}
	return roles
}

// Seconds reads a column that counts seconds.
func Seconds(count int32) time.Duration { return time.Duration(count) * time.Second }

// OrZero reads a nullable column; NULL is the zero value.
func OrZero[T any](column *T) T {
	if column == nil {
		var zero T
		return zero
	}
	return *column
}
