package integrity_test

// Places of what lets people in, and of what clients may use once.
const (
	theIdempotency = `SELECT client_id || ' ' || scope || ' ' || key FROM creation_key WHERE message_id = ':m' AND scope = 'idempotency-key'`
	aSession       = `SELECT token FROM sessions WHERE data <> '' ORDER BY token LIMIT 1`
	anotherSession = `SELECT token FROM sessions WHERE data <> '' ORDER BY token DESC LIMIT 1`
	endedSignIn    = `SELECT family_id::text FROM token_family WHERE revoked_at IS NOT NULL ORDER BY md5(family_id || ':m') LIMIT 1`
)

// ofAccess are the tamperings that strike keys of requests, sign-ins and sessions, and when a recall is to be answered.
var ofAccess = []tampering{
	{
		"Idempotency-Key deleted", "keyed", "I8", "message", theMessage,
		`DELETE FROM creation_key WHERE message_id = ':m' AND scope = 'idempotency-key'`,
	},
	{
		"Idempotency-Key deleted, its message id too", "keyed", "I8", "message", theMessage,
		`DELETE FROM creation_key WHERE message_id = ':m'`,
	},
	{
		"request of every key changed alike", "keyed", "I28", "creation_key", theIdempotency,
		`UPDATE creation_key SET fingerprint = sha256('x') WHERE message_id = ':m'`,
	},
	{
		"Idempotency-Key changed", "keyed", "I28", "creation_key",
		`SELECT client_id || ' idempotency-key changed-:m' FROM message WHERE message_id = ':m'`,
		`UPDATE creation_key SET key = 'changed-:m' WHERE message_id = ':m' AND scope = 'idempotency-key'`,
	},
	{
		"Idempotency-Key planted for what it repeats", "keyed", "I28", "creation_key",
		`SELECT client_id || ' idempotency-key planted-:m' FROM message WHERE message_id = ':m'`,
		`INSERT INTO creation_key (realm, client_id, scope, key, message_id, fingerprint, created_at, key_id, seal)
		SELECT realm, client_id, scope, 'planted-:m', message_id, fingerprint, created_at, key_id, seal
		FROM creation_key WHERE message_id = ':m' AND scope = 'idempotency-key'`,
	},
	{
		"Idempotency-Key led to another message", "keyed", "I28", "creation_key", theIdempotency,
		`UPDATE creation_key SET message_id = (SELECT message_id FROM message WHERE message_id <> ':m' LIMIT 1)
		WHERE message_id = ':m' AND scope = 'idempotency-key'`,
	},
	{
		"seal of a key taken away", "keyed", "I28", "creation_key", theIdempotency,
		`ALTER TABLE creation_key ALTER key_id DROP NOT NULL, ALTER seal DROP NOT NULL;
		UPDATE creation_key SET key_id = NULL, seal = NULL WHERE message_id = ':m' AND scope = 'idempotency-key'`,
	},
	{
		"first row of a trail that is of no message any more", "keyed", "I11", "audit_event", theFirstOf + `1`,
		`UPDATE audit_event SET message_id = NULL WHERE message_id = ':m' AND sequence = 1`,
	},
	{
		"answer to a recall due later", "recall", "I3", "message", theMessage,
		`UPDATE message SET answer_by = answer_by + interval '10 days' WHERE message_id = ':m'`,
	},
	{
		"ended sign-in brought back", "", "I24", "token_family", endedSignIn,
		`UPDATE token_family SET revoked_at = NULL, revoked_for = NULL WHERE family_id::text = (` + endedSignIn + `)`,
	},
	{
		"session planted", "", "I26", "sessions", `SELECT 'planted-:m'`,
		`INSERT INTO sessions (token, data, expiry) SELECT 'planted-:m', data, expiry FROM sessions WHERE data <> '' LIMIT 1`,
	},
	{
		"session written by somebody else", "", "I26", "sessions", `SELECT 'written-:m'`,
		`INSERT INTO sessions (token, data, expiry) VALUES ('written-:m', 'checker1', now() + interval '1 hour')`,
	},
	{
		"session lives for longer", "", "I26", "sessions", aSession,
		`UPDATE sessions SET expiry = expiry + interval '1 year' WHERE token = (` + aSession + `)`,
	},
	{
		"data of a session changed", "", "I26", "sessions", anotherSession,
		`UPDATE sessions SET data = data || 'x' WHERE token = (` + anotherSession + `)`,
	},
	{
		"ended session brought back", "ended session", "I26", "sessions", `SELECT split_part(':m', ' ', 1)`,
		`UPDATE sessions SET data = decode(split_part(':m', ' ', 2), 'hex'), expiry = to_timestamp(split_part(':m', ' ', 3)::bigint / 1000000.0)
		WHERE token = split_part(':m', ' ', 1)`,
	},
}
