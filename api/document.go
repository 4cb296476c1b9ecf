// Package contract holds the description of the HTTP interface: the OpenAPI document that integrators read, request bodies are checked
// against, answer types are generated from and tests hold every answer to.
package contract

import (
	_ "embed"
)

//go:generate go run ../tools/jsondoc

// Document is the OpenAPI 3.1 document, as YAML.
//
//go:embed openapi.yaml
var Document []byte

// DocumentJSON is the same document as JSON. It is made from the YAML by make generate.
//
//go:embed openapi.json
var DocumentJSON []byte
