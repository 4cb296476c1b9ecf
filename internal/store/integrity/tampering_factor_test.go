package integrity_test

const (
	theProvider  = `SELECT provider_id::text FROM identity_provider WHERE retired_at IS NULL`
	anIdentity   = `SELECT link_id::text FROM outer_identity WHERE subject = 's-1'`
	aFactor      = `SELECT factor_id::text FROM second_factor WHERE kind = 'totp' ORDER BY factor_id LIMIT 1`
	otherFactor  = `SELECT factor_id::text FROM second_factor WHERE kind = 'totp' ORDER BY factor_id DESC LIMIT 1`
	aUse         = `SELECT use_id::text FROM factor_use WHERE purpose = 'sign-in' ORDER BY use_id LIMIT 1`
	useOfDeleted = `SELECT use_id::text FROM factor_use u JOIN second_factor f USING (realm, factor_id) WHERE f.kind = 'recovery'
		ORDER BY use_id LIMIT 1`
	newestUse = `SELECT event_id::text FROM audit_event WHERE event = 'second-factor.use' AND detail::jsonb ->> 'purpose' = 'sign-in'
		ORDER BY at DESC, event_id DESC LIMIT 1`
	withFactor = `SELECT message_id || ' ' || version || ' ' || ordinal FROM decision WHERE factor_use_id IS NOT NULL LIMIT 1`
)

// ofFactors are the tamperings that strike what people show beside their passwords.
var ofFactors = []tampering{
	{
		"identity provider changed", "", "I33", "identity_provider", theProvider,
		`UPDATE identity_provider SET issuer = 'https://login.other.example'`,
	},
	{
		"outer identity given to somebody else", "", "I33", "outer_identity", anIdentity,
		`UPDATE outer_identity SET subject = 's-3' WHERE link_id::text = (` + anIdentity + `)`,
	},
	{
		"outer identity planted", "", "I33", "outer_identity", thePlanted,
		`INSERT INTO outer_identity (realm, link_id, user_id, issuer, subject, linked_at)
		SELECT realm, md5(':m')::uuid, (SELECT user_id FROM user_account WHERE realm = 'demo' AND name = 'checker2'), issuer, 's-4', linked_at
		FROM outer_identity WHERE ended_at IS NULL LIMIT 1`,
	},
	{
		"second factor given to somebody else", "", "I33", "second_factor", aFactor,
		`UPDATE second_factor SET user_id = (SELECT user_id FROM user_account WHERE realm = 'demo' AND name = 'checker2')
		WHERE factor_id::text = (` + aFactor + `)`,
	},
	{
		"second factor removed", "", "I33", "second_factor", otherFactor,
		`UPDATE second_factor SET removed_at = now() WHERE factor_id::text = (` + otherFactor + `)`,
	},
	{
		"second factor planted", "", "I33", "second_factor", thePlanted,
		`INSERT INTO second_factor (realm, factor_id, user_id, kind, name, secret, made_at)
		SELECT realm, md5(':m')::uuid, user_id, kind, name, secret, made_at FROM second_factor WHERE kind = 'totp' LIMIT 1`,
	},
	{
		"use of a second factor brought back", "", "I20", "factor_use", aUse,
		`UPDATE factor_use SET token = sha256(':m') WHERE use_id::text = (` + aUse + `)`,
	},
	{
		"newest use of a second factor deleted, so that its code counts again", "", "I34", "audit_event", newestUse,
		`DELETE FROM factor_use u USING audit_event a
		WHERE a.event_id::text = (` + newestUse + `) AND u.realm = a.realm AND u.user_id = a.actor_user AND u.at = a.at`,
	},
	{
		"second factor of an approval taken away", "", "I31", "decision", withFactor,
		`UPDATE decision SET factor_use_id = NULL WHERE factor_use_id IS NOT NULL`,
	},
	{"second factor deleted", "", "I15", "factor_use", useOfDeleted, `DELETE FROM second_factor WHERE kind = 'recovery'`},
	{
		"asking for second factors ended", "", "I33", "realm", `SELECT 'demo2'`,
		`UPDATE realm SET second_factor_roles = 'maker' WHERE realm = 'demo2'`,
	},
}
