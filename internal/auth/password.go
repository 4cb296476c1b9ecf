package auth

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/alexedwards/argon2id"
	"golang.org/x/crypto/argon2"
)

// hashParameters are the parameters of new hashes: 19 MiB, two passes, one lane (OWASP password storage cheat sheet, argon2id).
var hashParameters = argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// HashPassword makes the argon2id hash of a new password, in its usual text form.
func HashPassword(password string) (string, error) {
	hash, err := argon2id.CreateHash(password, &hashParameters)
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return hash, nil
}

// nameLanes is the number of lanes that names are spread over.
const nameLanes = 256

// busyRetry is the Retry-After of a BusyError; a full queue is empty again within it.
const busyRetry = time.Second

// passwordChecker limits the cost of password checks: waiting sign-ins in all and of one address (further ones are refused at once),
// parallel workers, and one check of a name at a time. The last protects an honest user with many parallel sign-ins from a lock, because
// tries count as failures until they succeed.
type passwordChecker struct {
	places  chan struct{}
	workers chan struct{}
	lanes   [nameLanes]chan struct{}
	none    string // the hash that the password of an unknown name is checked against

	addresses *places
}

// hashOfNone returns the hash that the password of an unknown name is compared with. Its parameters are those of new hashes, so that
// comparing takes as long. It is random rather than computed, which saves the time and memory of a check; no password is known to match it.
func hashOfNone() string {
	drawn := make([]byte, hashParameters.SaltLength+hashParameters.KeyLength)
	_, _ = rand.Read(drawn) // never fails, by its documentation
	salt, key := drawn[:hashParameters.SaltLength], drawn[hashParameters.SaltLength:]
	text := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version,
		hashParameters.Memory, hashParameters.Iterations, hashParameters.Parallelism, text(salt), text(key))
}

func newPasswordChecker(workers, queue int) *passwordChecker {
	c := &passwordChecker{
		places: make(chan struct{}, workers+queue), workers: make(chan struct{}, workers), none: hashOfNone(),
		addresses: newPlaces(max(4, (workers+queue)/8)),
	}
	for i := range c.lanes {
		c.lanes[i] = make(chan struct{}, 1)
	}
	return c
}

// waiter is a caller in the queue for a password check.
type waiter struct {
	lane    byte // of the name
	address string
}

// enter waits for this name's turn and for a worker, and returns the function that releases both. Error: *BusyError, at once, when too many
// are waiting, in all or from this address.
func (c *passwordChecker) enter(ctx context.Context, who waiter) (leave func(), err error) {
	release, err := c.addresses.take(who.address)
	if err != nil {
		return nil, err
	}
	select {
	case c.places <- struct{}{}:
	default:
		release()
		return nil, &BusyError{RetryAfter: busyRetry}
	}
	giveBack := func() { <-c.places; release() }
	lane := c.lanes[who.lane]
	err = take(ctx, lane)
	if err != nil {
		giveBack()
		return nil, err
	}
	err = take(ctx, c.workers)
	if err != nil {
		<-lane
		giveBack()
		return nil, err
	}
	return func() {
		<-c.workers
		<-lane
		giveBack()
	}, nil
}

func take(ctx context.Context, slot chan struct{}) error {
	select {
	case slot <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for a password check: %w", ctx.Err())
	}
}
