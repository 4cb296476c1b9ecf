package main

import (
	"os"
	"strings"
	"testing"
)

// withProvider is the realm's file with an identity provider, two accounts of which it knows.
func withProvider(secret string) string {
	text := strings.Replace(realmYAML, "user: maker, roles: [maker]", "user: maker, roles: [maker], outerSubject: s-1", 1)
	return strings.Replace(text, "people:", `identityProvider:
  issuer: https://login.bank.example/realms/staff
  providerClient: countersign
  providerSecret: `+secret+`
  portalAddress: https://payments.bank.example
  signInAge: 90s
people:`, 1)
}

func TestARealmFileSetsTheIdentityProvider(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.runs(0, "is made", "realm", "create", "--realm", "bank", "--mark", "BK", "--name", "Beispiel Bank AG")
	const inForce = "SELECT count(*) FROM identity_provider WHERE retired_at IS NULL AND issuer LIKE '%/staff' AND sign_in_age_seconds = 90"
	const linked = "SELECT count(*) FROM outer_identity JOIN user_account USING (realm, user_id) " +
		"WHERE ended_at IS NULL AND subject = 's-1' AND name = "
	file := o.file("bank.yaml", withProvider("{file: "+o.file("provider.secret", "a secret at the bank\n")+"}"))
	o.runs(0, "+ identity provider\n+ user maker\n", "realm", "apply", file, "--dry-run")
	if o.count(inForce) != 0 {
		t.Error("the dry run set the provider")
	}
	o.runs(0, "8 differences applied", "realm", "apply", file)
	o.runs(0, "nothing to change", "realm", "apply", file)
	if o.count(inForce) != 1 || o.count(linked+"'maker'") != 1 ||
		o.count("SELECT count(*) FROM identity_provider WHERE position('a secret'::bytea IN secret) > 0") != 0 {
		t.Error("the provider and the link are not there, or the secret is plain")
	}
	shown := o.runs(0, "providerSecret: {kept: true}", "realm", "show", "--realm", "bank")
	if strings.Contains(shown, "a secret") || strings.Contains(shown, "provider.secret") || !strings.Contains(shown, "outerSubject: s-1") {
		t.Errorf("show prints the secret, or no link:\n%s", shown)
	}
	o.runs(0, "nothing to change", "realm", "apply", o.file("shown.yaml", shown))
	o.runs(0, "nothing to change", "realm", "apply", o.file("silent.yaml", realmYAML)) // what a file does not name stays
	o.settings = append(o.settings, "PROVIDER_SECRET=a secret at the bank")
	o.runs(0, "nothing to change", "realm", "apply", o.file("same.yaml", withProvider("{environment: PROVIDER_SECRET}")))
	o.settings = append(o.settings, "PROVIDER_SECRET=another secret")
	o.runs(0, "~ identity provider\nThe realm", "realm", "apply", o.file("other.yaml", withProvider("{environment: PROVIDER_SECRET}")))
	passed := strings.Replace(withProvider("{kept: true}"), ", outerSubject: s-1", ", outerSubject: s-2", 1)
	passed = strings.Replace(passed, "roles: [checker]", "roles: [checker], outerSubject: s-1", 1)
	const signedOut = "SELECT count(*) FROM user_account WHERE signed_out_at IS NOT NULL AND name = "
	if o.count(signedOut+"'maker'") != 0 {
		t.Error("the first link ended what the account is signed in with")
	}
	o.runs(0, "2 differences applied", "realm", "apply", o.file("passed.yaml", passed))
	if o.count(signedOut+"'maker'") != 1 || o.count(signedOut+"'checker'") != 0 {
		t.Error("another link leaves what the former person is signed in with, or a first one ends it")
	}
	if o.count(inForce) != 1 || o.count(linked+"'checker'") != 1 || o.count(linked+"'maker'") != 0 ||
		o.count("SELECT count(*) FROM identity_provider WHERE retired_at IS NOT NULL") != 1 {
		t.Error("the subject did not pass from one account to the other, or the provider of before is in force")
	}
	o.runs(0, "I20  holds", "check", "--without-keys", "--token-key-file", strings.TrimPrefix(o.settings[1], "COUNTERSIGN_TOKEN_KEY_FILE="))
}

func TestAnIdentityProviderInAFileIsReadStrictly(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.runs(0, "is made", "realm", "create", "--realm", "bank", "--mark", "BK", "--name", "Beispiel Bank AG")
	o.settings = append(o.settings, "PROVIDER_SECRET=a secret at the bank", "EMPTY_SECRET=")
	open := o.file("open.secret", "a secret at the bank\n")
	must(t, os.Chmod(open, 0o644))
	good := withProvider("{environment: PROVIDER_SECRET}")
	for name, test := range map[string]struct{ from, to, want string }{
		"a secret in the file":     {"{environment: PROVIDER_SECRET}", "a secret at the bank", "cannot unmarshal"},
		"a secret in two places":   {"{environment: PROVIDER_SECRET}", "{environment: PROVIDER_SECRET, kept: true}", "in one way"},
		"a secret nowhere":         {"{environment: PROVIDER_SECRET}", "{}", "in one way"},
		"an empty secret":          {"PROVIDER_SECRET", "EMPTY_SECRET", "put a secret of 1 to 1024 characters there"},
		"a secret open to others":  {"{environment: PROVIDER_SECRET}", "{file: " + open + "}", "the secret file " + open + " is open to others"},
		"a secret that is missing": {"{environment: PROVIDER_SECRET}", "{file: /nowhere/secret}", "no such file"},
		"a secret never given":     {"{environment: PROVIDER_SECRET}", "{kept: true}", "the realm has none for this issuer and client"},
		"an issuer in the clear":   {"https://login", "http://login", "identityProvider/issuer: Enter the issuer"},
		"no address of the portal": {
			"portalAddress: https://payments.bank.example", "passwords: everybody", "identityProvider/portalAddress: Enter",
		},
		"an unknown word":        {"signInAge", "maxAge", "field maxAge not found"},
		"an age beyond":          {"90s", "13h", "identityProvider/signInAge: Enter the maximum time since sign-in"},
		"a subject twice":        {"roles: [checker]", "roles: [checker], outerSubject: s-1", "The subject s-1 stands here twice"},
		"a subject beyond ASCII": {"outerSubject: s-1", "outerSubject: ü-1", "people/0/users/0/outerSubject: Enter the subject"},
	} {
		t.Run(name, func(t *testing.T) { o.refuses(t, good, test.from, test.to, test.want) })
	}
	o.runs(exitUsage, "Name the identity provider that knows the account", "realm", "apply",
		o.file("nobody.yaml", strings.Replace(realmYAML, "roles: [maker]", "roles: [maker], outerSubject: s-1", 1)))
}
