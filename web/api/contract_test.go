package api_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	contract "countersign/api"
	"countersign/internal/administration"
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

// TestTheDescriptionFillsInWhatGoesTogether: its page sends the examples of all parameters but empty ones, and a list takes a page or a place,
// not both.
func TestTheDescriptionFillsInWhatGoesTogether(t *testing.T) {
	t.Parallel()
	document, err := openapi3.NewLoader().LoadFromData(contract.Document)
	must(t, err)
	lists := 0
	for path, item := range document.Paths.Map() {
		for _, operation := range item.Operations() {
			page, after := operation.Parameters.GetByInAndName("query", "currentPage"), operation.Parameters.GetByInAndName("query", "after")
			if page == nil || after == nil {
				continue
			}
			lists++
			if after.Example != "" {
				t.Errorf("%s fills in after beside currentPage: %v", path, after.Example)
			}
		}
	}
	if lists < 3 {
		t.Errorf("only %d lists have both", lists)
	}
}

// TestTheDescriptionNamesEveryEvent: a type of event is described for clients.
func TestTheDescriptionNamesEveryEvent(t *testing.T) {
	t.Parallel()
	document, err := openapi3.NewLoader().LoadFromData(contract.Document)
	must(t, err)
	var described []string
	for _, value := range document.Components.Schemas["EventType"].Value.Enum {
		described = append(described, value.(string))
	}
	if !slices.Equal(described, administration.EventTypes) {
		t.Errorf("described are %q, want %q", described, administration.EventTypes)
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

// TestTheDescriptionExplainsEveryErrorCode holds the codes in the sources and those in the description together, both ways.
func TestTheDescriptionExplainsEveryErrorCode(t *testing.T) {
	t.Parallel()
	ofVariants := []string{ // their answers have fields, a status report or error, and no errorCode
		"400_BAD_REQUEST", "400_UNKNOWN_ID", "400_TIMEOUT", "400_REFUSED", "400_CONTENT_CHANGED", "400_WITHHELD", "400_WRONG_PATH",
		"403_CROSS_ORIGIN", // for pages
	}
	var served []string
	literal := regexp.MustCompile(`"([45][0-9]{2}_[A-Z_]+)"`)
	for _, pattern := range []string{"../*.go", "*.go", "../request/*.go"} {
		files, err := filepath.Glob(pattern)
		must(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			content, err := os.ReadFile(file)
			must(t, err)
			for _, found := range literal.FindAllStringSubmatch(string(content), -1) {
				if !slices.Contains(ofVariants, found[1]) {
					served = append(served, found[1])
				}
			}
		}
	}
	var explained []string
	row := regexp.MustCompile("(?m)^\\| `([0-9A-Z_]+)` \\| .+ \\| .+ \\|$")
	for _, found := range row.FindAllStringSubmatch(described(t).Components.Schemas["ErrorCode"].Value.Description, -1) {
		explained = append(explained, found[1])
	}
	slices.Sort(served)
	slices.Sort(explained)
	served = slices.Compact(served)
	if !slices.Equal(served, explained) {
		t.Errorf("the sources have %q, the description explains %q", served, explained)
	}
}
