package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"countersign/internal/postgres"
	"countersign/internal/store"
)

// demoLogin is the login of the demo's gateway in its private database.
const demoLogin = "countersign_demo"

// The patience with a private database that ends by itself.
const (
	restartPause  = 500 * time.Millisecond // after kill -9 its other processes need a moment to be gone
	restartTries  = 20
	restartsAtAll = 5 // in one run of the demo: more is a fault that starting again does not mend
)

// demoDatabase is the database of a demo: a private cluster, or one that was named.
type demoDatabase struct {
	config   postgres.Config
	cluster  *postgres.Cluster // nil for a named one
	ownerURL string
	url      string // of the gateway's login
	log      *slog.Logger
}

// openDatabase starts the private cluster, unless the operator named a database.
func (c *demoCommand) openDatabase(ctx context.Context, log *slog.Logger) (*demoDatabase, error) {
	d := &demoDatabase{ownerURL: c.DatabaseURL, url: c.DatabaseURL, log: log}
	if c.DatabaseURL != "" {
		return d, nil
	}
	d.config = postgres.Config{DataDir: filepath.Join(c.DataDir, "postgres"), CacheDir: c.CacheDir, Log: log}
	cluster, err := postgres.Start(ctx, d.config)
	if err != nil {
		return nil, err
	}
	d.cluster, d.ownerURL, d.url = cluster, cluster.URL("postgres"), cluster.URLAs(demoLogin, "postgres")
	return d, nil
}

// prepareLogin makes the gateway's login in a migrated private database. A named database is worked on with the one login there is.
func (d *demoDatabase) prepareLogin(ctx context.Context) error {
	if d.cluster != nil {
		return store.EnsureServiceLogin(ctx, d.ownerURL, demoLogin)
	}
	err := store.CheckLogin(ctx, d.url)
	if powerful, is := errors.AsType[*store.PrivilegeError](err); is {
		d.log.WarnContext(ctx, "the demo migrates and serves with one login", "reason", powerful.Error())
		return nil
	}
	return err
}

// watch starts a private cluster again that ended by itself, until ctx ends. The gateway's connections come back by themselves. It
// fails when the cluster cannot be started or keeps ending.
func (d *demoDatabase) watch(ctx context.Context) error {
	if d.cluster == nil {
		return nil
	}
	for restarts := 0; ; restarts++ {
		err := d.cluster.Wait(ctx)
		if err != nil {
			return nil // the demo ends
		}
		if restarts == restartsAtAll {
			return fmt.Errorf(
				"PostgreSQL ended %d times: its log %s.log says why; start the demo again when that is mended", restarts+1, d.config.DataDir,
			)
		}
		d.log.ErrorContext(ctx, "PostgreSQL ended by itself; starting it again", "data", d.config.DataDir)
		err = d.restart(ctx)
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("PostgreSQL ended by itself and does not start again (its log: %s.log): %w", d.config.DataDir, err)
		}
	}
}

func (d *demoDatabase) restart(ctx context.Context) (err error) {
	_ = d.cluster.Stop(ctx) // it is gone; this gives up its lock
	for range restartTries {
		var cluster *postgres.Cluster
		cluster, err = postgres.Start(ctx, d.config)
		if err == nil {
			d.cluster = cluster
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(restartPause):
		}
	}
	return err
}

// stop shuts a private cluster down.
func (d *demoDatabase) stop(ctx context.Context) error {
	if d.cluster == nil {
		return nil
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	return d.cluster.Stop(late)
}

// poolSettings are the numbers of database connections by purpose; docs/operations.md explains them.
type poolSettings struct {
	Pooler   string `help:"Connection pooler in front of the database: none, or one in transaction mode (pgbouncer)." enum:"none,transaction" default:"none" name:"database-pooler" env:"COUNTERSIGN_DATABASE_POOLER"`
	Requests int    `help:"Database connections for API calls and authentication; 0: four per core, at least eight." name:"database-connections" env:"COUNTERSIGN_DATABASE_CONNECTIONS"`
	Clearing int    `help:"Database connections for deliveries and answers; 0: two per core, at least six." name:"database-clearing-connections" env:"COUNTERSIGN_DATABASE_CLEARING_CONNECTIONS"`
	Pages    int    `help:"Database connections for pages, lists and readiness; 0: one per core, at least four." name:"database-page-connections" env:"COUNTERSIGN_DATABASE_PAGE_CONNECTIONS"`
	Workers  int    `help:"Maximum concurrent deliveries, and answers, per scheme; 1 to 500." default:"32" name:"delivery-workers" env:"COUNTERSIGN_DELIVERY_WORKERS"`
}

// minConnections: with one or two, a slow statement would hold up all others of its use.
const minConnections = 3

// maxWorkers: each delivery under way is a connection to clearing.
const maxWorkers = 500

// apply reads the settings into the gateway's. Every wrong one is a sentence that names it.
func (s *poolSettings) apply(g *gateway) error {
	for _, pool := range []struct {
		setting string
		size    int
	}{
		{"COUNTERSIGN_DATABASE_CONNECTIONS", s.Requests},
		{"COUNTERSIGN_DATABASE_CLEARING_CONNECTIONS", s.Clearing},
		{"COUNTERSIGN_DATABASE_PAGE_CONNECTIONS", s.Pages},
	} {
		if pool.size != 0 && pool.size < minConnections {
			return fmt.Errorf("%s: give a number from %d, or 0 for the default", pool.setting, minConnections)
		}
	}
	if s.Workers < 1 || s.Workers > maxWorkers {
		return fmt.Errorf("COUNTERSIGN_DELIVERY_WORKERS: give a number from 1 to %d", maxWorkers)
	}
	g.DeliveryWorkers = s.Workers
	g.Pooled = s.Pooler == "transaction"
	g.Pools = store.Connections{Requests: s.Requests, Clearing: s.Clearing, Pages: s.Pages}
	return nil
}
