package codec

import (
	"bytes"
	"sort"
	"strconv"
	"strings"

	"countersign/internal/i18n"
	"countersign/internal/iso20022"
)

// The reason codes of the structure. Meanings: ISO external code sets; use: SPS 2025.
const (
	codeFormat         = "FF01"
	codeContent        = "CH16"
	codeNotAllowed     = "CH17"
	codeDecimals       = "CH20"
	codeMissing        = "CH21"
	codeAmount         = "AM12"
	codeCurrency       = "CURR"
	codeControlSum     = "AM10"
	codeTransactionNum = "AM18"
	codeDate           = "DT01"
	codeAccount        = "AC01"
	codeBIC            = "RC01"
	codeCountry        = "BE09"
)

// step is one element on the way from the root to the current place; index is -1 when the element may not repeat.
type step struct {
	tag   string
	index int
}

// located is a finding with its offset in the input.
type located struct {
	iso20022.Finding
	offset int
}

// reporter collects findings and knows the current place.
type reporter struct {
	prefix  string
	path    []step
	found   []located
	limit   int
	stopped bool // nothing more can or shall be read
}

func (r *reporter) enter(tag string, index int) {
	r.path = append(r.path, step{tag, index})
}

func (r *reporter) leave() {
	r.path = r.path[:len(r.path)-1]
}

// ancestor is the tag of the n-th element around the current one, which is the 0th; "" beyond the root.
func (r *reporter) ancestor(n int) string {
	if n >= len(r.path) {
		return ""
	}
	return r.path[len(r.path)-1-n].tag
}

func (r *reporter) pointer() string {
	var pointer strings.Builder
	pointer.WriteString(r.prefix)
	for _, step := range r.path {
		pointer.WriteByte('/')
		pointer.WriteString(iso20022.PointerStep(step.tag))
		if step.index >= 0 {
			pointer.WriteByte('/')
			pointer.WriteString(strconv.Itoa(step.index))
		}
	}
	return pointer.String()
}

// report notes a problem at the current place and stops the reading when there are too many.
func (r *reporter) report(offset int, code string, text i18n.Text) {
	if r.stopped {
		return
	}
	if len(r.found) == r.limit-1 {
		r.stopped = true
		text = i18n.Text("Correct the problems above first. There are more, but the check stopped after %d problems.").With(r.limit)
		code = codeFormat
	}
	r.found = append(r.found, located{iso20022.Finding{Pointer: r.pointer(), Code: code, Text: text, Final: r.stopped}, offset})
}

// reportChild notes a problem of a child of the current place.
func (r *reporter) reportChild(child step, offset int, problem problem) {
	r.enter(child.tag, child.index)
	r.report(offset, problem.code, problem.text)
	r.leave()
}

// fail notes a problem after which the rest cannot be understood.
func (r *reporter) fail(offset int, text i18n.Text) {
	if r.stopped {
		return
	}
	r.report(offset, codeFormat, text)
	r.stopped = true
	r.found[len(r.found)-1].Final = true
}

// problem is a reason code with a remedy.
type problem struct {
	code string
	text i18n.Text
}

// inInput returns the findings in document order with lines and columns.
func (r *reporter) inInput(data []byte) []iso20022.Finding {
	last := located{}
	if full := len(r.found) == r.limit; full {
		last = r.found[len(r.found)-1]
		r.found = r.found[:len(r.found)-1]
		last.offset = len(data)
	}
	sort.SliceStable(r.found, func(i, j int) bool { return r.found[i].offset < r.found[j].offset })
	if last.Code != "" {
		r.found = append(r.found, last)
	}
	var findings []iso20022.Finding
	line, lineStart, seen := 1, 0, 0
	for _, found := range r.found {
		offset := min(max(found.offset, 0), len(data))
		line += bytes.Count(data[seen:offset], []byte("\n"))
		if newline := bytes.LastIndexByte(data[seen:offset], '\n'); newline >= 0 {
			lineStart = seen + newline + 1
		}
		seen = offset
		found.Line, found.Column = line, offset-lineStart+1
		findings = append(findings, found.Finding)
	}
	return findings
}

// inOrder returns the findings as they were noted.
func (r *reporter) inOrder() []iso20022.Finding {
	var findings []iso20022.Finding
	for _, found := range r.found {
		findings = append(findings, found.Finding)
	}
	return findings
}
