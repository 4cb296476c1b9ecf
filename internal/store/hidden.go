package store

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/keyring"
)

// hidden encrypts stored form data, bound to its table, column, key and realm: it does not decrypt in another place.
type hidden struct {
	keys   keyring.Ring
	table  string
	realm  string
	row    uuid.UUID
	strict bool // nothing of before there was encryption can stand here
}

// ErrUnreadable reports a stored form that is corrupt or encrypted with a missing key.
var ErrUnreadable = errors.New("the kept form cannot be read")

func (h hidden) bound(column string) [][]byte {
	return [][]byte{[]byte(h.table), []byte(column), []byte(h.realm), h.row[:]}
}

// hide encrypts a column; an empty value stays empty.
func (h hidden) hide(column string, plain []byte) ([]byte, error) {
	if len(plain) == 0 {
		return []byte{}, nil
	}
	return h.keys.Encrypt(rand.Reader, plain, h.bound(column)...)
}

// maxID is the longest id of a key. Everything hidden begins with the length of its key's id, forms and files with a character above that.
const maxID = 32

// reveal decrypts a column. Error: ErrUnreadable.
func (h hidden) reveal(column string, kept []byte) ([]byte, error) {
	if len(kept) == 0 || kept[0] > maxID && !h.strict {
		return kept, nil
	}
	plain, err := h.keys.Decrypt(kept, h.bound(column)...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return plain, nil
}

// nameMark begins an encrypted file name; no plain name begins with it.
const nameMark = "\x01"

// hideName encrypts a name; an empty name stays empty.
func (h hidden) hideName(name string) (string, error) {
	kept, err := h.hide("file_name", []byte(name))
	if err != nil || len(kept) == 0 {
		return "", err
	}
	return nameMark + base64.RawStdEncoding.EncodeToString(kept), nil
}

// revealName decrypts a name. Error: ErrUnreadable.
func (h hidden) revealName(kept string) (string, error) {
	text, marked := strings.CutPrefix(kept, nameMark)
	if !marked {
		return kept, nil
	}
	content, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	plain, err := h.reveal("file_name", content)
	return string(plain), err
}

// form is the stored input of an unfinished form: the text, a file and its name.
type form struct {
	typed, file []byte
	fileName    string
}

// hideForm encrypts a form for its column.
func (h hidden) hideForm(column string, plain form) (form, error) {
	typed, errTyped := h.hide(column, plain.typed)
	file, errFile := h.hide("file", plain.file)
	name, errName := h.hideName(plain.fileName)
	return form{typed, file, name}, errors.Join(errTyped, errFile, errName)
}

// revealForm decrypts a form of its column. Error: ErrUnreadable.
func (h hidden) revealForm(column string, kept form) (form, error) {
	typed, errTyped := h.reveal(column, kept.typed)
	file, errFile := h.reveal("file", kept.file)
	name, errName := h.revealName(kept.fileName)
	return form{typed, file, name}, errors.Join(errTyped, errFile, errName)
}
