package interbank

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"

	"github.com/govalues/decimal"

	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/money"
)

// Content is everything that a document to clearing says beyond what its scheme, the gateway and the clock fix, in document order. Pages,
// JSON reads and differences between versions are made from it, so none of them can leave out an element.
type Content []Node

// Node is an element of a Content: a leaf with its value, or a group with its children.
type Node struct {
	Tag      string
	Repeats  bool   // the schema allows the element more than once
	Value    string // of a leaf
	Currency string // of an amount
	Children Content
}

// Statement is one leaf of a Content.
type Statement struct {
	// Place is the path below the message element, without numbers.
	Place string
	// Element is Place with a number where an element stands more than once.
	Element string
	Value   string // with its currency, if it has one
	Amount  bool
}

// ContentOf reads a pacs.008, pacs.004, camt.056 or camt.029 made by this package. An element whose source is not known belongs to the
// content.
func ContentOf(document iso20022.Document) Content {
	table := originsOf(string(document.MessageName()))
	return contentBelow(table, "", reflect.ValueOf(document).Elem())
}

// fixed are the sources of elements that are not part of a content.
var fixed = map[i18n.Text]bool{
	fromGlobalID: true, fromApproval: true, fromScheme: true, fromOne: true, fromSum: true, fromDay: true, fromOwnGlobalID: true,
	fromMessageName: true,
	fromRefusal:     true,
}

func contentBelow(table []origin, place string, group reflect.Value) Content {
	var content Content
	for i := range group.NumField() {
		tag := group.Type().Field(i).Tag.Get("iso")
		field := group.Field(i)
		if tag == "" || field.IsZero() {
			continue
		}
		switch field.Kind() {
		case reflect.Slice:
			for n := range field.Len() {
				content = appendNode(content, nodeOf(table, below(place, tag), field.Index(n)), tag, true)
			}
		case reflect.Pointer:
			content = appendNode(content, nodeOf(table, below(place, tag), field.Elem()), tag, false)
		default:
			content = appendNode(content, nodeOf(table, below(place, tag), field), tag, false)
		}
	}
	return content
}

// appendNode adds a node with content.
func appendNode(content Content, node Node, tag string, repeats bool) Content {
	if node.Value == "" && len(node.Children) == 0 {
		return content
	}
	node.Tag, node.Repeats = tag, repeats
	return append(content, node)
}

func nodeOf(table []origin, place string, value reflect.Value) Node {
	if value.Kind() == reflect.Struct && value.NumField() > 0 && value.Type().Field(0).Tag.Get("iso") != "" {
		return Node{Children: contentBelow(table, place, value)}
	}
	if fixed[originOf(table, place).from] {
		return Node{}
	}
	switch leaf := value.Interface().(type) {
	case iso20022.Amount:
		amount, err := money.FromDecimal(money.Currency(leaf.Currency), leaf.Value)
		if err != nil {
			return Node{Value: leaf.Value.String(), Currency: leaf.Currency}
		}
		return Node{Value: amount.String(), Currency: leaf.Currency}
	case decimal.Decimal:
		return Node{Value: leaf.String()}
	default:
		return Node{Value: fmt.Sprint(leaf)}
	}
}

// Statements lists the leaves in document order.
func (c Content) Statements() []Statement { return c.statements("", "") }

func (c Content) statements(place, element string) []Statement {
	var list []Statement
	seen := map[string]int{}
	for _, node := range c {
		seen[node.Tag]++
		next := Statement{Place: below(place, node.Tag), Element: below(element, node.Tag), Value: node.Value}
		if n := seen[node.Tag]; n > 1 {
			next.Element += "[" + strconv.Itoa(n) + "]"
		}
		if node.Currency != "" {
			next.Value, next.Amount = node.Currency+" "+node.Value, true
		}
		if len(node.Children) > 0 {
			list = append(list, node.Children.statements(next.Place, next.Element)...)
			continue
		}
		list = append(list, next)
	}
	return list
}

// MarshalJSON writes an object of element names: an element that may repeat is an array, an amount has the members Ccy and value, any other
// leaf is a string.
func (c Content) MarshalJSON() ([]byte, error) {
	members := map[string]any{}
	for _, node := range c {
		var value any = node.Value
		switch {
		case len(node.Children) > 0:
			value = node.Children
		case node.Currency != "":
			value = map[string]string{"Ccy": node.Currency, "value": node.Value}
		}
		if node.Repeats {
			list, _ := members[node.Tag].([]any)
			value = append(list, value)
		}
		members[node.Tag] = value
	}
	written, err := json.Marshal(members)
	if err != nil {
		return nil, fmt.Errorf("write the content of a document: %w", err)
	}
	return written, nil
}

// Difference is an element in which two contents differ; "" stands for a missing element.
type Difference struct {
	Place         string
	Before, After string
	Amount        bool
}

// Differences lists the elements in which a later content differs from an earlier one: those of the later one in document order, then the
// removed ones.
func Differences(earlier, later Content) []Difference {
	was, is := map[string]string{}, map[string]bool{}
	for _, s := range earlier.Statements() {
		was[s.Element] = s.Value
	}
	var list []Difference
	for _, s := range later.Statements() {
		is[s.Element] = true
		if was[s.Element] != s.Value {
			list = append(list, Difference{Place: s.Place, Before: was[s.Element], After: s.Value, Amount: s.Amount})
		}
	}
	for _, s := range earlier.Statements() {
		if !is[s.Element] {
			list = append(list, Difference{Place: s.Place, Before: s.Value, Amount: s.Amount})
		}
	}
	return list
}
