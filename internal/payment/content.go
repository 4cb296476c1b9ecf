package payment

import (
	"fmt"
	"sync"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
)

// reading is the document of one content, decoded when somebody first asks for it. Copies of a message share it, so that a request
// decodes a content once, however many rules, pages and answers ask.
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

// Document decodes the content. Copies of the message share what it returns, so nobody may change it. Findings mean that the content is
// not what this program wrote. A message that was given another content since is decoded anew.
func (m Message) Document() (iso20022.Document, []Finding) {
	r := m.reading
	if r == nil || len(m.Content) == 0 || len(m.Content) != len(r.content) || &m.Content[0] != &r.content[0] {
		return codec.DecodeXML(m.Content)
	}
	r.once.Do(func() { r.document, r.findings = codec.DecodeXML(r.content) })
	return r.document, r.findings
}

// DocumentOf is the content of a payment order, to read. It fails only when the content is not what this program wrote.
func DocumentOf(m Message) (*iso20022.CustomerCreditTransferInitiation, error) {
	document, findings := m.Document()
	order, ok := document.(*iso20022.CustomerCreditTransferInitiation)
	if !ok || len(findings) > 0 {
		return nil, fmt.Errorf("the stored content of %s is no valid pain.001", m.InternalID)
	}
	return order, nil
}
