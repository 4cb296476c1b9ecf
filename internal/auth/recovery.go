package auth

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"fmt"
	"io"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/store"
)

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

// newCodes makes a set of codes, and the factor that they are.
func (s *Service) newCodes(by identity.Principal) (codes []string, factor store.Factor, err error) {
	factor = store.Factor{ID: uuid.Must(uuid.NewV7()), Kind: identity.FactorRecovery, Name: recoveryName}
	for range recoveryCodes {
		bits := make([]byte, codeBytes)
		_, err = io.ReadFull(rand.Reader, bits)
		if err != nil {
			return nil, factor, fmt.Errorf("read randomness: %w", err)
		}
		code := letters.EncodeToString(bits)[:codeLetters]
		digest := s.codeDigests(by, factor.ID, code)[0]
		factor.Secret = append(factor.Secret, digest[:]...)
		codes = append(codes, code[:4]+"-"+code[4:8]+"-"+code[8:])
	}
	return codes, factor, nil
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
