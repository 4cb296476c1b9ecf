package codec

import (
	"os"
	"strings"
	"testing"
)

func TestPositionsOfElements(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../testdata/sic-inst_01_pain.001.001.09.xml")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(content), "\n")
	positions := Options{}.PositionsXML(content)
	const order = "/Document/CstmrCdtTrfInitn"
	for pointer, tag := range map[string]string{
		"/Document":                          "<Document",
		order:                                "<CstmrCdtTrfInitn",
		order + "/GrpHdr/MsgId":              "<MsgId",
		order + "/PmtInf":                    "<PmtInf>",
		order + "/PmtInf/0/DbtrAcct/Id/IBAN": "<IBAN",
		order + "/PmtInf/0/CdtTrfTxInf/0/Amt/InstdAmt/Ccy":  "<InstdAmt",
		order + "/PmtInf/0/CdtTrfTxInf/0/CdtrAcct/Tp/Prtry": "<CdtrAcct",
		order + "/PmtInf/0/CdtTrfTxInf/1/PmtId":             "<CdtTrfTxInf",
		order + "/SplmtryData/0":                            "<CstmrCdtTrfInitn",
	} {
		at := positions.Of(pointer)
		if at.Line < 1 || at.Line > len(lines) || at.Column < 1 || !strings.HasPrefix(lines[at.Line-1][at.Column-1:], tag) {
			t.Errorf("%s is at %+v", pointer, at)
		}
	}
	if at := positions.Of("/elsewhere"); at != (Position{}) {
		t.Errorf("an element of another document is at %+v", at)
	}
}

// A finding of the structure and the position of its element are one place.
func TestPositionsAgreeWithFindings(t *testing.T) {
	t.Parallel()
	content := []byte(
		opening + "\n<CstmrCdtTrfInitn>\n  <GrpHdr>\n\t<MsgId></MsgId><CreDtTm>soon</CreDtTm></GrpHdr></CstmrCdtTrfInitn></Document>",
	)
	_, findings := DecodeXML(content)
	positions := Options{}.PositionsXML(content)
	checked := 0
	for _, f := range findings {
		if !strings.HasSuffix(f.Pointer, "/MsgId") && !strings.HasSuffix(f.Pointer, "/CreDtTm") {
			continue
		}
		checked++
		if at := positions.Of(f.Pointer); at != (Position{f.Line, f.Column}) {
			t.Errorf("%s: position %+v, finding %d:%d", f.Pointer, at, f.Line, f.Column)
		}
	}
	if checked != 2 {
		t.Errorf("%d findings compared: %+v", checked, findings)
	}
}

func TestPositionsOfWhatIsNoDocument(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", "x", "<a/>", opening} {
		if at := (Options{}).PositionsXML([]byte(content)).Of("/Document/CstmrCdtTrfInitn"); at.Line > 1 {
			t.Errorf("%q: %+v", content, at)
		}
	}
}
