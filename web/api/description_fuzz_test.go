package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"countersign/internal/testutil"
	"countersign/web/webtest"
)

// The number of requests and the seed of TestRequestsMadeFromTheDescription, unless the environment has others.
const (
	describedRequests = 400
	describedSeed     = 49
)

// describer makes requests from the description: mostly as it says, some with a fault.
type describer struct {
	random *rand.Rand
	known  map[string][]string // ids of answers, by their member
}

// operation is a call of the description.
type operation struct {
	method, path string
	item         *openapi3.PathItem
	of           *openapi3.Operation
}

// TestRequestsMadeFromTheDescription sends requests that are made from the description. Send holds each answer against it: no status and no
// body is undescribed. None is a failure of the gateway.
func TestRequestsMadeFromTheDescription(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	count, seed := settingOf(t, "COUNTERSIGN_DESCRIBED_REQUESTS", describedRequests), settingOf(t, "COUNTERSIGN_DESCRIBED_SEED", describedSeed)
	b := setupInterbank(t)
	d := &describer{random: rand.New(rand.NewPCG(uint64(seed), 1)), known: map[string][]string{}}
	var operations []operation
	paths := described(t).Paths.Map()
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item := paths[path]
		if len(item.Servers) > 0 {
			continue // the simulator's
		}
		for _, method := range slices.Sorted(maps.Keys(item.Operations())) {
			operations = append(operations, operation{method, path, item, item.Operations()[method]})
		}
	}
	statuses := map[int]int{}
	taken := map[string]bool{}
	var took []time.Duration
	start := b.Clock.Now()
	for i := range count {
		b.Clock.Set(start.Add(time.Duration(i) * 100 * time.Millisecond)) // limits of calls go by this clock, and so do tokens
		if i%2000 == 0 {
			b.SignOut()
		}
		op := operations[d.random.IntN(len(operations))]
		sent := d.call(op)
		began := time.Now()
		a := b.Send(t, sent)
		took = append(took, time.Since(began))
		statuses[a.Status]++
		if a.Status < http.StatusBadRequest {
			taken[op.of.OperationID] = true
		}
		if a.Status >= http.StatusInternalServerError {
			t.Errorf("%s %s answers %d %s to %.2000s", sent.Method, sent.Path, a.Status, a.Body, sent.Body)
		}
		if op.of.OperationID != "getDescriptionJSON" {
			d.harvest(a.JSON)
		}
		if t.Failed() {
			t.Fatalf("seed %d: %s %s as %v, answered by %d: %.2000s", seed, sent.Method, sent.Path, sent.Who, a.Status, sent.Body)
		}
	}
	slices.Sort(took)
	t.Logf("%d requests of %d calls (seed %d): %v; %d calls were taken; p50 %s, p99 %s", count, len(operations), seed, statuses, len(taken),
		took[len(took)/2].Round(time.Millisecond), took[len(took)*99/100].Round(time.Millisecond))
	least := 15
	if count >= 10*describedRequests {
		least = len(operations) / 2
	}
	if len(taken) < least {
		t.Errorf("only %d of %d calls were taken: %v", len(taken), len(operations), slices.Sorted(maps.Keys(taken)))
	}
}

func settingOf(t *testing.T, name string, usual int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	number, err := strconv.Atoi(text)
	must(t, err)
	return number
}

// harvest keeps the ids of an answer, so that later requests are about something.
func (d *describer) harvest(value any) {
	const most = 100
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			text, isText := member.(string)
			ofID := name == "id" || name == "next" || strings.HasSuffix(name, "Id") && name != "responseId" && name != "originalRequestId"
			if list := d.known[name]; isText && ofID && len(list) < most {
				d.known[name] = append(list, text)
			} else if isText && ofID {
				list[d.random.IntN(most)] = text
			}
			d.harvest(member)
		}
	case []any:
		for _, entry := range value {
			d.harvest(entry)
		}
	}
}

// id returns an id of an earlier answer under a name, or under any; empty when there is none.
func (d *describer) id(name string) string {
	list := d.known[name]
	if len(list) == 0 || d.chance(10) {
		names := slices.Sorted(maps.Keys(d.known))
		if len(names) == 0 {
			return ""
		}
		list = d.known[names[d.random.IntN(len(names))]]
	}
	return list[d.random.IntN(len(list))]
}

// chance is true for one of so many.
func (d *describer) chance(one int) bool { return d.random.IntN(one) == 0 }

// call makes a request.
func (d *describer) call(op operation) call {
	people := []webtest.Person{maker1, maker1, checker1, checker1, webtest.Both1, supervisor1, webtest.Admin1, webtest.Admin2, webtest.Nobody}
	c := call{Method: op.method, Path: op.path, Who: people[d.random.IntN(len(people))]}
	if strings.HasPrefix(op.path, "/api/admin/") && !d.chance(5) {
		c.Who = []webtest.Person{webtest.Admin1, webtest.Admin2}[d.random.IntN(2)]
	}
	if op.of.Security != nil && len(*op.of.Security) == 0 {
		c.Who = webtest.Nobody
	}
	query, headers := url.Values{}, map[string]string{}
	for _, ref := range slices.Concat(op.item.Parameters, op.of.Parameters) {
		parameter := ref.Value
		value := d.parameter(parameter)
		switch {
		case parameter.In == openapi3.ParameterInPath:
			c.Path = strings.ReplaceAll(c.Path, "{"+parameter.Name+"}", url.PathEscape(value))
		case parameter.In == openapi3.ParameterInQuery && d.chance(4):
			query.Add(parameter.Name, value)
		case parameter.In == openapi3.ParameterInHeader && (parameter.Required || d.chance(3)):
			headers[parameter.Name] = value
		}
	}
	if query.Get("wait") != "" {
		query.Set("wait", "0")
	}
	if len(query) > 0 {
		c.Path += "?" + query.Encode()
	}
	if strings.HasPrefix(op.path, "/clearing/") && !d.chance(5) {
		headers["Authorization"] = "Bearer " + webtest.ClearingToken
	}
	d.body(op, &c)
	c.Change = func(r *http.Request) {
		for name, value := range headers {
			r.Header.Set(name, strings.Map(func(c rune) rune {
				if c < ' ' || c > '~' {
					return -1
				}
				return c
			}, value))
		}
	}
	return c
}

// parameter makes the value of a parameter.
func (d *describer) parameter(p *openapi3.Parameter) string {
	if p.Name == "realm" && !d.chance(20) {
		return "demo"
	}
	isID := p.In == openapi3.ParameterInPath || strings.HasSuffix(p.Name, "Id") || p.Name == "after"
	if id := d.id(p.Name); isID && len(p.Schema.Value.Enum) == 0 && id != "" && !d.chance(4) {
		return id
	}
	value := fmt.Sprint(d.value(p.Schema.Value, 0))
	if p.In == openapi3.ParameterInPath && (value == "" || value == "." || value == "..") {
		return "x"
	}
	return value
}

// body makes the body of a request: an example of it, changed at one place or not, or one from its schema.
func (d *describer) body(op operation, c *call) {
	if op.of.RequestBody == nil {
		return
	}
	content := op.of.RequestBody.Value.Content
	kinds := slices.Sorted(maps.Keys(content))
	kind := kinds[d.random.IntN(len(kinds))]
	media := content[kind]
	c.Kind = kind
	examples := examplesOf(media)
	names := slices.Sorted(maps.Keys(examples))
	value := copied(examples[names[d.random.IntN(len(names))]])
	switch d.random.IntN(4) {
	case 0:
		value = d.value(media.Schema.Value, 0)
	case 1:
		value = d.changed(value)
	}
	switch kind {
	case "application/x-www-form-urlencoded":
		form := url.Values{}
		members, _ := value.(map[string]any)
		for name, member := range members {
			form.Set(name, fmt.Sprint(member))
		}
		c.Body = form.Encode()
	case "application/xml":
		c.Body, _ = value.(string)
	default:
		value = d.named(value)
		written, _ := json.Marshal(value)
		c.Body = string(written)
	}
}

// copied is a deep copy.
func copied(value any) any {
	written, _ := json.Marshal(value)
	var read any
	_ = json.Unmarshal(written, &read)
	return read
}

// named gives an order names of its own, and a decision a message that there is.
func (d *describer) named(value any) any {
	members, is := value.(map[string]any)
	if !is {
		return value
	}
	for name, member := range members {
		_, isText := member.(string)
		switch {
		case isText && (name == "externalId" || name == "MsgId") && !d.chance(4):
			members[name] = fmt.Sprintf("N%d", d.random.Int64())
		case isText && strings.HasSuffix(name, "Id") && len(member.(string)) == 36 && d.id(name) != "" && !d.chance(4):
			members[name] = d.id(name)
		case isText && name == "contentHash" && d.chance(2):
			delete(members, name)
		default:
			members[name] = d.named(member)
		}
	}
	return members
}

// changed replaces or removes one member somewhere.
func (d *describer) changed(value any) any {
	switch value := value.(type) {
	case map[string]any:
		if len(value) == 0 {
			return value
		}
		names := slices.Sorted(maps.Keys(value))
		name := names[d.random.IntN(len(names))]
		switch d.random.IntN(8) {
		case 0:
			delete(value, name)
		case 1:
			value["unknown"] = value[name]
		case 2:
			value[name] = d.fault()
		default:
			value[name] = d.changed(value[name])
		}
		return value
	case []any:
		if len(value) == 0 || d.chance(6) {
			return append(value, d.fault())
		}
		at := d.random.IntN(len(value))
		value[at] = d.changed(value[at])
		return value
	case string:
		runes := []rune(value)
		if len(runes) > 0 && d.chance(2) {
			runes[d.random.IntN(len(runes))] = []rune("0AZaz é<&\x00/-")[d.random.IntN(12)]
			return string(runes)
		}
	}
	return d.fault()
}

// fault is a value that few schemas take.
func (d *describer) fault() any {
	faults := []any{
		nil, true, 0, -1, 1.5, 1e300, "", " ", "x", strings.Repeat("ü", 600), "\x00", "2026-02-30",
		[]any{},
		[]any{nil},
		map[string]any{},
		"null",
		map[string]any{"a": map[string]any{"b": []any{1}}},
		"' OR 1=1 --", "../../etc/passwd", "<x>&amp;</x>", "9999999999999999999.99",
	}
	return faults[d.random.IntN(len(faults))]
}

// value makes a value of a schema.
func (d *describer) value(s *openapi3.Schema, depth int) any {
	if d.chance(60) {
		return d.fault()
	}
	choices := slices.Concat(s.OneOf, s.AnyOf)
	switch {
	case len(s.Enum) > 0:
		return s.Enum[d.random.IntN(len(s.Enum))]
	case len(s.Properties) > 0:
		return d.object(s, depth)
	case len(choices) > 0:
		return d.value(choices[d.random.IntN(len(choices))].Value, depth)
	case s.Type.Includes("array") && s.Items != nil:
		list := []any{}
		for range max(int(s.MinItems), d.random.IntN(3)) {
			list = append(list, d.value(s.Items.Value, depth+1))
		}
		return list
	case s.Type.Includes("boolean"):
		return d.chance(2)
	case s.Type.Includes("integer"), s.Type.Includes("number"):
		return d.random.IntN(200) - 20
	case s.Type.Includes("object"):
		return map[string]any{}
	}
	return d.text(s)
}

func (d *describer) object(s *openapi3.Schema, depth int) any {
	members := map[string]any{}
	names := slices.Sorted(maps.Keys(s.Properties))
	if s.MaxProps != nil && *s.MaxProps == 1 {
		names = names[:0:0]
		all := slices.Sorted(maps.Keys(s.Properties))
		names = append(names, all[d.random.IntN(len(all))])
	}
	for _, name := range names {
		often := 4 + 3*depth
		if slices.Contains(s.Required, name) && !d.chance(30) || len(names) == 1 || d.chance(often) {
			members[name] = d.value(s.Properties[name].Value, depth+1)
		}
	}
	return members
}

func (d *describer) text(s *openapi3.Schema) any {
	switch {
	case s.Example != nil && d.chance(2):
		return s.Example
	case s.Format == "uuid" && d.id("internalId") != "":
		return d.id("internalId")
	case s.Format == "date":
		return time.Date(2026, 11, 19+d.random.IntN(3), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	case s.Format == "date-time":
		return time.Date(2026, 11, 20, d.random.IntN(24), 0, 0, 0, time.UTC).Format(time.RFC3339)
	}
	length := int(s.MinLength) + d.random.IntN(12)
	if s.MaxLength != nil {
		length = min(length, int(*s.MaxLength))
	}
	text := make([]rune, length)
	for i := range text {
		text[i] = []rune("abcXYZ019 -/.:é")[d.random.IntN(15)]
	}
	return string(text)
}
