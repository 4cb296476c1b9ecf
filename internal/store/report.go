package store

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/money"
	"countersign/internal/store/internal/dbsqlc"
)

// Thresholds of the control reports; docs/operations.md explains each.
const (
	// PairLeast and PairPercent: a checker gave so many approvals of a maker's messages, and so many of a hundred of them.
	PairLeast, PairPercent = 10, 80
	// FastBelow is the least time that reading a payment takes.
	FastBelow = 5 * time.Second
	// OpensAt and ClosesAt are the hours in which people work, on Monday to Friday, by the clock of the banking day.
	OpensAt, ClosesAt = 7, 19
	// maxReported bounds the rows of a report.
	maxReported = 1000
)

// Period is the period of a report: from From until before Until.
type Period struct{ From, Until time.Time }

// Pair is a maker and a checker that meet more often than by chance.
type Pair struct {
	Maker, Checker         uuid.UUID
	MakerName, CheckerName string
	Approvals              int // of this maker's messages by this checker
	Of                     int // by anybody
}

// Pairs lists makers with one checker for nearly all of their messages.
func (r *Reader) Pairs(ctx context.Context, realm string, p Period) ([]Pair, error) {
	rows, err := r.in(realm, Searching).ReportPairList(ctx, dbsqlc.ReportPairListParams{
		Realm: realm, Since: p.From, Until: p.Until, Least: PairLeast, Percent: PairPercent, Most: maxReported,
	})
	var list []Pair
	people := r.db.names(realm)
	for _, row := range rows {
		list = append(list, Pair{
			Maker: row.Maker, Checker: row.CheckerPerson, MakerName: people.of(row.Maker, row.MakerName),
			CheckerName: people.of(row.CheckerPerson, row.CheckerName),
			Approvals:   int(row.Approvals), Of: int(row.Of),
		})
	}
	return list, reportError(err)
}

// ReportKind is the kind of a list of approvals.
type ReportKind string

// The reports that list approvals.
const (
	ReportPairs ReportKind = "pairs" // of one maker by one checker
	ReportFast  ReportKind = "fast"  // faster than reading takes
	ReportHours ReportKind = "hours" // out of hours
)

// ReportQuery asks for approvals.
type ReportQuery struct {
	Realm          string
	Kind           ReportKind
	Period         Period
	Zone           *time.Location // of the banking day
	Maker, Checker uuid.UUID      // of ReportPairs
}

// ReportedApproval is one approval.
type ReportedApproval struct {
	MessageID       uuid.UUID
	GlobalID        string
	Version         int
	At              time.Time
	Channel, Client string
	Checker, Makers string
	Amount          string    // with its currency
	Looked          time.Time // when the checker first had it open; zero for never
}

// Approvals lists approvals, the newest first, a thousand at most.
func (r *Reader) Approvals(ctx context.Context, asked ReportQuery) ([]ReportedApproval, error) {
	var list []ReportedApproval
	rows, err := r.in(asked.Realm, Searching).ReportApprovalList(ctx, dbsqlc.ReportApprovalListParams{
		Realm: asked.Realm, Since: asked.Period.From, Until: asked.Period.Until, Report: string(asked.Kind), Checker: asked.Checker,
		Maker: asked.Maker, Seconds: int32(FastBelow / time.Second), Zone: asked.Zone.String(), Opens: OpensAt, Closes: ClosesAt,
		Most: maxReported,
	})
	for _, row := range rows {
		one := ReportedApproval{
			MessageID: row.MessageID, GlobalID: row.GlobalID, Version: int(row.Version), At: row.DecidedAt.UTC(), Channel: row.Channel,
			Client: row.ClientID, Checker: row.CheckerName, Makers: row.MakerNames, Looked: Time(row.FirstAt),
		}
		amount, err := money.FromMinor(money.Currency(row.Currency), row.Amount)
		if err == nil {
			one.Amount = amount.Format()
		}
		list = append(list, one)
	}
	return list, reportError(err)
}

// MaxDecisions limits the decisions of one report: a longer period is refused rather than cut.
const MaxDecisions = 50_000

// ReportedDecision is one decision with the version that it is about.
type ReportedDecision struct {
	MessageID, PolicyID    uuid.UUID
	GlobalID, Kind         string
	Version                int
	Action                 string
	At, Written            time.Time // of the decision, of the version
	Channel, Client        string
	Checker, Makers        string
	Amount                 money.Amount
	Creditor, Account      string
	Remittance, EndToEndID string
	Words                  string // reason of a rejection, remark of an approval
	Withheld               bool   // the message does not fit its seals: nothing of its content is told
}

// ReportedDecisions lists the decisions of a period, the newest first, up to most.
func (r *Reader) ReportedDecisions(ctx context.Context, realm string, p Period, most int32) ([]ReportedDecision, error) {
	var list []ReportedDecision
	rows, err := r.in(realm, Searching).ReportDecisionList(ctx, dbsqlc.ReportDecisionListParams{
		Realm: realm, Since: p.From, Until: p.Until, Most: most,
	})
	for _, row := range rows {
		amount, _ := money.FromMinor(money.Currency(row.Currency), row.Amount) // an unknown currency is withheld
		list = append(list, ReportedDecision{
			MessageID: row.MessageID, PolicyID: OrZero(row.PolicyID), GlobalID: row.GlobalID, Kind: row.Kind, Version: int(row.Version),
			Action: row.Action, At: row.DecidedAt.UTC(), Written: row.WrittenAt.UTC(), Channel: row.Channel, Client: row.ClientID,
			Checker: row.CheckerName, Makers: row.MakerNames, Amount: amount, Creditor: row.CreditorName, Account: row.CreditorAccount,
			Remittance: row.Remittance, EndToEndID: row.EndToEndID, Words: row.Words,
		})
	}
	if err != nil {
		return nil, reportError(err)
	}
	for part := range slices.Chunk(list, reportedPage) {
		err = r.withhold(ctx, realm, part)
		if err != nil {
			return nil, reportError(err)
		}
	}
	return list, nil
}

// reportedPage is the number of messages that a report checks at a time.
const reportedPage = 500

// withhold marks the decisions about messages that do not fit their seals.
func (r *Reader) withhold(ctx context.Context, realm string, list []ReportedDecision) error {
	keys := make([]uuid.UUID, len(list))
	for i, d := range list {
		keys[i] = d.MessageID
	}
	messages, err := r.MessagesOf(ctx, realm, newestFirst(keys))
	for i, d := range list {
		m, there := messages[d.MessageID]
		list[i].Withheld = !there || m.Withheld != ""
	}
	return err
}

// DecisionsCount counts the decisions of a period, up to most.
func (r *Reader) DecisionsCount(ctx context.Context, realm string, p Period, most int32) (count int, err error) {
	n, err := r.in(realm, Searching).ReportDecisionCount(ctx, dbsqlc.ReportDecisionCountParams{
		Realm: realm, Since: p.From, Until: p.Until, Most: most,
	})
	count = int(n)
	return count, reportError(err)
}

// ReportCounts are the numbers of a period.
type ReportCounts struct{ Approvals, Fast, OutOfHours int }

// ReportCounts counts approvals; Kind, Maker and Checker do not matter.
func (r *Reader) ReportCounts(ctx context.Context, asked ReportQuery) (ReportCounts, error) {
	var counts ReportCounts
	row, err := r.in(asked.Realm, Searching).ReportApprovalCount(ctx, dbsqlc.ReportApprovalCountParams{
		Realm: asked.Realm, Since: asked.Period.From, Until: asked.Period.Until, Seconds: int32(FastBelow / time.Second),
		Zone: asked.Zone.String(), Opens: OpensAt, Closes: ClosesAt,
	})
	counts = ReportCounts{Approvals: int(row.Approvals), Fast: int(row.Fast), OutOfHours: int(row.OutOfHours)}
	return counts, reportError(err)
}

// Raised is a change in favour of its requester, or a limit that was raised or deleted.
type Raised struct {
	Change, Kind, Subject       string
	At                          time.Time
	Requester, Decider, Outcome string // Outcome: approve, reject or waits
	Own                         bool   // the requester gains by it
	Beneficiary                 string
	Before, After               administration.Values
}

// Raised lists the changes of a period that raised rights, the newest first.
func (r *Reader) Raised(ctx context.Context, realm string, p Period) ([]Raised, error) {
	var list []Raised
	rows, err := r.in(realm, Searching).ReportRaisedList(ctx, dbsqlc.ReportRaisedListParams{
		Realm: realm, Since: p.From, Until: p.Until, Most: maxReported,
	})
	for _, row := range rows {
		var content changeContent
		if json.Unmarshal([]byte(row.Content), &content) != nil {
			content = changeContent{} // somebody changed the row: its page says so
		}
		list = append(list, Raised{
			Change: row.ChangeID.String(), Kind: row.Kind, Subject: row.Subject, At: row.RequestedAt.UTC(), Requester: row.RequesterName,
			Decider: row.DeciderName, Outcome: row.Outcome, Own: row.Own, Beneficiary: row.BeneficiaryName,
			Before: content.Before, After: content.After,
		})
	}
	return list, reportError(err)
}

func reportError(err error) error {
	return wrapped(missing(err), "read a report of control")
}
