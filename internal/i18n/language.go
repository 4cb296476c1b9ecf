// Package i18n translates the texts of the portal: English, German, French or Italian, as banks in Switzerland
// write them. A text is known by its English sentence; the others stand in catalogue/*.yaml beside it. What programs
// read (the JSON API, logs, documents of the schemes) is English and does not come here.
//
// Numbers and times look the same in all four: 1'234.56 with an apostrophe, 22.11.2026 08:14:03 CET with the zone. People compare them with
// prints of other banks and other people, so they must not change with the language.
package i18n

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // the zone must be known on hosts without zone files

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Language is one of those that the portal speaks, as the attribute lang names it.
type Language string

// The languages of the portal.
const (
	German  Language = "de"
	French  Language = "fr"
	Italian Language = "it"
	English Language = "en"
)

// Languages are all of them, in the order in which they are offered.
func Languages() []Language { return []Language{German, French, Italian, English} }

// Name returns the name of a language in that language.
func (l Language) Name() string {
	return map[Language]string{German: "Deutsch", French: "Français", Italian: "Italiano", English: "English"}[l]
}

// Parse finds the language of a name such as "de"; ok is false for one that the portal does not speak.
func Parse(name string) (l Language, ok bool) {
	for _, known := range Languages() {
		if name == string(known) {
			return known, true
		}
	}
	return English, false
}

// matcher finds the best of our languages; the first is taken when none fits.
var matcher = language.NewMatcher([]language.Tag{
	language.English, language.MustParse("de-CH"), language.MustParse("fr-CH"), language.MustParse("it-CH"),
})

// Guess returns the language that best matches Accept-Language; English when none does.
func Guess(accept string) Language {
	tags, _, err := language.ParseAcceptLanguage(accept)
	if err != nil || len(tags) == 0 {
		return English
	}
	_, index, _ := matcher.Match(tags...)
	return []Language{English, German, French, Italian}[index]
}

// Text is a sentence or word for people, in no language yet: a key with its values. Errors and findings carry it from the lowest floor to
// the edge. A constant is a key of the catalogue and at the same time the English sentence, with placeholders as in package fmt; With adds
// the values. Where one English word has several translations, the constant says which is meant ("Open (state)"), and its entry in the
// catalogue has the English word too. A Text is a string, so that it can be a constant, compared and stored.
//
// A test finds every constant of this type and fails for one without translations.
type Text string

// Marks in a Text: the rest is data in no language; the values follow; a list of texts follows; the code of a country follows.
const (
	dataMark   = "\x01"
	valuesMark = "\x02"
	joinedMark = "\x03"
	regionMark = "\x04"
)

// Values of a text that look different on a page and in the English of programs.
type (
	// Moment is a time to the second: 2026-11-24T04:39:14Z, on pages 24.11.2026 05:39:14 CET.
	Moment time.Time
	// Minute is a time to the minute: 2026-11-20 08:14 UTC, on pages 20.11.2026 09:14 CET.
	Minute time.Time
	// Day is a date: 2026-12-14, on pages 14.12.2026.
	Day time.Time
)

// value is one encoded value of a text; one member is set.
type value struct {
	Words  string     `json:"w,omitempty"`
	Number *int       `json:"n,omitempty"`
	Text   Text       `json:"t,omitempty"`
	Moment *time.Time `json:"s,omitempty"`
	Minute *time.Time `json:"m,omitempty"`
	Day    *time.Time `json:"d,omitempty"`
}

// With fills the placeholders of a text: with whole numbers, of which the first chooses the plural form, with texts, which are said in the
// same language, with times, and with anything else as package fmt writes it.
func (t Text) With(values ...any) Text {
	encoded := make([]value, len(values))
	for i, one := range values {
		switch one := one.(type) {
		case int:
			encoded[i].Number = &one
		case Text:
			encoded[i].Text = one
		case Moment:
			encoded[i].Moment = (*time.Time)(&one)
		case Minute:
			encoded[i].Minute = (*time.Time)(&one)
		case Day:
			encoded[i].Day = (*time.Time)(&one)
		default:
			encoded[i].Words = fmt.Sprint(one)
			if number := reflect.ValueOf(one); number.CanInt() && number.NumMethod() == 0 {
				encoded[i].Number = new(int(number.Int()))
			}
		}
	}
	list, _ := json.Marshal(encoded) // cannot fail: plain values
	return t + valuesMark + Text(list)
}

// Data is a text that is the same in every language: a name, an amount, input of a person or of another bank.
func Data(words string) Text {
	if words == "" {
		return ""
	}
	return Text(dataMark + words)
}

// ForPrograms is a text that only programs read, so that it has no translations: English, formatted as package fmt does.
func ForPrograms(format string, values ...any) Text { return Data(fmt.Sprintf(format, values...)) }

// inElement is the key of a finding in a document: its advice and its element, which languages put in different places.
const inElement Text = "%s in %s."

// InElement is a finding in a document as its advice, which has no full stop, and its element.
func InElement(advice Text, tag string) Text { return inElement.With(advice, tag) }

// Advice is the text of a finding without its element, for use beside a field of a form. Any other text is returned unchanged.
func Advice(finding Text) Text {
	key, values := finding.split()
	if key != inElement {
		return finding
	}
	return Text("%s. (advice)").With(values[0].Text)
}

// Join is several texts as one, with something between them that is the same in every language, such as a space.
func Join(between string, texts ...Text) Text {
	texts = slices.DeleteFunc(slices.Clone(texts), func(t Text) bool { return t == "" })
	if len(texts) == 0 {
		return ""
	}
	encoded, _ := json.Marshal(joined{Between: between, Texts: texts}) // cannot fail: plain values
	return joinedMark + Text(encoded)
}

type joined struct {
	Between string `json:"b"`
	Texts   []Text `json:"t"`
}

// program is the language of the JSON API, of logs and of documents: the English keys, with plain numbers and times in ISO 8601.
const program Language = ""

// String is the text in English for programs: the JSON API, logs, documents.
func (t Text) String() string { return program.Say(t) }

type contextKey struct{}

// In says in which language texts of the context are said.
func In(ctx context.Context, l Language) context.Context {
	return context.WithValue(ctx, contextKey{}, l)
}

// Of is the language of the context; English where none was said.
func Of(ctx context.Context) Language {
	if l, ok := ctx.Value(contextKey{}).(Language); ok {
		return l
	}
	return English
}

// Say is the text in the language of the context, with the values in its placeholders.
func Say(ctx context.Context, text Text, values ...any) string { return Of(ctx).Say(text, values...) }

// Say is the text in this language, with the values in its placeholders. A text without a translation is said in English.
func (l Language) Say(text Text, values ...any) string {
	if data, is := strings.CutPrefix(string(text), dataMark); is {
		return l.words(data)
	}
	if list, is := strings.CutPrefix(string(text), joinedMark); is {
		return l.sayJoined(list)
	}
	if code, is := strings.CutPrefix(string(text), regionMark); is {
		return l.country(code)
	}
	if len(values) > 0 {
		text = text.With(values...)
	}
	key, encoded := text.split()
	if len(encoded) == 0 {
		return l.plain(key)
	}
	said := make([]any, len(encoded))
	for i, one := range encoded {
		said[i] = l.value(one)
	}
	if l == program {
		return fmt.Sprintf(string(key), said...)
	}
	return catalogues().printers[l].Sprintf(message.Key(string(key), string(key)), said...)
}

// split separates a text into its key and values.
func (t Text) split() (key Text, values []value) {
	before, encoded, filled := strings.Cut(string(t), valuesMark)
	if filled {
		_ = json.Unmarshal([]byte(encoded), &values) // With encoded them
	}
	return Text(before), values
}

// plain is a text without values.
func (l Language) plain(key Text) string {
	if l == program {
		return string(key)
	}
	if said, found := catalogues().plain[l][key]; found {
		return said
	}
	if !catalogues().known[key] {
		return l.words(string(key))
	}
	return string(key)
}

// value is a value of a text as the language writes it.
func (l Language) value(v value) any {
	switch {
	case v.Number != nil && l == program:
		return *v.Number
	case v.Number != nil:
		return count(*v.Number)
	case v.Text != "":
		return l.Say(v.Text)
	case v.Moment != nil:
		return l.time(*v.Moment, time.RFC3339, "02.01.2006 15:04:05 MST")
	case v.Minute != nil:
		return l.time(*v.Minute, "2006-01-02 15:04 UTC", "02.01.2006 15:04 MST")
	case v.Day != nil && l == program:
		return v.Day.Format(time.DateOnly)
	case v.Day != nil:
		return v.Day.Format("02.01.2006")
	}
	return l.words(v.Words)
}

// words is data as the language writes it: for people so that each character is seen.
func (l Language) words(data string) string {
	if l == program {
		return data
	}
	return Legible(data)
}

// time writes a time in UTC for programs, and in the zone of the pages for people.
func (l Language) time(at time.Time, forPrograms, onPages string) string {
	if l == program {
		return at.UTC().Format(forPrograms)
	}
	return at.In(Zone()).Format(onPages)
}

func (l Language) sayJoined(encoded string) string {
	var list joined
	_ = json.Unmarshal([]byte(encoded), &list) // Join encoded it
	said := make([]string, len(list.Texts))
	for i, text := range list.Texts {
		said[i] = l.Say(text)
	}
	return strings.Join(said, list.Between)
}

// count is a whole number in a text: it chooses the plural form, and is written with apostrophes in every language.
type count int

// PluralForm is the form of the number in a language, as the library knows it.
func (c count) PluralForm(tag language.Tag, _ int) (form plural.Form, number int) {
	number = max(int(c), -int(c))
	return plural.Cardinal.MatchPlural(tag, number, 0, 0, 0, 0), number
}

// Format writes the number.
func (c count) Format(to fmt.State, _ rune) { _, _ = to.Write([]byte(Number(int(c)))) }

// Number writes a whole number as all languages of the portal do: 12'345.
func Number(number int) string {
	digits := strconv.Itoa(number)
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "'" + digits[at:]
	}
	return sign + digits
}

// AtMost is the text itself, or the beginning of its English where that has more characters.
func (t Text) AtMost(characters int) Text {
	if english := []rune(t.String()); len(english) > characters {
		return Data(string(english[:characters]))
	}
	return t
}

// Kept is a text of the program that was kept as a string: as Stored gives it, or the name of a state, a role or a field.
func Kept(text string) Text { return Text(text) }

// Stored is the text as it is kept beside its English, its key with its values; "" for data, of which the English is all.
func (t Text) Stored() string {
	if strings.HasPrefix(string(t), dataMark) {
		return ""
	}
	return string(t)
}

// ISODate writes a month or a day of ISO 8601, 2026-03 or 2026-03-05, as the pages do: 03.2026, 05.03.2026.
func ISODate(text string) Text {
	parts := strings.Split(text, "-")
	slices.Reverse(parts)
	return Data(strings.Join(parts, "."))
}

// Zone is the time zone of the pages.
var Zone = sync.OnceValue(func() *time.Location {
	location, err := time.LoadLocation("Europe/Zurich")
	if err != nil {
		return time.UTC // cannot happen with the embedded zone files
	}
	return location
})
