package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"countersign/internal/auth"
	"countersign/internal/store"
)

type userCommand struct {
	Password passwordCommand `cmd:"" help:"Set a new password, read from standard input, for an account of a realm that has not had two administrators yet, and end its sessions."`
}

type passwordCommand struct {
	Realm        string `help:"Realm of the account." required:""`
	User         string `help:"Name of the account." required:""`
	BreakGlass   string `help:"Reason for this operator action, if the realm has had two administrators. It is audited, and shown to every administrator." placeholder:"REASON"`
	DatabaseURL  string `help:"PostgreSQL URL of the schema's owner." required:"" env:"COUNTERSIGN_DATABASE_OWNER_URL,COUNTERSIGN_DATABASE_URL"`
	TokenKeyFile string `help:"File with the token keys, which seal the account." required:"" env:"COUNTERSIGN_TOKEN_KEY_FILE"`
}

// Run reads the password from one line of standard input, so that it stands in no list of processes and no history of a shell.
func (c *passwordCommand) Run(ctx context.Context, log *slog.Logger) error {
	keys, err := readRing(c.TokenKeyFile, bareTokenKey)
	if err != nil {
		return fmt.Errorf("COUNTERSIGN_TOKEN_KEY_FILE: %w", err)
	}
	fmt.Fprintln(os.Stderr, "New password, one line (it is shown as you type; pipe it in to avoid that):")
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	password := strings.TrimRight(line, "\r\n")
	if err != nil && password == "" {
		return errors.New("no password came: write it on standard input, one line")
	}
	err = auth.CheckNewPassword(password)
	if err != nil {
		return err
	}
	hash, err := auth.HashPassword(password)
	if err != nil {
		return err
	}
	by := store.Provisioner{OwnerURL: c.DatabaseURL, Keys: keys, At: time.Now()}
	err = inWords(store.ResetPassword(ctx, by, store.PasswordReset{
		Realm: c.Realm, UserName: c.User, PasswordHash: hash, BreakGlass: c.BreakGlass,
	}))
	if err == nil {
		log.InfoContext(ctx, "the password is changed and everything the account was signed in with has ended", "realm", c.Realm)
	}
	return err
}
