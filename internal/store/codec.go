package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
)

// registerTypes makes a connection write and read texts, bytes, times and UUIDs, pointers to them and lists of them, directly. The driver
// does so by reflection, with wrappers for each column of each answer, text for a UUID, and lists that grow element by element: together a
// fifth of all allocations of a request.
func registerTypes(types *pgtype.Map) {
	register(types, plainType{"text", pgtype.TextOID, pgtype.TextArrayOID, pgtype.TextCodec{}}, plain[string]{
		appended: func(buf []byte, text string) []byte { return append(buf, text...) },
		read: func(src []byte) (string, error) {
			if src == nil {
				return "", errNull
			}
			return string(src), nil
		},
		length: func(text string) int { return len(text) },
	})
	register(types, plainType{"bytea", pgtype.ByteaOID, pgtype.ByteaArrayOID, pgtype.ByteaCodec{}}, plain[[]byte]{
		appended: func(buf, bytes []byte) []byte { return append(buf, bytes...) },
		read: func(src []byte) ([]byte, error) {
			if src == nil {
				return nil, nil
			}
			return append(make([]byte, 0, len(src)), src...), nil // no bytes are not NULL
		},
		length: func(bytes []byte) int { return len(bytes) },
		null:   func(bytes []byte) bool { return bytes == nil },
	})
	register(types, plainType{"timestamptz", pgtype.TimestamptzOID, pgtype.TimestamptzArrayOID, &pgtype.TimestamptzCodec{}}, plain[time.Time]{
		appended: func(buf []byte, at time.Time) []byte {
			return binary.BigEndian.AppendUint64(buf, uint64(at.UnixMicro()-microsecondsTo2000)) //nolint:gosec // the bits count, not the sign
		},
		read:   readTime,
		length: func(time.Time) int { return 8 },
	})
	register(types, plainType{"uuid", pgtype.UUIDOID, pgtype.UUIDArrayOID, pgtype.UUIDCodec{}}, plain[uuid.UUID]{
		appended: func(buf []byte, id uuid.UUID) []byte { return append(buf, id[:]...) },
		read: func(src []byte) (id uuid.UUID, err error) {
			if src != nil && len(src) != len(id) {
				return id, fmt.Errorf("read %d bytes as a UUID", len(src))
			}
			copy(id[:], src) // NULL is the zero value, as database/sql has it
			return id, nil
		},
		length: func(id uuid.UUID) int { return len(id) },
	})
}

// microsecondsTo2000 is the time from the epoch of Unix, 1970, to the epoch of PostgreSQL, 2000.
const microsecondsTo2000 = 946_684_800_000_000

func readTime(src []byte) (time.Time, error) {
	if src == nil {
		return time.Time{}, errNull
	}
	const bytes = 8
	if len(src) != bytes {
		return time.Time{}, fmt.Errorf("read %d bytes as a time", len(src))
	}
	since2000 := int64(binary.BigEndian.Uint64(src)) //nolint:gosec // the bits count, not the sign
	at := time.UnixMicro(since2000 + microsecondsTo2000)
	if year := at.Year(); since2000 > since2000+microsecondsTo2000 || year < -4713 || year > 294_276 { // infinity lies beyond
		return time.Time{}, errors.New("read a time without end as a time")
	}
	return at, nil
}

var errNull = errors.New("read NULL where there must be a value")

// plainType is a database type with the driver's own codec, which handles all values that are not plain.
type plainType struct {
	name       string
	oid, array uint32
	codec      pgtype.Codec
}

func register[T any](types *pgtype.Map, of plainType, plan plain[T]) {
	one := &pgtype.Type{Name: of.name, OID: of.oid, Codec: plainCodec[T]{Codec: of.codec, plan: &plan}}
	types.RegisterType(one)
	types.RegisterType(&pgtype.Type{Name: "_" + of.name, OID: of.array, Codec: plainArrayCodec[T]{
		ArrayCodec: &pgtype.ArrayCodec{ElementType: one}, plan: &plainArray[T]{element: &plan, oid: of.oid},
	}})
}

// plain encodes a T as the database's bytes and decodes it. A nil src is NULL.
type plain[T any] struct {
	appended func(buf []byte, value T) []byte
	read     func(src []byte) (T, error)
	length   func(value T) int // how many bytes appended appends
	// null reports whether a value in a list is NULL; nil where none is. Outside lists the driver itself writes a nil value.
	null func(value T) bool
}

// Encode appends a T, or the T that a pointer points to; the driver itself writes a nil pointer.
func (p *plain[T]) Encode(value any, buf []byte) ([]byte, error) {
	switch given := value.(type) {
	case T:
		return p.appended(buf, given), nil
	case *T:
		return p.appended(buf, *given), nil
	}
	return nil, fmt.Errorf("write a %T", value)
}

// Scan reads a T, or a pointer to one, which is nil for NULL.
func (p *plain[T]) Scan(src []byte, target any) (err error) {
	switch to := target.(type) {
	case *T:
		*to, err = p.read(src)
	case **T:
		*to = nil
		if src != nil {
			made := new(T)
			*made, err = p.read(src)
			*to = made
		}
	default:
		err = fmt.Errorf("read a %T", target)
	}
	return err
}

// plainCodec is the driver's codec, with a plan for T and pointers to it.
type plainCodec[T any] struct {
	pgtype.Codec

	plan *plain[T]
}

// takes reports whether the plan reads this format: binary always, and text for types whose text has the same bytes.
func (c plainCodec[T]) takes(format int16) bool {
	_, text := c.Codec.(pgtype.TextCodec)
	return format == pgtype.BinaryFormatCode || text
}

// PlanEncode returns the plan to write a value.
func (c plainCodec[T]) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	switch value.(type) {
	case T, *T:
		if c.takes(format) {
			return c.plan
		}
	}
	return c.Codec.PlanEncode(m, oid, format, value)
}

// PlanScan returns the plan to read a value.
func (c plainCodec[T]) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	switch target.(type) {
	case *T, **T:
		if c.takes(format) {
			return c.plan
		}
	}
	return c.Codec.PlanScan(m, oid, format, target)
}

// plainArrayCodec is the driver's codec of arrays, with a plan for lists of T.
type plainArrayCodec[T any] struct {
	*pgtype.ArrayCodec

	plan *plainArray[T]
}

// PlanEncode returns the plan to write a list.
func (c plainArrayCodec[T]) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, list := value.([]T); list && format == pgtype.BinaryFormatCode {
		return c.plan
	}
	return c.ArrayCodec.PlanEncode(m, oid, format, value)
}

// PlanScan returns the plan to read a list.
func (c plainArrayCodec[T]) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	if _, list := target.(*[]T); list && format == pgtype.BinaryFormatCode {
		return c.plan
	}
	return c.ArrayCodec.PlanScan(m, oid, format, target)
}

// plainArray writes and reads lists as arrays of one dimension: the number of dimensions, whether there are NULLs, the type, for a
// dimension its length and the first index, and each element after its length.
type plainArray[T any] struct {
	element *plain[T]
	oid     uint32
}

// Encode appends a list; the driver itself writes a nil one.
func (p *plainArray[T]) Encode(value any, buf []byte) ([]byte, error) {
	list, is := value.([]T)
	if !is {
		return nil, fmt.Errorf("write a %T", value)
	}
	const head, element = 20, 4 // bytes of the array, and of each element, before what is in it
	size, nulls := head, 0
	for _, each := range list {
		size += element + p.element.length(each)
		if p.element.null != nil && p.element.null(each) {
			nulls = 1
		}
	}
	if cap(buf)-len(buf) < size {
		buf = slices.Grow(buf, max(size, cap(buf))) // at least as much again: most statements have many lists
	}
	number := func(n int) { buf = binary.BigEndian.AppendUint32(buf, uint32(n)) } //nolint:gosec // statements are far below 2 GiB
	number(min(len(list), 1))
	number(nulls)
	number(int(p.oid))
	if len(list) > 0 {
		number(len(list))
		number(1)
	}
	for _, each := range list {
		if nulls > 0 && p.element.null(each) {
			number(-1)
			continue
		}
		number(p.element.length(each))
		buf = p.element.appended(buf, each)
	}
	return buf, nil
}

// errArray reports an array that is truncated or has several dimensions; the server sends none.
var errArray = errors.New("read an array that breaks off or has several dimensions")

// Scan reads a list; NULL is nil.
func (p *plainArray[T]) Scan(src []byte, target any) error {
	to, is := target.(*[]T)
	if !is {
		return fmt.Errorf("read a %T", target)
	}
	*to = nil
	if src == nil {
		return nil
	}
	r := arrayReader{rest: src}
	dimensions, _, _ := r.number(), r.number(), r.number()
	length := 0
	if dimensions == 1 {
		length, _ = r.number(), r.number()
	}
	if r.broken || dimensions > 1 || length < 0 || length > len(r.rest)/4 {
		return errArray
	}
	list := make([]T, length)
	for i := range list {
		var err error
		list[i], err = p.element.read(r.bytes(r.number()))
		if r.broken {
			return errArray
		}
		if err != nil {
			return err
		}
	}
	*to = list
	return nil
}

// arrayReader takes an array apart.
type arrayReader struct {
	rest   []byte
	broken bool // more was asked for than there is
}

// number reads the next 32 bits as a signed number.
func (r *arrayReader) number() int {
	const size = 4
	four := r.bytes(size)
	if len(four) != size {
		return 0
	}
	return int(int32(binary.BigEndian.Uint32(four))) //nolint:gosec // the bits count, not the sign
}

// bytes reads the next bytes; nil for NULL, whose length is -1.
func (r *arrayReader) bytes(count int) []byte {
	if count == -1 {
		return nil
	}
	if count < 0 || count > len(r.rest) {
		r.broken = true
		return nil
	}
	taken := r.rest[:count:count]
	r.rest = r.rest[count:]
	return taken
}
