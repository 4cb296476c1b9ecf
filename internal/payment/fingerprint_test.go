package payment_test

import (
	"encoding/hex"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// TestTheFingerprintOfAnOrderStaysAsItIs: keys that clients used long ago are held against what is computed today. The time of writing and
// trailing zeros do not count; what stands in envelopes counts to the letter, whatever its names are.
func TestTheFingerprintOfAnOrderStaysAsItIs(t *testing.T) {
	t.Parallel()
	const envelope = `<SplmtryData><Envlp><a><CreDtTm>2026-01-01T00:00:00Z</CreDtTm><CtrlSum>1.50</CtrlSum>` +
		`<InstdAmt Ccy="CHF">1.50</InstdAmt></a></Envlp></SplmtryData></CstmrCdtTrfInitn>`
	for scheme, want := range map[rulebook.Scheme]map[string]string{
		rulebook.SchemeSIC: {
			"":                                "4200ebe731559fc16726cf122327f7d2fed11efe32312b3f34cf416a1d363f12",
			"</CstmrCdtTrfInitn>>" + envelope: "1bd40a1607f33afdac3edec3e99a81289201bde85766c27d6b2c922f4e09c867",
		},
		rulebook.SchemeSCT: {
			"":                "de815aeeaa4b1f26420253c02174761db976e3b16e915135734a54cc9d2cd9b8",
			"1250.40>1250.4":  "de815aeeaa4b1f26420253c02174761db976e3b16e915135734a54cc9d2cd9b8",
			"1250.40>1250":    "d2d3823acdcfef2705463002d9faf9f324b3eb13824927e9eaababbe71dff182",
			"1250.40>1250.00": "d2d3823acdcfef2705463002d9faf9f324b3eb13824927e9eaababbe71dff182",
			"2026-03-02T10:00:00+01:00>2026-03-02T11:00:00+01:00": "de815aeeaa4b1f26420253c02174761db976e3b16e915135734a54cc9d2cd9b8",
			"Muster GmbH>Muster & Co":                             "9374ca5885a485e9091c8780246f4b0814dc152cf3bc8c81dc99a2730ada1241",
			"</CstmrCdtTrfInitn>>" + envelope:                     "0846e91a18ccc728da56c0a93bd30678860a5d03b33fe639c5bfbe2fb79c204e",
		},
	} {
		content, err := os.ReadFile("../iso20022/testdata/" + string(scheme) + "_01_pain.001.001.09.xml")
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range slices.Sorted(maps.Keys(want)) {
			old, with, _ := strings.Cut(change, ">>")
			if with == "" {
				old, with, _ = strings.Cut(change, ">")
			}
			text := strings.ReplaceAll(string(content), old, strings.ReplaceAll(with, " & ", " &amp; "))
			if change == "" {
				text = string(content)
			}
			document, findings := codec.DecodeXML([]byte(text))
			order, is := document.(*iso20022.CustomerCreditTransferInitiation)
			if !is {
				t.Fatalf("%s: %v", change, findings)
			}
			got, err := payment.OrderFingerprint(scheme, order)
			if err != nil || hex.EncodeToString(got[:]) != want[change] {
				t.Errorf("%s, %q: %x %v, want %s", scheme, change, got, err, want[change])
			}
		}
	}
}
