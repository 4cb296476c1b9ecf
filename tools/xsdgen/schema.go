package main

import (
	"encoding/xml"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
)

// node is one element of a schema file, with its children in order.
type node struct {
	XMLName    xml.Name
	Attributes []xml.Attr `xml:",any,attr"`
	Children   []node     `xml:",any"`
}

func (n node) attribute(name string) string {
	for _, attribute := range n.Attributes {
		if attribute.Name.Local == name {
			return attribute.Value
		}
	}
	return ""
}

// unbounded is the maximum of an element that may repeat without limit.
const unbounded = -1

// elementType is one child element of a complex type.
type elementType struct {
	tag      string
	typeName string
	min, max int
}

// complexType is a group of elements, an amount, or the envelope for any content.
type complexType struct {
	name     string
	choice   bool
	any      bool
	elements []elementType
	amount   string // simple type of the value when this is an amount
	currency string // simple type of the currency when this is an amount
}

// simpleType is a restricted built-in type.
type simpleType struct {
	name, base            string
	minLength, maxLength  int
	totalDigits, fraction int // -1 when not restricted
	nonNegative           bool
	pattern               string
	enumeration           []string
}

// catalogue is everything read so far, types of several messages merged.
type catalogue struct {
	complex map[string]*complexType
	simple  map[string]*simpleType
	users   map[string][]string // type name to the messages that use it
	roots   map[string]rootType // by message name
}

// rootType is the one child of Document in a message.
type rootType struct{ tag, typeName string }

func newCatalogue() *catalogue {
	return &catalogue{
		complex: map[string]*complexType{},
		simple:  map[string]*simpleType{},
		users:   map[string][]string{},
		roots:   map[string]rootType{},
	}
}

// read adds the types of one schema file.
func (c *catalogue) read(folder string, m message) error {
	content, err := os.ReadFile(filepath.Join(folder, m.name+".xsd"))
	if err != nil {
		return err
	}
	var schema node
	err = xml.Unmarshal(content, &schema)
	if err != nil {
		return err
	}
	file := &schemaFile{renamed: map[string]string{}}
	err = file.collect(schema)
	if err != nil {
		return err
	}
	file.root(m)
	return c.merge(file, m)
}

// schemaFile holds the types of one file before they are merged.
type schemaFile struct {
	complex []*complexType
	simple  []*simpleType
	renamed map[string]string
	top     rootType
}

func (f *schemaFile) collect(schema node) error {
	for _, child := range schema.Children {
		switch child.XMLName.Local {
		case "element":
		case "simpleType":
			simple, err := readSimple(child)
			if err != nil {
				return err
			}
			f.simple = append(f.simple, simple)
		case "complexType":
			group, err := readComplex(child)
			if err != nil {
				return err
			}
			f.complex = append(f.complex, group)
		default:
			return fmt.Errorf("unknown top level element %s", child.XMLName.Local)
		}
	}
	return nil
}

// root takes the type Document out and gives its only child the plain Go name.
func (f *schemaFile) root(m message) {
	kept := f.complex[:0]
	for _, group := range f.complex {
		if group.name == "Document" {
			f.top = rootType{group.elements[0].tag, m.goType}
			f.renamed[group.elements[0].typeName] = m.goType
			continue
		}
		kept = append(kept, group)
	}
	f.complex = kept
	if header := m.header; header != "" {
		f.top = rootType{header, m.goType}
	}
}

// merge adds the types of a file; a type that differs from one of the same name read before gets the version of the message as a suffix.
func (c *catalogue) merge(f *schemaFile, m message) error {
	for again := true; again; {
		again = f.findConflicts(c, m)
	}
	for _, simple := range f.simple {
		simple.name = f.name(simple.name)
		c.simple[simple.name] = simple
		c.users[simple.name] = append(c.users[simple.name], m.name)
	}
	for _, group := range f.complex {
		group = f.rename(group)
		if _, clash := c.simple[group.name]; clash {
			return fmt.Errorf("type %s is both simple and complex", group.name)
		}
		c.complex[group.name] = group
		c.users[group.name] = append(c.users[group.name], m.name)
	}
	c.roots[m.name] = f.top
	return nil
}

// findConflicts renames the types that differ from the catalogue and reports whether any was renamed, since that changes the types that
// refer to it.
func (f *schemaFile) findConflicts(c *catalogue, m message) bool {
	suffix := m.constant[len(m.constant)-3:]
	changed := false
	mark := func(name string, differs bool) {
		if differs && f.name(name) == name {
			f.renamed[name] = name + suffix
			changed = true
		}
	}
	for _, simple := range f.simple {
		known := c.simple[simple.name]
		mark(simple.name, known != nil && !reflect.DeepEqual(known, simple))
	}
	for _, group := range f.complex {
		known := c.complex[group.name]
		mark(group.name, known != nil && !reflect.DeepEqual(known, f.rename(group)))
	}
	return changed
}

func (f *schemaFile) name(name string) string {
	if renamed, found := f.renamed[name]; found {
		return renamed
	}
	return name
}

func (f *schemaFile) rename(group *complexType) *complexType {
	renamed := *group
	renamed.name = f.name(group.name)
	renamed.amount, renamed.currency = f.name(group.amount), f.name(group.currency)
	renamed.elements = nil
	for _, element := range group.elements {
		element.typeName = f.name(element.typeName)
		renamed.elements = append(renamed.elements, element)
	}
	return &renamed
}

func readComplex(n node) (*complexType, error) {
	group := &complexType{name: n.attribute("name")}
	if len(n.Children) != 1 {
		return nil, fmt.Errorf("type %s: expected one content model", group.name)
	}
	content := n.Children[0]
	if content.XMLName.Local == "complexContent" {
		restricted, err := readRestriction(content)
		if err != nil {
			return nil, fmt.Errorf("type %s: %w", group.name, err)
		}
		content = restricted
	}
	if content.XMLName.Local == "sequence" && len(content.Children) == 1 && content.Children[0].XMLName.Local == "choice" {
		content = content.Children[0]
	}
	switch content.XMLName.Local {
	case "simpleContent":
		return readAmount(group, content)
	case "choice":
		group.choice = true
	case "sequence":
	default:
		return nil, fmt.Errorf("type %s: unknown content %s", group.name, content.XMLName.Local)
	}
	for _, child := range content.Children {
		if child.XMLName.Local == "any" && len(content.Children) == 1 {
			group.any = true
			continue
		}
		element, err := readElement(child)
		if err != nil {
			return nil, fmt.Errorf("type %s: %w", group.name, err)
		}
		group.elements = append(group.elements, element)
	}
	return group, nil
}

// readRestriction is the content model of a type that restricts another one, as the Swiss variants do: it is written out whole.
func readRestriction(content node) (node, error) {
	if len(content.Children) != 1 || content.Children[0].XMLName.Local != "restriction" || len(content.Children[0].Children) != 1 {
		return node{}, fmt.Errorf("complex content that is no restriction with one content model")
	}
	return content.Children[0].Children[0], nil
}

func readElement(n node) (elementType, error) {
	element := elementType{tag: n.attribute("name"), typeName: n.attribute("type"), min: 1, max: 1}
	if n.XMLName.Local != "element" || element.tag == "" || element.typeName == "" {
		return element, fmt.Errorf("unknown particle %s", n.XMLName.Local)
	}
	var err error
	if text := n.attribute("minOccurs"); text != "" {
		element.min, err = strconv.Atoi(text)
	}
	if text := n.attribute("maxOccurs"); text == "unbounded" {
		element.max = unbounded
	} else if text != "" && err == nil {
		element.max, err = strconv.Atoi(text)
	}
	return element, err
}

func readAmount(group *complexType, content node) (*complexType, error) {
	extension := content.Children[0]
	if extension.XMLName.Local != "extension" || len(extension.Children) != 1 || extension.Children[0].attribute("name") != "Ccy" {
		return nil, fmt.Errorf("type %s: simple content that is no amount", group.name)
	}
	group.amount = extension.attribute("base")
	group.currency = extension.Children[0].attribute("type")
	return group, nil
}

func readSimple(n node) (*simpleType, error) {
	restriction := n.Children[0]
	simple := &simpleType{name: n.attribute("name"), base: restriction.attribute("base"), totalDigits: -1, fraction: -1}
	for _, facet := range restriction.Children {
		value := facet.attribute("value")
		var err error
		switch facet.XMLName.Local {
		case "minLength":
			simple.minLength, err = strconv.Atoi(value)
		case "maxLength":
			simple.maxLength, err = strconv.Atoi(value)
		case "totalDigits":
			simple.totalDigits, err = strconv.Atoi(value)
		case "fractionDigits":
			simple.fraction, err = strconv.Atoi(value)
		case "pattern":
			simple.pattern = value
		case "enumeration":
			simple.enumeration = append(simple.enumeration, value)
		case "minInclusive":
			simple.nonNegative = value == "0"
			if !simple.nonNegative {
				err = fmt.Errorf("minimum %s", value)
			}
		default:
			err = fmt.Errorf("unknown facet %s", facet.XMLName.Local)
		}
		if err != nil {
			return nil, fmt.Errorf("type %s: %w", simple.name, err)
		}
	}
	return simple, nil
}

// sortedNames returns the keys of a map in order, so that output is stable.
func sortedNames[V any](types map[string]V) []string {
	return slices.Sorted(maps.Keys(types))
}
