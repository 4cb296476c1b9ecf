package api

import (
	"github.com/labstack/echo/v4"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/service"
)

// decide approves or rejects a message, or sends a question to its maker. expect holds the kind and scheme of the path; the path of all
// kinds has none.
func (a *API) decide(expect service.Expectation) echo.HandlerFunc {
	return func(c echo.Context) error {
		command, err := a.readStep(c, a.forms.Approval, "")
		if err != nil {
			return a.failCommand(c, command, err)
		}
		return a.answerStep(c, command, a.decision(c, command, expect))
	}
}

// decision makes the decision of a body.
func (a *API) decision(c echo.Context, command command, expect service.Expectation) step {
	id, err := a.find(c, command.Text("identifiers", "internalId"))
	if err != nil {
		return step{err: err}
	}
	seen, err := digest(command.Text("ApprovalDetails", "contentHash"))
	if err != nil {
		return step{err: err}
	}
	m, err := a.apply(c, command, service.Input{
		InternalID: id, Expect: expect, ContentHash: seen,
		StepUp: identity.FactorAnswer{Code: command.Text("ApprovalDetails", "stepUp", "code")},
	})
	return step{message: m, err: err}
}

func (a *API) apply(c echo.Context, command command, in service.Input) (payment.Message, error) {
	ctx, by := c.Request().Context(), principal(c)
	switch payment.Action(command.Text("ApprovalDetails", "action")) {
	case payment.ActionReject:
		return a.cfg.Approval.Reject(ctx, by, in, command.Text("ApprovalDetails", "rejectReason"))
	case payment.ActionAsk:
		return a.cfg.Approval.Ask(ctx, by, in, command.Text("ApprovalDetails", "question"))
	default:
		in.Remark = command.Text("ApprovalDetails", "rejectReason")
		return a.cfg.Approval.Approve(ctx, by, in)
	}
}

// digest reads 64 hexadecimal digits, which the schema has checked; nil when the caller did not say. Zeros are the digest of nothing, so
// they are malformed. Errors: payment.FieldError.
func digest(text string) (*payment.Digest, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // nothing said is nothing wrong
	}
	d, err := payment.ParseDigest(text)
	if err != nil {
		return nil, &payment.FieldError{Findings: []payment.Finding{{
			Pointer: "/ApprovalDetails/contentHash", Code: "FF01", Text: "Send contentHash as the message shows it: 64 hexadecimal digits.",
		}}}
	}
	return &d, nil
}

// approvalRule returns the policy under which a message waits, and the users who may and may not approve it.
func (a *API) approvalRule(c echo.Context, m payment.Message) (*ApprovalRule, error) {
	found, err := a.cfg.Admin.Approvers(c.Request().Context(), m)
	if err != nil {
		return nil, err
	}
	rule := &ApprovalRule{
		PolicyID: found.Rule.ID, Matches: found.Rule.Words(), Approvals: found.Rule.Approvals, StepUp: found.Rule.StepUp,
		ExpiresAfter: administration.Wait(found.Rule.ExpiresAfter), MayApprove: []string{}, MayNotApprove: []MayNotApprove{},
	}
	for _, checker := range found.Checkers {
		why := m.Barred(checker)
		if why == "" {
			rule.MayApprove = append(rule.MayApprove, checker.UserName)
			continue
		}
		rule.MayNotApprove = append(rule.MayNotApprove, MayNotApprove{UserID: checker.UserName, Why: why.String()})
	}
	return rule, nil
}
