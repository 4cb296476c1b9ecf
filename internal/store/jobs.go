package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// Jobs is the durable job queue. A job is enqueued in the transaction that makes it necessary and carries only identifiers; it may run
// more than once, so what it does must bear repetition. Finished jobs are deleted: they are no record of anything.
type Jobs struct {
	client *river.Client[pgx.Tx]
	log    *slog.Logger
}

// JobHandlers is the work of the queue.
type JobHandlers struct {
	// Send hands a released message's document to the clearing of its scheme. An error is tried again after Retry.
	Send func(ctx context.Context, scheme rulebook.Scheme, realm string, id uuid.UUID) error
	// Answer hands a document of the outbox to clearing. An error is tried again after Retry.
	Answer func(ctx context.Context, scheme rulebook.Scheme, reference string) error
	// Retry is the pause after the given number of failed attempts, from 1.
	Retry func(attempt int) time.Duration
}

type sendArgs struct {
	Realm      string          `json:"realm"`
	InternalID uuid.UUID       `json:"internalId"`
	Scheme     rulebook.Scheme `json:"scheme"`
}

// Kind names the job in the queue.
func (sendArgs) Kind() string { return "send" }

type answerArgs struct {
	Scheme    rulebook.Scheme `json:"scheme"`
	Reference string          `json:"reference"`
}

// Kind names the job in the queue.
func (answerArgs) Kind() string { return "answer" }

const (
	// maxSendAttempts ends the tries of one job. Clearing's watch goes on with what is still undelivered then.
	maxSendAttempts = 6
	// laneWorkers is how many documents of one scheme's messages, and how many of its answers, are under way to clearing at a time. Each
	// scheme has them for itself: one whose clearing hangs takes none from the other.
	laneWorkers = 32
	// finishWithin is how long jobs under way may take at the end, and cancelledWithin how long once they are told to stop.
	finishWithin    = 10 * time.Second
	cancelledWithin = 2 * time.Second
	// oldQueue holds what versions before the lanes enqueued, for both schemes.
	oldQueue, oldQueueWorkers = "send", 4
)

func sendQueue(scheme rulebook.Scheme) string   { return "send-" + string(scheme) }
func answerQueue(scheme rulebook.Scheme) string { return "answer-" + string(scheme) }

// lanes are the queues with their workers.
func lanes(workers int) map[string]river.QueueConfig {
	queues := map[string]river.QueueConfig{oldQueue: {MaxWorkers: oldQueueWorkers, FetchPollInterval: time.Second}}
	for _, scheme := range rulebook.Schemes() {
		queues[sendQueue(scheme)] = river.QueueConfig{MaxWorkers: workers}
		queues[answerQueue(scheme)] = river.QueueConfig{MaxWorkers: workers}
	}
	return queues
}

// NewJobs makes a queue that only takes jobs; Run works on them.
func NewJobs(db *Database, log *slog.Logger) (*Jobs, error) {
	client, err := river.NewClient(riverpgxv5.New(db.pool.Pool), &river.Config{Schema: riverSchema, Logger: quiet(log)})
	if err != nil {
		return nil, fmt.Errorf("prepare the job queue: %w", err)
	}
	return &Jobs{client: client, log: log}, nil
}

// EnqueueSend puts the delivery of a released message into its scheme's lane, in the transaction that releases it.
func (j *Jobs) EnqueueSend(ctx context.Context, tx pgx.Tx, m payment.Message) error {
	_, err := j.client.InsertTx(ctx, tx, sendArgs{Realm: m.Realm, InternalID: m.InternalID, Scheme: m.Scheme},
		&river.InsertOpts{Queue: sendQueue(m.Scheme), MaxAttempts: maxSendAttempts})
	if err != nil {
		return fmt.Errorf("enqueue the delivery: %w", err)
	}
	return nil
}

// EnqueueAnswer puts the delivery of a row of the outbox into its scheme's lane, in the transaction that makes the row.
func (j *Jobs) EnqueueAnswer(ctx context.Context, tx pgx.Tx, scheme rulebook.Scheme, reference string) error {
	_, err := j.client.InsertTx(
		ctx, tx, answerArgs{Scheme: scheme, Reference: reference}, &river.InsertOpts{Queue: answerQueue(scheme), MaxAttempts: maxSendAttempts},
	)
	if err != nil {
		return fmt.Errorf("enqueue the answer: %w", err)
	}
	return nil
}

// Run works on jobs until the context ends; jobs under way then get ten seconds to finish.
func (j *Jobs) Run(ctx context.Context, db *Database, handlers JobHandlers) error {
	workers := river.NewWorkers()
	river.AddWorker(workers, &sendWorker{handlers: handlers})
	river.AddWorker(workers, &answerWorker{handlers: handlers})
	client, err := river.NewClient(riverpgxv5.New(db.For(ForClearing).pool.Pool), &river.Config{
		Schema:                      riverSchema,
		Logger:                      quiet(j.log),
		Queues:                      lanes(db.workers),
		PollOnly:                    db.begin != "", // nobody hears a notification through a pooler
		Workers:                     workers,
		FetchCooldown:               5 * time.Millisecond,
		FetchPollInterval:           db.pollEvery(),
		JobTimeout:                  15 * time.Second,
		RescueStuckJobsAfter:        time.Minute,
		CompletedJobRetentionPeriod: time.Minute,
	})
	if err != nil {
		return fmt.Errorf("prepare the job workers: %w", err)
	}
	err = client.Start(context.WithoutCancel(ctx))
	if err != nil {
		return fmt.Errorf("start the job workers: %w", err)
	}
	<-ctx.Done()
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishWithin)
	defer cancel()
	err = client.Stop(late)
	if err != nil {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelledWithin)
		defer cancel()
		return errors.Join(fmt.Errorf("stop the job workers: %w", err), client.StopAndCancel(last))
	}
	return nil
}

// pollEvery is the pause between two looks for jobs nobody told of: short where nobody can tell.
func (d *Database) pollEvery() time.Duration {
	const told, untold = 200 * time.Millisecond, 50 * time.Millisecond
	if d.begin != "" {
		return untold
	}
	return told
}

// next counts the pause from the end of an attempt: counted from its beginning, a time in the past would come out of one that took long,
// and the queue would take its own pauses of seconds to minutes instead.
func (h JobHandlers) next(attempt int) time.Time { return time.Now().Add(h.Retry(attempt)) }

type sendWorker struct {
	river.WorkerDefaults[sendArgs]
	handlers JobHandlers
}

// Work sends one message.
func (w *sendWorker) Work(ctx context.Context, job *river.Job[sendArgs]) error {
	return w.handlers.Send(ctx, job.Args.Scheme, job.Args.Realm, job.Args.InternalID)
}

// NextRetry is the time of the next attempt.
func (w *sendWorker) NextRetry(job *river.Job[sendArgs]) time.Time {
	return w.handlers.next(job.Attempt)
}

type answerWorker struct {
	river.WorkerDefaults[answerArgs]
	handlers JobHandlers
}

// Work sends one answer.
func (w *answerWorker) Work(ctx context.Context, job *river.Job[answerArgs]) error {
	return w.handlers.Answer(ctx, job.Args.Scheme, job.Args.Reference)
}

// NextRetry is the time of the next attempt.
func (w *answerWorker) NextRetry(job *river.Job[answerArgs]) time.Time {
	return w.handlers.next(job.Attempt)
}

// quiet keeps the queue's own chatter out of the log: warnings and errors stay.
func quiet(log *slog.Logger) *slog.Logger {
	return slog.New(levelHandler{Handler: log.Handler()})
}

type levelHandler struct{ slog.Handler }

// Enabled lets warnings and errors pass.
func (h levelHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn
}
