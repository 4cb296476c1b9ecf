// Command xsdgen turns the ISO 20022 schemas in a folder into the Go types and descriptor tables of package iso20022.
//
// It reads the small part of XML Schema that these schemas use: one complex type is either one sequence, one choice, a restriction written
// out as one of them, or decimal content with a currency attribute; simple types restrict a built-in type. Anything else stops the
// generation, as does a short element name whose parts are not in the dictionary, so a new schema cannot enter half understood.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	schemas := flag.String("schemas", "schema", "folder with the .xsd files")
	output := flag.String("output", ".", "folder the Go files are written to")
	flag.Parse()

	if err := generate(*schemas, *output); err != nil {
		fmt.Fprintln(os.Stderr, "xsdgen:", err)
		os.Exit(1)
	}
}

// generate reads every message schema and writes all files of the package.
func generate(schemas, output string) error {
	catalogue := newCatalogue()
	for _, message := range messages {
		err := catalogue.read(schemas, message)
		if err != nil {
			return fmt.Errorf("read schema of %s: %w", message.name, err)
		}
	}
	return catalogue.write(output)
}
