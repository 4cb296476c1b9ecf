// Package i18n says what people read in the portal in their own language: English, German, French or Italian, as banks in Switzerland
// write them. A text is known by its English sentence; the others stand in catalogue/*.yaml beside it. What programs
// read (the JSON API, logs, documents of the schemes) is English and does not come here.
//
// Numbers and times look the same in all four: 1'234.56 with an apostrophe, 22.11.2026 08:14:03 CET with the zone. People compare them with
// what other banks and other people print, so they must not change with the language.
package i18n

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

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

// Text is a text not yet translated. A constant is the English sentence of the catalogue, with placeholders as in package fmt; With fills
// them, and Data makes a text that needs no translation. Where one English word has several translations, the constant adds the meaning
// ("Open (state)"), and its entry in the catalogue has the English word too.
//
// A test finds every constant of this type and fails for one without translations.
type Text string

// Marks in a Text: what follows is said as it is; are the values of the placeholders; are texts to be joined; is the code of a country.
const (
	dataMark   = "\x01"
	valuesMark = "\x02"
	joinedMark = "\x03"
	regionMark = "\x04"
)

// value is one value of a text before its translation.
type value struct {
	Words  string `json:"w,omitempty"`
	Number int    `json:"n,omitempty"`
	Text   Text   `json:"t,omitempty"` // to be said too
	Counts bool   `json:"c,omitempty"` // Number is the value
}

// With fills the placeholders of a text: with whole numbers, of which the first chooses the plural form, with texts, which are said in the
// same language, and with anything else as package fmt writes it.
func (t Text) With(values ...any) Text {
	kept := make([]value, len(values))
	for i, one := range values {
		switch one := one.(type) {
		case int:
			kept[i] = value{Number: one, Counts: true}
		case Text:
			kept[i] = value{Text: one}
		default:
			kept[i] = value{Words: fmt.Sprint(one)}
		}
	}
	encoded, _ := json.Marshal(kept) // plain values can always be encoded
	return t + valuesMark + Text(encoded)
}

// Data is a text that is the same in every language: a name, an amount, what somebody typed.
func Data(words string) Text {
	if words == "" {
		return ""
	}
	return Text(dataMark + words)
}

// Join is several texts as one, with something between them that is the same in every language, such as a space.
func Join(between string, texts ...Text) Text {
	texts = slices.DeleteFunc(slices.Clone(texts), func(t Text) bool { return t == "" })
	if len(texts) == 0 {
		return ""
	}
	encoded, _ := json.Marshal(joined{Between: between, Texts: texts}) // plain values can always be encoded
	return joinedMark + Text(encoded)
}

type joined struct {
	Between string `json:"b"`
	Texts   []Text `json:"t"`
}

// English is the text for those who read no other language: programs, logs.
func (t Text) English() string { return English.Say(t) }

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
		return data
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
	key, encoded, filled := strings.Cut(string(text), valuesMark)
	all := catalogues()
	if !filled {
		if said, found := all.plain[l][Text(key)]; found {
			return said
		}
		return key
	}
	var kept []value
	_ = json.Unmarshal([]byte(encoded), &kept) // With encoded them
	said := make([]any, len(kept))
	for i, one := range kept {
		switch {
		case one.Counts:
			said[i] = count(one.Number)
		case one.Text != "":
			said[i] = l.Say(one.Text)
		default:
			said[i] = one.Words
		}
	}
	return all.printers[l].Sprintf(message.Key(key, key), said...)
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

// Kept is a text that was kept as a string, as a session does.
func Kept(text string) Text { return Text(text) }
