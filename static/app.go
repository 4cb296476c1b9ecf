package static

import (
	"bytes"
	"embed"
)

//go:embed app/*.css app/*.js
var parts embed.FS

// The style sheet and the script of the portal are written in parts and served as one file each, because a page waits for every file it
// names. The order counts: a later style rule outweighs an earlier one, and a later part of the script uses earlier definitions.
var (
	styleParts  = []string{"base", "layout", "list", "form", "message", "dashboard", "utility"}
	scriptParts = []string{"page", "cursor", "row", "key", "button", "session", "field", "live"}
)

// styleSheet is app.css.
func styleSheet() []byte { return joined(styleParts, ".css") }

// script is app.js. Its parts share one function, so that their names are nobody else's.
func script() []byte {
	return bytes.Join([][]byte{[]byte("(() => {\n\"use strict\";\n"), joined(scriptParts, ".js"), []byte("})();\n")}, nil)
}

func joined(names []string, extension string) []byte {
	var whole []byte
	for _, name := range names {
		part, err := parts.ReadFile("app/" + name + extension)
		if err == nil { // a test holds the names against the files
			whole = append(whole, part...)
		}
	}
	return whole
}
