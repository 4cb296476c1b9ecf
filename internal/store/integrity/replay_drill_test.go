package integrity_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/account"
	"countersign/internal/administration"
	"countersign/internal/auth"
	"countersign/internal/demo"
	"countersign/internal/identity"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

// moving are the tables of which an earlier row could move money.
var moving = []string{
	"message", "message_version", "message_history", "decision", "release", "policy", "user_account", "user_role", "client", "debtor_account",
	"spending_limit", "second_factor", "factor_use", "realm_head", "limit_use", "beneficiary", "person", "realm",
	"incoming_account", "routing_directory", "user_setup_use", "document", "outbox", "creation_key", "incoming_payment", "inbox", "audit_event",
}

// unchanging are the tables of which no earlier state differs: a row is written once and may go by itself, or is of the schema. docs/security.md
// names them and core_booking. The drill detaches no archive, so archived_month stays as it is too.
var unchanging = []string{
	"access_token", "archived_month", "audit_checkpoint", "audit_node", "core_booking", "legal_move", "reference_edition", "role_duty", "user_setup",
}

// masters are the tables under the head of a realm.
var masters = []string{
	"realm", "person", "user_account", "user_role", "client", "policy", "debtor_account", "incoming_account", "spending_limit", "beneficiary",
	"second_factor", "identity_provider", "outer_identity", "webhook", "user_setup", "user_setup_use", "routing_directory", "realm_head",
}

// ofMessage are the tables with the rows of a message.
var ofMessage = []string{"message", "message_version", "message_history", "decision", "release", "document", "creation_key", "audit_event"}

// TestEveryReplayIsFoundAndMovesNothing: a superuser whom no trigger holds puts rows back as they were before later steps, each genuine under
// its seal: single rows, pairs, all rows of a table or of a message, the head with all its rows, or takes away rows written since. The check
// names each, and a gateway that was started afterwards lets nobody decide, create or send by them. make drill puts 400 back.
func TestEveryReplayIsFoundAndMovesNothing(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	h := withCore(t)
	fill(t, h, 4)
	before := begin(t, h)
	h.Notary.Sweep(ctx)
	s := singles{drill: drill{url: h.DB.OwnerURL, conn: h.DB.Connect(t)}}
	s.keep(t, "earlier")
	ended := goOn(t, h, before)
	h.Notary.Sweep(ctx)
	h.Clock.Add(61 * time.Second) // what is not sealed by then never will be
	s.keep(t, "saved")
	for _, i := range audit(t, h, s.url).Invariants {
		for _, v := range i.Violations {
			t.Errorf("clean, and yet %s is broken by %s %s: %s", i.ID, v.Table, v.Key, v.What)
		}
	}
	_, err := s.conn.Exec(ctx, "SET session_replication_role = replica; DROP INDEX refresh_token_live")
	must(t, err)
	wanted := testutil.Count(t, "COUNTERSIGN_DRILL_REPLAYS", 30)
	s.random = rand.New(rand.NewPCG(11, uint64(wanted)))
	changed := s.changedSince(t)
	try := func() []string { return s.try(t, h, ended, "checker1", "checker2") }
	kinds, could, honest := map[string]int{}, 0, try()
	for range wanted {
		kind, what, tables, names := s.replay(t, changed)
		kinds[kind]++
		if !anyNamed(audit(t, h, s.url), names) {
			t.Errorf("%s of %s is not found, or none of %q named", kind, what, names)
		}
		if slices.ContainsFunc(tables, func(table string) bool { return slices.Contains(moving, table) }) {
			could++
			if extra := more(try, &honest); len(extra) > 0 {
				t.Errorf("%s of %s: %q leave", kind, what, extra)
			}
			continue
		}
		for _, table := range tables {
			s.mend(t, table)
		}
	}
	waiting := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	released := beyond(s.try(t, h, []uuid.UUID{waiting.InternalID}, "checker1"), honest)
	if len(released) != 1 || !strings.Contains(released[0], "pacs.008") {
		t.Errorf("without a change %q leave, and with a payment that waits also %q", honest, released)
	}
	var same []string
	for _, one := range allStruck {
		if len(changed[one.table]) == 0 {
			same = append(same, one.table)
		}
		if len(changed[one.table]) == 0 && !slices.Contains(unchanging, one.table) {
			t.Errorf("no row of %s is changed, so none is put back", one.table)
		}
	}
	t.Logf("%d replays %v, of %d tables with earlier rows, all but %v; %d could have moved money, and none did", wanted, kinds, len(changed), same,
		could)
}

// keep copies every table into a schema.
func (s singles) keep(t *testing.T, schema string) {
	t.Helper()
	_, err := s.conn.Exec(ctx, "CREATE SCHEMA "+schema)
	must(t, err)
	for _, one := range allStruck {
		_, err = s.conn.Exec(ctx, fmt.Sprintf("CREATE TABLE %s.%s AS SELECT * FROM %[2]s", schema, one.table))
		must(t, err)
	}
}

// signIns are refresh tokens of sign-ins that are open, the codes of a second factor, and link and code of an account without password.
type signIns struct {
	refreshed, ended string
	factor           func(steps int) string
	link, code       string
}

const replayedSession = "the session that is put back"

// begin signs people in, takes a second factor up and makes an account.
func begin(t *testing.T, h *servicetest.Env) signIns {
	t.Helper()
	var in signIns
	for _, token := range []*string{&in.refreshed, &in.ended} {
		set, err := h.Auth.Login(ctx, auth.LoginInput{Realm: demo.Realm, Client: backOffice, Name: "maker2", Password: demo.UserPassword})
		must(t, err)
		*token = set.RefreshToken
	}
	must(t, h.Sessions.CommitCtx(ctx, replayedSession, []byte("maker2"), time.Now().Add(time.Hour)))
	in.factor, _ = enrol(t, h, "maker8")
	in.link, in.code = applied(t, h, newcomer("maker10"))
	return in
}

// goOn has people end waiting messages and sign out, and two administrators change the master data. It returns the messages that ended.
func goOn(t *testing.T, h *servicetest.Env, before signIns) []uuid.UUID {
	t.Helper()
	_, err := h.Auth.Refresh(ctx, auth.RefreshInput{Realm: demo.Realm, Client: backOffice, RefreshToken: before.refreshed})
	must(t, err)
	must(t, h.Auth.Logout(ctx, auth.RevokeInput{Realm: demo.Realm, Client: backOffice, Token: before.ended}))
	must(t, h.Sessions.End(ctx, store.SessionEnd{Token: replayedSession, By: h.Person(t, "maker2"), Reason: "sign-out", At: h.Clock.Now()}))
	settle(t, h, approve(t, h, h.Create(t, h.Person(t, "maker2"), rulebook.SchemeSIC))) // it takes of a limit
	in, _ := arrive(t, h, rulebook.SchemeSIC, "TX-later")
	must(t, h.Clearing.Answer(ctx, rulebook.SchemeSIC, "P2"+string(in.GlobalID)))
	order := h.Order(rulebook.SchemeSIC)
	order.IdempotencyKey = "later"
	_, err = h.Submission.Create(ctx, h.Person(t, "maker1"), order)
	must(t, err)
	var ended []uuid.UUID
	rows, err := h.DB.Owner(t).Query(ctx, "SELECT message_id FROM message WHERE realm = 'demo' AND state = 'Approval Pending' AND kind = 'instruction'")
	must(t, err)
	pending, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	must(t, err)
	for i, id := range pending {
		m, err := h.Reader.Message(ctx, demo.Realm, id)
		must(t, err)
		maker, checker := h.Person(t, m.MakerLogin), h.Person(t, "checker1")
		in := service.Input{InternalID: id, ContentHash: &m.ContentHash}
		switch i % 4 {
		case 0:
			_, err = h.Approval.Reject(ctx, checker, in, "Not ordered.")
		case 1:
			_, err = h.Submission.Withdraw(ctx, maker, id, "Entered twice.")
		case 2:
			_, err = h.Submission.Amend(ctx, maker, id, h.Order(m.Scheme))
		default:
			m, err = h.Approval.Approve(ctx, checker, in)
			must(t, err)
			settle(t, h, m)
		}
		must(t, err)
		ended = append(ended, id)
	}
	goOnSigningIn(t, h, before)
	var left uuid.UUID
	must(t, h.DB.Owner(t).QueryRow(ctx, "SELECT payment_id FROM archived_payment LIMIT 1").Scan(&left))
	applied(t, h, erasure(left))
	var policy, beneficiary, webhook, provider string
	must(t, h.DB.Owner(t).QueryRow(ctx, `SELECT (SELECT policy_id FROM policy WHERE realm = 'demo' AND client_id = 'demo-straight')::text,
		(SELECT beneficiary_id FROM beneficiary WHERE realm = 'demo' LIMIT 1)::text,
		(SELECT webhook_id FROM webhook WHERE realm = 'demo' LIMIT 1)::text,
		(SELECT issuer FROM identity_provider WHERE realm = 'demo' LIMIT 1)`).Scan(&policy, &beneficiary, &webhook, &provider))
	asked, err := h.Admin.Request(ctx, h.Person(t, "maker1"), service.RequestInput{
		Kind: administration.KindBeneficiaryRemove, Subject: beneficiary,
	})
	must(t, err)
	_, err = h.Admin.DecideBeneficiary(ctx, h.Person(t, "checker1"), service.DecideInput{ChangeID: asked.Change.ID, Approve: true})
	must(t, err)
	for _, in := range []service.RequestInput{
		newcomer("maker11"),
		{Kind: administration.KindAccountCreate, Values: administration.Values{
			"iban": "CH9300762011623852957", "scheme": "sic-inst", "holderName": "Zweite AG", "holderTown": "Bern", "holderCountry": "CH",
			"agentBic": "AAAACHBBXXX", "agentIid": "762", "receives": "yes",
		}},
		{Kind: administration.KindPolicyRetire, Subject: policy},
		{Kind: administration.KindWebhookRetire, Subject: webhook},
		{Kind: administration.KindUserUnlink, Subject: "maker1"},
		{Kind: administration.KindProviderRetire, Subject: provider},
		{Kind: administration.KindUserReset, Subject: "maker8"},
		{Kind: administration.KindRealmFactors, Values: administration.Values{"secondFactorRoles": "administrator"}},
		{Kind: administration.KindUserSuppress, Subject: "checker2"},
		{Kind: administration.KindUserRoles, Subject: "both1", Values: administration.Values{"roles": "checker"}},
		{Kind: administration.KindAccountClose, Subject: "DE62007620110623852957"},
		{Kind: administration.KindClientSuppress, Subject: "drill-1"},
		{Kind: administration.KindLimitSet, Values: administration.Values{
			"limitOf": "person", "holder": "maker2", "currency": "CHF", "perPayment": "10.00", "perDay": "90.00",
		}},
	} {
		applied(t, h, in)
		h.Clock.Add(10 * time.Millisecond)
	}
	return ended
}

// goOnSigningIn has people use what they were given, another one be refused, and the operator break the glass and import a directory.
func goOnSigningIn(t *testing.T, h *servicetest.Env, before signIns) {
	t.Helper()
	signInWith(t, h, "maker8", before.factor(0))
	setUp(t, h, before.link, before.code)
	breakGlass(t, h, "admin9")
	directory, err := account.ParseDirectory([]byte("edition;2026-03-02\nprefix;bic;name;instant\nFR30006;CCCCFRPPXXX;Banque;yes\n"))
	must(t, err)
	_, err = store.ImportDirectory(ctx, h.DB.Provisioner(t), store.DirectoryImport{
		Realm: demo.Realm, Scheme: rulebook.SchemeSCT, Directory: directory, Source: "of the drill",
	})
	must(t, err)
	wrongPassword(t, h)
}

// changedSince lists the rows that are not as they were, or were not there, by table: the condition for each. Columns that nothing rests on
// do not count.
func (s singles) changedSince(t *testing.T) map[string][]string {
	t.Helper()
	changed := map[string][]string{}
	for _, one := range allStruck {
		if one.table == "core_booking" { // an earlier record has core banking asked or told once more
			continue
		}
		var keys []string
		left := []string{}
		for _, column := range s.columns(t, one.table, "true") {
			if column.key {
				keys = append(keys, "r."+column.name+"::text")
			}
		}
		said := s.said(t, one.table)
		for _, column := range s.columns(t, one.table, "true") {
			if !slices.Contains(said, column) {
				left = append(left, column.name)
			}
		}
		key := "concat_ws('|', " + strings.Join(keys, ", ") + ")"
		// Of a table whose rows go away by themselves, a row that is taken away proves nothing.
		rows, err := s.conn.Query(ctx, fmt.Sprintf(`SELECT %[2]s FROM (SELECT * FROM %[1]s UNION SELECT * FROM earlier.%[1]s) r
			WHERE (NOT %[4]t OR EXISTS (SELECT FROM earlier.%[1]s x WHERE %[3]s = %[2]s)) AND (SELECT to_jsonb(x) - $1::text[] FROM %[1]s x WHERE %[3]s = %[2]s) IS DISTINCT FROM
				(SELECT to_jsonb(x) - $1::text[] FROM earlier.%[1]s x WHERE %[3]s = %[2]s) GROUP BY 1 ORDER BY 1`,
			one.table, key, strings.ReplaceAll(key, "r.", "x."), one.passing), left)
		must(t, err)
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		must(t, err)
		for _, value := range found {
			changed[one.table] = append(changed[one.table], strings.ReplaceAll(key, "r.", "")+" = '"+strings.ReplaceAll(value, "'", "''")+"'")
		}
	}
	return changed
}

// putBack makes the rows of a table for which a condition holds the earlier ones, and returns by which names they may be found.
func (s singles) putBack(t *testing.T, table, where string) []string {
	t.Helper()
	at := slices.IndexFunc(allStruck, func(one struck) bool { return one.table == table })
	columns := s.columns(t, table, "true")
	list := make([]string, len(columns))
	for i, column := range columns {
		list[i] = column.name
	}
	var names []string
	must(t, s.conn.QueryRow(ctx, fmt.Sprintf(`WITH gone AS (DELETE FROM %[1]s WHERE %[2]s RETURNING *)
		SELECT coalesce(array_agg(DISTINCT n), '{}') FROM (SELECT * FROM gone UNION SELECT * FROM earlier.%[1]s WHERE %[2]s) r
		CROSS JOIN LATERAL unnest(ARRAY[%[3]s]::text[]) n`, table, where, allStruck[at].names)).Scan(&names))
	_, err := s.conn.Exec(ctx, fmt.Sprintf("INSERT INTO %[1]s (%[3]s) SELECT %[3]s FROM earlier.%[1]s WHERE %[2]s", table, where,
		strings.Join(list, ", ")))
	must(t, err)
	return names
}

// replay puts something back, by chance.
func (s singles) replay(t *testing.T, changed map[string][]string) (kind, what string, tables, names []string) {
	t.Helper()
	known := make([]string, 0, len(changed))
	for table := range changed {
		known = append(known, table)
	}
	slices.Sort(known)
	row := func() {
		table := known[s.random.IntN(len(known))]
		where := changed[table][s.random.IntN(len(changed[table]))]
		names = append(names, s.putBack(t, table, where)...)
		tables, what = append(tables, table), what+" "+table+" "+where
	}
	switch s.random.IntN(8) {
	case 0, 1, 2:
		row()
		return "a row", what, tables, names
	case 3, 4:
		row()
		row()
		return "a pair", what, tables, names
	case 5:
		table := known[s.random.IntN(len(known))]
		return "a table", table, []string{table}, s.putBack(t, table, "true")
	case 6:
		where := changed["message"][s.random.IntN(len(changed["message"]))]
		var id string
		must(t, s.conn.QueryRow(ctx, "SELECT message_id::text FROM message WHERE "+where).Scan(&id))
		of := ofMessage[:s.random.IntN(len(ofMessage))+1]
		for _, table := range of {
			s.putBack(t, table, "message_id = '"+id+"'")
		}
		// A message whose every row is the earlier one is found by the leaf of its move.
		names = append(names, id)
		for sequence := 2; sequence < 5; sequence++ {
			var event string
			must(t, s.conn.QueryRow(ctx, "SELECT move_event($1, $2)::text", id, sequence).Scan(&event))
			names = append(names, event)
		}
		return "a message", id, of, names
	}
	for _, table := range masters {
		names = append(names, s.putBack(t, table, "true")...)
	}
	return "the head with its rows", "", masters, names
}

// beyond are the elements of a list that another one does not have as often.
func beyond(list, other []string) []string {
	other = slices.Clone(other)
	return slices.DeleteFunc(slices.Clone(list), func(one string) bool {
		at := slices.Index(other, one)
		if at >= 0 {
			other = slices.Delete(other, at, at+1)
		}
		return at >= 0
	})
}

// more returns the documents that leave with a change and not without it. A busy machine may have cut the second short, so it is tried again.
func more(try func() []string, honest *[]string) []string {
	left := try()
	if len(beyond(left, *honest)) > 0 {
		*honest = try()
	}
	return beyond(left, *honest)
}

// try has people use the rows that are there, returns what leaves by that, and puts all rows back.
func (s singles) try(t *testing.T, h *servicetest.Env, messages []uuid.UUID, by ...string) []string {
	t.Helper()
	left := attempt(t, h, messages, by...)
	for _, one := range allStruck {
		s.mend(t, one.table)
	}
	return left
}

// told are the parts of a document for clearing that money follows.
var told = regexp.MustCompile(`<(?:Document|IntrBkSttlmAmt|Nm|IBAN|EndToEndId|OrgnlEndToEndId)\b[^>]*>[^<]*`)

// attempt has people decide about messages, and a client pay, by a gateway that is started now. It returns what that gateway sends.
func attempt(t *testing.T, h *servicetest.Env, messages []uuid.UUID, by ...string) (sent []string) {
	t.Helper()
	var opened *store.Database
	other := servicetest.On(t, h.DB, servicetest.Options{
		At: h.Clock.Now(), Database: func(db *storetest.DB) *store.Database {
			opened = db.Open(t, db.Seal)
			return opened
		},
	})
	defer opened.Close()
	signedIn := func(name, client string, channel identity.Channel) (p identity.Principal, ok bool) {
		var id uuid.UUID
		err := h.DB.Owner(t).QueryRow(ctx, "SELECT user_id FROM user_account WHERE realm = 'demo' AND name = $1", name).Scan(&id)
		if err == nil {
			p, err = store.NewPeople(opened).Principal(ctx, store.PrincipalKey{Realm: demo.Realm, UserID: id, ClientID: client})
		}
		p.Channel = channel
		return p, err == nil
	}
	for _, name := range by {
		if by, ok := signedIn(name, identity.PortalClient, identity.ChannelPortal); ok {
			for _, id := range messages {
				_, _ = other.Approval.Approve(ctx, by, service.Input{InternalID: id})
			}
		}
	}
	if by, ok := signedIn("maker1", demo.Straight, identity.ChannelAPI); ok {
		_, _ = other.Submission.Create(ctx, by, other.Order(rulebook.SchemeSIC))
	}
	other.Clock.Add(10 * time.Second) // a release is left to the gateway that made it for some seconds
	for range 2 {                     // a list that came too late on a busy machine comes then
		other.Clearing.RunOnce(ctx)
	}
	for _, d := range other.Network.Delivered() {
		again := strings.Contains(d.Content, "pacs.002") && slices.ContainsFunc(h.Network.Delivered(), func(earlier servicetest.Delivery) bool {
			return earlier.Content == d.Content
		})
		if !again && !strings.Contains(d.Content, "pacs.028") { // an answer once more, or a question, moves nothing
			sent = append(sent, strings.Join(told.FindAllString(d.Content, -1), " "))
		}
	}
	return sent
}
