package payment

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"
)

// GlobalID identifies a message to everybody: 16 characters of a 32-letter alphabet without I, L, O and U. The first two are the
// mark of the realm, the last is a check character. It is the TxId of the interbank document and threads every later message.
type GlobalID string

const (
	globalIDAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	globalIDLength   = 16
	markLength       = 2
)

// globalIDEpoch is the start of the millisecond count: 1 January 2024 UTC. 40 bits of it last until 2058.
var globalIDEpoch = time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)

// NewGlobalID makes an identifier without a central sequence: the realm's mark, 40 bits of time in milliseconds, 25 random bits and
// a check character. Two of one realm and millisecond collide once in 33 million; the database then refuses the second.
func NewGlobalID(mark string, at time.Time, random [4]byte) GlobalID {
	body := make([]byte, 0, globalIDLength)
	body = append(body, mark...)
	body = appendBase32(body, uint64(at.Sub(globalIDEpoch).Milliseconds())&(1<<40-1), 8) //nolint:gosec // the mask keeps 40 bits
	body = appendBase32(body, uint64(binary.BigEndian.Uint32(random[:]))&(1<<25-1), 5)
	return GlobalID(append(body, checkCharacter(string(body))))
}

// ParseGlobalID reads an identifier as people or clearing write it; lower case is accepted. It fails on a wrong length, a foreign
// character or a wrong check character.
func ParseGlobalID(text string) (GlobalID, error) {
	id := strings.ToUpper(strings.TrimSpace(text))
	if len(id) != globalIDLength {
		return "", fmt.Errorf("a Global ID has %d characters, not %d", globalIDLength, len(id))
	}
	if strings.Trim(id, globalIDAlphabet) != "" {
		return "", fmt.Errorf("the Global ID %q has a character outside %s", id, globalIDAlphabet)
	}
	if checkCharacter(id[:globalIDLength-1]) != id[globalIDLength-1] {
		return "", fmt.Errorf("the check character of the Global ID %q is wrong", id)
	}
	return GlobalID(id), nil
}

// Mark returns the two characters that name the realm.
func (id GlobalID) Mark() string {
	if len(id) < markLength {
		return ""
	}
	return string(id[:markLength])
}

func appendBase32(dst []byte, value uint64, digits int) []byte {
	for i := digits - 1; i >= 0; i-- {
		dst = append(dst, globalIDAlphabet[value>>(5*i)&31])
	}
	return dst
}

// checkCharacter is the Luhn mod 32 character: it finds every wrong character and every swapped pair of neighbours but 0 and Z.
func checkCharacter(body string) byte {
	const n = len(globalIDAlphabet)
	sum, factor := 0, 2
	for i := len(body) - 1; i >= 0; i-- {
		addend := factor * strings.IndexByte(globalIDAlphabet, body[i])
		sum += addend/n + addend%n
		factor = 3 - factor
	}
	return globalIDAlphabet[(n-sum%n)%n]
}
