package iso20022

import (
	"reflect"
	"strings"
)

// MessageName is the name of a message definition, such as pain.001.001.09.
type MessageName string

// Document is the content of one ISO 20022 document: a pointer to a root message type such as *CustomerCreditTransferInitiation.
type Document interface {
	// MessageName says which message definition the document follows.
	MessageName() MessageName
}

// namespacePrefix comes before the message name in the ISO XML namespaces.
const namespacePrefix = "urn:iso:std:iso:20022:tech:xsd:"

// swissPain001V03 is the namespace of the retired Swiss variant of pain.001.001.03 (pain.001.001.03.ch.02.xsd), which has the same element
// names.
const swissPain001V03 = "http://www.six-interbank-clearing.com/de/pain.001.001.03.ch.02.xsd"

// NamespaceOfSIX comes before the name and the variant of a message in the namespaces of SIX, which have the element names of ISO:
// pacs.008.001.08.ch.02.
const NamespaceOfSIX = "http://www.six-interbank-clearing.com/de/"

// variantOfSIX is the message behind a namespace of SIX, "" when it is none: the name of a message between banks, and ".ch.NN" after it.
// Public samples write ".xsd" behind that or leave it out.
func variantOfSIX(namespace string) MessageName {
	rest, known := strings.CutPrefix(namespace, NamespaceOfSIX)
	name, variant, found := strings.Cut(strings.TrimSuffix(rest, ".xsd"), ".ch.")
	if !known || !found || len(variant) != len("02") || variant[0] < '0' || variant[0] > '9' || variant[1] < '0' || variant[1] > '9' ||
		strings.HasPrefix(name, "pain.") {
		return ""
	}
	return MessageName(name)
}

// Namespace is the XML namespace of the message.
func (n MessageName) Namespace() string {
	return namespacePrefix + string(n)
}

// Definition describes one message for the codec: its name, the content of its Document element, and a function that makes an empty value.
type Definition struct {
	Name     MessageName
	Document Group
	New      func() Document
}

// Definitions are all messages of this package. They are shared: do not change them.
func Definitions() []Definition {
	return definitions
}

// DefinitionNamed is the definition of a message; nil when this package has none.
func DefinitionNamed(name MessageName) *Definition {
	for i := range definitions {
		if definitions[i].Name == name {
			return &definitions[i]
		}
	}
	return nil
}

// DefinitionOfNamespace is the definition whose documents have the XML namespace, of ISO or of SIX; nil when this package has none. A
// header is no document.
func DefinitionOfNamespace(namespace string) *Definition {
	if namespace == swissPain001V03 {
		return DefinitionNamed(Pain001V03)
	}
	name := variantOfSIX(namespace)
	for i := range definitions {
		known := &definitions[i]
		if (namespace == known.Name.Namespace() || name == known.Name) && !known.Header() {
			return known
		}
	}
	return nil
}

// Header reports that the message is the header before a document: it stands beside the Document element and not in it.
func (d *Definition) Header() bool { return strings.HasPrefix(string(d.Name), "head.") }

// ValueOf is the definition of a document and the struct behind it; ok is false for a nil document and for one that is not of this package.
func ValueOf(document Document) (definition *Definition, value reflect.Value, ok bool) {
	if document == nil {
		return nil, reflect.Value{}, false
	}
	pointer := reflect.ValueOf(document)
	if pointer.Kind() != reflect.Pointer || pointer.IsNil() {
		return nil, reflect.Value{}, false
	}
	definition = DefinitionNamed(document.MessageName())
	if definition == nil || reflect.TypeOf(definition.New()) != pointer.Type() {
		return nil, reflect.Value{}, false
	}
	return definition, pointer.Elem(), true
}

// Identification is the message id and the time of creation of a document between banks, to read and to write. Any other document has empty
// ones, to which writing has no effect.
func Identification(document Document) (id *string, at *ISODateTime) {
	switch d := document.(type) {
	case *FIToFICustomerCreditTransfer:
		return &d.GroupHeader.MessageID, &d.GroupHeader.CreationDateTime
	case *PaymentReturn:
		return &d.GroupHeader.MessageID, &d.GroupHeader.CreationDateTime
	case *FIToFIPaymentStatusReport:
		return &d.GroupHeader.MessageID, &d.GroupHeader.CreationDateTime
	case *FIToFIPaymentStatusRequest:
		return &d.GroupHeader.MessageID, &d.GroupHeader.CreationDateTime
	case *FIToFIPaymentCancellationRequest:
		return &d.Assignment.ID, &d.Assignment.CreationDateTime
	case *ResolutionOfInvestigation:
		return &d.Assignment.ID, &d.Assignment.CreationDateTime
	case *Receipt:
		return &d.MessageHeader.MessageID, &d.MessageHeader.CreationDateTime
	}
	return new(string), new(ISODateTime)
}
