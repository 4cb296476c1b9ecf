package api

import (
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/internal/identity"
	"countersign/internal/interbank"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/web/request"
)

// Kinds and directions of the interface contract, section 6. A realm without messages of a kind has an empty list of it.
var (
	kinds      = []string{"instruction", "recall", "return", "resolution", "payment"}
	directions = []string{"out", "in"}
	schemes    = []string{"sic-inst", "sct-inst"}
	currencies = []string{"CHF", "EUR"}
)

// maxExternalIDs limits the externalIds of one call.
const maxExternalIDs = 100

// transactionFilters are the parameters of the search besides those of the page.
var transactionFilters = append([]string{
	"creationAtFrom", "creationAtTo", "createdBy", "creditorAccount", "creditorAgent", "creditorName", "debtorAccount", "debtorAgent",
	"debtorName", "externalId", "globalId", "internalId", "instructionId", "endToEndId", "endToendId", "scheme", "kind", "direction",
	"state", "amountFrom", "amountTo", "currency", "uetr", "originalInternalId", "creditId", "recallStatus",
}, pageParameters...)

// listTransactions searches.
func (a *API) listTransactions(c echo.Context) error {
	by := principal(c)
	q := openQuery(c, transactionFilters, []string{"state", "externalId"})
	filter, possible := transactionFilter(q)
	page := q.paging()
	err := firstOf(payment.MayRead(by), q.err())
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	var list []payment.Message
	if possible {
		list, err = a.search(c, filter, page)
		if err == nil && len(list) == 0 {
			err = a.left(c, filter)
		}
		if err != nil {
			return a.Fail(c, request.ProblemOf(err), err)
		}
	}
	list, shownPage := cut(list, page, messageKey)
	transactions, err := a.transactions(c, list)
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	return c.JSON(http.StatusOK, TransactionList{Header: a.header(c), Transactions: transactions, Page: shownPage})
}

// search reads one page. A recall in JSON has one of two kinds, ours or received; the direction distinguishes them.
func (a *API) search(c echo.Context, filter store.Filter, page paging) ([]payment.Message, error) {
	if filter.Kind == string(payment.KindRecall) {
		filter.OrKind = payment.KindReceivedRecall
	}
	filter.OldestFirst, filter.ChangedSince = page.oldestFirst, page.changedSince
	return walk(page, messageKey, func(from uuid.UUID, size int32) ([]payment.Message, error) {
		filter.Before, filter.PageSize = from, size
		return a.cfg.Reader.Messages(c.Request().Context(), principal(c).Realm, filter)
	})
}

// left returns payment.ArchivedError if a filter names a message that left the database.
func (a *API) left(c echo.Context, filter store.Filter) error {
	var names []string
	if filter.InternalID != uuid.Nil {
		names = append(names, filter.InternalID.String())
	}
	for _, name := range []string{filter.GlobalID, filter.UETR} {
		if name != "" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return a.cfg.Reader.Left(c.Request().Context(), principal(c).Realm, names...)
}

func messageKey(m payment.Message) uuid.UUID { return m.InternalID }

// firstOf returns the first error, or nil: a caller without the right to read gets that answer before any about the query.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// transactionFilter reads the filters; possible is false when no transaction can fit them, such as for a text that is no id.
func transactionFilter(q *query) (filter store.Filter, possible bool) {
	filter = store.Filter{
		ExternalIDs: q.texts("externalId", maxExternalIDs), UETR: strings.ToLower(q.text("uetr")), InstructionID: q.text("instructionId"),
		EndToEndIDs: q.endToEndIDs(),
		Kind:        q.oneOf("kind", kinds...), Scheme: q.oneOf("scheme", schemes...), Currency: q.oneOf("currency", currencies...),
		States: q.states("state"), CreatedFrom: q.time("creationAtFrom", dayStart), CreatedTo: q.time("creationAtTo", dayEnd),
		MakerLogin:    identity.NormaliseName(q.text("createdBy")),
		DebtorAccount: q.account("debtorAccount"), DebtorAgent: q.text("debtorAgent"), DebtorName: q.text("debtorName"),
		CreditorAccount: q.account("creditorAccount"), CreditorAgent: q.text("creditorAgent"), CreditorName: q.text("creditorName"),
		AmountFrom: q.amount("amountFrom"), AmountTo: q.amount("amountTo"), Direction: q.oneOf("direction", directions...),
	}
	status := q.oneOf("recallStatus", string(payment.RecallInProgress), string(payment.RecallAccepted), string(payment.RecallRefused))
	filter.RecallStatus = payment.RecallStatus(status)
	possible = true
	for name, field := range map[string]*uuid.UUID{
		"internalId": &filter.InternalID, "originalInternalId": &filter.OriginalID, "creditId": &filter.CreditID,
	} {
		if text := q.text(name); text != "" {
			id, err := parseID(text)
			*field, possible = id, possible && err == nil
		}
	}
	if text := q.text("globalId"); text != "" {
		id, err := payment.Parse(text)
		filter.GlobalID, possible = string(id), possible && err == nil
	}
	return filter, possible
}

// showTransaction shows one transaction, or its booking as a camt.054 to a caller who accepts application/xml.
func (a *API) showTransaction(c echo.Context) error {
	m, err := a.message(c)
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	if accepts(c.Request(), echo.MIMEApplicationXML) {
		of, err := a.account(c, m.OwnAccount())
		if err != nil {
			return a.Fail(c, request.ProblemOf(err), err)
		}
		return a.sendReport(c, of, time.Time{}, []payment.Message{m})
	}
	shown := transactionOf(m)
	shown.Clearing, err = clearingOf(m)
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	core, err := a.cfg.Reader.CoreBooking(c.Request().Context(), m)
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	shown.Core = coreOf(core)
	if m.State.Pending() {
		shown.ApprovalRule, err = a.approvalRule(c, m)
		if err != nil {
			return a.Fail(c, request.ProblemOf(err), err)
		}
	}
	c.Response().Header().Set(echo.HeaderVary, echo.HeaderAccept)
	return c.JSON(http.StatusOK, TransactionAnswer{Header: a.header(c), Transaction: shown})
}

// clearingOf is the content of the document to or from clearing of a message by the names of its elements; nil for a withheld message.
func clearingOf(m payment.Message) (interbank.Content, error) {
	if m.Withheld != "" {
		return nil, nil
	}
	if m.Direction == payment.DirectionIn {
		document, findings := m.Document()
		if len(findings) > 0 {
			return nil, nil // it was taken by the rules of an earlier version
		}
		return interbank.ContentOf(document), nil
	}
	document, err := m.ToClearing()
	if err != nil {
		return nil, err
	}
	return interbank.ContentOf(document), nil
}

// message finds the message of the path, by its internalId or its Global ID. Errors: payment.ForbiddenError, payment.ErrNotFound, and a
// Problem for parameters: none is known.
func (a *API) message(c echo.Context) (payment.Message, error) {
	ctx, by := c.Request().Context(), principal(c)
	err := firstOf(payment.MayRead(by), openQuery(c, nil, nil).err())
	if err != nil {
		return payment.Message{}, err
	}
	id, err := a.find(c, c.Param("internalId"))
	if err != nil {
		return payment.Message{}, err
	}
	return a.cfg.Reader.Message(ctx, by.Realm, id)
}

// find reads an id as a caller writes it: an internalId, or a Global ID of the realm. An internalId is not looked up.
// Errors: payment.ErrNotFound.
func (a *API) find(c echo.Context, given string) (uuid.UUID, error) {
	id, err := parseID(given)
	if err == nil {
		return id, nil
	}
	global, err := payment.Parse(given)
	if err != nil {
		return uuid.Nil, payment.ErrNotFound
	}
	return a.cfg.Reader.InternalID(c.Request().Context(), principal(c).Realm, global)
}

// listRelated lists the other messages about the same payment, newest first: recalls, returns and resolutions, and for one of those the
// payment itself.
func (a *API) listRelated(c echo.Context) error {
	m, err := a.message(c)
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	list, err := a.related(c, m)
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	transactions, err := a.transactions(c, list)
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	return c.JSON(http.StatusOK, RelatedAnswer{Header: a.header(c), Transactions: transactions})
}

func (a *API) related(c echo.Context, m payment.Message) ([]payment.Message, error) {
	ctx, about := c.Request().Context(), m.OriginalID
	if about == uuid.Nil {
		about = m.InternalID
	}
	list, err := a.cfg.Reader.Messages(ctx, m.Realm, store.Filter{OriginalID: about, PageSize: maxPageSize})
	if err != nil || about == m.InternalID {
		return list, err
	}
	list = slices.DeleteFunc(list, func(other payment.Message) bool { return other.InternalID == m.InternalID })
	original, err := a.cfg.Reader.Message(ctx, m.Realm, about)
	if err != nil {
		return nil, err
	}
	return append(list, original), nil
}

// transactions converts messages of a list, which have no decisions: they are read together.
func (a *API) transactions(c echo.Context, list []payment.Message) ([]Transaction, error) {
	var decided []uuid.UUID
	for _, m := range list {
		if m.ApprovalsRequired > 1 || m.ApprovalsRequired == 1 && !m.State.Pending() {
			decided = append(decided, m.InternalID)
		}
	}
	var decisions map[uuid.UUID][]payment.Decision
	if len(decided) > 0 {
		var err error
		decisions, err = a.cfg.Reader.DecisionsOf(c.Request().Context(), list[0].Realm, decided)
		if err != nil {
			return nil, err
		}
	}
	shown := make([]Transaction, 0, len(list))
	for _, m := range list {
		m.Decisions = slices.DeleteFunc(decisions[m.InternalID], func(d payment.Decision) bool { return d.ForVersion != m.Version })
		shown = append(shown, transactionOf(m))
	}
	return shown, nil
}

// transactionOf shows a message.
func transactionOf(m payment.Message) Transaction {
	s := m.Summary
	t := Transaction{
		InternalID: m.InternalID.String(), GlobalID: string(m.GlobalID), ExternalID: m.ExternalID, InstructionID: s.InstructionID,
		EndToEndID: s.EndToEndID, Uetr: s.UETR, Scheme: string(m.Scheme), Kind: kindOf(m), Direction: string(m.Direction), CreditID: creditID(m),
		State: string(m.State), StateSince: moment(m.StateSince), Amount: amountOf(m),
		Debtor:     Party{Name: s.DebtorName, OrderedAs: s.OrderedDebtorName, Account: s.DebtorAccount, Agent: s.DebtorAgent},
		Creditor:   Party{Name: s.CreditorName, Account: s.CreditorAccount, Agent: s.CreditorAgent},
		Remittance: s.Remittance, CreatedAt: moment(m.CreatedAt), CreatedBy: m.MakerLogin, CreatedByName: m.MakerName,
		Channel: string(m.Channel), Version: m.Version,
		ApprovalsRequired: m.ApprovalsRequired, Approvals: make([]Approval, 0, len(m.Decisions)),
		ContentHash: hex.EncodeToString(m.ContentHash[:]), AcceptedAt: moment(m.AcceptedAt), SettledAt: moment(m.SettledAt),
		ExecutionDate: dayOf(m.ExecutionDay), RecallStatus: string(payment.RecallStatusOf(m.RecallState)),
		OriginalInternalID: orEmpty(m.OriginalID), RecallID: orEmpty(m.AnswersID), Reason: m.Reason, AnswerBy: moment(m.AnswerBy),
		Withheld: m.Withheld.String(), Payee: payeeOf(m.Payee),
	}
	for _, d := range m.Decisions {
		t.Approvals = append(t.Approvals, approvalOf(d))
		if d.Action == payment.ActionReject {
			t.RejectReason = d.Reason
		}
	}
	if payment.ShowsReturn(m) {
		t.ReturnStatus = string(payment.ReturnStatusOf(m.ReturnState))
	}
	if m.State.Pending() {
		t.ExpiresAt = moment(m.ExpiresAt)
	}
	if m.StatusCode != "" {
		t.StatusReason = &StatusReason{Code: m.StatusCode, Text: m.StatusText}
	}
	return t
}

// approvalOf shows a decision.
func approvalOf(d payment.Decision) Approval {
	return Approval{
		Action: string(d.Action), By: d.Name, UserID: d.Login, At: moment(d.DecidedAt), Reason: d.Reason, Remark: d.Remark,
		StepUp: string(d.FactorKind),
	}
}

func amountOf(m payment.Message) Amount {
	return Amount{Ccy: string(m.Summary.Amount.Currency()), Value: m.Summary.Amount.String()}
}
