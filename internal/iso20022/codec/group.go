package codec

import (
	"fmt"
	"math/bits"
	"reflect"

	"countersign/internal/iso20022/schema"
)

// groupState is one group while its children are read.
type groupState struct {
	group      *schema.Group
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
		return problem{codeNotAllowed, "Remove " + e.Tag + " or " + other + ": only one of them is allowed here."}, false
	case again && e.Max == 1:
		return problem{codeFormat, "Remove the second " + e.Tag + ": the element may stand here only once."}, false
	case again && e.Max != schema.Unbounded && s.group.Field(s.value, i).Len() >= e.Max:
		return problem{codeFormat, fmt.Sprintf("Remove this %s: at most %d are allowed here.", e.Tag, e.Max)}, false
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
			r.report(s.start, codeMissing, schema.EnterOneOf(group.Tags())+" in "+r.ancestor(0)+".")
		}
		return
	}
	lacking := false
	for i := range group.Elements {
		if group.Mandatory(i) && s.seen&(1<<i) == 0 {
			e := &group.Elements[i]
			r.reportChild(s.next(i), s.start, problem{codeMissing, "Enter " + e.Tag + ": it is mandatory" + within(r.ancestor(0)) + "."})
			lacking = true
		}
	}
	if s.count == 0 && !lacking && !s.mayBeEmpty {
		r.report(s.start, emptyCode(s.mandatory), "Enter the content of "+r.ancestor(0)+" or remove the element: it must not be empty.")
	}
}

func within(tag string) string {
	if tag == "" {
		return " in Document"
	}
	return " in " + tag
}

func emptyCode(mandatory bool) string {
	if mandatory {
		return codeMissing
	}
	return codeContent
}

// unknown is the problem of an element the group does not have.
func unknown(group *schema.Group, tag string) problem {
	if group.Document {
		return problem{codeNotAllowed, "Remove " + Shown(tag) + ": this message has no such element."}
	}
	return problem{codeNotAllowed, "Remove " + Shown(tag) + ": the component " + group.Name + " has no such element."}
}
