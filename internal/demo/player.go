package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// player plays a day by the calls of an integrator.
type player struct {
	Day
	client   *http.Client
	tokens   map[string]string // by user, and client where it is another one than usual
	asked    int
	recalled []recall // payments to be recalled
}

// recall asks for a payment back.
type recall struct{ scheme, id, reason string }

// arrival is a payment that comes in.
type arrival struct {
	scheme, amount, debtor, remittance string
	id, transactionID                  string // known once it is here
}

// answer holds the members that the day reads from answers of the gateway and the simulator.
type answer struct {
	AccessToken   string `json:"access_token"`
	Identifiers   struct{ InternalID string }
	Transaction   struct{ State, ContentHash string }
	Transactions  []struct{ InternalID string }
	TransactionID string
	EndToEndID    string
}

// makerOf and checkerOf share the work of the day between people.
func makerOf(number int) string   { return [2]string{"maker1", "maker2"}[number%2] }
func checkerOf(number int) string { return [2]string{"checker1", "checker2"}[number%2] }

// begun reports whether the realm has a message already.
func (p *player) begun(ctx context.Context) (bool, error) {
	list, err := p.call(ctx, "supervisor1", "/api/common/v1/transaction/list?pageSize=1", "")
	return len(list.Transactions) > 0, err
}

func (p *player) create(ctx context.Context, number int, o order) (id string, err error) {
	user := makerOf(number)
	if o.end == endExpired {
		user += "@" + Brief
	}
	made, err := p.call(ctx, user, "/api/"+o.scheme+"/v1/instruction/create", o.body(number, p.Now().In(p.Zone)))
	return made.Identifiers.InternalID, err
}

// request makes a recall, return or resolution, named by scheme and kind.
func (p *player) request(ctx context.Context, user, place, body string) (id string, err error) {
	scheme, kind, _ := strings.Cut(place, " ")
	made, err := p.call(ctx, user, "/api/"+scheme+"/v1/"+kind+"/create", body)
	return made.Identifiers.InternalID, err
}

// decide reads the message and sends the decision with the digest of that content.
func (p *player) decide(ctx context.Context, user, id, action string) error {
	read, err := p.call(ctx, user, "/api/common/v1/transaction/"+id, "")
	if err != nil {
		return err
	}
	_, err = p.call(ctx, user, "/api/common/v1/instruction/approval",
		`{"identifiers":{"internalId":"`+id+`"},"ApprovalDetails":{"action":`+action+`,"contentHash":"`+read.Transaction.ContentHash+`"}}`)
	return err
}

// until waits for a state.
func (p *player) until(ctx context.Context, id, state string) error {
	ctx, cancel := context.WithTimeout(ctx, stateLimit)
	defer cancel()
	for {
		read, err := p.call(ctx, "supervisor1", "/api/common/v1/transaction/"+id, "")
		if err != nil || read.Transaction.State == state {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is %s, not %s", id, read.Transaction.State, state)
		case <-time.After(statePause):
		}
	}
}

// arrive has the simulator send a payment to a customer of the demo, and waits until it is booked.
func (p *player) arrive(ctx context.Context, in arrival) (arrival, error) {
	sent, err := p.send(ctx, p.SimulatorURL+"/scenario/incoming-payment", fmt.Sprintf(
		`{"scheme":%q,"amount":%q,"debtorName":%q,"remittance":%q}`, in.scheme, in.amount, in.debtor, in.remittance))
	if err != nil {
		return in, err
	}
	list, err := p.call(
		ctx, "supervisor1", "/api/common/v1/transaction/list?kind=payment&direction=in&endToEndId="+url.QueryEscape(sent.EndToEndID), "",
	)
	if err == nil && len(list.Transactions) != 1 {
		err = fmt.Errorf("%d payments came in as %s", len(list.Transactions), sent.EndToEndID)
	}
	if err != nil {
		return in, err
	}
	in.id, in.transactionID = list.Transactions[0].InternalID, sent.TransactionID
	return in, p.until(ctx, in.id, "Booked") // when clearing has confirmed the settlement
}

// recallArrived has the other bank recall a payment that came in, and returns the recall's id.
func (p *player) recallArrived(ctx context.Context, in arrival) (id string, err error) {
	_, err = p.send(
		ctx, p.SimulatorURL+"/scenario/recall",
		fmt.Sprintf(`{"scheme":%q,"transactionId":%q,"reason":"CUST"}`, in.scheme, in.transactionID),
	)
	if err != nil {
		return "", err
	}
	related, err := p.call(ctx, "supervisor1", "/api/common/v1/transaction/"+in.id+"/related", "")
	if err == nil && len(related.Transactions) != 1 {
		err = fmt.Errorf("%d messages are about the payment %s", len(related.Transactions), in.id)
	}
	if err != nil {
		return "", err
	}
	return related.Transactions[0].InternalID, nil
}

// call makes a call of the API as a user, through another client than the back office's where user@client says so: a POST with a body, else
// a GET.
func (p *player) call(ctx context.Context, user, path, body string) (answer, error) {
	if p.tokens[user] == "" {
		name, client, other := strings.Cut(user, "@")
		if !other {
			client = Backoffice
		}
		form := url.Values{
			"grant_type": {"password"}, "client_id": {client}, "client_secret": {ClientSecret}, "username": {name}, "password": {UserPassword},
		}
		request, err := http.NewRequestWithContext(
			ctx, http.MethodPost, p.GatewayURL+"/api/auth/v1/realms/"+Realm+"/login", strings.NewReader(form.Encode()),
		)
		if err != nil {
			return answer{}, fmt.Errorf("make the request: %w", err)
		}
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		signedIn, err := p.do(request)
		if err != nil {
			return answer{}, fmt.Errorf("sign in as %s: %w", user, err)
		}
		p.tokens[user] = signedIn.AccessToken
	}
	return p.ask(ctx, p.GatewayURL+path, body, p.tokens[user])
}

// send makes a call of the simulator.
func (p *player) send(ctx context.Context, address, body string) (answer, error) {
	return p.ask(ctx, address, body, "")
}

func (p *player) ask(ctx context.Context, address, body, token string) (answer, error) {
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	request, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return answer{}, fmt.Errorf("make the request: %w", err)
	}
	p.asked++
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Request-Id", fmt.Sprintf("day-%d", p.asked))
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	return p.do(request)
}

func (p *player) do(request *http.Request) (found answer, err error) {
	response, err := p.client.Do(request)
	if err != nil {
		return found, fmt.Errorf("ask: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(response.Body, answerLimit))
	if err != nil {
		return found, fmt.Errorf("read the answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return found, fmt.Errorf("%s answered %d: %.400s", request.URL.Path, response.StatusCode, content)
	}
	err = json.Unmarshal(content, &found)
	if err != nil {
		return found, fmt.Errorf("read the answer of %s: %w", request.URL.Path, err)
	}
	return found, nil
}
