package integrity

import (
	_ "embed" // for the scopes
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// part names rows that a check reads, and so how a check since a checkpoint narrows it.
type part int

const (
	ofRest     part = 1 << iota // small tables and partial indexes: read whole, but for rows of messages and earlier leaves
	ofTrail                     // rows of the audit trail that tell of no move
	ofMessages                  // rows of messages
	ofWhole                     // read whole
	ofAll      = ofRest | ofTrail | ofMessages | ofWhole
)

// scope narrows queries to some rows: common table expressions with the names of the tables precede each query. The zero scope narrows
// nothing.
type scope struct {
	of        part
	with      string // with @realm and @messages for the arguments
	arguments []any  // of ofMessages: the realm, and messages with all that are about the same payments
	leaves    []any  // of ofRest: the realms, and the leaf of each from which on the rules of leaves are checked
}

// narrow puts the scope before a query.
func (s scope) narrow(sql string, arguments []any) (string, []any) {
	if s.with == "" {
		return sql, arguments
	}
	first := len(arguments) + 1
	with := strings.NewReplacer("@realm", "$"+strconv.Itoa(first), "@messages", "$"+strconv.Itoa(first+1)).Replace(s.with)
	return with + sql, append(slices.Clone(arguments), s.arguments...)
}

// ofTable narrows a statement about the rules of one table, and reports whether it belongs to the scope.
func (s scope) ofTable(statement string) (narrowed string, arguments []any, wanted bool) {
	if s.of == 0 {
		return statement, nil, true
	}
	_, table, _ := strings.Cut(statement, " FROM public.")
	table, _, _ = strings.Cut(table, " ")
	ofMessage := slices.ContainsFunc(messageTables, func(found []string) bool { return found[1] == table })
	ofLeaves := table == "audit_leaf"
	if s.of == ofMessages || ofLeaves {
		statement = strings.Replace(statement, " FROM public.", " FROM ", 1)    // a row it refers to may be of another message
		statement = strings.ReplaceAll(statement, "|| ctid", "|| 'some place'") // rows of a table expression have no place
	}
	if ofLeaves {
		statement, arguments = withLeaves+statement, s.leaves
	}
	return statement, arguments, ofMessage == (s.of == ofMessages)
}

// The scopes are in files of their own, because sqlc would make queries of them.
var (
	//go:embed scope_messages.sql
	withMessages string
	//go:embed scope_trail.sql
	withTrail string
	//go:embed scope_leaves.sql
	withLeaves string

	// messageTables are the tables whose rows belong to messages.
	messageTables = regexp.MustCompile(`(?m)^(?:WITH )?(\w+) AS NOT MATERIALIZED`).FindAllStringSubmatch(withMessages, -1)
)
