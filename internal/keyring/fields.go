package keyring

import (
	"encoding/binary"
	"time"

	"github.com/google/uuid"
)

// Fields are the fields under a seal, in a fixed order, each with its length before it, so that two different lists never give the same
// bytes. The first field names the layout, so that two layouts never do either.
type Fields []byte

// Bytes adds one field.
func (f *Fields) Bytes(value []byte) {
	*f = append(binary.BigEndian.AppendUint32(*f, uint32(len(value))), value...) //nolint:gosec // fields are far below 4 GiB
}

// Text adds one field for each text.
func (f *Fields) Text(values ...string) {
	for _, value := range values {
		*f = append(binary.BigEndian.AppendUint32(*f, uint32(len(value))), value...) //nolint:gosec // fields are far below 4 GiB
	}
}

// Number adds one field of 64 bits for each number.
func (f *Fields) Number(values ...int64) {
	for _, value := range values {
		*f = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(*f, 8), uint64(value)) //nolint:gosec // the bits count, not the sign
	}
}

// Moment adds a time, which counts in microseconds; the database keeps no more.
func (f *Fields) Moment(at time.Time) { f.Number(at.UnixMicro()) }

// ID adds one field for each id.
func (f *Fields) ID(ids ...uuid.UUID) {
	for _, id := range ids {
		f.Bytes(id[:])
	}
}

// List adds a list of ids as one field, so that none moves from one list to the next.
func (f *Fields) List(list []uuid.UUID) {
	*f = binary.BigEndian.AppendUint32(*f, uint32(16*len(list))) //nolint:gosec // lists are short
	for _, id := range list {
		*f = append(*f, id[:]...)
	}
}
