package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/demo"
	"countersign/internal/testutil"
)

// TestEveryKindLivesThroughTheRunningDemo plays every script on one demo, all at the same time: most of what a script does is to wait.
func TestEveryKindLivesThroughTheRunningDemo(t *testing.T) {
	t.Parallel()
	livesThrough(t, newHouse(t))
}

// TestEveryKindLivesInTheOtherProfiles plays them between a gateway and a clearing that speak another profile than the one shipped as
// default. The simulator refuses what is not in the form of its profile.
func TestEveryKindLivesInTheOtherProfiles(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	h := newHouse(t)
	h.sic, h.sct = "sic-six", "sct-header"
	livesThrough(t, h)
}

func livesThrough(t *testing.T, h *house) {
	t.Helper()
	p := h.open(t)
	s := openStage(t, h)
	// The cents come first: three of them wait for the scheme's ten seconds.
	scripts := slices.Concat(centsScripts(), recallScripts(), incomingScripts(), refusalScripts())
	s.play(t, scripts)
	s.play(t, s.lasts)
	s.checkWire(t)
	s.checkInbox(t)
	s.forth(t)
	h.check(t)
	if code := p.terminate(t); code != 0 {
		t.Errorf("the demo ends with %d", code)
	}
	t.Logf("%d scripts", len(scripts))
}

// script is one story with a name.
type script struct {
	name string
	play func(t *testing.T, s *stage)
}

// play plays scripts at the same time. They are not parallel tests: of those only as many run as there are processors.
func (s *stage) play(t *testing.T, scripts []script) {
	t.Helper()
	var group sync.WaitGroup
	for _, script := range scripts {
		group.Go(func() { t.Run(script.name, func(t *testing.T) { script.play(t, s) }) })
	}
	group.Wait()
}

// stage is a running demo and the people who work with it.
type stage struct {
	*house
	office *office
	tokens map[string]string // by user; those of the other realm begin with "other "
	slots  chan struct{}     // bounds the calls at the same time

	mu      sync.Mutex
	lasts   []script
	crossed map[string][]string // what crossed the wire, by transaction
	moved   []trueTimes
}

// other marks people of the second realm.
const other = "other "

func openStage(t *testing.T, h *house) *stage {
	t.Helper()
	s := &stage{house: h, office: newOffice(t, h), tokens: map[string]string{}, slots: make(chan struct{}, 6), crossed: map[string][]string{}}
	for _, user := range []string{"maker1", "checker1", "both1", "supervisor1"} {
		s.tokens[user] = s.office.signIn(t, user)
	}
	for _, user := range []string{"maker1", "checker1"} {
		s.tokens[other+user] = s.office.signInTo(t, demo.SecondRealm, demo.SecondClient, user)
	}
	return s
}

// atEnd looks once more at what must not have changed when all scripts are over.
func (s *stage) atEnd(name string, play func(t *testing.T, s *stage)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lasts = append(s.lasts, script{"at the end/" + name, play})
}

// lane is a scheme with what the demo uses in it.
type lane struct {
	scheme, currency         string
	debtor, creditor         string // accounts; the debtor's is the demo's own
	paymentType, agent       string // JSON
	positive                 string // status of a settled payment
	receipts                 bool   // recalls and their refusals are acknowledged with a camt.025
	acknowledged, foreignTag string // where a recall without an answer stays; a reason that only the other scheme has
}

func lanes() []lane {
	return []lane{
		{
			scheme: "sic-inst", currency: "CHF", debtor: "CH5021977000004331346", creditor: "CH4821966000009613388",
			paymentType: `{"LclInstrm":{"Cd":"INST"}}`, agent: `{"ClrSysMmbId":{"ClrSysId":{"Cd":"CHBCC"},"MmbId":"21977"}}`,
			positive: "ACSC", receipts: true, acknowledged: "Acknowledged", foreignTag: "AM09",
		},
		{
			scheme: "sct-inst", currency: "EUR", debtor: "DE62007620110623852957", creditor: "FR1420041010050500013M02606",
			paymentType: `{"SvcLvl":{"Cd":"SEPA"},"LclInstrm":{"Cd":"INST"}}`, agent: `{"BICFI":"AAAADEFFXXX"}`,
			positive: "ACCP", acknowledged: "Processing", foreignTag: "UPAY",
		},
	}
}

// eachLane makes a script of each scheme.
func eachLane(name string, play func(t *testing.T, s *stage, l lane)) (list []script) {
	for _, l := range lanes() {
		list = append(list, script{name + "/" + l.scheme, func(t *testing.T, s *stage) { play(t, s, l) }})
	}
	return list
}

// message is what a script knows of a message of the gateway.
type message struct{ id, global string }

// response is an answer of the API.
type response struct {
	status int
	text   string
	body   any
}

// at finds a value by names and indices; nil when there is none.
func (r response) at(path ...any) any {
	value := r.body
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := value.(map[string]any)
			value = object[step]
		case int:
			list, _ := value.([]any)
			if step >= len(list) {
				return nil
			}
			value = list[step]
		}
	}
	return value
}

func (r response) string(path ...any) string {
	text, _ := r.at(path...).(string)
	return text
}

// groupStatus is the GrpSts of a status report.
func (r response) groupStatus() string {
	return r.string("message", "Document", "CstmrPmtStsRpt", "OrgnlGrpInfAndSts", "GrpSts")
}

// fields are the places and codes of what is found wrong.
func (r response) fields() (list []string) {
	found, _ := r.at("fields").([]any)
	for i := range found {
		list = append(list, r.string("fields", i, "fieldMap")+" "+r.string("fields", i, "reasonCode"))
	}
	return list
}

// call makes one call: a POST with a body, else a GET.
func (s *stage) call(t *testing.T, who, path, body string) response {
	t.Helper()
	s.slots <- struct{}{}
	defer func() { <-s.slots }()
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	answered, err := s.office.ask(method, path, s.tokens[who], body)
	must(t, err)
	r := response{status: answered.status, text: answered.text}
	must(t, json.Unmarshal([]byte(r.text), &r.body))
	return r
}

// ok makes a call that has to succeed.
func (s *stage) ok(t *testing.T, who, path, body string) response {
	t.Helper()
	r := s.call(t, who, path, body)
	if r.status != http.StatusOK {
		t.Fatalf("%s by %s: %d %s", path, who, r.status, r.text)
	}
	return r
}

// transaction reads a message as somebody who neither makes nor decides it.
func (s *stage) transaction(t *testing.T, id string) response {
	t.Helper()
	return s.ok(t, "supervisor1", "/api/common/v1/transaction/"+id, "")
}

// poll tries until it succeeds; pause grows, so that many can wait at once.
func poll(try func() bool) bool {
	pause, until := 50*time.Millisecond, time.Now().Add(patience)
	for !try() {
		if time.Now().After(until) {
			return false
		}
		time.Sleep(pause)
		pause = min(pause*3/2, 500*time.Millisecond)
	}
	return true
}

// shows is what a transaction has to show: pairs of a member and its value, "" for a member that is not there.
func (r response) shows(want []string) bool {
	for pair := range slices.Chunk(want, 2) {
		path := []any{"transaction"}
		for name := range strings.SplitSeq(pair[0], ".") {
			path = append(path, name)
		}
		if r.string(path...) != pair[1] {
			return false
		}
	}
	return true
}

// until waits for a transaction to show something.
func (s *stage) until(t *testing.T, id string, want ...string) response {
	t.Helper()
	var last response
	if !poll(func() bool { last = s.transaction(t, id); return last.shows(want) }) {
		t.Fatalf("want %q in %s", want, last.text)
	}
	return last
}

// is holds what a transaction shows at this moment.
func (s *stage) is(t *testing.T, id string, want ...string) {
	t.Helper()
	if r := s.transaction(t, id); !r.shows(want) {
		t.Errorf("want %q in %s", want, r.text)
	}
}

// orderText is an instruction.
const orderText = `{"identifiers":{"externalId":"XKEY"},"Document":{"CstmrCdtTrfInitn":{
"GrpHdr":{"MsgId":"MKEY","CreDtTm":"NOW","NbOfTxs":"1","CtrlSum":"AMOUNT","InitgPty":{"Nm":"Muster AG"}},
"PmtInf":{"PmtInfId":"PMT-1","PmtMtd":"TRF","PmtTpInf":TYPE,"ReqdExctnDt":{"Dt":"TODAY"},
"Dbtr":{"Nm":"Muster AG"},"DbtrAcct":{"Id":{"IBAN":"DEBTOR"}},"DbtrAgt":{"FinInstnId":AGENT},
"CdtTrfTxInf":{"PmtId":{"InstrId":"INSTR-1","EndToEndId":"EKEY"},"Amt":{"InstdAmt":{"Ccy":"CURRENCY","value":"AMOUNT"}},
"Cdtr":{"Nm":"Peter Haller","PstlAdr":{"StrtNm":"Rosenauweg","BldgNb":"4","PstCd":"8036","TwnNm":"Zuerich","Ctry":"CH"}},
"CdtrAcct":{"Id":{"IBAN":"CREDITOR"}},"RmtInf":{"Ustrd":"Invoice 118"}}}}}}`

// order writes an instruction of its own over 100 and some cents.
func (s *stage) order(l lane, cents string) string {
	now := time.Now().In(s.office.zone)
	return strings.NewReplacer(
		"KEY", strings.ReplaceAll(uuid.NewString(), "-", ""), "NOW", now.Format(time.RFC3339), "TODAY", now.Format(time.DateOnly),
		"AMOUNT", "100."+cents, "CURRENCY", l.currency, "TYPE", l.paymentType, "AGENT", l.agent, "DEBTOR", l.debtor, "CREDITOR", l.creditor,
	).Replace(orderText)
}

// instruct creates a payment that waits for its approval.
func (s *stage) instruct(t *testing.T, l lane, order string) message {
	t.Helper()
	r := s.ok(t, "maker1", "/api/"+l.scheme+"/v1/instruction/create", order)
	if r.groupStatus() != "PNDG" {
		t.Errorf("created: %s", r.text)
	}
	return message{r.string("identifiers", "internalId"), r.string("identifiers", "globalId")}
}

// pay creates a payment and approves it.
func (s *stage) pay(t *testing.T, l lane, cents string) message {
	t.Helper()
	m := s.instruct(t, l, s.order(l, cents))
	r := s.ok(t, "checker1", approvalPath, verdict(m, "approve"))
	if r.groupStatus() != "ACSP" {
		t.Errorf("approved: %s", r.text)
	}
	return m
}

// settled makes a payment of ours that has settled.
func (s *stage) settled(t *testing.T, l lane, cents string) message {
	t.Helper()
	m := s.pay(t, l, cents)
	s.until(t, m.id, "state", "Settled")
	return m
}

const approvalPath = "/api/common/v1/instruction/approval"

// verdict is the body of a decision.
func verdict(m message, action string) string {
	reason := ""
	if action == "reject" {
		reason = `,"rejectReason":"Not this one"`
	}
	return `{"identifiers":{"internalId":"` + m.id + `"},"ApprovalDetails":{"action":"` + action + `"` + reason + `}}`
}

// reject closes a pending message.
func (s *stage) reject(t *testing.T, m message) {
	t.Helper()
	s.ok(t, "checker1", approvalPath, verdict(m, "reject"))
	s.is(t, m.id, "state", "Rejected")
}

// request asks for a recall, return or resolution.
type request struct {
	kind              string
	payment, recall   message // it is about; that a resolution answers
	reason            string
	information, more string // a line; further members of the details, as JSON that begins with a comma
}

func (q request) body() string {
	name, member := map[string][2]string{
		"recall": {"RecallDetails", "internalId"}, "return": {"ReturnDetails", "creditId"}, "resolution": {"ResolutionDetails", "creditId"},
	}[q.kind], ""
	body := `{"identifiers":{"` + name[1] + `":"` + q.payment.id + `"`
	if q.recall.id != "" {
		body += `,"recallId":"` + q.recall.id + `"`
	}
	if q.information != "" {
		member = `,"additionalInformation":"` + q.information + `"`
	}
	return body + `},"` + name[0] + `":{"reason":"` + q.reason + `"` + member + q.more + `}}`
}

// submit creates a request by somebody who is a checker too, and holds that they cannot decide it.
func (s *stage) submit(t *testing.T, l lane, q request) message {
	t.Helper()
	r := s.ok(t, "both1", "/api/"+l.scheme+"/v1/"+q.kind+"/create", q.body())
	m := message{r.string("identifiers", "internalId"), r.string("identifiers", "globalId")}
	if r.string("success", "status") != "Approval Pending" || r.string("success", "transactionid") != m.global || m.global == "" {
		t.Errorf("%s created: %s", q.kind, r.text)
	}
	s.is(
		t, m.id, "kind", q.kind, "direction", "out", "state", "Approval Pending", "scheme", l.scheme, "reason", q.reason, "originalInternalId",
		q.payment.id,
	)
	own := s.call(t, "both1", approvalPath, verdict(m, "approve"))
	if own.status != http.StatusForbidden || own.string("errorCode") != "403_FOUR_EYES" {
		t.Errorf("%s approved by its maker: %d %s", q.kind, own.status, own.text)
	}
	return m
}

// approve lets another person approve a request.
func (s *stage) approve(t *testing.T, l lane, kind string, m message) {
	t.Helper()
	r := s.ok(t, "checker1", "/api/"+l.scheme+"/v1/"+kind+"/approval", verdict(m, "approve"))
	if r.string("success", "status") != "Approved" {
		t.Errorf("%s approved: %s", kind, r.text)
	}
}

// carryOut creates and approves a request.
func (s *stage) carryOut(t *testing.T, l lane, q request) message {
	t.Helper()
	m := s.submit(t, l, q)
	s.approve(t, l, q.kind, m)
	return m
}

// refuses makes a request that a rule or a state refuses, for the reasons given as place and code.
func (s *stage) refuses(t *testing.T, l lane, q request, want ...string) {
	t.Helper()
	s.refusesOf(t, "maker1", l, q, want...)
}

func (s *stage) refusesOf(t *testing.T, who string, l lane, q request, want ...string) {
	t.Helper()
	r := s.call(t, who, "/api/"+l.scheme+"/v1/"+q.kind+"/create", q.body())
	if r.status != http.StatusBadRequest || r.groupStatus() != "RJCT" || !slices.Equal(r.fields(), want) {
		t.Errorf("%s for %s of %s: %d %q, want %q: %s", q.kind, q.reason, q.payment.id, r.status, r.fields(), want, r.text)
	}
}
