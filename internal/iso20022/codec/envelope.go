package codec

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"countersign/internal/i18n"
	"countersign/internal/iso20022"
)

// The elements of an envelope.
const (
	documentElement = "Document"
	headerElement   = "AppHdr"
	// swiftNamespaces begin the namespaces of the envelopes that interfaces of SWIFT put around header and document: urn:swift:saa:xsd:saa.2.0
	// (Alliance Access), urn:swift:snl:ns.SwInt (InterAct).
	swiftNamespaces = "urn:swift:"
)

// DecodeEnvelope is DecodeXML, and returns the business application header (head.001.001.01 to .03) that stands before the document, nil
// when there is none. Header and document are the only children of a root element of any name, or of the body of a SWIFT envelope, which
// needs no header.
func DecodeEnvelope(data []byte) (*iso20022.BusinessApplicationHeaderV02, iso20022.Document, []iso20022.Finding) {
	x := &xmlDecoder{decoder: newDecoder(Options{}, data, "/"+documentElement)}
	document := x.document()
	return x.header, document, x.inInput(data)
}

// envelope reads the children of a root element other than Document: a header followed by a document between banks. Elements of a SWIFT
// envelope beside them are skipped, any other element is refused as a missing Document.
func (x *xmlDecoder) envelope(root XMLToken) (document iso20022.Document) {
	bare := strings.HasPrefix(root.Namespace, swiftNamespaces)
	for {
		t, ok := x.next()
		if !ok {
			return document
		}
		switch {
		case t.Kind == End && document != nil:
			return document
		case t.Kind == Text && t.IsBlank():
		case t.Kind == Start && string(t.Local) == headerElement && x.header == nil && document == nil &&
			isHeader(t.Namespace):
			x.readHeader(t)
		case t.Kind == Start && string(t.Local) == documentElement && (x.header != nil || bare) && document == nil:
			document = x.body(t)
			if document != nil && strings.HasPrefix(string(document.MessageName()), "pain.") {
				x.fail(t.Offset, "Send the order without an envelope around the document.")
				return nil
			}
		case t.Kind == Start && bare && strings.HasPrefix(t.Namespace, swiftNamespaces):
			if name := string(t.Local); document != nil || name != "Body" && name != "RequestPayload" {
				x.skip()
				continue
			}
			document = x.envelope(t)
			if document == nil {
				return nil
			}
		default:
			x.fail(root.Offset, rootAdvice)
			return nil
		}
	}
}

// isHeader reports whether a namespace is that of a business application header. The first three versions have the elements that are read
// in common.
func isHeader(namespace string) bool {
	for version := range 3 {
		if namespace == "urn:iso:std:iso:20022:tech:xsd:head.001.001.0"+strconv.Itoa(version+1) {
			return true
		}
	}
	return false
}

// readHeader reads the header just opened.
func (x *xmlDecoder) readHeader(opened XMLToken) {
	definition := iso20022.DefinitionNamed(iso20022.Head001V02)
	x.header, x.namespace = new(iso20022.BusinessApplicationHeaderV02), opened.Namespace
	prefix := x.prefix
	x.prefix = "/" + headerElement
	x.attributes(nil)
	x.group(groupState{
		group: definition.Document.Elements[0].Group, value: reflect.ValueOf(x.header).Elem(), start: opened.Offset, mandatory: true,
	})
	x.prefix = prefix
}

// Envelope is the root element and the header around a document.
type Envelope struct {
	Root, Namespace string // the element that holds header and document; a Namespace of "" is none
	Header          *iso20022.BusinessApplicationHeaderV02
}

// EncodeEnvelope writes header and document below the root element. namespace is that of the document, as for EncodeXMLIn. Errors:
// ErrDocument, ErrCharacter.
func EncodeEnvelope(document iso20022.Document, namespace string, e Envelope) ([]byte, error) {
	header, value, ok := iso20022.ValueOf(e.Header)
	if !ok {
		return nil, fmt.Errorf("encode header: %w", ErrDocument)
	}
	inner, err := EncodeXMLIn(document, namespace)
	if err != nil {
		return nil, err
	}
	x := xmlEncoder{out: make([]byte, 0, len(inner)+1024)}
	x.out = append(x.out, declaration...)
	x.out = append(x.out, '<')
	x.out = append(x.out, e.Root...)
	if e.Namespace != "" {
		x.out = append(x.out, ` xmlns="`...)
		x.out = AppendEscaped(x.out, e.Namespace, true)
		x.out = append(x.out, '"')
	}
	x.out = append(x.out, "><"+headerElement+` xmlns="`...)
	x.out = append(x.out, header.Name.Namespace()...)
	x.out = append(x.out, `">`...)
	x.group(header.Document.Elements[0].Group, value, 0)
	x.out = append(x.out, "</"+headerElement+">"...)
	x.out = append(x.out, inner[len(declaration):]...)
	x.out = append(x.out, "</"+e.Root+">"...)
	if x.err != nil {
		return nil, fmt.Errorf("encode header: %w", x.err)
	}
	return x.out, nil
}

// CheckElement returns the remedy when a text is not one well-formed XML element that can stand alone, else "".
func CheckElement(text string, maxDepth int) i18n.Text {
	if !utf8.ValidString(text) {
		return "Enter the XML element in UTF-8 encoding."
	}
	s := XMLScanner{data: []byte(text), maxDepth: maxDepth, started: true} // without a declaration
	if len(text) == 0 || text[0] != '<' || text[len(text)-1] != '>' {
		return "Enter exactly one XML element and nothing else."
	}
	first := true
	for {
		t := s.Next()
		switch {
		case t.Kind == Broken:
			return t.Advice
		case t.Kind == Text && t.CDATA:
			return "Write the text without a CDATA section."
		case t.Kind == EndOfDocument:
			return ""
		case first && (t.Offset != 0 || t.Kind != Start):
			return "Enter exactly one XML element and nothing else."
		case first && s.Inherited() != "" && !s.declaresDefault():
			return "Declare the namespace of the XML element with xmlns."
		}
		first = false
	}
}

// declaresDefault reports whether the last start tag declares xmlns.
func (s *XMLScanner) declaresDefault() bool {
	for i := range s.attributes {
		if len(s.attributes[i].prefix) == 0 && string(s.attributes[i].Local) == "xmlns" {
			return true
		}
	}
	return false
}
