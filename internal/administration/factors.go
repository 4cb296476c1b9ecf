package administration

import (
	"slices"

	"countersign/internal/identity"
)

// nounRealm is what a change is about that is about all of a realm.
const nounRealm = "realm"

// Factors says of which roles a realm asks a second factor: whoever has one of them and no factor is led to take one up, and is nowhere
// before. So nobody is locked out by it.
type Factors struct {
	Realm string
	Roles []identity.Role
}

// Values are its fields.
func (f Factors) Values() Values {
	return Values{"realm": f.Realm, "secondFactorRoles": Words(f.Roles)}.Compact()
}

// FactorsOf reads the roles from their field. Error: payment.FieldError.
func FactorsOf(values Values, prefix string) (Factors, error) {
	f := &findings{prefix: prefix}
	wanted := Factors{Realm: values["realm"], Roles: WordsOf[identity.Role](values["secondFactorRoles"])}
	if slices.ContainsFunc(wanted.Roles, func(role identity.Role) bool { return !slices.Contains(identity.Roles(), role) }) {
		f.add("secondFactorRoles", codeUnknown, "Choose the roles: maker, checker, supervisor, or administrator.")
	}
	return wanted, f.err()
}

// afterFactors is what a realm asks after a change.
func (r Request) afterFactors(known Facts) (Values, error) {
	asked, err := FactorsOf(r.Values, valuesPrefix)
	asked.Realm = known.Before["realm"]
	return asked.Values(), err
}
