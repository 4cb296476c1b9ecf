package integrity_test

// tampering is what a superuser may write past every rule, and where it is seen. In its statements :m is the key of the message it
// strikes. The key that must be named is asked of the database beforehand.
type tampering struct {
	kind             string
	strikes          string // what became of the message it strikes: settled, rejected, incoming; "" for master data
	id, table, names string // the invariant that names the row, its table, and SQL for its key
	statement        string
}

const (
	theMessage  = `SELECT ':m'`
	theVersion  = `SELECT ':m 1'`
	theDecision = `SELECT ':m 1 1'`
	theFirst    = `SELECT ':m 1'`
	theApproval = `SELECT ':m 2'`
	// theSecond is the audit row of the second move.
	theSecond   = `SELECT move_event(':m', 2)::text`
	thePacs008  = `SELECT document_id::text FROM document WHERE message_id = ':m' AND direction = 'out' AND name = 'pacs.008.001.08'`
	thePacs002  = `SELECT document_id::text FROM document WHERE message_id = ':m' AND direction = 'in' AND name LIKE 'pacs.002%'`
	theContent  = `SELECT document_id::text FROM message_version WHERE message_id = ':m'`
	thePlanted  = `SELECT md5(':m')::uuid::text`
	anAccount   = `SELECT user_id::text FROM user_account WHERE realm = 'demo' ORDER BY md5(name || ':m') LIMIT 1`
	aGrant      = `SELECT grant_id::text FROM user_role WHERE realm = 'demo' ORDER BY md5(grant_id || ':m') LIMIT 1`
	aDebtor     = `SELECT iban FROM debtor_account WHERE realm = 'demo' ORDER BY md5(iban || ':m') LIMIT 1`
	aClient     = `SELECT client_id FROM client WHERE realm = 'demo' ORDER BY md5(client_id || ':m') LIMIT 1`
	aDirectory  = `SELECT directory_id::text FROM routing_directory WHERE realm = 'demo' ORDER BY md5(directory_id || ':m') LIMIT 1`
	aReference  = `SELECT edition_id::text FROM reference_edition ORDER BY md5(edition_id || ':m') LIMIT 1`
	theIncoming = `SELECT document_id::text FROM document WHERE message_id = ':m' AND direction = 'out' AND name LIKE 'pacs.002%'`
	theAnswer   = `SELECT o.scheme || ' ' || o.reference FROM outbox o JOIN document d ON d.direction = 'out' AND d.reference = o.reference ` +
		`WHERE d.message_id = ':m'`
	theKey    = `SELECT client_id || ' ' || scope || ' ' || key FROM creation_key WHERE message_id = ':m' AND scope = 'message-id'`
	aRefresh  = `SELECT encode(token_hash, 'hex') FROM refresh_token ORDER BY md5(token_hash || ':m') LIMIT 1`
	anAccess  = `SELECT encode(token_hash, 'hex') FROM access_token ORDER BY md5(token_hash || ':m') LIMIT 1`
	aSignIn   = `SELECT family_id::text FROM refresh_token WHERE spent_at IS NOT NULL ORDER BY md5(family_id || ':m') LIMIT 1`
	aReceiver = `SELECT iban FROM incoming_account WHERE iban LIKE 'DE%' ORDER BY md5(iban || ':m') LIMIT 1`
	aBooked   = `SELECT creditor_account FROM message m JOIN message_version v USING (realm, message_id) WHERE m.kind = 'payment' AND ` +
		`creditor_account LIKE 'CH%' ORDER BY md5(creditor_account || ':m') LIMIT 1`
	aMove = `SELECT kind || ', ' || from_state || ', ' || action || ', ' || to_state FROM legal_move ORDER BY md5(kind || from_state || ` +
		`action || to_state || ':m') LIMIT 1`
	aTable = `SELECT relname FROM pg_class WHERE relrowsecurity AND relnamespace = 'public'::regnamespace ` +
		`ORDER BY md5(relname || ':m') LIMIT 1`

	aLimit = `SELECT limit_id::text FROM spending_limit WHERE limit_of = 'account'`
	theUse = `SELECT concat_ws(' ', message_id, limit_id) FROM limit_use WHERE message_id = ':m' AND limit_of = 'person'`

	unusedPolicy = `SELECT policy_id::text FROM policy p WHERE realm = 'demo2' ORDER BY policy_id LIMIT 1`
	otherPolicy  = `SELECT policy_id::text FROM policy p WHERE realm = 'demo' AND step_up`
	unusedGrant  = `SELECT grant_id::text FROM user_role WHERE realm = 'demo2' AND role = 'checker'`

	aPolicy = `SELECT policy_id::text FROM policy WHERE realm = 'demo' ORDER BY md5(policy_id || ':m') LIMIT 1`

	// Half of the changes lose their decisions, and the content of the other half changes: a decision that is gone cannot disagree.
	aChange     = `SELECT change_id::text FROM (` + halves + `) c WHERE half = 0 ORDER BY md5(change_id || ':m') LIMIT 1`
	otherChange = `SELECT change_id::text FROM (` + halves + `) c WHERE half = 1 ORDER BY md5(change_id || ':m') LIMIT 1`
	halves      = `SELECT change_id, row_number() OVER (ORDER BY change_id) % 2 AS half FROM realm_change ` +
		`WHERE realm = 'demo' AND kind LIKE 'client.%'`

	otherPerson = `actor_user = (SELECT user_id FROM user_account WHERE realm = 'demo' AND name = 'checker2'),
		actor_person = (SELECT person_id FROM user_account WHERE realm = 'demo' AND name = 'checker2')`
	plantDocument = `INSERT INTO document (realm, document_id, message_id, scheme, direction, name, reference, content, content_hash,
		created_at, key_id, mac)
		SELECT realm, md5(':m')::uuid, `
	plantedFrom = `, scheme, direction, name, 'P8DMPQ' || upper(left(md5(':m'), 12)), content, content_hash, created_at, key_id, mac
		FROM document WHERE message_id = ':m' AND name = 'pacs.008.001.08'`
	newHash = `(SELECT d.content_hash FROM document d JOIN message_version v USING (realm, document_id) WHERE v.message_id = ':m') WHERE ` +
		`message_id = ':m';`
)

// ofMessages are the tamperings that strike a message.
var ofMessages = []tampering{
	{
		"made under a grant of another role", "settled", "I15", "message_version", theVersion,
		`UPDATE message_version v SET maker_grant_id = g.grant_id
		FROM user_role g WHERE v.message_id = ':m' AND g.realm = v.realm AND g.role = 'checker'`,
	},
	{
		"makers list changed, everywhere", "settled", "I16", "message_version", theVersion,
		`UPDATE message_version SET makers = ARRAY[md5('x')::uuid] WHERE message_id = ':m';
		UPDATE decision SET makers = ARRAY[md5('x')::uuid] WHERE message_id = ':m'; UPDATE release SET makers = ARRAY[md5('x')::uuid]
		  WHERE message_id = ':m'`,
	},
	{"approver rewritten after settlement, everywhere", "settled", "I17", "release", theMessage, `
		UPDATE message_history SET ` + otherPerson + ` WHERE message_id = ':m' AND sequence = 2;
		UPDATE audit_event SET ` + otherPerson + ` WHERE message_id = ':m' AND sequence = 2;
		UPDATE decision d SET checker_user = h.actor_user, checker_person = h.actor_person FROM message_history h
		WHERE d.message_id = ':m' AND h.message_id = ':m' AND h.sequence = 2`},
	{
		"a settled payment deleted whole", "settled", "I14", "inbox",
		`SELECT i.scheme || ' ' || i.reference FROM inbox i JOIN document d USING (document_id) WHERE d.message_id = ':m'`, `
		DELETE FROM message WHERE message_id = ':m'; DELETE FROM message_version WHERE message_id = ':m'; DELETE FROM document
		  WHERE message_id = ':m';
		DELETE FROM decision WHERE message_id = ':m'; DELETE FROM release WHERE message_id = ':m'; DELETE FROM message_history
		  WHERE message_id = ':m';
		DELETE FROM audit_event WHERE message_id = ':m'; DELETE FROM creation_key WHERE message_id = ':m'`,
	},
	{
		"MAC destroyed after sending", "settled", "I17", "release", theMessage,
		`UPDATE release SET mac = decode(repeat('00', 32), 'hex') WHERE message_id = ':m'`,
	},
	{"forged MAC", "settled", "I17", "release", theMessage, `UPDATE release SET mac = sha256('forged') WHERE message_id = ':m'`},
	{
		"approved content destroyed after sending", "settled", "I15", "document", theContent,
		`UPDATE document SET content = 'x' WHERE document_id = (SELECT document_id FROM message_version WHERE message_id = ':m')`,
	},
	{
		"creditor changed in columns", "settled", "I16", "message_version", theVersion,
		`UPDATE message_version SET creditor_account = 'CH9300762011623852957' WHERE message_id = ':m'`,
	},
	{
		"amount changed in columns", "settled", "I16", "message_version", theVersion,
		`UPDATE message_version SET amount = amount + 1 WHERE message_id = ':m'`,
	},
	{
		"client of an editor taken away", "settled", "I16", "message_version", theVersion,
		`UPDATE message_version SET clients = ARRAY['another'] WHERE message_id = ':m'`,
	},
	{
		"a verification of the payee planted", "settled", "I16", "message_version", theVersion,
		`UPDATE message_version SET payee_result = 'MTCH', payee_at = now() WHERE message_id = ':m'`,
	},
	{
		"found by other words", "settled", "I16", "message_version", theVersion,
		`UPDATE message_version SET words = array_to_tsvector(array_append(tsvector_to_array(words), 'x')) WHERE message_id = ':m'`,
	},
	{
		"found by no words", "settled", "I16", "message_version", theVersion,
		`UPDATE message_version SET words = NULL WHERE message_id = ':m'`,
	},
	{
		"listed by another amount", "settled", "I3", "message", theMessage,
		`UPDATE message SET listed_amount = listed_amount * 10 WHERE message_id = ':m'`,
	},
	{
		"waits, and is listed by no amount", "pending", "I3", "message", theMessage,
		`UPDATE message SET listed_amount = 0 WHERE message_id = ':m'`,
	},
	{
		"clients taken away", "settled", "I16", "message_version", theVersion,
		`UPDATE message_version SET clients = NULL WHERE message_id = ':m'`,
	},
	{
		"grown past its approvals", "settled", "I22", "message_version", theVersion,
		`UPDATE message_version SET amount = 1900000 WHERE message_id = ':m'`,
	},
	{"content changed, its hash adjusted everywhere", "settled", "I16", "message_version", theVersion, `
		UPDATE document SET content = convert_to(replace(convert_from(content, 'UTF8'), 'Rosenauweg', 'Rosenallee'), 'UTF8')
		WHERE document_id = (SELECT document_id FROM message_version WHERE message_id = ':m');
		UPDATE document SET content_hash = sha256(content) WHERE message_id = ':m'; UPDATE message_version SET content_hash = ` + newHash + `
		UPDATE decision SET content_hash = ` + newHash + ` UPDATE release SET content_hash = ` + newHash + `
		UPDATE audit_event SET content_hash = ` + newHash},
	{"sent document changed, its hash adjusted", "settled", "I18", "document", thePacs008, `
		UPDATE document SET content = convert_to(replace(convert_from(content, 'UTF8'), 'Rosenauweg', 'Rosenallee'), 'UTF8')
		  WHERE message_id = ':m' AND name = 'pacs.008.001.08';
		UPDATE document SET content_hash = sha256(content) WHERE message_id = ':m'`},
	{"sent amount changed", "settled", "I18", "document", thePacs008, `UPDATE document SET content = convert_to(replace(convert_from(content,
		'UTF8'), '>100.00<', '>900.00<'), 'UTF8')
		WHERE message_id = ':m' AND name = 'pacs.008.001.08'; UPDATE document SET content_hash = sha256(content) WHERE message_id = ':m'`},
	{
		"sent document deleted", "settled", "I17", "release", theMessage,
		`DELETE FROM document WHERE message_id = ':m' AND name = 'pacs.008.001.08'`,
	},
	{"a second pacs.008 under a new Global ID", "settled", "I18", "document", thePlanted, plantDocument + "message_id" + plantedFrom},
	{"a second pacs.008, seen at its message", "settled", "I4", "message", theMessage, plantDocument + "message_id" + plantedFrom},
	{"outbound document without message", "settled", "I15", "document", thePlanted, plantDocument + "md5('nobody')::uuid" + plantedFrom},
	{"release hash changed", "settled", "I15", "release", theMessage, `UPDATE release SET content_hash = sha256('x') WHERE message_id = ':m'`},
	{
		"audit row deleted", "settled", "I11", "message_history", theApproval,
		`DELETE FROM audit_event WHERE message_id = ':m' AND sequence = 2`,
	},
	{"audit row planted", "settled", "I11", "audit_event", thePlanted, `INSERT INTO audit_event (realm, event_id, message_id, sequence, event,
		actor_name, channel, detail, at, key_id, seal)
		VALUES ('demo', md5(':m')::uuid, ':m', 9, 'instruction.settle', 'Clearing', 'clearing', '{}', now(), 'test', sha256('x'))`},
	{
		"audit actor changed", "settled", "I11", "message_history", theApproval,
		`UPDATE audit_event SET actor_name = 'Nobody' WHERE message_id = ':m' AND sequence = 2`,
	},
	{"who submitted changed in history and audit alike", "settled", "I13", "message_history", theFirst, `
		UPDATE message_history SET ` + otherPerson + ` WHERE message_id = ':m' AND sequence = 1;
		UPDATE audit_event SET ` + otherPerson + ` WHERE message_id = ':m' AND sequence = 1`},
	{"who approved changed in history and audit alike", "settled", "I2", "decision", theDecision, `
		UPDATE message_history SET ` + otherPerson + ` WHERE message_id = ':m' AND sequence = 2;
		UPDATE audit_event SET ` + otherPerson + ` WHERE message_id = ':m' AND sequence = 2`},
	{"state changed without decision", "settled", "I3", "message", theMessage, `UPDATE message SET state = 'Failed' WHERE message_id = ':m'`},
	{
		"called rejected after it was sent", "settled", "I7", "message", theMessage,
		`UPDATE message SET state = 'Rejected' WHERE message_id = ':m'`,
	},
	{
		"held in Processing", "settled", "I6", "message", theMessage,
		`UPDATE message SET state = 'Processing', accepted_at = accepted_at - interval '1 hour' WHERE message_id = ':m'`,
	},
	{"decision deleted", "settled", "I2", "message_history", theApproval, `DELETE FROM decision WHERE message_id = ':m'`},
	{"approval taken away from its release", "settled", "I1", "release", theMessage, `DELETE FROM decision WHERE message_id = ':m'`},
	{"decision inserted", "settled", "I2", "decision", `SELECT ':m 1 2'`, `INSERT INTO decision (realm,
		message_id, version, ordinal, makers,
		content_hash, approvals_required, checker_user, checker_person, client_id, channel, action, decided_at, checker_role, grant_id,
		granted_at, message_created_at)
		SELECT d.realm, message_id, version, 2, makers, content_hash, approvals_required, u.user_id, u.person_id, client_id,
		  channel, action, decided_at, checker_role, grant_id, granted_at, message_created_at
		FROM decision d JOIN user_account u ON u.realm = d.realm AND u.name = 'checker2' WHERE message_id = ':m'`},
	{
		"reject reason changed", "rejected", "I2", "decision", theDecision,
		`UPDATE decision SET reason = 'Another one.' WHERE message_id = ':m'`,
	},
	{"reject reason changed, everywhere", "rejected", "I30", "audit_event", theSecond, `UPDATE decision SET reason = 'Another one.'
		WHERE message_id = ':m';
		UPDATE message_history SET reason = 'Another one.' WHERE message_id = ':m' AND action = 'reject'`},
	{
		"decision time changed", "settled", "I2", "decision", theDecision,
		`UPDATE decision SET decided_at = decided_at - interval '1 hour' WHERE message_id = ':m'`,
	},
	{"accepted time changed, everywhere", "settled", "I17", "release", theMessage, `UPDATE message SET accepted_at = accepted_at + interval
		'1 s' WHERE message_id = ':m';
		UPDATE release SET accepted_at = accepted_at + interval '1 s' WHERE message_id = ':m'; UPDATE decision
		  SET decided_at = decided_at + interval '1 s' WHERE message_id = ':m';
		UPDATE message_history SET at = at + interval '1 s' WHERE message_id = ':m' AND sequence = 2; UPDATE audit_event
		  SET at = at + interval '1 s' WHERE message_id = ':m' AND sequence = 2`},
	{
		"approvals lowered in message, version, decision and release", "settled", "I16", "message_version", theVersion,
		`UPDATE message SET approvals_required = 0 WHERE message_id = ':m';
		UPDATE message_version SET approvals_required = 0 WHERE message_id = ':m'; UPDATE decision SET approvals_required = 0
		  WHERE message_id = ':m';
		UPDATE release SET approvals_required = 0 WHERE message_id = ':m'`,
	},
	{
		"answer of core banking changed", "settled", "I35", "core_booking", theMessage,
		`UPDATE core_booking SET outcome = 'not asked' WHERE message_id = ':m'`,
	},
	{
		"end told to core banking", "settled", "I35", "core_booking", theMessage,
		`UPDATE core_booking SET told = 'settled', told_sequence = 9, told_at = now() WHERE message_id = ':m'`,
	},
	{
		"record of an archive planted", "settled", "I36", "archived_month", theMessage,
		`INSERT INTO archived_month VALUES ('demo', ':m', '2026-01', repeat('0', 64), 1, 1, now(), 'test', sha256('x'))`,
	},
	{"outbox row forged", "settled", "I19", "outbox", `SELECT 'sic-inst forged-:m'`, `INSERT INTO outbox (scheme, reference, name, content,
		created_at, key_id, mac)
		VALUES ('sic-inst', 'forged-:m', 'pacs.002.001.10', 'x', now(), 'test', sha256('x'))`},
	{"inbox row deleted", "settled", "I14", "document", thePacs002, `DELETE FROM inbox WHERE document_id = (` +
		`SELECT document_id FROM document WHERE message_id = ':m' AND name LIKE 'pacs.002%'` + `)`},
	{"inbox outcome changed", "settled", "I14", "document", thePacs002, `UPDATE inbox SET outcome = 'quarantined', realm = NULL,
		document_id = NULL, content = 'x'
		WHERE document_id = (SELECT document_id FROM document WHERE message_id = ':m' AND name LIKE 'pacs.002%')`},
	{"inbox and its document deleted", "settled", "I14", "message", theMessage, `DELETE FROM inbox WHERE document_id = (SELECT document_id
		FROM document WHERE message_id = ':m' AND name LIKE 'pacs.002%');
		DELETE FROM document WHERE message_id = ':m' AND name LIKE 'pacs.002%'`},
	{"message row deleted alone", "settled", "I15", "message_version", theVersion, `DELETE FROM message WHERE message_id = ':m'`},
	{
		"external id changed", "settled", "I8", "message", theMessage,
		`UPDATE message SET external_id = 'another' || left(':m', 8) || right(':m', 8) WHERE message_id = ':m'`,
	},
	{
		"seal of the version taken away", "settled", "I16", "message_version", theVersion,
		`ALTER TABLE message_version ALTER key_id DROP NOT NULL, ALTER seal DROP NOT NULL;
		UPDATE message_version SET key_id = NULL, seal = NULL WHERE message_id = ':m'`,
	},
	{
		"delivered time changed", "settled", "I3", "message", theMessage,
		`UPDATE message SET delivered_at = delivered_at - interval '1 hour' WHERE message_id = ':m'`,
	},
	{
		"settled time changed", "settled", "I3", "message", theMessage,
		`UPDATE message SET settled_at = settled_at - interval '1 hour' WHERE message_id = ':m'`,
	},
	{
		"two recalls of one payment", "settled", "I12", "message", theMessage,
		`UPDATE message SET kind = 'recall', original_id = ':m' WHERE state = 'Approval Pending'`,
	},
	{
		"incoming amount changed", "incoming", "I16", "message_version", theVersion,
		`UPDATE message_version SET amount = amount * 2 WHERE message_id = ':m'`,
	},
	{
		"transaction ID led to another message", "incoming", "I14", "incoming_payment",
		`SELECT scheme || ' ' || transaction_id || ' ' || bank FROM incoming_payment WHERE message_id = ':m'`,
		`UPDATE incoming_payment SET message_id = md5('nobody')::uuid WHERE message_id = ':m'`,
	},
	{
		"transaction ID of another bank", "incoming", "I14", "incoming_payment",
		`SELECT scheme || ' ' || transaction_id || ' CCCCCHZZXXX' FROM incoming_payment WHERE message_id = ':m'`,
		`UPDATE incoming_payment SET bank = 'CCCCCHZZXXX' WHERE message_id = ':m'`,
	},
	{
		"transaction ID used once more", "incoming", "I14", "incoming_payment",
		`SELECT scheme || ' ' || transaction_id || ' ' || bank FROM incoming_payment WHERE message_id = ':m'`,
		`INSERT INTO incoming_payment SELECT scheme, transaction_id, bank, use + 1, received_at, realm, message_id FROM incoming_payment
			WHERE message_id = ':m'`,
	},
	{"what the client sent changed", "settled", "I18", "document", theContent, `UPDATE document SET source = convert_to('{"amount":"1.00"}',
		'UTF8'), source_type = 'application/json'
		WHERE document_id = (SELECT document_id FROM message_version WHERE message_id = ':m')`},
	{
		"reference of what the client sent changed, its key too", "settled", "I18", "document", theContent,
		`UPDATE creation_key SET key = 'X:m' WHERE message_id = ':m' AND scope = 'message-id';
		UPDATE document SET reference = 'X:m' WHERE document_id = (SELECT document_id FROM message_version WHERE message_id = ':m')`,
	},
	{"answer of clearing changed, in document and inbox alike", "settled", "I18", "document", thePacs002, `
		UPDATE document SET content = convert_to(replace(convert_from(content, 'UTF8'), 'ACSC', 'ACCP'), 'UTF8') WHERE message_id = ':m'
		  AND name LIKE 'pacs.002%';
		UPDATE document SET content_hash = sha256(content) WHERE message_id = ':m';
		UPDATE inbox i SET content_hash = d.content_hash FROM document d WHERE d.document_id = i.document_id AND d.message_id = ':m'`},
	{
		"a note to the checkers planted", "settled", "I11", "message_history", theFirst,
		`UPDATE message_history SET reason = 'Please hurry.' WHERE message_id = ':m' AND sequence = 1`,
	},
	{
		"may be decided for longer", "pending", "I3", "message", theMessage,
		`UPDATE message SET expires_at = expires_at + interval '1 year' WHERE message_id = ':m'`,
	},
	{
		"may be decided for longer, by its seal", "pending", "I16", "message_version", theVersion,
		`UPDATE message SET expires_at = expires_at + interval '1 year' WHERE message_id = ':m'`,
	},
	{"last day moved", "settled", "I16", "message_version", theVersion, `UPDATE message SET deadline = now() WHERE message_id = ':m'`},
	{
		"questions to clearing put off", "settled", "I3", "message", theMessage,
		`UPDATE message SET inquire_at = now() + interval '1 year' WHERE message_id = ':m'`,
	},
	{
		"questions to clearing miscounted", "settled", "I3", "message", theMessage,
		`UPDATE message SET inquiries = inquiries + 1 WHERE message_id = ':m'`,
	},
	{
		"key of a request changed", "settled", "I28", "creation_key", theKey,
		`UPDATE creation_key SET fingerprint = sha256('x') WHERE message_id = ':m' AND scope = 'message-id'`,
	},
	{
		"key of a request deleted", "settled", "I8", "message", theMessage,
		`DELETE FROM creation_key WHERE message_id = ':m' AND scope = 'message-id'`,
	},
	{
		"key of an amendment deleted", "amended", "I8", "message", theMessage,
		`DELETE FROM creation_key k USING message_version v JOIN document d USING (realm, document_id)
		WHERE v.message_id = ':m' AND v.version = 2 AND k.realm = v.realm AND k.key = d.reference`,
	},
	{
		"key of a request planted", "settled", "I28", "creation_key", `SELECT 'demo-backoffice message-id planted-:m'`,
		`INSERT INTO creation_key (key_id, seal, realm, client_id, scope, key, message_id, fingerprint, created_at)
		SELECT 'test', sha256(''), realm, 'demo-backoffice', 'message-id', 'planted-:m', message_id, fingerprint, created_at
		FROM creation_key WHERE message_id = ':m' AND scope = 'message-id'`,
	},
	{
		"answer deleted from the outbox", "incoming", "I23", "document", theIncoming,
		`DELETE FROM outbox o USING document d WHERE d.reference = o.reference AND d.message_id = ':m'`,
	},
	{"answer deleted everywhere", "incoming", "I23", "message", theMessage, `DELETE FROM outbox o USING document d WHERE
		d.reference = o.reference AND d.message_id = ':m';
		DELETE FROM document WHERE message_id = ':m' AND direction = 'out'`},
	{"answer marked as delivered", "incoming", "I19", "outbox", theAnswer, `UPDATE outbox o SET delivered_at = now(), delivery_key_id = 'test',
		delivery_mac = sha256('x') FROM document d
		WHERE d.reference = o.reference AND d.message_id = ':m'`},
	{
		"answer marked as refused", "incoming", "I19", "outbox", theAnswer,
		`UPDATE outbox o SET refused_at = now() FROM document d WHERE d.reference = o.reference AND d.message_id = ':m'`,
	},
}
