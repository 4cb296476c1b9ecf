package codec

import (
	"bytes"
	"errors"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// JSONReader walks through one JSON text. Offsets are in bytes from its start.
type JSONReader struct {
	data   []byte
	tokens *jsontext.Decoder
}

// decoders pools JSON decoders, whose state grows with the depth of a text.
var decoders = sync.Pool{New: func() any { return new(jsontext.Decoder) }}

// NewJSONReader makes the reader of a text. Close it when nothing is asked of it any more.
func NewJSONReader(data []byte) *JSONReader {
	tokens := decoders.Get().(*jsontext.Decoder)
	tokens.Reset(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))
	return &JSONReader{data: data, tokens: tokens}
}

// Close returns the decoder to the pool.
func (r *JSONReader) Close() {
	r.tokens.Reset(nothing)
	decoders.Put(r.tokens)
	r.tokens = nil
}

// nothing is read by a decoder that is not in use, so that it keeps no text.
var nothing = new(bytes.Buffer)

// Next is the kind of the next piece; 0 when it cannot be read, or there is none.
func (r *JSONReader) Next() jsontext.Kind { return r.tokens.PeekKind() }

// Start returns the offset at which the next token starts.
func (r *JSONReader) Start() int {
	offset := int(r.tokens.InputOffset())
	for offset < len(r.data) && strings.IndexByte(" \t\r\n,:", r.data[offset]) >= 0 {
		offset++
	}
	return offset
}

// End returns the offset at which the last token ended.
func (r *JSONReader) End() int { return int(r.tokens.InputOffset()) }

// Bracket reads the start or the end of an object or array, or what else comes next; io.EOF when nothing does.
func (r *JSONReader) Bracket() error {
	_, err := r.tokens.ReadToken()
	return err
}

// Name reads the name of the next member and its offset; at the end of the object it reads that end and returns ok false. The name is valid
// until the next read.
func (r *JSONReader) Name() (name []byte, start int, ok bool, err error) {
	if r.Next() == '}' {
		return nil, 0, false, r.Bracket()
	}
	raw, start, err := r.Value()
	if err != nil {
		return nil, 0, false, err
	}
	return JSONText(raw), start, true, nil
}

// Value reads the next value in its written form, and its offset. It is valid until the next read.
func (r *JSONReader) Value() (raw []byte, start int, err error) {
	raw, err = r.tokens.ReadValue()
	return raw, r.End() - len(raw), err
}

// Skip passes over the next value.
func (r *JSONReader) Skip() error { return r.tokens.SkipValue() }

// Place returns the offset of the mistake that an error of this reader reports.
func (r *JSONReader) Place(err error) int {
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		return int(syntactic.ByteOffset)
	}
	return r.Start()
}

// JSONText is the text of a JSON string that was read.
func JSONText(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, raw) // the reader has checked it
	return text
}
