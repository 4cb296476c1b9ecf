package store

import (
	"context"
	"fmt"
)

// Durability names the risk that a crash or a failover loses committed payments.
type Durability struct {
	// Risk is a setting of the server that loses them; "" for none.
	Risk string
	// Doubt is a connection that may be a standby which loses them; "" for none.
	Doubt string
}

// Durability reads the settings of the server and its standbys.
func (d *Database) Durability(ctx context.Context) (Durability, error) {
	set, err := d.Outside().DurabilityGet(ctx)
	if err != nil {
		return Durability{}, fmt.Errorf("look at the durability of the server: %w", err)
	}
	var found Durability
	switch {
	case set.Fsync == "off":
		found.Risk = "fsync of the server is off: a crash of its machine may lose payments that were sent; set fsync = on"
	case set.SynchronousCommit == "off":
		found.Risk = "synchronous_commit is off for this login: a crash may lose payments that were sent; set synchronous_commit = on"
	case set.Standby && set.SynchronousStandbys == "":
		found.Risk = "a standby replicates and none is synchronous: a failover may lose payments that were sent; set synchronous_standby_names"
	case set.Standby && set.SynchronousCommit == "local":
		found.Risk = "synchronous_commit is local for this login: a failover may lose payments that were sent; set synchronous_commit = on"
	case set.WithoutSlot > 0 && set.SynchronousStandbys == "":
		found.Doubt = "a connection replicates without a slot and no standby is synchronous: unless it is a base backup, a failover to it may " +
			"lose payments that were sent; give the standby a slot and set synchronous_standby_names"
	}
	return found, nil
}

// MakeStatistics analyses each table of 1 MiB and more without statistics, as after a failover, a restore or an import. It returns their
// names.
func (d *Database) MakeStatistics(ctx context.Context) ([]string, error) {
	tables, err := d.Outside().StatisticsMissing(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for missing statistics: %w", err)
	}
	for i, table := range tables {
		err = d.Outside().StatisticsMake(ctx, table)
		if err != nil {
			return tables[:i], fmt.Errorf("make the statistics of %s: %w", table, err)
		}
	}
	return tables, nil
}
