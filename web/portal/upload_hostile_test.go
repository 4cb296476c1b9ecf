package portal_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"countersign/internal/testutil"
)

// hostileFiles are files made to be costly or to break a reader, by name. Each is no larger than an upload may be.
func hostileFiles(valid string) map[string]string {
	const most = 256 << 10
	fill := func(part string) string { return strings.Repeat(part, most/len(part)) }
	namespace := `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">`
	wide := utf16.Encode([]rune(valid))
	var utf16le bytes.Buffer
	for _, unit := range wide {
		utf16le.WriteByte(byte(unit))
		utf16le.WriteByte(byte(unit >> 8))
	}
	var laughs strings.Builder
	laughs.WriteString(`<?xml version="1.0"?><!DOCTYPE Document [<!ENTITY a0 "ha">`)
	for i := range 30 {
		fmt.Fprintf(&laughs, `<!ENTITY a%d "&a%d;&a%d;">`, i+1, i, i)
	}
	laughs.WriteString(`]>` + namespace + `&a30;</Document>`)
	return map[string]string{
		"a wide table":            "creditorIban" + fill(";a"),
		"open elements":           strings.Repeat("<a>", 20_000),
		"open elements, 256 kB":   fill("<a>"),
		"open elements inside":    namespace + strings.Repeat("<a>", 20_000),
		"nested and closed":       strings.Repeat("<a>", 20_000) + strings.Repeat("</a>", 20_000),
		"empty elements":          "<a>" + fill("<b/>")[:most-8] + "</a>",
		"empty transfers":         namespace + "<CstmrCdtTrfInitn><PmtInf>" + fill("<CdtTrfTxInf/>")[:most-200],
		"a name of 100 kB":        "<" + strings.Repeat("n", 100<<10) + "/>",
		"names of 100 kB inside":  namespace + strings.Repeat("<"+strings.Repeat("n", 100<<10)+"/>", 2) + "</Document>",
		"an attribute of 100 kB":  `<Document a="` + strings.Repeat("v", 100<<10) + `"/>`,
		"many attributes":         "<Document " + fill(`a="" `)[:most-100] + "/>",
		"many namespaces":         "<Document " + fill(`xmlns:a="urn:a" `)[:most-100] + "/>",
		"a text of 256 kB":        namespace + fill("x")[:most-200] + "</Document>",
		"references":              namespace + fill("&amp;")[:most-200] + "</Document>",
		"billion laughs":          laughs.String(),
		"an entity of a file":     `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>` + namespace + `&x;</Document>`,
		"a comment without end":   "<!--" + fill("-")[:most-10],
		"an instruction":          "<?" + fill("x")[:most-10] + "?>",
		"a gzip bomb":             "\x1f\x8b\x08\x00" + fill("\x00")[:most-10],
		"UTF-16":                  utf16le.String(),
		"UTF-16 with a mark":      "\xff\xfe" + utf16le.String(),
		"Latin-1":                 strings.ReplaceAll(valid, "ü", "\xfc") + "\xfc",
		"said to be Latin-1":      strings.Replace(valid, "UTF-8", "ISO-8859-1", 1),
		"null characters":         fill("\x00"),
		"a byte order mark":       "\xef\xbb\xbf" + valid,
		"an overlong sequence":    strings.Replace(valid, "<Nm>", "<Nm>\xc0\xaf", 1),
		"a surrogate":             strings.Replace(valid, "<Nm>", "<Nm>\xed\xa0\x80", 1),
		"another root":            "<html><body>" + valid,
		"twice":                   valid + valid,
		"an amount of 100 digits": strings.Replace(valid, "199.95", strings.Repeat("9", 100), 1),
		"an exponent":             strings.Replace(valid, "199.95", "1e999999999", 1),
		"a negative amount":       strings.Replace(valid, "199.95", "-199.95", 1),
		"a date out of range":     strings.Replace(valid, "<CreDtTm>20", "<CreDtTm>99999999920", 1),
	}
}

// hostileUploads is how many broken files are tried; COUNTERSIGN_HOSTILE sets another number.
func hostileUploads(t *testing.T) int {
	t.Helper()
	given := os.Getenv("COUNTERSIGN_HOSTILE")
	if given == "" {
		return 100
	}
	count, err := strconv.Atoi(given)
	if err != nil {
		t.Fatalf("COUNTERSIGN_HOSTILE is a number of files: %v", err)
	}
	return count
}

// broken is a file with one thing in it broken: cut, doubled, overwritten or moved. The same seed breaks the same thing.
func broken(valid string, seed uint64) string {
	random := rand.New(rand.NewPCG(seed, 20022))
	at, length := random.IntN(len(valid)), 1+random.IntN(200)
	part := valid[at:min(len(valid), at+length)]
	switch random.IntN(6) {
	case 0:
		return valid[:at]
	case 1:
		return valid[:at] + strings.Repeat(part, 1+random.IntN(200)) + valid[at:]
	case 2:
		return valid[:at] + string(rune(random.IntN(0x10ffff))) + valid[at:]
	case 3:
		return valid[:at] + string([]byte{byte(random.IntN(256))}) + valid[min(len(valid), at+1):]
	case 4:
		return strings.ReplaceAll(valid, part, "")
	}
	other := random.IntN(len(valid))
	return valid[:other] + part + valid[other:]
}

// hostileForms are whole bodies of an upload whose parts are at fault, by name, each with the content type it comes with.
func hostileForms(valid string) map[string][2]string {
	const edge, kind = "edge", `multipart/form-data; boundary=edge`
	part := func(disposition, content string) string {
		return "--" + edge + "\r\nContent-Disposition: " + disposition + "\r\n\r\n" + content + "\r\n"
	}
	const file = `form-data; name="file"; filename="a.xml"`
	end := "--" + edge + "--\r\n"
	return map[string][2]string{
		"no boundary":            {"multipart/form-data", part(file, valid) + end},
		"another boundary":       {`multipart/form-data; boundary=other`, part(file, valid) + end},
		"a boundary of 10 kB":    {"multipart/form-data; boundary=" + strings.Repeat("b", 10_000), valid},
		"no end":                 {kind, part(file, valid)},
		"broken off in a header": {kind, "--" + edge + "\r\nContent-Dispo"},
		"a header without end":   {kind, "--" + edge + "\r\nX: " + strings.Repeat("x", 200_000)},
		"a header of 100 kB": {kind, "--" + edge + "\r\nX: " + strings.Repeat("x", 100<<10) + "\r\n" +
			part(file, valid)[len(edge)+4:] + end},
		"a name of 100 kB":        {kind, part(`form-data; name="`+strings.Repeat("n", 100<<10)+`"; filename="a.xml"`, valid) + end},
		"a file name of 100 kB":   {kind, part(`form-data; name="file"; filename="`+strings.Repeat("n", 100<<10)+`"`, valid) + end},
		"a file name that climbs": {kind, part(`form-data; name="file"; filename="../../../../etc/passwd"`, "x") + end},
		"a file without a name":   {kind, part(`form-data; name="file"`, valid) + end},
		"no disposition":          {kind, "--" + edge + "\r\n\r\n" + valid + "\r\n" + end},
		"nothing at all":          {kind, ""},
		"no parts":                {kind, end},
		"two files":               {kind, part(file, valid) + part(file, valid) + end},
		"20,000 parts":            {kind, strings.Repeat(part(`form-data; name="x"`, ""), 20_000)[:300<<10] + end},
		"parts in a part": {kind, part(file+"\r\nContent-Type: multipart/mixed; boundary=inner", "--inner\r\n\r\n"+valid+
			"\r\n--inner--") + end},
		"a bomb of gzip in a part": {kind, part(file+"\r\nContent-Encoding: gzip", "\x1f\x8b\x08\x00"+strings.Repeat("\x00", 200<<10)) + end},
		"a form of another kind":   {"application/x-www-form-urlencoded", "file=" + strings.Repeat("%3C", 80_000)},
		"JSON":                     {"application/json", strings.Repeat("[", 200_000)},
	}
}

// Whatever is uploaded is answered in words, and with little memory. What the server, the browser of this test and its reading of the page
// take is counted, so the limit is above what the upload itself may cost.
func TestHostileFilesAreRefusedCheaply(t *testing.T) { //nolint:paralleltest // what other tests take would count too
	testutil.Long(t)
	b := setup(t)
	maker := b.as("maker1")
	valid := string(sample(t, "sic-inst_01_pain.001.001.09.xml"))
	const most = 40 << 20
	var told strings.Builder
	highest := map[string]uint64{}
	try := func(kind, name string, send func() answer) answer {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := send()
		runtime.ReadMemStats(&after)
		taken := after.TotalAlloc - before.TotalAlloc
		highest[kind] = max(highest[kind], taken)
		if taken > most {
			t.Errorf("%s takes %d MB, at most %d are wanted", name, taken>>20, most>>20)
		}
		if got.status >= http.StatusInternalServerError {
			t.Errorf("%s is answered with %d", name, got.status)
		}
		return got
	}
	for name, content := range hostileFiles(valid) {
		got := try(name, name, func() answer { return maker.upload("hostile.xml", []byte(content)) }).is(http.StatusUnprocessableEntity)
		if got.page.Find(".findings-table tbody tr").Length() == 0 {
			t.Errorf("%s is refused without a finding", name)
		}
	}
	// Nothing is wrong with what counts of these: the first file is a good one.
	taken := []string{"two files", "a header of 100 kB", "a file name of 100 kB"}
	for name, form := range hostileForms(valid) {
		got := try("form: "+name, name, func() answer {
			return maker.send(http.MethodPost, "/payments/upload", form[0], strings.NewReader(form[1]))
		})
		if got.status < http.StatusBadRequest && !slices.Contains(taken, name) {
			t.Errorf("the form with %s is taken: %d", name, got.status)
		}
	}
	for i := range hostileUploads(t) {
		try("broken files", "broken file "+strconv.Itoa(i), func() answer {
			return maker.upload("hostile.xml", []byte(broken(valid, uint64(i))))
		})
	}
	for _, kind := range slices.Sorted(maps.Keys(highest)) {
		fmt.Fprintf(&told, "\n%6.1f MiB  %s", float64(highest[kind])/(1<<20), kind)
	}
	t.Logf("%d uploads. Allocated by one of each kind at most:%s", len(hostileFiles(valid))+len(hostileForms(valid))+hostileUploads(t),
		told.String())
}
