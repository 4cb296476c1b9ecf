// Package contract holds the description of the HTTP interface: the OpenAPI document that integrators read, request bodies are checked
// against, answer types are generated from and tests hold every answer to.
package contract

import (
	"bytes"
	_ "embed"
	"time"
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

// The day and the realm of the examples.
const (
	exampleDay   = "2026-11-20"
	exampleRealm = "/realms/demo/"
)

// Served returns a form of the document for readers: its examples have the given day, because an order is for today, and its sign-in
// has the given realm, if there is one.
func Served(document []byte, day time.Time, realm string) []byte {
	served := bytes.ReplaceAll(document, []byte(exampleDay), []byte(day.Format(time.DateOnly)))
	if realm == "" {
		return served
	}
	return bytes.ReplaceAll(served, []byte(exampleRealm), []byte("/realms/"+realm+"/"))
}
