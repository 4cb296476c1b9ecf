package codec

import (
	"bytes"
	"strings"
)

// Position is a place in an input: line and column, both from 1, the column in bytes. The zero Position is no place.
type Position struct{ Line, Column int }

// Positions maps the elements of an XML document to their positions.
type Positions struct {
	data    []byte
	offsets map[string]int
}

// PositionsXML reads a document again to find the positions of its elements, for findings of later checks, which have pointers only.
// Decoders do not record them, because most documents have no finding. An element that the decoder could not read has no position.
func (o Options) PositionsXML(data []byte) Positions {
	x := &xmlDecoder{decoder: newDecoder(o, data, "/Document"), places: map[string]int{}}
	x.document()
	return Positions{data, x.places}
}

// Of returns the position at which the element of a pointer begins. An attribute has the position of its element, and a missing element
// that of the closest element around it. Without any such element the Position is zero.
func (p Positions) Of(pointer string) Position {
	for pointer != "" {
		// A pointer to a repeatable element as a whole means its first.
		for _, form := range [...]string{pointer, pointer + "/0"} {
			offset, known := p.offsets[form]
			if known {
				return p.at(offset)
			}
		}
		pointer = pointer[:max(strings.LastIndexByte(pointer, '/'), 0)]
	}
	return Position{}
}

func (p Positions) at(offset int) Position { return PositionAt(p.data, offset) }

// PositionAt is the place of an offset in bytes, which must lie within the data.
func PositionAt(data []byte, offset int) Position {
	before := data[:offset]
	return Position{bytes.Count(before, []byte("\n")) + 1, offset - bytes.LastIndexByte(before, '\n')}
}
