package profile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/profile"
)

// sample is a document of the constructed chains, as makers make it.
func sample(t *testing.T, name string) iso20022.Document {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "iso20022", "testdata", name+".xml"))
	must(t, err)
	document, findings := profile.Read(content)
	if len(findings) > 0 {
		t.Fatalf("%s: %+v", name, findings)
	}
	return document
}

func named(t *testing.T, name string) *profile.Profile {
	t.Helper()
	book, err := profile.NewRegistry(nil)
	must(t, err)
	found, ok := book.Named(name)
	if !ok {
		t.Fatalf("there is no profile %s", name)
	}
	return found
}

// TestAPaymentInTheFormOfSIX holds what the review's public samples show, element by element, and that nothing else is lost on the way
// back.
func TestAPaymentInTheFormOfSIX(t *testing.T) {
	t.Parallel()
	made := sample(t, "sic-inst_03_pacs.008.001.08")
	before, err := codec.EncodeXML(made)
	must(t, err)
	written, err := named(t, "sic-six").Write(made)
	must(t, err)
	text := string(written)
	for _, want := range []string{
		`<Document xmlns="http://www.six-interbank-clearing.com/de/pacs.008.001.08.ch.02">`,
		`<IntrBkSttlmAmt Ccy="CHF">199.95</IntrBkSttlmAmt><IntrBkSttlmDt>2026-03-02</IntrBkSttlmDt>`, `<ChrgBr>SHAR</ChrgBr><InstgAgt>`,
		`<InstdAgt>`, `<Cd>CHSIC</Cd></ClrSysId><MmbId>8000`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
	for _, never := range []string{"CHBCC", "<InstrId>", "urn:iso"} {
		if strings.Contains(text, never) {
			t.Errorf("%q stands in %s", never, text)
		}
	}
	if header, _, _ := strings.Cut(text, "<CdtTrfTxInf>"); strings.Contains(header, "IntrBkSttlmDt") || strings.Contains(header, "PmtTpInf") ||
		strings.Contains(header, "InstgAgt") {
		t.Errorf("the header says what the transaction says: %s", header)
	}
	after, err := codec.EncodeXML(made)
	must(t, err)
	if string(after) != string(before) {
		t.Error("writing changed the document")
	}
	read, findings := profile.Read(written)
	if len(findings) > 0 {
		t.Fatalf("%+v", findings)
	}
	again, err := named(t, "sic-iso").Write(read)
	must(t, err)
	back := strings.Replace(string(again), "<EndToEndId>", "<InstrId>"+instructionID(made)+"</InstrId><EndToEndId>", 1)
	if back != string(before) {
		t.Errorf("read back:\n got %s\nwant %s", back, before)
	}
}

func instructionID(document iso20022.Document) string {
	payment := document.(*iso20022.FIToFICustomerCreditTransfer)
	return payment.CreditTransferTransactionInformation[0].PaymentID.InstructionID
}

// TestTheDefaultProfilesWriteWhatIsMade holds the profiles shipped as default against the documents of both chains: not a byte differs, so
// that whatever was stored before there were profiles is known again.
func TestTheDefaultProfilesWriteWhatIsMade(t *testing.T) {
	t.Parallel()
	for scheme, name := range map[string]string{"sic-inst": "sic-iso", "sct-inst": "sct-epc"} {
		used := named(t, name)
		for _, kind := range []string{"03_pacs.008.001.08", "05_pacs.028.001.03", "06_camt.056.001.08_DUPL", "08_camt.029.001.09_CUST"} {
			made := sample(t, scheme+"_"+kind)
			want, err := codec.EncodeXML(made)
			must(t, err)
			got, err := used.Write(made)
			must(t, err)
			if string(got) != string(want) {
				t.Errorf("%s %s:\n got %s\nwant %s", name, kind, got, want)
			}
		}
	}
}

// TestAProfileComesInForceOnItsDay holds the switch on the day of a release.
func TestAProfileComesInForceOnItsDay(t *testing.T) {
	t.Parallel()
	book, err := profile.NewRegistry(nil)
	must(t, err)
	book, err = book.Choose("sic-inst", "sic-six@2026-11-21, sic-iso", profile.Ends{})
	must(t, err)
	zurich, err := time.LoadLocation("Europe/Zurich")
	must(t, err)
	for at, want := range map[string]string{
		"2026-11-20T22:59:59Z": "sic-iso", "2026-11-20T23:00:00Z": "sic-six", "2027-01-01T00:00:00Z": "sic-six",
		"2001-01-01T00:00:00Z": "sic-iso",
	} {
		moment, err := time.Parse(time.RFC3339, at)
		must(t, err)
		if got := book.InForce("sic-inst", moment.In(zurich)); got == nil || got.Name != want {
			t.Errorf("at %s %+v is in force, want %s", at, got, want)
		}
	}
	if other := book.InForce("sct-inst", time.Now()); other != nil {
		t.Errorf("%s is in force where none was chosen", other.Name)
	}
	made := sample(t, "sic-inst_03_pacs.008.001.08")
	six, err := named(t, "sic-six").Write(made)
	must(t, err)
	if !book.Wrote("sic-inst", made, six) {
		t.Error("a document of another profile is not known again")
	}
	forged := strings.Replace(string(six), "199.95", "199.96", 1)
	if forged == string(six) || book.Wrote("sic-inst", made, []byte(forged)) {
		t.Error("another amount counts as the same document")
	}
}

// TestAWrongProfileIsRefused holds what an operator may get wrong.
func TestAWrongProfileIsRefused(t *testing.T) {
	t.Parallel()
	const begin = "profiles:\n  - name: own\n    scheme: sic-inst\n    "
	for content, want := range map[string]string{
		"profiles: []": "name 1 to 50 profiles",
		"profiles:\n  - name: a b\n    scheme: sic-inst":                                            "write a name of letters",
		"profiles:\n  - name: own\n    scheme: sic":                                                 "write sic-inst or sct-inst",
		begin + "colour: red":                                                                       "colour",
		begin + "banks: swift":                                                                      "banks: write",
		begin + "paymentType: none":                                                                 "paymentType",
		begin + "chargeBearer: OURS":                                                                "chargeBearer",
		begin + "messages: {pacs.008.001.08: {namespace: 'urn:x'}}":                                 "is no namespace of",
		begin + "messages: {pacs.008.001.08: {version: pacs.008.001.99}}":                           "has no version",
		begin + "messages: {pacs.008.001.08: {version: camt.056.001.08}}":                           "has no version",
		begin + "messages: {pain.001.001.09: {namespace: 'urn:x'}}":                                 "goes to clearing",
		begin[:len(begin)-4] + "  - name: own\n    scheme: sic-inst":                                "two profiles are named own",
		begin[:len(begin)-4] + "---\nprofiles: []":                                                  "one YAML document",
		"profiles:\n  - name: own\n    scheme: sct-inst\n    envelope: {root: Document}":            "envelope: root",
		"profiles:\n  - name: own\n    scheme: sct-inst\n    envelope: {root: Bulk, sender: NOBIC}": "envelope: sender",
		"profiles:\n  - &a {name: own, scheme: sic-inst}\n" + strings.Repeat("  - *a\n", 60):        "profiles",
		begin + "about: " + strings.Repeat("x", profile.MaxBytes):                                   "larger than",
		begin + `terms: {limit: "1.234"}`:                                                           "limit",
		begin + `terms: {limit: "-1"}`:                                                              "limit",
		begin + "terms: {calendar: mars}":                                                           "write target or zurich",
		begin + "terms: {purposes: [RENT, RENT]}":                                                   "name RENT once",
		begin + "terms: {purposes: [R]}":                                                            "four letters",
		begin + "terms: {recallReasons: [ZZZZ]}":                                                    "is no code of ExternalCan",
		begin + "terms: {returnReasons: [AC04]}":                                                    "name FOCR too",
		begin + "terms: {colour: red}":                                                              "colour",
		begin + "localInstrument: {code: INST, proprietary: CSTPMT}":                                "not both",
	} {
		_, err := profile.NewRegistry([]byte(content))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.120q is answered with %v, want %q", content, err, want)
		}
	}
	book, err := profile.NewRegistry([]byte("profiles:\n  - {name: boxed, scheme: sct-inst, envelope: {root: Bulk}}"))
	must(t, err)
	for choice, want := range map[string]string{
		"": "has no profile", "sct-epc": "has no profile", "sic-six@2026-13-01": "write the day it begins", "sic-six@2026-11-21": "without a day",
		"sic-iso,sic-six": "on the same day", "sic-iso,sic-six@2026-11-21,sic-iso@2026-11-21": "on the same day", "sic-iso,": "has no profile",
	} {
		_, err := book.Choose("sic-inst", choice, profile.Ends{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is answered with %v, want %q", choice, err, want)
		}
	}
	_, err = book.Choose("sct-inst", "boxed", profile.Ends{Sender: "AAAADEFFXXX"})
	if err == nil || !strings.Contains(err.Error(), "give the BICs of both ends") {
		t.Errorf("an envelope to nobody is answered with %v", err)
	}
}

// TestABankIsKnownByItsNumberInSIC holds the numbers of the public samples, and that a number with a wrong check digit is no bank.
func TestABankIsKnownByItsNumberInSIC(t *testing.T) {
	t.Parallel()
	made := sample(t, "sic-inst_03_pacs.008.001.08")
	written, err := named(t, "sic-six").Write(made)
	must(t, err)
	at := strings.Index(string(written), "<MmbId>") + len("<MmbId>")
	number := string(written[at : at+6])
	wrong := strings.ReplaceAll(string(written), number, number[:5]+string('0'+('9'-number[5])))
	if number[5] == '4' || wrong == string(written) {
		t.Fatalf("the number %s cannot be made wrong this way", number)
	}
	read, findings := profile.Read([]byte(wrong))
	if len(findings) > 0 {
		t.Fatalf("%+v", findings)
	}
	agent := read.(*iso20022.FIToFICustomerCreditTransfer).CreditTransferTransactionInformation[0].DebtorAgent
	if member := agent.FinancialInstitutionID.ClearingSystemMemberID; member.ClearingSystemID.Code != "CHSIC" {
		t.Errorf("the number with a wrong check digit became the bank %+v", member)
	}
}

// TestTwoVersionsOfAMessageAreInForce holds a return in the version in use and in the next one, from a day on, and that either is read.
func TestTwoVersionsOfAMessageAreInForce(t *testing.T) {
	t.Parallel()
	book, err := profile.NewRegistry([]byte(
		"profiles:\n  - name: next\n    scheme: sct-inst\n    messages: {pacs.004.001.09: {version: pacs.004.001.10}}\n",
	))
	must(t, err)
	book, err = book.Choose("sct-inst", "sct-epc,next@2027-11-21", profile.Ends{})
	must(t, err)
	made := sample(t, "sct-inst_09_pacs.004.001.09_FOCR")
	for day, want := range map[string]string{"2027-11-20": "pacs.004.001.09", "2027-11-21": "pacs.004.001.10"} {
		at, err := time.Parse(time.DateOnly, day)
		must(t, err)
		written, err := book.InForce("sct-inst", at).Write(made)
		must(t, err)
		if namespace := codec.Namespace(written); !strings.HasSuffix(namespace, ":"+want) {
			t.Errorf("on %s a return leaves in %s, want %s", day, namespace, want)
		}
		read, findings := profile.Read(written)
		if len(findings) > 0 || read.MessageName() != iso20022.Pacs004V09 {
			t.Fatalf("%s: %T %+v", want, read, findings)
		}
		again, err := codec.EncodeXML(read)
		must(t, err)
		before, err := codec.EncodeXML(made)
		must(t, err)
		if string(again) != string(before) {
			t.Errorf("%s: read back\n got %s\nwant %s", want, again, before)
		}
		if !book.Wrote("sct-inst", made, written) {
			t.Errorf("the return of %s is not known again", want)
		}
	}
}

// TestAHeaderNamesItsDocument holds the header of an outgoing document, and that one that names another message is refused.
func TestAHeaderNamesItsDocument(t *testing.T) {
	t.Parallel()
	book, err := profile.NewRegistry(nil)
	must(t, err)
	book, err = book.Choose("sct-inst", "sct-header", profile.Ends{Sender: "AAAADEFFXXX", Receiver: "CLRGDEFFXXX"})
	must(t, err)
	used := book.InForce("sct-inst", time.Now())
	written, err := used.Write(sample(t, "sct-inst_03_pacs.008.001.08"))
	must(t, err)
	text := string(written)
	for _, want := range []string{
		`<BusinessMessage><AppHdr xmlns="urn:iso:std:iso:20022:tech:xsd:head.001.001.02"><Fr>`, "<BICFI>CLRGDEFFXXX</BICFI>",
		"<MsgDefIdr>pacs.008.001.08</MsgDefIdr>", `</AppHdr><Document xmlns="urn:iso:std:iso:20022:tech:xsd:pacs.008.001.08">`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
	must(t, used.Fits(written))
	bare, err := profile.NewRegistry(nil)
	must(t, err)
	if !bare.Wrote("sct-inst", sample(t, "sct-inst_03_pacs.008.001.08"), written) {
		t.Error("who does not know the ends of the connection does not know the document again")
	}
	if err := used.Other().Fits(written); err == nil || !strings.Contains(err.Error(), "the header is from") {
		t.Errorf("a header of the other side is answered with %v", err)
	}
	_, findings := profile.Read([]byte(strings.Replace(text, "<MsgDefIdr>pacs.008", "<MsgDefIdr>pacs.004", 1)))
	if len(findings) != 1 || findings[0].Pointer != "/AppHdr/MsgDefIdr" {
		t.Errorf("a header about another message is answered with %+v", findings)
	}
	for _, version := range []string{"head.001.001.01", "head.001.001.03"} {
		other := []byte(strings.ReplaceAll(text, "head.001.001.02", version))
		if document, findings := profile.Read(other); document == nil || len(findings) > 0 {
			t.Errorf("a header %s is answered with %+v", version, findings)
		}
	}
	_, findings = profile.Read([]byte(strings.Replace(text, "<MsgDefIdr>pacs.008.001.08", "<MsgDefIdr>pacs.008.001.10", 1)))
	if len(findings) != 1 || findings[0].Pointer != "/AppHdr/MsgDefIdr" {
		t.Errorf("a header about another version is answered with %+v", findings)
	}
	id := text[strings.Index(text, "<BizMsgIdr>"):strings.Index(text, "</BizMsgIdr>")]
	relabelled := []byte(strings.Replace(text, id, "<BizMsgIdr>ROUTE-1", 1))
	if err := bare.FromPartner("sct-inst", relabelled); err != nil {
		t.Errorf("an id of its own is refused without ends of the connection: %v", err)
	}
	mirrored, err := used.Other().Write(sample(t, "sct-inst_03_pacs.008.001.08"))
	must(t, err)
	must(t, book.FromPartner("sct-inst", mirrored))
	if err := book.FromPartner("sct-inst", []byte(strings.Replace(string(mirrored), id, "<BizMsgIdr>ROUTE-1", 1))); err == nil {
		t.Error("an id of its own is taken between named ends")
	}
	_, err = book.Choose("sct-inst", "sct-header", profile.Ends{Sender: "AAAADEFFXXX", Receiver: "TRGTXEPMXXX"})
	must(t, err)
	if err := named(t, "sct-epc").Fits(written); err == nil || !strings.Contains(err.Error(), "without a header") {
		t.Errorf("a header nobody asked for is answered with %v", err)
	}
}
