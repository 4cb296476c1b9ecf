package records

import (
	"bytes"
	"encoding/xml"
	"strconv"
	"strings"

	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
)

// MaxElements bounds the elements looked at; a payment has far fewer.
const MaxElements = 20_000

// origin is where an element of a document we send comes from.
type origin struct {
	element string // its place, or the beginning of it
	from    string // in words; with at, the document it was copied from
	at      string // the place there that the element's beginning stands for; "" when it is not a copy
}

// madeHere reports whether it is known of each element of a document where it came from: of those this gateway makes from others.
func madeHere(d store.Document) bool {
	return d.Direction == string(payment.DirectionOut) && originsOf(d.Name) != nil
}

// originsOf is the table of a message definition; nil when there is none.
func originsOf(name string) []origin {
	for prefix, table := range map[string][]origin{
		"pacs.008": transferOrigins, "camt.056": recallOrigins, "pacs.004": returnOrigins, "camt.029": resolutionOrigins,
	} {
		if strings.HasPrefix(name, prefix+".") {
			return table
		}
	}
	return nil
}

// sourcesOf lists the elements of a document that have a text, in their order, each with where it came from.
func sourcesOf(d store.Document) []views.Source {
	table := originsOf(d.Name)
	var sources []views.Source
	for _, leaf := range leavesOf(d.Content) {
		sources = append(sources, views.Source{Element: leaf.shown, Value: leaf.value, From: originOf(table, leaf.plain)})
	}
	return sources
}

// originOf finds the entry with the longest beginning of a place.
func originOf(table []origin, place string) string {
	best := origin{from: "Not recorded"}
	for _, o := range table {
		if (place == o.element || strings.HasPrefix(place, o.element+"/")) && len(o.element) > len(best.element) {
			best = o
		}
	}
	if best.at == "" {
		return best.from
	}
	return best.from + " " + best.at + strings.TrimPrefix(place, best.element)
}

// leaf is an element with a text.
type leaf struct {
	plain string // place below the message element, without numbers
	shown string // the same with a number where an element stands more than once
	value string // with its currency, if it has one
}

// leavesOf reads the elements of a document as far as it is well formed.
func leavesOf(content []byte) []leaf {
	type level struct {
		plain, shown string
		seen         map[string]int
		currency     string
		text         string
		parent       bool
	}
	decoder := xml.NewDecoder(bytes.NewReader(content))
	levels := []level{{seen: map[string]int{}}}
	var leaves []leaf
	for range 3 * MaxElements {
		token, err := decoder.RawToken()
		if err != nil {
			return leaves
		}
		top := &levels[len(levels)-1]
		switch part := token.(type) {
		case xml.StartElement:
			next := level{seen: map[string]int{}}
			next.plain, next.shown = below(top.plain, part.Name.Local), below(top.shown, part.Name.Local)
			if len(levels) <= 2 { // Document, and the message below it
				next.plain, next.shown = "", ""
			}
			top.parent = true
			top.seen[part.Name.Local]++
			if n := top.seen[part.Name.Local]; n > 1 {
				next.shown += "[" + strconv.Itoa(n) + "]"
			}
			for _, attribute := range part.Attr {
				if attribute.Name.Local == "Ccy" {
					next.currency = attribute.Value + " "
				}
			}
			levels = append(levels, next)
		case xml.CharData:
			top.text += string(part)
		case xml.EndElement:
			if !top.parent && top.plain != "" {
				leaves = append(leaves, leaf{plain: top.plain, shown: top.shown, value: top.currency + strings.TrimSpace(top.text)})
			}
			levels = levels[:max(1, len(levels)-1)]
		}
	}
	return leaves
}

func below(place, name string) string {
	if place == "" {
		return name
	}
	return place + "/" + name
}
