package codec

import (
	"bytes"
	"strings"
)

// Position is a place in an input: line and column, both from 1, the column in bytes. The zero Position is no place.
type Position struct{ Line, Column int }

// Positions knows where the elements of an XML document begin.
type Positions struct {
	data    []byte
	offsets map[string]int
}

// PositionsXML reads a document with the default limits; see Options.PositionsXML.
func PositionsXML(data []byte) Positions {
	return Options{}.PositionsXML(data)
}

// PositionsXML reads a document once more to note where its elements begin, for findings of later checks, which know pointers only.
// Decoders do not do this on the way, because most documents have nothing to show. What the decoder could not read has no position of its
// own.
func (o Options) PositionsXML(data []byte) Positions {
	x := &xmlDecoder{decoder: newDecoder(o, data, "/Document"), places: map[string]int{}}
	x.document()
	return Positions{data, x.places}
}

// Of is where the element of a pointer begins. An attribute stands where its element does, and what is missing where the closest element
// around it begins. Without any such element the Position is zero.
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
