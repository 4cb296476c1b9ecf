package payment

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"
)

// ID identifies a message to everybody: 16 characters of a 32-letter alphabet without I, L, O and U. The first two are the
// mark of the realm, the last is a check character. It is the TxId of the interbank document and threads every later message.
type ID string

// Length is the number of characters of an ID.
const Length = 16

const (
	alphabet   = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	markLength = 2
)

// epoch is the start of the millisecond count: 1 January 2024 UTC. 40 bits of it last until 2058.
var epoch = time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)

// New makes an identifier without a central sequence: the realm's mark, 40 bits of time in milliseconds, 25 random bits and
// a check character. Two of one realm and millisecond collide once in 33 million; the database then refuses the second.
func New(mark string, at time.Time, random [4]byte) ID {
	body := make([]byte, 0, Length)
	body = append(body, mark...)
	body = appendBase32(body, uint64(at.Sub(epoch).Milliseconds())&(1<<40-1), 8) //nolint:gosec // the mask keeps 40 bits
	body = appendBase32(body, uint64(binary.BigEndian.Uint32(random[:]))&(1<<25-1), 5)
	return ID(append(body, checkCharacter(string(body))))
}

// Parse reads an identifier as people or clearing write it; lower case is accepted. It fails on a wrong length, a foreign
// character or a wrong check character.
func Parse(text string) (ID, error) {
	id := strings.ToUpper(strings.TrimSpace(text))
	if len(id) != Length {
		return "", fmt.Errorf("a Global ID has %d characters, not %d", Length, len(id))
	}
	if strings.Trim(id, alphabet) != "" {
		return "", fmt.Errorf("the Global ID %q has a character outside %s", id, alphabet)
	}
	if checkCharacter(id[:Length-1]) != id[Length-1] {
		return "", fmt.Errorf("the check character of the Global ID %q is wrong", id)
	}
	return ID(id), nil
}

// Mark returns the two characters that name the realm.
func (id ID) Mark() string {
	if len(id) < markLength {
		return ""
	}
	return string(id[:markLength])
}

func appendBase32(dst []byte, value uint64, digits int) []byte {
	for i := digits - 1; i >= 0; i-- {
		dst = append(dst, alphabet[value>>(5*i)&31])
	}
	return dst
}

// checkCharacter is the Luhn mod 32 character: it finds every wrong character and every swapped pair of neighbours but 0 and Z.
func checkCharacter(body string) byte {
	const n = len(alphabet)
	sum, factor := 0, 2
	for i := len(body) - 1; i >= 0; i-- {
		addend := factor * strings.IndexByte(alphabet, body[i])
		sum += addend/n + addend%n
		factor = 3 - factor
	}
	return alphabet[(n-sum%n)%n]
}
