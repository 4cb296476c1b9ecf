package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/web"
	"countersign/web/clearing"
	"countersign/web/webtest"
)

// interbankBundle is the server with a clearing that speaks for both schemes and whose deliveries are sent when a test says so.
type interbankBundle struct {
	*bundle
	number atomic.Int32
}

const bothSchemesToken = "test-clearing-token-both"

func setupInterbank(t *testing.T) *interbankBundle {
	t.Helper()
	set := web.Settings{Connections: []clearing.Connection{clearing.NewConnection(bothSchemesToken, rulebook.Schemes()...)}}
	return &interbankBundle{bundle: &bundle{webtest.With(t, webtest.Options{Settings: set})}}
}

// ok makes a call that has to succeed.
func (b *bundle) ok(t *testing.T, c call) answer {
	t.Helper()
	a := b.Send(t, c)
	if a.Status != http.StatusOK {
		t.Fatalf("%s: %d %s", c.Path, a.Status, a.Body)
	}
	return a
}

// from has clearing send a document.
func (b *interbankBundle) from(t *testing.T, scheme rulebook.Scheme, document iso20022.Document, err error) {
	t.Helper()
	must(t, err)
	content, err := codec.EncodeXML(document)
	must(t, err)
	a := b.Send(t, call{
		Path: "/clearing/v1/" + string(scheme) + "/messages", Kind: "application/xml", Body: string(content),
		Change: func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+bothSchemesToken) },
	})
	if a.Status != http.StatusAccepted {
		t.Fatalf("clearing's document: %d %s", a.Status, a.Body)
	}
}

// settled makes a payment of ours that has settled, and returns its identifiers.
func (b *interbankBundle) settled(t *testing.T, scheme rulebook.Scheme) (id, global string) {
	t.Helper()
	path, text := createSwiss, sample
	if scheme == rulebook.SchemeSCT {
		path, text = createEuropean, europeanSample
	}
	today := b.Now().Format("2006-01-02")
	made := b.ok(t, call{Path: path, Who: maker1, Body: strings.ReplaceAll(order(text), "2026-11-20", today)})
	id, global = made.Text("identifiers", "internalId"), made.Text("identifiers", "globalId")
	b.ok(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve")})
	b.deliver(t, id)
	b.from(t, scheme, &iso20022.FIToFIPaymentStatusReport{
		GroupHeader:                     iso20022.GroupHeader91{MessageID: "ST-" + global, CreationDateTime: iso20022.DateTimeOf(b.Now())},
		TransactionInformationAndStatus: []iso20022.PaymentTransaction110{{OriginalTransactionID: global, TransactionStatus: "ACSC"}},
	}, nil)
	return id, global
}

// deliver sends an approved message.
func (b *interbankBundle) deliver(t *testing.T, id string) {
	t.Helper()
	m, err := b.Messages.Message(context.Background(), "demo", parse(t, id))
	must(t, err)
	must(t, b.Clearing.Send(context.Background(), m.Scheme, "demo", m.InternalID))
}

// booked brings a payment in and returns its identifiers and its document.
func (b *interbankBundle) booked(
	t *testing.T, scheme rulebook.Scheme,
) (id, global string, document *iso20022.FIToFICustomerCreditTransfer) {
	t.Helper()
	transaction := fmt.Sprintf("TX-%s-%d", scheme, b.number.Add(1))
	order := servicetest.Document(scheme, 900, b.Now())
	account := map[rulebook.Scheme]string{rulebook.SchemeSIC: "CH5021977000004331346", rulebook.SchemeSCT: "DE62007620110623852957"}[scheme]
	order.PaymentInformation[0].CreditTransferTransactionInformation[0].CreditorAccount.ID.IBAN = account
	document, err := interbank.CreditTransfer(interbank.CreditTransferInput{
		Scheme: scheme, Order: order, TransactionID: transaction, Reference: "IN-" + transaction, UETR: "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10",
		From: interbank.Account{
			IBAN: "CH4821966000009613388", Holder: interbank.Holder{Name: "Peter Haller", Town: "Zuerich", Country: "CH"}, AgentBIC: "BBBBCHZZXXX",
			AgentIID: "21966",
		},
		CreditorAgent: "AAAADEFFXXX", AcceptedAt: b.Now(), Day: b.Now(),
	})
	must(t, err)
	b.from(t, scheme, document, nil)
	a := b.ok(t, get(listPath+"?kind=payment&pageSize=1&scheme="+string(scheme), supervisor1))
	return a.Text("transactions", 0, "internalId"), a.Text("transactions", 0, "globalId"), document
}

// recalled brings in a recall of an incoming payment and returns its identifiers.
func (b *interbankBundle) recalled(
	t *testing.T, scheme rulebook.Scheme, document *iso20022.FIToFICustomerCreditTransfer, reason string,
) (id, global string) {
	t.Helper()
	name := fmt.Sprintf("RE-%d", b.number.Add(1))
	recall, err := interbank.CancellationRequest(interbank.RTransactionInput{
		Request: rulebook.Request{
			Reason: reason,
		},
		Scheme: scheme, Original: document, Bank: "BBBBCHZZXXX", MessageID: name, ID: name, At: b.Now(),
	})
	b.from(t, scheme, recall, err)
	a := b.ok(t, get(listPath+"?kind=recall&direction=in&pageSize=1&scheme="+string(scheme), supervisor1))
	return a.Text("transactions", 0, "internalId"), a.Text("transactions", 0, "globalId")
}

// object is a JSON object of the members, which come in pairs of name and value; "" leaves a member out.
func object(pairs ...any) json.RawMessage {
	var text bytes.Buffer
	text.WriteByte('{')
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			continue
		}
		if text.Len() > 1 {
			text.WriteByte(',')
		}
		value, _ := json.Marshal(pairs[i+1]) // always encodes
		fmt.Fprintf(&text, "%q:%s", pairs[i], value)
	}
	text.WriteByte('}')
	return text.Bytes()
}

func recallBody(id, reason string, more ...any) string {
	return string(object("identifiers", object("internalId", id), "RecallDetails", object(append([]any{"reason", reason}, more...)...)))
}

func returnBody(id, reason string, more ...any) string {
	return string(object("identifiers", object("creditId", id), "ReturnDetails", object(append([]any{"reason", reason}, more...)...)))
}

func resolutionBody(id, recall, reason string, more ...any) string {
	details := object(append([]any{"reason", reason}, more...)...)
	return string(object("identifiers", object("creditId", id, "recallId", recall), "ResolutionDetails", details))
}

func requestPath(scheme rulebook.Scheme, kind string) string {
	return "/api/" + string(scheme) + "/v1/" + kind + "/create"
}

// withKey sends an Idempotency-Key.
func withKey(key string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Idempotency-Key", key) }
}
