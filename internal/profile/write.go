package profile

import (
	"errors"
	"fmt"
	"strings"

	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
)

// ErrInvalid says that a document would not follow its schema.
var ErrInvalid = errors.New("the document would not be valid")

// Write writes a document as the clearing of the profile wants it; the document itself stays as it is. A nil profile writes it as it is
// made. It fails with ErrInvalid, or with the errors of codec.EncodeXML.
func (p *Profile) Write(document iso20022.Document) ([]byte, error) {
	if p == nil {
		return encode(document, "", nil)
	}
	dressed, err := p.body(document)
	if err != nil {
		return nil, err
	}
	return encode(dressed, p.namespace(document.MessageName()), p.envelope(document))
}

// body is a document in the form and the version of the profile.
func (p *Profile) body(document iso20022.Document) (iso20022.Document, error) {
	dressed, version := codec.Clone(document), p.version(document.MessageName())
	p.render(dressed)
	if version == document.MessageName() {
		return dressed, nil
	}
	converted, left := codec.Convert(dressed, version)
	if len(left) > 0 {
		return nil, fmt.Errorf("%w: %s: %s", ErrInvalid, left[0].Pointer, left[0].Text)
	}
	return converted, nil
}

func encode(document iso20022.Document, namespace string, around *codec.Envelope) ([]byte, error) {
	// An answer must leave: what it repeats of another bank's document is as that bank wrote it.
	if _, answer := document.(*iso20022.FIToFIPaymentStatusReport); !answer {
		if wrong := codec.Validate(document); len(wrong) > 0 {
			return nil, fmt.Errorf("%w: %s: %s", ErrInvalid, wrong[0].Pointer, wrong[0].Text)
		}
	}
	if around == nil {
		return codec.EncodeXMLIn(document, namespace)
	}
	if wrong := codec.Validate(around.Header); len(wrong) > 0 {
		return nil, fmt.Errorf("%w: header: %s: %s", ErrInvalid, wrong[0].Pointer, wrong[0].Text)
	}
	return codec.EncodeEnvelope(document, namespace, *around)
}

// Fits checks that a received document has the form of the profile. It returns nil for a nil profile. The simulator calls it; the gateway
// accepts every form.
func (p *Profile) Fits(content []byte) error {
	if p == nil {
		return nil
	}
	header, document, findings := codec.DecodeEnvelope(content)
	if document == nil || len(findings) > 0 {
		return fmt.Errorf("the document cannot be read")
	}
	made, namespace := current(document), codec.Namespace(content)
	wanted := p.namespace(made.MessageName())
	if namespace != wanted {
		return fmt.Errorf("this clearing takes profile %s: write the namespace %s, not %s", p.Name, wanted, namespace)
	}
	err := p.fitsHeader(header, made)
	if err != nil {
		return err
	}
	return p.fitsBody(document, made)
}

// fitsBody holds a document as it came against the same document in the form of the profile.
func (p *Profile) fitsBody(document, made iso20022.Document) error {
	came, err := encode(document, "", nil)
	if err != nil {
		return err
	}
	dressed, err := p.body(made)
	if err != nil {
		return err
	}
	wanted, err := encode(dressed, "", nil)
	if err != nil {
		return err
	}
	if at := firstDifference(came, wanted); at >= 0 {
		return fmt.Errorf("this clearing takes profile %s: write %q, not %q", p.Name, around(wanted, at), around(came, at))
	}
	return nil
}

// firstDifference returns the offset at which two texts begin to differ, -1 when they are equal.
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

// around returns the text around an offset, long enough to find it again.
func around(text []byte, at int) string {
	const before, after = 30, 12
	return string(text[max(0, at-before):min(len(text), at+after)])
}

// Read reads a document between banks in the form of any profile, and returns it in the ISO form: without the header, in the current
// version, Swiss banks by their bank code. The findings are those of codec.DecodeXML, and one for a header that names another message than
// the document.
func Read(content []byte) (iso20022.Document, []iso20022.Finding) {
	header, document, findings := codec.DecodeEnvelope(content)
	if document == nil {
		return nil, findings
	}
	came := document.MessageName()
	document = current(document)
	renaming(asMade).every(document)
	if header != nil && !strings.HasPrefix(header.MessageDefinitionIdentifier+".", string(came)+".") {
		findings = append(findings, iso20022.Finding{
			Pointer: "/AppHdr/MsgDefIdr", Code: "FF01",
			Text: i18n.ForPrograms("Name the message in the header as the document has it: %s.", came),
		})
	}
	return document, findings
}

// current converts a document to the version that makers and rules use. Elements without a place in that version are left out: the document
// is stored as it came. An order of the previous version is upgraded by its reader.
func current(document iso20022.Document) iso20022.Document {
	name := document.MessageName()
	known := currentName(string(name))
	if known == "" || known == name || Family(string(name)) == "pain.001" {
		return document
	}
	converted, _ := codec.Convert(document, known)
	return converted
}
