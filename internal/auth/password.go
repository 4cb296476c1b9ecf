package auth

import (
	"context"
	_ "embed"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

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
	drawn := random(int(hashParameters.SaltLength + hashParameters.KeyLength))
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

// enter waits for the turn of a name, by its lane, and for a worker, and returns the function that releases both. Error: *BusyError, at
// once, when too many are waiting, in all or from this address.
func (c *passwordChecker) enter(ctx context.Context, ofName byte, address string) (leave func(), err error) {
	release, err := c.addresses.take(address)
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
	lane := c.lanes[ofName]
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

// commonPasswords lists common passwords in lower case and in byte order, one a line: zxcvbn's lists of passwords and first names (MIT
// licence), and some words of the languages of the portal. Words shorter than MinimumPassword count, because people append digits to them.
//
//go:embed common_passwords.txt
var commonPasswords string

// sequences are rows of keys and characters, each also read backwards.
var sequences = []string{
	"abcdefghijklmnopqrstuvwxyz", "01234567890123456789", "qwertyuiopasdfghjklzxcvbnm", "qwertzuiopasdfghjklyxcvbnm",
	"azertyuiopqsdfghjklmwxcvbn", "1qaz2wsx3edc4rfv5tgb6zhn7ujm8ik", "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik",
}

// substitutions undoes the digits and signs that commonly replace letters.
var substitutions = strings.NewReplacer("@", "a", "4", "a", "8", "b", "3", "e", "1", "i", "!", "i", "0", "o", "$", "s", "5", "s", "7", "t")

// isCommonPassword reports whether a password is a common one, with or without digits and signs around it or in place of letters, a
// repetition, or a piece of a sequence.
func isCommonPassword(password string) bool {
	text := strings.ToLower(password)
	if isRepetition(text) {
		return true
	}
	backwards := []rune(text)
	slices.Reverse(backwards)
	for _, sequence := range sequences {
		if strings.Contains(sequence, text) || strings.Contains(sequence, string(backwards)) {
			return true
		}
	}
	known := strings.Fields(commonPasswords)
	word := strings.TrimFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	for _, candidate := range []string{text, word, substitutions.Replace(word)} {
		if _, found := slices.BinarySearch(known, candidate); found {
			return true
		}
	}
	return false
}

// isRepetition reports whether a text repeats a shorter one: such a text is also found inside its double, past the first byte.
func isRepetition(text string) bool {
	double := text + text
	return text != "" && strings.Contains(double[1:len(double)-1], text)
}
