package vop_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/payee"
	"countersign/internal/store/storetest"
	"countersign/web"
	"countersign/web/vop"
	"countersign/web/webtest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const (
	french, service = "token-of-a-french-bank", "token-of-a-routing-service"
	theAccount      = "DE62007620110623852957"
	question        = `{"party":{"name":"Muster GmbH"},"partyAccount":{"iban":"` + theAccount + `"},
		"partyAgent":{"financialInstitutionId":{"bicfi":"AAAADEFFXXX"}},"requestingAgent":{"financialInstitutionId":{"bicfi":"BBBBFRPPXXX"}}}`
)

// asked is a gateway that two requesters may ask.
func asked(t testing.TB, perSecond int) *webtest.Gateway {
	t.Helper()
	return webtest.With(t, webtest.Options{Settings: web.Settings{
		Requesters:         []vop.Requester{vop.NewRequester("BBBBFRPPXXX", french), vop.NewRequester(vop.AnyBank, service)},
		RequesterPerSecond: perSecond,
	}})
}

// ask asks as the French bank; change changes the request.
func ask(t testing.TB, g *webtest.Gateway, body string, change func(http.Header)) (int, payee.Response, payee.Problem) {
	t.Helper()
	a := g.Send(t, webtest.Call{Path: payee.Path, Body: body, Change: func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+french)
		r.Header.Set(payee.RequestID, "019b0a50-0000-7000-8000-00000000000a")
		r.Header.Set(payee.RequestTimestamp, payee.Timestamp(g.Clock.Now()))
		if change != nil {
			change(r.Header)
		}
	}})
	var answer payee.Response
	var fault payee.Problem
	_, _ = json.Unmarshal([]byte(a.Body), &answer), json.Unmarshal([]byte(a.Body), &fault)
	if strings.Contains(a.Body, theAccount) {
		t.Errorf("the answer repeats the account: %s", a.Body)
	}
	return a.Status, answer, fault
}

func TestOtherBanksAreToldWhetherANameIsThatOfAnAccount(t *testing.T) {
	t.Parallel()
	g := asked(t, 0)
	for name, test := range map[string]struct {
		before, after string
		match, told   string
	}{
		"the name":              {"", "", "MTCH", ""},
		"without its form":      {`"Muster GmbH"`, `"MUSTER"`, "MTCH", ""},
		"nearly":                {`"Muster GmbH"`, `"Muster AG"`, "CMTC", "Muster GmbH"},
		"another name":          {`"Muster GmbH"`, `"Beispiel GmbH"`, "NMTC", ""},
		"an account elsewhere":  {theAccount, "FR1420041010050500013M02606", "NOAP", ""},
		"another bank's":        {`"AAAADEFFXXX"`, `"BBBBFRPPXXX"`, "NOAP", ""},
		"the head office's BIC": {`"AAAADEFFXXX"`, `"AAAADEFF"`, "MTCH", ""},
		"more than is known":    {`{"party":`, `{"unstructuredRemittanceInformation":["x"],"party":`, "MTCH", ""},
	} {
		status, answer, fault := ask(t, g, strings.Replace(question, test.before, test.after, 1), nil)
		if status != http.StatusOK || answer.NameMatch != test.match || answer.MatchedName != test.told {
			t.Errorf("%s: %d %+v %+v", name, status, answer, fault)
		}
	}
	identified := strings.Replace(question, `"name":"Muster GmbH"`, `"identification":{"organisationId":{"lei":"X"}}`, 1)
	status, answer, _ := ask(t, g, identified, nil)
	if status != http.StatusOK || answer.IDMatch != "NOAP" || answer.NameMatch != "" {
		t.Errorf("an identification alone: %d %+v", status, answer)
	}
	if strings.Contains(g.Log.String(), theAccount) || strings.Contains(g.Log.String(), "Beispiel") {
		t.Error("the log tells names or accounts")
	}
	_, err := g.DB.Owner(t).Exec(t.Context(), "UPDATE debtor_account SET holder_name = 'Beispiel AG' WHERE iban = $1", theAccount)
	if err != nil {
		t.Fatal(err)
	}
	status, answer, _ = ask(t, g, strings.Replace(question, "Muster GmbH", "Beispiel AG", 1), nil)
	if status != http.StatusOK || answer.NameMatch != "NOAP" {
		t.Errorf("a holder that somebody wrote: %d %+v", status, answer)
	}
}

func TestOnlyThoseWhoMayAskAreAnswered(t *testing.T) {
	t.Parallel()
	g := asked(t, 0)
	header := func(name, value string) func(http.Header) { return func(h http.Header) { h.Set(name, value) } }
	ofAnother, long := strings.Replace(question, "BBBBFRPPXXX", "AAAANL2AXXX", 1), strings.Repeat("x", 141)
	for name, test := range map[string]struct {
		body   string
		change func(http.Header)
		status int
		code   string
	}{
		"no token":         {question, header("Authorization", ""), http.StatusUnauthorized, payee.CodeClient},
		"another token":    {question, header("Authorization", "Bearer "+webtest.ClearingToken), http.StatusUnauthorized, payee.CodeClient},
		"for another bank": {ofAnother, nil, http.StatusBadRequest, payee.CodeInconsistent},
		"no id":            {question, header(payee.RequestID, ""), http.StatusBadRequest, payee.CodeFormat},
		"no time":          {question, header(payee.RequestTimestamp, "today"), http.StatusBadRequest, payee.CodeTimestamp},
		"an old time":      {question, header(payee.RequestTimestamp, "2026-11-20T09:00:00.000Z"), http.StatusBadRequest, payee.CodeTimestamp},
		"no JSON":          {"<x/>", nil, http.StatusBadRequest, payee.CodeFormat},
		"XML":              {question, header("Content-Type", "application/xml"), http.StatusBadRequest, payee.CodeFormat},
		"nobody":           {strings.Replace(question, "Muster GmbH", " ", 1), nil, http.StatusBadRequest, payee.CodeFormat},
		"a long name":      {strings.Replace(question, "Muster GmbH", long, 1), nil, http.StatusBadRequest, payee.CodeFormat},
		"two names": {
			strings.Replace(question, `"name":"Muster GmbH"`, `"name":"Beispiel GmbH","name":"Muster GmbH"`, 1), nil, http.StatusBadRequest, payee.CodeFormat,
		},
		"an empty array": {
			strings.Replace(question, `{"party":`, `{"unstructuredRemittanceInformation":[],"party":`, 1), nil, http.StatusBadRequest, payee.CodeFormat,
		},
		"an empty text": {
			strings.Replace(question, `{"party":`, `{"unstructuredRemittanceInformation":[""],"party":`, 1), nil, http.StatusBadRequest, payee.CodeFormat,
		},
		"a mistyped account":    {strings.Replace(question, "DE62", "DE63", 1), nil, http.StatusBadRequest, payee.CodeFormat},
		"for a bank, a service": {ofAnother, header("Authorization", "Bearer "+service), http.StatusOK, ""},
	} {
		status, _, fault := ask(t, g, test.body, test.change)
		if status != test.status || fault.Code != test.code || test.code != "" && fault.Detail == "" {
			t.Errorf("%s: %d %+v", name, status, fault)
		}
	}
	status, _, _ := ask(t, g, strings.Repeat(" ", payee.MaxBody)+question, nil)
	if status != http.StatusRequestEntityTooLarge {
		t.Errorf("a body beyond the limit: %d", status)
	}
}

func TestABankThatAsksTooOftenWaits(t *testing.T) {
	t.Parallel()
	g := asked(t, 3)
	for range 3 {
		if status, _, _ := ask(t, g, question, nil); status != http.StatusOK {
			t.Fatalf("within the limit: %d", status)
		}
	}
	status, _, fault := ask(t, g, question, nil)
	other, _, _ := ask(t, g, question, func(h http.Header) { h.Set("Authorization", "Bearer "+service) })
	g.Clock.Add(time.Second)
	later, _, _ := ask(t, g, question, nil)
	if status != http.StatusTooManyRequests || fault.Status != status || other != http.StatusOK || later != http.StatusOK {
		t.Errorf("%d (%+v), another bank %d, a second later %d", status, fault, other, later)
	}
}

// TestAThousandQuestionsAreAnswered reports how long answers take.
func TestAThousandQuestionsAreAnswered(t *testing.T) {
	t.Parallel()
	g := asked(t, 2000)
	server := httptest.NewServer(g.Server.Handler())
	t.Cleanup(server.Close)
	const questions, atOnce = 1000, 8
	took := make([]time.Duration, questions)
	next := make(chan int)
	var work sync.WaitGroup
	for range atOnce {
		work.Go(func() {
			for i := range next {
				r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+payee.Path, strings.NewReader(question))
				r.Header.Set("Authorization", "Bearer "+service)
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set(payee.RequestID, fmt.Sprintf("019b0a50-0000-7000-8000-%012d", i))
				r.Header.Set(payee.RequestTimestamp, payee.Timestamp(g.Clock.Now()))
				began := time.Now()
				answer, err := server.Client().Do(r)
				if err != nil || answer.StatusCode != http.StatusOK {
					t.Errorf("%v %v", answer, err)
					continue
				}
				_ = answer.Body.Close()
				took[i] = time.Since(began)
			}
		})
	}
	for i := range questions {
		next <- i
	}
	close(next)
	work.Wait()
	slices.Sort(took)
	t.Logf("%d questions, %d at a time: p50 %s, p99 %s, slowest %s",
		questions, atOnce, took[questions/2], took[questions*99/100], took[questions-1])
}
