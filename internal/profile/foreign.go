package profile

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"

	"countersign/internal/iso20022"
)

// Foreign is a well-formed ISO 20022 document of a message that this program does not process.
type Foreign struct {
	Name iso20022.MessageName
	// Reference is the id of the message that the document is about; Reason, Description and Event are its contents. Each is "" where it has
	// none.
	Reference, Reason, Description, Event string
}

// messageNamespace is the end of an ISO namespace.
var messageNamespace = regexp.MustCompile(`^urn:iso:std:iso:20022:tech:xsd:([a-z]{4}\.[0-9]{3}\.[0-9]{3}\.[0-9]{2})$`)

// maxDepth bounds the elements within each other.
const maxDepth = 64

// ReadForeign reads a document that Read does not know: a refusal of a message of ours (admi.002), an event of clearing (admi.004), a
// receipt (admi.007), or any other. ok is false for a document that is not well formed, has a DOCTYPE, or is not ISO 20022.
func ReadForeign(content []byte) (f Foreign, ok bool) {
	decoder := xml.NewDecoder(bytes.NewReader(content))
	var path []string
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return f, f.Name != "" && !processed(f.Name) && len(path) == 0
		}
		if err != nil {
			return Foreign{}, false
		}
		switch t := token.(type) {
		case xml.Directive:
			return Foreign{}, false
		case xml.StartElement:
			path = append(path, t.Name.Local)
			if found := messageNamespace.FindStringSubmatch(t.Name.Space); f.Name == "" && t.Name.Local == "Document" && found != nil {
				f.Name = iso20022.MessageName(found[1])
			}
			if len(path) > maxDepth {
				return Foreign{}, false
			}
		case xml.EndElement:
			path = path[:len(path)-1]
		case xml.CharData:
			f.note(path, string(bytes.TrimSpace(t)))
		}
	}
}

// processed reports whether this program reads a version of the message. Another version of such a message is refused: its sender must
// send one that is read.
func processed(name iso20022.MessageName) bool {
	return slices.ContainsFunc(iso20022.Definitions(), func(d iso20022.Definition) bool {
		return Family(string(d.Name)) == Family(string(name))
	})
}

// note keeps the text of the elements that admi.002, admi.004 and admi.007 are told by.
func (f *Foreign) note(path []string, text string) {
	if f.Name == "" || text == "" || len(path) == 0 {
		return
	}
	keep := map[string]*string{
		"Ref": &f.Reference, "RjctgPtyRsn": &f.Reason, "StsCd": &f.Reason, "RsnDesc": &f.Description, "EvtCd": &f.Event,
		"EvtDesc": &f.Description,
	}[path[len(path)-1]]
	if keep != nil && *keep == "" {
		*keep = text
	}
}
