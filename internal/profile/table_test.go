package profile_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"countersign/internal/iso20022"
	"countersign/internal/profile"
	"countersign/internal/rulebook"
)

const (
	tableFile  = "../../docs/clearing.md"
	tableStart = "<!-- profiles: go test ./internal/profile -update -->\n"
	tableEnd   = "<!-- end of profiles -->\n"
)

// TestTheTableOfProfilesIsThatOfTheData holds the profiles side by side in docs/clearing.md against the profiles shipped.
func TestTheTableOfProfilesIsThatOfTheData(t *testing.T) {
	t.Parallel()
	book, err := profile.NewRegistry(nil)
	must(t, err)
	shipped := slices.Concat(book.Profiles("sic-inst"), book.Profiles("sct-inst"))
	content, err := os.ReadFile(tableFile)
	must(t, err)
	before, rest, begun := strings.Cut(string(content), tableStart)
	_, after, ended := strings.Cut(rest, tableEnd)
	if !begun || !ended {
		t.Fatalf("%s has no place for the table", tableFile)
	}
	want := before + tableStart + profileTable(shipped) + tableEnd + after
	if want == string(content) {
		return
	}
	if !*update {
		t.Fatalf("the table of profiles is not that of the data; run: go test ./internal/profile -update")
	}
	must(t, os.WriteFile(tableFile, []byte(want), 0o600))
}

// profileTable writes profiles side by side, a row for each field, and the fields that are equal in all of them as a list.
func profileTable(profiles []*profile.Profile) string {
	var out strings.Builder
	var equal []string
	row := func(name string, cell func(*profile.Profile) string) {
		var cells []string
		for _, p := range profiles {
			cells = append(cells, cell(p))
		}
		if len(slices.Compact(slices.Clone(cells))) == 1 && name != "---" {
			equal = append(equal, "- "+name+": "+cells[0]+"\n")
			return
		}
		out.WriteString("| " + name + " |")
		for i, text := range cells {
			if i > 0 && text == cells[i-1] && len(text) > len("the same") && name != "---" {
				text = "the same"
			}
			out.WriteString(" " + text + " |")
		}
		out.WriteString("\n")
	}
	row("", func(p *profile.Profile) string { return "`" + p.Name + "`" })
	row("---", func(*profile.Profile) string { return "---" })
	row("Scheme", func(p *profile.Profile) string { return p.Scheme })
	row("Documents out", documentsOut)
	row("Documents in", func(*profile.Profile) string { return "every form" })
	row("Banks", func(p *profile.Profile) string { return banksInWords[p.Banks] })
	row("`IntrBkSttlmDt`", func(p *profile.Profile) string { return string(p.SettlementDay) })
	row("`PmtTpInf`", func(p *profile.Profile) string { return string(p.PaymentType) })
	row("`InstgAgt`", func(p *profile.Profile) string { return string(p.InstructingBank) })
	row("`InstdAgt`", func(p *profile.Profile) string { return string(p.InstructedBank) })
	row("`InstrId`, `OrgnlInstrId`", func(p *profile.Profile) string {
		if p.NoInstructionID {
			return "none (`OrgnlInstrId` of a pacs.028 stays)"
		}
		return "the transaction ID"
	})
	row("`ChrgBr`", func(p *profile.Profile) string { return quoted(p.ChargeBearer) })
	row("`ClrSys`", func(p *profile.Profile) string { return quoted(p.ClearingSystem) })
	row("`LclInstrm`", func(p *profile.Profile) string { return quoted(p.LocalInstrument.Code + p.LocalInstrument.Proprietary) })
	row("`OrgnlMsgNmId`", func(p *profile.Profile) string { return namesInWords[p.OriginalNames] })
	row("`RtrChain` of a pacs.004", func(p *profile.Profile) string {
		if p.ReturnChain {
			return "the parties of the return, in their new roles"
		}
		return "none"
	})
	row("Header", func(p *profile.Profile) string {
		if p.Envelope == nil {
			return "none"
		}
		return "`head.001.001.02`, with the document below `" + p.Envelope.Root + "`"
	})
	row("Limit", func(p *profile.Profile) string { return p.Terms.Limit })
	row("Calendar of deadlines", func(p *profile.Profile) string { return p.Terms.Calendar })
	row("Time-out of an incoming payment", func(p *profile.Profile) string { return p.Terms.TimeOut.String() })
	row("Way back of its answer", func(p *profile.Profile) string { return p.Terms.WayBack.String() })
	row("`AccptncDtTm` missing", func(p *profile.Profile) string { return string(p.Terms.AcceptanceTime) })
	row("An accepted incoming payment is booked", func(p *profile.Profile) string {
		if p.Terms.Settlement == rulebook.SettlementByAnswer {
			return "with our answer"
		}
		return "when clearing confirms it"
	})
	row("The recall of a payment that never came", func(p *profile.Profile) string {
		if p.Terms.UnknownRecall == rulebook.UnknownRecallByPerson {
			return "waits for an operator"
		}
		return "is refused with `NOOR`"
	})
	row("Days in which a bank's ids are unique", func(p *profile.Profile) string { return strconv.Itoa(p.Terms.UniqueDays) })
	row("Category purposes", func(p *profile.Profile) string { return codes(p.Terms.CategoryPurposes, "those of ISO in force") })
	row("Purposes", func(p *profile.Profile) string { return codes(p.Terms.Purposes, "those of ISO in force") })
	row("Reasons of recalls", func(p *profile.Profile) string { return codes(p.Terms.RecallReasons, "those of the scheme") })
	row("Reasons of returns", func(p *profile.Profile) string { return codes(p.Terms.ReturnReasons, "those of ISO") })
	row("Reasons of refusals", func(p *profile.Profile) string { return codes(p.Terms.ResolutionReasons, "those of the scheme") })
	row("Facts from", func(p *profile.Profile) string { return p.Source })
	return out.String() + "\nIn all of them:\n\n" + strings.Join(equal, "")
}

var banksInWords = map[profile.Banks]string{
	profile.BanksByCode:   "`CHBCC` and the bank code without leading zeros",
	profile.BanksByNumber: "`CHSIC` and six digits, the last a check digit",
	profile.BanksByBIC:    "BIC",
}

var namesInWords = map[profile.Names]string{
	profile.NamesFull: "`pacs.008.001.08`", profile.NamesShort: "`pacs.008`", profile.NamesSent: "`pacs.008.001.08.ch.02`",
}

// documentsOut lists the messages that leave in another version or namespace than the one of ISO they are made in.
func documentsOut(p *profile.Profile) string {
	var different []string
	for i := range iso20022.Definitions() {
		name := iso20022.Definitions()[i].Name
		message, found := p.Messages[name]
		switch {
		case !found:
		case message.Namespace != "":
			different = append(different, "`"+message.Namespace[strings.LastIndex(message.Namespace, "/")+1:]+"`")
		default:
			different = append(different, "`"+string(message.Version)+"`")
		}
	}
	if len(different) == 0 {
		return "ISO"
	}
	return strings.Join(different, ", ") + "; others ISO"
}

func quoted(code string) string {
	if code == "" {
		return "none"
	}
	return "`" + code + "`"
}

func codes(list []string, all string) string {
	if len(list) == 0 {
		return all
	}
	return strings.Join(list, " ")
}
