package store

import (
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/keyring"
)

// sealFromDB reads the two columns of a seal; a row without one has the zero Seal.
func sealFromDB(keyID *string, mac []byte) keyring.Seal {
	seal := keyring.Seal{KeyID: text(keyID)}
	copy(seal.MAC[:], mac)
	return seal
}

// text reads a nullable column; NULL is "".
func text(column *string) string {
	if column == nil {
		return ""
	}
	return *column
}

// moment reads a nullable time; NULL is the zero time.
func moment(column *time.Time) time.Time {
	if column == nil {
		return time.Time{}
	}
	return column.UTC()
}

// orNull writes a value for a nullable column; the zero value is NULL.
func orNull[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// actorIDs are the actor's user and person for nullable columns; both are NULL when the gateway acts.
func actorIDs(a identity.Actor) (user, person *uuid.UUID) {
	return orNull(a.UserID), orNull(a.PersonID)
}

// seconds reads a column that counts seconds.
func seconds(count int32) time.Duration { return time.Duration(count) * time.Second }

// orZero reads a nullable column; NULL is the zero value.
func orZero[T any](column *T) T {
	if column == nil {
		var zero T
		return zero
	}
	return *column
}

// orEmpty writes bytes for a column that is never NULL.
func orEmpty(content []byte) []byte {
	if content == nil {
		return []byte{}
	}
	return content
}
