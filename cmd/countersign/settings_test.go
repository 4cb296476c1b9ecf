package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestACredentialOfSystemdIsPrivate: its access list shows as a readable group. The same file elsewhere is open to others.
func TestACredentialOfSystemdIsPrivate(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "release.key")
	must(t, os.WriteFile(path, []byte("release-1 "+strings.Repeat("5a", 32)), 0o600))
	must(t, os.Chmod(path, 0o440))
	_, err := readPrivate(path)
	if err == nil || !strings.Contains(err.Error(), "is open to others (mode 0440)") {
		t.Errorf("a file that a group reads: %v", err)
	}
	t.Setenv("CREDENTIALS_DIRECTORY", folder)
	_, err = readPrivate(path)
	must(t, err)
	must(t, os.Chmod(path, 0o460))
	_, err = readPrivate(path)
	if err == nil {
		t.Error("a credential that a group writes is taken")
	}
}

// wrongSetting is a command with one setting that cannot be.
type wrongSetting struct {
	command string
	with    []string // in the environment, after what is right
	want    string
}

// wrongSettings are named; short is a file with too short a key.
func wrongSettings(folder, short string) map[string]wrongSetting {
	return map[string]wrongSetting{
		"no key file": {
			"serve",
			[]string{"COUNTERSIGN_RELEASE_KEY_FILE=" + folder + "/none"},
			"COUNTERSIGN_RELEASE_KEY_FILE: read the keys: stat " + folder + "/none",
		},
		"a short key": {"serve", []string{"COUNTERSIGN_TOKEN_KEY_FILE=" + short}, "COUNTERSIGN_TOKEN_KEY_FILE: read the keys of " +
			short + " (make one: countersign key new --id ID): line 1: the key token-1 needs at least 64 hexadecimal digits"},
		"no token file":     {"serve", []string{"COUNTERSIGN_CLEARING_TOKEN_FILE=" + folder + "/none"}, "COUNTERSIGN_CLEARING_TOKEN_FILE: "},
		"a limit in words":  {"serve", []string{"COUNTERSIGN_SIC_LIMIT=much"}, "COUNTERSIGN_SIC_LIMIT: "},
		"a limit in rappen": {"serve", []string{"COUNTERSIGN_SCT_LIMIT=1.005"}, "COUNTERSIGN_SCT_LIMIT: "},
		"a charge in words": {"serve", []string{"COUNTERSIGN_SCT_RECALL_CHARGE=little"}, "COUNTERSIGN_SCT_RECALL_CHARGE: "},
		"an end in words": {
			"serve",
			[]string{"COUNTERSIGN_SCT_UNSTRUCTURED_END=soon"},
			`COUNTERSIGN_SCT_UNSTRUCTURED_END: write a day such as 2026-11-20, not "soon"`,
		},
		"no day to answer": {
			"serve", []string{"COUNTERSIGN_SIC_ANSWER_DAYS=0"}, "COUNTERSIGN_SIC_ANSWER_DAYS: write a number of days from 1 to 366",
		},
		"days before": {
			"serve", []string{"COUNTERSIGN_SIC_RECALL_DAYS=-1"}, "COUNTERSIGN_SIC_RECALL_DAYS: write a number of days from 0 to 366",
		},
		"no address": {
			"serve",
			[]string{"COUNTERSIGN_CLEARING_SIC_URL=clearing:8081"},
			"COUNTERSIGN_CLEARING_SIC_URL: give an address that begins with https://",
		},
		"no such listener": {"serve", []string{"COUNTERSIGN_LISTEN=127.0.0.1:http-or-so"}, "COUNTERSIGN_LISTEN moves it"},
		"a proxy by name": {
			"serve", []string{"COUNTERSIGN_TRUSTED_PROXIES=10.0.0.0/8,proxy"}, `COUNTERSIGN_TRUSTED_PROXIES: write "proxy" as a network`,
		},
		"no calls at all": {"serve", []string{"COUNTERSIGN_LIMIT_PRINCIPAL=0"}, "COUNTERSIGN_LIMIT_PRINCIPAL: give a number from 1"},
		"a logo alone":    {"serve", []string{"COUNTERSIGN_HOUSE_LOGO=logo.svg"}, "name the institution too (COUNTERSIGN_HOUSE_NAME)"},
		"an environment":  {"serve", []string{"COUNTERSIGN_ENVIRONMENT=DEMO"}, `--environment must be one of "TEST","PROD" but got "DEMO"`},
		"perhaps TLS":     {"serve", []string{"COUNTERSIGN_TLS=perhaps"}, `from envar COUNTERSIGN_TLS="perhaps"`},
		"a log level":     {"serve", []string{"COUNTERSIGN_LOG_LEVEL=loud"}, `--log-level must be one of`},
		"no database": {
			"serve",
			[]string{"COUNTERSIGN_DATABASE_WAIT=1s"},
			"open the database (is it running, and is COUNTERSIGN_DATABASE_URL right?): the database is not available: failed to connect to `user=nobody",
		},
		"a database URL":       {"serve", []string{"COUNTERSIGN_DATABASE_URL=nonsense"}, "read the database URL"},
		"check, no database":   {"check", nil, "open the database as owner"},
		"migrate, no database": {"migrate", nil, "failed to connect to `user=nobody"},
		"demo, no database": {
			"demo", []string{"COUNTERSIGN_SIMULATOR_LISTEN=127.0.0.1:0", "COUNTERSIGN_DATA_DIR=" + folder}, "open the database as owner",
		},
		"demo, half a clearing": {
			"demo", []string{"COUNTERSIGN_DEMO_SIMULATOR=off", "COUNTERSIGN_CLEARING_SIC_URL=http://127.0.0.1:1"}, "COUNTERSIGN_CLEARING_SCT_URL",
		},
		"demo, a simulator": {"demo", []string{"COUNTERSIGN_DEMO_SIMULATOR=perhaps"}, `--simulator must be one of "on","off"`},
		"a seed":            {"simulator", []string{"COUNTERSIGN_SIMULATOR_SEED=abc"}, "seed: expected a valid"},
	}
}

// wrongPayees are wrong settings of the verification of payees. short is a file that holds neither certificate nor key.
func wrongPayees(short string) map[string]wrongSetting {
	const address = "COUNTERSIGN_PAYEE_URL=https://vop.invalid"
	certificate, key := "COUNTERSIGN_PAYEE_CERTIFICATE_FILE="+short, "COUNTERSIGN_PAYEE_KEY_FILE="+short
	return map[string]wrongSetting{
		"payees in words": {
			"serve", []string{"COUNTERSIGN_PAYEE_URL=the banks"}, "COUNTERSIGN_PAYEE_URL: give an address that begins with https://",
		},
		"payees in the clear": {
			"serve",
			[]string{"COUNTERSIGN_PAYEE_URL=http://vop.invalid"},
			"COUNTERSIGN_PAYEE_URL: names and accounts would travel to vop.invalid without TLS",
		},
		"payees, no certificate": {"serve", []string{address}, "COUNTERSIGN_PAYEE_CERTIFICATE_FILE: name the file"},
		"payees, no key":         {"serve", []string{address, certificate}, "COUNTERSIGN_PAYEE_KEY_FILE: name the file"},
		"payees, no pair":        {"serve", []string{address, certificate, key}, "read certificate and key"},
		"payees, nobody signed": {
			"serve", []string{"COUNTERSIGN_PAYEE_URL=http://127.0.0.1:1", "COUNTERSIGN_PAYEE_CA_FILE=" + short}, "COUNTERSIGN_PAYEE_CA_FILE: ",
		},
		"banks that ask, not there": {
			"serve", []string{"COUNTERSIGN_PAYEE_REQUESTERS_FILE=" + short + "-none"}, "COUNTERSIGN_PAYEE_REQUESTERS_FILE: read the banks",
		},
		"banks that ask, in a word": {
			"serve", []string{"COUNTERSIGN_PAYEE_REQUESTERS_FILE=" + short}, "COUNTERSIGN_PAYEE_REQUESTERS_FILE: line 1: write a BIC and a token",
		},
		"no questions":    {"serve", []string{"COUNTERSIGN_PAYEE_REQUESTER_LIMIT=0"}, "COUNTERSIGN_PAYEE_REQUESTER_LIMIT: give a number from 1"},
		"payees, nowhere": {"serve", []string{key}, "COUNTERSIGN_PAYEE_URL: say where"},
	}
}

// wrongMails are wrong settings of notices by e-mail.
func wrongMails(short string) map[string]wrongSetting {
	const address, from = "COUNTERSIGN_SMTP_ADDRESS=mail.invalid:587", "COUNTERSIGN_SMTP_FROM=c@bank.example"
	const portal = "COUNTERSIGN_PORTAL_URL=https://portal.invalid"
	return map[string]wrongSetting{
		"e-mails, nowhere":   {"serve", []string{from}, "COUNTERSIGN_SMTP_ADDRESS: name the SMTP server"},
		"e-mails, no port":   {"serve", []string{"COUNTERSIGN_SMTP_ADDRESS=mail.invalid"}, "COUNTERSIGN_SMTP_ADDRESS: give host and port"},
		"e-mails of nobody":  {"serve", []string{address, portal}, "COUNTERSIGN_SMTP_FROM: give the sender"},
		"e-mails, no portal": {"serve", []string{address, from}, "COUNTERSIGN_PORTAL_URL: give the address of the portal"},
		"e-mails in the clear": {
			"serve", []string{address, from, portal, "COUNTERSIGN_SMTP_SECURITY=none"}, "e-mails would travel to mail.invalid without TLS",
		},
		"e-mails, a password in the clear": {
			"serve",
			[]string{address, from, portal, "COUNTERSIGN_SMTP_SECURITY=none", "COUNTERSIGN_ALLOW_PLAIN_SMTP=true", "COUNTERSIGN_SMTP_USER=u"},
			"COUNTERSIGN_SMTP_USER: the password would travel without TLS",
		},
		"e-mails, no password": {"serve", []string{address, from, portal, "COUNTERSIGN_SMTP_USER=u"}, "COUNTERSIGN_SMTP_PASSWORD_FILE: name the file"},
		"e-mails, no user": {
			"serve", []string{address, from, portal, "COUNTERSIGN_SMTP_PASSWORD_FILE=" + short}, "COUNTERSIGN_SMTP_USER: name the user",
		},
		"e-mails, no such password": {
			"serve",
			[]string{address, from, portal, "COUNTERSIGN_SMTP_USER=u", "COUNTERSIGN_SMTP_PASSWORD_FILE=" + short + "-none"},
			"COUNTERSIGN_SMTP_PASSWORD_FILE: read the passwords",
		},
		"e-mails, nobody signed": {"serve", []string{address, from, portal, "COUNTERSIGN_SMTP_CA_FILE=" + short}, "COUNTERSIGN_SMTP_CA_FILE: "},
	}
}

// TestEMailsOfATestSystemAreMarked: in TEST alone.
func TestEMailsOfATestSystemAreMarked(t *testing.T) {
	t.Parallel()
	for environment, marked := range map[string]bool{"TEST": true, "PROD": false} {
		var g gateway
		g.Environment = environment
		err := (&mailSettings{Address: "127.0.0.1:25", Security: "none", From: "c@bank.example", Portal: "https://portal.example"}).apply(&g)
		if err != nil || g.Mail.Test != marked {
			t.Errorf("%s: marked %v, %v", environment, !marked, err)
		}
	}
}

// wrongCores are wrong settings of the port to core banking.
func wrongCores(short string) map[string]wrongSetting {
	const here = "COUNTERSIGN_CORE_URL=http://127.0.0.1:1"
	return map[string]wrongSetting{
		"core banking in the clear":       {"serve", []string{"COUNTERSIGN_CORE_URL=http://core.invalid"}, "COUNTERSIGN_CORE_URL: names"},
		"core banking, no certificate":    {"serve", []string{"COUNTERSIGN_CORE_URL=https://core.invalid"}, "COUNTERSIGN_CORE_CERTIFICATE_FILE: name"},
		"core banking, nobody signed":     {"serve", []string{here, "COUNTERSIGN_CORE_CA_FILE=" + short}, "COUNTERSIGN_CORE_CA_FILE: "},
		"core banking, nowhere":           {"serve", []string{"COUNTERSIGN_CORE_KEY_FILE=" + short}, "COUNTERSIGN_CORE_URL: say where"},
		"core banking, no time":           {"serve", []string{here, "COUNTERSIGN_CORE_TIMEOUT=1ms"}, "COUNTERSIGN_CORE_TIMEOUT: give"},
		"core banking, and what comes in": {"serve", []string{here, "COUNTERSIGN_CORE_INCOMING=perhaps"}, "--core-incoming must be one of"},
	}
}

func TestAWrongSettingIsNamed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	short, nobody := filepath.Join(folder, "short"), "postgres://nobody:leaked@127.0.0.1:1/none"
	release, token := keyIn(t, folder), keyIn(t, folder)
	must(t, os.WriteFile(short, []byte("abcd\n"), 0o600))
	right := []string{
		"COUNTERSIGN_LISTEN=127.0.0.1:0", "COUNTERSIGN_DATABASE_URL=" + nobody, "COUNTERSIGN_RELEASE_KEY_FILE=" + release,
		"COUNTERSIGN_TOKEN_KEY_FILE=" + token,
	}
	wrong := wrongSettings(folder, short)
	maps.Copy(wrong, wrongPayees(short))
	maps.Copy(wrong, wrongMails(short))
	maps.Copy(wrong, wrongCores(short))
	for name, test := range wrong {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, append(append([]string(nil), right...), test.with...), test.command)
			code, said := p.wait(t), p.output.String()
			if code == 0 || !strings.Contains(said, ": ") || !strings.Contains(said, test.want) {
				t.Errorf("ends with %d, want %q in:\n%s", code, test.want, said)
			}
			if strings.Contains(said, "leaked") || strings.Contains(said, "goroutine ") {
				t.Errorf("says too much:\n%s", said)
			}
		})
	}
}

func TestAMissingSettingIsNamed(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"serve": "missing flags: --database-url=STRING, --release-key-file=STRING, --token-key-file=STRING",
		"check": "missing flags: --database-url=STRING", "migrate": "missing flags: --database-url=STRING", "": "expected one of",
		"surve": "unexpected argument surve",
	} {
		arguments := []string{command}
		if command == "" {
			arguments = nil
		}
		p := start(t, nil, arguments...)
		if code := p.wait(t); code == 0 || !strings.Contains(p.output.String(), want) {
			t.Errorf("%q ends with %d, want %q in:\n%s", command, code, want, p.output)
		}
	}
}
