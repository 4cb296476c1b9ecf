package integrity

import (
	"context"
	"fmt"
	"time"

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

// The invariants that need keys.
const (
	versionSealed  = "what people see, search and decide of each message is what was entered, by its seal"
	releaseSealed  = "what was released is what was approved, by its seal, and what was sent is made of it"
	documentSealed = "each document is what the gateway made, or took in, by its seal"
	answerSealed   = "each answer in the outbox is what the gateway made, by its seal, never a payment, and delivered or refused as it " +
		"says"
	waitingSealed = "each row of the audit trail that the tree does not have yet, with its move, version and decision, and each document " +
		"is what the gateway wrote, by its seal"
	masterSealed = "the master data of each realm are those under its head, by its seal; changes of them, uses of second factors and " +
		"reference data are as they were stored, by theirs"
	tokenSealed = "each token and each session of the portal is what a sign-in was given, for whom and for the time it says, by its seal, " +
		"and not one that was ended"
	coreSealed    = "what core banking said of each payment, and what it was told of its end, is as it was stored, by its seal"
	requestSealed = "each key of a request stands for the request and the message it was used for, by its seal"
)

// The settings that name the keys.
const (
	releaseKeys = "--release-key-file"
	tokenKeys   = "--token-key-file" //nolint:gosec // the name of a flag
	auditKeys   = "--audit-key-file"
)

// Check checks the whole database. It fails with HiddenRowsError for a login that does not see every row, and when the database cannot be
// read; violations are in the report.
func Check(ctx context.Context, cfg Config) (Report, error) {
	return look(ctx, cfg, func(a *audit) error {
		var err error
		a.report.Invariants, err = a.snapshot.Invariants(ctx, cfg.Now)
		if err != nil {
			return err
		}
		for _, check := range []sealCheck{
			{"I16", versionSealed, a.versions},
			{"I18", documentSealed, a.documents},
			{"I19", answerSealed, a.answers},
			{"I20", masterSealed, a.masterData},
			{"I21", waitingSealed, a.waiting},
			{"I26", tokenSealed, a.tokens},
			{"I28", requestSealed, a.requests},
			{"I30", treeSealed, a.trees},
			{"I35", coreSealed, a.coreBookings},
		} {
			err = a.guarded(ctx, check)
			if err != nil {
				return fmt.Errorf("check the seals: %w", err)
			}
		}
		return nil
	})
}

// sealCheck is an invariant that needs keys.
type sealCheck struct {
	id, text string
	look     func(context.Context) error // concludes or skips it
}

// guarded checks one invariant. A value that the database cannot read breaks the invariant.
func (a *audit) guarded(ctx context.Context, check sealCheck) error {
	unread, err := a.snapshot.Guard(ctx, check.look)
	if unread != nil {
		a.conclude(check.id, check.text, []Violation{*unread})
	}
	return err
}

// CheckTrail looks at the sealed audit trail alone. It fails as Check does.
func CheckTrail(ctx context.Context, cfg Config) (Report, error) {
	return look(ctx, cfg, func(a *audit) error {
		err := a.guarded(ctx, sealCheck{"I30", treeSealed, a.trees})
		if err != nil {
			return fmt.Errorf("check the audit trail: %w", err)
		}
		return nil
	})
}

// look runs checks on one snapshot of the database, and returns their report.
func look(ctx context.Context, cfg Config, checks func(*audit) error) (Report, error) {
	opened, err := Open(ctx, cfg.DatabaseURL)
	if err != nil {
		return Report{}, err
	}
	defer opened.Close(ctx)
	a := &audit{cfg: cfg, snapshot: opened}
	a.signer, err = auditlog.NewSigner(cfg.AuditKeys)
	if err == nil {
		opened.trail, err = store.NewTrailKeys(cfg.Tokens, cfg.Seal)
	}
	if err == nil {
		err = checks(a)
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
	report   Report
}

// public are the keys that verify checkpoints.
func (a *audit) public() auditlog.PublicKeys { return append(a.signer.Public(), a.cfg.AuditPublic...) }

// conclude adds an invariant that was looked at.
func (a *audit) conclude(id, text string, found []Violation) {
	a.report.Invariants = append(a.report.Invariants, Invariant{ID: id, Text: text, Violations: found})
}

// skip notes an invariant that could not be looked at.
func (a *audit) skip(id, text, missing string) {
	a.report.Skipped = append(a.report.Skipped, Skipped{ID: id, Text: text, Missing: missing})
}

// sealed reports whether the keys of versions, releases and documents were given.
func (a *audit) sealed() bool { return len(a.cfg.Seal.KeyIDs()) > 0 }
