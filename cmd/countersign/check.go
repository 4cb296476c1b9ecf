package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"countersign/internal/auditlog"
	"countersign/internal/i18n"
	"countersign/internal/keyring"
	"countersign/internal/profile"
	"countersign/internal/store/integrity"
)

// auditorSettings are the database, the keys and the profiles of an integrity check.
type auditorSettings struct {
	DatabaseURL    string `help:"PostgreSQL URL of a login that sees every row: the schema's owner, or one with BYPASSRLS that may read every table." required:"" env:"COUNTERSIGN_DATABASE_OWNER_URL,COUNTERSIGN_DATABASE_URL"`
	ReleaseKeyFile string `help:"File with the release keys, as for serve." env:"COUNTERSIGN_RELEASE_KEY_FILE"`
	TokenKeyFile   string `help:"File with the token keys, as for serve. They seal people, roles, policies and accounts." env:"COUNTERSIGN_TOKEN_KEY_FILE"`
	AuditKeyFile   string `help:"File with the keys that sign the audit trail, as for serve." env:"COUNTERSIGN_AUDIT_KEY_FILE"`

	Profile profile.Settings `embed:""`
}

type checkCommand struct {
	Auditor     auditorSettings `embed:""`
	Since       string          `help:"Check only the changes since the checkpoints in this file, written by --result or by countersign audit checkpoint." placeholder:"FILE"`
	Result      string          `help:"File to write the result of a complete check to, for serve and for the next --since." placeholder:"FILE" env:"COUNTERSIGN_CHECK_FILE"`
	WithoutKeys bool            `help:"Skip the checks that need a key file which is not given."`
	JSON        bool            `help:"Print one JSON object." name:"json"`
}

// incompleteError: nothing was found broken, but not everything was looked at.
type incompleteError struct{ missing string }

func (e *incompleteError) Error() string {
	return "not everything was checked: give " + e.missing + ", or say --without-keys"
}

// ExitCode tells this from a broken invariant.
func (e *incompleteError) ExitCode() int { return exitIncomplete }

// Run prints each invariant and the rows that break it. It fails when a row does, or when a key that a check needs was not given.
func (c *checkCommand) Run(ctx context.Context) error {
	cfg, err := c.Auditor.config()
	if err != nil {
		return err
	}
	cfg.Since, err = c.checkpoints()
	if err != nil {
		return err
	}
	began := time.Now()
	report, err := integrity.Check(ctx, cfg)
	if err == nil {
		err = c.keep(report, began)
	}
	if err != nil {
		return err
	}
	write := writeReport
	if c.JSON {
		write = writeReportJSON
	}
	err = write(stdout, report, time.Since(began))
	if err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	if broken := report.Broken(); broken > 0 {
		return fmt.Errorf("%s broken: docs/operations.md says what each finding means and what to do", counted(broken, "invariant"))
	}
	if len(report.Skipped) > 0 && !c.WithoutKeys {
		return &incompleteError{missing: missingKeys(report)}
	}
	return nil
}

// checkpoints reads the checkpoints to begin with; none for a check of everything.
func (c *checkCommand) checkpoints() ([]string, error) {
	if c.Since == "" {
		return nil, nil
	}
	text, err := os.ReadFile(c.Since)
	if err != nil {
		return nil, fmt.Errorf("read the checkpoints to begin with: %w", err)
	}
	found := auditlog.SplitCheckpoints(string(text))
	if bytes.HasPrefix(text, []byte("{")) {
		result, err := integrity.ReadResult(c.Since)
		if err != nil {
			return nil, err
		}
		found = result.Checkpoints
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s holds no checkpoint: check everything first, with --result %[1]s", c.Since)
	}
	return found, nil
}

// keep writes the outcome of a complete check.
func (c *checkCommand) keep(report integrity.Report, began time.Time) error {
	if c.Result == "" || len(report.Skipped) > 0 {
		return nil
	}
	kept, err := integrity.ReadResult(c.Result)
	if err != nil {
		return err
	}
	return kept.Add(report, began.UTC().Truncate(time.Second)).Write(c.Result)
}

// config returns the settings of the integrity check.
func (c auditorSettings) config() (integrity.Config, error) {
	profiles, err := c.Profile.Registry()
	if err != nil {
		return integrity.Config{}, err
	}
	cfg := integrity.Config{DatabaseURL: c.DatabaseURL, Profiles: profiles, Now: time.Now(), Zone: i18n.Zone()}
	return cfg, c.readKeys(&cfg)
}

// readKeys reads the key files that were given.
func (c auditorSettings) readKeys(cfg *integrity.Config) error {
	if c.ReleaseKeyFile != "" {
		var err error
		cfg.Seal, err = readSealer(c.ReleaseKeyFile)
		if err != nil {
			return err
		}
	}
	for _, keys := range []struct {
		file, bareID string
		ring         *keyring.Ring
	}{{c.TokenKeyFile, bareTokenKey, &cfg.Tokens}, {c.AuditKeyFile, bareAuditKey, &cfg.AuditKeys}} {
		if keys.file == "" {
			continue
		}
		var err error
		*keys.ring, err = readRing(keys.file, keys.bareID)
		if err != nil {
			return err
		}
	}
	return nil
}

// missingKeys names the settings that were not given.
func missingKeys(r integrity.Report) string {
	var names []string
	for _, s := range r.Skipped {
		if !slices.Contains(names, s.Missing) {
			names = append(names, s.Missing)
		}
	}
	return strings.Join(names, " and ")
}

// writeReport writes a line for each invariant and one for each row that breaks it.
func writeReport(output io.Writer, r integrity.Report, took time.Duration) error {
	var text strings.Builder
	for _, i := range r.Invariants {
		verdict := "holds"
		if len(i.Violations) > 0 {
			verdict = fmt.Sprintf("BROKEN by %d", len(i.Violations))
		}
		fmt.Fprintf(&text, "%-4s %-12s %s\n", i.ID, verdict, i.Text)
		for _, v := range i.Violations {
			realm := v.Realm
			if realm == "" {
				realm = "-"
			}
			fmt.Fprintf(&text, "     %s %s %s: %s\n", realm, v.Table, v.Key, v.What)
		}
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(&text, "%-4s %-12s %s (needs %s)\n", s.ID, "not checked", s.Text, s.Missing)
	}
	if r.Since {
		fmt.Fprintf(&text, "looked at %s since the checkpoints, and at master data, sign-ins and the schema; only the whole check finds "+
			"a row or leaf that was sealed before and changed later\n", counted(r.Messages, "changed message"))
	}
	fmt.Fprintf(&text, "%s, %s, %s, %s and %s held against their seals in %s\n", counted(r.Versions, "version"),
		counted(r.Documents, "document"), counted(r.Answers, "answer"), counted(r.Requests, "request key"), counted(r.Tokens, "token"),
		took.Round(time.Millisecond))
	if r.Checkpoints > 0 {
		fmt.Fprintf(&text, "%s and %s of the audit trail held against each other; %s for the seal\n", counted(r.Leaves, "sealed row"),
			counted(r.Checkpoints, "checkpoint"), waiting(r.Unsealed))
	}
	if r.AccountChanged > 0 {
		fmt.Fprintf(&text, "%s not made again to compare: the debtor account was changed since by provisioning\n",
			counted(r.AccountChanged, "document"))
	}
	_, err := io.WriteString(output, text.String())
	return err
}

// waiting returns the sentence about the rows that wait.
func waiting(rows int) string {
	if rows == 0 {
		return "no row waits"
	}
	return counted(rows, "row") + " wait"
}

// checkedInvariant is an invariant as --json prints it.
type checkedInvariant struct {
	ID         string         `json:"id"`
	Text       string         `json:"text"`
	Verdict    string         `json:"verdict"` // holds, broken or not checked
	Needs      string         `json:"needs,omitempty"`
	Violations []checkedEntry `json:"violations"`
}

// checkedEntry is a row that breaks an invariant.
type checkedEntry struct {
	Realm string `json:"realm"`
	Table string `json:"table"`
	Key   string `json:"key"`
	What  string `json:"what"`
}

// writeReportJSON writes the report as one object on one line.
func writeReportJSON(output io.Writer, r integrity.Report, took time.Duration) error {
	printed := struct {
		Invariants     []checkedInvariant `json:"invariants"`
		Broken         int                `json:"broken"`
		Versions       int                `json:"versions"`
		Documents      int                `json:"documents"`
		Answers        int                `json:"answers"`
		Requests       int                `json:"requests"`
		Tokens         int                `json:"tokens"`
		AccountChanged int                `json:"accountChanged"`
		Since          bool               `json:"since"`
		Messages       int                `json:"messages,omitempty"` // that changed since the checkpoints
		Leaves         int                `json:"leaves"`
		Checkpoints    int                `json:"checkpoints"`
		Unsealed       int                `json:"unsealed"`
		Milliseconds   int64              `json:"milliseconds"`
	}{
		Broken: r.Broken(), Versions: r.Versions, Documents: r.Documents, Answers: r.Answers, Requests: r.Requests, Tokens: r.Tokens,
		AccountChanged: r.AccountChanged, Since: r.Since, Messages: r.Messages,
		Leaves: r.Leaves, Checkpoints: r.Checkpoints, Unsealed: r.Unsealed, Milliseconds: took.Milliseconds(),
	}
	for _, i := range r.Invariants {
		checked := checkedInvariant{ID: i.ID, Text: i.Text, Verdict: "holds", Violations: make([]checkedEntry, 0, len(i.Violations))}
		for _, v := range i.Violations {
			checked.Verdict = "broken"
			checked.Violations = append(checked.Violations, checkedEntry(v))
		}
		printed.Invariants = append(printed.Invariants, checked)
	}
	for _, s := range r.Skipped {
		printed.Invariants = append(printed.Invariants, checkedInvariant{
			ID: s.ID, Text: s.Text, Verdict: "not checked", Needs: s.Missing, Violations: []checkedEntry{},
		})
	}
	encoder := json.NewEncoder(output)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(printed)
}
