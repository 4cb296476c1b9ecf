package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/store/integrity"
)

// reconcileCommand compares a statement of clearing with the database.
type reconcileCommand struct {
	DatabaseURL string `help:"PostgreSQL URL of a login that sees every row, as for check." required:"" env:"COUNTERSIGN_DATABASE_OWNER_URL,COUNTERSIGN_DATABASE_URL"`
	Scheme      string `help:"Scheme of the clearing." required:"" enum:"sic-inst,sct-inst"`
	Statement   string `help:"File with the camt.053 or camt.052 of our account at clearing." arg:""`
}

// maxStatement is the longest statement that is read, in bytes.
const maxStatement = 256 << 20

// Run prints each difference. It fails when there is one.
func (c *reconcileCommand) Run(ctx context.Context) error {
	file, err := os.Open(c.Statement)
	if err != nil {
		return fmt.Errorf("read the statement: %w", err)
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, maxStatement))
	if err != nil {
		return fmt.Errorf("read the statement: %w", err)
	}
	statement, err := interbank.ReadClearingStatement(content, i18n.Zone())
	if err != nil {
		return err
	}
	ledger, err := fromSnapshot(ctx, c.DatabaseURL, func(s *integrity.Snapshot) ([]payment.LedgerItem, error) {
		return s.Ledger(ctx, rulebook.Scheme(c.Scheme), statement.From.Add(-service.SettledLate), i18n.Zone())
	})
	if err != nil {
		return err
	}
	found := payment.Reconcile(statement, ledger)
	err = writeDifferences(stdout, statement, found)
	if err != nil {
		return fmt.Errorf("print the differences: %w", err)
	}
	if len(found) > 0 {
		return fmt.Errorf("%s between the statement and the database: docs/operations.md says what each means", counted(len(found), "difference"))
	}
	return nil
}

func writeDifferences(to io.Writer, s interbank.ClearingStatement, found []payment.StatementDifference) error {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	lines := []string{fmt.Sprintf("%s to %s: %s on the statement, %s", s.From.Format(time.DateOnly),
		s.To.AddDate(0, 0, -1).Format(time.DateOnly), counted(len(s.Lines), "payment"), counted(len(found), "difference"))}
	for _, d := range found {
		lines = append(lines, strings.Join([]string{
			string(d.Kind), d.Reference, d.Realm, "statement: " + cmp.Or(d.Statement, "nothing"), "here: " + cmp.Or(d.Here, "nothing"),
		}, "\t"))
	}
	_, err := io.WriteString(table, strings.Join(lines, "\n")+"\n")
	if err != nil {
		return err
	}
	return table.Flush()
}
