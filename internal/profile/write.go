package profile

import (
	"errors"
	"fmt"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
)

// ErrInvalid says that a document would not follow its schema.
var ErrInvalid = errors.New("the document would not be valid")

// Write writes a document as the clearing of the profile wants it; the document itself stays as it is. A nil profile writes it as it is
// made. It fails with ErrInvalid, or with the errors of codec.EncodeXML.
func (p *Profile) Write(document iso20022.Document) ([]byte, error) {
	if p == nil {
		return encode(document, "")
	}
	dressed := detached(document)
	p.dress(dressed)
	return encode(dressed, p.namespace(document.MessageName()))
}

func encode(document iso20022.Document, namespace string) ([]byte, error) {
	if wrong := codec.Validate(document); len(wrong) > 0 {
		return nil, fmt.Errorf("%w: %s: %s", ErrInvalid, wrong[0].Pointer, wrong[0].Text)
	}
	return codec.EncodeXMLIn(document, namespace)
}

// Fits reports why a document that came is not in the form of the profile; nil when it is, or for a nil profile. It is asked by who plays
// a clearing: the gateway itself takes every form.
func (p *Profile) Fits(content []byte) error {
	if p == nil {
		return nil
	}
	document, findings := codec.DecodeXML(content)
	if document == nil || len(findings) > 0 {
		return fmt.Errorf("the document cannot be read")
	}
	namespace := codec.Namespace(content)
	if wanted := p.namespace(document.MessageName()); namespace != wanted {
		return fmt.Errorf("this clearing takes profile %s: write the namespace %s, not %s", p.Name, wanted, namespace)
	}
	came, err := encode(document, namespace)
	if err != nil {
		return err
	}
	wanted, err := p.Write(document)
	if err != nil {
		return err
	}
	if at := firstDifference(came, wanted); at >= 0 {
		return fmt.Errorf("this clearing takes profile %s: write %q, not %q", p.Name, around(wanted, at), around(came, at))
	}
	return nil
}

// firstDifference is where two texts begin to differ, -1 where they do not.
func firstDifference(one, other []byte) int {
	for i := range min(len(one), len(other)) {
		if one[i] != other[i] {
			return i
		}
	}
	if len(one) == len(other) {
		return -1
	}
	return min(len(one), len(other))
}

// around is what stands around a place, enough to find it again.
func around(text []byte, at int) string {
	const before, after = 30, 12
	return string(text[max(0, at-before):min(len(text), at+after)])
}

// Read reads a document that banks exchange, in whatever form of a profile it came, into the form that makers and rules know: Swiss banks
// by their bank code. The findings are those of codec.DecodeXML.
func Read(content []byte) (iso20022.Document, []iso20022.Finding) {
	document, findings := codec.DecodeXML(content)
	if document != nil {
		renaming(asMade).every(document)
	}
	return document, findings
}
