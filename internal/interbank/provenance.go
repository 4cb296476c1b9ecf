package interbank

import (
	"slices"
	"strconv"
	"strings"

	"countersign/internal/i18n"
	"countersign/internal/iso20022/codec"
)

// Source is the origin of an element of a document we send.
type Source struct {
	Element string // its place below the message element, or from AppHdr on, with a number where an element stands more than once
	Value   string // with its currency, if it has one
	From    i18n.Text
}

// origin is the source of an element in a document we send.
type origin struct {
	element string    // its place, or the beginning of it
	from    i18n.Text // with at, the document it was copied from and a placeholder for the place
	at      string    // the place there that the element's beginning stands for; "" when it is not a copy
	or      string    // where it stands when it does not stand at that place; "" where there is one place alone
}

// Known reports whether the origin of each element of a message is known: the gateway makes the message from others.
func Known(name string) bool { return originsOf(name) != nil }

// Sources lists the elements with text of a document of that name, in order, each with its source. A malformed
// document is listed up to the error.
func Sources(name string, content []byte) []Source {
	table := slices.Concat(headerOrigins, originsOf(name))
	var sources []Source
	for _, leaf := range leavesOf(content) {
		sources = append(sources, Source{Element: leaf.shown, Value: leaf.value, From: originOf(table, leaf.plain).of(leaf.plain)})
	}
	return sources
}

// originsOf is the table of a message; nil when there is none.
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

// originOf finds the entry with the longest beginning of a place.
func originOf(table []origin, place string) origin {
	best := origin{from: "Origin not recorded"}
	for _, o := range table {
		if (place == o.element || strings.HasPrefix(place, o.element+"/")) && len(o.element) > len(best.element) {
			best = o
		}
	}
	return best
}

// of names the origin of the element of an entry at a place.
func (o origin) of(place string) i18n.Text {
	if o.at == "" {
		return o.from
	}
	part := strings.TrimPrefix(place, o.element)
	from := o.from.With(o.at + part)
	if o.or != "" {
		return i18n.Text("%s or %s").With(from, o.or+part)
	}
	return from
}

// leaf is an element with a text.
type leaf struct {
	plain string // place below the message element, without numbers
	shown string // the same with a number where an element stands more than once
	value string // with its currency, if it has one
}

// level is an element that is open while its document is read.
type level struct {
	plain, shown string
	seen         map[string]int // how often each child stood in it
	currency     string
	text         string
	parent       bool
}

// documentElement holds the message, whether a document travels alone or behind a header, below an element of any name.
const documentElement = "Document"

// leavesOf reads the elements of a well-formed part of a document: those of its message, and those of its header below AppHdr.
func leavesOf(content []byte) []leaf {
	scanner := codec.NewXMLScanner(content, codec.MaxDepth)
	open := []level{{seen: map[string]int{}}}
	var leaves []leaf
	document := 0 // how deep the Document stands; 0 before it
	for {
		token := scanner.Next()
		top := &open[len(open)-1]
		switch token.Kind {
		case codec.Start:
			next := top.child(string(token.Local))
			if document == 0 && len(open) <= 2 && next.plain == documentElement {
				document = len(open)
			}
			if len(open) == 1 || len(open) == document || len(open) == document+1 && document > 0 {
				next.plain, next.shown = "", "" // what holds header and Document, the Document, and the message below it
			}
			for _, attribute := range scanner.Attributes() {
				if string(attribute.Local) == "Ccy" {
					next.currency = attribute.Value() + " "
				}
			}
			open = append(open, next)
		case codec.Text:
			top.text += token.Characters()
		case codec.End:
			if !top.parent && top.plain != "" {
				leaves = append(leaves, leaf{plain: top.plain, shown: top.shown, value: top.currency + top.text})
			}
			open = open[:len(open)-1]
		case codec.EndOfDocument, codec.Broken:
			return leaves
		}
	}
}

// child opens an element in another.
func (l *level) child(name string) level {
	l.parent = true
	l.seen[name]++
	next := level{plain: below(l.plain, name), shown: below(l.shown, name), seen: map[string]int{}}
	if n := l.seen[name]; n > 1 {
		next.shown += "[" + strconv.Itoa(n) + "]"
	}
	return next
}

func below(place, name string) string {
	if place == "" {
		return name
	}
	return place + "/" + name
}
