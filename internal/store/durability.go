package store

import (
	"context"
	"fmt"
)

// DurabilityRisk names a setting of the server with which a crash or a failover may lose committed payments; "" for none.
func (d *Database) DurabilityRisk(ctx context.Context) (string, error) {
	set, err := d.Outside().DurabilityGet(ctx)
	if err != nil {
		return "", fmt.Errorf("look at the durability of the server: %w", err)
	}
	switch {
	case set.Fsync == "off":
		return "fsync of the server is off: a crash of its machine may lose payments that were sent; set fsync = on", nil
	case set.SynchronousCommit == "off":
		return "synchronous_commit is off for this login: a crash may lose payments that were sent; set synchronous_commit = on", nil
	case set.Standby && set.SynchronousStandbys == "":
		return "a standby replicates and none is synchronous: a failover may lose payments that were sent; set synchronous_standby_names", nil
	case set.Standby && set.SynchronousCommit == "local":
		return "synchronous_commit is local for this login: a failover may lose payments that were sent; set synchronous_commit = on", nil
	}
	return "", nil
}
