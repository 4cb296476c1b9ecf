package main

import (
	"context"
	_ "embed" // the questions
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

//go:embed open.sql
var openPayments string

//go:embed settled.sql
var settledTimes string

//go:embed written.sql
var writtenLog string

// MakeDatabases makes databases on a server.
func MakeDatabases(ctx context.Context, address string, names ...string) error {
	return with(ctx, address, func(c *pgx.Conn) error {
		for _, name := range names {
			_, err := c.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Databases are the names of a server's databases.
func Databases(ctx context.Context, address string) (names []string, err error) {
	err = with(ctx, address, func(c *pgx.Conn) error {
		rows, err := c.Query(ctx, "SELECT datname FROM pg_database")
		if err == nil {
			names, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		return err
	})
	return names, err
}

// Rename gives a database another name, and drops the one that has it.
func Rename(ctx context.Context, address, from, to string) error {
	return with(ctx, address, func(c *pgx.Conn) error {
		_, err := c.Exec(ctx, "DROP DATABASE IF EXISTS "+pgx.Identifier{to}.Sanitize()+" WITH (FORCE)")
		if err == nil {
			_, err = c.Exec(ctx, "ALTER DATABASE "+pgx.Identifier{from}.Sanitize()+" RENAME TO "+pgx.Identifier{to}.Sanitize())
		}
		return err
	})
}

// Messages is how many messages a database has.
func Messages(ctx context.Context, address string) (messages int, err error) {
	err = with(ctx, address, func(c *pgx.Conn) error {
		return c.QueryRow(ctx, "SELECT count(*) FROM message").Scan(&messages)
	})
	return messages, err
}

// Open is how many payments are on their way.
func Open(ctx context.Context, address string) (int, error) {
	var open int
	return open, with(ctx, address, func(c *pgx.Conn) error { return c.QueryRow(ctx, openPayments).Scan(&open) })
}

// Timed is how long something took, and when it ended.
type Timed struct {
	Ended time.Time
	Took  time.Duration
}

// Settled is how long each of the newest payments took from its approval to Settled.
func Settled(ctx context.Context, address string, newest int) (times []Timed, err error) {
	err = with(ctx, address, func(c *pgx.Conn) error {
		rows, err := c.Query(ctx, settledTimes, newest)
		if err != nil {
			return err
		}
		times, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (t Timed, err error) {
			var micros int64
			err = row.Scan(&t.Ended, &micros)
			t.Took = time.Duration(micros) * time.Microsecond
			return t, err
		})
		return err
	})
	return times, err
}

// Written is how many bytes the server has written to its log, and how many its data take.
func Written(ctx context.Context, address string) (log, data int64, err error) {
	err = with(ctx, address, func(c *pgx.Conn) error { return c.QueryRow(ctx, writtenLog).Scan(&log, &data) })
	return log, data, err
}

// with opens a connection for one question.
func with(ctx context.Context, address string, ask func(*pgx.Conn) error) error {
	connection, err := pgx.Connect(ctx, strings.TrimSpace(address))
	if err != nil {
		return err
	}
	return errors.Join(ask(connection), connection.Close(context.WithoutCancel(ctx)))
}
