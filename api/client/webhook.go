package client

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ErrSignature reports a webhook that the gateway did not sign with the secret, or not lately.
var ErrSignature = errors.New("the signature of the webhook does not fit")

// oldest is the age above which a delivery may be the replay of a recorded one.
const oldest = 5 * time.Minute

// Webhook is a delivery. Its ID is that of the event, the same in each repeat.
type Webhook struct {
	ID        string    `json:"-"`
	Type      EventType `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	// Data is the event as event/list has it; zero for a test.
	Data Event `json:"data"`
}

// VerifyWebhook checks the signature and the time of a delivery, and reads it. Secret begins with whsec_. Answer 2xx only when the event is
// stored, and 401 to ErrSignature.
func VerifyWebhook(secret string, header http.Header, body []byte, now time.Time) (Webhook, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return Webhook{}, fmt.Errorf("read the secret: %w", err)
	}
	id, stamp := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > oldest {
		return Webhook{}, ErrSignature
	}
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write(append([]byte(id+"."+stamp+"."), body...)) // a hash takes everything
	right := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for given := range strings.FieldsSeq(header.Get("Webhook-Signature")) {
		if hmac.Equal(right, []byte(given)) { // during a rotation there are two
			read := Webhook{ID: id}
			return read, json.Unmarshal(body, &read)
		}
	}
	return Webhook{}, ErrSignature
}

// File is a Cursor in a file.
type File string

// Load reads the file; a missing one is an empty cursor.
func (f File) Load(context.Context) (string, error) {
	place, err := os.ReadFile(string(f))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(place)), err
}

// Store replaces the file whole, so that a crash leaves the old place or the new one.
func (f File) Store(_ context.Context, place string) error {
	written, err := os.CreateTemp(filepath.Dir(string(f)), filepath.Base(string(f))+".*")
	if err != nil {
		return err
	}
	_, err = written.WriteString(place + "\n")
	err = errors.Join(err, written.Sync(), written.Close())
	if err == nil {
		err = os.Rename(written.Name(), string(f))
	}
	if err != nil {
		return errors.Join(err, os.Remove(written.Name()))
	}
	return nil
}
