package codec

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"countersign/internal/iso20022"
)

// filled is a document of just under the largest size: as many repetitions as fit.
func filled(before, repeated, after string) []byte {
	count := (defaultMaxBytes - len(before) - len(after)) / len(repeated)
	return []byte(before + strings.Repeat(repeated, count) + after)
}

const (
	transfersOpen = opening + `<CstmrCdtTrfInitn><PmtInf>`
	transfersEnd  = `</PmtInf></CstmrCdtTrfInitn></Document>`
	transferOpen  = transfersOpen + `<CdtTrfTxInf>`
	transferEnd   = `</CdtTrfTxInf>` + transfersEnd
	smallTransfer = `<CdtTrfTxInf><PmtId><EndToEndId>1</EndToEndId></PmtId><Amt><InstdAmt Ccy="CHF">1</InstdAmt></Amt></CdtTrfTxInf>`
)

// hostileXML are documents of the largest size that make a decoder work hard, by name.
func hostileXML() map[string][]byte {
	// Namespaces that stand on the root are copied into each envelope.
	var root strings.Builder
	root.WriteString(`<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"`)
	for i := range MaxAttributes - 1 {
		fmt.Fprintf(&root, ` xmlns:n%d="urn:%s"`, i, strings.Repeat("&quot;", 700))
	}
	root.WriteString(`><CstmrCdtTrfInitn>`)
	return map[string][]byte{
		"unknown elements": filled(opening+"<CstmrCdtTrfInitn>", "<a/>", "</CstmrCdtTrfInitn></Document>"),
		"empty transfers":  filled(transfersOpen, "<CdtTrfTxInf/>", transfersEnd),
		"small transfers":  filled(transfersOpen, smallTransfer, transfersEnd),
		"envelopes": filled(opening+"<CstmrCdtTrfInitn>", "<SplmtryData><Envlp><a/></Envlp></SplmtryData>",
			"</CstmrCdtTrfInitn></Document>"),
		"namespaces in each":     filled(root.String(), "<SplmtryData><Envlp><a/></Envlp></SplmtryData>", "</CstmrCdtTrfInitn></Document>"),
		"structured remittances": filled(transferOpen+"<RmtInf>", "<Strd><RfrdDocInf><Nb>1</Nb></RfrdDocInf></Strd>", "</RmtInf>"+transferEnd),
		"one long text":          filled(opening+"<CstmrCdtTrfInitn><GrpHdr><MsgId>", "&amp;", "</MsgId></GrpHdr></CstmrCdtTrfInitn></Document>"),
		"text in pieces": filled(opening+"<CstmrCdtTrfInitn><GrpHdr><MsgId>", "<!---->a",
			"</MsgId></GrpHdr></CstmrCdtTrfInitn></Document>"),
		"line ends": filled(opening, "\n", "</Document>"),
	}
}

// hostileJSON is the same for JSON.
func hostileJSON() map[string][]byte {
	const transfers = `{"CstmrCdtTrfInitn":{"PmtInf":[{"CdtTrfTxInf":[`
	return map[string][]byte{
		"unknown members": filled(`{"CstmrCdtTrfInitn":{`, `"a":1,`, `"b":1}}`),
		"empty transfers": filled(transfers, "{},", "{}]}]}}"),
		"small transfers": filled(transfers, `{"PmtId":{"EndToEndId":"1"},"Amt":{"InstdAmt":{"Ccy":"CHF","value":1}}},`, "{}]}]}}"),
		"one long text":   filled(`{"CstmrCdtTrfInitn":{"GrpHdr":{"MsgId":"`, `\u0041`, `"}}}`),
		"open arrays":     filled(`{"CstmrCdtTrfInitn":`, "[", ""),
		"open objects":    filled(`{"CstmrCdtTrfInitn":`, `{"a":`, ""),
	}
}

// allocated is how many bytes a call takes in all, what is freed meanwhile included: more than it ever holds at once.
func allocated(call func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Not parallel: what other tests take would count too.
func TestMemoryIsBoundedOnHostileDocuments(t *testing.T) { //nolint:paralleltest // see above
	const most = 16 << 20
	check := func(name string, decode func()) {
		taken := allocated(decode)
		t.Logf("%-28s %7d KiB", name, taken>>10)
		if taken > most {
			t.Errorf("%s takes %d KiB, at most %d are wanted", name, taken>>10, most>>10)
		}
	}
	for name, content := range hostileXML() {
		check("XML, "+name, func() { DecodeXML(content) })
		check("positions, "+name, func() { Options{}.PositionsXML(content) })
	}
	for name, content := range hostileJSON() {
		check("JSON, "+name, func() { DecodeJSON(content, "/Document", iso20022.Pain001V09) })
	}
}

func TestEnvelopesAreBoundedWithTheirNamespaces(t *testing.T) {
	t.Parallel()
	_, findings := DecodeXML(hostileXML()["namespaces in each"])
	if len(findings) == 0 || !strings.Contains(findings[len(findings)-1].Text.String(), "the data and its namespaces are too large") {
		t.Errorf("findings %v", findings)
	}
}

// BenchmarkHostile shows that time grows with the size of a document and not faster: compare whole and half.
func BenchmarkHostile(b *testing.B) {
	decodeJSON := func(content []byte) { DecodeJSON(content, "/Document", iso20022.Pain001V09) }
	for name, content := range hostileXML() {
		benchmarkHalves(b, "XML, "+name, content, func(content []byte) { DecodeXML(content) })
	}
	for name, content := range hostileJSON() {
		benchmarkHalves(b, "JSON, "+name, content, decodeJSON)
	}
}

func benchmarkHalves(b *testing.B, name string, content []byte, decode func([]byte)) {
	b.Helper()
	for part, size := range map[string]int{"half": len(content) / 2, "whole": len(content)} {
		b.Run(name+"/"+part, func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				decode(content[:size])
			}
		})
	}
}
