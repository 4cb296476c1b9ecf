package main

import (
	"bytes"
	"context"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/orderform"
	"countersign/web/api"
)

// looksLikeJSON reports by the first character whether a file may be the body of a call. The reader then finds its mistakes.
func looksLikeJSON(content []byte) bool {
	content = bytes.TrimLeft(content, " \t\r\n")
	return len(content) > 0 && (content[0] == '{' || content[0] == '[')
}

// order checks a file that holds the body of a call to instruction/create as the door does that takes it, and by the rules of its scheme.
func (v validation) order(name string, content []byte) (fileReport, error) {
	read, err := api.ReadOrderFile(context.Background(), content)
	if err != nil {
		return fileReport{}, err
	}
	made := fileReport{File: name, Message: string(iso20022.Pain001V09), Findings: []findingReport{}}
	found := read.Structure
	if read.Document != nil {
		made.Scheme, made.chosen = v.schemeOf(read.Document)
		found = v.check(made.Scheme, orderform.Read{Order: read.Document, Findings: read.Structure})
	}
	at := placesIn(content)
	for _, f := range found {
		f.Pointer = read.Prefix + f.Pointer // from the order to where it sits in the file
		made.add(f, at(f.Pointer))
	}
	for _, f := range read.Outside {
		made.add(f, at(f.Pointer))
	}
	if read.Document != nil && len(made.Findings) == 0 {
		for _, note := range interbank.Notes(made.Scheme, read.Document) {
			place := at(read.Prefix + note.Pointer)
			made.Notes = append(
				made.Notes, findingNote{Line: place.Line, Column: place.Column, Pointer: read.Prefix + note.Pointer, Text: note.Text.String()},
			)
		}
	}
	return made, nil
}

// first is the index of an entry, which may be missing where one object stands for a list.
var first = regexp.MustCompile(`/0(/|$)`)

// deepestMember is deeper than any member of an order. Deeper ones have no place of their own: their pointers grow with the depth.
const deepestMember = 64

// placesIn indexes the members of a body and returns a function from a pointer to its position. The position of a missing member is that of
// the closest member around it.
func placesIn(content []byte) func(pointer string) codec.Position {
	offsets := map[string]int{}
	note := func(pointer string, offset int) {
		if _, known := offsets[pointer]; !known {
			offsets[pointer] = offset
		}
	}
	tokens := jsontext.NewDecoder(bytes.NewBuffer(content), jsontext.AllowDuplicateNames(true))
	for {
		begin := int(tokens.InputOffset())
		_, err := tokens.ReadToken()
		if err != nil { // its end, or what the reader has told of already
			break
		}
		begin += len(content[begin:]) - len(bytes.TrimLeft(content[begin:], " \t\r\n,:"))
		if tokens.StackDepth() > deepestMember {
			continue
		}
		pointer := string(tokens.StackPointer())
		note(pointer, begin)
		note(first.ReplaceAllString(pointer, "$1"), begin)
	}
	return func(pointer string) codec.Position {
		for ; pointer != ""; pointer = pointer[:max(strings.LastIndexByte(pointer, '/'), 0)] {
			for _, form := range []string{pointer, first.ReplaceAllString(pointer, "$1")} {
				if offset, known := offsets[form]; known {
					return codec.PositionAt(content, offset)
				}
			}
		}
		return codec.Position{Line: 1, Column: 1}
	}
}
