package service

import (
	"context"
	"time"

	"countersign/internal/clearing"
	"countersign/internal/observability"
	"countersign/internal/store"
	"countersign/internal/store/integrity"
)

// gauges are the figures that each scrape reads from the database and its connections.
var gauges = []observability.Gauge{
	{
		Name: "countersign_messages", Labels: []string{"scheme", "state"},
		Help: "Messages that wait: for approval, in flight (released, no answer yet), unconfirmed, undelivered (released, not with clearing); " +
			"to 10,000 in a realm.",
	},
	{
		Name: "countersign_undelivered_age_seconds", Help: "Age of the oldest message that is released and not with clearing.",
		Labels: []string{"scheme"},
	},
	{
		Name: "countersign_in_flight_age_seconds", Labels: []string{"scheme"},
		Help: "Age of the oldest payment that is released and without an answer of clearing: more than ten seconds and a moment means that the " +
			"clock of no gateway runs.",
	},
	{Name: "countersign_answers_undelivered", Help: "Answers that clearing does not have; to 10,000.", Labels: []string{"scheme"}},
	{
		Name: "countersign_clearing_connected", Help: "1 while the connection to the scheme's clearing works, 0 while it is interrupted.",
		Labels: []string{"scheme"},
	},
	{
		Name: "countersign_database_connections", Help: "Connections to the database by use: in use, idle, and the most there may be.",
		Labels: []string{"use", "state"},
	},
	{
		Name: "countersign_jobs", Labels: []string{"queue", "state"},
		Help: "Deliveries of this process by queue: ready, running, and failed ones that are tried again; to 4,096 in a queue.",
	},
	{
		Name: "countersign_paused", Labels: []string{"scheme", "doing"},
		Help: "Messages and documents of this process with which something failed and that pause until the next try; to 100 of each kind.",
	},
	{Name: "countersign_keys_missing", Help: "Keys that answers to clearing wait for because the key file does not hold them; to 20."},
	{
		Name: "countersign_audit_unsealed_age_seconds", Help: "Age of the oldest row of the audit trail that is not sealed; 0 where none waits.",
	},
	{Name: "countersign_audit_sealed_rows", Help: "Rows of the audit trail and documents that are sealed."},
	{
		Name: "countersign_audit_unverified_rows",
		Help: "Rows since the start that did not fit their seal when the audit tree took them up.",
	},
	{
		Name: "countersign_audit_stopped_realms",
		Help: "Realms whose audit tree differs from the signed one, so that nothing is sealed there.",
	},
	{
		Name: "countersign_payments_stopped_realms",
		Help: "Realms whose payments are stopped, because the database lacks committed rows.",
	},
	{
		Name: "countersign_audit_checkpoint_timestamp_seconds", Help: "When this process saw or signed its newest checkpoint.",
	},
	{Name: "countersign_ready", Help: "1 while the database can be reached and has the schema of this program."},
	{Name: "countersign_durability_risk", Help: "1 while a crash or a failover of the database may lose payments that were sent."},
	{Name: "countersign_clock_offset_seconds", Help: "How far the clock of the database is ahead of the clock of this process."},
	{
		Name: "countersign_notices", Labels: []string{"state"},
		Help: "Notices to people by e-mail: retrying (an attempt failed), given up (refused or failed for a day; of the last day).",
	},
	{Name: "countersign_quarantined_documents", Help: "Documents of clearing in quarantine; to 10,000."},
	{Name: "countersign_recalls_due", Help: "Received recalls to be answered within two days; to 100 in a realm."},
	{
		Name: "countersign_directory_age_seconds", Help: "Age of the oldest edition of a directory of banks in force.",
		Labels: []string{"scheme"},
	},
	{
		Name: "countersign_clearing_certificate_expiry_timestamp_seconds", Labels: []string{"scheme", "of"},
		Help: "When the certificate of clearing that was seen last ends.",
	},
	{
		Name: "countersign_check_timestamp_seconds", Help: "When the last complete countersign check began.", Labels: []string{"of"},
	},
	{Name: "countersign_check_broken_invariants", Help: "Invariants that it found broken.", Labels: []string{"of"}},
	{Name: "countersign_database_waits", Help: "Times that somebody waited for a connection since the start.", Labels: []string{"use"}},
}

// Measure registers the metrics that are read on each scrape. ctx ends with the gateway.
func (s *Service) Measure(ctx context.Context) {
	s.Database.Metrics().Read(ctx, gauges, s.read)
}

func (s *Service) read(ctx context.Context) []observability.Sample {
	samples := append(s.readConnections(), s.readPools()...)
	samples = append(samples, s.readSealing()...)
	samples = append(samples, s.readQueues(ctx)...)
	samples = append(samples, s.readState(ctx)...)
	backlog, err := s.Reader.Backlog(ctx)
	if err != nil {
		return samples // readiness tells why
	}
	for _, b := range backlog {
		scheme := string(b.Scheme)
		for state, count := range map[string]int64{
			"approval pending": b.Pending, "in flight": b.InFlight, "unconfirmed": b.Unconfirmed, "undelivered": b.Undelivered,
		} {
			samples = append(samples, observability.Sample{Gauge: "countersign_messages", Labels: []string{scheme, state}, Value: float64(count)})
		}
		samples = append(
			samples, observability.Sample{Gauge: "countersign_answers_undelivered", Labels: []string{scheme}, Value: float64(b.Answers)},
			observability.Sample{Gauge: "countersign_undelivered_age_seconds", Labels: []string{scheme}, Value: s.age(b.Oldest)},
			observability.Sample{Gauge: "countersign_in_flight_age_seconds", Labels: []string{scheme}, Value: s.age(b.First)},
		)
	}
	return samples
}

// The bounds of the counts for metrics, and the time before its last day from which a recall is due.
const (
	maxQuarantined = 10_000
	dueWithin      = 48 * time.Hour
	maxDue         = 100
)

// certificateEnds adds when the certificates of the connections to clearing end.
func (s *Service) certificateEnds(add func(gauge string, value float64, labels ...string)) {
	for _, c := range s.Clearing.Connections() {
		for of, ends := range map[string]time.Time{"clearing": c.Certificates.Theirs, "gateway": c.Certificates.Ours} {
			if !ends.IsZero() {
				add("countersign_clearing_certificate_expiry_timestamp_seconds", float64(ends.Unix()), string(c.Scheme), of)
			}
		}
	}
}

// readState reads the metrics of the whole gateway. Each failure leaves out what could not be read.
func (s *Service) readState(ctx context.Context) []observability.Sample {
	var samples []observability.Sample
	add := func(gauge string, value float64, labels ...string) {
		samples = append(samples, observability.Sample{Gauge: gauge, Labels: labels, Value: value})
	}
	checks, err := s.Checks()
	if err != nil {
		s.Log.WarnContext(ctx, "read the outcome of the check", "error", err.Error())
	}
	for of, outcome := range checks {
		add("countersign_check_timestamp_seconds", float64(outcome.At.Unix()), of)
		add("countersign_check_broken_invariants", float64(len(outcome.Broken)), of)
	}
	s.certificateEnds(add)
	add("countersign_clock_offset_seconds", s.Database.ClockOffset().Seconds())
	db := s.Database.For(store.ForPages)
	ready, err := db.Ready(ctx)
	if err != nil || ready.Schema != store.SchemaCurrent {
		add("countersign_ready", 0)
		return samples
	}
	add("countersign_ready", 1)
	ages := map[string]float64{}
	for _, d := range ready.Directories {
		if !d.Edition.IsZero() {
			ages[d.Scheme] = max(ages[d.Scheme], s.age(d.Edition))
		}
	}
	for scheme, age := range ages {
		add("countersign_directory_age_seconds", age, scheme)
	}
	durability, err := db.Durability(ctx)
	if err == nil {
		risk := 0.0
		if durability != (store.Durability{}) {
			risk = 1
		}
		add("countersign_durability_risk", risk)
	}
	quarantined, err := s.Reader.QuarantineCount(ctx, maxQuarantined)
	if err == nil {
		add("countersign_quarantined_documents", float64(quarantined))
	}
	mails, _, err := s.Notices.Standing(ctx)
	if err == nil {
		add("countersign_notices", float64(mails.Retrying), "retrying")
		add("countersign_notices", float64(mails.GivenUp), "given up")
	}
	due := 0
	for _, realm := range ready.Realms {
		list, err := s.Reader.AnswersDue(ctx, realm.Realm, s.Now().Add(dueWithin), maxDue)
		if err != nil {
			return samples
		}
		due += len(list)
	}
	add("countersign_recalls_due", float64(due))
	return samples
}

// Checks returns the outcomes of the last integrity checks, by the rows they cover; none without their file.
func (s *Service) Checks() (map[string]integrity.Outcome, error) {
	if s.CheckFile == "" {
		return nil, nil
	}
	result, err := integrity.ReadResult(s.CheckFile)
	return result.Outcomes(), err
}

// age returns the time since at in seconds; 0 for the zero time.
func (s *Service) age(at time.Time) float64 {
	if at.IsZero() {
		return 0
	}
	return max(0, s.Now().Sub(at).Seconds())
}

// readQueues reads the queues of deliveries, the failed tasks, and the missing keys.
func (s *Service) readQueues(ctx context.Context) []observability.Sample {
	var samples []observability.Sample
	for _, q := range s.Clearing.Queues() {
		for state, count := range map[string]int{"ready": q.Ready, "running": q.Running, "retrying": q.Retrying} {
			samples = append(samples, observability.Sample{Gauge: "countersign_jobs", Labels: []string{q.Name, state}, Value: float64(count)})
		}
	}
	paused := map[[2]string]float64{}
	for _, stuck := range s.Clearing.Stuck() {
		paused[[2]string{string(stuck.Scheme), string(stuck.Doing)}]++
	}
	for of, count := range paused {
		samples = append(samples, observability.Sample{Gauge: "countersign_paused", Labels: []string{of[0], of[1]}, Value: count})
	}
	missing, err := s.Clearing.MissingKeys(ctx)
	if err != nil {
		return samples
	}
	return append(samples, observability.Sample{Gauge: "countersign_keys_missing", Value: float64(len(missing))})
}

func (s *Service) readConnections() []observability.Sample {
	var samples []observability.Sample
	for _, c := range s.Clearing.Connections() {
		connected := 0.0
		if c.State == clearing.ConnectionWorking {
			connected = 1
		}
		samples = append(samples, observability.Sample{
			Gauge: "countersign_clearing_connected", Labels: []string{string(c.Scheme)},
			Value: connected,
		})
	}
	return samples
}

// readSealing returns the metrics of the audit log, if it is sealed.
func (s *Service) readSealing() []observability.Sample {
	standing := s.Sealing()
	if !standing.On {
		return nil
	}
	samples := []observability.Sample{
		{Gauge: "countersign_audit_unsealed_age_seconds", Value: standing.Behind.Seconds()},
		{Gauge: "countersign_audit_sealed_rows", Value: float64(standing.Rows)},
		{Gauge: "countersign_audit_unverified_rows", Value: float64(standing.Unverified)},
		{Gauge: "countersign_audit_stopped_realms", Value: float64(len(standing.Stopped))},
		{Gauge: "countersign_payments_stopped_realms", Value: float64(len(standing.Lost))},
	}
	if !standing.Newest.IsZero() {
		samples = append(samples, observability.Sample{
			Gauge: "countersign_audit_checkpoint_timestamp_seconds", Value: float64(standing.Newest.UnixMicro()) / 1e6,
		})
	}
	return samples
}

func (s *Service) readPools() []observability.Sample {
	var samples []observability.Sample
	for use, name := range store.Uses() {
		used := s.Database.For(use).Usage()
		for state, count := range map[string]int32{"in use": used.InUse, "idle": used.Idle, "most": used.Most} {
			samples = append(samples, observability.Sample{
				Gauge: "countersign_database_connections", Labels: []string{name, state},
				Value: float64(count),
			})
		}
		samples = append(samples, observability.Sample{Gauge: "countersign_database_waits", Labels: []string{name}, Value: float64(used.Waits)})
	}
	return samples
}
