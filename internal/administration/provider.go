package administration

import (
	"net"
	"net/url"
	"strings"
	"time"
)

// Provider is the identity provider of a realm: where its people prove who they are besides by a password here (OpenID Connect).
type Provider struct {
	ID            string // "" for one that is not there yet
	Issuer        string // as the provider calls itself, letter by letter
	ClientID      string // what this portal is called there
	HasSecret     bool   // the client has a secret there, which is never shown
	PortalAddress string // where browsers reach the portal; answers come back below it
	Passwords     string
	// SignInAge is how long ago people may have proved there who they are; none for anew each time. Whole seconds.
	SignInAge time.Duration
	Status    string
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
	values := Values{
		"issuer": p.Issuer, "providerClient": p.ClientID, "portalAddress": p.PortalAddress, "passwords": p.Passwords,
		"signInAge": age(p.SignInAge), "status": p.Status,
	}
	if p.HasSecret {
		values["providerSecret"] = secretInWords
	}
	return values.Compact()
}

// age writes how long ago a sign-in may have been.
func age(d time.Duration) string {
	if d == 0 {
		return "0s"
	}
	return Wait(d)
}

// ProviderOf reads a provider from its fields. Error: payment.FieldError.
func ProviderOf(values Values, prefix string) (Provider, error) {
	f := &findings{prefix: prefix}
	p := Provider{
		Issuer: values["issuer"], ClientID: values["providerClient"], HasSecret: values["providerSecret"] != "",
		PortalAddress: strings.TrimSuffix(values["portalAddress"], "/"), Passwords: values["passwords"], SignInAge: f.age(values["signInAge"]),
		Status: values["status"],
	}
	if p.Passwords == "" {
		p.Passwords = PasswordsEverybody
	}
	f.text("issuer", p.Issuer, 1, issuerLimit)
	if p.Issuer != "" && !safeAddress(p.Issuer, true) {
		f.add("issuer", codeFormat,
			"Enter the issuer as the provider writes it, such as https://login.bank.example/realms/staff: https, without query.")
	}
	f.text("providerClient", p.ClientID, 1, outerLimit)
	f.text("portalAddress", p.PortalAddress, 1, outerLimit)
	if p.PortalAddress != "" && !safeAddress(p.PortalAddress, false) {
		f.add("portalAddress", codeFormat,
			"Enter the address of the portal as browsers have it, such as https://payments.bank.example, without a path.")
	}
	f.oneOf("passwords", p.Passwords, PasswordsEverybody, PasswordsBreakGlass)
	return p, f.err()
}

// age reads how long ago a sign-in at the provider may have been.
func (f *findings) age(text string) time.Duration {
	if text == "" {
		return defaultAge
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > maxAge || d%time.Second != 0 {
		f.add("signInAge", codeFormat, "Say how long ago people may have signed in at the provider, from 0s to 12h, such as 5m.")
		return defaultAge
	}
	return d
}

// safeAddress reports whether an address is of https, or of http on this machine alone, names a host and has nothing behind its path.
func safeAddress(text string, path bool) bool {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.User != nil || strings.ContainsAny(text, " ?#\\") || !path && u.Path != "" {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && onThisMachine(u.Hostname())
}

// onThisMachine reports whether a host is this machine whatever a name server says.
func onThisMachine(host string) bool {
	address := net.ParseIP(host)
	return host == "localhost" || address != nil && address.IsLoopback()
}

// RedirectPath is where the answers of a realm's provider come back, below the portal's address.
func RedirectPath(realm string) string { return "/signin/provider/" + realm + "/answer" }

// afterProvider is the provider after a change. The secret of the one before stays when none is given, and only for the client it
// belongs to.
func (r Request) afterProvider(known Facts) (Values, error) {
	if r.Kind == KindProviderRetire {
		return known.Before.with(Values{"status": StatusRetired}), nil
	}
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
		f.add("providerSecret", codeMissing, "Enter the secret: the one that is kept belongs to another client, or retire the provider first.")
	default:
		after["providerSecret"] = before["providerSecret"]
	}
	return after, f.err()
}

// afterLink is a user account after its link with an outer subject was made or ended.
func (r Request) afterLink(known Facts) (Values, error) {
	if r.Kind == KindUserUnlink {
		return without(known.Before, "outerIssuer", "outerSubject"), nil
	}
	f := &findings{prefix: valuesPrefix}
	subject := r.Values["outerSubject"]
	f.join(CheckOuterSubject(subject, valuesPrefix))
	if known.Provider.Issuer == "" {
		f.add("outerSubject", codeFormat, "Set the identity provider of the realm first.")
	}
	if known.LinkedElsewhere {
		f.add("outerSubject", "AM05", "Unlink the other account first: this subject is linked with one.")
	}
	return known.Before.with(Values{"outerIssuer": known.Provider.Issuer, "outerSubject": subject}), f.err()
}

// CheckOuterSubject says what is wrong with who an account is at a provider. Error: payment.FieldError.
func CheckOuterSubject(subject, prefix string) error {
	f := &findings{prefix: prefix}
	f.text("outerSubject", subject, 1, outerLimit)
	if strings.ContainsFunc(subject, func(letter rune) bool { return letter > '~' }) {
		f.add("outerSubject", codeFormat, "Enter the subject as the provider has it: letters of ASCII alone.")
	}
	return f.err()
}

// without is a copy that lacks fields.
func without(values Values, names ...string) Values {
	copied := values.with(nil)
	for _, name := range names {
		delete(copied, name)
	}
	return copied
}
