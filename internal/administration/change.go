package administration

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/identity"
)

// Kind names the effect of a change on its subject.
type Kind string

// Creates reports whether the subject is not there before.
func (k Kind) Creates() bool { return strings.HasSuffix(string(k), ".create") }

// SetsUp reports whether a password is set by link and code after the change.
func (k Kind) SetsUp() bool { return k == KindUserCreate || k == KindUserReset }

// MakesSecret reports whether the change makes a new secret of a client, unless it is a public one.
func (k Kind) MakesSecret() bool { return k == KindClientCreate || k == KindClientSecret }

// State is the state of a change.
type State string

// The states of a change.
const (
	StatePending  State = "Approval Pending"
	StateApplied  State = "Applied"
	StateRejected State = "Rejected"
)

// Request is the request of an administrator, or of a maker for a beneficiary.
type Request struct {
	ID      uuid.UUID // of the change, new
	Kind    Kind
	Subject string // the id or name of what changes; "" for what is new
	Values  Values
	Note    string
	By      identity.Principal
	At      time.Time
}

// Facts are the stored facts of the realm that a change depends on.
type Facts struct {
	Found       bool      // the subject is there
	Before      Values    // of the subject
	Beneficiary uuid.UUID // the person it is about; zero for nobody
	// Person is the one a new account names; nil for one who is not there.
	Person *Person
	// NameTaken: somebody of the realm is called as the new person of a new account is.
	NameTaken bool
	// ClientKnown: the client a policy names is there and not suppressed.
	ClientKnown bool
	// Holders are the accounts that may administer or check at this moment.
	Holders []Holder
	// CoverAll is the number of policies in force that match everything.
	CoverAll int
	// Provider is the realm's identity provider in force; the zero value for none.
	Provider Provider
	// LinkedElsewhere: another account is linked with the outer subject.
	LinkedElsewhere bool
	// Own are facts that only the rules of the noun read, such as LimitHolder; nil for none.
	Own any
	// RequesterHolds: who asked for the change that is decided still has the role, by the same grant, in an active account.
	RequesterHolds bool
}

// Person is a human being of the realm.
type Person struct {
	ID          uuid.UUID
	DisplayName string
	Duty        Duty
}

// Holder is an active account with roles that a realm cannot be without.
type Holder struct {
	User   string
	Person uuid.UUID
	Roles  []identity.Role
}

// Change is a stored request with its decision.
type Change struct {
	ID          uuid.UUID
	Kind        Kind
	Subject     string
	Values      Values
	Before      Values
	After       Values
	Note        string
	Beneficiary uuid.UUID // zero for nobody
	Requester   Party
	RequestedAt time.Time
	Decision    *Decision // nil while it waits
}

// Party is a requester or decider, with the grant and the client.
type Party struct {
	UserID   uuid.UUID
	PersonID uuid.UUID
	Login    string
	Name     string
	ClientID string
	Grant    identity.Grant
}

// Decision is the decision of another administrator, or of a checker for a beneficiary.
type Decision struct {
	Approved bool
	Withheld bool // stored as an approval that does not fit its seal: it counts as a rejection
	Reason   string
	By       Party
	At       time.Time
}

// State returns the state of the change.
func (c Change) State() State {
	switch {
	case c.Decision == nil:
		return StatePending
	case c.Decision.Approved:
		return StateApplied
	}
	return StateRejected
}

// Difference is a field that the change changes.
type Difference struct {
	Field         string
	Before, After string
}

// Differences lists what changes, field by field.
func (c Change) Differences() []Difference {
	fields := map[string]bool{}
	for name := range c.Before {
		fields[name] = true
	}
	for name := range c.After {
		fields[name] = true
	}
	var list []Difference
	noun := c.Kind.noun()
	byPlace := func(a, b string) int { return cmp.Compare(noun.place(a), noun.place(b)) }
	for _, name := range slices.SortedFunc(maps.Keys(fields), byPlace) {
		if c.Before[name] != c.After[name] {
			list = append(list, Difference{Field: name, Before: c.Before[name], After: c.After[name]})
		}
	}
	return list
}

// MayAdminister returns the reason why the person may not request or decide changes, or nil. Error: identity.ForbiddenError.
func MayAdminister(by identity.Principal) error {
	if by.Has(identity.RoleAdministrator) {
		return nil
	}
	return &identity.ForbiddenError{Text: "You need the administrator role to administer the realm."}
}

// AskedUnder is the role that requests changes of the kind.
func (k Kind) AskedUnder() identity.Role { return cmp.Or(k.noun().Maker, identity.RoleAdministrator) }

// DecidedUnder is the role under which they are decided.
func (k Kind) DecidedUnder() identity.Role {
	return cmp.Or(k.noun().Checker, identity.RoleAdministrator)
}

// MayAsk returns the reason why the person may not request changes of the kind, or nil. Error: identity.ForbiddenError.
func (k Kind) MayAsk(by identity.Principal) error { return k.needs(by, k.AskedUnder()) }

// needs returns the reason why the person may not take part in a change of the kind under a role, or nil.
func (k Kind) needs(by identity.Principal, role identity.Role) error {
	switch {
	case role == identity.RoleAdministrator:
		return MayAdminister(by)
	case by.Has(role):
		return nil
	case role == identity.RoleMaker:
		return &identity.ForbiddenError{Text: "You need the maker role to request changes to beneficiaries."}
	}
	return &identity.ForbiddenError{Text: "You need the checker role to approve or reject changes to beneficiaries."}
}

// partyOf is the principal as a party to a change, under one of their roles.
func partyOf(by identity.Principal, role identity.Role) Party {
	grant, _ := by.Grant(role)
	return Party{
		UserID: by.UserID, PersonID: by.PersonID, Login: by.UserName, Name: by.DisplayName, ClientID: by.ClientID, Grant: grant,
	}
}

// Change makes a change of a request, with the subject as it would be after it. Errors: identity.ForbiddenError; iso20022.FieldError with
// all findings, also for an unknown subject and a change that changes nothing.
func (r Request) Change(known Facts) (Change, error) {
	err := r.Check()
	if err != nil {
		return Change{}, err
	}
	return r.change(known)
}

// change is Change without the check of the requester, also for the decision, which makes the change again.
func (r Request) change(known Facts) (Change, error) {
	f := &findings{}
	action := r.Kind.Action()
	if action.Kind == "" {
		f.add("kind", codeUnknown, "Choose the type of change: %s.", Words(Kinds()))
		return Change{}, f.err()
	}
	if utf8.RuneCountInString(r.Note) > ReasonLimit {
		f.add("note", codeFormat, "Shorten the note to %d characters.", ReasonLimit)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Values)) {
		if !slices.Contains(action.Fields, name) {
			f.add("values/"+name, "CH17", "Remove the field %s. A change of type %s does not have this field.", name, r.Kind)
		}
	}
	if !r.Kind.Creates() && !action.Sets && !known.Found {
		f.add("subject", codeUnknown, "Check the field “subject”: the %s that you want to change does not exist.", i18n.Kept(r.Kind.Noun()))
	}
	if len(f.list) > 0 {
		return Change{}, f.err()
	}
	after, err := r.after(known)
	err = r.Kind.emptied(r.Values, after, err)
	if err != nil {
		return Change{}, err
	}
	c := Change{
		ID: r.ID, Kind: r.Kind, Subject: after[r.Kind.Key()], Values: r.Values.said(), Before: known.Before.with(nil), After: after,
		Note: strings.TrimSpace(r.Note), Beneficiary: known.Beneficiary, Requester: partyOf(r.By, r.Kind.AskedUnder()), RequestedAt: r.At,
	}
	if known.Person != nil {
		c.Beneficiary = known.Person.ID
	}
	if len(c.Differences()) == 0 {
		f.add("values", codeFormat, "Change at least one value. All values are the same as before.")
		return Change{}, f.err()
	}
	return c, c.keepsRealm(known)
}
