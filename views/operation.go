package views

import (
	"context"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/rulebook"
	"countersign/views/ui"
)

// Operation is the state of the gateway, for its operators.
type Operation struct {
	Layout      Layout
	Connections []Connection
	Queues      []JobQueue
	Stuck       []StuckRow
	MissingKeys []string // that answers wait for
	Checks      []CheckRow
	Mail        *MailRow  // nil where no notices are sent
	Archived    i18n.Text // the newest month whose payments left the realm's database with an archive; "" for none
	Left        int       // messages that left with all archives
	RetryURL    string
	Empty       ui.Empty
}

// Connection is the connection to the clearing of a scheme.
type Connection struct {
	Scheme  rulebook.Scheme
	Reached bool // documents are taken
	// Interrupted says how an interrupted connection stands, Stuck how many approved payments clearing did not take, Unanswered how many
	// messages wait for an answer beyond its time, and how long; "" for none.
	Interrupted, Stuck, Unanswered i18n.Text
	Since                          time.Time // when it was interrupted or was back; zero since the start
	// Note says what happened at LastSeen: the last answer, or the interruption. LastSeen is zero for none.
	Note     i18n.Text
	LastSeen time.Time
	// Ends of clearing's certificate, and of ours; zero for one that is not known.
	TheirCertificate, OurCertificate time.Time
}

// CheckRow is the outcome of the last integrity check.
type CheckRow struct {
	Of     i18n.Text // the rows it looked at
	At     time.Time
	Broken string // the numbers of the broken invariants; "" for none
}

// MailRow counts notices by e-mail.
type MailRow struct {
	SentAt, FailedAt  time.Time // of the last; zero for none
	Failure           i18n.Text
	Retrying, GivenUp int
}

// JobQueue is a queue of the jobs.
type JobQueue struct {
	Doing                    i18n.Text
	Scheme                   rulebook.Scheme
	Ready, Running, Retrying int
	Most                     int // counted to
	Oldest                   time.Time
}

// StuckRow is something that failed and pauses.
type StuckRow struct {
	Doing   i18n.Text
	Scheme  rulebook.Scheme // "" for both
	Subject string
	Failed  int
	Next    time.Time
	Why     i18n.Text
}

// foreign reports whether a stored text is in no language of the portal: what another program wrote, in English.
func foreign(ctx context.Context, text i18n.Text) bool {
	said := i18n.Say(ctx, text)
	return said != "" && i18n.Of(ctx) != i18n.English && said == text.String()
}

// count is a number of jobs, which may be as many as were counted.
func (q JobQueue) count(n int) i18n.Text {
	if n >= q.Most {
		return i18n.Text("%d or more").With(q.Most)
	}
	return i18n.Data(i18n.Number(n))
}
