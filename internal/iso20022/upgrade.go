package iso20022

import "reflect"

// relocations say where an element of pain.001.001.03 stands in pain.001.001.09
// when it is not under the same tag: group name and tag to the tags to follow.
var relocations = map[string][]string{
	"PaymentInstructionInformation3.ReqdExctnDt": {"ReqdExctnDt", "Dt"},
	"OrganisationIdentification4.BICOrBEI":       {"AnyBIC"},
	"FinancialInstitutionIdentification7.BIC":    {"BICFI"},
	"PostalAddress6.AdrTp":                       {"AdrTp", "Cd"},
	"TaxInformation3.AdmstnZn":                   {"AdmstnZone"},
	"RemittanceAmount1.DscntApldAmt":             {"DscntApldAmt", "Amt"},
	"RemittanceAmount1.TaxAmt":                   {"TaxAmt", "Amt"},
	"RemittanceLocation2.RmtLctnMtd":             {"RmtLctnDtls", "Mtd"},
	"RemittanceLocation2.RmtLctnElctrncAdr":      {"RmtLctnDtls", "ElctrncAdr"},
	"RemittanceLocation2.RmtLctnPstlAdr":         {"RmtLctnDtls", "PstlAdr"},
}

// Upgrade turns an order of the previous generation into the current one. Every
// value is carried over; one that has no place there gives a finding (pointer
// into the old document), as does what the current schema refuses in the result
// (pointer into the new one). With findings the result is incomplete and must
// not be processed. Upgrade(nil) returns an empty document and its findings.
func Upgrade(old *CustomerCreditTransferInitiationV03) (*CustomerCreditTransferInitiation, []Finding) {
	current := new(CustomerCreditTransferInitiation)
	if old == nil {
		return current, Validate(current)
	}
	u := upgrader{reporter{prefix: "/Document", limit: defaultMaxFindings}}
	u.group(
		&messageNamed(Pain001V03).document, reflect.ValueOf(old).Elem(),
		placement{&messageNamed(Pain001V09).document, reflect.ValueOf(current).Elem()},
	)
	return current, append(u.inOrder(), Validate(current)...)
}

type upgrader struct{ reporter }

// placement is a group of the new document and its value.
type placement struct {
	group *groupType
	value reflect.Value
}

func (u *upgrader) group(group *groupType, from reflect.Value, to placement) {
	for i := range group.elements {
		if group.present(from, i) == 0 {
			continue
		}
		e := &group.elements[i]
		field := group.field(from, i)
		switch field.Kind() {
		case reflect.Slice:
			for k := range field.Len() {
				u.element(step{e.tag, k}, source{group, e, field.Index(k)}, to)
			}
		case reflect.Pointer:
			u.element(step{e.tag, -1}, source{group, e, field.Elem()}, to)
		default:
			u.element(step{e.tag, -1}, source{group, e, field}, to)
		}
	}
}

// source is one value of the old document.
type source struct {
	group   *groupType
	element *element
	value   reflect.Value
}

// element carries one value over.
func (u *upgrader) element(place step, from source, to placement) {
	u.enter(place.tag, place.index)
	defer u.leave()
	target, value, found := to.reach(from.route(), from.element)
	if !found {
		u.report(0, codeNotAllowed, "Remove "+from.element.tag+": "+string(Pain001V09)+" has no place for it.")
		return
	}
	if from.element.group != nil {
		u.group(from.element.group, from.value, placement{target.group, value})
		return
	}
	value.Set(from.value)
}

// route is the way to the element in the new document.
func (s *source) route() []string {
	if moved, found := relocations[s.group.name+"."+s.element.tag]; found {
		return moved
	}
	return []string{s.element.tag}
}

// reach makes the groups on the way and returns the element at its end with a
// new place for its value; found is false when there is no such element or it is
// of another kind than the old one.
func (p placement) reach(route []string, old *element) (target *element, value reflect.Value, found bool) {
	for n, tag := range route {
		i := p.group.find([]byte(tag), 0)
		if i < 0 {
			return nil, reflect.Value{}, false
		}
		target = &p.group.elements[i]
		field := p.group.field(p.value, i)
		if n == len(route)-1 {
			if !target.sameKind(old) {
				return nil, reflect.Value{}, false
			}
			return target, slot(field), true
		}
		p = placement{target.group, existing(field)}
	}
	return nil, reflect.Value{}, false
}

// sameKind says whether both are groups, both amounts, or both plain leaves.
func (e *element) sameKind(other *element) bool {
	return (e.group == nil) == (other.group == nil) && (e.currency == nil) == (other.currency == nil)
}

// existing is the first value of a field, made when there is none.
func existing(field reflect.Value) reflect.Value {
	switch {
	case field.Kind() == reflect.Pointer && !field.IsNil():
		return field.Elem()
	case field.Kind() == reflect.Slice && field.Len() > 0:
		return field.Index(0)
	}
	return slot(field)
}
