package administration

import (
	"cmp"
	"net"
	"net/url"
	"strings"
	"time"
)

// Provider is the identity provider of a realm, where its people sign in beside a password here (OpenID Connect).
type Provider struct {
	ID            string // "" for one that is not there yet
	Issuer        string `field:"issuer"`         // as the provider calls itself, letter by letter
	ClientID      string `field:"providerClient"` // the name of this portal there
	HasSecret     bool   // the client has a secret there, which is never shown
	PortalAddress string `field:"portalAddress"` // of browsers; answers come back below it
	Passwords     string `field:"passwords"`
	// SignInAge is the greatest age of a sign-in at the provider, in whole seconds; 0 for a new one each time.
	SignInAge time.Duration `field:"signInAge"`
	Status    string        `field:"status"`
}

// The kinds of changes of identity providers.
const (
	KindProviderSet    Kind = "provider.set" // takes the place of the one before
	KindProviderRetire Kind = "provider.retire"
)

var providerNoun = Noun{
	Name: "provider", Plural: "providers", Key: "issuer",
	Fields: []Field{
		{
			Key: "issuer", Label: "Issuer", Min: 1, Max: issuerLimit, Exact: true, Required: true,
			Hint: "Exactly as the provider publishes it, such as https://login.bank.example/realms/staff",
		},
		{Key: "providerClient", Label: "Client ID from the identity provider", Min: 1, Max: outerLimit, Exact: true, Required: true},
		{
			Key: "providerSecret", Label: "Client secret from the identity provider", Type: TypeSecret,
			Hint: "Leave empty for a public client, or to keep the current secret",
		},
		{
			Key: "portalAddress", Label: "Address of the portal", Min: 1, Max: outerLimit, Exact: true, Required: true,
			Hint: "For example, https://payments.bank.example",
		},
		{
			Key: "signInAge", Label: "Maximum time since sign-in at the identity provider", Type: TypeDuration,
			Hint: "From 0s to 12h. If left empty, 5m applies",
		},
		{Key: "passwords", Label: "Sign-in with a password", Options: []string{PasswordsEverybody, PasswordsBreakGlass}},
		statusField,
	},
	Actions: []Action{
		{
			Kind: KindProviderSet, Filled: true, Sets: true,
			Fields: []string{"issuer", "providerClient", "providerSecret", "portalAddress", "signInAge", "passwords"},
			Label:  "Set up the identity provider", Heading: "Set up the identity provider",
			Words: "The new provider replaces the current provider. Register this portal with the new provider and choose the authorisation " +
				"code flow. The redirect address is the address of the portal followed by /signin/provider/, the name of the realm and /answer. " +
				"The secret is stored encrypted and is never shown. To keep the current secret, leave the field empty.",
		},
		{
			Kind: KindProviderRetire, Status: StatusRetired, Label: "Retire", Heading: "Retire the identity provider",
			Words: "Without the identity provider, everyone signs in with a password. Links to user accounts are kept, and will work again if " +
				"you set up an identity provider with the same issuer.",
		},
	},
}

// Who may sign in to the portal by a password while the realm has an identity provider.
const (
	PasswordsEverybody  = "everybody"
	PasswordsBreakGlass = "break-glass" // administrators alone, each time with an alarm
)

// The bounds of identity providers.
const (
	issuerLimit   = 140
	outerLimit    = 255 // OpenID Connect Core 1.0 section 2, sub
	maxAge        = 12 * time.Hour
	defaultAge    = 5 * time.Minute
	secretInWords = "set"
)

// Values are the fields of the provider.
func (p Provider) Values() Values {
	values := ValuesOf(p)
	if p.HasSecret {
		values["providerSecret"] = secretInWords
	}
	return values
}

// ProviderOf reads a provider from its fields. Error: iso20022.FieldError.
func ProviderOf(values Values, prefix string) (Provider, error) {
	f, p := &findings{prefix: prefix}, Provider{}
	Fill(&p, values)
	p.HasSecret, p.PortalAddress = values["providerSecret"] != "", strings.TrimSuffix(p.PortalAddress, "/")
	p.Passwords = cmp.Or(p.Passwords, PasswordsEverybody)
	p.SignInAge = f.duration("signInAge", values["signInAge"], durations{
		most: maxAge, preset: defaultAge, refusal: "Enter the maximum time since sign-in at the provider, from 0s to 12h, such as 5m.",
	})
	f.check(&providerNoun, values.with(Values{"portalAddress": p.PortalAddress}))
	if p.Issuer != "" && !safeAddress(p.Issuer, true) {
		f.add("issuer", codeFormat,
			"Enter the issuer exactly as the provider publishes it, with https and no query, such as https://login.bank.example/realms/staff.")
	}
	if p.PortalAddress != "" && !safeAddress(p.PortalAddress, false) {
		f.add("portalAddress", codeFormat,
			"Enter the address of the portal as it appears in the browser, such as https://payments.bank.example, without a path.")
	}
	return p, f.err()
}

// safeAddress reports whether an address is of https, or of http on this machine alone, names a host and has nothing behind its path.
func safeAddress(text string, path bool) bool {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.User != nil || strings.ContainsAny(text, " ?#\\") || !path && u.Path != "" {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && onThisMachine(u.Hostname())
}

// onThisMachine reports whether a host is this machine, without asking a name server.
func onThisMachine(host string) bool {
	address := net.ParseIP(host)
	return host == "localhost" || address != nil && address.IsLoopback()
}

// RedirectPath returns the path to which a realm's provider sends its answers, below the portal's address.
func RedirectPath(realm string) string { return "/signin/provider/" + realm + "/answer" }

// afterProvider is the provider after a change. The secret of the one before stays when none is given, and only for the client it
// belongs to.
func (r Request) afterProvider(known Facts) (Values, error) {
	f := &findings{prefix: valuesPrefix}
	p, err := ProviderOf(r.Values, valuesPrefix)
	f.join(err)
	p.Status = StatusInForce
	after := p.Values()
	switch before := known.Before; {
	case p.HasSecret:
		after["providerSecret"] = SecretAnew
	case before["providerSecret"] == "":
	case before["issuer"] != p.Issuer || before["providerClient"] != p.ClientID:
		f.add("providerSecret", codeMissing, "The stored secret belongs to another client. Enter the secret of the new client. If the new "+
			"client has no secret, retire the current identity provider first.")
	default:
		after["providerSecret"] = before["providerSecret"]
	}
	return after, f.err()
}
