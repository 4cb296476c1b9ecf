// Command jsondoc writes the OpenAPI document as JSON. The program carries that beside the YAML people read, so that it need not read and
// turn it each time it starts: that took a sixth of its start.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"gopkg.in/yaml.v3"
)

func main() {
	source := flag.String("source", "openapi.yaml", "file to read")
	output := flag.String("output", "openapi.json", "file to write")
	flag.Parse()
	err := turn(*source, *output)
	if err != nil {
		fmt.Fprintln(os.Stderr, "jsondoc:", err)
		os.Exit(1)
	}
}

// turn writes the YAML of one file as the JSON of another, in one line. Members are in the order of their names, so the same document gives
// the same bytes.
func turn(source, output string) error {
	written, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	var document any
	err = yaml.Unmarshal(written, &document)
	if err != nil {
		return fmt.Errorf("read %s: %w", source, err)
	}
	content, err := json.Marshal(document)
	if err != nil {
		return fmt.Errorf("write %s: %w", source, err)
	}
	return os.WriteFile(output, append(content, '\n'), 0o644) //nolint:gosec // a file of the tree, as others
}
