package iso20022

import (
	"fmt"
	"math/bits"
	"reflect"
	"strings"

	"countersign/internal/iso20022/xmltoken"
)

// groupState is one group while its children are read.
type groupState struct {
	group     *groupType
	value     reflect.Value
	start     int  // offset of the group in the input
	mandatory bool // the group itself must be there

	seen  uint64 // bit i: child i was there, right or wrong
	count int    // children of any kind, unknown ones included
	last  int    // where to look for the next child
}

// admit says why one more child i may not come; ok is true when it may.
func (s *groupState) admit(i int) (refused problem, ok bool) {
	e := &s.group.elements[i]
	again := s.seen&(1<<i) != 0
	switch {
	case s.group.choice && s.seen != 0 && !again:
		other := s.group.elements[bits.TrailingZeros64(s.seen)].tag
		return problem{codeNotAllowed, "Remove " + e.tag + " or " + other + ": only one of them is allowed here."}, false
	case again && e.max == 1:
		return problem{codeFormat, "Remove the second " + e.tag + ": the element may stand here only once."}, false
	case again && e.max != unbounded && s.group.field(s.value, i).Len() >= e.max:
		return problem{codeFormat, fmt.Sprintf("Remove this %s: at most %d are allowed here.", e.tag, e.max)}, false
	}
	return problem{}, true
}

// next is the place of one more child i.
func (s *groupState) next(i int) step {
	e := &s.group.elements[i]
	if !e.repeats() {
		return step{e.tag, -1}
	}
	return step{e.tag, s.group.field(s.value, i).Len()}
}

// finish reports what the group lacks, once its children are read.
func (r *reporter) finish(s *groupState) {
	group := s.group
	if group.choice {
		if s.seen == 0 {
			r.report(s.start, codeMissing, "Enter "+oneOf(group.tags())+" in "+r.ancestor(0)+".")
		}
		return
	}
	lacking := false
	for i := range group.elements {
		if group.mandatory(i) && s.seen&(1<<i) == 0 {
			e := &group.elements[i]
			r.reportChild(s.next(i), s.start, problem{codeMissing, "Enter " + e.tag + ": it is mandatory" + within(r.ancestor(0)) + "."})
			lacking = true
		}
	}
	if s.count == 0 && !lacking {
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

func (g *groupType) tags() []string {
	tags := make([]string, len(g.elements))
	for i := range g.elements {
		tags[i] = g.elements[i].tag
	}
	return tags
}

// unknown is the problem of an element the group does not have.
func (g *groupType) unknown(tag string) problem {
	return problem{codeNotAllowed, "Remove " + xmltoken.Shown(tag) + ": " + g.owner() + " has no such element."}
}

// variant returns the tag that differs from a name only in case, or "".
func (g *groupType) variant(name string) string {
	for i := range g.elements {
		if strings.EqualFold(g.elements[i].tag, name) {
			return g.elements[i].tag
		}
	}
	return ""
}

func (g *groupType) owner() string {
	if g.document {
		return "this message"
	}
	return "the component " + g.name
}
