package iso20022

import "reflect"

// MessageName is the name of a message definition, such as pain.001.001.09.
type MessageName string

// Document is the content of one ISO 20022 document: a pointer to a root
// message type such as *CustomerCreditTransferInitiation.
type Document interface {
	// MessageName says which message definition the document follows.
	MessageName() MessageName
}

// namespacePrefix comes before the message name in the ISO XML namespaces.
const namespacePrefix = "urn:iso:std:iso:20022:tech:xsd:"

// swissPain001V03 is the namespace of the retired Swiss variant of
// pain.001.001.03 (pain.001.001.03.ch.02.xsd), which has the same element names.
const swissPain001V03 = "http://www.six-interbank-clearing.com/de/pain.001.001.03.ch.02.xsd"

// Namespace is the XML namespace of the message.
func (n MessageName) Namespace() string {
	return namespacePrefix + string(n)
}

// messageType describes one message: its name, the content of its Document
// element, and how to make an empty value.
type messageType struct {
	name     MessageName
	document groupType
	create   func() Document
}

func messageNamed(name MessageName) *messageType {
	for i := range messageTable {
		if messageTable[i].name == name {
			return &messageTable[i]
		}
	}
	return nil
}

func messageOfNamespace(namespace string) *messageType {
	if namespace == swissPain001V03 {
		return messageNamed(Pain001V03)
	}
	for i := range messageTable {
		if namespace == messageTable[i].name.Namespace() {
			return &messageTable[i]
		}
	}
	return nil
}

// valueOf is the struct behind a document; ok is false for a nil document and
// for one that is not of this package.
func valueOf(document Document) (message *messageType, value reflect.Value, ok bool) {
	if document == nil {
		return nil, reflect.Value{}, false
	}
	pointer := reflect.ValueOf(document)
	if pointer.Kind() != reflect.Pointer || pointer.IsNil() {
		return nil, reflect.Value{}, false
	}
	message = messageNamed(document.MessageName())
	if message == nil || reflect.TypeOf(message.create()) != pointer.Type() {
		return nil, reflect.Value{}, false
	}
	return message, pointer.Elem(), true
}
