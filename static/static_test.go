package static_test

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"countersign/static"
)

func get(t *testing.T, path, encoding string) *http.Response {
	t.Helper()
	request := httptest.NewRequest(http.MethodGet, path, nil)
	request.Header.Set("Accept-Encoding", encoding)
	recorder := httptest.NewRecorder()
	static.Handler().ServeHTTP(recorder, request)
	return recorder.Result()
}

func TestFilesAreServedUnderHashedNamesForEver(t *testing.T) {
	t.Parallel()
	for name, contentType := range map[string]string{
		"app.css": "text/css; charset=utf-8", "app.js": "text/javascript; charset=utf-8",
		"htmx.min.js": "text/javascript; charset=utf-8", "favicon.svg": "image/svg+xml", "inter-latin.woff2": "font/woff2",
	} {
		path := static.Path(name)
		if !regexp.MustCompile(`^/static/[a-z.-]+\.[0-9a-f]{12}\.[a-z0-9]+$`).MatchString(path) {
			t.Errorf("Path(%q) = %q, want a hashed name", name, path)
		}
		answer := get(t, path, "")
		if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != contentType {
			t.Errorf("%s: %d %s", path, answer.StatusCode, answer.Header.Get("Content-Type"))
		}
		if got := answer.Header.Get("Cache-Control"); !strings.Contains(got, "immutable") {
			t.Errorf("%s: Cache-Control %q", path, got)
		}
	}
}

func TestUnknownAndUnhashedNamesAreNotFound(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/static/app.css", "/static/static.go", "/static/../go.mod", static.Path("nothing.css")} {
		if answer := get(t, path, ""); answer.StatusCode != http.StatusNotFound {
			t.Errorf("GET %s = %d, want 404", path, answer.StatusCode)
		}
	}
}

func TestOtherMethodsAreRefused(t *testing.T) {
	t.Parallel()
	recorder := httptest.NewRecorder()
	static.Handler().ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, static.Path("app.css"), nil))
	if recorder.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST = %d, want 405", recorder.Code)
	}
}

func TestCompressedContentEqualsPlainContent(t *testing.T) {
	t.Parallel()
	plain, err := io.ReadAll(get(t, static.Path("app.css"), "").Body)
	if err != nil {
		t.Fatal(err)
	}
	answer := get(t, static.Path("app.css"), "br, gzip")
	if answer.Header.Get("Content-Encoding") != "gzip" {
		t.Fatal("the style sheet is not compressed")
	}
	reader, err := gzip.NewReader(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	if string(unpacked) != string(plain) {
		t.Error("the compressed style sheet differs from the plain one")
	}
}

// The budgets are those of the portal's targets: 14 kB of styles, 8 kB of own script, 25 kB of all scripts that a page may load.
func TestFilesStayWithinTheirBudget(t *testing.T) {
	t.Parallel()
	for budget, names := range map[int][]string{
		14_200: {"app.css"},
		8_000:  {"app.js"},
		25_000: {"app.js", "htmx.min.js", "passkey.js"},
	} {
		size := 0
		for _, name := range names {
			content, err := io.ReadAll(get(t, static.Path(name), "gzip").Body)
			if err != nil {
				t.Fatal(err)
			}
			size += len(content)
		}
		if size > budget {
			t.Errorf("%v: %d bytes compressed, budget %d", names, size, budget)
		}
	}
}

// TestEachPartIsServed: no file of the folder is left out.
func TestEachPartIsServed(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir("app")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		part, err := os.ReadFile("app/" + entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		whole, err := io.ReadAll(get(t, static.Path("app"+filepath.Ext(entry.Name())), "").Body)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(part)), "\n")
		if last := lines[len(lines)-1]; !strings.Contains(string(whole), last) {
			t.Errorf("%s is not served", entry.Name())
		}
	}
}

func TestStyleSheetNamesTheHashedFont(t *testing.T) {
	t.Parallel()
	content, err := io.ReadAll(get(t, static.Path("app.css"), "").Body)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(content), `url("`+static.Path("inter-latin.woff2")+`")`) {
		t.Error("the font is not named by its public path")
	}
}

func TestVendoredFilesMatchTheirRecordedHash(t *testing.T) {
	t.Parallel()
	record, err := os.ReadFile("VENDOR.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| `([0-9a-f]{64})` \\|$").FindAllStringSubmatch(string(record), -1)
	if len(rows) != 3 {
		t.Fatalf("%d recorded hashes, want 3", len(rows))
	}
	for _, row := range rows {
		content, err := os.ReadFile(row[1])
		if err != nil {
			t.Fatal(err)
		}
		if digest := sha256.Sum256(content); hex.EncodeToString(digest[:]) != row[2] {
			t.Errorf("%s differs from its recorded hash", row[1])
		}
	}
}
