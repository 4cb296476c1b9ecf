package auth

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/alexedwards/argon2id"
)

// hashParameters are those of new hashes: 19 MiB, two passes, one lane (OWASP password storage cheat sheet, argon2id).
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

// busyRetry is what a caller who was sent away is told to wait: a full queue is worked off within it.
const busyRetry = time.Second

// passwordChecker bounds what password checks may cost: places in all (further ones are refused at once), workers at the same time, and
// one check of a name at a time. The last keeps an honest user who signs in many times at once from being locked out, because tries
// count as failures until they succeed.
type passwordChecker struct {
	places  chan struct{}
	workers chan struct{}
	lanes   [nameLanes]chan struct{}
	dummy   string // the hash that the password of an unknown name is checked against
}

func newPasswordChecker(workers, queue int) (*passwordChecker, error) {
	dummy, err := HashPassword(rand.Text())
	if err != nil {
		return nil, err
	}
	c := &passwordChecker{places: make(chan struct{}, workers+queue), workers: make(chan struct{}, workers), dummy: dummy}
	for i := range c.lanes {
		c.lanes[i] = make(chan struct{}, 1)
	}
	return c, nil
}

// enter waits for this name's turn and for a worker, and returns the function that gives both back. Error: *BusyError, at once, when too
// many wait already.
func (c *passwordChecker) enter(ctx context.Context, nameHash [32]byte) (leave func(), err error) {
	select {
	case c.places <- struct{}{}:
	default:
		return nil, &BusyError{RetryAfter: busyRetry}
	}
	lane := c.lanes[nameHash[0]]
	err = take(ctx, lane)
	if err != nil {
		<-c.places
		return nil, err
	}
	err = take(ctx, c.workers)
	if err != nil {
		<-lane
		<-c.places
		return nil, err
	}
	return func() { <-c.workers; <-lane; <-c.places }, nil
}

func take(ctx context.Context, slot chan struct{}) error {
	select {
	case slot <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for a password check: %w", ctx.Err())
	}
}
