package administration

import (
	"maps"
	"slices"

	"countersign/internal/iso20022"
)

// said returns a copy of the values of a request, in which an empty value also counts.
func (v Values) said() Values {
	copied := Values{}
	maps.Copy(copied, v)
	return copied
}

// emptied refuses fields that the request sets to empty or no without effect: those the change does not touch, and those a new subject does
// not have. after is the subject after the change; told holds the earlier findings. Error: iso20022.FieldError.
func (k Kind) emptied(values, after Values, told error) error {
	f := &findings{prefix: valuesPrefix}
	f.join(told)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		pointer := f.prefix + "/" + name
		known := slices.ContainsFunc(f.list, func(one iso20022.Finding) bool { return one.Pointer == pointer })
		switch {
		case values[name] != "" || known:
		case after[name] != "":
			f.add(name, codeFormat, "Leave %s out, or enter another value: it cannot be cleared.", label(name))
		case !k.empties(name):
			f.add(name, codeMissing, "Leave %s out, or enter a value: it must not be empty.", label(name))
		}
	}
	return f.err()
}

// empties reports whether an empty value of a field is a statement: an empty list, a no, or the removal of a value.
func (k Kind) empties(field string) bool {
	is := TypeOf(field)
	return is == TypeYesNo || is == TypeWords || is == TypeList || slices.Contains(k.Action().Clears, field)
}

// PolicyAsked reads a requested policy. Error: iso20022.FieldError.
func PolicyAsked(values Values) (Policy, error) {
	err := values.Check("")
	if err != nil {
		return Policy{}, err
	}
	f := &findings{}
	p, err := PolicyOf(values, "")
	f.join(err)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if values[name] == "" && !KindPolicyCreate.empties(name) && name != "approvals" {
			f.add(name, codeMissing, "Leave %s out, or enter a value: it must not be empty.", label(name))
		}
	}
	return p, f.err()
}
