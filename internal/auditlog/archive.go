package auditlog

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"countersign/internal/i18n"
)

// archiveFormat is the format of archives. Another one gets another number.
const archiveFormat = "countersign archive 1"

// ArchiveHeader is the first line of an archive. All its bundles are of the realm and under the checkpoint.
type ArchiveHeader struct {
	Checkpoint string    `json:"checkpoint"` // a signed note
	Format     string    `json:"format"`
	Month      string    `json:"month"`     // such as 2026-03
	PublicKey  string    `json:"publicKey"` // that signed the checkpoint
	Realm      string    `json:"realm"`
	Until      time.Time `json:"until"` // the end of the month, in UTC: the last move of every message is before it
}

// NewArchiveHeader makes the header of an archive under a checkpoint that one of the trusted keys signed.
func NewArchiveHeader(realm, month, checkpoint string, trusted PublicKeys) (ArchiveHeader, error) {
	until, err := EndOf(month)
	if err != nil {
		return ArchiveHeader{}, err
	}
	key, err := trusted.SignerOf(realm, checkpoint)
	if err != nil {
		return ArchiveHeader{}, fmt.Errorf("find the key that signed the checkpoint: %w", err)
	}
	return ArchiveHeader{
		Checkpoint: checkpoint, Format: archiveFormat, Month: month, PublicKey: key.Line(realm), Realm: realm,
		Until: until,
	}, nil
}

// EndOf is the end of a month in Zurich, such as 2026-03.
func EndOf(month string) (time.Time, error) {
	begin, err := time.ParseInLocation("2006-01", month, i18n.Zone())
	if err != nil {
		return time.Time{}, errors.New("name a month, such as 2026-03")
	}
	return begin.AddDate(0, 1, 0).UTC(), nil
}

// ArchiveWriter writes an archive: a gzip file of lines. docs/bundle.md describes it for other programs.
type ArchiveWriter struct {
	Messages int

	out     *gzip.Writer
	lines   hash.Hash
	trusted PublicKeys
}

// NewArchiveWriter begins an archive.
func NewArchiveWriter(file io.Writer, header ArchiveHeader, trusted PublicKeys) (*ArchiveWriter, error) {
	w := &ArchiveWriter{out: gzip.NewWriter(file), lines: sha256.New(), trusted: trusted}
	line, err := canonical(header)
	if err != nil {
		return nil, err
	}
	return w, w.write(append(line, '\n'))
}

func (w *ArchiveWriter) write(text []byte) error {
	_, err := io.MultiWriter(w.out, w.lines).Write(text)
	if err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	return nil
}

// Add proves the bundle of a message and writes it, with the id of the payment that the message is, or is about. Payments, and the messages
// of each, come in the order of their ids.
func (w *ArchiveWriter) Add(payment string, b Bundle) error {
	file, err := b.Proven(w.trusted)
	if err != nil {
		return fmt.Errorf("message %s: %w", b.MessageID, err)
	}
	w.Messages++
	return w.write(append([]byte(payment+"\n"), file...))
}

// Close ends the archive with the number of its messages and the digest of its lines.
func (w *ArchiveWriter) Close() error {
	err := w.write([]byte(archiveEnd(w.Messages, w.lines)))
	if err == nil {
		err = w.out.Close()
	}
	return err
}

func archiveEnd(messages int, lines hash.Hash) string {
	return fmt.Sprintf("end %d %s\n", messages, hex.EncodeToString(lines.Sum(nil)))
}

// Archive is a verified archive.
type Archive struct {
	ArchiveHeader

	Messages int
	Digest   string // SHA-256 of the file, in hexadecimal digits
}

// ArchivedMessage is a message of an archive, with the payment that it is, or is about.
type ArchivedMessage struct {
	Payment string
	Bundle  Bundle
	Proven  Proven
}

// gzipHead begins every archive: deflate, without name and time.
const gzipHead = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

// ErrNoArchive says that a file does not begin as archives do.
var ErrNoArchive = errors.New("the file is no archive")

// ReadArchive verifies an archive against the trusted keys, as Bundle.Verify does, and hands over each message. The messages
// are proven as a whole only when it returns without an error.
func ReadArchive(file io.Reader, trusted PublicKeys, each func(ArchivedMessage) error) (Archive, error) {
	whole := sha256.New()
	read := bufio.NewReader(io.TeeReader(file, whole))
	head, _ := read.Peek(len(gzipHead))
	if string(head) != gzipHead {
		return Archive{}, ErrNoArchive
	}
	unpacked, err := gzip.NewReader(read)
	if err != nil {
		return Archive{}, fmt.Errorf("%w: %w", ErrNoArchive, err)
	}
	unpacked.Multistream(false)
	r := archiveReader{in: bufio.NewReaderSize(unpacked, 1<<16), lines: sha256.New(), trusted: trusted}
	err = r.run(each)
	if err != nil {
		return Archive{}, err
	}
	_, err = read.ReadByte()
	if !errors.Is(err, io.EOF) {
		return Archive{}, errors.New("there is something after the end of the archive")
	}
	return Archive{ArchiveHeader: r.header, Messages: r.messages, Digest: hex.EncodeToString(whole.Sum(nil))}, nil
}

type archiveReader struct {
	in       *bufio.Reader
	lines    hash.Hash
	trusted  PublicKeys
	header   ArchiveHeader
	messages int
	after    string
}

// line reads a line with its line feed.
func (r *archiveReader) line() (string, error) {
	var text strings.Builder
	for {
		part, err := r.in.ReadSlice('\n')
		text.Write(part)
		switch {
		case err == nil:
			return text.String(), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", fmt.Errorf("the archive is cut or damaged: %w", err)
		case text.Len() > MaxBundle:
			return "", fmt.Errorf("a line is larger than %d bytes", MaxBundle)
		}
	}
}

func (r *archiveReader) run(each func(ArchivedMessage) error) error {
	first, err := r.line()
	if err == nil {
		err = r.readHeader(first)
	}
	for err == nil {
		var payment string
		payment, err = r.line()
		if err == nil && strings.HasPrefix(payment, "end ") {
			return r.readEnd(payment)
		}
		if err == nil {
			err = r.readMessage(payment, each)
		}
	}
	return err
}

func (r *archiveReader) readHeader(line string) error {
	r.lines.Write([]byte(line))
	err := json.Unmarshal([]byte(line), &r.header, json.RejectUnknownMembers(true))
	if err != nil {
		return fmt.Errorf("the first line is no header of an archive: %w", err)
	}
	until, err := EndOf(r.header.Month)
	if err != nil {
		return err
	}
	again, err := canonical(r.header)
	if err != nil || string(again)+"\n" != line || r.header.Format != archiveFormat || !r.header.Until.Equal(until) {
		return errors.New("the first line is no header of the format " + archiveFormat)
	}
	return nil
}

func (r *archiveReader) readMessage(payment string, each func(ArchivedMessage) error) error {
	line, err := r.line()
	if err != nil {
		return err
	}
	digest, err := r.line()
	if err != nil {
		return err
	}
	r.lines.Write([]byte(payment + line + digest))
	payment = strings.TrimSuffix(payment, "\n")
	b, err := ParseBundle([]byte(line + digest))
	if err != nil {
		return fmt.Errorf("after message %s: %w", r.after, err)
	}
	place := payment + " " + b.MessageID
	switch {
	case b.Realm != r.header.Realm || b.Checkpoint != r.header.Checkpoint || b.PublicKey != r.header.PublicKey:
		return fmt.Errorf("message %s is of another archive", b.MessageID)
	case len(payment) != len(b.MessageID) || place <= r.after:
		return fmt.Errorf("message %s is not in its place", b.MessageID)
	}
	r.after = place
	proven, err := b.Verify(r.trusted)
	if err != nil {
		return fmt.Errorf("message %s: %w", b.MessageID, err)
	}
	for _, event := range proven.Events {
		if event.Move != nil && !event.Move.At.Before(r.header.Until) {
			return fmt.Errorf("message %s has a move after the end of the month", b.MessageID)
		}
	}
	r.messages++
	return each(ArchivedMessage{Payment: payment, Bundle: b, Proven: proven})
}

func (r *archiveReader) readEnd(line string) error {
	if line != archiveEnd(r.messages, r.lines) || r.messages == 0 {
		return errors.New("the last line is not the number of the messages and the digest of the lines: the archive is cut or damaged")
	}
	_, err := r.in.ReadByte()
	if !errors.Is(err, io.EOF) {
		return errors.New("there is something after the last line, or the archive is damaged")
	}
	return nil
}
