package maker

import (
	"bytes"
	"encoding/xml"
	"strconv"
	"strings"

	"countersign/web/portal/records"
)

// lines knows on which line of a file each of its elements begins.
type lines map[string]int

// linesOf reads a file as far as it is well formed.
func linesOf(content []byte) lines {
	known := lines{}
	decoder := xml.NewDecoder(bytes.NewReader(content))
	type level struct {
		pointer string
		seen    map[string]int
	}
	levels := []level{{seen: map[string]int{}}}
	for range records.MaxElements {
		line, _ := decoder.InputPos()
		token, err := decoder.RawToken()
		if err != nil {
			return known
		}
		switch element := token.(type) {
		case xml.StartElement:
			parent := &levels[len(levels)-1]
			name := element.Name.Local
			pointer := parent.pointer + "/" + name + "/" + strconv.Itoa(parent.seen[name])
			parent.seen[name]++
			known[pointer] = line
			levels = append(levels, level{pointer: pointer, seen: map[string]int{}})
		case xml.EndElement:
			if len(levels) > 1 {
				levels = levels[:len(levels)-1]
			}
		}
	}
	return known
}

// of finds the line of a pointer, or of the closest element around it; 0 when there is none. Pointers name an index only where an
// element may repeat, so a missing one is the first.
func (l lines) of(pointer string) int {
	full, line := "", 0
	parts := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i := 0; i < len(parts); i++ {
		index := "0"
		if i+1 < len(parts) && isIndex(parts[i+1]) {
			index = parts[i+1]
		}
		full += "/" + parts[i] + "/" + index
		found, known := l[full]
		if !known {
			return line
		}
		line = found
		if i+1 < len(parts) && isIndex(parts[i+1]) {
			i++
		}
	}
	return line
}

func isIndex(part string) bool {
	return part != "" && strings.Trim(part, "0123456789") == ""
}
