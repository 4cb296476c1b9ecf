//go:build long

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"countersign/api/client"
)

// TestGeneratedClientsWalkThroughTheDemo takes a payment from its creation to the answer of its recall with each generated client, by
// typed calls. make clients generates and compiles those of TypeScript.
func TestGeneratedClientsWalkThroughTheDemo(t *testing.T) {
	h := newHouse(t)
	h.open(t)
	address := "http://" + h.gateway
	t.Run("oapi-codegen", func(t *testing.T) { walkWithGo(t, address) })
	folder, err := filepath.Abs(filepath.Join("..", "..", ".cache", "clients", "out"))
	must(t, err)
	for _, name := range []string{"openapi-fetch", "hey-api", "orval"} {
		t.Run(name, func(t *testing.T) {
			command := exec.Command("node", filepath.Join(folder, name+".js"), address)
			out, err := command.CombinedOutput()
			if err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), "created, approved, settled, recalled, answered") {
				t.Errorf("%v\n%s", err, out)
			}
			t.Logf("%s", out)
		})
	}
}

// TestTheWholeDescriptionCompilesInGo generates all calls as oapi-codegen does by default, and compiles them.
func TestTheWholeDescriptionCompilesInGo(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	must(t, err)
	folder := filepath.Join(root, "cmd", "countersign", "testdata", "generated") // in the module, for its dependencies
	must(t, os.MkdirAll(folder, 0o755))
	t.Cleanup(func() { _ = os.RemoveAll(filepath.Dir(folder)) })
	generate := exec.Command(filepath.Join(root, ".cache", "tools", "oapi-codegen"), "-generate", "types,client", "-package", "generated",
		"-o", filepath.Join(folder, "generated.go"), filepath.Join(root, "api", "openapi.yaml"))
	for _, name := range []string{"go.mod", "go.sum"} { // a copy: the calls that the client of this repository lacks need one more module
		content, err := os.ReadFile(filepath.Join(root, name))
		must(t, err)
		must(t, os.WriteFile(filepath.Join(folder, "copy"+filepath.Ext(name)), content, 0o600))
	}
	build := exec.Command("go", "build", "-mod=mod", "-modfile="+filepath.Join(folder, "copy.mod"), "./"+filepath.Base(folder))
	build.Dir = filepath.Dir(folder)
	for _, command := range []*exec.Cmd{generate, build} {
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
}

// walkWithGo is the walk with the client of this repository, which oapi-codegen generates.
func walkWithGo(t *testing.T, address string) {
	ctx := t.Context()
	person := func(name string) *client.Gateway {
		made, err := client.New(client.Config{
			URL: address, Realm: "demo", ClientID: "demo-backoffice", ClientSecret: "demo-secret", Username: name, Password: "countersign-demo",
		})
		must(t, err)
		return made
	}
	maker, checker := person("maker1"), person("checker1")
	approve := func(of client.CreatedTransaction) {
		var decision client.ApprovalOrder
		decision.Identifiers.InternalID, decision.ApprovalDetails.Action = of.InternalID.String(), "approve"
		decision.ApprovalDetails.ContentHash = of.ContentHash
		answer, err := checker.DecideInstructionOfAnySchemeWithResponse(ctx, nil, decision)
		must(t, err)
		must(t, client.Check(answer.StatusCode(), answer.Body))
	}
	until := func(of client.CreatedTransaction, state client.State, event client.EventType) {
		for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
			read, err := maker.GetTransactionWithResponse(ctx, of.InternalID.String(), nil)
			must(t, err)
			must(t, client.Check(read.StatusCode(), read.Body))
			types := []client.EventType{event}
			events, err := maker.ListEventsWithResponse(ctx, &client.ListEventsParams{Type: &types})
			must(t, err)
			must(t, client.Check(events.StatusCode(), events.Body))
			told := slices.ContainsFunc(events.JSON200.Events, func(e client.Event) bool { return e.Transaction.InternalID == of.InternalID })
			if told && read.JSON200.Transaction.State == state {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("it is %s, not %s", read.JSON200.Transaction.State, state)
			}
		}
	}
	request, err := client.InstructionOf(walkOrder())
	must(t, err)
	created, err := maker.CreateInstructionWithResponse(ctx, "sic-inst", nil, request)
	must(t, err)
	must(t, client.Check(created.StatusCode(), created.Body))
	payment := created.JSON200.Transaction
	approve(payment)
	until(payment, "Settled", "message.settled")
	var order client.RecallOrder
	order.Identifiers.InternalID, order.Identifiers.ExternalID = payment.InternalID.String(), "go-recall"
	order.RecallDetails.Reason = "DUPL"
	var recall client.RecallRequest
	must(t, recall.FromRecallOrder(order))
	asked, err := maker.CreateRecallWithResponse(ctx, "sic-inst", nil, recall)
	must(t, err)
	must(t, client.Check(asked.StatusCode(), asked.Body))
	approve(asked.JSON200.Transaction)
	until(asked.JSON200.Transaction, "Accepted", "recall.answered")
}

func walkOrder() (order client.InstructionOrder) {
	zone, _ := time.LoadLocation("Europe/Zurich")
	bank := client.ClearingSystemMemberIdentification2{ClrSysID: client.ClearingSystemIdentification2Choice{Cd: "CHBCC"}, MmbID: "21977"}
	us := client.PartyIdentification135{Nm: "Muster AG"}
	order.Identifiers.ExternalID = "go-order"
	order.Document.CstmrCdtTrfInitn = client.CustomerCreditTransferInitiation{
		GrpHdr: client.GroupHeader85{MsgID: "GO-ORDER", CreDtTm: time.Now(), NbOfTxs: "1", CtrlSum: "199.20", InitgPty: us},
		PmtInf: []client.PaymentInstruction30{{
			PmtInfID: "P-1", PmtMtd: "TRF", PmtTpInf: client.PaymentTypeInformation26{LclInstrm: client.LocalInstrument2Choice{Cd: "INST"}},
			ReqdExctnDt: client.DateAndDateTime2Choice{Dt: openapi_types.Date{Time: time.Now().In(zone)}}, Dbtr: us,
			DbtrAcct: client.CashAccount38{ID: client.AccountIdentification4Choice{IBAN: "CH5021977000004331346"}},
			DbtrAgt: client.BranchAndFinancialInstitutionIdentification6{
				FinInstnID: client.FinancialInstitutionIdentification18{ClrSysMmbID: bank},
			},
			CdtTrfTxInf: []client.CreditTransferTransaction34{{
				PmtID:    client.PaymentIdentification6{InstrID: "I-1", EndToEndID: "E-1"},
				Amt:      client.AmountType4Choice{InstdAmt: client.ActiveOrHistoricCurrencyAndAmount{Ccy: "CHF", Value: "199.20"}},
				Cdtr:     client.PartyIdentification135{Nm: "Peter Haller", PstlAdr: client.PostalAddress24{TwnNm: "Zuerich", Ctry: "CH"}},
				CdtrAcct: client.CashAccount38{ID: client.AccountIdentification4Choice{IBAN: "CH4821966000009613388"}},
			}},
		}},
	}
	return order
}
