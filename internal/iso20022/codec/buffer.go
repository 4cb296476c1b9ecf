package codec

import (
	"bytes"
	"sync"
)

// buffers pools the buffers in which documents are written. The result is a copy of the document's exact length: many documents are kept
// while their payment is processed, and a whole buffer takes three times as much.
var buffers = sync.Pool{New: func() any {
	buffer := make([]byte, 0, bufferSize)
	return &buffer
}}

const (
	bufferSize = 4096
	// bufferKept is the largest that is used again.
	bufferKept = 16 * bufferSize
)

// inBuffer returns what write appends to an empty buffer, and its error.
func inBuffer(write func(empty []byte) ([]byte, error)) ([]byte, error) {
	buffer, _ := buffers.Get().(*[]byte)
	written, err := write((*buffer)[:0])
	if cap(written) > cap(*buffer) && cap(written) <= bufferKept {
		*buffer = written
	}
	written = bytes.Clone(written)
	buffers.Put(buffer)
	return written, err
}
