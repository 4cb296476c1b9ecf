// Package static holds the portal's style sheet, scripts, font and icons and serves them under names that contain a hash of their content,
// so a browser may keep each of them for ever.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

// Prefix is the URL path under which Handler must be mounted.
const Prefix = "/static/"

//go:embed *.js *.svg *.woff2
var files embed.FS

// contentTypes names the media type of each kind of file that is served. The host's own table of types is not asked: it differs between
// machines.
var contentTypes = map[string]string{
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".svg":   "image/svg+xml",
	".woff2": "font/woff2",
}

// asset is one embedded file, ready to be sent.
type asset struct {
	contentType string
	plain       []byte
	compressed  func() []byte // made when it is first asked for; empty where compression gains nothing
}

// catalogue is all embedded files, under their public paths.
type catalogue struct {
	paths  map[string]string // file name to public path
	assets map[string]asset  // public path to content
}

var load = sync.OnceValue(func() catalogue {
	loaded := catalogue{paths: map[string]string{}, assets: map[string]asset{}}
	for _, pattern := range []string{"*.woff2", "*.svg", "*.js"} {
		names, _ := fs.Glob(files, pattern) // the patterns are well-formed constants
		for _, name := range names {
			content, err := files.ReadFile(name)
			if err == nil { // the name comes from the embedded list itself
				loaded.add(name, content)
			}
		}
	}
	loaded.add("app.js", script())
	loaded.add("app.css", styleSheet()) // last: it names the font by its public path
	return loaded
})

func (c catalogue) add(name string, content []byte) {
	extension := path.Ext(name)
	if extension == ".css" {
		content = c.resolve(content)
	}
	if extension == ".js" {
		content = withoutRemarks(content)
	}
	digest := sha256.Sum256(content)
	public := Prefix + strings.TrimSuffix(name, extension) + "." + hex.EncodeToString(digest[:6]) + extension
	c.paths[name] = public
	c.assets[public] = asset{contentType: contentTypes[extension], plain: content, compressed: sync.OnceValue(func() []byte {
		return compress(extension, content)
	})}
}

// withoutRemarks removes the comment lines and the indentation of a script. No script here has a text of several lines.
func withoutRemarks(script []byte) []byte {
	kept := make([]byte, 0, len(script))
	for line := range bytes.Lines(script) {
		line = bytes.TrimLeft(line, " \t")
		if !bytes.HasPrefix(line, []byte("//")) {
			kept = append(kept, line...)
		}
	}
	return kept
}

// resolve replaces file names in a style sheet by their public paths.
func (c catalogue) resolve(sheet []byte) []byte {
	for name, public := range c.paths {
		sheet = bytes.ReplaceAll(sheet, []byte(`url("`+name+`")`), []byte(`url("`+public+`")`))
	}
	return sheet
}

func compress(extension string, content []byte) []byte {
	if extension == ".woff2" {
		return nil
	}
	var buffer bytes.Buffer
	writer, err := gzip.NewWriterLevel(&buffer, gzip.BestCompression)
	if err != nil {
		return nil
	}
	if _, err := writer.Write(content); err != nil {
		return nil
	}
	if err := writer.Close(); err != nil {
		return nil
	}
	return buffer.Bytes()
}

// Path returns the public path of an embedded file, for example "/static/app.1f2e3d4c5b6a.css" for "app.css". A name that is not embedded
// comes back under Prefix without a hash, and is answered with 404.
func Path(name string) string {
	if public, found := load().paths[name]; found {
		return public
	}
	return Prefix + name
}

// Sprite returns the icon sheet, one SVG element with a symbol for each icon. A page carries it inline so that icons take the colour of
// their text.
func Sprite() string {
	return string(load().assets[Path("icons.svg")].plain)
}

// Handler serves the files at the paths that Path returns, compressed where the browser takes gzip, to be kept for a year without asking
// again. Any other path is 404.
func Handler() http.Handler {
	return http.HandlerFunc(serve)
}

func serve(response http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodGet && request.Method != http.MethodHead {
		response.Header().Set("Allow", "GET, HEAD")
		http.Error(response, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	found, ok := load().assets[request.URL.Path]
	if !ok {
		http.NotFound(response, request)
		return
	}
	header := response.Header()
	header.Set("Content-Type", found.contentType)
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Vary", "Accept-Encoding")
	content := found.plain
	if strings.Contains(request.Header.Get("Accept-Encoding"), "gzip") && len(found.compressed()) > 0 {
		header.Set("Content-Encoding", "gzip")
		content = found.compressed()
	}
	header.Set("Content-Length", strconv.Itoa(len(content)))
	if request.Method == http.MethodGet {
		_, _ = response.Write(content) // a reader that went away needs no answer
	}
}
