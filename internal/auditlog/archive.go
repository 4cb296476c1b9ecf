package auditlog

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
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

// verify verifies the checkpoint of the archive.
func (h ArchiveHeader) verify(trusted PublicKeys) (Checkpoint, error) {
	return Bundle{Realm: h.Realm, Checkpoint: h.Checkpoint, PublicKey: h.PublicKey}.verifyCheckpoint(trusted)
}

// has reports whether a bundle is of the realm, and under the checkpoint of the archive.
func (h ArchiveHeader) has(b Bundle) bool {
	return b.Realm == h.Realm && b.Checkpoint == h.Checkpoint && b.PublicKey == h.PublicKey
}

// EndOf is the end of a month in Zurich, such as 2026-03.
func EndOf(month string) (time.Time, error) {
	begin, err := time.ParseInLocation("2006-01", month, i18n.Zone())
	if err != nil {
		return time.Time{}, errors.New("name a month, such as 2026-03")
	}
	return begin.AddDate(0, 1, 0).UTC(), nil
}

// ContentKey returns the data key of a payment, under which its contents are encrypted; nil where it is erased or not at hand.
type ContentKey func(realm, payment string) (key []byte, erased bool, err error)

// contentCipher is the cipher of a data key.
func contentCipher(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("read the data key: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block) //nolint:wrapcheck // fails for no block cipher but another one
}

// about is the additional data of the contents of a message.
func (b Bundle) about() []byte { return []byte(b.Realm + " " + b.MessageID) }

// openContents decrypts the contents of a message and adds them to its bundle.
func openContents(b Bundle, key []byte, line string) (Bundle, error) {
	aead, err := contentCipher(key)
	if err != nil {
		return b, err
	}
	sealed, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(line, "\n"))
	if err == nil {
		sealed, err = aead.Open(nil, nil, sealed, b.about())
	}
	var data []byte
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(sealed)), MaxBundle))
	}
	if err == nil {
		b.Contents, err = unpacked(data)
	}
	if err != nil {
		return b, fmt.Errorf("its contents do not open with its key, they or the key were changed: %w", err)
	}
	return b, nil
}

// packedContent is a content before its compression: the numbers of its bytes, which follow the line of all contents.
type packedContent struct {
	Content    int    `json:"content"`
	DocumentID string `json:"documentId"`
	PayeeName  string `json:"payeeName,omitempty"`
	Source     int    `json:"source,omitzero"`
}

// packed returns contents as a line of JSON and their bytes: base64 would compress to twice as much.
func packed(contents []Content) ([]byte, error) {
	list, all := []packedContent{}, []byte("\n")
	for _, c := range contents {
		list = append(list, packedContent{len(c.Content), c.DocumentID, c.PayeeName, len(c.Source)})
		all = append(append(all, c.Content...), c.Source...)
	}
	line, err := canonical(list)
	return append(line, all...), err
}

// unpacked reads the contents that packed wrote.
func unpacked(data []byte) ([]Content, error) {
	line, data, _ := bytes.Cut(data, []byte("\n"))
	var list []packedContent
	err := json.Unmarshal(line, &list, json.RejectUnknownMembers(true))
	if err != nil {
		return nil, fmt.Errorf("read the list of contents: %w", err)
	}
	contents := []Content{}
	for _, c := range list {
		if min(c.Content, c.Source) < 0 || c.Content > len(data) || c.Source > len(data)-c.Content {
			return nil, errors.New("a content is cut")
		}
		content := Content{DocumentID: c.DocumentID, Content: data[:c.Content], PayeeName: c.PayeeName}
		if c.Source > 0 {
			content.Source = data[c.Content : c.Content+c.Source]
		}
		contents, data = append(contents, content), data[c.Content+c.Source:]
	}
	if len(data) > 0 {
		return nil, errors.New("there is something after the contents")
	}
	return contents, nil
}

// ArchiveWriter writes an archive: a gzip file of lines. docs/bundle.md describes it for other programs.
type ArchiveWriter struct {
	Messages int

	out        *gzip.Writer
	packer     *flate.Writer
	lines      hash.Hash
	header     ArchiveHeader
	checkpoint Checkpoint
}

// NewArchiveWriter begins an archive.
func NewArchiveWriter(file io.Writer, header ArchiveHeader, trusted PublicKeys) (*ArchiveWriter, error) {
	checkpoint, err := header.verify(trusted)
	if err != nil {
		return nil, err
	}
	packer, err := flate.NewWriter(nil, flate.DefaultCompression)
	if err != nil {
		return nil, fmt.Errorf("compress the archive: %w", err)
	}
	w := &ArchiveWriter{out: gzip.NewWriter(file), packer: packer, lines: sha256.New(), header: header, checkpoint: checkpoint}
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

// Add proves the bundle of a message and writes it, with the id of the payment that the message is, or is about, and its contents encrypted
// under the data key of the payment. Payments, and the messages of each, come in the order of their ids.
func (w *ArchiveWriter) Add(payment string, key []byte, b Bundle) error {
	b.PublicKey = w.header.PublicKey
	if !w.header.has(b) {
		return errOtherArchive(b)
	}
	_, err := b.verifyUnder(w.checkpoint, true)
	if err != nil {
		return unproven(err)
	}
	contents, err := w.closeContents(key, b)
	if err != nil {
		return err
	}
	b.Contents = []Content{}
	file, err := b.Encode()
	if err != nil {
		return err
	}
	w.Messages++
	return w.write(slices.Concat([]byte(payment+"\n"), file, []byte(contents+"\n")))
}

func errOtherArchive(b Bundle) error {
	return fmt.Errorf("message %s is of another archive", b.MessageID)
}

// closeContents compresses and encrypts the contents of a bundle.
func (w *ArchiveWriter) closeContents(key []byte, b Bundle) (string, error) {
	aead, err := contentCipher(key)
	if err != nil {
		return "", err
	}
	data, err := packed(b.Contents)
	if err != nil {
		return "", err
	}
	var small bytes.Buffer
	w.packer.Reset(&small)
	_, err = w.packer.Write(data)
	if err == nil {
		err = w.packer.Close()
	}
	if err != nil {
		return "", fmt.Errorf("compress the contents: %w", err)
	}
	sealed := aead.Seal(nil, nil, small.Bytes(), b.about()) //nolint:gosec // the cipher makes a nonce by chance
	return base64.StdEncoding.EncodeToString(sealed), nil
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
	// Erased and Closed count the messages whose contents were not proven: two administrators erased them, or their key was not at hand.
	Erased, Closed int
}

// ArchivedMessage is a message of an archive, with the payment that it is, or is about. Without its data key the bundle has no contents.
type ArchivedMessage struct {
	Payment string
	Bundle  Bundle
	Proven  Proven
	Opened  bool // the contents are proven too
}

// gzipHead begins every archive: deflate, without name and time.
const gzipHead = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

// ErrNoArchive reports a file without the beginning of an archive.
var ErrNoArchive = errors.New("the file is no archive")

// ReadArchive verifies an archive against the trusted keys, as Bundle.Verify does, and hands over each message. The messages
// are proven as a whole only when it returns without an error. It proves the contents of messages whose data keys it gets, and decisions,
// amounts and digests of all. keys may be nil.
func ReadArchive(file io.Reader, trusted PublicKeys, keys ContentKey, each func(ArchivedMessage) error) (Archive, error) {
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
	r := archiveReader{in: bufio.NewReaderSize(unpacked, 1<<16), lines: sha256.New(), trusted: trusted, keys: keys}
	err = r.run(each)
	if err != nil {
		return Archive{}, err
	}
	_, err = read.ReadByte()
	if !errors.Is(err, io.EOF) {
		return Archive{}, errors.New("there is something after the end of the archive")
	}
	r.read.Digest = hex.EncodeToString(whole.Sum(nil))
	return r.read, nil
}

type archiveReader struct {
	in         *bufio.Reader
	lines      hash.Hash
	trusted    PublicKeys
	keys       ContentKey
	read       Archive
	checkpoint Checkpoint
	after      string
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
	err := json.Unmarshal([]byte(line), &r.read.ArchiveHeader, json.RejectUnknownMembers(true))
	if err != nil {
		return fmt.Errorf("the first line is no header of an archive: %w", err)
	}
	until, err := EndOf(r.read.Month)
	if err != nil {
		return err
	}
	again, err := canonical(r.read.ArchiveHeader)
	if err != nil || string(again)+"\n" != line || r.read.Format != archiveFormat || !r.read.Until.Equal(until) {
		return errors.New("the first line is no header of the format " + archiveFormat)
	}
	r.checkpoint, err = r.read.verify(r.trusted)
	return err
}

func (r *archiveReader) readMessage(payment string, each func(ArchivedMessage) error) error {
	var lines [3]string
	for i := range lines {
		var err error
		lines[i], err = r.line()
		if err != nil {
			return err
		}
	}
	file, contents := lines[0]+lines[1], lines[2]
	r.lines.Write([]byte(payment + file + contents))
	payment = strings.TrimSuffix(payment, "\n")
	b, err := ParseBundle([]byte(file))
	if err != nil {
		return fmt.Errorf("after message %s: %w", r.after, err)
	}
	place := payment + " " + b.MessageID
	switch {
	case !r.read.has(b) || len(b.Contents) > 0:
		return errOtherArchive(b)
	case len(payment) != len(b.MessageID) || place <= r.after:
		return fmt.Errorf("message %s is not in its place", b.MessageID)
	}
	r.after = place
	b, opened, err := r.contents(payment, b, contents)
	var proven Proven
	if err == nil {
		proven, err = b.verifyUnder(r.checkpoint, opened)
	}
	if err != nil {
		return fmt.Errorf("message %s: %w", b.MessageID, err)
	}
	for _, event := range proven.Events {
		if event.Move != nil && !event.Move.At.Before(r.read.Until) {
			return fmt.Errorf("message %s has a move after the end of the month", b.MessageID)
		}
	}
	r.read.Messages++
	return each(ArchivedMessage{Payment: payment, Bundle: b, Proven: proven, Opened: opened})
}

// contents decrypts the contents of a message if its key is there, and counts those that stay encrypted.
func (r *archiveReader) contents(payment string, b Bundle, line string) (_ Bundle, opened bool, err error) {
	var key []byte
	erased := false
	if r.keys != nil {
		key, erased, err = r.keys(b.Realm, payment)
	}
	switch {
	case err != nil:
	case erased:
		r.read.Erased++
	case key == nil:
		r.read.Closed++
	default:
		b, err = openContents(b, key, line)
	}
	return b, key != nil, err
}

func (r *archiveReader) readEnd(line string) error {
	if line != archiveEnd(r.read.Messages, r.lines) || r.read.Messages == 0 {
		return errors.New("the last line is not the number of the messages and the digest of the lines: the archive is cut or damaged")
	}
	_, err := r.in.ReadByte()
	if !errors.Is(err, io.EOF) {
		return errors.New("there is something after the last line, or the archive is damaged")
	}
	return nil
}
