package integrity_test

// ofMasterData are the tamperings that strike who may do what.
var ofMasterData = []tampering{
	{
		"policy that nobody used deleted", "", "I33", "policy", unusedPolicy, `DELETE FROM policy WHERE policy_id::text = (` + unusedPolicy + `)`,
	},
	{
		"policy said to be younger", "", "I33", "policy", otherPolicy,
		`UPDATE policy SET created_at = created_at + interval '1 year' WHERE policy_id::text = (` + otherPolicy + `)`,
	},
	{
		"grant of a role that nobody used deleted", "", "I33", "user_role", unusedGrant,
		`DELETE FROM user_role WHERE grant_id::text = (` + unusedGrant + `)`,
	},
	{
		"client deleted", "", "I33", "client", `SELECT 'demo-brief'`, `DELETE FROM client WHERE realm = 'demo' AND client_id = 'demo-brief'`,
	},
	{
		"decision said to follow another", "limited", "I15", "decision", `SELECT concat_ws(' ', message_id, version, ordinal) FROM decision
			WHERE message_id = ':m'`,
		`UPDATE decision SET previous_action = 'approve' WHERE message_id = ':m'`,
	},
	{
		"name of a payee put there without a verification", "limited", "I15", "message_version",
		`SELECT concat_ws(' ', message_id, version) FROM message_version WHERE message_id = ':m'`,
		`UPDATE message_version SET payee_name = 'Nobody' WHERE message_id = ':m'`,
	},
	{"limit raised", "", "I33", "spending_limit", aLimit, `UPDATE spending_limit SET per_day = 999999999
		WHERE limit_id::text = (` + aLimit + `)`},
	{
		"limit taken away", "", "I33", "spending_limit", `SELECT limit_id FROM spending_limit WHERE limit_of = 'client'`,
		`DELETE FROM spending_limit WHERE limit_of = 'client'`,
	},
	{
		"use of a limit lessened", "limited", "I32", "limit_use", theUse,
		`UPDATE limit_use SET used_after = used_after - 1, amount = amount - 1 WHERE message_id = ':m' AND limit_of = 'person'`,
	},
	{
		"use of a limit moved to another day", "limited", "I32", "limit_use", theUse,
		`UPDATE limit_use SET day = day - 1 WHERE message_id = ':m' AND limit_of = 'person'`,
	},
	{
		"use of a limit deleted", "limited", "I32", "release", `SELECT ':m'`,
		`DELETE FROM limit_use WHERE message_id = ':m' AND limit_of = 'person'`,
	},
	{
		"use of a limit deleted, and the audit row silenced", "limited", "I32", "release", `SELECT ':m'`,
		`WITH gone AS (DELETE FROM limit_use WHERE message_id = ':m')
		UPDATE audit_event SET detail = (detail::jsonb - 'limits')::text WHERE message_id = ':m'`,
	},
	{"what was asked for changed, its hash adjusted", "", "I15", "realm_change_decision", aChange, `UPDATE realm_change
		SET content = '{}', content_hash = sha256('{}') WHERE change_id::text = (` + aChange + `)`},
	{
		"beneficiary of a change taken away", "", "I20", "realm_change", aChange,
		`UPDATE realm_change SET beneficiary_person = md5(':m')::uuid WHERE change_id::text = (` + aChange + `)`,
	},
	{
		"decision of a change deleted", "", "I27", "realm_administration", `SELECT 'demo'`,
		`DELETE FROM realm_change_decision WHERE change_id::text = (` + otherChange + `)`,
	},
	{
		"user account moved to another person", "", "I33", "user_account", anAccount,
		`UPDATE user_account SET person_id = md5(':m')::uuid WHERE user_id::text = (` + anAccount + `)`,
	},
	{"password hash replaced", "", "I33", "user_account", anAccount, `UPDATE user_account SET password_hash = 'x' WHERE user_id::text = (` +
		anAccount + `)`},
	{"debtor holder changed", "", "I33", "debtor_account", aDebtor, `UPDATE debtor_account SET holder_name = 'Nobody' WHERE iban = (` +
		aDebtor + `)`},
	{
		"directory edition changed", "", "I33", "routing_directory", aDirectory,
		`UPDATE routing_directory SET edition = '2099-01-01' WHERE directory_id::text = (` + aDirectory + `)`,
	},
	{
		"directory rows changed", "", "I33", "routing_directory", aDirectory,
		`UPDATE routing_directory SET content = content || 'x', content_hash = sha256(content || 'x') WHERE directory_id::text = (` +
			aDirectory + `)`,
	},
	{
		"code sets in force sooner", "", "I20", "reference_edition", aReference,
		`UPDATE reference_edition SET from_day = '2020-01-01' WHERE edition_id::text = (` + aReference + `)`,
	},
	{"debtor BIC changed", "", "I33", "debtor_account", aDebtor, `UPDATE debtor_account SET agent_bic = 'ZZZZCHZZXXX' WHERE iban = (` +
		aDebtor + `)`},
	{
		"client may decide its own", "", "I33", "client", aClient,
		`UPDATE client SET may_decide_own = NOT may_decide_own WHERE realm = 'demo' AND client_id = (` + aClient + `)`,
	},
	{"policy changed", "", "I33", "policy", aPolicy, `UPDATE policy SET amount_to = 1, amount_from = 0 WHERE policy_id::text = (` +
		aPolicy + `)`},
	{
		"grant predated", "", "I33", "user_role", aGrant,
		`UPDATE user_role SET granted_at = granted_at - interval '1 year' WHERE grant_id::text = (` + aGrant + `)`,
	},
	{"role grant forged", "", "I33", "user_role", thePlanted, `INSERT INTO user_role (realm, user_id, duty, role, granted_at, grant_id,
		ended_at)
		SELECT realm, user_id, duty, role, granted_at, md5(':m')::uuid, granted_at FROM user_role WHERE realm = 'demo' LIMIT 1`},
	{
		"grant of a decision predated", "", "I15", "decision",
		`SELECT message_id || ' ' || version || ' ' || ordinal FROM decision ORDER BY message_id LIMIT 1`,
		`UPDATE user_role SET granted_at = granted_at - interval '2 year' WHERE role = 'checker'`,
	},
	{
		"incoming account given to another realm", "", "I33", "incoming_account", aReceiver,
		`UPDATE incoming_account SET realm = 'demo2' WHERE iban = (` + aReceiver + `)`,
	},
	{"incoming account deleted", "", "I14", "incoming_account", aBooked, `DELETE FROM incoming_account WHERE iban = (` + aBooked + `)`},
	{"mark of a realm changed", "", "I33", "realm", `SELECT 'demo2'`, `UPDATE realm SET mark = 'ZZ' WHERE realm = 'demo2'`},
	{
		"lives of tokens of a realm changed", "", "I33", "realm", `SELECT 'demo'`,
		`UPDATE realm SET refresh_absolute_seconds = 604800 WHERE realm = 'demo'`,
	},
	{
		"refresh token lives for longer", "", "I26", "refresh_token", aRefresh,
		`UPDATE refresh_token SET expires_at = expires_at + interval '1 year' WHERE encode(token_hash, 'hex') = (` + aRefresh + `)`,
	},
	{
		"access token lives for longer", "", "I26", "access_token", anAccess,
		`UPDATE access_token SET expires_at = expires_at + interval '1 year' WHERE encode(token_hash, 'hex') = (` + anAccess + `)`,
	},
	{
		"spent token brought back", "", "I24", "token_family", aSignIn,
		`UPDATE refresh_token SET spent_at = NULL, successor_hash = NULL WHERE family_id::text = (` + aSignIn + `)`,
	},
}

// ofSchema are the tamperings that strike what the migrations made, for the time after.
var ofSchema = []tampering{
	{
		"legal move taken away", "", "I25", "legal_move", aMove,
		`DELETE FROM legal_move WHERE kind || ', ' || from_state || ', ' || action || ', ' || to_state = (` + aMove + `)`,
	},
	{
		"legal move planted", "", "I25", "legal_move", `SELECT 'instruction, Approval Pending, :m, Settled'`,
		`INSERT INTO legal_move VALUES ('instruction', 'Approval Pending', ':m', 'Settled')`,
	},
	{
		"row-level security switched off", "", "I25", "schema", `SELECT 'table ' || (` + aTable + `)`,
		`DO $$ BEGIN EXECUTE format('ALTER TABLE %I DISABLE ROW LEVEL SECURITY', (` + aTable + `)); END $$`,
	},
	{
		"policy dropped", "", "I25", "schema",
		`SELECT 'policy ' || relname || '.' || polname FROM pg_policy p JOIN pg_class c ON c.oid = polrelid ORDER BY md5(relname || polname || ` +
			`':m') LIMIT 1`, `
		DO $$ DECLARE p record; BEGIN SELECT relname, polname INTO p FROM pg_policy JOIN pg_class c ON c.oid = polrelid
		ORDER BY md5(relname || polname || ':m') LIMIT 1; EXECUTE format('DROP POLICY %I ON %I', p.polname, p.relname); END $$`,
	},
	{
		"foreign key dropped", "", "I25", "schema",
		`SELECT 'constraint ' || conrelid::regclass || '.' || conname FROM pg_constraint WHERE contype = 'f' AND connamespace = ` +
			`'public'::regnamespace AND conrelid <> 'decision'::regclass ORDER BY md5(conname || conrelid::regclass || ':m') LIMIT 1`, `
		DO $$ DECLARE k record; BEGIN
		SELECT conrelid::regclass AS place, conname INTO k FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace
		AND conrelid <> 'decision'::regclass ORDER BY md5(conname || conrelid::regclass || ':m') LIMIT 1;
		EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', k.place, k.conname); END $$`,
	},
	{
		"triggers of foreign keys switched off", "", "I25", "schema", `SELECT 'trigger decision.decision_realm_checker_user_checker_person_fkey'`,
		`ALTER TABLE decision DISABLE TRIGGER ALL`,
	},
	{
		"trigger planted", "", "I25", "schema", `SELECT 'trigger release.t:m'`,
		`CREATE TRIGGER "t:m" BEFORE INSERT ON release FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()`,
	},
	{"grant given", "", "I25", "schema", `SELECT 'grant relation decision to countersign_app'`, `GRANT UPDATE ON decision TO countersign_app`},
	{
		"grant on the database given", "", "I25", "schema", `SELECT 'grant database to PUBLIC'`,
		`DO $$ BEGIN EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO PUBLIC', current_database()); END $$`,
	},
	{
		"function rewritten", "", "I25", "schema", `SELECT 'function session_get(tokens text[])'`,
		`CREATE OR REPLACE FUNCTION session_get(tokens text[]) RETURNS bytea LANGUAGE sql AS 'SELECT data FROM sessions LIMIT 1'`,
	},
	{
		"function planted", "", "I25", "schema", `SELECT 'function f:m()'`,
		`CREATE FUNCTION "f:m"() RETURNS void LANGUAGE sql SECURITY DEFINER AS 'DELETE FROM message'`,
	},
	{"rule planted", "", "I25", "schema", `SELECT 'rule audit_event.r:m'`, `CREATE RULE "r:m" AS ON INSERT TO audit_event DO INSTEAD NOTHING`},
	{"column may be empty", "", "I25", "schema", `SELECT 'column release.mac'`, `ALTER TABLE release ALTER mac DROP NOT NULL`},
	{
		"setting planted", "", "I25", "schema", `SELECT 'setting ' || current_database() || ' session_replication_role'`,
		`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET session_replication_role = replica', current_database()); END $$`,
	},
}
