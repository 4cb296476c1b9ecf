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
	// Send hands a released message's document to clearing. An error is tried again after Retry.
	Send func(ctx context.Context, realm string, id uuid.UUID) error
	// Answer hands a document of the outbox to clearing. An error is tried again after Retry.
	Answer func(ctx context.Context, scheme rulebook.Scheme, reference string) error
	// Retry is the pause after the given number of failed attempts, from 1.
	Retry func(attempt int) time.Duration
}

type sendArgs struct {
	Realm      string    `json:"realm"`
	InternalID uuid.UUID `json:"internalId"`
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
	sendQueue = "send"
	// maxSendAttempts ends the tries of one job. Clearing's watch goes on with what is still undelivered then.
	maxSendAttempts = 6
)

// NewJobs makes a queue that only takes jobs; Run works on them.
func NewJobs(db *Database, log *slog.Logger) (*Jobs, error) {
	client, err := river.NewClient(riverpgxv5.New(db.pool.Pool), &river.Config{Schema: riverSchema, Logger: quiet(log)})
	if err != nil {
		return nil, fmt.Errorf("prepare the job queue: %w", err)
	}
	return &Jobs{client: client, log: log}, nil
}

// EnqueueSend puts the delivery of a released message into the queue, in the transaction that releases it.
func (j *Jobs) EnqueueSend(ctx context.Context, tx pgx.Tx, realm string, id uuid.UUID) error {
	_, err := j.client.InsertTx(ctx, tx, sendArgs{Realm: realm, InternalID: id}, &river.InsertOpts{Queue: sendQueue, MaxAttempts: maxSendAttempts})
	if err != nil {
		return fmt.Errorf("enqueue the delivery: %w", err)
	}
	return nil
}

// EnqueueAnswer puts the delivery of a row of the outbox into the queue, in the transaction that makes the row.
func (j *Jobs) EnqueueAnswer(ctx context.Context, tx pgx.Tx, scheme rulebook.Scheme, reference string) error {
	_, err := j.client.InsertTx(ctx, tx, answerArgs{Scheme: scheme, Reference: reference}, &river.InsertOpts{Queue: sendQueue, MaxAttempts: maxSendAttempts})
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
	client, err := river.NewClient(riverpgxv5.New(db.pool.Pool), &river.Config{
		Schema: riverSchema,
		Logger: quiet(j.log),
		Queues: map[string]river.QueueConfig{
			sendQueue: {MaxWorkers: 64},
		},
		Workers:                     workers,
		FetchCooldown:               5 * time.Millisecond,
		FetchPollInterval:           200 * time.Millisecond,
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
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err = client.Stop(late)
	if err != nil {
		return errors.Join(fmt.Errorf("stop the job workers: %w", err), client.StopAndCancel(context.WithoutCancel(ctx)))
	}
	return nil
}

type sendWorker struct {
	river.WorkerDefaults[sendArgs]
	handlers JobHandlers
}

// Work sends one message.
func (w *sendWorker) Work(ctx context.Context, job *river.Job[sendArgs]) error {
	return w.handlers.Send(ctx, job.Args.Realm, job.Args.InternalID)
}

// NextRetry is the time of the next attempt.
func (w *sendWorker) NextRetry(job *river.Job[sendArgs]) time.Time {
	return job.AttemptedAt.Add(w.handlers.Retry(job.Attempt))
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
	return job.AttemptedAt.Add(w.handlers.Retry(job.Attempt))
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
