package client_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"time"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"countersign/api/client"
)

// order is an order for a day.
func order(name, amount string, day time.Time) client.InstructionOrder {
	transfer := client.CreditTransferTransaction34{
		PmtID:    client.PaymentIdentification6{InstrID: "ORDER-1", EndToEndID: "INVOICE-118"},
		Amt:      client.AmountType4Choice{InstdAmt: client.ActiveOrHistoricCurrencyAndAmount{Ccy: "CHF", Value: amount}},
		Cdtr:     client.PartyIdentification135{Nm: "Peter Haller", PstlAdr: client.PostalAddress24{TwnNm: "Zuerich", Ctry: "CH"}},
		CdtrAcct: client.CashAccount38{ID: client.AccountIdentification4Choice{IBAN: "CH4821966000009613388"}},
	}
	bank := client.ClearingSystemMemberIdentification2{MmbID: "21977"}
	bank.ClrSysID.Cd = "CHBCC"
	var order client.InstructionOrder
	order.Identifiers.ExternalID = name
	order.Document.CstmrCdtTrfInitn = client.CustomerCreditTransferInitiation{
		GrpHdr: client.GroupHeader85{MsgID: name, CreDtTm: day, NbOfTxs: "1", InitgPty: client.PartyIdentification135{Nm: "Muster AG"}},
		PmtInf: []client.PaymentInstruction30{{
			PmtInfID: "ORDER-1", PmtMtd: "TRF",
			PmtTpInf:    client.PaymentTypeInformation26{LclInstrm: client.LocalInstrument2Choice{Cd: "INST"}},
			ReqdExctnDt: client.DateAndDateTime2Choice{Dt: openapi_types.Date{Time: day}},
			Dbtr:        client.PartyIdentification135{Nm: "Muster AG"},
			DbtrAcct:    client.CashAccount38{ID: client.AccountIdentification4Choice{IBAN: "CH5021977000004331346"}},
			DbtrAgt: client.BranchAndFinancialInstitutionIdentification6{
				FinInstnID: client.FinancialInstitutionIdentification18{ClrSysMmbID: bank},
			},
			CdtTrfTxInf: []client.CreditTransferTransaction34{transfer},
		}},
	}
	return order
}

// person returns a caller of the demo at an address.
func person(address, name string) (*client.Gateway, error) {
	return client.New(client.Config{
		URL: address, Realm: "demo", ClientID: "demo-backoffice", ClientSecret: "demo-secret", Username: name, Password: "countersign-demo",
	})
}

// demoAddress is the address of the gateway of the examples.
var demoAddress = "http://127.0.0.1:8080"

// Example creates a payment as one person and approves it as another. Lost answers are repeated; nothing is done twice.
func Example() {
	ctx := context.Background()
	maker, err := person(demoAddress, "maker1")
	if err != nil {
		fmt.Println(err)
		return
	}
	request, err := client.InstructionOf(order("order-2026-0001", "199.20", today()))
	if err != nil {
		fmt.Println(err)
		return
	}
	created, err := maker.CreateInstructionWithResponse(ctx, "sic-inst", nil, request)
	if err == nil {
		err = client.Check(created.StatusCode(), created.Body)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	made := created.JSON200.Transaction
	fmt.Println("made:", made.State)

	checker, err := person(demoAddress, "checker1")
	if err != nil {
		fmt.Println(err)
		return
	}
	var decision client.ApprovalOrder
	decision.Identifiers.InternalID = made.InternalID.String()
	decision.ApprovalDetails.Action = "approve"
	decision.ApprovalDetails.ContentHash = made.ContentHash
	decided, err := checker.DecideInstructionOfAnySchemeWithResponse(ctx, nil, decision)
	if err == nil {
		err = client.Check(decided.StatusCode(), decided.Body)
	}
	fmt.Println("approved:", err == nil)
}

// ExampleGateway_Follow handles each event from where the last run ended.
func ExampleGateway_Follow() {
	errEnough := errors.New("that is all")
	maker, err := person(demoAddress, "maker1")
	if err != nil {
		fmt.Println(err)
		return
	}
	filter := client.ListEventsParams{Type: &[]client.EventType{"message.created"}}
	err = maker.Follow(context.Background(), client.File(cursorFile), filter, func(_ context.Context, e client.Event) error {
		fmt.Println(e.Type, e.Transaction.State)
		return errEnough
	})
	fmt.Println(err)
}

// ExampleVerifyWebhook checks a delivery. An altered body does not fit.
func ExampleVerifyWebhook() {
	secret := "whsec_" + base64.StdEncoding.EncodeToString([]byte("0123456789abcdef"))
	header := http.Header{}
	header.Set("webhook-id", "019b0a50-0000-7000-8000-000000000007")
	header.Set("webhook-timestamp", "1795167000")
	header.Set("webhook-signature", "v1,b2xk v1,qa+WQI+Fnzh4+M3EXHFBqLDjsXomOeUakSTwmKmNB9s=")
	body := []byte(`{"type":"message.settled","timestamp":"2026-11-20T09:31:00.431Z","data":{}}`)
	now := time.Unix(1795167000, 0)
	delivery, err := client.VerifyWebhook(secret, header, body, now)
	fmt.Println(delivery.Type, err)
	_, err = client.VerifyWebhook(secret, header, append(body, ' '), now)
	fmt.Println(err)
	_, err = client.VerifyWebhook(secret, header, body, now.Add(6*time.Minute))
	fmt.Println(err)
	// Output:
	// message.settled <nil>
	// the signature of the webhook does not fit
	// the signature of the webhook does not fit
}
