package profile

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"countersign/internal/account"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
)

// envelope returns the envelope of a document; nil when the profile sends documents without one.
func (p *Profile) envelope(document iso20022.Document) *codec.Envelope {
	if p.Envelope == nil {
		return nil
	}
	id, at := iso20022.Identification(document)
	return &codec.Envelope{
		Root: p.Envelope.Root, Namespace: p.Envelope.Namespace, Header: &iso20022.BusinessApplicationHeaderV02{
			From: end(p.Envelope.Sender), To: end(p.Envelope.Receiver), BusinessMessageIdentifier: *id,
			MessageDefinitionIdentifier: p.sentName(document.MessageName()), BusinessService: p.Envelope.Service, CreationDate: *at,
		},
	}
}

// end is one end of a connection.
func end(bic string) iso20022.Party44Choice {
	return iso20022.Party44Choice{FIID: &bank{
		FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{BICFI: bic},
	}}
}

// Other is the profile as the other side of the connection writes it; nil stays nil.
func (p *Profile) Other() *Profile {
	if p == nil || p.Envelope == nil {
		return p
	}
	other, envelope := *p, *p.Envelope
	envelope.Sender, envelope.Receiver = envelope.Receiver, envelope.Sender
	other.Envelope = &envelope
	return &other
}

// fitsHeader holds a header against the one that the profile writes before the document.
func (p *Profile) fitsHeader(came *iso20022.BusinessApplicationHeaderV02, document iso20022.Document) error {
	wanted := p.envelope(document)
	switch {
	case wanted == nil && came == nil:
		return nil
	case wanted == nil:
		return fmt.Errorf("this clearing takes profile %s: send the document without a header", p.Name)
	case came == nil:
		return fmt.Errorf("this clearing takes profile %s: send a business application header before the document", p.Name)
	case bicAt(came.From) != bicAt(wanted.Header.From) || bicAt(came.To) != bicAt(wanted.Header.To):
		return fmt.Errorf("this clearing takes profile %s: the header is from %s to %s, not from %s to %s", p.Name,
			bicAt(wanted.Header.From), bicAt(wanted.Header.To), bicAt(came.From), bicAt(came.To))
	case came.MessageDefinitionIdentifier != wanted.Header.MessageDefinitionIdentifier ||
		came.BusinessMessageIdentifier != wanted.Header.BusinessMessageIdentifier:
		return fmt.Errorf("this clearing takes profile %s: the header names the document %s of %s, not %s of %s", p.Name,
			wanted.Header.BusinessMessageIdentifier, wanted.Header.MessageDefinitionIdentifier,
			came.BusinessMessageIdentifier, came.MessageDefinitionIdentifier)
	}
	return nil
}

// bicAt is the BIC of an end, "" where it is named in another way.
func bicAt(named iso20022.Party44Choice) string {
	if named.FIID == nil {
		return ""
	}
	return named.FIID.FinancialInstitutionID.BICFI
}

// OwnBIC is the BIC of our end of the connection of a scheme, "" where none is set.
func (b Registry) OwnBIC(scheme string) string { return b.ends[scheme].Sender }

// PartnerBIC is the BIC of the clearing of a scheme, "" where none is set.
func (b Registry) PartnerBIC(scheme string) string { return b.ends[scheme].Receiver }

// FromPartner checks the header of a received document. It fails with a sentence when the header does not come from the other end of the
// connection, or names another document id; it returns nil without configured ends. The header is compared with the ends configured for the
// scheme and with those of its profiles of any time: a document may come late. Where every profile of the scheme has a header, a document
// between named ends needs one.
func (b Registry) FromPartner(scheme string, content []byte) error {
	known, headed := []Ends{b.ends[scheme]}, len(b.chosen[scheme]) > 0
	for _, p := range b.chosen[scheme] {
		headed = headed && p.profile.Envelope != nil
		if p.profile.Envelope != nil {
			known = append(known, Ends{Sender: p.profile.Envelope.Sender, Receiver: p.profile.Envelope.Receiver})
		}
	}
	var header *iso20022.BusinessApplicationHeaderV02
	var document iso20022.Document
	if bytes.Contains(content, []byte("AppHdr")) {
		header, document, _ = codec.DecodeEnvelope(content)
	}
	if header == nil {
		if headed && slices.ContainsFunc(known, func(e Ends) bool { return e != Ends{} }) {
			return errors.New("it has no header, which every document between the ends of the connection has")
		}
		return nil
	}
	from, to, compared := account.LongBIC(bicAt(header.From)), account.LongBIC(bicAt(header.To)), false
	for _, ends := range known {
		if ends == (Ends{}) {
			continue
		}
		compared = true
		if from == account.LongBIC(ends.Receiver) && to == account.LongBIC(ends.Sender) {
			if document == nil {
				return nil // of a message that is not processed: its id is not read
			}
			id, _ := iso20022.Identification(current(document))
			if header.BusinessMessageIdentifier != *id {
				return fmt.Errorf("the header is of the document %s, and the document says that it is %s", header.BusinessMessageIdentifier, *id)
			}
			return nil
		}
	}
	if !compared {
		return nil
	}
	return fmt.Errorf("the header is from %s to %s, which are not the ends of the connection", from, to)
}

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
			// Another version of a message that is processed is refused: its sender must send one that is read.
			return f, f.Name != "" && currentName(string(f.Name)) == "" && len(path) == 0
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
