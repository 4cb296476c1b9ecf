package payee

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Compare compares a given name with that of an account and returns Match, CloseMatch or NoMatch:
//
//  1. letters are folded (accents, umlauts in both spellings, capitals); signs, titles and joining words are removed;
//  2. legal forms are set aside: an omitted one is ignored, two different ones make the best result a close match;
//  3. the same words in any order, or written together, match;
//  4. of an account of several people, the name of one of them matches;
//  5. a word mistyped, an initial for a word, a word left out or added, or an end cut off is a close match, when enough letters
//     agree to recognise the name.
func Compare(given, holder string) Result {
	one, other := read(given), read(holder)
	if len(one.words) == 0 || len(other.words) == 0 {
		return NoMatch
	}
	result := compareWords(one.words, other.words)
	if result == NoMatch && cutOff(one, other) {
		result = CloseMatch
	}
	if result != Match && one.form == "" && other.form == "" {
		for _, person := range people(holder) {
			if compareWords(one.words, person.words) == Match {
				return Match
			}
		}
	}
	if result == Match && one.form != "" && other.form != "" && one.form != other.form {
		return CloseMatch
	}
	return result
}

// name is a name as it is compared.
type name struct {
	words []string // folded, in order, without the legal form
	form  string   // the legal form, "" for none
}

func read(text string) name {
	var n name
	words := legalForm(&n, joinLetters(wordsOf(text)))
	for _, word := range words {
		if !slices.Contains(titles, word) && !slices.Contains(joining, word) {
			n.words = append(n.words, word)
		}
	}
	if len(n.words) == 0 { // a name made of such words alone
		n.words = words
	}
	return n
}

// wordsOf folds a text and cuts it into words: letters and digits. An apostrophe inside a word joins its parts.
func wordsOf(text string) []string {
	var folded strings.Builder
	for _, r := range norm.NFKD.String(strings.ToLower(text)) {
		switch {
		case unicode.IsMark(r), r == '\'', r == '’', r == '`':
		case unicode.IsLetter(r), unicode.IsDigit(r):
			folded.WriteString(plain(r))
		case r == '&', r == '+':
			folded.WriteString(" und ")
		default:
			folded.WriteByte(' ')
		}
	}
	words := strings.Fields(folded.String())
	for i, word := range words {
		words[i] = shortUmlauts.Replace(word)
	}
	return words
}

// shortUmlauts writes ae, oe and ue as folded umlauts are written, and dj as folded đ, so that both spellings compare. Words that never
// had an umlaut are shortened on both sides alike.
var shortUmlauts = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u", "dj", "d")

// plain is a letter that no accent can be taken from, as it is spelled without it.
func plain(r rune) string {
	switch r {
	case 'ß':
		return "ss"
	case 'æ':
		return "ae"
	case 'œ':
		return "oe"
	case 'ø':
		return "o"
	case 'ł':
		return "l"
	case 'đ', 'ð':
		return "d"
	case 'þ':
		return "th"
	case 'ı':
		return "i"
	}
	return string(r)
}

// titles are said before names, and joining words between them; neither tells one account from another.
var (
	titles  = []string{"herr", "herrn", "frau", "mr", "mrs", "ms", "mme", "monsieur", "madame", "dr", "prof", "dipl", "ing", "med", "lic"}
	joining = []string{"und", "and", "et", "oder", "or", "ou", "the"}
)

// forms are the legal forms, each with how it is written; what follows from joinLetters and folding counts ("s.a.r.l." is sarl).
var forms = map[string]string{
	"ag": "ag", "aktiengesellschaft": "ag", "sa": "sa", "gmbh": "gmbh", "sarl": "sarl", "srl": "srl", "sagl": "sagl", "spa": "spa",
	"ltd": "ltd", "limited": "ltd", "llc": "llc", "llp": "llp", "plc": "plc", "inc": "inc", "incorporated": "inc", "bv": "bv", "nv": "nv",
	"kg": "kg", "kommanditgesellschaft": "kg", "ohg": "ohg", "ug": "ug", "se": "se", "ev": "ev", "eg": "eg", "genossenschaft": "eg",
	"sas": "sas", "sasu": "sas", "sl": "sl", "slu": "sl", "oy": "oy", "ab": "ab", "as": "as", "aps": "aps", "verein": "ev",
	"stiftung": "stiftung",
	"corp":     "inc", "corporation": "inc", "snc": "snc", "eurl": "sarl", "doo": "doo", "kft": "kft", "sro": "sro",
	"unternehmergesellschaft": "ug", "ek": "ek", "partg": "partg", "partgmbb": "partg", "spzoo": "spzoo", "lda": "lda",
	"ggmbh": "ggmbh", "kgaa": "kgaa", "gbr": "gbr", "sci": "sci", "bvba": "bvba", "vof": "vof", "zrt": "zrt", "uab": "uab", "sia": "sia",
	"eood": "eood", "ood": "ood", "srls": "srls",
}

// longForms are legal forms of several words, each before those it contains.
var longForms = []struct{ words, form string }{
	{"ug haftungsbeschrankt", "ug"},
	{"unternehmergesellschaft haftungsbeschrankt", "ug"},
	{"partg mbb", "partg"},
	{"sp z oo", "spzoo"},
	{"spolka z ograniczona odpowiedzialnoscia", "spzoo"},
	{"unipessoal lda", "lda"},
	{"spol sro", "sro"},
	{"e kfm", "ek"},
	{"e kfr", "ek"},
	{"eingetragener kaufmann", "ek"},
	{"eingetragene kauffrau", "ek"},
	{"gesellschaft mit beschrankter haftung", "gmbh"},
	{"mit beschrankter haftung", "gmbh"},
	{"societe anonyme", "sa"},
	{"societe a responsabilite limitee", "sarl"},
	{"societa per azioni", "spa"},
	{"societa a responsabilita limitata", "srl"},
	{"eingetragener verein", "ev"},
	{"sociedad limitada", "sl"},
	{"sociedad anonima", "sa"},
}

// standings follow a legal form while a company is founded or wound up; the account is that of the same company.
var standings = []string{"in liquidation", "in liq", "in grundung", "i l", "i g"}

// joinLetters writes letters that stand alone together where they make a legal form: s a is sa.
func joinLetters(words []string) []string {
	var joined []string
	for i := 0; i < len(words); i++ {
		word, last := words[i], i
		for end, together := i, ""; end < len(words) && utf8.RuneCountInString(words[end]) <= 2 && end < i+5; end++ {
			together += words[end]
			if _, form := forms[together]; form && end > i {
				word, last = together, end
			}
		}
		joined = append(joined, word)
		i = last
	}
	return joined
}

// spelledOut is the number of letters from which a legal form may precede the name.
const spelledOut = 6

// legalForm takes the legal forms out of the words, of which the last counts: GmbH & Co. KG is a KG. A short one at the very
// beginning is a word like others, and so is one that leaves no other.
func legalForm(n *name, words []string) []string {
	text := " " + strings.Join(words, " ") + " "
	for _, standing := range standings {
		text = strings.Replace(text, " "+standing+" ", " ", 1)
	}
	for _, long := range longForms {
		if before, after, found := strings.Cut(text, " "+long.words+" "); found {
			text, n.form = before+" "+after, long.form
		}
	}
	var rest []string
	for i, word := range strings.Fields(text) {
		form, is := forms[word]
		switch {
		case is && (i > 0 || len(word) >= spelledOut):
			n.form = form
		case word == "co" && n.form != "":
		default:
			rest = append(rest, word)
		}
	}
	if len(rest) == 0 {
		return words
	}
	return rest
}

// people are the names of the people of an account that several hold, none when one does. A joined name of one word is no person's.
func people(holder string) []name {
	var all []name
	var words []string
	end := func() {
		if len(words) > 1 {
			all = append(all, name{words: words})
		}
		words = nil
	}
	whole := wordsOf(holder)
	if !slices.ContainsFunc(whole, func(word string) bool { return slices.Contains(joining, word) }) {
		return nil
	}
	for _, word := range whole {
		if slices.Contains(joining, word) {
			end()
		} else if !slices.Contains(titles, word) {
			words = append(words, word)
		}
	}
	end()
	return all
}

// cutOffAt is the shortest beginning of a longer name that counts as cut off: fields of other systems end at 27, 35 or 70 characters.
const cutOffAt = 20

// cutOff reports whether the name that was given is the beginning of the holder's, cut off somewhere.
func cutOff(given, holder name) bool {
	short, long := strings.Join(given.words, " "), strings.Join(holder.words, " ")
	return utf8.RuneCountInString(short) >= cutOffAt && strings.HasPrefix(long, short)
}
