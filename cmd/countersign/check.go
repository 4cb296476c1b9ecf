package main

import (
	"context"
	"fmt"
	"time"

	"countersign/internal/store"
)

type checkCommand struct {
	DatabaseURL string `help:"PostgreSQL URL of the schema's owner." required:"" env:"COUNTERSIGN_DATABASE_OWNER_URL,COUNTERSIGN_DATABASE_URL"`
}

// Run prints each invariant and what breaks it. It fails when something does.
func (c *checkCommand) Run(ctx context.Context) error {
	invariants, err := store.Check(ctx, c.DatabaseURL, time.Now())
	if err != nil {
		return err
	}
	broken := 0
	for _, i := range invariants {
		verdict := "holds"
		if len(i.Violations) > 0 {
			verdict = fmt.Sprintf("BROKEN by %d", len(i.Violations))
			broken++
		}
		fmt.Printf("%-4s %-12s %s\n", i.ID, verdict, i.Text)
		for _, v := range i.Violations {
			fmt.Printf("     %s %s: %s\n", v.Realm, v.MessageID, v.What)
		}
	}
	if broken > 0 {
		return fmt.Errorf("%d invariants are broken", broken)
	}
	return nil
}
