package realmfile

import (
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Whole is a whole number, written as one: a reader of YAML would cut 0.9 to 0, and a policy would ask for no approval.
type Whole int

// UnmarshalYAML reads the number. Error: yaml.TypeError.
func (w *Whole) UnmarshalYAML(node *yaml.Node) error {
	number, err := strconv.Atoi(node.Value)
	if err != nil || node.Tag != "!!int" || strconv.Itoa(number) != node.Value {
		return notWritten(node, "a whole number")
	}
	*w = Whole(number)
	return nil
}

// Flag is true or false, written so: a reader of YAML would take "yes" and on for true too.
type Flag bool

// UnmarshalYAML reads the word. Error: yaml.TypeError.
func (f *Flag) UnmarshalYAML(node *yaml.Node) error {
	if node.Tag != "!!bool" || node.Value != "true" && node.Value != "false" {
		return notWritten(node, "true or false")
	}
	*f = node.Value == "true"
	return nil
}

// notWritten is an error that is told with the others of a file, each by its line.
func notWritten(node *yaml.Node, wanted string) error {
	return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: write %s instead of %q", node.Line, wanted, node.Value)}}
}
