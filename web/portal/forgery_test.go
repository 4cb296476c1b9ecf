package portal_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"testing"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/google/uuid"

	"countersign/internal/demo"
)

// A session is data that only the portal can have written: a row that somebody put into the table signs nobody in, and neither does the
// data of one session under the token of another.
func TestASessionWrittenIntoTheTableSignsNobodyIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var user uuid.UUID
	conn := b.DB.Connect(t)
	err := conn.QueryRow(t.Context(), "SELECT user_id FROM user_account WHERE realm = 'demo' AND name = 'checker1'").Scan(&user)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC()
	data, err := scs.GobCodec{}.Encode(now.Add(time.Hour), map[string]any{
		"realm": "demo", "user": user.String(), "since": now.UnixMicro(),
	})
	if err != nil {
		t.Fatal(err)
	}
	const token = "chosen-by-the-writer-of-the-row"
	digest := sha256.Sum256([]byte(token))
	for _, key := range []string{token, base64.RawURLEncoding.EncodeToString(digest[:])} {
		_, err = conn.Exec(t.Context(), "INSERT INTO sessions (token, data, expiry) VALUES ($1, $2, now() + interval '1 hour')", key, data)
		if err != nil {
			t.Fatal(err)
		}
	}
	forged := b.carrying(&http.Cookie{Name: "sid", Value: token})
	if page := forged.get("/queue"); page.status == http.StatusOK {
		t.Error("a row written into the table signs its writer in as checker1")
	}
	mine := b.browser()
	cookie := mine.post("/signin", credentials("maker1", demo.UserPassword)).is(http.StatusSeeOther).cookie()
	_, err = conn.Exec(
		t.Context(), "UPDATE sessions SET data = $1 WHERE token NOT IN ($2, $3)", data, token, base64.RawURLEncoding.EncodeToString(digest[:]),
	)
	if err != nil {
		t.Fatal(err)
	}
	if page := b.carrying(cookie).get("/queue"); page.status == http.StatusOK {
		t.Error("a session's data, replaced, signs its owner in as checker1")
	}
}

// The service's login may neither read the sessions nor write one beside the portal's own way.
func TestTheServiceCannotReadOrWriteSessionRows(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.browser().post("/signin", credentials("maker1", demo.UserPassword)).is(http.StatusSeeOther)
	conn := b.DB.ConnectAsApplication(t, "demo")
	for _, statement := range []string{
		"SELECT count(*) FROM sessions", "DELETE FROM sessions", "UPDATE sessions SET expiry = now() + interval '1 day'",
		"INSERT INTO sessions (token, data, expiry) VALUES ('x', 'x', now())",
	} {
		_, err := conn.Exec(t.Context(), statement)
		if err == nil {
			t.Errorf("as the service: %s was done", statement)
		}
	}
}
