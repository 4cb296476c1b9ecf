package api

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"countersign/internal/payment"
	"countersign/internal/service"
	"countersign/web/request"
)

// maxBulk limits the decisions of one call, as the schema BulkApprovalOrder does. A hundred finish well within the time limit of a call and
// fit into body.MaxSize.
const maxBulk = 100

// approvals is the member of a body that lists them.
const approvals = "approvals"

// decideMany carries out decisions one after the other, each with a result of its own: one that is malformed or refused stops no other.
// A body that is no list of 1 to maxBulk entries is refused as a whole, and nothing of it is decided.
func (a *API) decideMany(c echo.Context) error {
	batch, err := a.readStep(c, a.forms.Bulk, "")
	malformed, whole := sorted(batch, err)
	if whole != nil {
		return a.failCommand(c, batch, whole)
	}
	entries := batch.Entries(approvals)
	results := make([]BulkResult, 0, len(entries))
	for i, entry := range entries {
		answer := a.decided(c, decisionOf(entry), malformed[i])
		results = append(results, BulkResult{Status: answer.status, Replayed: answer.replayed, Answer: answer.body})
	}
	return c.JSON(http.StatusOK, BulkAnswer{Header: a.header(c), Results: results})
}

// decided carries out one decision, unless it is malformed.
func (a *API) decided(c echo.Context, o command, malformed []payment.Finding) reply {
	if len(malformed) > 0 {
		return a.refused(c, refusal{problem: request.FieldsProblem(malformed...)})
	}
	s := a.decision(c, o, service.Expectation{})
	if !s.failed() {
		return a.stepReply(c, s)
	}
	r := commandRefusal(o.about(s.message), s.err)
	if r.problem.Unexpected {
		a.logUnexpected(c, s.err)
	}
	return a.refused(c, r)
}

// decisionOf is one decision of a batch.
func decisionOf(entry Body) command {
	return command{Body: entry, identifiers: Identifiers{InternalID: entry.Text("identifiers", "internalId")}}
}

// sorted assigns the mistakes of a batch to its entries. A mistake outside the entries, or one that leaves the rest unread, is an error of
// the whole batch.
func sorted(batch command, err error) (malformed map[int][]payment.Finding, whole error) {
	if err == nil {
		return nil, nil
	}
	var found *request.Problem
	if !errors.As(err, &found) || found.Variant != request.VariantFields || batch.Broken {
		return nil, err
	}
	malformed = map[int][]payment.Finding{}
	for _, f := range found.Findings {
		place, inside := strings.CutPrefix(f.Pointer, "/"+approvals+"/")
		place, _, _ = strings.Cut(place, "/")
		number, err := strconv.Atoi(place)
		if !inside || err != nil || number >= maxBulk {
			return nil, found
		}
		malformed[number] = append(malformed[number], f)
	}
	return malformed, nil
}
