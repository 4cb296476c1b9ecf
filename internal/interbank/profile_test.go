package interbank_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/profile"
	"countersign/internal/rulebook"
)

// profiles are all profiles shipped for a scheme, each as a connection has it.
func profiles(tb testing.TB, scheme rulebook.Scheme) (list []*profile.Profile) {
	tb.Helper()
	book, err := profile.NewRegistry(nil)
	must(tb, err)
	for _, shipped := range book.Profiles(string(scheme)) {
		chosen, err := book.Choose(string(scheme), shipped.Name, profile.Ends{Sender: "AAAADEFFXXX", Receiver: "CLRGDEFFXXX"})
		must(tb, err)
		list = append(list, chosen.InForce(string(scheme), noon()))
	}
	return list
}

// schemaOf is the file with the schema of a namespace. For those of SIX there are only schemas derived from what is publicly known.
func schemaOf(namespace string) string {
	if variant, six := strings.CutPrefix(namespace, iso20022.NamespaceOfSIX); six {
		return "../profile/testdata/derived-six/" + variant + ".xsd"
	}
	return "../iso20022/schema/" + namespace[strings.LastIndex(namespace, ":")+1:] + ".xsd"
}

// TestEveryDocumentOfSixtyPaymentsFollowsTheSchemaOfItsProfile draws sixty payments a scheme, makes every document there is about each,
// writes them in every profile of the scheme and holds them against the schema with another program. What is read back has the values
// that were written.
func TestEveryDocumentOfSixtyPaymentsFollowsTheSchemaOfItsProfile(t *testing.T) {
	t.Parallel()
	const each = 60
	for _, c := range chains() {
		orders := rapid.Custom(func(t *rapid.T) *iso20022.CustomerCreditTransferInitiation { return drawOrder(t, c.scheme, c.from) })
		for _, used := range profiles(t, c.scheme) {
			t.Run(used.Name, func(t *testing.T) {
				t.Parallel()
				folder, files, count := t.TempDir(), map[string][]string{}, 0
				for seed := range each {
					recall, resolution, back := reasonsAt(c.scheme, seed)
					for i, document := range c.life(t, orders.Example(seed), recall, resolution, back) {
						written, err := used.Write(document)
						must(t, err)
						c.wantSame(t, used, document, written)
						path := filepath.Join(folder, fmt.Sprintf("%d-%d.xml", seed, i))
						inner, namespace := innerDocument(t, written)
						must(t, os.WriteFile(path, inner, 0o600))
						files[namespace] = append(files[namespace], path)
						count++
					}
				}
				for namespace, paths := range files {
					lint(t, schemaOf(namespace), paths)
				}
				t.Logf("%d documents in %d namespaces", count, len(files))
			})
		}
	}
}

// wantSame reads a document back and compares what readers make of it with what was made.
func (c chain) wantSame(t *testing.T, used *profile.Profile, made iso20022.Document, written []byte) {
	t.Helper()
	if err := used.Fits(written); err != nil {
		t.Fatalf("%s does not take what it wrote: %v", used.Name, err)
	}
	read, findings := profile.Read(written)
	if len(findings) > 0 {
		t.Fatalf("%s: %+v\n%s", used.Name, findings, written)
	}
	if read.MessageName() != made.MessageName() {
		t.Fatalf("a %s is read as %s", made.MessageName(), read.MessageName())
	}
	payment, is := made.(*iso20022.FIToFICustomerCreditTransfer)
	if !is {
		return
	}
	want, err := interbank.ReadTransfer(payment)
	must(t, err)
	got, err := interbank.ReadTransfer(read.(*iso20022.FIToFICustomerCreditTransfer))
	must(t, err)
	got.InstructionID = want.InstructionID // SIX's form has no place for it
	if got != want {
		t.Fatalf("%s: read back\n%+v\nwant\n%+v", used.Name, got, want)
	}
}

// innerDocument is the Document element of what travels, and its namespace.
func innerDocument(t *testing.T, written []byte) (document []byte, namespace string) {
	t.Helper()
	text := string(written)
	begin, end := strings.Index(text, "<Document "), strings.LastIndex(text, "</Document>")
	if begin < 0 || end < 0 {
		t.Fatalf("no document in %s", text)
	}
	text = text[begin : end+len("</Document>")]
	namespace, _, _ = strings.Cut(strings.TrimPrefix(text, `<Document xmlns="`), `"`)
	return []byte(text), namespace
}

// TestTheShippedTermsAreThoseOfTheSchemes: a reason or a limit that the rules get and the profiles shipped do not would never count.
func TestTheShippedTermsAreThoseOfTheSchemes(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		for _, used := range profiles(t, scheme) {
			for field, list := range map[string]struct {
				codes   []string
				reasons []rulebook.Reason
			}{
				"recallReasons":     {used.Terms.RecallReasons, rulebook.RecallReasons(scheme)},
				"returnReasons":     {used.Terms.ReturnReasons, rulebook.ReturnReasons(scheme)},
				"resolutionReasons": {used.Terms.ResolutionReasons, rulebook.ResolutionReasons(scheme)},
			} {
				var codes []string
				for _, reason := range list.reasons {
					codes = append(codes, reason.Code)
				}
				if len(list.codes) > 0 && !slices.Equal(list.codes, codes) {
					t.Errorf("%s %s is %q, and the rules have %q", used.Name, field, list.codes, codes)
				}
			}
			book, err := profile.NewRegistry(nil)
			must(t, err)
			book, err = book.Choose(string(scheme), used.Name, profile.Ends{Sender: "AAAADEFFXXX", Receiver: "CLRGDEFFXXX"})
			must(t, err)
			limit := book.Terms(string(scheme), noon()).Limit
			if of := (rulebook.Settings{}).LimitOn(scheme, noon()); limit != of {
				t.Errorf("%s: the limit is %s, and the rules have %s", used.Name, limit.Format(), of.Format())
			}
		}
	}
}
