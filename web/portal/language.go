package portal

import (
	"net/http"
	"slices"
	"sync"

	"github.com/labstack/echo/v4"

	"countersign/internal/account"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/views/ui"
)

const (
	// languageCookie keeps in which language somebody reads the pages before they are signed in.
	languageCookie = "language"
	// choiceCookie is there while somebody who chose a language on the page of the sign-in signs in: the choice becomes theirs.
	choiceCookie = "language_choice"
	// languageLife is the life of the language cookie, in seconds.
	languageLife = 365 * 24 * 60 * 60
)

// LanguageOf returns the language of a request without a session: from the cookie, else from Accept-Language.
func LanguageOf(c echo.Context) i18n.Language {
	if known, ok := i18n.Parse(cookieOf(c, languageCookie)); ok {
		return known
	}
	return i18n.Guess(c.Request().Header.Get("Accept-Language"))
}

// speak sets the language of the answer.
func (v *Request) speak(l i18n.Language) {
	v.Echo.SetRequest(v.Echo.Request().WithContext(i18n.In(v.Context(), l)))
	v.Echo.Response().Header().Set("Content-Language", string(l))
}

// Language returns the language of the answer.
func (v *Request) Language() i18n.Language { return i18n.Of(v.Context()) }

// Say translates a text into the language of the answer.
func (v *Request) Say(text i18n.Text, values ...any) string {
	return v.Language().Say(text, values...)
}

// ChooseLanguage sets the language for a visitor without a session. A cookie stores it, and the next sign-in in this browser stores it for
// the person.
func (v *Request) ChooseLanguage(name string) {
	chosen, ok := i18n.Parse(name)
	if !ok {
		return
	}
	v.setCookie(languageCookie, string(chosen), languageLife, http.SameSiteStrictMode)
	v.setCookie(choiceCookie, string(chosen), 0, http.SameSiteStrictMode)
	v.speak(chosen)
}

// KeepLanguage stores the language of this person in a cookie; "" for the browser's.
func (v *Request) KeepLanguage(name string) {
	life := languageLife
	if name == "" {
		life = -1
	}
	v.setCookie(languageCookie, name, life, http.SameSiteStrictMode)
}

// speakTo switches to the language of the person who just signed in, chosen now or earlier.
func (v *Request) speakTo(by identity.Principal) error {
	preference, err := v.Config.Auth.Preference(v.Context(), by)
	if err != nil {
		return err
	}
	if choice := cookieOf(v.Echo, choiceCookie); slices.Contains(i18n.Languages(), i18n.Language(choice)) {
		v.setCookie(choiceCookie, "", -1, http.SameSiteStrictMode)
		preference.Language = choice
		err = v.Config.Auth.SavePreference(v.Context(), by, preference)
		if err != nil {
			return err
		}
	}
	if preference.Language != "" {
		v.KeepLanguage(preference.Language)
	}
	return nil
}

// Countries returns the country options of an address in a language, by name; the first option is no country.
func Countries(in i18n.Language) []ui.Option { return countries()[in] }

var countries = sync.OnceValue(func() map[i18n.Language][]ui.Option {
	all := map[i18n.Language][]ui.Option{}
	for _, in := range i18n.Languages() {
		options := []ui.Option{{Label: "Choose a country"}}
		for first := 'A'; first <= 'Z'; first++ {
			for second := 'A'; second <= 'Z'; second++ {
				code := string(first) + string(second)
				if account.CountryExists(code) {
					options = append(options, ui.Option{Value: code, Label: i18n.Country(code)})
				}
			}
		}
		compare := in.Less()
		slices.SortStableFunc(options[1:], func(a, b ui.Option) int { return compare(in.Say(a.Label), in.Say(b.Label)) })
		all[in] = options
	}
	return all
})
