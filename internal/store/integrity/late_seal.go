package integrity

import (
	"context"
	"fmt"

	"countersign/internal/auditlog"
	"countersign/internal/keyring"
	"countersign/internal/store/internal/rowmap"
)

// LateSeal is the note that a row was sealed after it was stored.
type LateSeal struct {
	Note auditlog.Late
	Seal keyring.Seal
}

// LateTold is what the audit trail of a realm says of one run that sealed rows afterwards.
type LateTold struct {
	Realm, EventID, Run string
	Rows                int
}

// LateSeals reads all notes, and what the audit trails say of them.
func (s *Snapshot) LateSeals(ctx context.Context) ([]LateSeal, []LateTold, error) {
	rows, err := s.q.LateSealList(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("read what was sealed afterwards: %w", err)
	}
	told, err := s.q.LateSealToldList(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("read what is told of it: %w", err)
	}
	notes, tales := make([]LateSeal, len(rows)), make([]LateTold, len(told))
	for i, row := range rows {
		notes[i] = LateSeal{Note: rowmap.Late(row), Seal: rowmap.Seal(&row.KeyID, row.Seal)}
	}
	for i, row := range told {
		tales[i] = LateTold{Realm: row.Realm, EventID: row.EventID.String(), Run: row.Run, Rows: int(row.Rows)}
	}
	return notes, tales, nil
}
