package simulator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// notebookBytes is the size from which a notebook is kept under a second name (".1", in place of the one before) and a new one is begun,
// so that both together hold the last 8 to 16 MiB: some thousands of documents.
const notebookBytes = 8 << 20

// notebook appends the entries of the log to a file, one JSON object a line. An outgoing document has two lines: one before its first post,
// one after its last; the later one counts. Lines are not flushed to the disk: they survive the end of the program in any form, and a power
// cut may lose the last ones.
type notebook struct {
	path string
	file *os.File
	size int64
}

// openNotebook opens the file behind its last whole line and returns the entries in it and in the one before, oldest first.
func openNotebook(path string) (*notebook, []*Entry, error) {
	before, _, err := readNotebook(path + ".1")
	if err != nil {
		return nil, nil, err
	}
	now, whole, err := readNotebook(path)
	if err != nil {
		return nil, nil, err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("open the simulator's memory: %w", err)
	}
	err = file.Truncate(whole) // a line that a crash cut off
	if err == nil {
		_, err = file.Seek(whole, io.SeekStart)
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("open the simulator's memory: %w", err), file.Close())
	}
	return &notebook{path: path, file: file, size: whole}, merge(append(before, now...)), nil
}

// readNotebook reads the whole lines of a file, and returns their length in bytes. A missing file has none.
func readNotebook(path string) (entries []*Entry, whole int64, err error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read the simulator's memory: %w", err)
	}
	for line := range bytes.Lines(content) {
		entry := new(Entry)
		if !bytes.HasSuffix(line, []byte("\n")) || json.Unmarshal(line, entry) != nil {
			break
		}
		entries = append(entries, entry)
		whole += int64(len(line))
	}
	return entries, whole, nil
}

// merge lets the later of two lines about one entry count, in the place of the first.
func merge(lines []*Entry) []*Entry {
	var entries []*Entry
	places := make(map[uint64]int)
	for _, line := range lines {
		place, known := places[line.Number]
		if known {
			line.XML = entries[place].XML
			entries[place] = line
			continue
		}
		places[line.Number] = len(entries)
		entries = append(entries, line)
	}
	return entries
}

// write adds a line. What became of a document goes without the document, which its first line has.
func (n *notebook) write(entry *Entry, again bool) error {
	line := *entry
	if again {
		line.XML = ""
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // XML is full of what it would escape
	err := encoder.Encode(&line)
	if err != nil {
		return fmt.Errorf("write the simulator's memory: %w", err)
	}
	if n.size+int64(text.Len()) > notebookBytes && !again {
		err = n.turn()
		if err != nil {
			return err
		}
	}
	written, err := n.file.Write(text.Bytes())
	n.size += int64(written)
	if err != nil {
		return fmt.Errorf("write the simulator's memory: %w", err)
	}
	return nil
}

// turn begins a new file and keeps the full one under its second name.
func (n *notebook) turn() error {
	err := errors.Join(n.file.Close(), os.Rename(n.path, n.path+".1"))
	if err != nil {
		return fmt.Errorf("turn over the simulator's memory: %w", err)
	}
	n.file, err = os.OpenFile(n.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("turn over the simulator's memory: %w", err)
	}
	n.size = 0
	return nil
}
