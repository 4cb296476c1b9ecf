package payment

import (
	"fmt"
	"sync"

	"countersign/internal/iso20022"
	"countersign/internal/profile"
)

// reading decodes the document of a content on first use. Copies of a message share it, so that a request decodes a content once.
type reading struct {
	once     sync.Once
	content  []byte
	document iso20022.Document
	findings []Finding
}

// WithContent returns the message with its stored content.
func (m Message) WithContent(content []byte) Message {
	m.Content, m.reading = content, &reading{content: content}
	return m
}

// Document decodes the content. Copies of the message share the result, so callers must not change it. Findings mean
// that another program wrote the content. New content is decoded again.
func (m Message) Document() (iso20022.Document, []Finding) {
	r := m.reading
	if r == nil || len(m.Content) == 0 || len(m.Content) != len(r.content) || &m.Content[0] != &r.content[0] {
		return profile.Read(m.Content)
	}
	r.once.Do(func() { r.document, r.findings = profile.Read(r.content) })
	return r.document, r.findings
}

// DocumentOf is the content of a payment order, to read. It fails only when the content is not what this program wrote.
func DocumentOf(m Message) (*iso20022.CustomerCreditTransferInitiation, error) {
	return contentOf[*iso20022.CustomerCreditTransferInitiation](m)
}

// contentOf is the content of a message as the document that its kind is made of. It fails when the content is none, or has findings.
func contentOf[D iso20022.Document](m Message) (D, error) {
	document, findings := m.Document()
	content, ok := document.(D)
	if !ok || len(findings) > 0 {
		var none D
		return none, fmt.Errorf("the stored content of %s is no valid %s", m.InternalID, none.MessageName())
	}
	return content, nil
}
