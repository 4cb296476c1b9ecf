package administration

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"countersign/internal/i18n"
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
	Name        string          `field:"name"`        // normalised
	DisplayName string          `field:"displayName"` // of the person
	Person      uuid.UUID       // zero for a person new to the realm
	Roles       []identity.Role `field:"roles"`
	Status      string          `field:"status"`
	Duty        Duty            `field:"duty"` // of the person
	HasFactor   bool            // somebody enrolled a second factor: an app or a passkey
	ToBeSetUp   bool            // nobody set the password yet, or a reset waits for it
	// OuterIssuer and OuterSubject identify the account at an identity provider; "" without a link.
	OuterIssuer  string `field:"outerIssuer"`
	OuterSubject string `field:"outerSubject"`
	Email        string `field:"email"` // where notices go; "" for none
}

// The kinds of changes of user accounts.
const (
	KindUserCreate   Kind = "user.create"
	KindUserRoles    Kind = "user.roles"
	KindUserSuppress Kind = "user.suppress"
	KindUserRestore  Kind = "user.restore"
	KindUserReset    Kind = "user.reset"
	KindUserLink     Kind = "user.link" // with an account at the identity provider
	KindUserUnlink   Kind = "user.unlink"
	KindUserEmail    Kind = "user.email"
)

// userNameLimit is the longest user name, in characters.
const userNameLimit = 128

// displayNameLimit is the longest name of a person, in characters.
const displayNameLimit = 140

// Fields of several nouns, and texts of such fields.
var (
	statusField      = Field{Key: "status", Label: "Status"}
	rolesGranted     = i18n.Text("Roles granted: %s")
	rolesWithdrawn   = i18n.Text("Roles withdrawn: %s")
	displayNameField = Field{
		Key: "displayName", Label: "Person's name", Min: 1, Max: displayNameLimit,
		Hint: "Leave empty if the person already has a user account", Required: true,
	}
)

var userNoun = Noun{
	Name: "user", Plural: "users", Key: "name",
	Fields: []Field{
		{Key: "duty", Label: "Area of work"},
		{Key: "name", Label: "User name", Required: true},
		displayNameField,
		{
			Key: "personId", Label: "Person", Type: TypePerson,
			Hint: "If the person already has a user account, enter the user name of that account",
		},
		{
			Key: "roles", Label: "Roles", Type: TypeWords, Hint: "An administrator cannot have any other role.", Required: true,
			More: rolesGranted, Less: rolesWithdrawn,
		},
		{Key: "outerIssuer", Label: "External identity provider"},
		{
			Key: "outerSubject", Label: "Subject at the identity provider", Required: true,
			Hint: "The value of the “sub” claim. Do not enter a name or e-mail address, because it could later belong to another person",
		},
		{Key: "email", Label: "E-mail address", Hint: "Notifications are sent to this address. Without an address, no notifications are sent."},
		{Key: "password", Label: "Password"},
		statusField,
	},
	Actions: []Action{
		{
			Kind: KindUserCreate, Fields: []string{"name", "displayName", "personId", "roles", "email"},
			Label: "New user account", Heading: "Create a user account",
			Words: "Another administrator approves the user account and gets a link. You get a code. The new user needs both the link and the " +
				"code to set a password.",
		},
		{
			Kind: KindUserRoles, Fields: []string{"roles"}, Filled: true,
			Label: "Roles", Heading: "Change the roles of %s", Words: "If a user gets a new role, the role does not apply to payments that are already waiting for approval.",
		},
		{
			Kind: KindUserEmail, Fields: []string{"email"}, Clears: []string{"email"}, Filled: true,
			Label: "E-mail", Heading: "Change the e-mail address of %s",
			Words: "Once this change is approved, notifications for this user account are sent to the new address.",
		},
		{
			Kind: KindUserSuppress, Status: StatusSuppressed,
			Label: "Block", Heading: "Block the user account %s", Words: "All sessions of the user account will end.",
		},
		{
			Kind:  KindUserRestore,
			Label: "Restore", Heading: "Restore the user account %s", Words: "The user can sign in again with the same password.",
		},
		{
			Kind:  KindUserReset,
			Label: "Reset", Heading: "Reset the user account %s",
			Words: "All sessions of the user account will end. The user then sets a new password with a link and a code.",
		},
		{
			Kind: KindUserLink, Fields: []string{"outerSubject"},
			Label: "Link", Heading: "Link the user account %s to the identity provider",
			Words: "The person with this subject at the provider signs in to this user account. The subject is the provider's permanent " +
				"identifier for the person. The sign-in page shows the subject to people whose user account is not linked yet.",
		},
		{
			Kind:  KindUserUnlink,
			Label: "Unlink", Heading: "Unlink the user account %s from the identity provider",
			Words: "The user will no longer be able to sign in through the identity provider, and all sessions of the user account will end.",
		},
	},
}

// Values are the fields of the account.
func (u User) Values() Values {
	values := Values{"password": Password(u.ToBeSetUp)}
	if u.Person != uuid.Nil {
		values["personId"] = u.Person.String()
	}
	return ValuesOf(u).with(values)
}

// UserOf reads an account from its fields. Error: iso20022.FieldError; prefix leads the pointers of its findings.
func UserOf(values Values, prefix string) (User, error) {
	f, u := &findings{prefix: prefix}, User{}
	Fill(&u, values)
	u.Name, u.Duty = identity.NormaliseName(u.Name), DutyOf(u.Roles)
	f.userName(strings.TrimSpace(values["name"]), u.Name)
	f.check(&userNoun, values)
	if text := values["personId"]; text != "" {
		person, err := uuid.Parse(text)
		if err != nil {
			f.add("personId", codeFormat, "Enter the person's ID. In the portal, you can enter one of the person's user names instead.")
		}
		u.Person = person
	}
	f.roles(u.Roles)
	f.email(u.Email)
	return u, f.err()
}

// emailLimit is the longest e-mail address, emailLocalLimit the longest part before its @, in characters.
const emailLimit, emailLocalLimit = 254, 64

// emailPattern is an address (RFC 5321) without quotes and comments, at a domain with a dot.
var emailPattern = regexp.MustCompile(`^[0-9A-Za-z!#$%&'*+/=?^_{|}~-]+(?:\.[0-9A-Za-z!#$%&'*+/=?^_{|}~-]+)*@` +
	`(?:[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?\.)+[A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])$`)

func (f *findings) email(address string) {
	tooLong := len(address) > emailLimit || strings.IndexByte(address, '@') > emailLocalLimit
	if address != "" && (tooLong || !emailPattern.MatchString(address)) {
		f.add("email", codeFormat, "Enter a single e-mail address, such as name@bank.example.")
	}
}

// userName checks the name of an account, as written and as stored: normalising replaces some letters.
func (f *findings) userName(written, name string) {
	length := len(f.list)
	f.text("name", name, 1, userNameLimit)
	if len(f.list) == length {
		f.text("name", written, 1, len(written))
	}
	if strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || r == '/' }) {
		f.add("name", codeFormat, "Enter a user name without spaces or slashes.")
	}
	if identity.MixesScripts(name) {
		f.add("name", codeFormat, "Enter a user name in a single alphabet, such as Latin. A mixture of alphabets can make the name look "+
			"like the name of another user.")
	}
}

// roles checks that there is a role, that each is known, and that they belong to one duty.
func (f *findings) roles(roles []identity.Role) {
	if len(roles) == 0 {
		f.add("roles", codeMissing, "Give the user account at least one role.")
	}
	administers, pays := false, false
	for _, role := range roles {
		switch role {
		case identity.RoleAdministrator:
			administers = true
		case identity.RoleMaker, identity.RoleChecker, identity.RoleSupervisor:
			pays = true
		default:
			f.add("roles", codeUnknown, "Choose one or more roles: maker, checker, supervisor or administrator.")
		}
	}
	if administers && pays {
		f.add("roles", codeFormat, "Remove the other roles. An administrator cannot also enter, approve or supervise payments.")
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

// What becomes of passwords and secrets, in words: neither is ever shown.
const (
	chosen   = "set"
	toChoose = "to be set using a link and a code"
	// PasswordAnew is the value shown for a password that is reset.
	PasswordAnew = toChoose + ", anew"
	// SecretAnew is the value shown for a replaced secret of a client or a provider.
	SecretAnew = "a new secret"
)

// Password returns the field of a user that says whether the password was set by its owner.
func Password(toBeSetUp bool) string {
	if toBeSetUp {
		return toChoose
	}
	return chosen
}

func (r Request) afterUser(known Facts) (Values, error) {
	before := known.Before
	switch r.Kind {
	case KindUserCreate:
		return r.newUser(known)
	case KindUserLink:
		return r.afterLink(known)
	case KindUserUnlink:
		return before.with(Values{"outerIssuer": "", "outerSubject": ""}), nil
	case KindUserEmail:
		f := &findings{prefix: valuesPrefix}
		f.email(r.Values["email"])
		return before.with(Values{"email": r.Values["email"]}), f.err()
	case KindUserRoles:
		f, roles := &findings{prefix: valuesPrefix}, WordsOf[identity.Role](r.Values["roles"])
		f.roles(roles)
		if len(f.list) == 0 && string(DutyOf(roles)) != before["duty"] {
			f.add("roles", codeFormat, "Create a user account for another person. The same person cannot do both administration and payments.")
		}
		return before.with(Values{"roles": Words(roles)}), f.err()
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
		return nil, refuse("/subject", codeFormat, "The user account is blocked. Restore the account first.")
	}
	// A link that was lost is replaced too, so a reset is never nothing.
	return before.with(Values{"status": StatusUnverified, "password": PasswordAnew}), nil
}

// namesake refuses a new person with the name of another. Two entries for one human being would be two persons to four-eyes.
const namesake = "A person with this name already exists. Link the user account to that person, or enter a different name."

func (r Request) newUser(known Facts) (Values, error) {
	values := r.Values
	f := &findings{prefix: valuesPrefix}
	if known.Found {
		f.add("name", "AM05", "Choose another user name. This user name is already in use.")
	}
	if text := values["personId"]; text != "" {
		switch {
		case known.Person == nil:
			f.add("personId", codeUnknown, "This person does not exist in this realm. Enter another person, or leave the field empty "+
				"to add a new person.")
		case values["displayName"] != "" && values["displayName"] != known.Person.DisplayName:
			f.add("displayName", codeFormat, "Leave the name empty. The name of this person is %s.", known.Person.DisplayName)
		default:
			values = values.with(Values{"displayName": known.Person.DisplayName})
		}
	} else if known.NameTaken {
		f.add("displayName", "AM05", namesake)
	}
	u, err := UserOf(values, valuesPrefix)
	f.join(err)
	if known.Person != nil && DutyOf(u.Roles) != known.Person.Duty {
		f.add("roles", codeFormat, "Choose another person for this role. This person's area of work is %s, and the same person cannot do "+
			"both administration and payments.", known.Person.Duty)
	}
	u.Status, u.ToBeSetUp = StatusUnverified, true
	return u.Values(), f.err()
}

// afterLink is a user account after it was linked with an outer subject.
func (r Request) afterLink(known Facts) (Values, error) {
	f := &findings{prefix: valuesPrefix}
	subject := r.Values["outerSubject"]
	f.join(CheckOuterSubject(subject, valuesPrefix))
	if known.Provider.Issuer == "" {
		f.add("outerSubject", codeFormat, "This realm has no identity provider. Set up the identity provider first.")
	}
	if known.LinkedElsewhere {
		f.add("outerSubject", "AM05", "This subject is already linked to another user account. Unlink that account first.")
	}
	return known.Before.with(Values{"outerIssuer": known.Provider.Issuer, "outerSubject": subject}), f.err()
}

// CheckOuterSubject validates the subject of an account at a provider. Error: iso20022.FieldError.
func CheckOuterSubject(subject, prefix string) error {
	f := &findings{prefix: prefix}
	f.text("outerSubject", subject, 1, outerLimit)
	if strings.ContainsFunc(subject, func(letter rune) bool { return letter > '~' }) {
		f.add("outerSubject", codeFormat, "Enter the subject exactly as the provider shows it, using only ASCII characters.")
	}
	return f.err()
}
