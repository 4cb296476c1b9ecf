package administration

import (
	"errors"

	"countersign/internal/identity"
	"countersign/internal/payment"
)

// What becomes of passwords and secrets, in words: neither is ever shown.
const (
	chosen   = "set"
	toChoose = "to be set by link and code"
	// PasswordAnew is what a user's fields say of a password that is reset.
	PasswordAnew = toChoose + ", anew"
	// SecretAnew is what a client's or a provider's fields say of a secret that takes the place of another.
	SecretAnew = "a new one"
)

// Password says in a user's fields whether its owner has set it.
func Password(toBeSetUp bool) string {
	if toBeSetUp {
		return toChoose
	}
	return chosen
}

// after is what the subject would be. Error: payment.FieldError.
func (r Request) after(known Facts) (Values, error) {
	switch r.Kind.Noun() {
	case "user":
		if r.Kind == KindUserLink || r.Kind == KindUserUnlink {
			return r.afterLink(known)
		}
		return r.afterUser(known)
	case "provider":
		return r.afterProvider(known)
	case "client":
		return r.afterClient(known)
	case "account":
		return r.afterAccount(known)
	case "message":
		return r.afterMessage(known)
	case nounBeneficiary:
		return r.afterBeneficiary(known)
	case "limit":
		return r.afterLimit(known)
	case nounRealm:
		return r.afterFactors(known)
	}
	return r.afterPolicy(known)
}

const valuesPrefix = "/values"

// refuse is one finding as an error.
func refuse(pointer, code, text string) error {
	return &payment.FieldError{Findings: []payment.Finding{{Pointer: pointer, Code: code, Text: text}}}
}

func (r Request) afterUser(known Facts) (Values, error) {
	before := known.Before
	switch r.Kind {
	case KindUserCreate:
		return r.newUser(known)
	case KindUserRoles:
		f, roles := &findings{prefix: valuesPrefix}, WordsOf[identity.Role](r.Values["roles"])
		f.roles(roles)
		if len(f.list) == 0 && string(DutyOf(roles)) != before["duty"] {
			f.add("roles", codeFormat, "Give administration and payments to different people: make an account for another person.")
		}
		return before.with(Values{"roles": Words(roles)}), f.err()
	case KindUserSuppress:
		return before.with(Values{"status": StatusSuppressed}), nil
	case KindUserRestore:
		status := StatusActive
		if before["password"] != chosen {
			status = StatusUnverified
		}
		if before["status"] != StatusSuppressed {
			status = before["status"]
		}
		return before.with(Values{"status": status}), nil
	default: // a reset
	}
	if before["status"] == StatusSuppressed {
		return nil, refuse("/subject", codeFormat, "Restore the account first: it is suppressed.")
	}
	// A link that was lost is replaced too, so a reset is never nothing.
	return before.with(Values{"status": StatusUnverified, "password": PasswordAnew}), nil
}

// namesake is said of a new person who is called like another: were they one human being, four-eyes would take them for two.
const namesake = "There is somebody of this name: name the person for another account of theirs, or tell two people apart in their names."

func (r Request) newUser(known Facts) (Values, error) {
	values := r.Values
	f := &findings{prefix: valuesPrefix}
	if known.Found {
		f.add("name", "AM05", "Choose another user name: there is an account of this one.")
	}
	if text := values["personId"]; text != "" {
		switch {
		case known.Person == nil:
			f.add("personId", codeUnknown, "Name a person of this realm, or leave it out for a new one.")
		case values["displayName"] != "" && values["displayName"] != known.Person.DisplayName:
			f.add("displayName", codeFormat, "Leave the name out: this person is called %s.", known.Person.DisplayName)
		default:
			values = values.with(Values{"displayName": known.Person.DisplayName})
		}
	} else if known.NameTaken {
		f.add("displayName", "AM05", "%s", namesake)
	}
	u, err := UserOf(values, valuesPrefix)
	f.join(err)
	if known.Person != nil && DutyOf(u.Roles) != known.Person.Duty {
		f.add("roles", codeFormat, "Give administration and payments to different people: this person's duty is %s.", known.Person.Duty)
	}
	u.Status, u.ToBeSetUp = StatusUnverified, true
	return u.Values(), f.err()
}

// join takes the findings of an error.
func (f *findings) join(err error) {
	var malformed *payment.FieldError
	if errors.As(err, &malformed) {
		f.list = append(f.list, malformed.Findings...)
	}
}

func (r Request) afterClient(known Facts) (Values, error) {
	before := known.Before
	switch {
	case r.Kind == KindClientCreate:
		f := &findings{prefix: valuesPrefix}
		if known.Found {
			f.add("clientId", "AM05", "Choose another id: there is a client of this one.")
		}
		c, err := ClientOf(r.Values, valuesPrefix)
		f.join(err)
		c.Status = StatusActive
		after := c.Values()
		if c.Kind == ClientConfidential {
			after["secret"] = SecretAnew
		}
		return after, f.err()
	case before["kind"] == ClientPortal:
		return nil, refuse("/subject", codeFormat, "Leave the portal's own client as it is: nobody could sign in without it.")
	case before["status"] == StatusSuppressed:
		return nil, refuse("/subject", codeFormat, "Make a client of another id: this one is suppressed for good.")
	case r.Kind == KindClientPayee:
		f := &findings{prefix: valuesPrefix}
		waived := yes(f.yesNo("payeeWaived", r.Values["payeeWaived"]))
		return before.with(Values{"payeeWaived": waived}), f.err()
	case r.Kind == KindClientSecret && before["kind"] != ClientConfidential:
		return nil, refuse("/subject", codeFormat, "Name a confidential client: a public one has no secret.")
	case r.Kind == KindClientSecret:
		return before.with(Values{"secret": SecretAnew}), nil
	}
	return before.with(Values{"status": StatusSuppressed}), nil
}

func (r Request) afterAccount(known Facts) (Values, error) {
	if r.Kind == KindAccountClose {
		return known.Before.with(Values{"status": StatusClosed}), nil
	}
	f := &findings{prefix: valuesPrefix}
	values := known.Before.with(nil)
	if r.Kind == KindAccountCreate {
		values = Values{}
		if known.Found {
			f.add("iban", "AM05", "Name another IBAN: the realm has this account.")
		}
		if known.ReceivedElsewhere && r.Values["receives"] == Yes {
			f.add("receives", codeFormat, "Leave this out: another realm receives payments for the account.")
		}
	} else if values["status"] == StatusClosed {
		return nil, refuse("/subject", codeFormat, "Name an open account: this one is closed for good.")
	}
	for name, text := range r.Values {
		values[name] = text
	}
	a, err := AccountOf(values.Compact(), valuesPrefix)
	f.join(err)
	check := a.CheckBank
	if r.Kind == KindAccountCreate {
		check = a.Check
	}
	f.join(check(valuesPrefix))
	a.Status = StatusOpen
	return a.Values(), f.err()
}

func (r Request) afterPolicy(known Facts) (Values, error) {
	if r.Kind == KindPolicyRetire {
		return known.Before.with(Values{"status": StatusRetired}), nil
	}
	f := &findings{prefix: valuesPrefix}
	p, err := PolicyOf(r.Values, valuesPrefix)
	f.join(err)
	if p.ClientID != "" && !known.ClientKnown {
		f.add("clientId", codeUnknown, "Name a client of this realm, or leave it out for all of them.")
	}
	p.Status = StatusInForce
	return p.Values().with(Values{"policyId": r.ID.String()}), f.err()
}

// minPeople is how many people of each indispensable role a realm keeps.
const minPeople = 2

// keepsRealm refuses a change after which fewer than two people could administer or check, when it would take one away, or no policy would
// match everything. A checker whose password is reset comes back by the link, so that one other is enough meanwhile; of administrators two
// stay, because it takes two to help anybody back in. Error: payment.FieldError.
func (c Change) keepsRealm(known Facts) error {
	if c.Kind == KindPolicyRetire && known.CoverAll < 2 && policyMatchesEverything(c.Before) {
		return refuse("/subject", codeFormat,
			"Make another policy that matches everything first: without this one some payments could not be entered.")
	}
	if c.Kind != KindUserSuppress && c.Kind != KindUserRoles && c.Kind != KindUserReset {
		return nil
	}
	for _, role := range []identity.Role{identity.RoleAdministrator, identity.RoleChecker} {
		before, after := known.people(role, ""), known.people(role, c.Subject)
		if c.After["status"] == StatusActive && hasRole(c.After, role) {
			continue
		}
		if c.Kind == KindUserReset && role == identity.RoleChecker && after > 0 {
			continue
		}
		if after < before && after < minPeople {
			return refuse("/subject", codeFormat, "Give another person the role "+string(role)+" first: a realm keeps two people who hold it.")
		}
	}
	return nil
}

func policyMatchesEverything(values Values) bool {
	p, err := PolicyOf(values, "")
	return err == nil && p.MatchesEverything()
}

func hasRole(values Values, role identity.Role) bool {
	for _, held := range WordsOf[identity.Role](values["roles"]) {
		if held == role {
			return true
		}
	}
	return false
}

// people counts those who hold a role in an active account other than one.
func (f Facts) people(role identity.Role, without string) int {
	seen := map[[16]byte]bool{}
	for _, holder := range f.Holders {
		for _, held := range holder.Roles {
			if held == role && holder.User != without {
				seen[holder.Person] = true
			}
		}
	}
	return len(seen)
}
