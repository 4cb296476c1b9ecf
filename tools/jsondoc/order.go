package main

import (
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"countersign/internal/iso20022"
)

// orderSchemas collects the schemas of the components of a message.
type orderSchemas struct {
	schemas map[string]string
}

// writeOrder writes the schemas of pain.001.001.09 from the tables of the codec. They describe the form that clients should send, which is
// narrower than the one that the codec reads: arrays where many elements are allowed, and decimals as texts.
func writeOrder(page io.Writer) {
	definition := iso20022.DefinitionNamed(iso20022.Pain001V09)
	o := orderSchemas{schemas: map[string]string{}}
	root := definition.Document.Elements[0]
	o.group(root.Group, reflect.TypeOf(definition.New()).Elem())
	fmt.Fprintf(page, `    CreditTransferDocument:
      type: object
      description: "pain.001.001.09 under CstmrCdtTrfInitn. One object in place of an array, and a number in place of a decimal text, are taken too."
      additionalProperties: false
      required: [%[1]s]
      properties:
        %[1]s: {$ref: "#/components/schemas/%[2]s"}
`, root.Tag, root.Group.Name)
	for _, name := range slices.Sorted(maps.Keys(o.schemas)) {
		fmt.Fprint(page, o.schemas[name])
	}
}

// group adds the schema of a component and those below it.
func (o *orderSchemas) group(group *iso20022.Group, value reflect.Type) {
	if _, done := o.schemas[group.Name]; done {
		return
	}
	o.schemas[group.Name] = "" // the children do not come back to it
	var members strings.Builder
	var required []string
	for i := range group.Elements {
		element, field := &group.Elements[i], value.Field(i)
		if group.Mandatory(i) {
			required = append(required, element.Tag)
		}
		fmt.Fprintf(&members, "        %s: %s\n", element.Tag, o.element(element, field))
	}
	words := "ISO 20022 " + group.Name + "."
	var rules string
	switch {
	case group.Choice:
		words += " Exactly one member."
		rules = "      minProperties: 1\n      maxProperties: 1\n"
	case len(required) > 0:
		rules = "      required: [" + strings.Join(required, ", ") + "]\n"
	}
	o.schemas[group.Name] = fmt.Sprintf("    %s:\n      type: object\n      x-iso20022: true\n      description: %q\n      additionalProperties: false\n%s"+
		"      properties:\n%s", group.Name, words, rules, members.String())
}

// element returns the schema of a member.
func (o *orderSchemas) element(e *iso20022.Element, field reflect.StructField) string {
	words := "description: " + strconv.Quote(sentence(field.Name))
	if !e.Repeats() {
		return o.one(e, field.Type, words)
	}
	limits := ""
	if e.Min > 0 {
		limits = ", minItems: " + strconv.Itoa(e.Min)
	}
	if e.Max != iso20022.Unbounded {
		limits += ", maxItems: " + strconv.Itoa(e.Max)
	}
	return "{type: array" + limits + ", items: " + o.one(e, field.Type.Elem(), "") + ", " + words + "}"
}

// one returns the schema of one element, with more members.
func (o *orderSchemas) one(e *iso20022.Element, value reflect.Type, more string) string {
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	if more != "" {
		more = ", " + more
	}
	switch {
	case e.Group != nil && e.Group.Any:
		return "{type: string" + more + "}"
	case e.Group != nil:
		o.group(e.Group, value)
		return `{$ref: "#/components/schemas/` + e.Group.Name + `"` + more + "}"
	case e.Currency != nil:
		name := strings.TrimSuffix(e.Simple.Name, "_SimpleType")
		o.schemas[name] = fmt.Sprintf("    %s:\n      type: object\n      x-iso20022: true\n      description: An amount with its currency.\n"+
			"      additionalProperties: false\n      required: [Ccy, value]\n      properties:\n        Ccy: {%s, description: The currency.}\n"+
			"        value: {%s, description: The number.}\n", name, leaf(e.Currency), leaf(e.Simple))
		return `{$ref: "#/components/schemas/` + name + `"` + more + "}"
	}
	return "{" + leaf(e.Simple) + more + "}"
}

// leaf returns the members of the schema of a text.
func leaf(s *iso20022.Simple) string {
	switch s.Kind {
	case iso20022.KindDecimal:
		sign := "-?"
		if s.NonNegative {
			sign = ""
		}
		return `type: string, pattern: "^` + sign + `[0-9]+([.][0-9]+)?$", example: "199.95"`
	case iso20022.KindBoolean:
		return "type: boolean"
	case iso20022.KindDate:
		return `type: string, format: date, example: "2026-11-20"`
	case iso20022.KindDateTime:
		return `type: string, format: date-time, example: "2026-11-20T10:00:00+01:00"`
	case iso20022.KindTime:
		return "type: string, format: time"
	case iso20022.KindBinary:
		return "type: string, format: byte"
	case iso20022.KindText:
	}
	text := "type: string"
	if s.MinLength > 0 {
		text += ", minLength: " + strconv.Itoa(s.MinLength)
	}
	if s.MaxLength > 0 {
		text += ", maxLength: " + strconv.Itoa(s.MaxLength)
	}
	if s.Pattern != nil {
		text += ", pattern: " + strconv.Quote("^("+s.Pattern.Expression+")$") + ", example: " + strconv.Quote(s.Pattern.Example)
	}
	if len(s.Enumeration) > 0 {
		text += `, enum: ["` + strings.Join(s.Enumeration, `", "`) + `"]`
	}
	return text
}

// sentence returns the words of a Go name: "Creditor agent account." of CreditorAgentAccount.
func sentence(name string) string {
	runes := []rune(name)
	var words strings.Builder
	for i, r := range runes {
		begins := i > 0 && unicode.IsUpper(r) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if begins {
			words.WriteByte(' ')
			if i+1 < len(runes) && !unicode.IsUpper(runes[i+1]) {
				r = unicode.ToLower(r)
			}
		}
		words.WriteRune(r)
	}
	return words.String() + "."
}
