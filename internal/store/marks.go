package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"sync"

	"github.com/google/uuid"
)

// Mark is the highest state of a realm that a gateway saw.
type Mark struct {
	// Checkpoint is the newest signed checkpoint of the realm's audit trail, as a signed note; "" for none.
	Checkpoint string `json:"checkpoint,omitempty"`
	// Recent are the newest messages of the trail, the newest first, to name those that a database lost. They change with the checkpoint.
	Recent []MarkedMessage `json:"recent,omitempty"`
}

// MarkedMessage is a message with its newest row in the audit trail.
type MarkedMessage struct {
	GlobalID string    `json:"globalId"`
	RowID    uuid.UUID `json:"row"`
	Hash     []byte    `json:"hash"` // of the leaf
}

// Marks stores the mark of each realm in a file of the gateway, outside the database: a database that lost committed rows, or was restored,
// does not reach them. It also stops the payments of such a realm. The zero Marks stores them in memory only.
type Marks struct {
	path string

	saving sync.Mutex // held while the file is written: nothing that a payment asks for waits for it
	realms map[string]Mark

	mu      sync.Mutex
	stopped map[string]string // realms whose payments are stopped, with the reason
}

// OpenMarks reads the marks of a file; a missing file is empty. Without a path the marks are in memory only.
func OpenMarks(path string) (*Marks, error) {
	m := &Marks{path: path}
	if path == "" {
		return m, nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, m.write(nil) // a file that cannot be written is known before anything depends on it
	}
	if err == nil {
		err = json.Unmarshal(text, &m.realms)
	}
	if err != nil {
		return nil, fmt.Errorf("read the marks of this gateway from %s: %w", path, err)
	}
	return m, nil
}

// All returns the marks of all realms.
func (m *Marks) All() map[string]Mark {
	m.saving.Lock()
	defer m.saving.Unlock()
	return maps.Clone(m.realms)
}

// Set changes marks and writes the file before it returns, if a mark differs. After an error the marks in memory are the old ones. The
// caller decides which mark is higher.
func (m *Marks) Set(change func(realms map[string]Mark)) error {
	m.saving.Lock()
	defer m.saving.Unlock()
	next := maps.Clone(m.realms)
	if next == nil {
		next = map[string]Mark{}
	}
	change(next)
	if maps.EqualFunc(next, m.realms, func(a, b Mark) bool { return a.Checkpoint == b.Checkpoint }) {
		return nil
	}
	if m.path != "" {
		err := m.write(next)
		if err != nil {
			return err
		}
	}
	m.realms = next
	return nil
}

func (m *Marks) write(realms map[string]Mark) error {
	err := WriteJSON(m.path, realms)
	return wrapped(err, "keep the marks of this gateway")
}

// WriteJSON replaces a file atomically: after a crash it holds the old value or the new one.
func WriteJSON(path string, value any) (err error) {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	return err
}

// Stop stops the payments of a realm for a reason; "" resumes them. It reports whether the reason changed.
func (m *Marks) Stop(realm, reason string) (changed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stopped[realm] == reason {
		return false
	}
	if m.stopped == nil {
		m.stopped = map[string]string{}
	}
	m.stopped[realm] = reason
	if reason == "" {
		delete(m.stopped, realm)
	}
	return true
}

// Stopped returns the realms whose payments are stopped, with the reason.
func (m *Marks) Stopped() map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.stopped)
}

// ErrStopped says that the payments of a realm are stopped until two administrators reconciled it with clearing.
var ErrStopped = errors.New("the payments of the realm are stopped: the database lacks committed rows")

// runs returns ErrStopped for a realm whose payments are stopped.
func (m *Marks) runs(realm string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stopped[realm] == "" {
		return nil
	}
	return ErrStopped
}
