package integrity

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

const (
	// maxRecent limits the messages that a mark names.
	maxRecent = 1000
	// maxLostNamed limits the messages that a line of the log names.
	maxLostNamed = 100
)

// recentOf returns the newest messages under a checkpoint: those of the leaves since the last progress, by any gateway, and the older ones.
func recentOf(ctx context.Context, q *dbsqlc.Queries, at auditlog.Checkpoint, from Progress) ([]store.MarkedMessage, error) {
	rows, err := q.LeafRecentList(ctx, max(from.Checkpoint.Size, at.Size-2*maxRecent), at.Size-1, at.Realm)
	if err != nil {
		return nil, fmt.Errorf("read the newest messages of the trail: %w", err)
	}
	all := make([]store.MarkedMessage, 0, len(rows)+len(from.recent))
	for _, row := range rows {
		all = append(all, store.MarkedMessage{GlobalID: row.GlobalID, RowID: row.RowID, Hash: row.Hash})
	}
	var recent []store.MarkedMessage
	known := map[string]bool{}
	for _, m := range append(all, from.recent...) {
		if !known[m.GlobalID] && len(recent) < maxRecent {
			known[m.GlobalID] = true
			recent = append(recent, m)
		}
	}
	return recent, nil
}

// lostOf returns the Global IDs of the messages of a mark whose newest row the database lost, the newest first.
func lostOf(ctx context.Context, q *dbsqlc.Queries, realm string, recent []store.MarkedMessage) ([]string, error) {
	ids, hashes := make([]uuid.UUID, len(recent)), make([][]byte, len(recent))
	for i, m := range recent {
		ids[i], hashes[i] = m.RowID, m.Hash
	}
	places, err := q.LeafLostList(ctx, ids, hashes, realm)
	if err != nil {
		return nil, fmt.Errorf("look for lost messages: %w", err)
	}
	lost := make([]string, len(places))
	for i, place := range places {
		lost[i] = recent[place-1].GlobalID
	}
	return lost, nil
}
