// Command countersign is the whole product: the gateway with its portal and API, the demo, and the tools of
// an operator. Every setting is a flag and an environment variable; `countersign COMMAND --help` lists them.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	_ "time/tzdata" // banking days need Europe/Zurich on machines without a zone database

	"github.com/alecthomas/kong"

	"countersign/internal/profile"
)

type commands struct {
	Serve     serveCommand     `cmd:"" help:"Run the gateway: portal, API and clearing."`
	Demo      demoCommand      `cmd:"" help:"Run the gateway with a private database, demo users and a clearing simulator."`
	Migrate   migrateCommand   `cmd:"" help:"Bring the database schema up to date."`
	Check     checkCommand     `cmd:"" help:"Check the invariants of the database."`
	Audit     auditCommand     `cmd:"" help:"Verify and export the sealed audit trail."`
	Archive   archiveCommand   `cmd:"" help:"Archive the messages that ended by the end of a month in a file that can be verified without the database."`
	Key       keyCommand       `cmd:"" help:"Create keys for the key files."`
	Validate  validateCommand  `cmd:"" help:"Check ISO 20022 documents: payment orders against structure and rules, other messages against structure."`
	Realm     realmCommand     `cmd:"" help:"Create and set up realms."`
	Clearing  clearingCommand  `cmd:"" help:"Show clearing profiles and compare statements."`
	Directory directoryCommand `cmd:"" help:"Manage the directories of banks."`
	Codes     codesCommand     `cmd:"" help:"Manage the external code sets of ISO 20022."`
	Calendar  calendarCommand  `cmd:"" help:"Manage the calendars of clearing days."`
	User      userCommand      `cmd:"" help:"Manage user accounts."`
	Events    eventsCommand    `cmd:"" help:"Follow the events of messages, through the API."`
	Version   versionCommand   `cmd:"" help:"Print the version."`
	Licenses  licensesCommand  `cmd:"" help:"Print the licences of the linked libraries."`

	Completion completionCommand `cmd:"" help:"Print the completion of a shell: source <(countersign completion bash)."`
	Complete   completeCommand   `cmd:"" hidden:"" passthrough:"" help:"Print the possible next words."`

	LogFormat string `help:"Format of the log." enum:"text,json" default:"text" env:"COUNTERSIGN_LOG_FORMAT"`
	LogLevel  string `help:"Lowest level to log." enum:"debug,info,warn,error" default:"info" env:"COUNTERSIGN_LOG_LEVEL"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "countersign:", err)
		os.Exit(exitCode(err))
	}
}

// The exit codes beside 0.
const (
	exitFailed = 1 // the command failed, or found what it looks for
	exitUsage  = 2 // the command line or a file it names makes no sense
	// exitIncomplete: all checks that ran passed, but a key for the others was not given.
	exitIncomplete = 3
	// exitInterrupted: SIGINT or SIGTERM ended the command before its work was done.
	exitInterrupted = 130
)

// errInterrupted is the outcome of a command that a signal ended. It replaces the outcome of the part that ran.
var errInterrupted = errors.New("interrupted before the end: the work is not done")

// exitCode is the one an error asks for.
func exitCode(err error) int {
	if errors.Is(err, errInterrupted) {
		return exitInterrupted
	}
	var coded kong.ExitCoder
	if errors.As(err, &coded) {
		return coded.ExitCode()
	}
	if unreadable, is := errors.AsType[*fs.PathError](err); is && unreadable.Op == "open" {
		return exitUsage
	}
	return exitFailed
}

// run parses the command line and runs one command until it ends or ctx does.
func run(ctx context.Context, args []string) error {
	var c commands
	parser, err := kong.New(&c, kong.Name("countersign"), kong.ShortUsageOnError(),
		kong.Exit(func(code int) { os.Exit(min(code, exitUsage)) }), // of 0, 1, and 80 for a wrong command line
		kong.Description("An instant-payment gateway with a four-eyes portal."))
	if err != nil {
		return fmt.Errorf("read the command line: %w", err)
	}
	parsed, err := parser.Parse(asTyped(args))
	if err != nil {
		parser.Stdout = parser.Stderr // the usage is a part of the error
		parser.FatalIfErrorf(err)
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	parsed.Bind(newLog(c.LogFormat, c.LogLevel))
	err = parsed.Run()
	if err == nil {
		err = stdout.err
	}
	if ctx.Err() == nil {
		return err
	}
	if command := parsed.Command(); command != "serve" && command != "demo" && command != "events tail" {
		return errInterrupted
	}
	if errors.Is(err, context.Canceled) { // a signal is how they end
		return nil
	}
	return err
}

// asTyped maps "help" and "--version" to the arguments that kong understands.
func asTyped(args []string) []string {
	switch {
	case len(args) > 0 && args[0] == "help":
		return append(append([]string(nil), args[1:]...), "--help")
	case len(args) == 1 && args[0] == "--version":
		return []string{"version"}
	default:
		return args
	}
}

func newLog(format, level string) *slog.Logger {
	var l slog.Level
	err := l.UnmarshalText([]byte(level))
	if err != nil {
		l = slog.LevelInfo // the command line allows no other word
	}
	options := &slog.HandlerOptions{Level: l}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(os.Stderr, options))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, options))
}

// output is standard output. It keeps the first error, such as that of a full disk, which makes the command fail.
type output struct{ err error }

var stdout = &output{}

func (o *output) Write(text []byte) (int, error) {
	n, err := os.Stdout.Write(text)
	if err != nil && o.err == nil {
		o.err = fmt.Errorf("write the output: %w", err)
	}
	return n, err
}

type versionCommand struct{}

// Run prints the version of the program and of the Go it was built with.
func (versionCommand) Run() error { //nolint:unparam // a command of the command line returns an error
	info, ok := debug.ReadBuildInfo()
	if !ok {
		fmt.Fprintln(stdout, "countersign (unknown build)")
		return nil
	}
	revision := "unknown revision"
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			revision = s.Value
		}
	}
	fmt.Fprintln(stdout, "countersign", info.Main.Version, revision, info.GoVersion)
	return nil
}

// notices are the licences of everything that is linked into the program. TestTheNoticesAreThoseOfWhatIsLinked writes them (-update).
//
//go:embed notices.txt
var notices string

type licensesCommand struct{}

// Run prints the notices.
func (licensesCommand) Run() error {
	fmt.Fprint(stdout, notices)
	return nil
}

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

// Run prints a script that has the shell ask the program for the next word.
func (c completionCommand) Run() error { //nolint:unparam // a command of the command line returns an error
	if c.Shell == "fish" {
		fmt.Fprintln(stdout, "complete -c countersign -f -a '(countersign complete -- (commandline -opc)[2..])'")
		return nil
	}
	if c.Shell == "zsh" {
		fmt.Fprintln(stdout, "autoload -U +X bashcompinit && bashcompinit")
	}
	fmt.Fprint(stdout, `_countersign() {
  COMPREPLY=($(compgen -W "$(countersign complete -- "${COMP_WORDS[@]:1:COMP_CWORD-1}")" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _countersign countersign
`)
	return nil
}

type completeCommand struct {
	Words []string `arg:"" optional:"" help:"Words already typed."`
}

// Run prints the commands and flags that may follow.
func (c completeCommand) Run(parsed *kong.Context) error { //nolint:unparam // a command of the command line returns an error
	at := parsed.Model.Node
	for _, word := range c.Words {
		for _, below := range at.Children {
			if below.Name == word {
				at = below
			}
		}
	}
	for _, below := range at.Children {
		if !below.Hidden {
			fmt.Fprintln(stdout, below.Name)
		}
	}
	for _, group := range at.AllFlags(true) {
		for _, flag := range group {
			fmt.Fprintln(stdout, "--"+strings.TrimPrefix(flag.Name, "--"))
		}
	}
	return nil
}

type clearingCommand struct {
	Reconcile reconcileCommand        `cmd:"" help:"Compare a statement of clearing (camt.053, camt.052) with the payments approved and sent here, and list each difference."`
	Profiles  clearingProfilesCommand `cmd:"" help:"Print the built-in clearing profiles, in the format of a profile file."`
}

type clearingProfilesCommand struct{}

// Run prints the file.
func (clearingProfilesCommand) Run() error {
	_, err := stdout.Write(profile.Shipped())
	return err
}
