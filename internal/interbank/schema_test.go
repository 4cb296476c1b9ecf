package interbank_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/rulebook"
	"countersign/internal/testutil"
)

// swissSchema is the Swiss subset of pain.001.001.09, which may not be copied into the project; ok is false where it is not at hand.
func swissSchema() (path string, ok bool) {
	shared := os.Getenv("COUNTERSIGN_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	path = filepath.Join(shared, "iso20022", "xsd", "pain.001.001.09.ch.03.xsd")
	_, err := os.Stat(path)
	return path, err == nil
}

// lint holds files against a schema with xmllint.
func lint(t *testing.T, schema string, paths []string) {
	t.Helper()
	program := testutil.Program(t, "xmllint", "make xmllint")
	output, err := exec.Command(program, append([]string{"--noout", "--nonet", "--schema", schema}, paths...)...).CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", filepath.Base(schema), err, firstLines(string(output)))
	}
}

// TestThousandsOfOrdersFollowTheSchemas draws two thousand orders a scheme, which the rules accept, and holds each order and the payment
// made from it against the ISO schemas, and the order against the Swiss one, with another program.
func TestThousandsOfOrdersFollowTheSchemas(t *testing.T) {
	t.Parallel()
	const each = 2000
	for _, c := range chains() {
		t.Run(string(c.scheme), func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			files := map[iso20022.MessageName][]string{}
			orders := rapid.Custom(func(t *rapid.T) *iso20022.CustomerCreditTransferInitiation { return drawOrder(t, c.scheme, c.from) })
			for seed := range each {
				order := orders.Example(seed)
				if findings := rulebook.Check(rulebook.Input{Scheme: c.scheme, Document: order, Today: noon()}); len(findings) > 0 {
					t.Fatalf("the order is refused: %+v", findings)
				}
				in := c.input(t)
				in.Order, in.UETR = order, "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10"
				in.CreditorAgent = "AAAAFRPPXXX"
				paid, err := interbank.CreditTransfer(in)
				must(t, err)
				for _, document := range []iso20022.Document{order, paid} {
					encoded, err := codec.EncodeXML(document)
					must(t, err)
					path := filepath.Join(folder, fmt.Sprintf("%d-%s.xml", seed, document.MessageName()))
					must(t, os.WriteFile(path, encoded, 0o600))
					files[document.MessageName()] = append(files[document.MessageName()], path)
				}
			}
			for name, paths := range files {
				lint(t, "../iso20022/schema/"+string(name)+".xsd", paths)
			}
			if schema, ok := swissSchema(); ok {
				lint(t, schema, files[iso20022.Pain001V09])
			} else {
				t.Log("orders were not held against pain.001.001.09.ch.03.xsd: set COUNTERSIGN_SHARED to the folder that holds iso20022/xsd")
			}
		})
	}
}
