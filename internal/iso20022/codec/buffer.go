package codec

import (
	"bytes"
	"sync"
)

// buffers are where documents are written. Each result is a copy as long as its document: in a buffer that is large enough for nearly all
// of them three of the usual ones have room, and many are kept as long as their payment is on its way.
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
