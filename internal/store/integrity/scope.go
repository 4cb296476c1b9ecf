package integrity

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// part says which rows a check reads, and so how a check since a checkpoint narrows it.
type part int

const (
	ofRest     part = iota // small tables and partial indexes: read whole
	ofTrail                // rows of the audit trail that tell of no move
	ofMessages             // rows of messages
)

// scope narrows queries to some rows: each query gets common table expressions in front, which have the names of the tables and stand for
// them. The zero scope narrows nothing.
type scope struct {
	of        part
	narrowed  bool
	with      string // with @realm and @messages for the arguments
	arguments []any
}

// narrow puts the scope in front of a query.
func (s scope) narrow(sql string, arguments []any) (string, []any) {
	if s.with == "" {
		return sql, arguments
	}
	first := len(arguments) + 1
	with := strings.NewReplacer("@realm", "$"+strconv.Itoa(first), "@messages", "$"+strconv.Itoa(first+1)).Replace(s.with)
	return with + sql, append(slices.Clone(arguments), s.arguments...)
}

// ofTable narrows a statement about one table that the database made of the schema's rules, and reports whether it belongs to the scope.
func (s scope) ofTable(statement string) (narrowed string, wanted bool) {
	if !s.narrowed {
		return statement, true
	}
	_, table, _ := strings.Cut(statement, " FROM public.")
	table, _, _ = strings.Cut(table, " ")
	_, ofMessage := messageTables[table]
	if s.of == ofMessages {
		statement = strings.ReplaceAll(statement, " FROM public.", " FROM ")
		statement = strings.ReplaceAll(statement, "|| ctid", "|| 'some place'") // rows of a table expression have no place
	}
	return statement, ofMessage == (s.of == ofMessages)
}

const ofTheMessages = `realm = @realm AND message_id = ANY (@messages)`

// messageTables are the tables whose rows belong to messages, with the condition for those of some messages.
var messageTables = map[string]string{
	"message": ofTheMessages, "message_version": ofTheMessages, "message_history": ofTheMessages, "document": ofTheMessages,
	"decision": ofTheMessages, "release": ofTheMessages, "creation_key": ofTheMessages, "limit_use": ofTheMessages,
	"core_booking": ofTheMessages, "audit_event": ofTheMessages,
	"incoming_payment": ofTheMessages + ` AND (scheme, transaction_id) IN (
		SELECT m.scheme, v.transaction_id FROM public.message m JOIN public.message_version v ON v.realm = m.realm AND v.message_id = m.message_id
		WHERE m.realm = @realm AND m.message_id = ANY (@messages))`,
	// What clearing sent and was sent is found by its document. What waits, or matched nothing, is read besides: each half has its index.
	"inbox": `outcome = 'quarantined' UNION ALL SELECT * FROM public.inbox
		WHERE outcome <> 'quarantined' AND (scheme, reference) IN (` + referencesOf("in") + `)`,
	"outbox": `delivered_at IS NULL AND refused_at IS NULL UNION ALL SELECT * FROM public.outbox
		WHERE (delivered_at IS NOT NULL OR refused_at IS NOT NULL) AND (scheme, reference) IN (` + referencesOf("out") + `)`,
}

func referencesOf(direction string) string {
	return `SELECT scheme, reference FROM public.document WHERE ` + ofTheMessages + ` AND direction = '` + direction + `'`
}

// expressions writes tables as common table expressions.
func expressions(tables map[string]string) string {
	list := make([]string, 0, len(tables))
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		list = append(list, name+" AS NOT MATERIALIZED (SELECT * FROM public."+name+" WHERE "+tables[name]+")")
	}
	return "WITH " + strings.Join(list, ", ") + " "
}

// messageScope narrows to the rows of some messages of a realm. They must be whole families: whatever is about a payment, and the payment.
func messageScope(realm string, messages []uuid.UUID) scope {
	return scope{of: ofMessages, narrowed: true, with: withMessages, arguments: []any{realm, messages}}
}

var (
	withMessages = expressions(messageTables)
	withTrail    = expressions(map[string]string{"audit_event": "sequence IS NULL"})
)

// restScope narrows to what belongs to no message.
func restScope(ofTheTrail bool) scope {
	s := scope{of: ofRest, narrowed: true}
	if ofTheTrail {
		s.of, s.with = ofTrail, withTrail
	}
	return s
}
