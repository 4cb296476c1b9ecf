package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	contract "countersign/api"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
)

// described loads the description.
func described(t *testing.T) *openapi3.T {
	t.Helper()
	document, err := openapi3.NewLoader().LoadFromData(contract.Document)
	must(t, err)
	return document
}

// examplesOf are the examples of a body by name; "" is the only one.
func examplesOf(media *openapi3.MediaType) map[string]any {
	if media.Example != nil {
		return map[string]any{"": media.Example}
	}
	values := map[string]any{}
	for name, example := range media.Examples {
		values[name] = example.Value.Value
	}
	return values
}

// TestEveryExampleIsAsDescribed: each body, asked or answered, and each parameter has one, and its schema takes it.
func TestEveryExampleIsAsDescribed(t *testing.T) {
	t.Parallel()
	looked := 0
	check := func(where string, schema *openapi3.SchemaRef, values map[string]any) {
		if len(values) == 0 {
			t.Errorf("%s has no example", where)
		}
		for name, value := range values {
			looked++
			err := schema.Value.VisitJSON(value, openapi3.MultiErrors())
			if err != nil {
				t.Errorf("%s: the example %s is not as described: %v", where, name, err)
			}
		}
	}
	for path, item := range described(t).Paths.Map() {
		for method, operation := range item.Operations() {
			at := method + " " + path
			for _, parameter := range slices.Concat(item.Parameters, operation.Parameters) {
				values := map[string]any{}
				if parameter.Value.Example != nil {
					values[""] = parameter.Value.Example
				}
				check(at+" "+parameter.Value.Name, parameter.Value.Schema, values)
			}
			if operation.RequestBody != nil {
				for kind, media := range operation.RequestBody.Value.Content {
					check(at+" takes "+kind, media.Schema, examplesOf(media))
				}
			}
			for status, response := range operation.Responses.Map() {
				for kind, media := range response.Value.Content {
					check(at+" "+status+" "+kind, media.Schema, examplesOf(media))
				}
			}
		}
	}
	if looked < 400 {
		t.Errorf("only %d examples were looked at", looked)
	}
}

// TestTheDescriptionExplainsItself: each call, parameter, header, schema and member has words.
func TestTheDescriptionExplainsItself(t *testing.T) {
	t.Parallel()
	document := described(t)
	silent := func(where, words string) {
		if strings.TrimSpace(words) == "" {
			t.Errorf("%s has no description", where)
		}
	}
	for _, tag := range document.Tags {
		silent("tag "+tag.Name, tag.Description)
	}
	for name, schema := range document.Components.Schemas {
		silent(name, schema.Value.Description)
		walkMembers(name, schema.Value, silent)
	}
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			at := method + " " + path
			silent(at, operation.Description)
			for _, parameter := range slices.Concat(item.Parameters, operation.Parameters) {
				silent(at+" "+parameter.Value.Name, parameter.Value.Description)
			}
			for status, response := range operation.Responses.Map() {
				silent(at+" "+status, *response.Value.Description)
				for name, header := range response.Value.Headers {
					silent(at+" "+status+" "+name, header.Value.Description)
				}
			}
		}
	}
}

// walkMembers visits the members of a schema and of those inside it.
func walkMembers(at string, schema *openapi3.Schema, visit func(where, words string)) {
	for name, member := range schema.Properties {
		visit(at+"."+name, member.Value.Description)
		if member.Ref == "" {
			walkMembers(at+"."+name, member.Value, visit)
		}
	}
	if schema.Items != nil && schema.Items.Ref == "" {
		walkMembers(at+"[]", schema.Items.Value, visit)
	}
	for _, alternative := range schema.OneOf {
		if alternative.Ref == "" {
			walkMembers(at, alternative.Value, visit)
		}
	}
}

// TestEveryExampleOfARequestIsTaken sends each example of a body to its call, in a gateway where what it is about stands as it has to.
func TestEveryExampleOfARequestIsTaken(t *testing.T) {
	t.Parallel()
	b := setupInterbank(t)
	b.Clock.Set(time.Date(2026, time.November, 20, 9, 12, 0, 0, time.UTC))
	taken := 0
	paths := described(t).Paths.Map()
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item := paths[path]
		elsewhere := strings.HasPrefix(path, "/clearing/") || strings.HasPrefix(path, "/vop/") || strings.HasPrefix(path, "/api/admin/")
		if len(item.Servers) > 0 || item.Post == nil || elsewhere {
			continue // the simulator's tests take those of the sandbox, the doors for banks and administration have tests of their own
		}
		for kind, media := range item.Post.RequestBody.Value.Content {
			for name, value := range examplesOf(media) {
				body, err := json.Marshal(value)
				must(t, err)
				sent := b.exampleCall(t, path, name, string(body))
				if kind == "application/xml" {
					sent.Body, sent.Change = value.(string), func(r *http.Request) { r.Header.Set("Content-Type", kind) }
				}
				a := b.Send(t, sent)
				if !slices.Contains([]int{http.StatusOK, http.StatusAccepted, http.StatusNoContent}, a.Status) {
					t.Errorf("%s: the example %s is answered with %d %s", path, name, a.Status, a.Body)
				}
				taken++
			}
		}
	}
	if taken < 25 {
		t.Errorf("only %d examples were sent", taken)
	}
}

// TestTheServedExamplesAreOfToday: the order of the served description is taken on any day.
func TestTheServedExamplesAreOfToday(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Clock.Set(time.Date(2026, time.December, 1, 23, 12, 0, 0, time.UTC)) // the next day in Zurich
	for _, form := range []string{"json", "yaml"} {
		served := b.ok(t, call{Method: http.MethodGet, Path: "/api/openapi." + form})
		if strings.Contains(served.Body, "2026-11-20") || !strings.Contains(served.Body, "2026-12-02") {
			t.Errorf("the examples of %s are of another day", form)
		}
		document, err := openapi3.NewLoader().LoadFromData([]byte(served.Body))
		must(t, err)
		order, err := json.Marshal(document.Components.Examples["SwissOrder"].Value.Value)
		must(t, err)
		b.ok(t, call{Path: "/api/sic-inst/v1/instruction/create", Who: maker1, Body: string(order)})
	}
}

// TestTheOrderIsTypedAsTheCodecReadsIt: an order that its schema refuses is refused by the codec too.
func TestTheOrderIsTypedAsTheCodecReadsIt(t *testing.T) {
	t.Parallel()
	document := described(t)
	order := document.Components.Examples["EuropeanOrder"].Value.Value.(map[string]any)["Document"]
	schema := document.Components.Schemas["CreditTransferDocument"].Value
	refused := 0
	check := func(what string) {
		content, err := json.Marshal(order)
		must(t, err)
		bySchema := schema.VisitJSON(order)
		_, byCodec := codec.DecodeJSON(content, "/Document", iso20022.Pain001V09)
		if bySchema != nil && len(byCodec) == 0 {
			t.Errorf("%s: the schema refuses what the codec takes: %v", what, bySchema)
		}
		if bySchema != nil {
			refused++
		}
	}
	check("the example")
	mutate(order, "", check)
	if refused < 100 {
		t.Errorf("the schema refused %d orders only", refused)
	}
}

// mutate changes each member of a document in turn, visits the changed document, and puts the member back.
func mutate(at any, place string, visit func(what string)) {
	members, is := at.(map[string]any)
	if list, isList := at.([]any); isList {
		for i, entry := range list {
			mutate(entry, fmt.Sprintf("%s/%d", place, i), visit)
		}
	}
	if !is {
		return
	}
	for name, value := range maps.Clone(members) {
		here := place + "/" + name
		delete(members, name)
		visit(here + " missing")
		members["Unknown"] = value
		visit(here + " under another name")
		delete(members, "Unknown")
		for _, wrong := range []any{"", strings.Repeat("x", 300), "ä", true, []any{}, map[string]any{}} {
			if _, many := value.([]any); many && fmt.Sprint(wrong) != "[]" {
				continue // the codec takes one value in place of an array
			}
			members[name] = wrong
			visit(fmt.Sprintf("%s as %.10v", here, wrong))
		}
		members[name] = value
		mutate(value, here, visit)
	}
}

// TestTheSchemasAskForWhatTheProgramAsksFor: the reason, in one of its two places, and the payment by one of its two names.
func TestTheSchemasAskForWhatTheProgramAsksFor(t *testing.T) {
	t.Parallel()
	schemas := described(t).Components.Schemas
	for body, schema := range map[string]string{
		`{"identifiers":{"internalId":"a"}}`:                                              "RecallOrder",
		`{"identifiers":{"internalId":"a"},"RecallDetails":{}}`:                           "RecallOrder",
		`{"identifiers":{"creditId":"a"},"ReturnDetails":{"chargeAmount":"1"}}`:           "ReturnOrder",
		`{"identifiers":{},"ReturnDetails":{"reason":"FOCR"}}`:                            "ReturnOrder",
		`{"identifiers":{"recallId":"b"},"ResolutionDetails":{"reason":"CUST"}}`:          "ResolutionOrder",
		`{"identifiers":{"recallId":"b","creditId":"a"},"additionalInformation":["one"]}`: "ResolutionOrder",
	} {
		var value any
		must(t, json.Unmarshal([]byte(body), &value))
		err := schemas[schema].Value.VisitJSON(value)
		if err == nil {
			t.Errorf("the schema %s takes %s", schema, body)
		}
	}
}
