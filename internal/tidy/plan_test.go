package tidy

// floors is the plan: every package with its floor. A package may import only packages of lower floors, so neither upwards nor
// sideways. A new package needs a line here, and a sentence in its comment that says why no existing one fits.
var floors = map[string]int{
	"cmd/countersign": 15, // the program: puts the parts together

	"web": 14, // server, routes, middleware

	"web/portal": 13, // pages for people: the rooms below, put together

	// The rooms of the portal, by who works there. Makers and checkers read, so records stand below them; everybody reads of recalls and
	// returns, so their words stand below records.
	"web/portal/maker":         12,
	"web/portal/checker":       12,
	"web/portal/administrator": 12,
	"web/portal/beneficiary":   12,
	"web/portal/records":       11,
	"web/portal/rtransaction":  10,
	"web/portal/page":          9, // what every page is made with

	"web/api":     9, // JSON for integrators
	"web/respond": 9, // banks that ask about payees
	"web/inbound": 9, // documents from the schemes

	"web/api/body":  5,  // what integrators send, read strictly; apart, so that fuzzing it builds little else
	"web/problem":   8,  // errors, as callers see them
	"web/request":   7,  // who asks, under which request id, and with which body
	"views":         8,  // pages
	"views/making":  9,  // the maker's tools; apart, because a folder takes so many files
	"views/gallery": 10, // each page in each state, for people and tests that look at them

	"internal/measure":             9, // what `countersign bench` does: starts the program beside itself and measures it
	"internal/stations":            8, // the stations of one gateway put together, for the program and for tests
	"internal/stationtest":         9, // stations on a real store, for tests
	"internal/transport/amqp":      8, // how documents travel: they fill the clearing station's seam, which knows none of them
	"internal/transport/http":      8,
	"internal/transport/payeebank": 8, // how payees are verified at other banks: it fills the port of internal/payee

	// Stations: the order of steps of a use case. They never import each other.
	"internal/submission":      7,
	"internal/approval":        7,
	"internal/holder":          7, // tells other banks whose account it is; apart from submission, because it works for banks
	"internal/clearing":        7,
	"internal/auth":            7,
	"internal/admin":           7,
	"internal/notary":          7, // seals the audit trail behind all others
	"internal/auditor":         7, // holds what is stored against what must hold; follows no use case, so it is no part of another station
	"internal/demo":            7, // the demo's realms
	"internal/realmfile":       7, // a realm as a file, for the operator
	"internal/store/bench":     7, // what figures of speed are measured by
	"internal/simulator":       7, // the other side of the wire
	"views/ui":                 7, // the parts pages are made of
	"internal/store/storetest": 7, // databases for tests

	// The rooms of the store, by noun: only they know the queries. They never import each other.
	"internal/store/lifecycle":  6, // where a message is made, changes, is sent and answered
	"internal/store/lookup":     6, // what pages and lists read
	"internal/store/credential": 6, // who signs in, and with what
	"internal/store/governance": 6, // changes of administration, and the master data that follow from them
	"internal/store/provision":  6, // what the operator brings into a realm, outside the running service
	"internal/store/snapshot":   6, // what the auditor reads
	"internal/store/sealing":    6, // the hash trees over the audit trail

	"internal/trace":               0, // what the steps of a message are told by to a collector
	"internal/store":               5, // opens the database, the one place where its transactions begin
	"internal/store/internal/load": 5, // rows of messages as the domain knows them
	"internal/postgres":            5, // runs a private server

	"internal/administration":            5, // what a realm is made of, and the rules of changes to it; pure
	"internal/openid":                    1, // who somebody is to an identity provider; knows no realm and no account
	"internal/openid/openidtest":         1, // identity providers for tests
	"internal/entry":                     5, // a form or a file to a payment order, and back
	"internal/payment":                   4, // the pure domain
	"internal/interbank":                 3, // the documents banks exchange
	"internal/interbank/provenance":      3, // where each element of them came from
	"internal/rulebook/rtransactionrule": 2, // what the schemes allow of recalls, returns and resolutions, and until when
	"internal/rulebook/spending":         2, // that an amount is within what person, client and account may pay
	"internal/rulebook/reach":            2, // that the creditor's bank keeps the account and is reached, by a directory
	"internal/profile":                   2, // how documents look on the way to and from a clearing
	"internal/interbank/carriage":        2, // what becomes of each element of an order
	"internal/rulebook":                  1, // what the schemes allow, as a table

	"internal/iso20022":           0,  // the payment messages as types
	"internal/iso20022/codec":     1,  // their documents read, checked and written; most of the gateway speaks of messages and never of bytes
	"internal/iso20022/isosample": 1,  // random documents for tests
	"internal/iso20022/element":   -1, // places of a message, found by the names on the way to them
	"internal/iso20022/schema":    -1, // the shape of the schemas, which types and codec share
	"internal/account":            0,
	"internal/payee":              0, // what is asked and answered of a payee, and how names are compared; pure
	"internal/payee/vop":          1, // the same as the inter-bank API of the EPC writes it, for whoever asks and whoever answers
	"internal/qrbill":             1, // the Swiss QR code of a bill: its text, and the picture that holds it
	"internal/directory":          1, // which bank keeps an account, and whether instant payments reach it
	"internal/charset":            0, // which characters texts may hold, and texts rewritten with them
	"internal/identity":           1,
	"internal/audit":              1,
	"internal/evidence":           2, // what an auditor can prove without trusting the database: leaves, checkpoints, bundles

	"internal/language": -1, // what people read in the portal, in their own language
	"internal/money":    0,
	"internal/calendar": 0, // bank working days
	"internal/metric":   0, // what operators watch, in Prometheus's form; parts of every floor count, so it stands below all
	"internal/keyring":  0, // secret keys outside the database: seals and keyed digests
	"internal/globalid": 0, // the identifiers messages are known by
	// seals of documents on their way out; a document is a name and bytes here, so it needs no message
	"internal/documentseal":              2,
	"internal/iso20022/code":             0,  // external code sets
	"internal/iso20022/xmltoken":         -1, // XML in pieces, without knowing what they mean
	"internal/iso20022/jsontoken":        -1, // JSON in pieces, likewise
	"internal/store/internal/masterdata": 3,  // what the seal of each row of master data covers
	"internal/store/internal/tokenseal":  3,  // what the seal of a token's row covers
	"internal/store/internal/column":     2,  // NULL and the zero value
	"internal/store/internal/word":       2,  // the words that messages are found by
	"internal/store/internal/share":      0,  // one answer for all who ask the same at about the same time
	"internal/store/internal/dbsqlc":     0,  // generated from queries/
	"internal/transport/amqp/brokertest": 1,  // brokers for tests
	"internal/testlog":                   0,  // logs that tests read
	"internal/testneed":                  0,  // what tests need of the machine
	"migrations":                         0,  // the schema, embedded
	"static":                             0,  // files for browsers, embedded
	"web/sheet":                          0,  // tables for spreadsheets
	"api":                                0,  // the OpenAPI document, embedded

	// Programs and tests of the development, which nothing imports.
	"api/jsondoc":                15,
	"internal/account/datagen":   15,
	"internal/iso20022/xsdgen":   15,
	"internal/rulebook/rulesdoc": 15,
	"internal/mutant":            15, // the program with a guard taken out, which tests must notice
	"internal/simulation":        15, // schedules of chance, with crashes between any two statements
	"internal/tidy":              15,
	"web/browsertest":            15,
	"web/webtest":                15, // the whole gateway with its doors, for tests
}

// barred are imports that the floors would allow. Both sides mean the package and all below it; "*" means every package of this
// project. Files of tests are not held to this.
var barred = []struct{ from, target, reason string }{
	{"internal/evidence", "internal/payment", "who verifies a bundle needs nothing of the gateway"},
	{"internal/simulator", "internal/store", "the simulator knows the wire only"},
	{"internal/simulator", "internal/payment", "the simulator knows the wire only"},
	{"internal/simulator", "internal/rulebook", "the simulator knows the wire only"},
	{"internal/simulator", "internal/interbank", "the simulator knows the wire only"},
	{"internal/postgres", "*", "the launcher serves any program"},
	{"views", "internal/store", "views know view models only"},
	{"views", "internal/submission", "views know view models only"},
	{"views", "internal/approval", "views know view models only"},
	{"views", "internal/clearing", "views know view models only"},
	{"views", "internal/auth", "views know view models only"},
	{"views", "internal/admin", "views know view models only"},
}

// testSupport are the packages that only tests may import, and each other.
var testSupport = []string{
	"internal/store/storetest", "internal/stationtest", "internal/testlog", "internal/testneed", "internal/openid/openidtest",
	"internal/iso20022/isosample", "internal/transport/amqp/brokertest", "web/webtest",
}

// confined are modules (by the beginning of their import path) that only one folder may import, or few. Files of tests
// are not held to this.
var confined = []struct {
	module string
	homes  []string
}{
	{"github.com/jackc/", []string{"internal/store"}},
	{"github.com/pressly/goose", []string{"internal/store"}},
	{"github.com/labstack/echo", []string{"web"}},
	{"github.com/sony/gobreaker", []string{"internal/clearing", "internal/transport/payeebank"}},
	{"github.com/makiuchi-d/gozxing", []string{"internal/qrbill"}},
	{"github.com/prometheus", []string{"internal/metric"}},
	{"go.opentelemetry.io", []string{"internal/trace"}},
	{"github.com/coreos/go-oidc", []string{"internal/openid"}},
	{"golang.org/x/oauth2", []string{"internal/openid"}},
	{"github.com/zitadel/oidc", []string{"internal/openid/openidtest"}},
}

// allowed are the exceptions of rules: in the file or folder the rule by that name does not hold, for the reason given.
var allowed = []struct{ rule, place, reason string }{
	{"clock", "cmd", "the program hands the clock to its parts"},
	{"clock", "internal/measure", "how long something takes is measured by the machine's clock"},
	{"clock", "internal/store/jobs.go", "the job queue works by the machine's clock"},
	{"clock", "internal/store/limit.go", "how long a statement runs is measured by the machine's clock"},
	{"clock", "internal/store/wait.go", "how long a delivery waits for a worker is measured by the clock of the job queue"},
	{"clock", "web/portal/page/session_use.go", "the session library ends sessions by the machine's clock"},
	{"clock", "web/health.go", "how old the last look at the database is, by the machine's clock"},
	{"root context", "cmd", "the program's own context begins here"},
	{"panic", "cmd", "a wrong build may end here"},
	{"skips", "internal/testneed", "it knows when a test may be skipped"},
	{"root context", "internal/store/storetest", "a database is dropped after the test's own context has ended"},
	{"root context", "internal/stationtest", "a station is closed after the test's own context has ended"},
	{"root context", "internal/simulator/simulator.go", "its life ends with Close, not with a request"},
	{"clock", "internal/simulator/simulator.go", "the other side of the wire has a clock of its own; tests replace it"},
	{"clock", "internal/transport/amqp/brokertest", "how long a broker may take to start is measured by the machine's clock"},
	{"panic", "internal/simulator/delivery.go", "http.ErrAbortHandler drops a connection as the scenario asks"},
	{"clock", "internal/store/storetest", "sessions of tests end by the database's clock, which is the wall's"},
	{"panic", "internal/iso20022/code/code.go", "embedded files that a test reads: broken ones cannot be released"},
	{"panic", "internal/account/bank.go", "an embedded table that a test reads: a broken one cannot be released"},
	{"panic", "internal/account/registry.go", "an embedded table that a test reads: a broken one cannot be released"},
	{"panic", "internal/iso20022/element/set.go", "tables of places that a test reads: a slip in one cannot be released"},
	{"sql", "migrations", "the schema"},
	{"sql", "internal/store/bench/fill.go", "tells the statements of a piece, which are no queries of the program, which one it is"},
	{"sql", "internal/store/bench/settled.go", "makes the databases of a measurement, whose names are no parameters"},
	{"sql", "web/webtest", "it counts what the program stored"},
	{"sql", "internal/stationtest", "it looks past the program into the tables, to check what it did"},
	{"sql", "internal/store/migrate.go", "the job tables belong to another module, which brings their migrations"},
	{"sql", "internal/store/may_migrate.go", "the SQL stands in a sentence for the operator; nothing runs it"},
	{"sql", "cmd/countersign/migrate.go", "the SQL for the logins is printed for the operator; nothing runs it"},
	{"sql", "internal/store/pooler.go", "a sentence tells the operator the statement to run"},
	{"sql", "internal/store/service_login.go", "roles are no rows: sqlc knows no statement that makes one"},
	{"sql", "internal/store/storetest", "makes and drops databases, which no query of the program does"},
}
