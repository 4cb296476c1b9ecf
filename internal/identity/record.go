package identity

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/keyring"
)

// ErrUnsealed says that the row carries no seal. It was written before there were seals, or by somebody who has no key.
var ErrUnsealed = errors.New("the row is not sealed")

// Record is a row of master data (a person, a user account, a grant, a client, a policy, a debtor account) as its seal covers it: every
// field that says who may do what, in a fixed order. Whoever provisions seals it; whoever reads it may ask whether it still fits.
type Record struct {
	table  string
	fields [][]byte
}

// NewRecord makes the record of a row of a table. Values are strings, byte slices, integers, booleans, times, UUIDs, or pointers to
// them, which may be nil; another type is an error of the program.
func NewRecord(table string, values ...any) (Record, error) {
	r := Record{table: table, fields: make([][]byte, 0, len(values))}
	for _, value := range values {
		field, err := fieldOf(value)
		if err != nil {
			return Record{}, fmt.Errorf("record of %s: %w", table, err)
		}
		r.fields = append(r.fields, field)
	}
	return r, nil
}

// MasterDataKeys derives the keys that master data are sealed with from those of tokens.
func MasterDataKeys(tokens keyring.Ring) (keyring.Ring, error) { return tokens.Derive("master data") }

// Seal seals the record.
func (r Record) Seal(keys keyring.Ring) keyring.Seal { return keys.Seal(r.all()...) }

// Check compares the record with the seal in its row; keyID is empty where the row has none. Errors: ErrUnsealed,
// keyring.ErrUnknownKey, keyring.ErrForged.
func (r Record) Check(keys keyring.Ring, keyID string, mac []byte) error {
	seal := keyring.Seal{KeyID: keyID}
	if keyID == "" || len(mac) == 0 {
		return ErrUnsealed
	}
	if copy(seal.MAC[:], mac) != len(mac) {
		return keyring.ErrForged
	}
	return keys.Verify(seal, r.all()...)
}

func (r Record) all() [][]byte {
	return append([][]byte{[]byte("countersign master data 1"), []byte(r.table)}, r.fields...)
}

// fieldOf writes a value so that nothing reads like another: NULL is empty, everything else begins with a byte of its own.
func fieldOf(value any) ([]byte, error) {
	switch v := value.(type) {
	case string:
		return append([]byte{1}, v...), nil
	case []byte:
		if v == nil {
			return nil, nil
		}
		return append([]byte{1}, v...), nil
	case bool:
		if v {
			return []byte{1, 1}, nil
		}
		return []byte{1, 0}, nil
	case int32:
		return fieldOf(int64(v))
	case int64:
		return binary.BigEndian.AppendUint64([]byte{1}, uint64(v)), nil //nolint:gosec // the same 64 bits
	case time.Time:
		return fieldOf(v.UnixMicro())
	case uuid.UUID:
		return append([]byte{1}, v[:]...), nil
	case *string:
		return fieldOfPointer(v)
	case *int64:
		return fieldOfPointer(v)
	case *time.Time:
		return fieldOfPointer(v)
	}
	return nil, fmt.Errorf("a field of type %T", value)
}

func fieldOfPointer[T any](value *T) ([]byte, error) {
	if value == nil {
		return nil, nil
	}
	return fieldOf(*value)
}
