package clearing_test

import (
	"errors"
	"strings"
	"testing"

	"countersign/internal/clearing"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/profile"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
)

// Each order of SEPA reaches clearing with the elements that a bank may write, or is refused with a sentence about the element.
func TestElementsOfAnOrderReachClearing(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	type tx = iso20022.CreditTransferTransaction34
	scor := func(reference string) func(*tx) {
		return func(tx *tx) {
			tx.RemittanceInformation = &iso20022.RemittanceInformation16{Structured: []iso20022.StructuredRemittanceInformation16{{
				CreditorReferenceInformation: &iso20022.CreditorReferenceInformation2{Reference: reference, Type: &iso20022.CreditorReferenceType2{
					CodeOrProprietary: iso20022.CreditorReferenceType1Choice{Code: "SCOR"},
				}},
			}}}
		}
	}
	identified := func(kind string) func(*tx) {
		return func(tx *tx) {
			tx.Creditor.ID = &iso20022.Party38Choice{OrganisationID: &iso20022.OrganisationIdentification29{
				Other: []iso20022.GenericOrganisationIdentification1{
					{ID: "4711", SchemeName: &iso20022.OrganisationIdentificationSchemeName1Choice{Code: kind}},
				},
			}}
		}
	}
	for _, c := range []struct {
		name    string
		change  func(*tx)
		sent    string // in the pacs.008; "" for an order that is refused
		noted   string // the element of the note
		refused string // rule
	}{
		{
			"an e-mail address for the account", func(tx *tx) {
				tx.CreditorAccount.Proxy = &iso20022.ProxyAccountIdentification1{
					Type: &iso20022.ProxyAccountType1Choice{Code: "EMAL"}, ID: "anna_m@example.org",
				}
			}, "<Id>anna_m@example.org</Id>", "", "",
		},
		{
			"a proxy with an accent", func(tx *tx) {
				tx.CreditorAccount.Proxy = &iso20022.ProxyAccountIdentification1{ID: "zoë@example.org"}
			}, "", "", "identifier-characters",
		},
		{
			"a link to the remittance", func(tx *tx) {
				tx.RelatedRemittanceInformation = []iso20022.RemittanceLocation7{{RemittanceLocationDetails: []iso20022.RemittanceLocationData1{
					{Method: "URID", ElectronicAddress: "https://example.org/a?b=1&c=@2"},
				}}}
			}, "<ElctrncAdr>https://example.org/a?b=1&amp;c=@2</ElctrncAdr>", "", "",
		},
		{"a reference of its own", scor("4711"), "<Ref>4711</Ref>", "/RmtInf/Strd/0/CdtrRefInf/Ref", ""},
		{"a reference of ISO 11649", scor("RF18539007547034"), "<Ref>RF18539007547034</Ref>", "", ""},
		{"a known kind of identification", identified("TXID"), "<Cd>TXID</Cd>", "", ""},
		{"an unknown kind of identification", identified("ZZZZ"), "", "", "organisation-id-code"},
		{"seventy umlauts", func(tx *tx) { tx.Creditor.Name = strings.Repeat("ü", 70) }, "<Nm>" + strings.Repeat("u", 70) + "</Nm>", "", ""},
	} {
		order := h.Order(rulebook.SchemeSCT)
		c.change(&order.Document.PaymentInformation[0].CreditTransferTransactionInformation[0])
		notes := interbank.Notes(rulebook.SchemeSCT, order.Document)
		if noted := len(notes) > 0 && strings.HasSuffix(notes[0].Pointer, c.noted); noted != (c.noted != "") {
			t.Errorf("%s: the notes are %+v", c.name, notes)
		}
		made, err := h.Submission.Create(ctx, h.Person(t, "maker1"), order)
		var invalid *payment.RefusalError
		if c.refused != "" {
			if !errors.As(err, &invalid) || len(invalid.Findings) != 1 || invalid.Findings[0].Rule != c.refused {
				t.Errorf("%s: %v %+v", c.name, err, invalid)
			}
			continue
		}
		must(t, err)
		m, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: made.Message.InternalID})
		must(t, err)
		send(t, h, m)
		if sent := h.Network.Delivered(); !strings.Contains(sent[len(sent)-1].Content, c.sent) {
			t.Errorf("%s: clearing got %s", c.name, sent[len(sent)-1].Content)
		}
	}
}

// Between named ends with headers a document without one goes to quarantine; with headers only from a day on it is still taken.
func TestADocumentWithoutItsHeaderIsNotTaken(t *testing.T) {
	t.Parallel()
	ends := profile.Ends{Sender: "AAAADEFFXXX", Receiver: "CLRGDEFFXXX"}
	for profiles, taken := range map[string]bool{"sct-header": false, "sct-epc,sct-header@2099-01-01": true} {
		book, err := profile.NewRegistry(nil)
		must(t, err)
		book, err = book.Choose("sct-inst", profiles, ends)
		must(t, err)
		h := servicetest.With(t, servicetest.Options{Profiles: book})
		in := inbound(t, rulebook.SchemeSCT, "BARE", transfer(t, h, rulebook.SchemeSCT, "BARE", receiving[rulebook.SchemeSCT]), nil)
		receive(t, h, in)
		var reason string
		must(t, h.DB.Owner(t).QueryRow(ctx, "SELECT coalesce(max(reason), '') FROM inbox").Scan(&reason))
		if !taken != strings.Contains(reason, "no header") {
			t.Errorf("%s: in quarantine is %q", profiles, reason)
		}
		h.CheckInvariants(t)
	}
}

// The header of each version counts, and what a messaging interface puts around it is taken off. A header about another version of the message
// is refused.
func TestHeadersAndEnvelopesOfGatewaysAreRead(t *testing.T) {
	t.Parallel()
	const saa = `<Saa:DataPDU xmlns:Saa="urn:swift:saa:xsd:saa.2.0"><Saa:Revision>2.0.13</Saa:Revision><Saa:Header><Saa:Message>` +
		`<Saa:SenderReference>O1</Saa:SenderReference><Document>no document</Document></Saa:Message></Saa:Header><Saa:Body>%</Saa:Body>` +
		`<Saa:LAU>c2lnbmVk</Saa:LAU></Saa:DataPDU>`
	const interAct = `<S:ExchangeRequest xmlns:S="urn:swift:snl:ns.SwInt"><S:RequestHeader/><S:RequestPayload>%</S:RequestPayload></S:ExchangeRequest>`
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	book, err := profile.NewRegistry(nil)
	must(t, err)
	book, err = book.Choose("sct-inst", "sct-header", profile.Ends{Sender: "CLRGDEFFXXX", Receiver: "AAAADEFFXXX"})
	must(t, err)
	for i, c := range []struct {
		around, version string
		change          [2]string
		header, taken   bool
	}{
		{around: "<BusinessMessage>%</BusinessMessage>", version: "01", header: true, taken: true},
		{around: "<BusinessMessage>%</BusinessMessage>", version: "03", header: true, taken: true},
		{around: saa, version: "02", header: true, taken: true},
		{around: saa, version: "01", taken: true},
		{around: interAct, version: "02", header: true, taken: true},
		{around: strings.Replace(interAct, "%", "", 1), version: "02"},
		{around: strings.Replace(saa, "%", "%%", 1), version: "02"},
		{around: strings.Replace(saa, "urn:swift:", "urn:other:", 1), version: "02", header: true},
		{around: saa, version: "02", header: true, change: [2]string{"<MsgDefIdr>pacs.008.001.08", "<MsgDefIdr>pacs.008.001.10"}},
	} {
		id := "ENVELOPE" + string(rune('A'+i))
		written, err := book.InForce("sct-inst", h.Clock.Now()).Write(transfer(t, h, rulebook.SchemeSCT, id, receiving[rulebook.SchemeSCT]))
		must(t, err)
		content := string(written)
		from := strings.Index(content, "<Document")
		if c.header {
			from = strings.Index(content, "<AppHdr")
		}
		content = content[from : strings.LastIndex(content, "</Document>")+len("</Document>")]
		content = strings.ReplaceAll(content, "head.001.001.02", "head.001.001."+c.version)
		content = strings.ReplaceAll(c.around, "%", content)
		if c.change[0] != "" {
			content = strings.Replace(content, c.change[0], c.change[1], 1)
		}
		err = h.Clearing.Receive(ctx, clearing.Document{Scheme: rulebook.SchemeSCT, Reference: id, Content: []byte(content), ReceivedAt: h.Clock.Now()})
		var refused *clearing.RefusedError
		if (err == nil) != c.taken || err != nil && !errors.As(err, &refused) {
			t.Errorf("%.60s with a header %s: %v", c.around, c.version, err)
		}
		if said := answers(t, h, id); c.taken != (len(said) == 1 && strings.HasSuffix(said[0], " ACCP")) {
			t.Errorf("%.60s with a header %s is answered %q", c.around, c.version, said)
		}
	}
}

// A document with the header of another end is not taken: neither under a message id that was used, nor when it says that clearing refused a
// message of ours.
func TestADocumentOfAnotherEndIsNotTaken(t *testing.T) {
	t.Parallel()
	const scheme, us = rulebook.SchemeSCT, "AAAADEFFXXX"
	between := func(ends profile.Ends) profile.Registry {
		book, err := profile.NewRegistry(nil)
		must(t, err)
		book, err = book.Choose(string(scheme), "sct-header", ends)
		must(t, err)
		return book
	}
	h := servicetest.With(t, servicetest.Options{Profiles: between(profile.Ends{Sender: us, Receiver: "CLRGDEFFXXX"})})
	defer h.CheckInvariants(t)
	from := func(bic, reference string, document iso20022.Document) clearing.Document {
		content, err := between(profile.Ends{Sender: bic, Receiver: us}).InForce(string(scheme), h.Clock.Now()).Write(document)
		must(t, err)
		return clearing.Document{Scheme: scheme, Reference: reference, Content: content, ReceivedAt: h.Clock.Now()}
	}
	receive(t, h, from("CLRGDEFFXXX", "USED", transferOf(t, h, scheme, "BBBBFRPPXXX", "FIRST", "FIRST")))
	receive(t, h, from("COBADEFFXXX", "USED", transferOf(t, h, scheme, "COBADEFFXXX", "SECOND", "SECOND")))
	if first, second := states(t, h, scheme, "FIRST"), states(t, h, scheme, "SECOND"); len(first) != 1 || len(second) != 0 {
		t.Errorf("the payments are %q and %q", first, second)
	}
	m := approved(t, h, scheme)
	send(t, h, m)
	about := func(bic, reference string) clearing.Document {
		d := from(bic, reference, transfer(t, h, scheme, reference, receiving[scheme]))
		header, _, _ := strings.Cut(string(d.Content), "<Document")
		d.Content = []byte(header + `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:admi.002.001.01"><admi.002.001.01><RltdRef><Ref>` + m.Reference() +
			`</Ref></RltdRef><Rsn><RjctgPtyRsn>U110</RjctgPtyRsn></Rsn></admi.002.001.01></Document></BusinessMessage>`)
		return d
	}
	receive(t, h, about("COBADEFFXXX", "USED"))
	receive(t, h, about("COBADEFFXXX", "REFUSAL"))
	if now := current(t, h, m); now.State != payment.StateProcessing {
		t.Errorf("after the word of another bank our payment is %s", now.State)
	}
	receive(t, h, about("CLRGDEFFXXX", "REFUSED"))
	want{state: payment.StateFailed, code: "FF01"}.check(t, h, m)
	var kept int
	must(t, h.DB.Owner(t).QueryRow(ctx, "SELECT count(*) FROM inbox WHERE outcome = 'quarantined' AND reason LIKE '%ends of the connection%'").Scan(&kept))
	if kept != 3 {
		t.Errorf("%d documents of another end are in quarantine", kept)
	}
}
