package simulator

import (
	"io"
	"net/http"
	"strings"
	"time"

	"countersign/internal/payee"
)

// latePayee is the delay of a late answer about a payee: a second more than the caller's time limit.
const latePayee = payee.Limit + time.Second

// payeeAnswer is the answer of the simulated banks to a name.
type payeeAnswer struct {
	result  payee.Result
	matched string
	wait    time.Duration
}

// payees is the table of names, by their lower-case form, for every account. All other names match.
var payees = map[string]payeeAnswer{
	"nearly right ag": {result: payee.CloseMatch, matched: "Nearly Right Holding AG"},
	"somebody else":   {result: payee.NoMatch},
	"not kept here":   {result: payee.NotPossible},
	"late answer":     {result: payee.Match, wait: latePayee},
}

// payeeOf answers by the name alone, without a number at its end.
func payeeOf(name string) payeeAnswer {
	words := strings.Fields(strings.ToLower(name))
	if last := len(words) - 1; last > 0 && strings.Trim(words[last], "0123456789") == "" {
		words = words[:last]
	}
	answer, listed := payees[strings.Join(words, " ")]
	if !listed {
		answer.result = payee.Match
	}
	return answer
}

// servePayee answers whether a name belongs to an account, for all banks of the table.
func (s *Simulator) servePayee(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, payee.MaxBody))
	if err == nil {
		var asked payee.Question
		asked, err = payee.ReadRequest(body)
		if err == nil {
			s.answerPayee(w, r, asked.Name)
			return
		}
	}
	writeJSON(w, http.StatusBadRequest, payee.Problem{
		Type: "about:blank", Code: payee.CodeFormat, Title: "The question cannot be read", Status: http.StatusBadRequest, Detail: err.Error(),
	})
}

func (s *Simulator) answerPayee(w http.ResponseWriter, r *http.Request, name string) {
	answer := payeeOf(name)
	if answer.wait > 0 && s.config.Sleep(r.Context(), answer.wait) != nil {
		return // the asker waits no longer
	}
	w.Header().Set(payee.RequestID, r.Header.Get(payee.RequestID))
	w.Header().Set(payee.ResponseTimestamp, payee.Timestamp(s.config.Now()))
	writeJSON(w, http.StatusOK, payee.NewResponse(payee.Answer{Result: answer.result, MatchedName: answer.matched}, name != ""))
}
