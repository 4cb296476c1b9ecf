package main

import (
	"fmt"

	"countersign/internal/store"
)

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
