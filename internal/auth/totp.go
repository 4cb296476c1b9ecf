package auth

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"image/png"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"

	"countersign/internal/identity"
	"countersign/internal/store"
)

// digestSize is the size in bytes of the digests of used codes and passkey answers.
const digestSize = sha256.Size

// Authenticator apps: six digits by SHA-1 every 30 seconds, which all apps support (RFC 6238). A code is also accepted one step before and
// one step after its own, because clocks differ.
const (
	totpPeriod = 30 * time.Second
	totpSecret = 20 // bytes, as long as the digest (RFC 4226 section 4)
	qrSize     = 220
)

// enrolFor limits the time between opening and sending the page of a new app.
const enrolFor = 15 * time.Minute

// ErrEnrolment reports that the page of a new factor was open for too long, or belongs to another account.
var ErrEnrolment = errors.New("this page was open for too long: begin again")

// ErrNewCode reports that the code of a new app is wrong: the app does not have the key, or its clock is wrong.
var ErrNewCode = errors.New("the code does not fit: check that the app has this key and that its clock is right")

// NewTOTP is an authenticator app to be added.
type NewTOTP struct {
	Key string // base32, to type it into the app
	URI string // otpauth://, to open the app
	QR  []byte // PNG, to scan it
	// Held is the key as the page brings it back: encrypted, for this account, for a quarter of an hour.
	Held string
}

// NewTOTP makes the key of a new authenticator app. Nothing is stored before Enrol.
func (s *Service) NewTOTP(by identity.Principal) (NewTOTP, error) {
	secret := random(totpSecret)
	until := binary.BigEndian.AppendUint64(nil, uint64(s.now().Add(enrolFor).Unix())) //nolint:gosec // after 1970
	held, err := s.keys.factors.Encrypt(rand.Reader, append(until, secret...), enrolment(by)...)
	if err != nil {
		return NewTOTP{}, err
	}
	return s.showTOTP(by, secret, base64.RawURLEncoding.EncodeToString(held))
}

// SameTOTP shows the key of a page again that was refused.
func (s *Service) SameTOTP(by identity.Principal, held string) (NewTOTP, error) {
	secret, err := s.heldSecret(by, held)
	if err != nil {
		return s.NewTOTP(by)
	}
	return s.showTOTP(by, secret, held)
}

func (s *Service) showTOTP(by identity.Principal, secret []byte, held string) (NewTOTP, error) {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: "Countersign", AccountName: by.UserName + "@" + by.Realm, Secret: secret})
	if err != nil {
		return NewTOTP{}, fmt.Errorf("show the key of an app: %w", err)
	}
	image, err := key.Image(qrSize, qrSize)
	if err != nil {
		return NewTOTP{}, fmt.Errorf("draw the key of an app: %w", err)
	}
	var picture bytes.Buffer
	err = png.Encode(&picture, image)
	if err != nil {
		return NewTOTP{}, fmt.Errorf("draw the key of an app: %w", err)
	}
	return NewTOTP{Key: key.Secret(), URI: key.URL(), QR: picture.Bytes(), Held: held}, nil
}

// enrolment returns the context to which the key of a new app is bound.
func enrolment(by identity.Principal) [][]byte {
	return [][]byte{[]byte("enrolment"), []byte(by.Realm), by.UserID[:]}
}

// heldSecret reads the key that a page brought back. Error: ErrEnrolment.
func (s *Service) heldSecret(by identity.Principal, held string) ([]byte, error) {
	hidden, err := base64.RawURLEncoding.DecodeString(held)
	if err != nil {
		return nil, ErrEnrolment
	}
	plain, err := s.keys.factors.Decrypt(hidden, enrolment(by)...)
	if err != nil || len(plain) != 8+totpSecret {
		return nil, ErrEnrolment
	}
	if s.now().Unix() > int64(binary.BigEndian.Uint64(plain)) { //nolint:gosec // as it was written
		return nil, ErrEnrolment
	}
	return plain[8:], nil
}

// codeOf is the code of a key at a time step.
func codeOf(secret []byte, step int64) (string, error) {
	key := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(secret)
	return totp.GenerateCodeCustom(key, time.Unix(step*int64(totpPeriod/time.Second), 0),
		totp.ValidateOpts{Period: uint(totpPeriod / time.Second), Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
}

// stepOf returns the time step of the typed code: the present one or a neighbour. All are compared, so that the time reveals nothing.
func stepOf(secret []byte, typed string, now time.Time) (step int64, found bool) {
	typed = strings.ReplaceAll(strings.TrimSpace(typed), " ", "")
	present := now.Unix() / int64(totpPeriod/time.Second)
	for _, candidate := range []int64{present - 1, present, present + 1} {
		code, err := codeOf(secret, candidate)
		if err == nil && subtle.ConstantTimeCompare([]byte(code), []byte(typed)) == 1 {
			step, found = candidate, true
		}
	}
	return step, found
}

// stepToken returns the digest recorded for a used code: that of its time step.
func stepToken(step int64) [digestSize]byte {
	return sha256.Sum256(binary.BigEndian.AppendUint64([]byte("countersign totp step "), uint64(step))) //nolint:gosec // after 1970
}

// fitsTOTP compares a code with the key of an app.
func (s *Service) fitsTOTP(c factorCheck, f store.Factor, now time.Time) (token [digestSize]byte, fits bool) {
	secret, err := s.keys.factors.Decrypt(f.Secret, secretOf(c.by, f.ID)...)
	if err != nil {
		return token, false
	}
	step, fits := stepOf(secret, c.answer.Code, now)
	return stepToken(step), fits
}

// secretOf returns the context to which the stored key of an app is bound.
func secretOf(by identity.Principal, factor uuid.UUID) [][]byte {
	return [][]byte{[]byte("totp"), []byte(by.Realm), by.UserID[:], factor[:]}
}

// Recovery codes replace a lost factor: ten codes of 60 bits, each valid once. They are long and random, so a digest under a key outside
// the database is enough.
const (
	recoveryCodes = 10
	codeBytes     = 8 // of which 60 bits are shown
	codeLetters   = 12
)

// recoveryName names the set of recovery codes in the list of factors.
const recoveryName = "Recovery codes"

// letters are those of RFC 4648's base32, in lower case: no 0, 1, 8 or 9, which look like others.
var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// newCodes makes a set of codes, and the factor that they are, about to be stored.
func (s *Service) newCodes(by identity.Principal) (codes []string, n store.NewFactor) {
	n = store.NewFactor{By: by, UseID: uuid.Must(uuid.NewV7()), Factor: store.Factor{
		ID: uuid.Must(uuid.NewV7()), Kind: identity.FactorRecovery, Name: recoveryName, MadeAt: s.now(),
	}}
	copy(n.Token[:], n.Factor.ID[:]) // no code was shown
	for range recoveryCodes {
		code := letters.EncodeToString(random(codeBytes))[:codeLetters]
		digest := s.codeDigests(by, n.Factor.ID, code)[0]
		n.Factor.Secret = append(n.Factor.Secret, digest[:]...)
		codes = append(codes, code[:4]+"-"+code[4:8]+"-"+code[8:])
	}
	return codes, n
}

func (s *Service) codeDigests(by identity.Principal, factor uuid.UUID, code string) [][digestSize]byte {
	return s.keys.recovery.Digests([]byte(by.Realm), by.UserID[:], factor[:], []byte(code))
}

// fitsRecovery compares a code with a set of codes. Every digest is compared.
func (s *Service) fitsRecovery(c factorCheck, f store.Factor) (token [digestSize]byte, fits bool) {
	code := strings.NewReplacer("-", "", " ", "").Replace(strings.ToLower(strings.TrimSpace(c.answer.Code)))
	if len(code) != codeLetters {
		return token, false
	}
	for _, digest := range s.codeDigests(c.by, f.ID, code) {
		for at := 0; at+digestSize <= len(f.Secret); at += digestSize {
			if subtle.ConstantTimeCompare(digest[:], f.Secret[at:at+digestSize]) == 1 {
				token, fits = digest, true
			}
		}
	}
	return token, fits
}
