package web_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/globalid"
	"countersign/internal/stations"
)

// recorder notes the statements of a server, in order, with their values.
type recorder struct {
	mu   sync.Mutex
	list []statement
}

type statement struct {
	sql    string
	values []any
	own    []int // values that belong to one pair
}

// TraceQueryStart notes a statement.
func (r *recorder) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, statement{sql: data.SQL, values: data.Args})
	return ctx
}

// TraceQueryEnd does nothing.
func (r *recorder) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// cut returns what was noted since the last cut.
func (r *recorder) cut() []statement {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.list
	r.list = nil
	return list
}

// script is what the server asks of the database for one pair, to be asked again for other pairs.
type script struct {
	steps   []statement
	ids     []uuid.UUID // made anew for each pair: of the message, its document and its events
	key     string      // of the order, in its externalId and its MsgId
	global  string
	content []byte // the document, whose digest the database checks
	hash    [sha256.Size]byte
}

// newScript lets a server handle two pairs, and takes for a pair's own what differs between them.
func newScript(b *testing.B, address string) *script {
	b.Helper()
	notes := &recorder{}
	s := newShop(b, address, notes)
	must(b, s.pair()) // the first one also looks at the tokens
	notes.cut()
	must(b, s.pair())
	first := notes.cut()
	must(b, s.pair())
	second := notes.cut()
	if len(first) != len(second) {
		b.Fatalf("one pair takes %d statements, the next %d", len(first), len(second))
	}
	w := &script{steps: first}
	for i := range first {
		for j := range first[i].values {
			w.learn(first[i].values[j], second[i].values[j])
		}
	}
	for _, step := range first {
		for _, value := range step.values {
			content, ok := value.([]byte)
			if ok && bytes.Contains(content, []byte(w.key)) && w.isHashed(sha256.Sum256(content)) {
				w.content, w.hash = content, sha256.Sum256(content)
			}
		}
	}
	if len(w.ids) < 4 || w.key == "" || w.global == "" || w.content == nil {
		b.Fatalf("the recording is not understood: %d identifiers, key %q, Global ID %q", len(w.ids), w.key, w.global)
	}
	change := w.changes()
	for i := range w.steps {
		for j, value := range w.steps[i].values {
			if !reflect.DeepEqual(value, change.of(value)) {
				w.steps[i].own = append(w.steps[i].own, j)
			}
		}
	}
	return w
}

// learn compares a value of two pairs.
func (w *script) learn(one, other any) {
	if reflect.DeepEqual(one, other) {
		return
	}
	switch value := one.(type) {
	case uuid.UUID:
		for _, known := range w.ids {
			if known == value {
				return
			}
		}
		w.ids = append(w.ids, value)
	case *string:
		if value != nil && len(*value) == 33 && (*value)[0] == 'X' {
			w.key = (*value)[1:]
		}
	case string:
		if _, err := globalid.Parse(value); err == nil {
			w.global = value
		}
	}
}

func (w *script) isHashed(hash [sha256.Size]byte) bool {
	for _, step := range w.steps {
		for _, value := range step.values {
			given, ok := value.([]byte)
			if ok && bytes.Equal(given, hash[:]) {
				return true
			}
		}
	}
	return false
}

// run asks the database for one more pair.
func (w *script) run(ctx context.Context, connection *pgx.Conn) error {
	change := w.changes()
	for _, step := range w.steps {
		values := step.values
		if len(step.own) > 0 {
			values = append([]any(nil), values...)
			for _, j := range step.own {
				values[j] = change.of(values[j])
			}
		}
		_, err := connection.Exec(ctx, step.sql, values...)
		if err != nil {
			return err
		}
	}
	return nil
}

// changes are the values of one more pair.
type changes struct {
	script *script
	ids    map[uuid.UUID]uuid.UUID
	texts  *strings.Replacer
	key    []byte
	hash   [sha256.Size]byte
}

func (w *script) changes() *changes {
	key := strings.ReplaceAll(uuid.NewString(), "-", "")
	c := &changes{script: w, key: []byte(key), ids: make(map[uuid.UUID]uuid.UUID, len(w.ids))}
	pairs := []string{w.key, key, w.global, string(globalid.New("DM", time.Now(), [4]byte([]byte(key))))}
	for _, id := range w.ids {
		c.ids[id] = stations.NewID()
		pairs = append(pairs, id.String(), c.ids[id].String())
	}
	c.texts = strings.NewReplacer(pairs...)
	c.hash = sha256.Sum256(bytes.ReplaceAll(w.content, []byte(w.key), c.key))
	return c
}

// of is the value as the other pair has it.
func (c *changes) of(value any) any {
	switch v := value.(type) {
	case uuid.UUID:
		if id, own := c.ids[v]; own {
			return id
		}
	case string:
		return c.texts.Replace(v)
	case *string:
		if v != nil {
			text := c.texts.Replace(*v)
			return &text
		}
	case []byte:
		if bytes.Equal(v, c.script.hash[:]) {
			return c.hash[:]
		}
		return bytes.ReplaceAll(v, []byte(c.script.key), c.key)
	case []string:
		texts := make([]string, len(v))
		for i, text := range v {
			texts[i] = c.texts.Replace(text)
		}
		return texts
	case [][]byte:
		texts := make([][]byte, len(v))
		for i, text := range v {
			texts[i] = []byte(c.texts.Replace(string(text)))
		}
		return texts
	}
	return value
}
