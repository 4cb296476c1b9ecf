package store

import (
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

// uuidCodec is the driver's codec, with plans for uuid.UUID.
type uuidCodec struct{ pgtype.UUIDCodec }

// PlanEncode writes a uuid.UUID as bytes.
func (c uuidCodec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	_, is := value.(uuid.UUID)
	if is && format == pgtype.BinaryFormatCode {
		return uuidPlan{}
	}
	return c.UUIDCodec.PlanEncode(m, oid, format, value)
}

// PlanScan reads bytes into a uuid.UUID.
func (c uuidCodec) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	_, is := target.(*uuid.UUID)
	if is && format == pgtype.BinaryFormatCode {
		return uuidPlan{}
	}
	return c.UUIDCodec.PlanScan(m, oid, format, target)
}

// uuidPlan writes and reads the 16 bytes. NULL reads as the zero value, as database/sql has it.
type uuidPlan struct{}

// Encode appends the bytes of a uuid.UUID.
func (uuidPlan) Encode(value any, buf []byte) ([]byte, error) {
	id, is := value.(uuid.UUID)
	if !is {
		return nil, fmt.Errorf("write a %T as a UUID", value)
	}
	return append(buf, id[:]...), nil
}

// Scan reads the bytes into a *uuid.UUID.
func (uuidPlan) Scan(src []byte, target any) error {
	id, is := target.(*uuid.UUID)
	if !is || src != nil && len(src) != len(id) {
		return fmt.Errorf("read %d bytes as a %T", len(src), target)
	}
	*id = uuid.Nil
	copy(id[:], src)
	return nil
}
