package load

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/evidence"
	"countersign/internal/store/internal/column"
	"countersign/internal/store/internal/dbsqlc"
)

// LeafRow names a row that is, or is to be, a leaf of a realm's tree.
type LeafRow struct {
	Kind  evidence.Kind
	RowID uuid.UUID
}

// LeafRowsOf names the rows of leaves that are in the tree, in their order.
func LeafRowsOf(leaves []dbsqlc.AuditLeaf) []LeafRow {
	rows := make([]LeafRow, len(leaves))
	for i, leaf := range leaves {
		rows[i] = LeafRow{evidence.Kind(leaf.Kind), leaf.RowID}
	}
	return rows
}

// Leaves makes the leaves of rows, of both kinds, by their keys. A row that is not there is not in the map.
func Leaves(ctx context.Context, q *dbsqlc.Queries, realm string, of []LeafRow) (map[uuid.UUID]evidence.Leaf, error) {
	leaves := make(map[uuid.UUID]evidence.Leaf, len(of))
	var events, documents []uuid.UUID
	for _, row := range of {
		if row.Kind == evidence.KindEvent {
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
	papers, err := q.DocumentFactList(ctx, realm, documents)
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

func eventOf(row dbsqlc.EventFactListRow) evidence.Event {
	event := evidence.Event{
		Realm: row.Realm, EventID: row.EventID, MessageID: idText(row.MessageID), Event: row.Event, Outcome: row.Outcome,
		ActorUser: idText(row.ActorUser), ActorPerson: idText(row.ActorPerson), ActorName: row.ActorName, ClientID: column.Text(row.ClientID),
		Channel: row.Channel, RequestID: column.Text(row.RequestID), SourceAddress: column.Text(row.SourceAddress),
		ContentHash: row.ContentHash, Detail: row.Detail, At: row.At.UTC(),
	}
	if row.Sequence != nil {
		event.Move = &evidence.Move{
			Sequence: int(*row.Sequence), Kind: column.Text(row.Kind), From: column.Text(row.FromState), Action: column.Text(row.Action),
			To: column.Text(row.ToState), Version: int(column.OrZero(row.Version)), ActorUser: idText(row.MoveUser),
			ActorPerson: idText(row.MovePerson), ActorName: column.Text(row.MoveName), ClientID: column.Text(row.MoveClient),
			Channel: column.Text(row.MoveChannel), Reason: column.Text(row.MoveReason), At: column.Time(row.MovedAt),
		}
	}
	if row.DocumentID != nil {
		event.Version = &evidence.Version{
			Number: int(column.OrZero(row.Version)), DocumentID: row.DocumentID.String(), ContentHash: row.VersionHash,
			Makers: idTexts(row.VersionMakers), ApprovalsRequired: int(column.OrZero(row.ApprovalsRequired)),
		}
	}
	if row.Ordinal != nil {
		event.Decision = decisionOf(row)
	}
	return event
}

func decisionOf(row dbsqlc.EventFactListRow) *evidence.Decision {
	decision := &evidence.Decision{
		Ordinal: int(*row.Ordinal), Version: int(column.OrZero(row.DecisionVersion)), Action: column.Text(row.DecisionAction),
		ContentHash: row.DecisionHash, Makers: idTexts(row.DecisionMakers), CheckerUser: idText(row.CheckerUser),
		CheckerPerson: idText(row.CheckerPerson), ClientID: column.Text(row.DecisionClient), Channel: column.Text(row.DecisionChannel),
		Reason: column.Text(row.DecisionReason), Remark: column.Text(row.Remark), Role: column.Text(row.CheckerRole),
		GrantID: idText(row.GrantID), DecidedAt: column.Time(row.DecidedAt),
	}
	if row.GrantedAt != nil {
		decision.GrantedAt = row.GrantedAt.UTC().Format(time.RFC3339Nano)
	}
	return decision
}

func documentOf(row dbsqlc.DocumentFactListRow) evidence.Document {
	return evidence.Document{
		Realm: row.Realm, DocumentID: row.DocumentID, MessageID: idText(row.MessageID), Scheme: row.Scheme, Direction: row.Direction,
		Name: row.Name, Reference: row.Reference, ContentHash: row.ContentHash, SourceType: column.Text(row.SourceType),
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
