package administration

import (
	"errors"
	"slices"
	"strings"

	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/iso20022"
)

// after returns the subject with the change applied. Error: iso20022.FieldError.
func (r Request) after(known Facts) (Values, error) {
	noun, before := r.Kind.noun(), known.Before
	switch {
	case r.Kind.Creates():
	case noun == &clientNoun && before["kind"] == ClientPortal:
		return nil, refuse("/subject", codeFormat, "You cannot change the portal's own client. Without this client, nobody could sign in.")
	case noun == &clientNoun && before["status"] == StatusSuppressed:
		return nil, refuse("/subject", codeFormat, "Choose another client. The client you chose is permanently blocked.")
	case noun == &beneficiaryNoun && before["status"] == StatusRemoved:
		return nil, refuse("/subject", codeFormat, "Choose another beneficiary. The beneficiary you chose was removed.")
	}
	if missing := r.Kind.Action().NoteMissing; missing != "" && strings.TrimSpace(r.Note) == "" {
		return nil, refuse("/note", codeMissing, missing)
	}
	if status := r.Kind.Action().Status; status != "" && noun != &webhookNoun {
		return before.with(Values{"status": status}), nil
	}
	return noun.after()(r, known)
}

const valuesPrefix = "/values"

// refuse returns one finding as an error.
func refuse(pointer, code string, text i18n.Text) error {
	return &iso20022.FieldError{Findings: []iso20022.Finding{{Pointer: pointer, Code: code, Text: text}}}
}

// join adds the findings of an error.
func (f *findings) join(err error) {
	var malformed *iso20022.FieldError
	if errors.As(err, &malformed) {
		f.list = append(f.list, malformed.Findings...)
	}
}

// minPeople is the number of people of each indispensable role that a realm keeps.
const minPeople = 2

// keepsRealm refuses a change that would leave fewer than two people who can administer or check by removing one, or no policy for
// everything. A checker with a reset password returns by the link, so one other checker is enough meanwhile; two administrators must stay,
// because a reset needs two. Error: iso20022.FieldError.
func (c Change) keepsRealm(known Facts) error {
	ends := c.Kind == KindPolicyRetire || c.Kind == KindPolicyUpdate && !policyMatchesEverything(c.After)
	if ends && known.CoverAll < 2 && policyMatchesEverything(c.Before) {
		return refuse("/subject", codeFormat,
			"First create another policy that applies to all payments. Without such a policy, some payments could not be entered.")
	}
	if c.Kind != KindUserSuppress && c.Kind != KindUserRoles && c.Kind != KindUserReset {
		return nil
	}
	for _, role := range []identity.Role{identity.RoleAdministrator, identity.RoleChecker} {
		before, after := known.people(role, ""), known.people(role, c.Subject)
		if c.After["status"] == StatusActive && slices.Contains(WordsOf[identity.Role](c.After["roles"]), role) {
			continue
		}
		if c.Kind == KindUserReset && role == identity.RoleChecker && after > 0 {
			continue
		}
		if after < before && after < minPeople {
			return refuse("/subject", codeFormat,
				i18n.Text("At least two people must have the role %s. Give the role to another person first.").With(role.Text()))
		}
	}
	return nil
}

func policyMatchesEverything(values Values) bool {
	p, err := PolicyOf(values, "")
	return err == nil && p.MatchesEverything()
}

// people counts the people with a role in an active account other than one.
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
