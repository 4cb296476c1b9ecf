package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/store/internal/dbsqlc"
)

// LeafRow names a row that is, or is to be, a leaf of a realm's tree.
type LeafRow struct {
	Kind  auditlog.Kind
	RowID uuid.UUID
}

// LeafRowsOf names the rows of leaves that are in the tree, in their order.
func LeafRowsOf(leaves []dbsqlc.AuditLeaf) []LeafRow {
	rows := make([]LeafRow, len(leaves))
	for i, leaf := range leaves {
		rows[i] = LeafRow{auditlog.Kind(leaf.Kind), leaf.RowID}
	}
	return rows
}

// Leaves makes the leaves of rows, of both kinds, by their keys. A row that is not there is not in the map.
func Leaves(ctx context.Context, q *dbsqlc.Queries, realm string, of []LeafRow) (map[uuid.UUID]auditlog.Leaf, error) {
	leaves := make(map[uuid.UUID]auditlog.Leaf, len(of))
	var events, documents []uuid.UUID
	for _, row := range of {
		if row.Kind == auditlog.KindEvent {
			events = append(events, row.RowID)
		} else {
			documents = append(documents, row.RowID)
		}
	}
	rows, err := q.EventFactList(ctx, events, realm)
	if err != nil {
		return nil, fmt.Errorf("read events to seal: %w", err)
	}
	for _, row := range rows {
		leaves[row.EventID], err = eventOf(row).Leaf()
		if err != nil {
			return nil, err
		}
	}
	papers, err := q.DocumentFactList(ctx, documents, realm)
	if err != nil {
		return nil, fmt.Errorf("read documents to seal: %w", err)
	}
	for _, row := range papers {
		leaves[row.DocumentID], err = documentOf(row).Leaf()
		if err != nil {
			return nil, err
		}
	}
	return leaves, nil
}

func eventOf(row dbsqlc.EventFactListRow) auditlog.Event {
	event := auditlog.Event{
		Realm: row.Realm, EventID: row.EventID, MessageID: idText(row.MessageID), Event: row.Event, Outcome: row.Outcome,
		ActorUser: idText(row.ActorUser), ActorPerson: idText(row.ActorPerson), ActorName: row.ActorName, ClientID: Text(row.ClientID),
		Channel: row.Channel, RequestID: Text(row.RequestID), SourceAddress: Text(row.SourceAddress),
		ContentHash: row.ContentHash, Detail: row.Detail, At: row.At.UTC(),
	}
	if row.Sequence != 0 {
		event.Move = &auditlog.Move{
			Sequence: int(row.Sequence), Kind: row.Kind, From: row.FromState, Action: row.Action, To: row.ToState, Version: int(row.Version),
			ActorUser: row.MoveUser, ActorPerson: row.MovePerson, ActorName: row.MoveName, ClientID: row.MoveClient,
			Channel: row.MoveChannel, Reason: row.MoveReason, At: row.MovedAt.UTC(),
		}
	}
	if row.DocumentID != "" {
		event.Version = &auditlog.Version{
			Number: int(row.Version), DocumentID: row.DocumentID, ContentHash: row.VersionHash,
			Makers: idTexts(row.VersionMakers), ApprovalsRequired: int(row.ApprovalsRequired),
		}
	}
	if row.Ordinal != 0 {
		event.Decision = decisionOf(row)
	}
	return event
}

func decisionOf(row dbsqlc.EventFactListRow) *auditlog.Decision {
	decision := &auditlog.Decision{
		Ordinal: int(row.Ordinal), Version: int(row.DecisionVersion), Action: row.DecisionAction, ContentHash: row.DecisionHash,
		Makers: idTexts(row.DecisionMakers), CheckerUser: row.CheckerUser, CheckerPerson: row.CheckerPerson,
		ClientID: row.DecisionClient, Channel: row.DecisionChannel, Reason: row.DecisionReason, Remark: row.Remark, Role: row.CheckerRole,
		GrantID: row.GrantID, DecidedAt: row.DecidedAt.UTC(),
	}
	if !row.GrantedAt.IsZero() {
		decision.GrantedAt = row.GrantedAt.UTC().Format(time.RFC3339Nano)
	}
	return decision
}

func documentOf(row dbsqlc.DocumentFactListRow) auditlog.Document {
	return auditlog.Document{
		Realm: row.Realm, DocumentID: row.DocumentID, MessageID: idText(row.MessageID), Scheme: row.Scheme, Direction: row.Direction,
		Name: row.Name, Reference: row.Reference, ContentHash: row.ContentHash, SourceType: Text(row.SourceType),
		SourceHash: row.SourceHash, CreatedAt: row.CreatedAt.UTC(),
	}
}

// idText writes an id for a leaf; NULL is "".
func idText(id *uuid.UUID) string {
	if id == nil {
		return ""
	}
	return id.String()
}

func idTexts(ids []uuid.UUID) []string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	return texts
}
