package api

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/internal/payment"
	"countersign/internal/service"
	"countersign/web/request"
)

const (
	// maxBulk limits the decisions of one call, as the schema BulkApprovalOrder does. A hundred fit into body.MaxSize.
	maxBulk = 100
	// bulkAtOnce limits the concurrent decisions of one call.
	bulkAtOnce = 16
	// bulkTimeout limits the call. The time limit of one decision would be too short for a hundred on a busy machine.
	bulkTimeout = 10 * time.Second
)

const bulkPath = "/api/common/v1/instruction/approval/bulk"

// approvals is the member with the list of decisions.
const approvals = "approvals"

// decideMany makes several decisions, each with its own result: a malformed or refused one stops no other. Decisions about different
// messages run concurrently, so that their writes share transactions; those about one message run in order. A body that is no list of 1 to
// maxBulk entries is refused as a whole, and nothing of it is decided.
func (a *API) decideMany(c echo.Context) error {
	batch, err := a.readStep(c, a.forms.Bulk, "")
	malformed, whole := sorted(batch, err)
	if whole != nil {
		return a.failCommand(c, batch, whole)
	}
	entries := batch.Entries(approvals)
	results := make([]BulkResult, len(entries))
	var working sync.WaitGroup
	free := make(chan struct{}, bulkAtOnce)
	for _, group := range a.byMessage(c, entries) {
		free <- struct{}{}
		working.Go(func() {
			defer func() { <-free }()
			for _, i := range group {
				entry := entries[i]
				one := command{Body: entry, identifiers: Identifiers{InternalID: entry.Text("identifiers", "internalId")}}
				answer := a.decided(c, one, malformed[i])
				results[i] = BulkResult{Status: answer.status, Replayed: answer.replayed, Answer: answer.body}
			}
		})
	}
	working.Wait()
	return c.JSON(http.StatusOK, BulkAnswer{Header: a.header(c), Results: results})
}

// byMessage groups the indexes of entries by the message that they name, in either of its ids.
func (a *API) byMessage(c echo.Context, entries []Body) [][]int {
	var groups [][]int
	group := map[string]int{}
	for i, entry := range entries {
		name := entry.Text("identifiers", "internalId")
		id, err := a.find(c, name)
		if err == nil {
			name = id.String()
		}
		at, known := group[name]
		if !known {
			at, group[name] = len(groups), len(groups)
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], i)
	}
	return groups
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
