package administration

import (
	"strings"
	"unicode"

	"github.com/google/uuid"

	"countersign/internal/identity"
)

// Duty keeps administration and payments with different people.
type Duty string

// The duties of a person; the roles of an account belong to its person's duty.
const (
	DutyPayments       Duty = "payments"
	DutyAdministration Duty = "administration"
)

// The statuses of user accounts and clients, of debtor accounts and of policies.
const (
	StatusActive     = "active"
	StatusUnverified = "unverified" // has not set a password yet
	StatusSuppressed = "suppressed"
	StatusOpen       = "open"
	StatusClosed     = "closed"
	StatusInForce    = "in force"
	StatusRetired    = "retired"
)

// User is a user account and the person behind it.
type User struct {
	Name        string    // normalised
	DisplayName string    // of the person
	Person      uuid.UUID // zero for one who is new to the realm
	Roles       []identity.Role
	Status      string
	Duty        Duty // of the person
	HasFactor   bool // somebody enrolled a second factor: an app or a passkey
	ToBeSetUp   bool // nobody set the password yet, or a reset waits for it
	// OuterIssuer and OuterSubject are who the account is at an identity provider; "" for nobody.
	OuterIssuer, OuterSubject string
}

// userNameLimit is the longest user name, in characters.
const userNameLimit = 128

// displayNameLimit is the longest name of a person, in characters.
const displayNameLimit = 140

// Values are the fields of the account.
func (u User) Values() Values {
	person := ""
	if u.Person != uuid.Nil {
		person = u.Person.String()
	}
	return Values{
		"name": u.Name, "displayName": u.DisplayName, "personId": person, "roles": Words(u.Roles), "status": u.Status,
		"duty": string(u.Duty), "password": Password(u.ToBeSetUp),
		"outerIssuer": u.OuterIssuer, "outerSubject": u.OuterSubject,
	}.Compact()
}

// UserOf reads an account from its fields. Error: payment.FieldError; prefix leads the pointers of its findings.
func UserOf(values Values, prefix string) (User, error) {
	f := &findings{prefix: prefix}
	u := User{
		Name: identity.NormaliseName(values["name"]), DisplayName: strings.TrimSpace(values["displayName"]), Status: values["status"],
		Roles: WordsOf[identity.Role](values["roles"]),
	}
	u.Duty = DutyOf(u.Roles)
	f.userName(strings.TrimSpace(values["name"]), u.Name)
	f.text("displayName", u.DisplayName, 1, displayNameLimit)
	if text := values["personId"]; text != "" {
		person, err := uuid.Parse(text)
		if err != nil {
			f.add("personId", codeFormat, "Give the person by their id or, in the portal, by the name of an account they have.")
		}
		u.Person = person
	}
	f.roles(u.Roles)
	return u, f.err()
}

// userName checks the name of an account, as it was written and as it is stored: that form has other letters in the place of some, and of
// broken ones.
func (f *findings) userName(written, name string) {
	length := len(f.list)
	f.text("name", name, 1, userNameLimit)
	if len(f.list) == length {
		f.text("name", written, 1, len(written))
	}
	if strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || r == '/' }) {
		f.add("name", codeFormat, "Write the user name without spaces and slashes.")
	}
	if identity.MixesScripts(name) {
		f.add("name", codeFormat, "Write the user name in letters of one script: it reads like another name.")
	}
}

// roles checks that there is one, that each is known, and that they belong to one duty.
func (f *findings) roles(roles []identity.Role) {
	if len(roles) == 0 {
		f.add("roles", codeMissing, "Give the account at least one role.")
	}
	administers, pays := false, false
	for _, role := range roles {
		switch role {
		case identity.RoleAdministrator:
			administers = true
		case identity.RoleMaker, identity.RoleChecker, identity.RoleSupervisor:
			pays = true
		default:
			f.add("roles", codeUnknown, "Choose the roles: maker, checker, supervisor, or administrator.")
		}
	}
	if administers && pays {
		f.add("roles", codeFormat, "Give administration and payments to different people: an administrator holds no other role.")
	}
}

// DutyOf is the duty that roles belong to.
func DutyOf(roles []identity.Role) Duty {
	for _, role := range roles {
		if role == identity.RoleAdministrator {
			return DutyAdministration
		}
	}
	return DutyPayments
}
