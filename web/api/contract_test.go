package api_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	contract "countersign/api"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

func TestTheDescriptionIsValid(t *testing.T) {
	t.Parallel()
	document, err := openapi3.NewLoader().LoadFromData(contract.Document)
	must(t, err)
	err = document.Validate(t.Context())
	if err != nil {
		t.Error(err)
	}
}

// TestTheDescriptionNamesEveryEvent: a state that the table of moves gains is a type of event for clients.
func TestTheDescriptionNamesEveryEvent(t *testing.T) {
	t.Parallel()
	document, err := openapi3.NewLoader().LoadFromData(contract.Document)
	must(t, err)
	var described, known []string
	for _, value := range document.Components.Schemas["EventType"].Value.Enum {
		described = append(described, value.(string))
	}
	for _, event := range payment.EventTypes() {
		known = append(known, string(event))
	}
	if !slices.Equal(described, known) {
		t.Errorf("described are %q, the table of moves gives %q", described, known)
	}
}

// TestTheDescriptionNamesEveryRoute holds the routes for programs and the OpenAPI document together, both ways.
func TestTheDescriptionNamesEveryRoute(t *testing.T) {
	t.Parallel()
	document, err := openapi3.NewLoader().LoadFromData(contract.Document)
	must(t, err)
	var described []string
	for path, item := range document.Paths.Map() {
		if len(item.Servers) > 0 {
			continue // the simulator's, whose tests hold it against the description
		}
		for method := range item.Operations() {
			for _, scheme := range rulebook.Schemes() {
				described = append(described, method+" "+strings.Replace(path, "{scheme}", string(scheme), 1))
			}
		}
	}
	parameter := regexp.MustCompile(`:(\w+)`)
	var served []string
	for _, route := range setup(t).Server.Routes() {
		if strings.HasPrefix(route.Path, "/static/") || strings.HasPrefix(route.Path, "/api/docs") {
			continue // for browsers
		}
		served = append(served, route.Method+" "+parameter.ReplaceAllString(route.Path, "{$1}"))
	}
	for _, route := range served {
		if !slices.Contains(described, route) {
			t.Errorf("%s is not in the OpenAPI document", route)
		}
	}
	for _, route := range described {
		if !slices.Contains(served, route) {
			t.Errorf("%s is in the OpenAPI document, but not served", route)
		}
	}
}
