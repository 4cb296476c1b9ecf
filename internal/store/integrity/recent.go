package integrity

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/store/internal/dbsqlc"
)

const (
	// maxRecent limits the messages that a mark names.
	maxRecent = 1000
	// maxLostNamed limits the messages that a line of the log names.
	maxLostNamed = 100
)

// recentOf returns the newest messages under a checkpoint, as store.Mark has them: those of the leaves since the last progress, by any
// gateway, and the older ones.
func recentOf(ctx context.Context, q *dbsqlc.Queries, at auditlog.Checkpoint, from Progress) (string, error) {
	rows, err := q.LeafRecentList(ctx, max(from.Checkpoint.Size, at.Size-2*maxRecent), at.Size-1, at.Realm)
	if err != nil {
		return "", fmt.Errorf("read the newest messages of the trail: %w", err)
	}
	lines := make([]string, 0, len(rows)+maxRecent)
	for _, row := range rows {
		lines = append(lines, row.RowID.String()+" "+hex.EncodeToString(row.Hash)+" "+row.GlobalID)
	}
	var recent []string
	known := map[string]bool{}
	for _, line := range append(lines, strings.Split(from.recent, "\n")...) {
		fields := strings.Fields(line)
		if len(fields) != 3 || known[fields[2]] || len(recent) == maxRecent {
			continue
		}
		known[fields[2]] = true
		recent = append(recent, line)
	}
	return strings.Join(recent, "\n"), nil
}

// lostOf returns the Global IDs of the messages of a mark whose newest row the database lost, the newest first.
func lostOf(ctx context.Context, q *dbsqlc.Queries, realm, recent string) ([]string, error) {
	var ids []uuid.UUID
	var hashes [][]byte
	var names []string
	for line := range strings.Lines(recent) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			continue
		}
		id, err := uuid.Parse(fields[0])
		if err != nil {
			return nil, fmt.Errorf("read the marks of this gateway: %w", err)
		}
		hash, err := hex.DecodeString(fields[1])
		if err != nil {
			return nil, fmt.Errorf("read the marks of this gateway: %w", err)
		}
		ids, hashes, names = append(ids, id), append(hashes, hash), append(names, fields[2])
	}
	places, err := q.LeafLostList(ctx, ids, hashes, realm)
	if err != nil {
		return nil, fmt.Errorf("look for lost messages: %w", err)
	}
	lost := make([]string, 0, len(places))
	for _, place := range places {
		lost = append(lost, names[place-1])
	}
	return lost, nil
}
