package integrity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/keyring"
	"countersign/internal/payment"
	"countersign/internal/profile"
	"countersign/internal/store"
)

// Config holds the database and the keys of a check.
type Config struct {
	DatabaseURL string // of a login that sees every row
	// Seal holds the keys of versions, releases and documents; without keys those seals are not checked.
	Seal payment.Sealer
	// Tokens are the keys that master data are sealed with; without one those seals are not looked at.
	Tokens keyring.Ring
	// AuditKeys sign the checkpoints of the audit trail; AuditPublic are their public halves, for operators without the keys. With the keys a
	// changed row is named; with the public halves it is only located between two checkpoints. Without either the trees are not checked.
	AuditKeys   keyring.Ring
	AuditPublic auditlog.PublicKeys
	// Earlier are checkpoints that were kept elsewhere: the trees must have grown from them.
	Earlier []string
	// Since are signed checkpoints, one of a realm, up to which an earlier check held. Of these realms only later rows are checked, with all
	// messages about the same payments; master data and sign-ins are always checked whole.
	Since []string
	// Profiles are the clearing profiles that documents may have been sent by; those shipped need not be given.
	Profiles profile.Registry
	Now      time.Time
	Zone     *time.Location // of the banking day, as the gateway has it
}

// Report is the result of a check.
type Report struct {
	Invariants []Invariant
	// Skipped are the invariants that were not looked at, because their key was not given.
	Skipped []Skipped
	// Versions, Documents, Answers, Requests and Tokens count the rows compared with their seals; Tokens includes portal sessions.
	Versions, Documents, Answers, Requests, Tokens int
	// Trees, Leaves and Checkpoints count the compared ones; Unsealed counts the rows that are not sealed yet.
	Trees, Leaves, Checkpoints, Unsealed int
	// Since: only what changed since checkpoints was looked at, and Messages counts the messages of it.
	Since    bool
	Messages int
	// Newest are the newest signed checkpoints of before the check: the next one may begin with them.
	Newest []string
	// AccountChanged counts released instructions whose debtor account changed after the release. Their document cannot be made again to
	// compare; the seals of the account and of the document are checked instead.
	AccountChanged int
}

// Skipped is an invariant that was not looked at.
type Skipped struct {
	ID, Text string
	Missing  string // the setting that was not given
}

// Broken counts the invariants that something breaks.
func (r Report) Broken() int {
	n := 0
	for _, i := range r.Invariants {
		if len(i.Violations) > 0 {
			n++
		}
	}
	return n
}

// The settings that name the keys.
const (
	releaseKeys = "--release-key-file"
	tokenKeys   = "--token-key-file" //nolint:gosec // the name of a flag
	auditKeys   = "--audit-key-file"
)

// Check checks the whole database, or the changes since checkpoints. Each statement reads a snapshot of its own, so that a check may run
// for long beside the gateway, and on a standby. It fails with HiddenRowsError for a login that does not see every row, and when the
// database cannot be read; violations are in the report.
func Check(ctx context.Context, cfg Config) (Report, error) {
	return look(ctx, cfg, func(a *audit, trees check) error {
		err := a.begin(ctx)
		if err != nil {
			return err
		}
		checks := slices.Concat(a.rules(), a.seals(trees))
		a.noteSkipped(checks)
		if !a.report.Since {
			return a.run(ctx, checks, ofAll, scope{})
		}
		for of, to := range map[part]scope{ofRest: a.rest, ofTrail: {of: ofTrail, with: withTrail}, ofWhole: {}} {
			err = a.run(ctx, checks, of, to)
			if err != nil {
				return err
			}
		}
		return a.eachRange(ctx, func(messages scope) error { return a.run(ctx, checks, ofMessages, messages) })
	})
}

// begin reads the checkpoints of the last check and those to begin with.
func (a *audit) begin(ctx context.Context) error {
	var err error
	a.report.Newest, err = a.snapshot.Checkpoints(ctx)
	if err != nil || len(a.cfg.Since) == 0 {
		return err
	}
	if !a.sealed() || len(a.public()) == 0 {
		return errors.New("a check since a checkpoint needs " + releaseKeys + " and " + auditKeys)
	}
	a.since, a.report.Since = make(map[string]auditlog.Checkpoint), true
	for _, signed := range a.cfg.Since {
		realm := auditlog.RealmOf(signed)
		c, err := a.public().Read(realm, signed)
		if err != nil {
			return fmt.Errorf("the checkpoint of realm %s to begin with was not signed by a key at hand: %w", realm, err)
		}
		a.since[realm] = c
	}
	trees, err := a.snapshot.Trees(ctx)
	realms, leaves := make([]string, len(trees)), make([]int64, len(trees))
	for i, tree := range trees {
		if err == nil && i > 0 {
			tree.SealedBelow, err = older(a.sealedBelow, tree.SealedBelow)
		}
		a.sealedBelow = tree.SealedBelow
		realms[i], leaves[i] = tree.Realm, a.since[tree.Realm].Size
	}
	a.rest = scope{of: ofRest, leaves: []any{realms, leaves}}
	return err
}

// check is an invariant.
type check struct {
	id, text string
	of       part   // the rows it reads
	missing  string // the settings that were not given; "" for none
	query    query
}

// run checks the invariants over some parts of the rows, in a scope. The others are reported as holding so far.
func (a *audit) run(ctx context.Context, checks []check, of part, in scope) error {
	a.snapshot.narrow(in)
	defer a.snapshot.narrow(scope{})
	for _, c := range checks {
		if c.query == nil || c.missing != "" && c.id != contentOf {
			continue
		}
		var found []Violation
		if c.of&of != 0 {
			var err error
			found, err = a.snapshot.guarded(ctx, c.query)
			if err != nil {
				return fmt.Errorf("check %s: %w", c.id, err)
			}
		}
		if c.missing == "" || len(found) > 0 {
			a.conclude(c.id, c.text, found)
		}
	}
	return nil
}

// noteSkipped notes the invariants whose keys are missing.
func (a *audit) noteSkipped(checks []check) {
	for _, c := range checks {
		if c.missing != "" {
			a.report.Skipped = append(a.report.Skipped, Skipped{ID: c.id, Text: c.text, Missing: c.missing})
		}
	}
}

// seals are the invariants that need keys.
func (a *audit) seals(trees check) []check {
	release, tokens, both := "", "", ""
	if !a.sealed() {
		release, both = releaseKeys, releaseKeys+" and "+tokenKeys
	}
	if a.cfg.Tokens.Empty() {
		tokens, both = tokenKeys, releaseKeys+" and "+tokenKeys
	}
	return []check{
		{contentOf, "the shown, searched and decided columns of each message match the seal of its version", ofMessages, release, a.versions},
		{
			"I17", "each release matches its seal and the approved content, and the sent document is made of it", ofMessages, release,
			func(context.Context) ([]Violation, error) { return a.ofReleases, nil },
		},
		{"I18", "each document matches its seal", ofMessages, release, all(a.documents, a.waited)},
		{
			"I19", "each answer in the outbox matches its seal, its delivery mark and its refusal mark, and is no payment", ofMessages, release,
			a.answers,
		},
		{"I28", "each key of a request matches its seal, its request and its message", ofMessages, release, a.requests},
		{"I35", "each answer of core banking, and each report to it, matches its seal", ofMessages, release, a.coreBookings},
		{"I20", "the master data of each realm are those under its head, by its seal; changes of them, uses of second factors and " +
			"reference data are as they were stored, by theirs", ofWhole, tokens, a.snapshot.together(a.masterData)},
		{"I21", "each row of the audit trail that the tree does not have yet, with its move, version and decision, and each document " +
			"matches its seal", ofWhole, both, a.waiting},
		{"I26", "each token and each session of the portal matches the seal of its sign-in, for its owner and its time, and none was " +
			"opened again", ofWhole, tokens, a.snapshot.together(a.tokens)},
		trees,
		{"I36", "rows left with archives, and data keys by erasures, that two administrators approved, and no other archived row is " +
			"gone", ofWhole, both, a.snapshot.together(a.detached)},
	}
}

// contentOf is the invariant of the content of versions, which is compared without keys as well.
const contentOf = "I16"

// ofTrees is the invariant of the audit trees. Without trees no key is missing, and without both there is no query.
func (a *audit) ofTrees(ctx context.Context) (check, error) {
	trees := check{"I30", "the audit trail, the history, the decisions and the documents are the sealed ones, whole and in their order, " +
		"up to the newest checkpoint", ofWhole, "", a.trees}
	if len(a.public()) > 0 {
		return trees, nil
	}
	stored, err := a.snapshot.Trees(ctx)
	trees.query = nil
	if len(stored) > 0 {
		trees.missing = auditKeys
	}
	return trees, err
}

// rangeLeaves is the number of leaves whose messages are checked together.
const rangeLeaves = 4000

// eachRange calls check with the scopes of the messages with leaves since the checkpoints, some leaves at a time.
func (a *audit) eachRange(ctx context.Context, check func(messages scope) error) error {
	trees, err := a.snapshot.Trees(ctx)
	if err != nil {
		return err
	}
	checked := make(map[uuid.UUID]bool)
	for _, tree := range trees {
		for from := a.since[tree.Realm].Size; from < tree.Size; from += rangeLeaves {
			touched, err := repeated(ctx, func() ([]uuid.UUID, error) {
				return a.snapshot.q.TouchedMessageList(ctx, tree.Realm, from, from+rangeLeaves)
			})
			if err != nil {
				return fmt.Errorf("read the changes: %w", err)
			}
			touched = slices.DeleteFunc(touched, func(id uuid.UUID) bool { return checked[id] })
			for _, id := range touched {
				checked[id] = true
			}
			err = check(scope{of: ofMessages, with: withMessages, arguments: []any{tree.Realm, touched}})
			if err != nil {
				return err
			}
		}
	}
	a.report.Messages = len(checked)
	return nil
}

// CheckTrail checks the sealed audit trail alone. It fails as Check does.
func CheckTrail(ctx context.Context, cfg Config) (Report, error) {
	return look(ctx, cfg, func(a *audit, trees check) error {
		a.noteSkipped([]check{trees})
		return a.run(ctx, []check{trees}, ofAll, scope{})
	})
}

// look runs checks and returns their report.
func look(ctx context.Context, cfg Config, checks func(a *audit, trees check) error) (Report, error) {
	opened, err := Open(ctx, cfg.DatabaseURL)
	if err != nil {
		return Report{}, err
	}
	defer opened.Close(ctx)
	err = opened.follow(ctx)
	if err != nil {
		return Report{}, err
	}
	a := &audit{cfg: cfg, snapshot: opened, sealedBelow: "0", archived: map[string]int64{}}
	a.signer, err = auditlog.NewSigner(cfg.AuditKeys)
	if err == nil {
		opened.trail, err = store.NewTrailKeys(cfg.Tokens, cfg.Seal)
	}
	var trees check
	if err == nil {
		trees, err = a.ofTrees(ctx)
	}
	if err == nil {
		err = checks(a, trees)
	}
	if err != nil {
		return Report{}, err
	}
	return a.report, nil
}

// audit is one run.
type audit struct {
	cfg      Config
	snapshot *Snapshot
	signer   auditlog.Signer
	since    map[string]auditlog.Checkpoint // by realm; empty for a check of everything
	// rest narrows a check since checkpoints to rows that belong to no message.
	rest scope
	// sealedBelow is the transaction up to which the trees have all rows; "0" looks for all that they lack.
	sealedBelow string
	// archived counts the leaves whose rows left with an archive, by realm, of the trees that were looked at whole.
	archived map[string]int64
	// ofReleases are the unfit releases, which the check of the versions finds.
	ofReleases []Violation
	report     Report
}

// public are the keys that verify checkpoints.
func (a *audit) public() auditlog.PublicKeys { return append(a.signer.Public(), a.cfg.AuditPublic...) }

// conclude adds the findings of a checked invariant. A range that finds a row again adds nothing.
func (a *audit) conclude(id, text string, found []Violation) {
	at := slices.IndexFunc(a.report.Invariants, func(i Invariant) bool { return i.ID == id })
	if at < 0 {
		a.report.Invariants = append(a.report.Invariants, Invariant{ID: id, Text: text, Violations: found})
		return
	}
	known := a.report.Invariants[at].Violations
	for _, v := range found {
		if !slices.Contains(known, v) {
			known = append(known, v)
		}
	}
	a.report.Invariants[at].Violations = known
}

// sealed reports whether the keys of versions, releases and documents were given.
func (a *audit) sealed() bool { return len(a.cfg.Seal.KeyIDs()) > 0 }
