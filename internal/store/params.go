package store

import (
	"crypto/sha256"
	"reflect"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/keyring"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// The statements that write take arrays. The functions here make the values of one item: arrays of length one. merge
// makes those of a batch. The zero value stands for NULL (queries/message/message.sql).

// merge concatenates the arrays of several values of a statement; other fields are those of the first.
func merge[P any](all []*P) P {
	merged := *all[0]
	if len(all) == 1 {
		return merged
	}
	fields := reflect.ValueOf(&merged).Elem()
	for i := range fields.NumField() {
		field := fields.Field(i)
		if field.Kind() != reflect.Slice {
			continue
		}
		list := reflect.MakeSlice(field.Type(), 0, len(all))
		for _, one := range all {
			list = reflect.AppendSlice(list, reflect.ValueOf(one).Elem().Field(i))
		}
		field.Set(list)
	}
	return merged
}

func one[T any](value T) []T { return []T{value} }

func (s *Messages) insertParams(c payment.Created) dbsqlc.MessageInsertParams {
	m, from, by := c.Message, c.Origin, c.Actor
	kept, detail := s.sealContent(m, from), s.db.openingDetail(c)
	event := s.sealOpening(c, detail)
	p := dbsqlc.MessageInsertParams{
		Realm: m.Realm, MessageIds: one(m.InternalID), GlobalIds: one(string(m.GlobalID)), Kinds: one(string(m.Kind)),
		Schemes: one(string(m.Scheme)), Directions: one(string(m.Direction)), Channels: one(string(m.Channel)), ClientIds: one(m.ClientID),
		ExternalIds: one(m.ExternalID), PolicyIds: one(m.PolicyID), ApprovalsRequireds: one(int32(m.ApprovalsRequired)), //nolint:gosec // 0 to 9
		ExpiresAts: one(m.ExpiresAt), OriginalIds: one(m.OriginalID), AnswersIds: one(m.AnswersID), AnswerBys: one(m.AnswerBy),
		Deadlines: one(m.Deadline), Reasons: one(m.Reason), CreatedAts: one(m.CreatedAt), Actions: one(string(c.Action)),
		States: one(string(m.State)), AcceptedAts: one(m.AcceptedAt), SettledAts: one(m.SettledAt), StatusCodes: one(m.StatusCode),
		StatusTexts: one(m.StatusText), DocumentIds: one(m.DocumentID), DocumentDirections: one(string(from.Direction)),
		DocumentNames: one(string(from.Name)), Refs: one(from.Reference), Contents: one(m.Content), ContentHashes: one(m.ContentHash[:]),
		Sources: one(from.Source), SourceTypes: one(from.SourceType), DocumentKeyIds: one(kept.KeyID), DocumentMacs: one(kept.MAC[:]),
		MakerUsers: one(by.UserID), MakerPersons: one(by.PersonID), Makers: one(uuidArray(m.Makers)), MakerRoles: one(string(c.Grant.Role)),
		MakerGrantIds: one(c.Grant.ID), MakerGrantedAts: one(c.Grant.GrantedAt), Clients: one(textArray(m.Clients)),
		ActorNames: one(by.Name), Notes: one(from.Note), EventIds: one(auditlog.MoveID(m.InternalID, 1)),
		Events:     one(auditlog.EventOf(string(m.Kind), string(c.Action))),
		RequestIds: one(by.RequestID), SourceAddresses: one(by.SourceAddress), Details: one(detail),
		EventKeyID: event.KeyID, EventSeals: one(event.MAC[:]),
		Fingerprints: one(c.Fingerprint[:]),
		KeyCounts:    one(int32(0)), KeyIds: one(""), Macs: one([]byte(nil)), AccountDigests: one([]byte(nil)),
		ExecutionDays: one(m.ExecutionDay),
	}
	s.addVersion(&p, m)
	for _, key := range c.RequestKeys() {
		sealed := s.db.Seal().SealRequestKey(key)
		p.KeyCounts[0]++
		p.KeyMessages, p.KeyScopes = append(p.KeyMessages, m.InternalID), append(p.KeyScopes, string(key.Scope))
		p.Keys, p.KeySeals = append(p.Keys, key.Key), append(p.KeySeals, sealed.MAC[:])
	}
	if r := c.Release; r != nil {
		p.KeyIds, p.Macs, p.AccountDigests = one(r.Seal.KeyID), one(r.Seal.MAC[:]), one(digestOrNull(r.Account))
	}
	return p
}

// addVersion sets the columns of the first version of a message.
func (s *Messages) addVersion(p *dbsqlc.MessageInsertParams, m payment.Message) {
	about, seal := &m.Summary, s.db.Seal().SealVersion(m)
	p.Amounts, p.Currencies = one(about.Amount.Minor()), one(string(about.Amount.Currency()))
	p.InstructionIds, p.EndToEndIds = one(about.InstructionID), one(about.EndToEndID)
	p.TransactionIds, p.Uetrs = one(about.TransactionID), one(about.UETR)
	p.DebtorNames, p.OrderedDebtorNames = one(about.DebtorName), one(about.OrderedDebtorName)
	p.DebtorAccounts, p.DebtorAgents = one(about.DebtorAccount), one(about.DebtorAgent)
	p.CreditorNames, p.CreditorAccounts = one(about.CreditorName), one(about.CreditorAccount)
	p.CreditorAgents, p.Remittances = one(about.CreditorAgent), one(about.Remittance)
	p.VersionKeyIds, p.VersionSeals = one(seal.KeyID), one(seal.MAC[:])
	p.PayeeResults, p.PayeeNames, p.PayeeAts = one(string(m.Payee.Result)), one(m.Payee.MatchedName), one(m.Payee.At)
	p.Words = one(Words(m))
}

func (s *Messages) moveParams(t payment.Transition) dbsqlc.MessageMoveParams {
	m, c, by, move := t.Message(), t.Changes(), t.Actor(), t.Move()
	detail := withLimits(auditlog.Detail(string(move.From), string(move.To), t.Reason()), t.LimitUses())
	if t.Decision() != nil {
		detail = s.db.withHead(m.Realm, detail)
	}
	event := s.sealStep(t, detail)
	p := dbsqlc.MessageMoveParams{
		Realm: m.Realm, MessageIds: one(m.InternalID), FromStates: one(string(move.From)),
		Sequences: one(int32(m.Sequence)),                                                  //nolint:gosec // counts from 1
		Versions:  one(int32(m.Version)), ToStates: one(string(move.To)), Ats: one(t.At()), //nolint:gosec // counts from 1
		Approvals: one(int32(m.Approvals())), AcceptedAts: one(c.AcceptedAt), DeliveredAts: one(c.DeliveredAt), //nolint:gosec // 0 to 9
		SettledAts: one(c.SettledAt), StatusCodes: one(c.StatusCode), StatusTexts: one(c.StatusText), Inquireds: one(int32(0)),
		InquireAts: one(c.InquireAt), AnswerBys: one(c.AnswerBy),

		EventIds: one(auditlog.MoveID(m.InternalID, m.Sequence+1)), Actions: one(string(move.Action)), ActorUsers: one(by.UserID),
		ActorPersons: one(by.PersonID), ActorNames: one(by.Name), ClientIds: one(by.ClientID), Channels: one(string(by.Channel)),
		Reasons: one(t.Reason().String()), Events: one(auditlog.EventOf(string(m.Kind), string(move.Action))), RequestIds: one(by.RequestID),
		SourceAddresses: one(by.SourceAddress), ContentHashes: one(m.ContentHash[:]),
		Details: one(detail), EventKeyID: event.KeyID, EventSeals: one(event.MAC[:]),

		Decides: one(false), Ordinals: one(int32(0)), Makers: one(uuidArray(m.Makers)),
		ApprovalsRequireds: one(int32(m.ApprovalsRequired)), PreviousOrdinals: one(int32(0)), PreviousActions: one(""), //nolint:gosec // 0 to 9
		GrantIds: one(uuid.Nil), GrantedAts: one(time.Time{}),
		FactorUseIds: one(uuid.Nil), KeyIds: one(""), Macs: one([]byte(nil)), AccountDigests: one([]byte(nil)),
	}
	if c.Inquired {
		p.Inquireds[0] = 1
	}
	if d := t.Decision(); d != nil {
		addDecision(&p, *d)
	}
	if r := t.Release(); r != nil {
		p.KeyIds, p.Macs, p.AccountDigests = one(r.Seal.KeyID), one(r.Seal.MAC[:]), one(digestOrNull(r.Account))
		p.Ordinals[0] = int32(len(r.Approvers)) //nolint:gosec // 0 to 9
	}
	return p
}

// addDecision sets the columns of a decision.
func addDecision(p *dbsqlc.MessageMoveParams, d payment.Decision) {
	p.Decides[0], p.Ordinals[0], p.FactorUseIds[0] = true, int32(d.Ordinal), d.FactorUse //nolint:gosec // 1 to 9
	p.GrantIds[0], p.GrantedAts[0] = d.Grant.ID, d.Grant.GrantedAt
	if d.Action == payment.ActionApprove {
		p.Approvals[0]++
	}
	if d.Ordinal > 1 {
		p.PreviousOrdinals[0], p.PreviousActions[0] = p.Ordinals[0]-1, string(payment.ActionApprove)
	}
}

// documentRow is a document with its seal.
type documentRow struct {
	id        uuid.UUID
	direction payment.DocumentDirection
	document  Document
	hash      payment.Digest
	seal      keyring.Seal
}

// addDocument adds a document to a step, and a received one to the inbox.
func addDocument(p *dbsqlc.MessageMoveParams, r documentRow) {
	d, event := r.document, p.EventIds[0]
	if r.direction == payment.DocumentIn {
		p.BroughtEvents, p.BroughtSchemes = append(p.BroughtEvents, event), append(p.BroughtSchemes, string(d.Scheme))
		p.BroughtReferences, p.BroughtNames = append(p.BroughtReferences, d.Reference), append(p.BroughtNames, string(d.Name))
		p.BroughtHashes, p.BroughtDocuments = append(p.BroughtHashes, r.hash[:]), append(p.BroughtDocuments, r.id)
		p.BroughtAts = append(p.BroughtAts, d.At)
	}
	p.DocumentEvents, p.DocumentIds = append(p.DocumentEvents, event), append(p.DocumentIds, r.id)
	p.DocumentSchemes, p.DocumentDirections = append(p.DocumentSchemes, string(d.Scheme)), append(p.DocumentDirections, string(r.direction))
	p.DocumentNames, p.DocumentReferences = append(p.DocumentNames, string(d.Name)), append(p.DocumentReferences, d.Reference)
	p.DocumentContents, p.DocumentHashes = append(p.DocumentContents, d.Content), append(p.DocumentHashes, r.hash[:])
	p.DocumentAts, p.DocumentKeyIds = append(p.DocumentAts, d.At), append(p.DocumentKeyIds, r.seal.KeyID)
	p.DocumentMacs = append(p.DocumentMacs, r.seal.MAC[:])
}

func (r documentRow) params() *dbsqlc.DocumentInsertParams {
	d := r.document
	return &dbsqlc.DocumentInsertParams{
		Realm: d.Realm, DocumentIds: one(r.id), MessageIds: one(d.MessageID), Schemes: one(string(d.Scheme)),
		Directions: one(string(r.direction)),
		Names:      one(string(d.Name)), Refs: one(d.Reference), Contents: one(d.Content), ContentHashes: one(r.hash[:]), CreatedAts: one(d.At),
		KeyIds: one(r.seal.KeyID), Macs: one(r.seal.MAC[:]),
	}
}

// sealContent seals the document of a version and the client's original.
func (s *Messages) sealContent(m payment.Message, from payment.Origin) keyring.Seal {
	return s.db.Seal().SealKept(auditlog.Kept{
		Outbound: auditlog.Outbound{
			Realm: m.Realm, MessageID: m.InternalID, Scheme: string(m.Scheme), Name: from.Name, Reference: from.Reference, Hash: m.ContentHash,
		},
		Direction: string(from.Direction), SourceHash: sha256.Sum256(from.Source), SourceType: from.SourceType,
	})
}

// uuidArray formats an array as text, for an array of arrays: PostgreSQL has no arrays of arrays of different lengths.
func uuidArray(ids []uuid.UUID) string {
	return "{" + strings.Join(idTexts(ids), ",") + "}"
}

// textArray is uuidArray for texts; the empty text for nil.
func textArray(texts []string) string {
	if texts == nil {
		return ""
	}
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
	}
	return "{" + strings.Join(quoted, ",") + "}"
}

// digestOrNull writes a digest for a nullable column; the zero digest is NULL.
func digestOrNull(digest payment.Digest) []byte {
	if digest == (payment.Digest{}) {
		return nil
	}
	return digest[:]
}

// RequestKey converts a row to the domain's key of a request.
func RequestKey(k dbsqlc.CreationKey) payment.RequestKey {
	key := payment.RequestKey{
		Realm: k.Realm, ClientID: k.ClientID, Scope: payment.KeyScope(k.Scope), Key: k.Key, MessageID: k.MessageID, CreatedAt: k.CreatedAt,
	}
	copy(key.Fingerprint[:], k.Fingerprint)
	return key
}
