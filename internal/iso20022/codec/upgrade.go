package codec

import (
	"reflect"

	"countersign/internal/i18n"
	"countersign/internal/iso20022"
)

// relocations say where an element of pain.001.001.03 stands in pain.001.001.09, and one of pacs.004.001.09 in pacs.004.001.10, when it is
// not under the same tag: group name and tag to the tags to follow.
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
	"OriginalTransactionReference28.MndtRltdInf": {"MndtRltdInf", "DrctDbtMndt"},
}

// Upgrade converts an order of the previous version to the current one. A value without a place there gives a finding (pointer into the old
// document), as does a value that the current schema refuses (pointer into the new one). With findings the result is incomplete and must
// not be processed. Upgrade(nil) returns an empty document and its findings.
func Upgrade(old *iso20022.CustomerCreditTransferInitiationV03) (*iso20022.CustomerCreditTransferInitiation, []iso20022.Finding) {
	current := new(iso20022.CustomerCreditTransferInitiation)
	if old == nil {
		return current, Validate(current)
	}
	u := upgrader{reporter{prefix: "/Document", limit: defaultMaxFindings}, iso20022.Pain001V09}
	u.group(
		&iso20022.DefinitionNamed(iso20022.Pain001V03).Document, reflect.ValueOf(old).Elem(),
		placement{&iso20022.DefinitionNamed(iso20022.Pain001V09).Document, reflect.ValueOf(current).Elem()},
	)
	return current, append(u.inOrder(), Validate(current)...)
}

// Convert turns a document into another version of its message, as Upgrade does; the findings are only those of values that have no place
// there, and the result is the document without them. It returns nil for a message that this package does not have.
func Convert(document iso20022.Document, to iso20022.MessageName) (iso20022.Document, []iso20022.Finding) {
	from, value, known := iso20022.ValueOf(document)
	wanted := iso20022.DefinitionNamed(to)
	if !known || wanted == nil {
		return nil, nil
	}
	converted := wanted.New()
	u := upgrader{reporter{prefix: "/Document", limit: defaultMaxFindings}, to}
	u.group(&from.Document, value, placement{&wanted.Document, reflect.ValueOf(converted).Elem()})
	return converted, u.inOrder()
}

// Clone returns a copy of a document that shares nothing with it; nil as Convert does.
func Clone(document iso20022.Document) iso20022.Document {
	copied, _ := Convert(document, document.MessageName())
	return copied
}

type upgrader struct {
	reporter
	to iso20022.MessageName
}

// placement is a group of the new document and its value.
type placement struct {
	group *iso20022.Group
	value reflect.Value
}

func (u *upgrader) group(group *iso20022.Group, from reflect.Value, to placement) {
	for i := range group.Elements {
		e := &group.Elements[i]
		group.Each(from, i, func(index int, value reflect.Value) { u.element(step{e.Tag, index}, source{group, e, value}, to) })
	}
}

// source is one value of the old document.
type source struct {
	group   *iso20022.Group
	element *iso20022.Element
	value   reflect.Value
}

// element carries one value over.
func (u *upgrader) element(place step, from source, to placement) {
	u.enter(place.tag, place.index)
	defer u.leave()
	target, value, found := to.reach(from.route(to.group), from.element)
	if !found {
		u.report(0, codeNotAllowed, i18n.Text("Remove %s: %s does not support this element.").With(from.element.Tag, u.to))
		return
	}
	if from.element.Group != nil && !from.element.Group.Any {
		u.group(from.element.Group, from.value, placement{target.Group, value})
		return
	}
	value.Set(from.value)
}

// route is the way to the element in a group of the new document.
func (s *source) route(to *iso20022.Group) []string {
	if moved, found := relocations[s.group.Name+"."+s.element.Tag]; found && to != s.group {
		return moved
	}
	return []string{s.element.Tag}
}

// reach makes the groups on the way and returns the element at its end with a new place for its value; found is false when there is no such
// element or it is of another kind than the old one.
func (p placement) reach(route []string, old *iso20022.Element) (target *iso20022.Element, value reflect.Value, found bool) {
	for n, tag := range route {
		i := p.group.Find([]byte(tag), 0)
		if i < 0 {
			return nil, reflect.Value{}, false
		}
		target = &p.group.Elements[i]
		field := p.group.Field(p.value, i)
		if n == len(route)-1 {
			if !target.SameKind(old) {
				return nil, reflect.Value{}, false
			}
			return target, iso20022.Slot(field), true
		}
		p = placement{target.Group, existing(field)}
	}
	return nil, reflect.Value{}, false
}

// existing is the first value of a field, made when there is none.
func existing(field reflect.Value) reflect.Value {
	switch {
	case field.Kind() == reflect.Pointer && !field.IsNil():
		return field.Elem()
	case field.Kind() == reflect.Slice && field.Len() > 0:
		return field.Index(0)
	}
	return iso20022.Slot(field)
}
