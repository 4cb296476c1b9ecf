package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"countersign/internal/administration"
	"countersign/internal/auth"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/realmfile"
	"countersign/internal/store"
)

// realmCommand groups the commands by which an operator sets up a realm before it has two administrators.
type realmCommand struct {
	Create        realmCreateCommand        `cmd:"" help:"Create an empty realm, with the client of its portal and a policy of one approval for every message."`
	Administrator realmAdministratorCommand `cmd:"" help:"Create one of the first two administrators of a realm, and print the link and the code to set the password."`
	Apply         realmApplyCommand         `cmd:"" help:"Apply a YAML file to a realm that never had two administrators."`
	Show          realmShowCommand          `cmd:"" help:"Print a realm as a YAML file, without secrets."`
}

// ownerSettings are the settings of commands that work as the schema's owner and seal the rows they write.
type ownerSettings struct {
	DatabaseURL  string `help:"PostgreSQL URL of the schema's owner." required:"" env:"COUNTERSIGN_DATABASE_OWNER_URL,COUNTERSIGN_DATABASE_URL"`
	TokenKeyFile string `help:"File with the token keys, which seal the written rows." required:"" env:"COUNTERSIGN_TOKEN_KEY_FILE"`
}

func (s ownerSettings) provisioner() (store.Provisioner, error) {
	keys, err := readRing(s.TokenKeyFile, bareTokenKey)
	if err != nil {
		return store.Provisioner{}, fmt.Errorf("COUNTERSIGN_TOKEN_KEY_FILE: %w", err)
	}
	return store.Provisioner{OwnerURL: s.DatabaseURL, Keys: keys}, nil
}

type realmCreateCommand struct {
	Realm string        `help:"Name of the realm, in addresses: a-z, 0-9 and hyphens." required:""`
	Mark  string        `help:"Two characters that start every Global ID of the realm. They can never be changed." required:""`
	Name  string        `help:"Display name of the institution." required:""`
	Owner ownerSettings `embed:""`
}

// Run makes the realm and prints the next command.
func (c *realmCreateCommand) Run(ctx context.Context) error {
	by, err := c.Owner.provisioner()
	if err != nil {
		return err
	}
	err = store.CreateRealm(ctx, by, administration.Realm{Realm: c.Realm, Name: c.Name, Mark: c.Mark})
	if err != nil {
		return inWords(err)
	}
	fmt.Fprintf(stdout,
		"The realm %s is made. Every message in it needs one approval. Next: countersign realm administrator --realm %s, for two people.\n",
		c.Realm, c.Realm,
	)
	return nil
}

type realmAdministratorCommand struct {
	Realm      string        `help:"Realm of the administrator." required:""`
	User       string        `help:"User name." required:""`
	Name       string        `help:"Name of the person." required:""`
	BreakGlass string        `help:"Reason for this operator action, if the realm has had two administrators. It is audited, and shown to every administrator." placeholder:"REASON"`
	Portal     string        `help:"Address of the portal, to print the link in full." env:"COUNTERSIGN_PORTAL_URL" placeholder:"URL"`
	Owner      ownerSettings `embed:""`
}

// Run makes the administrator and prints how the password is set.
func (c *realmAdministratorCommand) Run(ctx context.Context) error {
	by, err := c.Owner.provisioner()
	if err != nil {
		return err
	}
	made := printedSecrets{realm: c.Realm, portal: c.Portal}
	hash, setUp, err := made.Password(c.User)
	if err != nil {
		return err
	}
	by.Tell = made.print
	err = store.AddAdministrator(ctx, by, store.Administrator{
		Realm: c.Realm, UserName: c.User, DisplayName: c.Name, PasswordHash: hash, SetUp: setUp, BreakGlass: c.BreakGlass,
	})
	return made.withdrawn(inWords(err))
}

// printedSecrets makes the secrets of those who are new, to be printed once when they are stored.
type printedSecrets struct {
	realm, portal string
	by            store.Provisioner
	lines         []string
	printed       bool
}

// Password makes a set-up.
func (s *printedSecrets) Password(user string) (hash string, setUp identity.SetUpSecret, err error) {
	hash, err = auth.UnknownPassword()
	if err != nil {
		return "", identity.SetUpSecret{}, err
	}
	setUp, err = identity.NewSetUpSecret(rand.Reader)
	s.lines = append(
		s.lines,
		fmt.Sprintf("%s sets the password within %d hours:\n  link  %s\n  code  %s", user, int(identity.SetUpLife.Hours()),
			strings.TrimRight(s.portal, "/")+identity.SetUpPath(s.realm, setUp.Link), setUp.Code),
	)
	return hash, setUp, err
}

// Client makes a secret.
func (s *printedSecrets) Client(clientID string) ([]byte, error) {
	secret := identity.NewClientSecret()
	s.lines = append(s.lines, fmt.Sprintf("client %s\n  secret  %s", clientID, secret))
	return identity.ClientSecretDigest(secret), nil
}

// maxSecret is the longest secret of the portal at an identity provider, in bytes.
const maxSecret = 1024

// Provider reads the secret of the portal at an identity provider.
func (s *printedSecrets) Provider(from realmfile.ProviderSecret) (string, error) {
	var text string
	switch from {
	case realmfile.ProviderSecret{Environment: from.Environment}:
		text = os.Getenv(from.Environment)
	case realmfile.ProviderSecret{File: from.File}:
		content, err := readPrivateOf("the secrets", "the secret file", from.File)
		if err != nil {
			return "", err
		}
		text = string(content)
	}
	if from == (realmfile.ProviderSecret{}) || from.Kept || from.File != "" && from.Environment != "" {
		return "", realmfile.ErrSecretPlace
	}
	text = strings.TrimRight(text, "\r\n")
	if text == "" || len(text) > maxSecret {
		return "", fmt.Errorf("put a secret of 1 to %d characters there", maxSecret)
	}
	return text, nil
}

// Kept reports whether the provider in force has this secret.
func (s *printedSecrets) Kept(inForce *store.ProviderDefinition, wanted store.ProviderDefinition) (bool, error) {
	return s.by.KeepsSecret(s.realm, inForce, wanted)
}

// print writes the secrets to standard output and nowhere else: they are not shown again. It is done before they count: what cannot be
// written, on a full disk say, is not made.
func (s *printedSecrets) print() error {
	if len(s.lines) == 0 {
		return nil
	}
	s.printed = true
	_, err := fmt.Fprint(stdout, strings.Join(s.lines, "\n")+
		"\nNone of this is shown again. Give link and code to the person by two ways, the link below the portal's address.\n")
	if err != nil {
		return fmt.Errorf("links, codes and secrets cannot be written, so nothing was changed: %w", err)
	}
	return nil
}

// withdrawn says of an error that came after the secrets were printed that they count for nothing.
func (s *printedSecrets) withdrawn(err error) error {
	if err == nil || !s.printed {
		return err
	}
	return fmt.Errorf("the values printed above are not valid: %w", err)
}

// inWords makes sentences of field errors: each stands on a line of its own.
func inWords(err error) error {
	malformed, is := errors.AsType[*payment.FieldError](err)
	if !is {
		return err
	}
	lines := make([]string, len(malformed.Findings))
	for i, f := range malformed.Findings {
		lines[i] = "  " + strings.TrimPrefix(f.Pointer, "/") + ": " + f.Text.String()
	}
	return &unusableError{"correct these values:\n" + strings.Join(lines, "\n")}
}

type realmShowCommand struct {
	Realm       string `help:"Realm to print." required:""`
	DatabaseURL string `help:"PostgreSQL URL of the schema's owner." required:"" env:"COUNTERSIGN_DATABASE_OWNER_URL,COUNTERSIGN_DATABASE_URL"`
}

// Run prints the realm to standard output.
func (c *realmShowCommand) Run(ctx context.Context) error {
	realm, err := store.ReadRealm(ctx, c.DatabaseURL, c.Realm)
	if err != nil {
		return err
	}
	text, err := realmfile.Write(realmfile.Of(realm.RealmDefinition))
	if err != nil {
		return err
	}
	_, err = stdout.Write(text)
	return err
}

type realmApplyCommand struct {
	File   string        `arg:"" help:"YAML file as realm show prints it; - reads standard input."`
	DryRun bool          `help:"Print the changes without making them."`
	Portal string        `help:"Address of the portal, to print links in full." env:"COUNTERSIGN_PORTAL_URL" placeholder:"URL"`
	Owner  ownerSettings `embed:""`
}

// Run changes the realm to match the file, and prints each difference and the secrets of new users and clients.
func (c *realmApplyCommand) Run(ctx context.Context) error {
	by, err := c.Owner.provisioner()
	if err != nil {
		return err
	}
	form, err := readRealmFile(c.File)
	if err != nil {
		return &unusableError{err.Error()}
	}
	now, err := store.ReadRealm(ctx, by.OwnerURL, form.Realm)
	if err != nil {
		return fmt.Errorf("%w (make the realm first: countersign realm create)", err)
	}
	made := printedSecrets{realm: form.Realm, portal: c.Portal, by: by}
	wanted, err := form.Definition(now.RealmDefinition, &made)
	if err != nil {
		return inWords(err)
	}
	changes, err := realmfile.Differences(now.RealmDefinition, wanted)
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		fmt.Fprintf(stdout, "The realm %s is as the file says: nothing to change.\n", form.Realm)
		return nil
	}
	fmt.Fprintln(stdout, strings.Join(changes, "\n"))
	if now.EverTwo {
		return store.ErrAdministered
	}
	if c.DryRun {
		fmt.Fprintf(stdout, "Nothing was changed (--dry-run): %s.\n", counted(len(changes), "difference"))
		return nil
	}
	by.Tell = made.print
	err = store.ApplyNewRealm(ctx, by, now, wanted)
	if err != nil {
		return made.withdrawn(inWords(err))
	}
	fmt.Fprintf(stdout, "The realm %s is as the file says: %s applied.\n", form.Realm, counted(len(changes), "difference"))
	return nil
}

func readRealmFile(path string) (realmfile.Form, error) {
	input := os.Stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return realmfile.Form{}, err
		}
		defer func() { _ = file.Close() }()
		input = file
	}
	content, err := io.ReadAll(io.LimitReader(input, realmfile.Limit+1))
	if err != nil {
		return realmfile.Form{}, fmt.Errorf("read %s: %w", path, err)
	}
	form, err := realmfile.Parse(content)
	if err != nil {
		return realmfile.Form{}, fmt.Errorf("%s: %w", path, err)
	}
	return form, nil
}

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
	by := store.Provisioner{OwnerURL: c.DatabaseURL, Keys: keys}
	err = inWords(store.ResetPassword(ctx, by, store.PasswordReset{
		Realm: c.Realm, UserName: c.User, PasswordHash: hash, BreakGlass: c.BreakGlass,
	}))
	if err == nil {
		log.InfoContext(ctx, "the password is changed and everything the account was signed in with has ended", "realm", c.Realm)
	}
	return err
}
