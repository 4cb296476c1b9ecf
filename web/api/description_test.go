package api_test

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	contract "countersign/api"
)

// TestEveryOperationOfTheDescriptionHasAName of its own: generated clients call it by that.
func TestEveryOperationOfTheDescriptionHasAName(t *testing.T) {
	t.Parallel()
	document, err := openapi3.NewLoader().LoadFromData(contract.Document)
	must(t, err)
	known := map[string]string{}
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			if operation.OperationID == "" || known[operation.OperationID] != "" {
				t.Errorf("%s %s is called %q, as is %q", method, path, operation.OperationID, known[operation.OperationID])
			}
			known[operation.OperationID] = method + " " + path
			if operation.Summary == "" {
				t.Errorf("%s %s has no summary", method, path)
			}
			if operation.Responses.Status(400) == nil && len(operation.Responses.Map()) < 2 && len(item.Parameters) > 0 {
				t.Errorf("%s %s says nothing of failures", method, path)
			}
			for _, parameter := range append(item.Parameters, operation.Parameters...) {
				one := parameter.Value
				if one.In == openapi3.ParameterInPath && one.Example == nil && len(one.Schema.Value.Enum) == 0 && one.Schema.Value.Example == nil {
					t.Errorf("%s %s: the path parameter %s has no example", method, path, one.Name)
				}
			}
		}
	}
	if len(known) < 40 {
		t.Errorf("only %d operations were looked at", len(known))
	}
}
