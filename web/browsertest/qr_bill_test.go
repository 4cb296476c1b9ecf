package browsertest

import (
	"strings"
	"testing"

	"countersign/internal/testutil"
)

// swissBill is the text of the QR code of a bill.
var swissBill = strings.ReplaceAll("SPC|0200|1|CH4431999123000889012|S|Beispiel Holzbau GmbH|Seestrasse|41|8002|Zürich|CH|||"+
	"|||||1949.75|CHF|S|Muster AG|Musterweg|1|3000|Bern|CH|QRR|210000000003139471430009017|Rechnung 1107|EPD", "|", "\n")

// TestAQRBillFillsTheForm pastes the text of a QR code, with and without a script.
func TestAQRBillFillsTheForm(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	for name, p := range map[string]*person{"with a script": as(t, "maker1"), "without": withoutScript(t, "maker2")} {
		p.open("/payments/new")
		p.click("link", "Pay a QR-bill")
		p.fill("Or enter the text of the QR code", "nothing of the kind")
		p.click("button", "Read the QR-bill")
		p.says(".error-summary", "first line must be SPC")
		if name == "with a script" {
			inspect(p).look("a QR-bill refused")
		}
		p.fill("Or enter the text of the QR code", swissBill)
		p.click("button", "Read the QR-bill")
		p.says("#status", "The form was filled in from the QR-bill.")
		p.holds("Name", "Beispiel Holzbau GmbH")
		p.holds("Amount in CHF", "1949.75")
		p.click("button", "Check your answers")
		p.at("/payments/[0-9a-f-]+/check$")
	}
}
