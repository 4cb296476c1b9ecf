package codec

import (
	"cmp"
	"math/bits"
	"reflect"

	"countersign/internal/i18n"
	"countersign/internal/iso20022"
)

// groupState is one group while its children are read.
type groupState struct {
	group      *iso20022.Group
	value      reflect.Value
	start      int  // offset of the group in the input
	mandatory  bool // the group itself must be there
	mayBeEmpty bool // when the schema lets it

	seen  uint64 // bit i: child i was there, right or wrong
	count int    // children of any kind, unknown ones included
	last  int    // where to look for the next child
}

// admit says why one more child i may not come; ok is true when it may.
func (s *groupState) admit(i int) (refused problem, ok bool) {
	e := &s.group.Elements[i]
	again := s.seen&(1<<i) != 0
	switch {
	case s.group.Choice && s.seen != 0 && !again:
		other := s.group.Elements[bits.TrailingZeros64(s.seen)].Tag
		return problem{codeNotAllowed, i18n.Text("Remove %s or %s: only one of these two elements is allowed.").With(e.Tag, other)}, false
	case again && e.Max == 1:
		return problem{codeFormat, i18n.Text("Remove the second %s: this element may appear only once.").With(e.Tag)}, false
	case again && e.Max != iso20022.Unbounded && s.group.Field(s.value, i).Len() >= e.Max:
		return problem{codeFormat, i18n.Text("Remove this %s: at most %d of these elements are allowed.").With(e.Tag, e.Max)}, false
	}
	return problem{}, true
}

// next is the place of one more child i.
func (s *groupState) next(i int) step {
	e := &s.group.Elements[i]
	if !e.Repeats() {
		return step{e.Tag, -1}
	}
	return step{e.Tag, s.group.Field(s.value, i).Len()}
}

// finish reports the missing elements of a group after its last child.
func (r *reporter) finish(s *groupState) {
	group := s.group
	if group.Choice {
		if s.seen == 0 && !group.MayChooseNone() {
			r.report(s.start, codeMissing, i18n.InElement(iso20022.EnterOneOf(group.Tags()), r.ancestor(0)))
		}
		return
	}
	lacking := false
	for i := range group.Elements {
		if group.Mandatory(i) && s.seen&(1<<i) == 0 {
			e := &group.Elements[i]
			advice := i18n.InElement(i18n.Text("Enter %s: this element is mandatory").With(e.Tag), cmp.Or(r.ancestor(0), documentElement))
			if e.Tag == "DbtrAgt" || e.Tag == "FinInstnId" && r.ancestor(0) == "DbtrAgt" {
				advice = unknownBank
			}
			r.reportChild(s.next(i), s.start, problem{codeMissing, advice})
			lacking = true
		}
	}
	if s.count == 0 && !lacking && !s.mayBeEmpty {
		r.report(s.start, emptyCode(s.mandatory), r.emptyAdvice(s.mandatory))
	}
}

const unknownBank i18n.Text = "Enter the bank in FinInstnId, or write NOTPROVIDED in Othr/Id: FinInstnId must not be empty."

// emptyAdvice returns the remedy for an empty group. A bank that may not be left out can be given as unknown.
func (r *reporter) emptyAdvice(mandatory bool) i18n.Text {
	tag := r.ancestor(0)
	switch {
	case mandatory && tag == "FinInstnId" && r.ancestor(1) == "DbtrAgt":
		return unknownBank
	case mandatory && tag == "FinInstnId":
		return i18n.Text("Enter the bank in FinInstnId, or remove %s: FinInstnId must not be empty.").With(r.ancestor(1))
	case mandatory:
		return i18n.Text("Enter the content of %s: the element must not be empty.").With(tag)
	}
	return i18n.Text("Enter the content of %s or remove the element: it must not be empty.").With(tag)
}

func emptyCode(mandatory bool) string {
	if mandatory {
		return codeMissing
	}
	return codeContent
}

// renamed are the elements of pain.001.001.03 that pain.001.001.09 has under another name, by the component that holds them.
var renamed = map[[2]string]string{
	{"FinancialInstitutionIdentification18", "BIC"}: "BICFI",
	{"OrganisationIdentification29", "BICOrBEI"}:    "AnyBIC",
}

// earlier is the problem of an element under its name of pain.001.001.03. Its place under the new name counts as filled, so that nothing is
// reported as missing.
func (s *groupState) earlier(tag string) (found problem, is bool) {
	now, is := renamed[[2]string{s.group.Name, tag}]
	if !is {
		return problem{}, false
	}
	if i := s.group.Find([]byte(now), 0); i >= 0 {
		s.seen |= 1 << i
	}
	return problem{codeNotAllowed, i18n.Text("Rename %s to %s: %s is the name of this element in the older version pain.001.001.03.").
		With(tag, now, tag)}, true
}

// bareDate is the component of an execution date, which pain.001.001.03 writes as a text without Dt.
const bareDate = "DateAndDateTime2Choice"

const dateOutsideDt i18n.Text = "Write the date in the element Dt. Only the older version pain.001.001.03 has a date without Dt."

// unknown is the problem of an element the group does not have.
func unknown(group *iso20022.Group, tag string) problem {
	if group.Document {
		return problem{codeNotAllowed, i18n.Text("Remove %s: a message of this type has no such element.").With(Shown(tag))}
	}
	return problem{codeNotAllowed, i18n.Text("Remove %s: the component %s has no such element.").With(Shown(tag), group.Name)}
}
