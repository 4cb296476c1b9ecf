package codec

import (
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/i18n"
	"countersign/internal/iso20022"
)

// DecodeJSON reads the content of Document with the default limits; see Options.DecodeJSON.
func DecodeJSON(value []byte, at string, name iso20022.MessageName) (iso20022.Document, []iso20022.Finding) {
	return Options{}.DecodeJSON(value, at, name)
}

// DecodeJSON reads the JSON form of a document: value is the value of the member Document, such as {"CstmrCdtTrfInitn": {…}}, at its
// pointer in the body (such as /Document); name is the expected message.
//
// Members are ISO element names in exact case and in any order, an array or one object where the schema allows many; numbers may be numbers
// or texts. An amount is {"Ccy":"CHF","value":"199.95"}; @Ccy, and #text, $value, _text, Text, Value or Amt as the key of the number, are
// accepted too. Findings and document are as for DecodeXML; lines and columns count from the start of value.
func (o Options) DecodeJSON(value []byte, at string, name iso20022.MessageName) (iso20022.Document, []iso20022.Finding) {
	j := &jsonDecoder{decoder: newDecoder(o, value, at)}
	j.strict = true
	document := j.document(name)
	return document, j.inInput(value)
}

// jsonDecoder is the JSON front end.
type jsonDecoder struct {
	decoder
	reader *JSONReader
	name   iso20022.MessageName
}

func (j *jsonDecoder) document(name iso20022.MessageName) iso20022.Document {
	message := iso20022.DefinitionNamed(name)
	if message == nil {
		j.fail(0, i18n.ForPrograms("Send a message this system knows: it has no %s.", Shown(string(name))))
		return nil
	}
	if len(j.data) > j.options.MaxBytes {
		j.fail(j.options.MaxBytes, i18n.ForPrograms("Send at most %d bytes in one document.", j.options.MaxBytes))
		return nil
	}
	j.name = name
	j.reader = NewJSONReader(j.data)
	defer j.reader.Close()
	document := message.New()
	if !j.object("the content of the message") {
		return nil
	}
	j.group(groupState{group: &message.Document, value: reflect.ValueOf(document).Elem(), mandatory: true})
	if !j.stopped {
		j.end()
	}
	return document
}

// end makes sure that nothing follows the value.
func (j *jsonDecoder) end() {
	offset := j.reader.Start()
	if offset < len(j.data) {
		j.fail(offset, i18n.ForPrograms("Remove the text after the end of the document."))
	}
}

// broken reports JSON that is not well-formed.
func (j *jsonDecoder) broken(err error) {
	j.fail(j.reader.Place(err), i18n.ForPrograms("Correct the JSON: there is a syntax error at this position."))
}

// skip passes over the next value.
func (j *jsonDecoder) skip() {
	err := j.reader.Skip()
	if err != nil {
		j.broken(err)
	}
}

// object reads the start of an object; anything else is reported and passed over.
func (j *jsonDecoder) object(what string) bool {
	found := j.reader.Next()
	if found != '{' {
		j.wrongKind(found, "Enter "+what+" as a JSON object")
		return false
	}
	err := j.reader.Bracket()
	if err != nil {
		j.broken(err)
		return false
	}
	return true
}

// wrongKind reports a value of the wrong JSON type and passes over it.
func (j *jsonDecoder) wrongKind(found jsontext.Kind, advice string) {
	offset := j.reader.Start()
	before := j.stopped
	j.skip()
	if before != j.stopped {
		return
	}
	j.report(offset, codeFormat, i18n.ForPrograms("%s instead of %s.", advice, kindName(found)))
}

func kindName(found jsontext.Kind) string {
	switch found {
	case 'n':
		return "null"
	case 't', 'f':
		return "true or false"
	case '"':
		return "a text"
	case '0':
		return "a number"
	case '[':
		return "an array"
	default:
		return "an object"
	}
}

// key reads the name of the next member; ok is false at the end of the object. The name is valid until the next read.
func (j *jsonDecoder) key() (name []byte, offset int, ok bool) {
	if j.stopped {
		return nil, 0, false
	}
	name, offset, ok, err := j.reader.Name()
	if err != nil {
		j.broken(err)
	}
	return name, offset, ok
}

// group reads the members of the object just opened.
func (j *jsonDecoder) group(state groupState) {
	state.start = j.reader.End() - 1
	for {
		name, offset, ok := j.key()
		if !ok {
			break
		}
		if state.group.Document && string(name) == "@xmlns" {
			j.xmlns()
			continue
		}
		state.count++
		j.member(&state, name, offset)
	}
	if !j.stopped {
		j.finish(&state)
	}
}

// xmlns checks the namespace that may stand beside the message.
func (j *jsonDecoder) xmlns() {
	j.enter("@xmlns", -1)
	defer j.leave()
	raw, offset, err := j.reader.Value()
	if err != nil {
		j.broken(err)
		return
	}
	if raw[0] != '"' || string(JSONText(raw)) != j.name.Namespace() {
		j.report(offset, codeFormat, i18n.ForPrograms("Enter %s as @xmlns or remove it.", j.name.Namespace()))
	}
}

// member reads one member.
func (j *jsonDecoder) member(s *groupState, name []byte, offset int) {
	i := s.group.Find(name, s.last)
	if i < 0 {
		j.unknownMember(s, string(name), offset)
		return
	}
	e := &s.group.Elements[i]
	if s.seen&(1<<i) != 0 {
		j.enter(e.Tag, -1)
		j.report(offset, codeFormat, i18n.ForPrograms("Remove the second %s: a name may stand only once in an object.", e.Tag))
		j.skip()
		j.leave()
		return
	}
	refused, ok := s.admit(i)
	if !ok {
		j.reportChild(s.next(i), offset, refused)
		j.skip()
		return
	}
	s.seen |= 1 << i
	s.last = i + 1
	if !e.Repeats() {
		j.enter(e.Tag, -1)
		j.element(e, s.group.Field(s.value, i))
		j.leave()
		return
	}
	j.many(s, i)
}

func (j *jsonDecoder) unknownMember(s *groupState, name string, offset int) {
	refused, is := s.earlier(name)
	if !is {
		refused = unknown(s.group, name)
	}
	if variant := s.group.Variant(name); variant != "" {
		refused = problem{codeFormat, i18n.ForPrograms("Write %s as %s: names are case-sensitive.", Shown(name), variant)}
	}
	j.reportChild(step{name, -1}, offset, refused)
	j.skip()
}

// many reads an element that may repeat: an array, or one value.
func (j *jsonDecoder) many(s *groupState, i int) {
	e := &s.group.Elements[i]
	if j.reader.Next() != '[' {
		place := s.next(i)
		j.enter(place.tag, place.index)
		j.element(e, s.group.Field(s.value, i))
		j.leave()
		return
	}
	start := j.reader.Start()
	err := j.reader.Bracket()
	if err != nil {
		j.broken(err)
		return
	}
	for count := 0; !j.stopped; count++ {
		place := step{e.Tag, count}
		switch {
		case j.reader.Next() == ']':
			j.closeArray(e, start, count)
			return
		case e.Max != iso20022.Unbounded && count >= e.Max:
			refused, _ := s.admit(i)
			j.reportChild(place, j.reader.Start(), refused)
			j.skip()
		default:
			j.enter(place.tag, place.index)
			j.element(e, s.group.Field(s.value, i))
			j.leave()
		}
	}
}

func (j *jsonDecoder) closeArray(e *iso20022.Element, start, count int) {
	err := j.reader.Bracket()
	if err != nil {
		j.broken(err)
		return
	}
	if count == 0 {
		j.reportChild(
			step{e.Tag, 0}, start,
			problem{emptyCode(e.Min > 0), i18n.ForPrograms("Enter at least one %s or remove the array: it must not be empty.", e.Tag)},
		)
	}
}

// element reads the value of the current element into a new place in its field.
func (j *jsonDecoder) element(e *iso20022.Element, field reflect.Value) {
	place := iso20022.Slot(field)
	switch {
	case e.Group != nil && e.Group.Any:
		j.content(e, place)
	case e.Group != nil && e.Group.Name == bareDate && j.reader.Next() == '"':
		offset := j.reader.Start()
		j.skip()
		j.report(offset, codeDate, dateOutsideDt)
	case e.Group != nil:
		if j.object(e.Tag) {
			j.group(groupState{group: e.Group, value: place, mandatory: e.Min > 0})
		}
	case e.Currency != nil:
		j.amount(e, place)
	default:
		input, ok := j.scalar(e)
		if ok {
			j.leaf(e, place, input)
		}
	}
}

// scalar reads the text of a leaf from the JSON type that fits it.
func (j *jsonDecoder) scalar(e *iso20022.Element) (input leafText, ok bool) {
	found := j.reader.Next()
	number := e.Simple.Kind == iso20022.KindDecimal || e.Simple.Pattern != nil && e.Simple.Pattern.Numeric()
	boolean := e.Simple.Kind == iso20022.KindBoolean
	switch {
	case boolean && (found == 't' || found == 'f'), !boolean && found == '"', number && found == '0':
	case boolean:
		j.wrongKind(found, "Enter true or false in "+e.Tag)
		return leafText{}, false
	case number:
		j.wrongKind(found, "Enter a number in "+e.Tag)
		return leafText{}, false
	default:
		j.wrongKind(found, "Enter a text in "+e.Tag)
		return leafText{}, false
	}
	raw, offset, err := j.reader.Value()
	if err != nil {
		j.broken(err)
		return leafText{}, false
	}
	if found == '"' {
		return leafText{string(JSONText(raw)), offset}, true
	}
	return leafText{string(raw), offset}, true
}

// content reads an envelope: the text of one XML element.
func (j *jsonDecoder) content(e *iso20022.Element, place reflect.Value) {
	found := j.reader.Next()
	if found != '"' {
		j.wrongKind(found, "Enter one XML element as a text in "+e.Tag)
		return
	}
	raw, offset, err := j.reader.Value()
	if err != nil {
		j.broken(err)
		return
	}
	text := string(JSONText(raw))
	if advice := CheckElement(text, MaxDepth); advice != "" {
		j.report(offset, codeContent, advice)
		return
	}
	place.Field(0).SetString(text)
}
