package archtest

// floors is the layout: every package with its floor, 1 at the bottom. A package imports packages of its own floor or of lower ones. A new
// package needs a line here, and a sentence in its comment that says why no existing package fits.
var floors = map[string]int{
	// 7: commands
	"cmd/countersign": 7, "cmd/simulator": 7,

	// 6: HTTP: pages, JSON, clearing and verification of payee
	"web": 6, "web/api": 6, "web/clearing": 6, "web/request": 6, "web/vop": 6, "web/portal": 6,
	"views": 6, "views/ui": 6, "static": 6,

	// 5: use cases
	"internal/service": 5, "internal/clearing": 5, "internal/clearing/amqp": 5, "internal/clearing/httpclient": 5,
	"internal/auth": 5, "internal/auth/oidc": 5, "internal/realmfile": 5, "internal/demo": 5, "internal/simulator": 5,

	// 4: storage and texts
	"internal/store": 4, "internal/store/integrity": 4, "internal/store/internal/dbsqlc": 4, "migrations": 4,
	"internal/postgres": 4,

	// 3: the domain
	"internal/payment": 3, "internal/administration": 3, "internal/orderform": 3,

	// 2: rules, documents between banks, integrity
	"internal/rulebook": 2, "internal/interbank": 2, "internal/profile": 2, "internal/auditlog": 2,

	// 1: types, codes, reading and writing
	"internal/iso20022": 1, "internal/iso20022/code": 1, "internal/iso20022/codec": 1,
	"internal/account": 1, "internal/calendar": 1, "internal/charset": 1, "internal/identity": 1,
	"internal/keyring": 1, "internal/i18n": 1, "internal/money": 1, "internal/observability": 1, "internal/payee": 1, "internal/qrbill": 1,
	"api": 1, "api/client": 1,

	// Tests and tools; the product imports none of them.
	"internal/testutil": 1, "internal/auth/oidc/oidctest": 5, "internal/store/storetest": 5,
	"internal/service/servicetest": 6, "web/webtest": 7, "web/browsertest": 7, "internal/simtest": 7,
	"tools/archtest": 7, "tools/bench": 7, "tools/count": 7, "tools/datagen": 7, "tools/gallery": 7, "tools/gallery/screens": 7,
	"tools/jsondoc": 7, "tools/mutationtest": 7, "tools/rulesdoc": 7, "tools/xsdgen": 7,
}

// barred are imports that the floors would allow. Both sides mean the package and all below it; "*" means every package of this
// project. Files of tests are not held to this.
var barred = []struct{ from, target, reason string }{
	{"internal/i18n", "regexp", "a text is kept as its key with its values: no English sentence is recognised"},
	{"internal/auditlog", "internal/payment", "who verifies a bundle needs nothing of the gateway"},
	{"internal/simulator", "internal/store", "the simulator knows the wire only"},
	{"internal/simulator", "internal/payment", "the simulator knows the wire only"},
	{"internal/simulator", "internal/rulebook", "the simulator knows the wire only"},
	{"internal/simulator", "internal/interbank", "the simulator knows the wire only"},
	{"internal/postgres", "*", "the launcher serves any program"},
	{"views", "internal/store", "views know view models only"},
	{"views", "internal/service", "views know view models only"},
	{"views", "internal/clearing", "views know view models only"},
	{"views", "internal/auth", "views know view models only"},
}

// testSupport are the packages that only tests may import, and each other.
var testSupport = []string{
	"internal/store/storetest", "internal/service/servicetest", "internal/testutil", "internal/auth/oidc/oidctest",
	"web/webtest",
}

// confined are modules (by the beginning of their import path) that only one folder may import, or few. Files of tests
// are not held to this.
var confined = []struct {
	module string
	homes  []string
}{
	{"github.com/jackc/", []string{"internal/store", "tools/bench"}},
	{"github.com/pressly/goose", []string{"internal/store"}},
	{"github.com/labstack/echo", []string{"web"}},
	{"github.com/sony/gobreaker", []string{"internal/clearing", "internal/service"}},
	{"github.com/makiuchi-d/gozxing", []string{"internal/qrbill"}},
	{"github.com/prometheus", []string{"internal/observability"}},
	{"go.opentelemetry.io", []string{"internal/observability"}},
	{"github.com/coreos/go-oidc", []string{"internal/auth/oidc"}},
	{"golang.org/x/oauth2", []string{"internal/auth/oidc"}},
	{"github.com/zitadel/oidc", []string{"internal/auth/oidc/oidctest"}},
}

// allowed are the exceptions of rules: in the file or folder the rule by that name does not hold, for the reason given.
var allowed = []struct{ rule, place, reason string }{
	{"clock", "cmd", "the program hands the clock to its parts"},
	{"clock", "tools/bench", "how long something takes is measured by the machine's clock"},
	{"clock", "internal/store/clock.go", "how long a statement runs is measured by the machine's clock"},
	{"clock", "internal/store/limit.go", "how long a statement runs is measured by the machine's clock"},
	{"clock", "web/portal/session_use.go", "the session library ends sessions by the machine's clock"},
	{"clock", "web/health.go", "how old the last look at the database is, by the machine's clock"},
	{"root context", "cmd", "the program's own context begins here"},
	{"root context", "tools/bench/main.go", "the program's own context begins here"},
	{"panic", "cmd", "a wrong build may end here"},
	{"clock", "api/client", "it runs in the programs of others: tokens and waits go by the clock of their machine"},
	{"skips", "internal/testutil", "it knows when a test may be skipped"},
	{"root context", "internal/store/storetest", "a database is dropped after the test's own context has ended"},
	{"root context", "internal/service/servicetest", "a station is closed after the test's own context has ended"},
	{"root context", "internal/simulator/simulator.go", "its life ends with Close, not with a request"},
	{"clock", "internal/simulator/simulator.go", "the other side of the wire has a clock of its own; tests replace it"},
	{"clock", "internal/testutil/broker.go", "how long a broker may take to start is measured by the machine's clock"},
	{"panic", "internal/simulator/judge.go", "http.ErrAbortHandler drops a connection as the scenario asks"},
	{"panic", "internal/simulator/core.go", "http.ErrAbortHandler drops a connection as the fault asks"},
	{"clock", "internal/store/storetest", "sessions of tests end by the database's clock, which is the wall's"},
	{"panic", "internal/iso20022/code/code.go", "embedded files that a test reads: broken ones cannot be released"},
	{"panic", "internal/account/bank.go", "an embedded table that a test reads: a broken one cannot be released"},
	{"panic", "internal/account/registry.go", "an embedded table that a test reads: a broken one cannot be released"},
	{"panic", "internal/iso20022/set.go", "tables of places that a test reads: a slip in one cannot be released"},
	{"sql", "migrations", "the schema"},
	{"sql", "tools/bench/fill.go", "tells the statements of a piece, which are no queries of the program, which one it is"},
	{"sql", "tools/bench/settled.go", "makes the databases of a measurement, whose names are no parameters"},
	{"sql", "web/webtest", "it counts what the program stored"},
	{"sql", "internal/service/servicetest", "it looks past the program into the tables, to check what it did"},
	{"sql", "internal/store/integrity/rule.go", "the rules of schema.txt become statements, which sqlc cannot know"},
	{"sql", "internal/store/migrate.go", "the job tables belong to another module; a sentence tells the operator a statement to run"},
	{"panic", "web/portal/export.go", "http.ErrAbortHandler is how a handler breaks off a response whose status was sent"},
	{"sql", "cmd/countersign/migrate.go", "the SQL for the logins is printed for the operator; nothing runs it"},
	{"sql", "internal/store/pooler.go", "a sentence tells the operator the statement to run"},
	{"sql", "internal/store/privilege.go", "roles are no rows: sqlc knows no statement that makes one"},
	{"sql", "internal/store/storetest", "makes and drops databases, which no query of the program does"},
}
