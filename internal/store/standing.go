package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// Standing counts the messages of a realm in the states shown on its first page.
type Standing struct {
	ToAnswer    int // recalls of other banks that wait for an answer
	Unconfirmed int // without an answer of clearing in time
	Overdue     int // recalls without an answer of the other bank in time
	Rejected    int // since the time asked for
	Failed      int // since the time asked for
}

// Counted holds the limits of the counts on a first page.
type Counted struct {
	Since time.Time // of what was rejected and what failed
	Most  int32     // where each count ends
	Maker uuid.UUID // of StandingOfMaker
}

// Standing counts messages by their states.
func (r *Reader) Standing(ctx context.Context, realm string, asked Counted) (Standing, error) {
	var s Standing
	row, err := r.in(realm, Searching).StandingCount(ctx, realm, asked.Most, asked.Since)
	s = Standing{
		ToAnswer: int(row.ToAnswer), Unconfirmed: int(row.Unconfirmed), Overdue: int(row.Overdue), Rejected: int(row.Rejected),
		Failed: int(row.Failed),
	}
	return s, standingError(err)
}

// LatePayment counts the messages that missed a deadline.
type LatePayment struct {
	Unanswered int // by clearing, since the time asked for; MaxEnded at most
	ToAnswer   int // recalls of other banks whose answer of ours is late now
	Overdue    int // our recalls whose answer of the other bank is late now
	Expired    int // before anybody decided, since the time asked for
}

// AskedLate holds the limits of Late.
type AskedLate struct {
	Since     time.Time // of what clearing did not answer, and of what expired
	DueBefore time.Time // the last day for an answer to a recall that is in time still
	Most      int32     // where the counts of recalls and of what expired end
}

// Late counts the messages that missed a deadline.
func (r *Reader) Late(ctx context.Context, realm string, asked AskedLate) (LatePayment, error) {
	var late LatePayment
	row, err := r.in(realm, Searching).StandingLate(ctx, dbsqlc.StandingLateParams{
		Realm: realm, Since: asked.Since, DueBefore: asked.DueBefore, Most: asked.Most, MostUnanswered: MaxEnded,
	})
	late = LatePayment{
		Unanswered: int(row.Unanswered), ToAnswer: int(row.ToAnswer), Overdue: int(row.Overdue), Expired: int(row.Expired),
	}
	return late, standingError(err)
}

// Recalls counts the received recalls by the state of their answer.
type Recalls struct {
	ToAnswer, Late, Answered int // Late of those that are to answer
}

// Recalls counts received recalls, up to most of each; late are those whose last day for an answer is before a time.
func (r *Reader) Recalls(ctx context.Context, realm string, dueBefore time.Time, most int32) (Recalls, error) {
	var recalls Recalls
	row, err := r.in(realm, Searching).StandingRecalls(ctx, realm, most, dueBefore)
	recalls = Recalls{ToAnswer: int(row.ToAnswer), Late: int(row.Late), Answered: int(row.Answered)}
	return recalls, standingError(err)
}

// StandingOfMaker counts the messages of one maker in the states shown on the maker's first page.
type StandingOfMaker struct {
	Waiting     int // for an approval
	Unconfirmed int // without an answer of clearing in time
	Rejected    int // since the time asked for
	Failed      int // since the time asked for
}

// StandingOfMaker counts the messages of a maker by their states, among the newest 2,500 that anybody has in each.
func (r *Reader) StandingOfMaker(ctx context.Context, realm string, asked Counted) (StandingOfMaker, error) {
	var s StandingOfMaker
	row, err := r.in(realm, Searching).StandingCountOfMaker(ctx, dbsqlc.StandingCountOfMakerParams{
		Realm: realm, Maker: asked.Maker, Since: asked.Since, Look: scattered, Most: asked.Most,
	})
	s = StandingOfMaker{
		Waiting: int(row.Waiting), Unconfirmed: int(row.Unconfirmed), Rejected: int(row.Rejected), Failed: int(row.Failed),
	}
	return s, standingError(err)
}

// StatesOfMaker counts the messages of a maker, the newest 2,500, by their states; cut when there are more of them.
func (r *Reader) StatesOfMaker(ctx context.Context, realm string, maker uuid.UUID) (counts map[payment.State]int, cut bool, err error) {
	counts = map[payment.State]int{}
	rows, err := r.in(realm, Searching).StandingOfMakerByState(ctx, realm, maker, scattered)
	all := 0
	for _, row := range rows {
		counts[payment.State(row.State)] = int(row.Messages)
		all += int(row.Messages)
	}
	cut = all == scattered
	return counts, cut, standingError(err)
}

// Questions counts the messages that wait for an answer of their makers, up to most.
func (r *Reader) Questions(ctx context.Context, realm string, most int32) (count int, err error) {
	asked, err := r.in(realm, Searching).StandingQuestions(ctx, realm, most)
	count = int(asked)
	return count, standingError(err)
}

// Ages selects the counts of waiting messages by age.
type Ages struct {
	Checker       Checker
	MadeBefore    []time.Time // the latest first
	ExpiresBefore time.Time
	Most          int32 // so many of the oldest are looked at
}

// Waiting counts the waiting messages made before each of the times, and those that expire before one.
func (r *Reader) Waiting(ctx context.Context, realm string, asked Ages) (older []int, ending int, err error) {
	row, err := r.in(realm, Searching).StandingQueue(ctx, dbsqlc.StandingQueueParams{
		Realm: realm, MadeBefore: asked.MadeBefore, ExpiresBefore: asked.ExpiresBefore, Most: asked.Most,
		ExcludePerson: OrNull(asked.Checker.Person), Since: OrNull(asked.Checker.Since),
	})
	for _, count := range row.Older {
		older = append(older, int(count))
	}
	ending = int(row.Ending)
	return older, ending, standingError(err)
}

// ClearingStanding is the state of a scheme's clearing, as far as messages show it.
type ClearingStanding struct {
	Answered    time.Time // when it last answered; zero where none of the 2,000 newest documents of a realm is an answer
	Stuck       int       // approved messages that it did not take since the time asked for
	Unconfirmed int       // messages without an answer in time
	Unanswered  time.Time // when the oldest of them was released; zero for none
}

// Clearing returns the state of clearing in each scheme, for a realm, or for all realms together if realm is empty. Stuck counts messages
// that were approved before a time. Each count of a realm ends at most.
func (r *Reader) Clearing(ctx context.Context, realm string, before time.Time, most int32) (map[rulebook.Scheme]ClearingStanding, error) {
	realms := []string{realm}
	if realm == "" {
		var err error
		realms, err = r.db.Realms(ctx)
		if err != nil {
			return nil, standingError(err)
		}
	}
	of := map[rulebook.Scheme]ClearingStanding{}
	for _, one := range realms {
		rows, err := r.in(one, Searching).StandingClearing(ctx, dbsqlc.StandingClearingParams{
			Realm: one, Before: before, Most: most, Schemes: names(rulebook.Schemes()),
		})
		for _, row := range rows {
			standing := of[rulebook.Scheme(row.Scheme)]
			standing.Stuck += int(row.Stuck)
			standing.Unconfirmed += int(row.Unconfirmed)
			standing.Unanswered = earlier(standing.Unanswered, row.Unanswered)
			if row.Answered.Unix() != 0 && row.Answered.After(standing.Answered) {
				standing.Answered = row.Answered.UTC()
			}
			of[rulebook.Scheme(row.Scheme)] = standing
		}
		if err != nil {
			return nil, standingError(err)
		}
	}
	return of, nil
}

func standingError(err error) error {
	return wrapped(missing(err), "count for a first page")
}
