package portal_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestTheCheckPageTellsWhatStaysBehind: a file that says more than its scheme carries is checked with a sentence for each such element.
func TestTheCheckPageTellsWhatStaysBehind(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	plain := string(sample(t, "sic-inst_01_pain.001.001.09.xml"))
	urgent := strings.Replace(plain, "<LclInstrm>", "<SvcLvl><Cd>URGP</Cd></SvcLvl><LclInstrm>", 1)
	page := maker.get(maker.upload("urgent.xml", []byte(urgent)).goesTo("/payments/")).is(http.StatusOK)
	page.says("Some details in the file will not be forwarded").says(
		"The service level is not forwarded to the creditor's bank: SIC identifies instant payments by their local instrument",
	)
}
