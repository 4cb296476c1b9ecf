package store

import (
	"bytes"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
)

// registerUUID teaches a connection to write and read a uuid.UUID as the 16 bytes it is. Without it the driver goes by text, there and
// back (an eighth of all allocations of a request), because the type speaks the text of database/sql.
func registerUUID(types *pgtype.Map) {
	one := &pgtype.Type{Name: "uuid", OID: pgtype.UUIDOID, Codec: uuidCodec{}}
	types.RegisterType(one)
	types.RegisterType(&pgtype.Type{Name: "_uuid", OID: pgtype.UUIDArrayOID, Codec: &pgtype.ArrayCodec{ElementType: one}})
}

// uuidCodec is the driver's codec, with plans for uuid.UUID and pointers to it.
type uuidCodec struct{ pgtype.UUIDCodec }

// PlanEncode writes a uuid.UUID as bytes.
func (c uuidCodec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	switch value.(type) {
	case uuid.UUID, *uuid.UUID:
		if format == pgtype.BinaryFormatCode {
			return uuidPlan{}
		}
	}
	return c.UUIDCodec.PlanEncode(m, oid, format, value)
}

// PlanScan reads bytes into a uuid.UUID.
func (c uuidCodec) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	switch target.(type) {
	case *uuid.UUID, **uuid.UUID:
		if format == pgtype.BinaryFormatCode {
			return uuidPlan{}
		}
	}
	return c.UUIDCodec.PlanScan(m, oid, format, target)
}

// uuidPlan writes and reads the 16 bytes. NULL reads as the zero value, as database/sql has it, or as the pointer to nothing.
type uuidPlan struct{}

// Encode appends the bytes of a uuid.UUID; a nil pointer never comes here.
func (uuidPlan) Encode(value any, buf []byte) ([]byte, error) {
	switch id := value.(type) {
	case uuid.UUID:
		return append(buf, id[:]...), nil
	case *uuid.UUID:
		return append(buf, id[:]...), nil
	}
	return nil, fmt.Errorf("write a %T as a UUID", value)
}

// Scan reads the bytes into a uuid.UUID or a new one.
func (uuidPlan) Scan(src []byte, target any) error {
	if src != nil && len(src) != len(uuid.Nil) {
		return fmt.Errorf("read %d bytes as a UUID", len(src))
	}
	switch id := target.(type) {
	case *uuid.UUID:
		*id = uuid.Nil
		copy(id[:], src)
	case **uuid.UUID:
		*id = nil
		if src != nil {
			*id = (*uuid.UUID)(bytes.Clone(src))
		}
	default:
		return fmt.Errorf("read a UUID as a %T", target)
	}
	return nil
}
