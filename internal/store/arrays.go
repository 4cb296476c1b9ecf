package store

import (
	"bytes"
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/keyring"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// These functions append the values of one message to the arrays of the statement for many. The zero value stands for
// NULL (queries/lifecycle/message_all.sql).

// sized are values of a statement whose lists have room for so many items: lists that grow item by item are copied again and again.
func sized[P any](items int) (p P) {
	fields := reflect.ValueOf(&p).Elem()
	for i := range fields.NumField() {
		if list := fields.Field(i); list.Kind() == reflect.Slice {
			list.Set(reflect.MakeSlice(list.Type(), 0, items))
		}
	}
	return p
}

// addMessage appends the columns of a new message.
func addMessage(p *dbsqlc.MessageInsertAllParams, one *dbsqlc.MessageInsertParams) {
	p.MessageIds, p.GlobalIds = append(p.MessageIds, one.MessageID), append(p.GlobalIds, one.GlobalID)
	p.Schemes, p.Channels = append(p.Schemes, one.Scheme), append(p.Channels, one.Channel)
	p.ClientIds, p.ExternalIds = append(p.ClientIds, Text(one.ClientID)), append(p.ExternalIds, Text(one.ExternalID))
	p.MakerUsers = append(p.MakerUsers, OrZero(one.MakerUser))
	p.MakerPersons = append(p.MakerPersons, OrZero(one.MakerPerson))
	p.PolicyIds = append(p.PolicyIds, OrZero(one.PolicyID))
	p.ApprovalsRequireds = append(p.ApprovalsRequireds, one.ApprovalsRequired)
	p.ExpiresAts = append(p.ExpiresAts, Time(one.ExpiresAt))
	p.CreatedAts, p.States = append(p.CreatedAts, one.CreatedAt), append(p.States, one.State)
	p.AcceptedAts = append(p.AcceptedAts, Time(one.AcceptedAt))
	p.DocumentIds, p.DocumentNames = append(p.DocumentIds, one.DocumentID), append(p.DocumentNames, one.DocumentName)
	p.Refs, p.Contents = append(p.Refs, one.Reference), append(p.Contents, one.Content)
	p.ContentHashes = append(p.ContentHashes, one.ContentHash)
	p.Sources, p.SourceTypes = append(p.Sources, one.Source), append(p.SourceTypes, Text(one.SourceType))
	p.DocumentKeyIds = append(p.DocumentKeyIds, one.DocumentKeyID)
	p.DocumentMacs = append(p.DocumentMacs, one.DocumentMac)
	p.Fingerprints = append(p.Fingerprints, one.Fingerprint)
	p.KeyCounts = append(p.KeyCounts, int32(len(one.Keys))) //nolint:gosec // at most three
	for i, key := range one.Keys {
		p.KeyMessages, p.KeyScopes = append(p.KeyMessages, one.MessageID), append(p.KeyScopes, one.KeyScopes[i])
		p.Keys, p.KeySeals = append(p.Keys, key), append(p.KeySeals, one.KeySeals[i])
	}
	p.KeyIds, p.Macs = append(p.KeyIds, Text(one.KeyID)), append(p.Macs, one.Mac)
	p.AccountDigests = append(p.AccountDigests, one.AccountDigest)
}

// addVersion adds its first version.
func addVersion(p *dbsqlc.MessageInsertAllParams, one *dbsqlc.MessageInsertParams) {
	p.Amounts, p.Currencies = append(p.Amounts, one.Amount), append(p.Currencies, one.Currency)
	p.InstructionIds = append(p.InstructionIds, Text(one.InstructionID))
	p.EndToEndIds = append(p.EndToEndIds, one.EndToEndID)
	p.TransactionIds, p.Uetrs = append(p.TransactionIds, Text(one.TransactionID)), append(p.Uetrs, Text(one.Uetr))
	p.DebtorNames = append(p.DebtorNames, one.DebtorName)
	p.OrderedDebtorNames = append(p.OrderedDebtorNames, Text(one.OrderedDebtorName))
	p.DebtorAccounts, p.DebtorAgents = append(p.DebtorAccounts, one.DebtorAccount), append(p.DebtorAgents, one.DebtorAgent)
	p.CreditorNames = append(p.CreditorNames, one.CreditorName)
	p.CreditorAccounts, p.CreditorAgents = append(p.CreditorAccounts, one.CreditorAccount), append(p.CreditorAgents, one.CreditorAgent)
	p.Remittances = append(p.Remittances, one.Remittance)
	p.VersionKeyIds, p.VersionSeals = append(p.VersionKeyIds, one.VersionKeyID), append(p.VersionSeals, one.VersionSeal)
	p.MakerRoles = append(p.MakerRoles, Text(one.MakerRole))
	p.MakerGrantIds = append(p.MakerGrantIds, OrZero(one.MakerGrantID))
	p.MakerGrantedAts = append(p.MakerGrantedAts, Time(one.MakerGrantedAt))
	p.PayeeResults, p.PayeeNames = append(p.PayeeResults, Text(one.PayeeResult)), append(p.PayeeNames, Text(one.PayeeName))
	p.PayeeAts = append(p.PayeeAts, Time(one.PayeeAt))
	p.Words = append(p.Words, one.Words)
}

// addTrail adds what history and audit say of it.
func addTrail(p *dbsqlc.MessageInsertAllParams, one *dbsqlc.MessageInsertParams) {
	p.ActorNames, p.Notes = append(p.ActorNames, one.ActorName), append(p.Notes, Text(one.Note))
	p.EventIds, p.Events = append(p.EventIds, one.EventID), append(p.Events, one.Event)
	p.RequestIds = append(p.RequestIds, Text(one.RequestID))
	p.SourceAddresses = append(p.SourceAddresses, Text(one.SourceAddress))
	p.Details = append(p.Details, one.Detail)
}

// addGoal appends the final state of a message after consecutive steps, with the last value that a step sets for each
// column.
func addGoal(p *dbsqlc.MessageMoveAllParams, path []*dbsqlc.MessageMoveIfParams) {
	first, goal := path[0], *path[0]
	for _, one := range path[1:] {
		goal.ToState, goal.At, goal.Approvals, goal.Inquired = one.ToState, one.At, one.Approvals, goal.Inquired+one.Inquired
		goal.AcceptedAt, goal.DeliveredAt = cmp.Or(one.AcceptedAt, goal.AcceptedAt), cmp.Or(one.DeliveredAt, goal.DeliveredAt)
		goal.SettledAt = cmp.Or(one.SettledAt, goal.SettledAt)
		goal.StatusCode, goal.StatusText = cmp.Or(one.StatusCode, goal.StatusCode), cmp.Or(one.StatusText, goal.StatusText)
		goal.InquireAt, goal.AnswerBy = cmp.Or(one.InquireAt, goal.InquireAt), cmp.Or(one.AnswerBy, goal.AnswerBy)
	}
	p.MessageIds, p.StepCounts = append(p.MessageIds, first.MessageID), append(p.StepCounts, int32(len(path))) //nolint:gosec // a few
	p.FromStates, p.ToStates = append(p.FromStates, first.FromState), append(p.ToStates, goal.ToState)
	p.Sequences, p.Versions = append(p.Sequences, first.Sequence), append(p.Versions, first.Version)
	p.Sinces, p.Approvals = append(p.Sinces, goal.At), append(p.Approvals, goal.Approvals)
	p.AcceptedAts = append(p.AcceptedAts, Time(goal.AcceptedAt))
	p.DeliveredAts = append(p.DeliveredAts, Time(goal.DeliveredAt))
	p.SettledAts = append(p.SettledAts, Time(goal.SettledAt))
	p.StatusCodes = append(p.StatusCodes, Text(goal.StatusCode))
	p.StatusTexts = append(p.StatusTexts, Text(goal.StatusText))
	p.Inquireds, p.InquireAts = append(p.Inquireds, goal.Inquired), append(p.InquireAts, Time(goal.InquireAt))
	p.AnswerBys = append(p.AnswerBys, Time(goal.AnswerBy))
}

// addStep adds a step.
func addStep(p *dbsqlc.MessageMoveAllParams, one *dbsqlc.MessageMoveIfParams) {
	p.EventIds, p.StepMessages = append(p.EventIds, one.EventID), append(p.StepMessages, one.MessageID)
	p.StepSequences, p.Ats = append(p.StepSequences, one.Sequence), append(p.Ats, one.At)
	p.StepFromStates, p.StepToStates = append(p.StepFromStates, one.FromState), append(p.StepToStates, one.ToState)
	p.Actions, p.Reasons = append(p.Actions, one.Action), append(p.Reasons, Text(one.Reason))
}

// addActor appends the actor of a step and its audit fields.
func addActor(p *dbsqlc.MessageMoveAllParams, one *dbsqlc.MessageMoveIfParams) {
	p.ActorUsers = append(p.ActorUsers, OrZero(one.ActorUser))
	p.ActorPersons = append(p.ActorPersons, OrZero(one.ActorPerson))
	p.ActorNames, p.ClientIds = append(p.ActorNames, one.ActorName), append(p.ClientIds, Text(one.ClientID))
	p.Channels, p.Events = append(p.Channels, one.Channel), append(p.Events, one.Event)
	p.RequestIds = append(p.RequestIds, Text(one.RequestID))
	p.SourceAddresses = append(p.SourceAddresses, Text(one.SourceAddress))
	p.ContentHashes, p.Details = append(p.ContentHashes, one.ContentHash), append(p.Details, one.Detail)
}

// addDecision adds the decision and the release that come with it; a step without them has the zero values.
func addDecision(p *dbsqlc.MessageMoveAllParams, one *dbsqlc.MessageMoveIfParams) {
	p.Decides, p.Ordinals = append(p.Decides, one.Decides), append(p.Ordinals, one.Ordinal)
	p.Makers = append(p.Makers, uuidArray(one.Makers))
	p.ApprovalsRequireds = append(p.ApprovalsRequireds, one.ApprovalsRequired)
	p.PreviousOrdinals = append(p.PreviousOrdinals, OrZero(one.PreviousOrdinal))
	p.PreviousActions = append(p.PreviousActions, Text(one.PreviousAction))
	p.GrantIds, p.GrantedAts = append(p.GrantIds, OrZero(one.GrantID)), append(p.GrantedAts, Time(one.GrantedAt))
	p.DecisionKeyIds = append(p.DecisionKeyIds, Text(one.DecisionKeyID))
	p.DecisionSeals = append(p.DecisionSeals, one.DecisionSeal)
	p.KeyIds, p.Macs = append(p.KeyIds, Text(one.KeyID)), append(p.Macs, one.Mac)
	p.AccountDigests = append(p.AccountDigests, one.AccountDigest)
}

// documentRow is a document as it is stored, under its seal: beside a step, or by itself before it goes to clearing.
type documentRow struct {
	id        uuid.UUID
	direction payment.DocumentDirection
	document  Document
	hash      payment.Digest
	seal      keyring.Seal
}

// addDocument adds a document that a step brings, which the inbox notes too, or leaves.
func addDocument(p *dbsqlc.MessageMoveAllParams, event uuid.UUID, r documentRow) {
	d := r.document
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

// uuidArray writes an array as an element of an array of texts: PostgreSQL has no arrays of arrays of different lengths.
func uuidArray(ids []uuid.UUID) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	return "{" + strings.Join(texts, ",") + "}"
}

// paths groups consecutive steps of the same message by index: each was decided on the result of the one before. Of
// two steps from one state only one is tried. The paths are ordered by message, so transactions that lock the same
// messages do not deadlock.
func paths(steps []*step) (of [][]int) {
	for _, i := range inOrder(steps) {
		one, path := &steps[i].values, []int(nil)
		if len(of) > 0 {
			path = of[len(of)-1]
		}
		if len(path) == 0 || steps[path[0]].values.MessageID != one.MessageID {
			of = append(of, []int{i})
			continue
		}
		before := steps[path[len(path)-1]].values
		if one.Sequence == before.Sequence+1 && one.FromState == before.ToState {
			of[len(of)-1] = append(path, i)
		}
	}
	return of
}

// inOrder is the order of steps by their messages, and of those of one message by their sequence.
func inOrder(steps []*step) []int {
	order := make([]int, len(steps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		one, other := &steps[a].values, &steps[b].values
		return cmp.Or(bytes.Compare(one.MessageID[:], other.MessageID[:]), cmp.Compare(one.Sequence, other.Sequence))
	})
	return order
}
