package identity

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/keyring"
)

// Record holds the sealed fields of a row of administered data (a person, a user account, a grant, a client, a policy, a debtor account) in
// a fixed order: every field that gives or limits a right. Writers seal it; readers check the seal.
type Record struct {
	fields [][]byte // the name of the form and of the table first
}

// recordForm is the first field of every record.
var recordForm = []byte("countersign master data 1")

// NewRecord makes the record of a row of a table, in a realm or in "". Values are strings, byte slices, int32, int64, booleans, times and
// UUIDs, or pointers to a string, an int64 or a time, which may be nil; another type is an error of the program.
func NewRecord(table, realm string, values ...any) (Record, error) {
	r := Record{fields: make([][]byte, 0, len(values)+3)}
	buffer := make([]byte, 0, 256) // of all fields: a larger one takes its place where they are longer
	buffer = append(append(append(buffer, table...), 1), realm...)
	r.fields = append(r.fields, recordForm, buffer[:len(table)], buffer[len(table):])
	for _, value := range values {
		start := len(buffer)
		var err error
		buffer, err = appendField(buffer, value)
		if err != nil {
			return Record{}, fmt.Errorf("record of %s: %w", table, err)
		}
		r.fields = append(r.fields, buffer[start:])
	}
	return r, nil
}

// MasterDataKeys derives the keys that master data are sealed with from those of tokens.
func MasterDataKeys(tokens keyring.Ring) (keyring.Ring, error) { return tokens.Derive("master data") }

// Bytes are the fields of the record, each with its length.
func (r Record) Bytes() []byte {
	var fields keyring.Fields
	for _, field := range r.fields {
		fields.Bytes(field)
	}
	return fields
}

// Digest is the hash of the record as a leaf of a tree (RFC 6962): the SHA-256 of the byte 0 and its bytes. No other record has it.
func (r Record) Digest() [sha256.Size]byte { return sha256.Sum256(append([]byte{0}, r.Bytes()...)) }

// Seal seals the record.
func (r Record) Seal(keys keyring.Ring) keyring.Seal { return keys.Seal(r.fields...) }

// Check compares the record with the seal in its row. Errors: keyring.ErrUnknownKey, keyring.ErrForged.
func (r Record) Check(keys keyring.Ring, keyID string, mac []byte) error {
	seal := keyring.Seal{KeyID: keyID}
	if copy(seal.MAC[:], mac) != len(mac) {
		return keyring.ErrForged
	}
	return keys.Verify(seal, r.fields...)
}

// appendField writes a value so that nothing reads like another: NULL is empty, everything else begins with a byte of its own.
func appendField(to []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case string:
		return append(append(to, 1), v...), nil
	case []byte:
		if v == nil {
			return to, nil
		}
		return append(append(to, 1), v...), nil
	case bool:
		if v {
			return append(to, 1, 1), nil
		}
		return append(to, 1, 0), nil
	case int32:
		return appendNumber(to, int64(v)), nil
	case int64:
		return appendNumber(to, v), nil
	case time.Time:
		return appendNumber(to, v.UnixMicro()), nil
	case uuid.UUID:
		return append(append(to, 1), v[:]...), nil
	case *string: // also in place of a string: a pointer into the row costs no memory
		if v == nil {
			return to, nil
		}
		return append(append(to, 1), *v...), nil
	case *int64:
		return appendPointer(to, v)
	case *time.Time:
		return appendPointer(to, v)
	}
	return nil, fmt.Errorf("a field of type %T", value)
}

func appendNumber(to []byte, number int64) []byte {
	return binary.BigEndian.AppendUint64(append(to, 1), uint64(number)) //nolint:gosec // the same 64 bits
}

func appendPointer[T any](to []byte, value *T) ([]byte, error) {
	if value == nil {
		return to, nil
	}
	return appendField(to, *value)
}
