package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"countersign/internal/demo"
)

// office is a client of the demo's API that writes down what was acknowledged to it.
type office struct {
	base         string
	realm        string
	backoffice   string         // client of the realm
	zone         *time.Location // of the banking day
	client       *http.Client
	acknowledged atomic.Int64
	refused      atomic.Bool // an answer was not 200
	comesAgain   bool        // a caller that is asked to try again does so at the end

	mu      sync.Mutex
	tokens  map[string]string // of access, by user
	orders  []*paper
	recalls []*claim
}

// paper is one payment as the office knows it. Only its worker writes to it.
type paper struct {
	key, cents        string
	at                time.Time
	leave             bool   // nobody is to approve it
	id, global        string // once its creation was acknowledged
	created, approved bool   // acknowledged
}

// ends is the state the payment comes to in the end, by what the simulator does with its cents.
func (p *paper) ends() string {
	switch {
	case p.leave:
		return "Approval Pending"
	case p.cents == "91":
		return "Failed"
	default:
		return "Settled"
	}
}

// cents choose what the simulator does: mostly a plain answer, but also a refusal, an answer three times, one after a broken document,
// and two refused deliveries.
var cents = []string{"00", "10", "95", "20", "91", "96", "30", "40", "97", "50"}

// newOffice is an office whose people sign in when they first ask, and again when their tokens are over. Tokens outlive the demo's crashes.
func newOffice(t *testing.T, h *house) *office {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Zurich")
	must(t, err)
	return &office{
		base: "http://" + h.gateway, realm: demo.Realm, backoffice: demo.Backoffice, zone: zone, tokens: map[string]string{},
		client: &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 16}},
	}
}

func (o *office) signIn(t *testing.T, user string) string {
	t.Helper()
	return o.signInTo(t, o.realm, o.backoffice, user)
}

func (o *office) signInTo(t *testing.T, realm, client, user string) string {
	t.Helper()
	token, err := o.enter(realm, client, user)
	must(t, err)
	return token
}

// enter signs a user in, and returns an access token. An error means that no answer came, or another one.
func (o *office) enter(realm, client, user string) (string, error) {
	answer, err := o.client.PostForm(o.base+"/api/auth/v1/realms/"+realm+"/login", url.Values{
		"grant_type": {"password"}, "client_id": {client}, "client_secret": {demo.ClientSecret},
		"username": {user}, "password": {demo.UserPassword},
	})
	if err != nil {
		return "", err
	}
	var tokens struct {
		Access string `json:"access_token"`
	}
	err = errors.Join(json.NewDecoder(answer.Body).Decode(&tokens), answer.Body.Close())
	if err == nil && tokens.Access == "" {
		err = fmt.Errorf("%s gets no token: %s", user, answer.Status)
	}
	return tokens.Access, err
}

// askAs is ask for a user of the back office, who signs in when there is no token, or when it is over.
func (o *office) askAs(user, method, path, body string) (reply, error) {
	for first := true; ; first = false {
		o.mu.Lock()
		token := o.tokens[user]
		o.mu.Unlock()
		if token != "" {
			r, err := o.ask(method, path, token, body)
			if err != nil || r.status != http.StatusUnauthorized || !first {
				return r, err
			}
		}
		token, err := o.enter(o.realm, o.backoffice, user)
		if err != nil {
			return reply{}, err
		}
		o.mu.Lock()
		o.tokens[user] = token
		o.mu.Unlock()
	}
}

// errLater: the gateway says that it cannot do it now, or does not know whether it did.
var errLater = errors.New("to be asked again")

// reply is what the tests read of an answer.
type reply struct {
	status      int
	text        string
	Identifiers struct{ InternalID, GlobalID string }
	Transaction struct{ State string }
}

// ask makes one call. An error means that no whole answer came: nobody knows what became of the request.
func (o *office) ask(method, path, token, body string) (reply, error) {
	request, err := http.NewRequest(method, o.base+path, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("X-Request-Id", uuid.NewString())
	request.Header.Set("Content-Type", "application/json")
	answer, err := o.client.Do(request)
	if err != nil {
		return reply{}, err
	}
	content, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if o.comesAgain && (answer.StatusCode == http.StatusServiceUnavailable || strings.Contains(string(content), `"error":{"message"`)) {
		return reply{}, errLater
	}
	r := reply{status: answer.StatusCode, text: string(content)}
	if err == nil {
		err = json.Unmarshal(content, &r)
	}
	return r, err
}

// newPaper makes the next payment of a worker. One in six waits waiting for approval that does not come.
func (o *office) newPaper(number int) *paper {
	p := &paper{
		key: strings.ReplaceAll(uuid.NewString(), "-", ""), cents: cents[number%len(cents)], leave: number%6 == 5, at: time.Now().In(o.zone),
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.orders = append(o.orders, p)
	return p
}

// papers are all payments so far.
func (o *office) papers() []*paper {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]*paper(nil), o.orders...)
}

// create sends the order, the same one each time. A repeated order gets the answer of the first time.
func (o *office) create(p *paper) (reply, error) {
	r, err := o.askAs("maker1", http.MethodPost, "/api/sic-inst/v1/instruction/create", p.body())
	if err == nil && r.status == http.StatusOK {
		p.id, p.global, p.created = r.Identifiers.InternalID, r.Identifiers.GlobalID, true
		o.acknowledged.Add(1)
	}
	return r, err
}

func (o *office) approve(p *paper) (reply, error) {
	body := fmt.Sprintf(`{"identifiers":{"internalId":%q},"ApprovalDetails":{"action":"approve"}}`, p.id)
	r, err := o.askAs("checker1", http.MethodPost, "/api/common/v1/instruction/approval", body)
	if err == nil && r.status == http.StatusOK {
		p.approved = true
		o.acknowledged.Add(1)
	}
	return r, err
}

func (o *office) state(p *paper) (string, error) { return o.stateOf(p.id) }

func (o *office) stateOf(id string) (string, error) {
	r, err := o.askAs("maker1", http.MethodGet, "/api/common/v1/transaction/"+id, "")
	if err == nil && r.status != http.StatusOK {
		return fmt.Sprintf("%d %s", r.status, r.text), nil
	}
	return r.Transaction.State, err
}

// body is the order, with the day on which the paper was made.
func (p *paper) body() string {
	return strings.NewReplacer(
		"KEY", p.key, "AMOUNT", "100."+p.cents, "NOW", p.at.Format(time.RFC3339), "TODAY", p.at.Format(time.DateOnly),
	).Replace(
		`{"identifiers":{"externalId":"XKEY"},"Document":{"CstmrCdtTrfInitn":{
"GrpHdr":{"MsgId":"MKEY","CreDtTm":"NOW","NbOfTxs":"1","CtrlSum":"AMOUNT","InitgPty":{"Nm":"Muster AG"}},
"PmtInf":{"PmtInfId":"PMT-1","PmtMtd":"TRF","BtchBookg":false,"PmtTpInf":{"LclInstrm":{"Cd":"INST"}},"ReqdExctnDt":{"Dt":"TODAY"},
"Dbtr":{"Nm":"Muster AG"},"DbtrAcct":{"Id":{"IBAN":"CH5021977000004331346"}},
"DbtrAgt":{"FinInstnId":{"ClrSysMmbId":{"ClrSysId":{"Cd":"CHBCC"},"MmbId":"21977"}}},
"CdtTrfTxInf":{"PmtId":{"InstrId":"INSTR-1","EndToEndId":"E2E-1"},"Amt":{"InstdAmt":{"Ccy":"CHF","value":"AMOUNT"}},
"Cdtr":{"Nm":"Peter Haller","PstlAdr":{"StrtNm":"Rosenauweg","BldgNb":"4","PstCd":"8036","TwnNm":"Zuerich","Ctry":"CH"}},
"CdtrAcct":{"Id":{"IBAN":"CH4821966000009613388"}},"RmtInf":{"Ustrd":"Invoice 118"}}}}}}`)
}

const (
	workers         = 6
	papersPerWorker = 100 // in one load
	settledBefore   = 3   // what a worker approved so many papers ago has mostly settled, and is recalled
)

// load lets the workers create and approve until no answer comes any more, or their paper is used up. It returns at once; wait on what
// it returns. An answer other than 200 is an error of the test.
func (o *office) load() *errgroup.Group {
	var group errgroup.Group
	for worker := range workers {
		begun := o.papers()
		group.Go(func() error {
			for i := worker; i < len(begun); i += workers {
				err := o.comeBack(begun[i])
				if err != nil {
					return o.gone(err)
				}
			}
			var mine []*paper
			for number := range papersPerWorker {
				p := o.newPaper(number)
				mine = append(mine, p)
				r, err := o.create(p)
				if err == nil && p.created && !p.leave {
					r, err = o.approve(p)
				}
				if at := number - settledBefore; err == nil && at >= 0 && mine[at].claimable() {
					r, err = o.recall(mine[at])
				}
				if errors.Is(err, errLater) {
					continue
				}
				if err == nil && r.status != http.StatusOK {
					err = refusal(r)
				}
				if err != nil {
					return o.gone(err)
				}
			}
			return nil
		})
	}
	return &group
}

// refusal is an answer that the office does not expect.
type refusal reply

// Error tells it.
func (r refusal) Error() string { return fmt.Sprintf("answer %d: %s", r.status, r.text) }

// gone ends the work of one: the demo is gone, and what was not acknowledged is unknown, or an answer was not expected.
func (o *office) gone(err error) error {
	var unexpected refusal
	if !errors.As(err, &unexpected) {
		return nil
	}
	o.refused.Store(true)
	return unexpected
}

// comeBack repeats what was asked about a paper and had no answer, under the same key. That it was done by the first time is an answer too.
func (o *office) comeBack(p *paper) error {
	for p.unanswered() {
		ask, settled := o.approve, &p.approved
		if !p.created {
			ask, settled = o.create, &p.created
		}
		r, err := ask(p)
		switch {
		case err != nil:
			return err
		case r.done():
			*settled = true
		case r.status != http.StatusOK:
			return refusal(r)
		}
	}
	return nil
}

// unanswered says whether the paper's creation, or its approval, had no answer yet.
func (p *paper) unanswered() bool { return !p.created || !p.approved && !p.leave }

// done says that what was asked had been done before.
func (r reply) done() bool {
	return r.status == http.StatusBadRequest && strings.Contains(r.text, "This payment or request was already")
}

// waitFor returns when at least so many requests were acknowledged since before, or one was refused.
func (o *office) waitFor(t *testing.T, before, count int64) {
	t.Helper()
	until := time.Now().Add(patience)
	for o.acknowledged.Load() < before+count && !o.refused.Load() {
		if time.Now().After(until) {
			t.Fatalf("%d requests were acknowledged, not %d", o.acknowledged.Load()-before, count)
		}
		time.Sleep(time.Millisecond)
	}
}
