package clearing_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/govalues/decimal"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/web/webtest"
)

type (
	report   = iso20022.FIToFIPaymentStatusReport
	back     = iso20022.PaymentReturn
	transfer = iso20022.FIToFICustomerCreditTransfer
)

// clearing is the other side of the door, and what a supervisor then sees.
type clearing struct {
	*webtest.Gateway
	t *testing.T
	n int
}

// sends delivers a document under an id of its own, which must be taken, and returns what became of it.
func (c *clearing) sends(document iso20022.Document) (outcome, reason string) {
	c.t.Helper()
	c.n++
	name := fmt.Sprintf("DELIVERY-%d", c.n)
	content, err := codec.EncodeXML(document)
	must(c.t, err)
	a := c.Send(c.t, webtest.ClearingCall(string(content), func(r *http.Request) { r.Header.Set("X-Message-Id", name) }))
	if a.Status != http.StatusAccepted || a.Text("status") != "Stored" {
		c.t.Fatalf("%s: %d %s", name, a.Status, a.Body)
	}
	must(c.t, c.DB.Owner(c.t).QueryRow(c.t.Context(), "SELECT outcome, coalesce(reason, '') FROM inbox WHERE reference = $1", name).Scan(
		&outcome, &reason,
	))
	return outcome, reason
}

// lies sends documents that each say something false about one message. All are stored for an operator with the element named; they move
// nothing and are not answered.
func lies[D iso20022.Document](c *clearing, about string, honest func() D, told map[string]func(D)) {
	c.t.Helper()
	before, answers := c.seen(about), c.answers()
	for place, tell := range told {
		document := honest()
		tell(document)
		element, _, _ := strings.Cut(place, ":")
		outcome, reason := c.sends(document)
		if outcome != "quarantined" || !strings.Contains(reason, element) {
			c.t.Errorf("%s: %s, %q", place, outcome, reason)
		}
	}
	if after := c.seen(about); after != before {
		c.t.Errorf("lies moved the message from %s to %s", before, after)
	}
	if n := c.answers(); n != answers {
		c.t.Errorf("%d lies were answered", n-answers)
	}
}

// seen is the state of a message and since when, as the API tells it.
func (c *clearing) seen(id string) string {
	c.t.Helper()
	a := c.Send(c.t, webtest.Get("/api/common/v1/transaction/"+id, webtest.Supervisor1))
	return a.Text("transaction", "state") + " " + a.Text("transaction", "stateSince")
}

// is fails the test unless a message has the state.
func (c *clearing) is(id, state string) {
	c.t.Helper()
	if seen := c.seen(id); !strings.HasPrefix(seen, state+" ") {
		c.t.Errorf("%s is %s, want %s", id, seen, state)
	}
}

// answers counts what lies ready for clearing.
func (c *clearing) answers() (n int) {
	c.t.Helper()
	must(c.t, c.DB.Owner(c.t).QueryRow(c.t.Context(), "SELECT count(*) FROM outbox").Scan(&n))
	return n
}

// approved has a message approved and sent, and returns the document clearing got.
func (c *clearing) approved(id string) iso20022.Document {
	c.t.Helper()
	a := c.Send(c.t, webtest.Call{Path: webtest.ApprovePath, Who: webtest.Checker1, Body: webtest.Verdict(id, "approve")})
	if a.Status != http.StatusOK {
		c.t.Fatalf("approve: %d %s", a.Status, a.Body)
	}
	m, err := c.Messages.Message(c.t.Context(), "demo", parse(c.t, id))
	must(c.t, err)
	must(c.t, c.Clearing.Send(c.t.Context(), m.Scheme, "demo", m.InternalID))
	return c.got()
}

// got is the last document clearing got.
func (c *clearing) got() iso20022.Document {
	c.t.Helper()
	delivered := c.Network.Delivered()
	document, findings := codec.DecodeXML([]byte(delivered[len(delivered)-1].Content))
	if len(findings) > 0 {
		c.t.Fatal(findings)
	}
	return document
}

// accepts is the honest status of a payment that settled.
func (c *clearing) accepts(about *transfer) *report {
	c.t.Helper()
	made, err := interbank.StatusReport(
		interbank.StatusReportInput{Scheme: rulebook.SchemeSIC, About: about, Reference: "ST", StatusID: "ST", At: c.Clock.Now()},
	)
	must(c.t, err)
	return made
}

func amount(currency, value string) *iso20022.Amount {
	return &iso20022.Amount{Currency: currency, Value: decimal.MustParse(value)}
}

func TestClearingLiesAboutAPayment(t *testing.T) {
	t.Parallel()
	c := &clearing{Gateway: webtest.New(t), t: t}
	defer c.CheckInvariants(t)
	id, other := c.Created(t, webtest.Maker1), c.Created(t, webtest.Maker1)
	foreign := c.approved(other).(*transfer)
	sent := c.approved(id).(*transfer)
	tx := func(d *report) *iso20022.PaymentTransaction110 { return &d.TransactionInformationAndStatus[0] }
	group := func(d *report) *iso20022.OriginalGroupHeader17 { return &d.OriginalGroupInformationAndStatus[0] }
	copied := func(change func(*iso20022.OriginalTransactionReference28)) func(*report) {
		return func(d *report) {
			tx(d).OriginalTransactionReference = &iso20022.OriginalTransactionReference28{}
			change(tx(d).OriginalTransactionReference)
		}
	}
	honest := func() *report { return c.accepts(sent) }
	lies(c, id, honest, map[string]func(*report){
		"OrgnlTxId:under the message id of another payment": func(d *report) { group(d).OriginalMessageID = foreign.GroupHeader.MessageID },
		"OrgnlMsgNmId:another message":                      func(d *report) { group(d).OriginalMessageNameID = "pacs.009.001.08" },
		"OrgnlTxId:of nothing":                              func(d *report) { tx(d).OriginalTransactionID = "FOREIGN" },
		"OrgnlEndToEndId:another":                           func(d *report) { tx(d).OriginalEndToEndID = "FOREIGN" },
		"OrgnlInstrId:another":                              func(d *report) { tx(d).OriginalInstructionID = "FOREIGN" },
		"IntrBkSttlmAmt:another amount": copied(func(r *iso20022.OriginalTransactionReference28) {
			r.InterbankSettlementAmount = amount("CHF", "199.96")
		}),
		"IntrBkSttlmAmt:another currency": copied(func(r *iso20022.OriginalTransactionReference28) {
			r.InterbankSettlementAmount = amount("EUR", "199.95")
		}),
		"GrpSts:contradicts the payment's": func(d *report) { group(d).GroupStatus = "RJCT" },
		"StsRsnInf/Rsn:settled, and refused": func(d *report) {
			tx(d).StatusReasonInformation = []iso20022.StatusReasonInformation12{{Reason: &iso20022.StatusReason6Choice{Code: "AC04"}}}
		},
		"OrgnlNbOfTxs:of two": func(d *report) { group(d).OriginalNumberOfTransactions = "2" },
	})
	if outcome, reason := c.sends(honest()); outcome != "matched" {
		t.Errorf("the honest status is %s: %s", outcome, reason)
	}
	c.is(id, "Settled")
	c.is(other, "Processing")
}

func TestClearingLiesAboutAReturnAndSendsItTwice(t *testing.T) {
	t.Parallel()
	c := &clearing{Gateway: webtest.New(t), t: t}
	defer c.CheckInvariants(t)
	id := c.Created(t, webtest.Maker1)
	paid := c.approved(id).(*transfer)
	c.sends(c.accepts(paid))
	a := c.Send(
		t,
		webtest.Call{
			Path: "/api/sic-inst/v1/recall/create", Who: webtest.Maker1,
			Body: `{"identifiers":{"internalId":"` + id + `"},"RecallDetails":{"reason":"CUST"}}`,
		},
	)
	recall := a.Text("identifiers", "internalId")
	c.approved(recall)
	honest := func() *back {
		made, err := interbank.Return(interbank.RTransactionInput{
			Request: rulebook.Request{
				Reason: "FOCR",
			},
			Scheme: rulebook.SchemeSIC, Original: paid, Bank: "BBBBCHZZXXX", MessageID: "RET", ID: "RET", At: c.Clock.Now(), Day: c.Clock.Now(),
		})
		must(t, err)
		return made
	}
	tx := func(d *back) *iso20022.PaymentTransaction112 { return &d.TransactionInformation[0] }
	lies(c, recall, honest, map[string]func(*back){
		"OrgnlMsgId:of nothing":              func(d *back) { tx(d).OriginalGroupInformation.OriginalMessageID = "FOREIGN" },
		"OrgnlEndToEndId:another":            func(d *back) { tx(d).OriginalEndToEndID = "FOREIGN" },
		"OrgnlIntrBkSttlmAmt:another amount": func(d *back) { tx(d).OriginalInterbankSettlementAmount = amount("CHF", "99999.00") },
		"RtrdIntrBkSttlmAmt:a trifle": func(d *back) {
			tx(d).ReturnedInterbankSettlementAmount = *amount("CHF", "0.01")
			d.GroupHeader.TotalReturnedInterbankSettlementAmount = amount("CHF", "0.01")
		},
		"RtrdIntrBkSttlmAmt:another currency": func(d *back) {
			tx(d).ReturnedInterbankSettlementAmount = *amount("EUR", "199.95")
			d.GroupHeader.TotalReturnedInterbankSettlementAmount = amount("EUR", "199.95")
		},
	})
	c.is(recall, "Processing")
	if outcome, reason := c.sends(honest()); outcome != "matched" {
		t.Errorf("the honest return is %s: %s", outcome, reason)
	}
	c.is(recall, "Accepted")
	answers := c.answers()
	second := honest()
	second.GroupHeader.MessageID, tx(second).ReturnID = "RET-2", "RET-2"
	for name, document := range map[string]*back{"the same again": honest(), "another one": second} {
		if outcome, reason := c.sends(document); outcome != "quarantined" {
			t.Errorf("%s is %s: %s", name, outcome, reason)
		}
	}
	if n := c.answers(); n != answers {
		t.Errorf("a second return was confirmed")
	}
}

func TestAnIncomingPaymentThatIsNotOneInTimeIsRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		code   string
		change func(*clearing, *transfer)
	}{
		"two payments": {"AM18", func(_ *clearing, d *transfer) {
			second := d.CreditTransferTransactionInformation[0]
			second.PaymentID.TransactionID = "SECOND"
			d.CreditTransferTransactionInformation = append(d.CreditTransferTransactionInformation, second)
			d.GroupHeader.NumberOfTransactions = "2"
		}},
		"one that says it is two": {"AM18", func(_ *clearing, d *transfer) { d.GroupHeader.NumberOfTransactions = "2" }},
		"accepted ten seconds ago": {"AB05", func(c *clearing, d *transfer) {
			at := c.Clock.Now().Add(-10 * time.Second).UTC().Format("2006-01-02T15:04:05.000Z")
			d.CreditTransferTransactionInformation[0].AcceptanceDateTime = iso20022.ISODateTime(at)
		}},
		"in euro": {"AM03", func(_ *clearing, d *transfer) {
			d.CreditTransferTransactionInformation[0].InterbankSettlementAmount = *amount("EUR", "100.00")
			d.GroupHeader.TotalInterbankSettlementAmount = amount("EUR", "100.00")
		}},
		"of another total": {"AM10", func(_ *clearing, d *transfer) { d.GroupHeader.TotalInterbankSettlementAmount = amount("CHF", "100.01") }},
		"for another bank": {"AGNT", func(_ *clearing, d *transfer) {
			d.CreditTransferTransactionInformation[0].CreditorAgent.FinancialInstitutionID = iso20022.FinancialInstitutionIdentification18{
				BICFI: "BBBBCHZZXXX",
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &clearing{Gateway: webtest.New(t), t: t}
			defer c.CheckInvariants(t)
			document := c.comesIn("TX1")
			test.change(c, document)
			c.sends(document)
			c.Clock.Add(3 * time.Second)
			c.Clearing.RunOnce(t.Context())
			refusal, refused := c.got().(*report)
			if !refused {
				t.Fatalf("answered by %T", c.got())
			}
			status, reasons := refusal.OriginalGroupInformationAndStatus[0].GroupStatus,
				refusal.OriginalGroupInformationAndStatus[0].StatusReasonInformation
			if len(refusal.TransactionInformationAndStatus) > 0 {
				status, reasons = refusal.TransactionInformationAndStatus[0].TransactionStatus,
					refusal.TransactionInformationAndStatus[0].StatusReasonInformation
			}
			if status != "RJCT" || len(reasons) == 0 || reasons[0].Reason.Code != test.code {
				t.Errorf("answered %s %+v, want RJCT %s", status, reasons, test.code)
			}
			for _, state := range []string{"Booked", "Settled"} {
				a := c.Send(t, webtest.Get(webtest.ListPath+"?direction=in&state="+state, webtest.Supervisor1))
				if len(a.At("transactions").([]any)) != 0 {
					t.Errorf("it counts as %s: %s", state, a.Body)
				}
			}
		})
	}
}

// comesIn is another bank's payment to the demo's account.
func (c *clearing) comesIn(transactionID string) *transfer {
	c.t.Helper()
	order := servicetest.Document(rulebook.SchemeSIC, 900, c.Clock.Now())
	order.PaymentInformation[0].CreditTransferTransactionInformation[0].CreditorAccount.ID.IBAN = "CH5021977000004331346"
	document, err := interbank.CreditTransfer(interbank.CreditTransferInput{
		Scheme: rulebook.SchemeSIC, Order: order, TransactionID: transactionID, Reference: "IN-" + transactionID,
		UETR: "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10",
		From: interbank.Account{
			IBAN: "CH4821966000009613388", Holder: interbank.Holder{Name: "Peter Haller", Town: "Zuerich", Country: "CH"}, AgentBIC: "BBBBCHZZXXX",
			AgentIID: "21966",
		},
		AcceptedAt: c.Clock.Now(), Day: c.Clock.Now(),
	})
	must(c.t, err)
	return document
}
