package simulator

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	contract "countersign/api"
	"countersign/internal/account"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/money"
)

// The limits of a scenario.
const (
	scenarioLimit = 64 << 10         // bytes of the request
	scenarioWait  = 10 * time.Second // for the gateway
)

// paymentRequest is a request for an incoming payment. Omitted members have defaults: 100.00, the demo account, a made-up debtor.
type paymentRequest struct {
	Scheme          string `json:"scheme"`
	Amount          amount `json:"amount"`
	CreditorAccount string `json:"creditorAccount"`
	DebtorName      string `json:"debtorName"`
	Remittance      string `json:"remittance"`
}

// amount is a JSON string or number, in its digits.
type amount string

// UnmarshalJSON reads the text of a string or the raw token of a number, without a float.
func (a *amount) UnmarshalJSON(token []byte) error {
	if bytes.HasPrefix(token, []byte(`"`)) {
		return json.Unmarshal(token, (*string)(a))
	}
	*a = amount(token)
	return nil
}

// paymentAnswer holds the ids of the incoming payment and the status the gateway gave it.
type paymentAnswer struct {
	TransactionID string `json:"transactionId"`
	EndToEndID    string `json:"endToEndId"`
	Status        string `json:"status"` // ACCP or RJCT
	Reason        string `json:"reason,omitempty"`
}

// serveIncomingPayment sends a payment to a customer of the gateway and answers 200 when its pacs.002 is here; 400 when the request is
// wrong, 504 when there is no pacs.002 within ten seconds.
func (s *Simulator) serveIncomingPayment(w http.ResponseWriter, r *http.Request) {
	var request paymentRequest
	refused := readScenario(w, r, &request)
	if refused != nil {
		writeRefusal(w, refused)
		return
	}
	transfer, refused := s.transferOf(request)
	if refused != nil {
		writeRefusal(w, refused)
		return
	}
	payment, refused := s.sendIncoming(transfer)
	if refused != nil {
		writeRefusal(w, refused)
		return
	}
	if !s.await(r.Context(), payment.answered) {
		writeRefusal(w, s.unanswered(transfer))
		return
	}
	s.mutex.Lock()
	answer := paymentAnswer{transfer.transactionID, transfer.endToEndID, payment.status, payment.reason}
	s.mutex.Unlock()
	writeJSON(w, http.StatusOK, answer)
}

// transferOf fills in the defaults and the ids. The ids come from the seed, the count of scenarios and the time, so that a restarted
// simulator with the same seed does not use them again.
func (s *Simulator) transferOf(request paymentRequest) (transfer, *refusal) {
	scheme, found := schemeNamed(request.Scheme)
	if !found {
		return transfer{}, badScenario("Enter sic-inst or sct-inst as scheme.")
	}
	sum, err := money.Parse(scheme.currency, cmp.Or(string(request.Amount), defaultAmount))
	if err != nil {
		return transfer{}, badScenario("Correct the amount. " + err.Error())
	}
	creditor, err := account.Parse(cmp.Or(request.CreditorAccount, scheme.demoAccount))
	if err != nil {
		return transfer{}, badScenario("Correct the creditor account. " + err.Error())
	}
	if scheme.currency == "CHF" && !creditor.InSwissClearing() {
		return transfer{}, badScenario("Enter a Swiss or Liechtenstein creditor account: sic-inst reaches no other.")
	}
	if utf8.RuneCountInString(request.DebtorName) > 70 || utf8.RuneCountInString(request.Remittance) > 140 {
		return transfer{}, badScenario("Enter at most 70 characters in debtorName and 140 in remittance.")
	}
	made := transfer{
		scheme: scheme, amount: sum, creditorAccount: creditor,
		debtorName: cmp.Or(request.DebtorName, otherName), remittance: request.Remittance, at: s.config.Now(),
	}
	count := s.countScenario(scheme)
	made.transactionID = s.identifier(scheme, "incoming", count, made.at.UnixNano())
	made.endToEndID = "E2E-" + made.transactionID
	if scheme.currency == "CHF" {
		made.uetr = s.uetr(scheme, "incoming", count, made.at.UnixNano())
	}
	return made, nil
}

func (s *Simulator) countScenario(scheme scheme) int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.scenarios[scheme.name]++
	return s.scenarios[scheme.name]
}

// sendIncoming checks the pacs.008 and starts sending it.
func (s *Simulator) sendIncoming(t transfer) (*incoming, *refusal) {
	about := original{
		messageName: string(iso20022.Pacs008V08), endToEndID: t.endToEndID, transactionID: t.transactionID,
	}
	send := &draft{
		name: iso20022.Pacs008V08, about: about, copies: 1,
		build: func(messageID string, _ time.Time) iso20022.Document { return t.document(messageID) },
	}
	exchange := &exchange{scheme: t.scheme, cause: t.transactionID, drafts: []*draft{send}}
	document := t.document(s.identifier(t.scheme, exchange.cause, 0))
	findings := codec.Validate(document)
	if len(findings) > 0 {
		return nil, badScenario(sentenceOf(findings))
	}
	payment := &incoming{document: document, answered: make(chan struct{})}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	refused := s.busy()
	if refused != nil {
		return nil, refused
	}
	s.incoming.put(t.scheme.name+"/"+t.transactionID, payment)
	s.start(exchange)
	return payment, nil
}

// await waits for the gateway, ten seconds at most, and reports whether it answered.
func (s *Simulator) await(ctx context.Context, answered <-chan struct{}) bool {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(s.open, cancel)
	defer stop()
	late := make(chan struct{})
	go func() {
		defer close(late)
		_ = s.config.Sleep(ctx, scenarioWait) // both ends of the wait mean the same here
	}()
	select {
	case <-answered:
		return true
	case <-late:
		return false
	}
}

// unanswered makes the refusal for a payment that the gateway did not answer, with the detail of its log entry.
func (s *Simulator) unanswered(t transfer) *refusal {
	text := "The gateway did not answer the payment " + t.transactionID + " with a pacs.002 within 10 seconds."
	s.mutex.Lock()
	entries := s.journal.after(0, t.transactionID)
	s.mutex.Unlock()
	if len(entries) > 0 && entries[0].Detail != "" {
		text += " " + entries[0].Detail
	}
	return &refusal{http.StatusGatewayTimeout, "504_NO_ANSWER", text}
}

// readScenario reads a strict JSON body.
func readScenario(w http.ResponseWriter, r *http.Request, into any) *refusal {
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || mediaType != "application/json" {
		return &refusal{http.StatusUnsupportedMediaType, "415_UNSUPPORTED_MEDIA_TYPE", "Send JSON as application/json."}
	}
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, scenarioLimit))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(into)
	if err != nil {
		return badScenario("Correct the request: " + strings.TrimPrefix(err.Error(), "json: ") + ".")
	}
	_, err = decoder.Token()
	if !errors.Is(err, io.EOF) {
		return badScenario("Send one JSON object and nothing after it.")
	}
	return nil
}

func badScenario(text string) *refusal {
	return &refusal{http.StatusBadRequest, "400_BAD_REQUEST", text}
}

// scenarios returns the list of scenarios, from the description of the interface.
var scenarios = sync.OnceValues(func() (string, error) {
	var document struct {
		Tags []struct{ Name, Description string }
	}
	err := json.Unmarshal(contract.DocumentJSON, &document)
	for _, tag := range document.Tags {
		if tag.Name == "Sandbox" {
			return tag.Description, err
		}
	}
	return "", err
})

func serveScenarios(w http.ResponseWriter, _ *http.Request) {
	list, err := scenarios()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, list)
}
