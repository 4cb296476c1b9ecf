package i18n

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // the zone must be known on hosts without zone files
)

// maxSentence limits the bytes of a sentence with values that is recognised: longer ones are texts of users.
const maxSentence = 1000

// pattern knows the sentences of one key that has placeholders.
type pattern struct {
	key   Text
	start string // what every such sentence begins with
	whole *regexp.Regexp
	verbs []string
}

// patterns are those of the sentences that lower floors write with values in them; longer keys first, as they say more.
var patterns = sync.OnceValue(func() []pattern {
	var all []pattern
	entries, _ := readEntries("sentence.yaml") // a test reads them
	for key := range entries {
		if strings.Contains(string(key), "%") {
			all = append(all, newPattern(key))
		}
	}
	slices.SortFunc(all, func(a, b pattern) int {
		if byLength := len(b.key) - len(a.key); byLength != 0 {
			return byLength
		}
		return strings.Compare(string(a.key), string(b.key))
	})
	return all
})

func newPattern(key Text) pattern {
	made := pattern{key: key}
	var whole strings.Builder
	last := 0
	for _, found := range placeholder.FindAllStringSubmatchIndex(string(key), -1) {
		whole.WriteString(regexp.QuoteMeta(string(key[last:found[0]])))
		if last == 0 {
			made.start = string(key[:found[0]])
		}
		verb := string(key[found[4]:found[5]])
		made.verbs = append(made.verbs, verb)
		whole.WriteString(map[string]string{"d": `(\d+)`, "q": `("(?:[^"\\]|\\.)*")`, "s": "(.+?)"}[verb])
		last = found[1]
	}
	whole.WriteString(regexp.QuoteMeta(string(key[last:])))
	made.whole = regexp.MustCompile("^" + whole.String() + "$")
	return made
}

// text is the sentence as its key with the values; ok is false when it is no sentence of the key.
func (p pattern) text(sentence string) (text Text, ok bool) {
	if !strings.HasPrefix(sentence, p.start) {
		return "", false
	}
	found := p.whole.FindStringSubmatch(sentence)
	if found == nil {
		return "", false
	}
	values := make([]any, len(p.verbs))
	for at, verb := range p.verbs {
		values[at] = within(found[at+1])
		var err error
		switch verb {
		case "d":
			values[at], err = strconv.Atoi(found[at+1])
		case "q":
			values[at], err = strconv.Unquote(found[at+1])
		}
		if err != nil {
			return "", false
		}
	}
	return p.key.With(values...), true
}

// moments are the forms in which lower floors write one, with the form that pages show.
var moments = map[string]string{
	"2006-01-02 15:04 UTC": "02.01.2006 15:04 MST", "2006-01-02 15:04:05 UTC": "02.01.2006 15:04:05 MST",
	time.RFC3339: "02.01.2006 15:04:05 MST",
}

// within translates a value of a sentence: a moment or a day as pages show them, a state, a role or a holder of a limit. Unknown values
// stay as they are.
func within(text string) Text {
	for layout, shown := range moments {
		at, err := time.Parse(layout, text)
		if err == nil {
			return Data(at.In(Zone()).Format(shown))
		}
	}
	day, err := time.Parse(time.DateOnly, text)
	if err == nil {
		return Data(day.Format("02.01.2006"))
	}
	return Sentence(text)
}

// Zone is that of every time on a page.
var Zone = sync.OnceValue(func() *time.Location {
	location, err := time.LoadLocation("Europe/Zurich")
	if err != nil {
		return time.UTC // cannot happen with the embedded zone files
	}
	return location
})

// unmarked removes the marks of a Text from texts of lower packages and of users, which must not have any.
var unmarked = strings.NewReplacer(dataMark, "", valuesMark, "", joinedMark, "", regionMark, "")

// Sentence is a text that a lower floor wrote in English: it is said in its translation where the catalogue has one, for its words or for
// its words around the values in it, and as it stands where it has none, as of a text that another bank sent. Two sentences, of which the
// second says more about the first, are known again as two.
func Sentence(english string) Text {
	english = unmarked.Replace(english)
	if text, ok := knownSentence(english); ok {
		return text
	}
	if first, second, ok := strings.Cut(english, ". The "); ok {
		one, known := knownSentence(first + ".")
		two, more := knownSentence("The " + second)
		if known && more {
			return Join(" ", one, two)
		}
	}
	return Text(english)
}

// knownSentence is a sentence that the catalogue has; ok is false for any other.
func knownSentence(english string) (text Text, ok bool) {
	if len(english) > maxSentence {
		return "", false
	}
	if catalogues().known[Text(english)] {
		return Text(english), true
	}
	if text, ok := placed(english); ok {
		return text, true
	}
	for _, one := range patterns() {
		text, ok := one.text(english)
		if ok {
			return text, true
		}
	}
	return "", false
}

// Advice returns the remedy of a finding in a document without the name of its element, for display beside a field. Other sentences are
// those of Sentence.
func Advice(english string) Text {
	found := inElement.FindStringSubmatch(english)
	if found == nil {
		return Sentence(english)
	}
	advice := Sentence(found[1])
	if advice == Text(found[1]) && !catalogues().known[advice] {
		return Sentence(english)
	}
	return Text("%s. (advice)").With(advice)
}

// inElement is a finding in a document: what to do, and in which element.
var inElement = regexp.MustCompile(`^(.+) in (\w+)\.$`)

// placed splits a finding into its remedy and its element, which languages order differently. Only remedies in the catalogue count, because
// other sentences may end alike.
func placed(english string) (text Text, ok bool) {
	found := inElement.FindStringSubmatch(english)
	if found == nil {
		return "", false
	}
	advice := Sentence(found[1])
	if value, enters := strings.CutPrefix(found[1], "Enter "); enters && !strings.Contains(value, " ") {
		advice = Text("Enter %s (element)").With(Data(value)) // the only value that the schema has for it
	}
	if advice == Text(found[1]) && !catalogues().known[advice] {
		return "", false
	}
	return Text("%s in %s. (element)").With(advice, Data(found[2])), true
}
