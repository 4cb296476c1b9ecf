package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"countersign/internal/keyring"
	"countersign/internal/store/storetest"
)

// operator runs commands of an operator against a migrated database without realms.
type operator struct {
	t        *testing.T
	db       *storetest.DB
	settings []string
	typed    string // on standard input
}

func newOperator(t *testing.T) *operator {
	t.Helper()
	db := storetest.New(t)
	return &operator{t: t, db: db, settings: []string{
		"COUNTERSIGN_DATABASE_OWNER_URL=" + db.OwnerURL, "COUNTERSIGN_TOKEN_KEY_FILE=" + keyIn(t, t.TempDir()),
	}}
}

// runs holds that a command ends with a code and says something, and returns all it wrote.
func (o *operator) runs(code int, want string, arguments ...string) string {
	o.t.Helper()
	p := startTyping(o.t, o.typed, o.settings, arguments...)
	got, said := p.wait(o.t), p.output.String()
	if got != code || !strings.Contains(said, want) {
		o.t.Fatalf("%s ends with %d, want %d and %q in:\n%s", strings.Join(arguments, " "), got, code, want, said)
	}
	return said
}

// seal seals the heads of the realms again, after a test changed rows in plain SQL.
func (o *operator) seal() {
	o.t.Helper()
	file, err := os.ReadFile(strings.TrimPrefix(o.settings[1], "COUNTERSIGN_TOKEN_KEY_FILE="))
	must(o.t, err)
	keys, err := keyring.Parse(file, bareTokenKey)
	must(o.t, err)
	o.db.SealMasterDataWith(o.t, keys)
}

func (o *operator) count(query string) int {
	o.t.Helper()
	var n int
	must(o.t, o.db.Owner(o.t).QueryRow(o.t.Context(), query).Scan(&n))
	return n
}

const realmYAML = `realm: bank
name: Beispiel Bank AG
mark: BK
people:
  - name: Muster Maker
    users: [{user: maker, roles: [maker]}]
  - name: Muster Checker
    users: [{user: checker, roles: [checker]}]
clients:
  - {client: erp, kind: confidential}
policies:
  - {approvals: 1}
  - {approvals: 2, amountFrom: "10000.00", expiresAfter: 90m}
accounts:
  - iban: CH50 2197 7000 0043 3134 6
    scheme: sic-inst
    holder: {name: Muster AG, street: Musterstrasse, building: "24", postcode: "3000", town: Bern, country: CH}
    agent: {bic: AAAACHBBXXX, iid: "21977"}
    receives: true
limits:
  - {limitOf: account, holder: CH50 2197 7000 0043 3134 6, currency: CHF, perDay: "500000.00"}
  - {limitOf: person, holder: maker, currency: EUR, perPayment: "1000.00"}
`

func (o *operator) file(name, text string) string {
	o.t.Helper()
	path := filepath.Join(o.t.TempDir(), name)
	must(o.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// refuses holds that a realm file is refused in some words when a text of it is another.
func (o *operator) refuses(t *testing.T, good, from, to, want string) {
	t.Helper()
	t.Parallel()
	if !strings.Contains(good, from) {
		t.Fatal("the case changes nothing")
	}
	one := *o
	one.t = t
	one.runs(exitUsage, want, "realm", "apply", one.file("wrong.yaml", strings.Replace(good, from, to, 1)))
}

func TestARealmIsMadeFromTheCommandLine(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.runs(0, "The realm bank is made", "realm", "create", "--realm", "bank", "--mark", "BK", "--name", "Beispiel Bank AG")
	o.runs(exitFailed, "there is a realm of this name", "realm", "create", "--realm", "bank", "--mark", "B2", "--name", "Again")
	o.runs(exitFailed, "there is a realm of this name", "realm", "create", "--realm", "other", "--mark", "BK", "--name", "Again")
	o.runs(exitUsage, "mark: Give the realm a mark", "realm", "create", "--realm", "other", "--mark", "IO", "--name", "X")
	o.runs(exitUsage, "name: Enter the name of the institution", "realm", "create", "--realm", "other", "--mark", "B2", "--name", "")
	file := o.file("bank.yaml", realmYAML)
	said := o.runs(
		0, "+ user maker\n+ user checker\n+ client erp\n+ policy of rank 100: 2 approvals, from 10000.00, within 90m\n"+
			"+ account CH5021977000004331346\n+ limit of account CH5021977000004331346 in CHF\n+ limit of person maker in EUR\n",
		"realm", "apply", file, "--dry-run",
	)
	if strings.Contains(said, "secret  ") || o.count("SELECT count(*) FROM user_account") != 0 {
		t.Errorf("the dry run changed something:\n%s", said)
	}
	said = o.runs(0, "7 differences applied", "realm", "apply", file)
	for _, secret := range []string{`/set-up/bank/[\w-]{43}`, `code  \d{6}`, `client erp\n  secret  [A-Z2-7]{26}`} {
		if !regexp.MustCompile(secret).MatchString(said) {
			t.Errorf("nothing like %s is printed:\n%s", secret, said)
		}
	}
	o.runs(0, "nothing to change", "realm", "apply", file)
	o.runs(0, "~ realm bank\n~ user maker\nThe realm bank is as the file says: 2 "+
		"differences", "realm", "apply", o.file("mail.yaml", strings.NewReplacer(
		"mark: BK", "mark: BK\nnoticeDetails: true", "user: maker, ", "user: maker, email: maker@bank.example, ",
	).Replace(realmYAML)))
	o.runs(0, "nothing to change", "realm", "apply", file) // what the file leaves out stays
	o.runs(0, "email: maker@bank.example", "realm", "show", "--realm", "bank")
	o.runs(0, "~ client erp, may approve what it created (mayDecideOwn)\n", "realm", "apply", "--dry-run", o.file("own.yaml",
		strings.Replace(realmYAML, "kind: confidential", "kind: confidential, mayDecideOwn: true", 1)))
	o.runs(0, "~ client erp, reads without a person (roles)\n", "realm", "apply", "--dry-run", o.file("alone.yaml",
		strings.Replace(realmYAML, "kind: confidential", "kind: confidential, roles: [supervisor]", 1)))
	o.runs(exitUsage, "people/1/name: Name an account of Muster Maker too", "realm", "apply", o.file("twin.yaml", strings.NewReplacer(
		"name: Muster Checker", "name: Muster Maker", "user: checker, roles: [checker]", "user: checker2, roles: [checker]",
		"name: Muster Maker", "name: Somebody Else", "user: maker, roles: [maker]", "user: maker3, roles: [maker]",
	).Replace(realmYAML)))
	shown := o.runs(0, "receives: true", "realm", "show", "--realm", "bank")
	if strings.Contains(shown, "argon2") || strings.Contains(shown, "hash") {
		t.Errorf("show prints secrets:\n%s", shown)
	}
	o.runs(0, "nothing to change", "realm", "apply", o.file("shown.yaml", shown))
	o.runs(0, "code  ", "realm", "administrator", "--realm", "bank", "--user", "anna", "--name", "Anna A")
	o.runs(0, "code  ", "realm", "administrator", "--realm", "bank", "--user", "anna", "--name", "Anna A") // a new link, while none was used
	o.runs(exitFailed, "somebody set its password", "realm", "administrator", "--realm", "bank", "--user", "maker", "--name", "X")
	o.runs(exitFailed, "unknown realm", "realm", "administrator", "--realm", "bonk", "--user", "anna", "--name", "Anna A")
	o.runs(0, "I20  holds", "check", "--without-keys", "--token-key-file", strings.TrimPrefix(o.settings[1], "COUNTERSIGN_TOKEN_KEY_FILE="))
	if n := o.count(
		"SELECT count(*) FROM audit_event WHERE channel = 'operator' AND event IN ('realm.create', 'realm.apply', 'realm.administrator')",
	); n != 5 {
		t.Errorf("%d audit rows of the operator, want 5", n)
	}
}

// TestWhatCannotBeShownIsNotMade: links, codes and secrets are shown once, so on a full disk nobody is made who could never come in.
func TestWhatCannotBeShownIsNotMade(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.runs(0, "The realm bank is made", "realm", "create", "--realm", "bank", "--mark", "BK", "--name", "Beispiel Bank AG")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	must(t, err)
	defer func() { _ = full.Close() }()
	for _, arguments := range [][]string{
		{"realm", "apply", o.file("bank.yaml", realmYAML)},
		{"realm", "administrator", "--realm", "bank", "--user", "anna", "--name", "Anna A"},
	} {
		var said strings.Builder
		command := exec.Command(os.Args[0], arguments...)
		command.Env = append(append(os.Environ(), asProgram+"=1"), o.settings...)
		command.Stdout, command.Stderr = full, &said
		_ = command.Run()
		if command.ProcessState.ExitCode() != exitFailed || !strings.Contains(said.String(), "so nothing was changed") {
			t.Errorf("%v ends with %d and says %s", arguments, command.ProcessState.ExitCode(), said.String())
		}
	}
	if o.count("SELECT count(*) FROM user_account") != 0 || o.count("SELECT count(*) FROM client WHERE kind <> 'portal'") != 0 {
		t.Error("somebody was made who never gets a link")
	}
	o.runs(0, "7 differences applied", "realm", "apply", o.file("bank.yaml", realmYAML))
}

// TestAnAccountThatIsNoLongerSuppressedIsWhatItWas: active where its owner chose a password, else it waits for one.
func TestAnAccountThatIsNoLongerSuppressedIsWhatItWas(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.runs(0, "is made", "realm", "create", "--realm", "bank", "--mark", "BK", "--name", "Beispiel Bank AG")
	file := o.file("bank.yaml", realmYAML)
	o.runs(0, "7 differences applied", "realm", "apply", file)
	_, err := o.db.Owner(t).Exec(t.Context(), `INSERT INTO user_setup_use (realm, setup_id, user_id, at)
		SELECT s.realm, s.setup_id, s.user_id, s.made_at FROM user_setup s JOIN user_account u USING (realm, user_id) WHERE u.name = 'checker';`)
	must(t, err)
	_, err = o.db.Owner(t).Exec(t.Context(), "UPDATE user_account SET status = 'active' WHERE name = 'checker'")
	must(t, err)
	o.seal()
	suppressed := strings.NewReplacer("[maker]", "[maker], suppressed: true", "[checker]", "[checker], suppressed: true").Replace(realmYAML)
	o.runs(0, "~ user maker\n~ user checker\n", "realm", "apply", o.file("suppressed.yaml", suppressed))
	o.runs(0, "~ user maker\n~ user checker\n", "realm", "apply", file)
	for status, name := range map[string]string{"unverified": "maker", "active": "checker"} {
		if o.count("SELECT count(*) FROM user_account WHERE status = '"+status+"' AND name = '"+name+"'") != 1 {
			t.Errorf("%s is not %s after it was suppressed", name, status)
		}
	}
}

// TestAnOlderRealmFileDoesNotLiftTheSecondFactor: what it leaves out stays; an empty list asks it of nobody.
func TestAnOlderRealmFileDoesNotLiftTheSecondFactor(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.runs(0, "is made", "realm", "create", "--realm", "bank", "--mark", "BK", "--name", "Beispiel Bank AG")
	asked := strings.Replace(realmYAML, "mark: BK", "mark: BK\nsecondFactor: [checker]", 1)
	o.runs(0, "~ realm bank\n", "realm", "apply", o.file("asked.yaml", asked))
	o.runs(0, "nothing to change", "realm", "apply", o.file("older.yaml", realmYAML))
	o.runs(0, "secondFactor: [checker]", "realm", "show", "--realm", "bank")
	o.runs(0, "~ realm bank\n", "realm", "apply", o.file("lifted.yaml", strings.Replace(asked, "[checker]", "[]", 1)))
	if shown := o.runs(0, "mark: BK", "realm", "show", "--realm", "bank"); strings.Contains(shown, "secondFactor") {
		t.Errorf("an empty list lifts nothing:\n%s", shown)
	}
}

// TestOfTwoOperatorsAtOnceOneCounts: what the other one would have printed counts for nothing.
func TestOfTwoOperatorsAtOnceOneCounts(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.runs(0, "The realm bank is made", "realm", "create", "--realm", "bank", "--mark", "BK", "--name", "Beispiel Bank AG")
	file, both := o.file("bank.yaml", realmYAML), [2]*program{}
	held, err := o.db.Connect(t).Begin(t.Context())
	must(t, err)
	_, err = held.Exec(t.Context(), "SELECT FROM realm WHERE realm = 'bank' FOR UPDATE")
	must(t, err)
	for i := range both {
		both[i] = start(t, o.settings, "realm", "apply", file)
	}
	const waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0"
	watch, behind := o.db.Connect(t), 0
	for until := time.Now().Add(patience); behind < len(both); time.Sleep(time.Millisecond) {
		must(t, watch.QueryRow(t.Context(), waiting).Scan(&behind))
		if time.Now().After(until) {
			t.Fatal("the two do not wait for the realm")
		}
	}
	must(t, held.Rollback(t.Context()))
	done, links := 0, 0
	for _, p := range both {
		if p.wait(t) == 0 {
			done++
		} else if !strings.Contains(p.output.String(), "somebody else changed the realm at the same time") {
			t.Errorf("one of two is told %s", p.output)
		}
		links += strings.Count(p.output.String(), "  link  ")
	}
	if done != 1 || links != 2 || o.count("SELECT count(*) FROM user_setup") != 2 {
		t.Errorf("%d of two applied the file and printed %d links", done, links)
	}
}

func TestTwoAdministratorsShutTheOperatorOut(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.runs(0, "is made", "realm", "create", "--realm", "bank", "--mark", "BK", "--name", "Beispiel Bank AG")
	for _, name := range []string{"anna", "bert"} {
		o.runs(0, "code  ", "realm", "administrator", "--realm", "bank", "--user", name, "--name", "Person "+name)
	}
	_, err := o.db.Owner(t).Exec(t.Context(), "UPDATE user_account SET status = 'active'") // as their set-ups would
	must(t, err)
	o.seal()
	o.runs(
		exitFailed, "there is somebody of this name", "realm", "administrator", "--realm", "bank", "--user", "carla",
		"--name", "PERSON Anna", "--break-glass", "both are ill",
	)
	third := []string{"realm", "administrator", "--realm", "bank", "--user", "carla", "--name", "Carla C"}
	o.runs(exitFailed, "this realm has had two administrators", third...)
	shown := o.runs(0, "mark: BK", "realm", "show", "--realm", "bank")
	o.runs(0, "nothing to change", "realm", "apply", o.file("same.yaml", shown))
	changed := o.file("changed.yaml", strings.Replace(shown, "approvals: 1", "approvals: 0", 1))
	o.runs(exitFailed, "this realm has had two administrators", "realm", "apply", changed)
	if n := o.count("SELECT count(*) FROM policy WHERE approvals_required = 0"); n != 0 {
		t.Error("four-eyes was turned off behind the administrators' backs")
	}
	_, err = o.db.Owner(t).Exec(t.Context(), "UPDATE user_account SET status = 'suppressed' WHERE name = 'bert'")
	must(t, err)
	o.seal()
	o.runs(exitFailed, "this realm has had two administrators", third...)
	o.runs(0, "code  ", append(third, "--break-glass", "both are ill")...)
	if n := o.count(
		"SELECT count(*) FROM break_glass JOIN audit_event USING (realm, at) WHERE event = 'realm.break-glass' AND reason = 'both are ill'",
	); n != 1 {
		t.Errorf("%d broken glasses on record, want 1", n)
	}
}

// TestThePasswordOfAnAdministeredRealmIsNotTheOperators: once two administrators were active, also when one is no longer, the operator
// gives nobody a password without a reason that all administrators read.
func TestThePasswordOfAnAdministeredRealmIsNotTheOperators(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.runs(0, "is made", "realm", "create", "--realm", "bank", "--mark", "BK", "--name", "Beispiel Bank AG")
	const secret = "a rather long and winding sentence"
	password := func(exit int, shown, user string, more ...string) {
		t.Helper()
		o.typed = secret + "\n"
		o.runs(exit, shown, append([]string{"user", "password", "--realm", "bank", "--user", user}, more...)...)
	}
	status := func(statement string) {
		t.Helper()
		_, err := o.db.Owner(t).Exec(t.Context(), statement)
		must(t, err)
		o.seal()
	}
	told := func(reason string, want int) {
		t.Helper()
		n := o.count(`SELECT count(*) FROM audit_event WHERE event = 'user.password' AND channel = 'operator' AND detail LIKE '%` + reason + `%'`)
		if n != want {
			t.Errorf("the trail tells %d times of a password given for %q, want %d", n, reason, want)
		}
	}
	o.runs(0, "code  ", "realm", "administrator", "--realm", "bank", "--user", "anna", "--name", "Person anna")
	status("UPDATE user_account SET status = 'active'")
	password(exitFailed, "no glass needs to be broken", "anna", "--break-glass", "both are ill")
	password(0, "", "anna")
	told("anna", 1)
	o.runs(0, "code  ", "realm", "administrator", "--realm", "bank", "--user", "bert", "--name", "Person bert")
	status("UPDATE user_account SET status = 'active'")
	password(exitFailed, "asks for a reset of the account in the portal", "anna")
	status("UPDATE user_account SET status = 'suppressed' WHERE name = 'bert'")
	password(exitFailed, "asks for a reset of the account in the portal", "anna")
	password(exitUsage, "breakGlass", "anna", "--break-glass", " ")
	told("anna", 1)
	password(0, "", "anna", "--break-glass", "Bert is ill")
	told("Bert is ill", 1)
	if n := o.count(`SELECT count(*) FROM break_glass b JOIN audit_event a USING (realm, at)
		WHERE a.event = 'realm.break-glass' AND b.reason = 'Bert is ill' AND b.deed = 'password'`); n != 1 {
		t.Errorf("%d broken glasses on record, want 1", n)
	}
}

func TestARealmFileIsReadStrictly(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.runs(0, "is made", "realm", "create", "--realm", "bank", "--mark", "BK", "--name", "Beispiel Bank AG")
	for name, test := range map[string]struct{ from, to, want string }{
		"an unknown word": {"kind: confidential", "kinds: confidential", "field kinds not found"},
		"another mark":    {"mark: BK", "mark: B2", "fixed for ever"},
		"a wrong IBAN":    {"3134 6", "3134 7", "accounts/0/iban: "},
		"two duties": {
			"roles: [maker]", "roles: [maker, administrator]",
			"people/0/users/0/roles: Remove the other roles",
		},
		"no role":          {"roles: [maker]", "roles: []", "people/0/users/0/roles: Give the user account at least one role"},
		"an account twice": {"user: checker", "user: maker", "maker stands here twice"},
		"a person twice":   {"name: Muster Checker", "name: muster  maker", "people/1/name: muster  maker stands here twice"},
		"a name that reads like another": {
			"name: Muster Checker", "name: Muster\u200b Maker", "people/1/users/0/displayName: Enter the person's name on one line",
		},
		"a name that runs backwards": {
			"name: Muster Checker", "name: Muster \u202erekcehC", "people/1/users/0/displayName: Enter the person's name on one line",
		},
		"a name with a selector of a variant": {
			"name: Muster Checker", "name: Muster\ufe0f Maker", "people/1/users/0/displayName: Enter the person's name on one line",
		},
		"a name with a filler": {
			"user: checker", "user: maker\u3164", "people/1/users/0/name: Enter the user name on one line",
		},
		"a name of two scripts":   {"user: checker", "user: m\u0430ker", "people/1/users/0/name: Enter a user name in a single alphabet"},
		"a part of an approval":   {"approvals: 2", "approvals: 0.9", "line 13: write a whole number instead of \"0.9\""},
		"less than no approval":   {"approvals: 2", "approvals: -0.5", "write a whole number"},
		"a number in another way": {"approvals: 2", "approvals: 0x2", "write a whole number"},
		"a yes in quotes": {
			"kind: confidential", "kind: confidential, mayDecideOwn: \"yes\"", "write true or false instead of \"yes\"",
		},
		"a program that enters": {
			"kind: confidential", "kind: confidential, roles: [maker]", "clients/0/roles: Choose the roles from this list: supervisor",
		},
		"a yes without": {"kind: confidential", "kind: confidential, mayDecideOwn: on", "write true or false instead of \"on\""},
		"another bank's number": {
			"iid: \"21977\"", "iid: \"762\"", "accounts/0/agentIid: Enter the bank code (IID) as in the IBAN",
		},
		"a bank of another country": {"bic: AAAACHBBXXX", "bic: AAAADEFFXXX", "accounts/0/agentBic: Enter the BIC of the bank that holds"},
		"no words at all":           {realmYAML, "# nothing\n", "the file is empty"},
		"a policy twice over":       {"{approvals: 1}", "{approvals: 1, approvals: 0}", "already defined"},
		"too many approvals":        {"approvals: 2", "approvals: 10", "policies/1/approvals: "},
		"no policy": {
			"policies:\n  - {approvals: 1}\n  - {approvals: 2, amountFrom: \"10000.00\", expiresAfter: 90m}\n", "",
			"policies: Name the policies in force",
		},
		"the portal's client":   {"client: erp", "client: portal", "clients/0/client: Leave the client portal out"},
		"a currency of its own": {"scheme: sic-inst", "scheme: sic-inst\n    currency: EUR", "accounts/0/currency: "},
		"two documents":         {"realm: bank", "realm: bank\n---\nrealm: bank", "more than one YAML document"},
		"nobody behind a person": {
			"users: [{user: maker, roles: [maker]}]", "users: []",
			"people/0/users: Give the person at least one user account",
		},
	} {
		t.Run(name, func(t *testing.T) { o.refuses(t, realmYAML, test.from, test.to, test.want) })
	}
}

// TestMigrateSaysWhichRightIsMissing tries logins that may less and less.
func TestMigrateSaysWhichRightIsMissing(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.settings = append(o.settings, "COUNTERSIGN_DATABASE_OWNER_URL="+loginOf(t, o.db, ""))
	o.runs(exitFailed, "does not own the database: run as an administrator of the server: ALTER DATABASE", "migrate")
	o.runs(0, "GRANT countersign_app TO countersign_service", "migrate", "--print-logins")
}
