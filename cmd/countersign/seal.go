package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"countersign/internal/store/admin"
	"countersign/internal/store/integrity"
)

// sealCommand is the way out for rows that are older than the seals of their table: somebody looks at them and answers for them.
type sealCommand struct {
	Before  string          `help:"Only rows older than this day, such as 2026-07-01." required:"" placeholder:"DAY"`
	Reason  string          `help:"Why you answer for these rows: what they were compared with." required:""`
	By      string          `help:"Who answers for them, by name." required:""`
	Apply   bool            `help:"Seal them. Without it the rows are listed and nothing is written."`
	Auditor auditorSettings `embed:""`
}

// Run lists the rows without a seal, and seals them with --apply. It refuses while the auditor finds anything else.
func (c *sealCommand) Run(ctx context.Context) error {
	if strings.TrimSpace(c.Reason) == "" || strings.TrimSpace(c.By) == "" ||
		utf8.RuneCountInString(c.Reason) > 512 || utf8.RuneCountInString(c.By) > 100 {
		return errors.New("say who you are (--by, at most 100 characters) and why (--reason, at most 512)")
	}
	if c.Auditor.ReleaseKeyFile == "" || c.Auditor.TokenKeyFile == "" {
		return errors.New("give --release-key-file and --token-key-file: nothing is sealed before everything was checked")
	}
	cfg, err := c.Auditor.config()
	if err != nil {
		return err
	}
	before, err := time.ParseInLocation(time.DateOnly, c.Before, cfg.Zone)
	if err != nil {
		return errors.New("--before is a day, such as 2026-07-01")
	}
	report, err := integrity.Check(ctx, cfg)
	if err != nil {
		return err
	}
	unproven, others := report.Unproven()
	if others > 0 {
		return fmt.Errorf("%s broken otherwise than by a missing seal, so nothing was sealed: countersign check names what to mend first",
			counted(others, "row"))
	}
	rows, words := make([]admin.LateRow, len(unproven)), make(map[string]string)
	for i, v := range unproven {
		rows[i] = admin.LateRow{Realm: v.Realm, Relation: v.Table, Key: v.Key}
		words[v.Table+" "+v.Key] = v.What
	}
	outcome, err := admin.SealLate(ctx, admin.LateSealing{
		OwnerURL: cfg.DatabaseURL, Seal: cfg.Seal, By: c.By, Reason: c.Reason, Before: before, At: cfg.Now, DryRun: !c.Apply,
	}, rows)
	if err != nil {
		return err
	}
	return c.print(outcome, words)
}

// print names each row.
func (c *sealCommand) print(outcome admin.LateOutcome, words map[string]string) error {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, row := range outcome.Sealed {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", row.Realm, row.Relation, row.Key, words[row.Relation+" "+row.Key])
	}
	for _, row := range outcome.Left {
		_, _ = fmt.Fprintf(table, "left\t%s\t%s\t%s\n", row.Relation, row.Key,
			"is not older than "+c.Before+", or a decision about a message that waits")
	}
	err := table.Flush()
	if err != nil {
		return fmt.Errorf("print the rows: %w", err)
	}
	if !c.Apply {
		fmt.Printf("%s would be sealed, nothing was written. Compare them with a backup or with clearing's statement, then say --apply.\n",
			counted(len(outcome.Sealed), "row"))
		return nil
	}
	fmt.Printf("%s sealed afterwards. countersign check says so from now on.\n", counted(len(outcome.Sealed), "row"))
	return nil
}
