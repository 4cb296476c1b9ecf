package administration

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"countersign/internal/i18n"
	"countersign/internal/identity"
)

// Noun describes one kind of thing that changes only under dual control. Forms, lists, the API, the YAML of a realm, differences and the
// texts of findings are derived from the description.
type Noun struct {
	Name    string   // "limit"
	Plural  string   // "limits", of the list for programs; "" for a noun without one
	Key     string   // the field that names a subject
	Fields  []Field  // in the order of a difference
	Actions []Action // the changes that people may ask for
	// Maker and Checker are the roles that ask and decide; zero for administrators.
	Maker, Checker identity.Role
}

// Field describes one field of a noun.
type Field struct {
	Key      string
	Label    i18n.Text
	Type     FieldType
	Hint     i18n.Text // beside the field of a form
	Options  []string  // a closed list of values; nil for any
	None     i18n.Text // the label of the empty option of a form; "" for none
	Required bool      // in forms
	Min, Max int       // characters of a text, or bounds of a number; no check when Max is 0
	Exact    bool      // space around the text stays
	Hidden   bool      // an internal id, which no difference shows
	// More and Less say that a change makes the value larger or smaller: with the values before and after, or the words that come or go.
	More, Less i18n.Text
	// ShownAs returns the key under whose format a difference shows the value, "" to leave it out; nil for its own.
	ShownAs func(subject Values) string
}

// FieldType is the format of a field's text.
type FieldType string

// The types of fields.
const (
	TypeText     FieldType = ""
	TypeWords    FieldType = "words"    // roles: sorted, separated by ", "
	TypeList     FieldType = "list"     // words that are typed: sorted, separated by ", "
	TypeNumber   FieldType = "number"   // a whole one
	TypeYesNo    FieldType = "yes-no"   // "yes"; absent for no
	TypeAmount   FieldType = "amount"   // with two decimals
	TypeDuration FieldType = "duration" // "24h", "90m", "5s"
	TypeIBAN     FieldType = "iban"     // without spaces
	TypeBIC      FieldType = "bic"
	TypeCountry  FieldType = "country" // two letters
	TypeSecret   FieldType = "secret"  // shown in no form
	TypePerson   FieldType = "person"  // the id of a person
)

// Action describes one kind of change.
type Action struct {
	Kind   Kind
	Fields []string // in the order of the form
	Clears []string // of them, those that an empty value clears
	// Label is the text of a link, Heading names the change with its subject, Words explain it.
	Label, Heading, Words i18n.Text
	Filled                bool   // the form begins with the values of the subject
	Sets                  bool   // the subject need not be there before
	Status                string // the status that the change sets, and nothing else; "" for another change
	// NoteMissing refuses a request without a note; "" where the note is optional.
	NoteMissing i18n.Text
}

// Subject is one thing that a noun describes, such as one limit.
type Subject interface{ Values() Values }

// nouns are in the order in which kinds of changes are listed.
var nouns = []*Noun{
	&userNoun, &clientNoun, &accountNoun, &policyNoun, &limitNoun, &providerNoun, &webhookNoun, &realmNoun, &messageNoun, &beneficiaryNoun,
}

// after returns the rules of a noun, which make the subject after a change. A function, because rules read the descriptions.
func (n *Noun) after() func(Request, Facts) (Values, error) {
	return map[*Noun]func(Request, Facts) (Values, error){
		&userNoun: Request.afterUser, &clientNoun: Request.afterClient, &accountNoun: Request.afterAccount, &policyNoun: Request.afterPolicy,
		&limitNoun: Request.afterLimit, &providerNoun: Request.afterProvider, &webhookNoun: Request.afterWebhook,
		&realmNoun: Request.afterFactors, &messageNoun: Request.afterMessage, &beneficiaryNoun: Request.afterBeneficiary,
	}[n]
}

// Lists returns the names of the nouns with a list for programs, each with its plural.
func Lists() map[string]string {
	lists := map[string]string{}
	for _, noun := range nouns {
		if noun.Plural != "" {
			lists[noun.Name] = noun.Plural
		}
	}
	return lists
}

// actions are all actions by kind.
var actions = func() map[Kind]*Action {
	all := map[Kind]*Action{}
	for _, noun := range nouns {
		for i := range noun.Actions {
			all[noun.Actions[i].Kind] = &noun.Actions[i]
		}
	}
	return all
}()

// fields are all fields by key. A key has the same label and type in every noun.
var fields = func() map[string]*Field {
	all := map[string]*Field{}
	for _, noun := range nouns {
		for i := range noun.Fields {
			if all[noun.Fields[i].Key] == nil {
				all[noun.Fields[i].Key] = &noun.Fields[i]
			}
		}
	}
	return all
}()

// noun returns the noun of a kind; an empty one for an unknown kind.
func (k Kind) noun() *Noun {
	name, _, _ := strings.Cut(string(k), ".")
	for _, noun := range nouns {
		if noun.Name == name {
			return noun
		}
	}
	return &Noun{}
}

// Key is the field that names the subject of a kind.
func (k Kind) Key() string { return k.noun().Key }

// Noun is the name of the noun of a kind.
func (k Kind) Noun() string { return k.noun().Name }

// Action returns the description of a kind; the zero Action for an unknown kind.
func (k Kind) Action() Action {
	if found := actions[k]; found != nil {
		return *found
	}
	return Action{}
}

// Fields lists the fields of a change of the kind, in the order of its form.
func (k Kind) Fields() []string { return k.Action().Fields }

// Field returns the description of a field of the kind's noun.
func (k Kind) Field(key string) Field { return k.noun().Field(key) }

// Field returns the description of a field; one without a label for an unknown key.
func (n *Noun) Field(key string) Field {
	i := n.place(key)
	if i < 0 {
		return Field{Key: key}
	}
	return n.Fields[i]
}

func (n *Noun) place(key string) int {
	return slices.IndexFunc(n.Fields, func(f Field) bool { return f.Key == key })
}

// Grows compares two values of the field: above 0 if the one after is larger, below 0 if it is smaller, 0 without an order. No value is
// larger than any other one, except for a smallest amount and a priority.
func (f Field) Grows(before, after string) int { return cmp.Compare(f.size(after), f.size(before)) }

func (f Field) size(text string) float64 {
	span, notSpan := time.ParseDuration(text)
	number, notNumber := strconv.ParseFloat(text, 64)
	switch {
	case f.Type == TypeYesNo || f.Key == "funds":
		return float64(slices.Index(append(f.Options, Yes), text))
	case text == "" && f.Key != "amountFrom" && f.Key != "rank":
		return math.Inf(1)
	case notNumber == nil:
		return number
	case notSpan == nil:
		return span.Seconds()
	}
	return 0
}

// Kinds lists the kinds of changes of administrators.
func Kinds() (list []Kind) {
	for _, noun := range nouns {
		for _, action := range noun.Actions {
			if action.Kind.DecidedUnder() == identity.RoleAdministrator {
				list = append(list, action.Kind)
			}
		}
	}
	return list
}

// TypeOf returns the type of a field.
func TypeOf(key string) FieldType {
	if found := fields[key]; found != nil {
		return found.Type
	}
	return TypeText
}

// Label returns the heading of a field: "User name".
func Label(key string) i18n.Text {
	if found := fields[key]; found != nil {
		return found.Label
	}
	return i18n.Data(key)
}

// labels are the names of fields outside all nouns in English sentences.
var labels = map[string]i18n.Text{
	"note": "the note", "subject": "the subject", "institution": "the name of the institution", "rejectReason": "the reason",
	"breakGlass": "the reason",
}

// label names a field inside an English sentence: "the user name".
func label(key string) i18n.Text {
	found := fields[key]
	if found == nil {
		if words := labels[key]; words != "" {
			return words
		}
		return i18n.Data(key)
	}
	words := []rune(string(found.Label))
	if !unicode.IsUpper(words[1]) {
		words[0] = unicode.ToLower(words[0])
	}
	return i18n.Kept("the " + string(words))
}
