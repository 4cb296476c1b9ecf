package integrity_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/testutil"
)

// TestBothVerifiersAgree changes genuine bundles at random: the file under the genuine signature, and leaves under a signature of the test's
// own over them. Both programs give the same verdict on each and show as many rights. make drill judges 10,000 bundles.
func TestBothVerifiersAgree(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	h := servicetest.With(t, servicetest.Options{Payee: confirming{}})
	bases := fuzzed(t, h)
	wanted := testutil.Count(t, "COUNTERSIGN_BUNDLES", 200)
	random := rand.New(rand.NewPCG(5, uint64(wanted)))
	kinds, proven := map[string]int{}, 0
	const together = 500
	for done := 0; done < wanted; done += together {
		var files [][]byte
		var names, said []string
		for range min(together, wanted-done) {
			kind, file := mutated(t, random, bases)
			names, files = append(names, kind), append(files, file)
			p, err := proves(t, file)
			if err != nil {
				said = append(said, "refused: "+err.Error())
				continue
			}
			proven++
			said = append(said, fmt.Sprintf("proven without %d", p.Unshown))
		}
		for i, verdict := range otherProgram(t, files) {
			kinds[names[i]]++
			var shown, all int
			_, err := fmt.Sscanf(verdict, "proven, %d of %d rights", &shown, &all)
			if err == nil && said[i] != fmt.Sprintf("proven without %d", all-shown) || err != nil && strings.HasPrefix(said[i], "proven") {
				t.Errorf("%s: one program says %s, the other one %s", names[i], said[i], verdict)
			}
		}
	}
	t.Logf("%d bundles by kind %v: %d proven", wanted, kinds, proven)
}

// headIn is the head in the detail of a leaf.
var headIn = regexp.MustCompile(`\\"head\\":\{[^}]*\}`)

// TestAGrantThatEndedProvesNoRight: the master data under the signed head hold a grant with its end. Neither program takes it for one in
// force, and both take the same grant without its end.
func TestAGrantThatEndedProvesNoRight(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	whole, err := auditlog.ParseBundle(bundleOf(t, h, approve(t, h, h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSCT))))
	must(t, err)
	if len(whole.Grants) != 2 || whole.Grants[0].Head != whole.Grants[1].Head {
		t.Fatalf("the bundle has the grants %+v, want two under one head", whole.Grants)
	}
	var files [][]byte
	for _, end := range []string{"\x00\x00\x00\x00", "\x00\x00\x00\x09\x01\x00\x06\x00\x00\x00\x00\x00\x00"} {
		b := whole
		b.Grants = slices.Clone(whole.Grants)
		record := b.Grants[1].Record
		b.Grants[1].Record = append(slices.Clone(record[:len(record)-4]), end...)
		var digests []auditlog.Hash
		for _, grant := range b.Grants {
			digests = append(digests, auditlog.Leaf{Data: grant.Record}.Hash())
		}
		for i := range b.Grants {
			b.Grants[i].Index, b.Grants[i].Proof = int64(i), []auditlog.Hash{digests[1-i]}
		}
		root := auditlog.RootOf(digests)
		head := fmt.Sprintf(`\"head\":{\"number\":%d,\"rows\":2,\"root\":\"%x\"}`, b.Grants[0].Head, root[:])
		files = append(files, resealed(t, b, func(leaf string) string { return headIn.ReplaceAllLiteralString(leaf, head) }))
	}
	for i, verdict := range otherProgram(t, files) {
		_, err := proves(t, files[i])
		if (err == nil) != (i == 0) || (verdict == "proven, 2 of 2 rights shown") != (i == 0) {
			t.Errorf("file %d: %v; the other program says %s", i, err, verdict)
		}
	}
}

// fuzzed are bundles of a payment that was amended and approved twice, one whose maker two administrators made one, and a settled one.
func fuzzed(t *testing.T, h *servicetest.Env) []auditlog.Bundle {
	t.Helper()
	asked, err := h.Admin.Request(ctx, h.Person(t, "admin1"), service.RequestInput{
		Kind: administration.KindUserRoles, Subject: "checker2", Values: administration.Values{"roles": "checker, maker"},
	})
	must(t, err)
	_, err = h.Admin.Decide(ctx, h.Person(t, "admin2"), service.DecideInput{ChangeID: asked.Change.ID, Approve: true})
	must(t, err)
	h.Clock.Add(time.Second)
	order := h.Order(rulebook.SchemeSIC)
	servicetest.SetAmount(order.Document, "19500.00")
	twice, err := h.Submission.Create(ctx, h.Person(t, "maker1"), order)
	must(t, err)
	again := h.Order(rulebook.SchemeSIC)
	servicetest.SetAmount(again.Document, "19600.00")
	m, err := h.Submission.Amend(ctx, h.Person(t, "maker2"), twice.Message.InternalID, again)
	must(t, err)
	for _, name := range []string{"checker1", "checker2"} {
		m, err = h.Approval.Approve(ctx, h.Person(t, name), service.Input{InternalID: m.InternalID, ContentHash: &m.ContentHash})
		must(t, err)
	}
	var bundles []auditlog.Bundle
	for _, file := range [][]byte{
		bundleOf(t, h, m), bundled(t, h), bundleOf(t, h, approve(t, h, h.Create(t, h.Person(t, "checker2"), rulebook.SchemeSCT))),
	} {
		b, err := auditlog.ParseBundle(file)
		must(t, err)
		p, err := proves(t, file)
		if err != nil || p.Unshown != 0 {
			t.Fatalf("unchanged: %v, %d rights are not shown", err, p.Unshown)
		}
		bundles = append(bundles, b)
	}
	return bundles
}

// mutated returns a changed bundle and the kind of its change.
func mutated(t *testing.T, random *rand.Rand, bases []auditlog.Bundle) (kind string, file []byte) {
	t.Helper()
	b := bases[random.IntN(len(bases))]
	switch random.IntN(4) {
	case 0:
		file, err := b.Encode()
		must(t, err)
		line := file[:bytes.IndexByte(file, '\n')]
		line[random.IntN(len(line))] ^= 1 << random.IntN(8)
		return "a bit", redigested(line)
	case 1:
		other := bases[random.IntN(len(bases))]
		parts := []func(){
			func() { b.Rows = other.Rows }, func() { b.Rights = other.Rights }, func() { b.Grants = other.Grants },
			func() { b.Changes, b.Rights = other.Changes, other.Rights }, func() { b.Contents = other.Contents },
			func() { b.Checkpoint = other.Checkpoint }, func() { b.Grants = shortened(random, b.Grants) }, func() { b.Rights = shortened(random, b.Rights) },
			func() { b.Rows = shortened(random, b.Rows) },
		}
		parts[random.IntN(len(parts))]()
		file, err := b.Encode()
		must(t, err)
		return "a part", file
	case 2:
		file, err := b.Encode()
		must(t, err)
		line := mutatedJSON(t, random, file[:bytes.IndexByte(file, '\n')])
		return "a member", redigested(line)
	}
	rows := len(b.Rows) + len(b.Rights)
	at, times := random.IntN(rows), 0
	return "a leaf", resealed(t, b, func(leaf string) string {
		times++
		if times-1 != at {
			return leaf
		}
		return string(mutatedJSON(t, random, []byte(leaf)))
	})
}

func shortened[T any](random *rand.Rand, list []T) []T {
	if len(list) == 0 {
		return list
	}
	at := random.IntN(len(list))
	return slices.Delete(slices.Clone(list), at, at+1)
}

// mutatedJSON changes one value of a JSON text, at any depth, also in a text that holds JSON, and writes it in its canonical form.
func mutatedJSON(t *testing.T, random *rand.Rand, text []byte) []byte {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	must(t, decoder.Decode(&value))
	left := random.IntN(valuesIn(value))
	changed, err := json.Marshal(changeAt(t, random, value, &left))
	must(t, err)
	canonical := jsontext.Value(changed)
	must(t, canonical.Canonicalize())
	return canonical
}

// valuesIn counts the values in a value.
func valuesIn(value any) int {
	n := 1
	switch v := value.(type) {
	case map[string]any:
		for _, one := range v {
			n += valuesIn(one)
		}
	case []any:
		for _, one := range v {
			n += valuesIn(one)
		}
	}
	return n
}

// changeAt changes the value that is left places away.
func changeAt(t *testing.T, random *rand.Rand, value any, left *int) any {
	t.Helper()
	*left--
	if *left < 0 {
		*left = 1 << 30
		return otherValue(t, random, value)
	}
	switch v := value.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			v[name] = changeAt(t, random, v[name], left)
			if v[name] == nil && random.IntN(2) == 0 {
				delete(v, name)
			}
		}
	case []any:
		for i := range v {
			v[i] = changeAt(t, random, v[i], left)
		}
	}
	return value
}

// otherValue is another value in the place of one: of the same kind more often than not.
func otherValue(t *testing.T, random *rand.Rand, value any) any {
	t.Helper()
	odd := []any{nil, "", "x", json.Number("0"), json.Number("-1"), json.Number("1.5"), true, []any{}, map[string]any{}, json.Number("9007199254740992")}
	if random.IntN(4) == 0 {
		return odd[random.IntN(len(odd))]
	}
	switch v := value.(type) {
	case map[string]any:
		v[[]string{"another", "head", "move", "version", "decision", "source", "messageId", "contentHash"}[random.IntN(8)]] = odd[random.IntN(len(odd))]
		return v
	case []any:
		if len(v) > 0 && random.IntN(2) == 0 {
			return append(v, v[random.IntN(len(v))])
		}
		random.Shuffle(len(v), func(i, j int) { v[i], v[j] = v[j], v[i] })
		return v
	case json.Number:
		return json.Number(fmt.Sprint(random.IntN(5)))
	case string:
		return otherText(t, random, v)
	}
	return value
}

func otherText(t *testing.T, random *rand.Rand, text string) string {
	t.Helper()
	if strings.HasPrefix(text, "{") && random.IntN(4) > 0 {
		if inner := mutatedJSON(t, random, []byte(text)); random.IntN(4) == 0 {
			return string(inner)
		} else if !strings.HasPrefix(string(inner), "{") {
			return string(inner)
		}
		return strings.NewReplacer(`"checker"`, `"maker"`, `"maker"`, `"checker"`, `"number":`, `"number":1`, `"ended"`, `"granted"`).Replace(text)
	}
	words := []string{
		"approve", "reject", "submit", "Approved", "None", "countersign event 1", "countersign document 1", "demo", "user.rights", "change.approve",
		"2026-03-02T11:00:00Z", "2026-03-02T11:00:00.1230Z", "2026-02-30T11:00:00Z", "2026-03-02T11:00:00+01:00", "00", "maker", "operator", "AA==",
		"00000000-0000-7000-8000-000000000000", "00000000-0000-7000-8000-00000000000A", "\u2028<&>", "é", strings.ToUpper(text), text + " ",
	}
	if text == "" || random.IntN(2) == 0 {
		return words[random.IntN(len(words))]
	}
	changed := []byte(text)
	at := random.IntN(len(changed))
	if changed[at] < 0x80 {
		changed[at] = "0123456789abcdefZ-:. "[random.IntN(21)]
	}
	return string(changed)
}
