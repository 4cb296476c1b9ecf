package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/testutil"
)

func TestHelpAndVersionAreUnderstood(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		"help": "Run the gateway: portal, API and clearing.", "help serve": "COUNTERSIGN_RELEASE_KEY_FILE", "--help": "Usage: countersign",
		"--version": "countersign ", "version": "countersign ",
	} {
		p := start(t, nil, strings.Fields(arguments)...)
		if code := p.wait(t); code != 0 || !strings.Contains(p.output.String(), want) {
			t.Errorf("%s ends with %d, want %q in:\n%s", arguments, code, want, p.output)
		}
	}
}

// TestAWrongCommandLineIsToldOnStandardError: nothing on standard output, and few lines.
func TestAWrongCommandLineIsToldOnStandardError(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		"": "expected one of", "nonsense": "unexpected argument nonsense", "validate --date=x a.xml": `enter a date such as 2026-11-20 instead of "x"`,
		"audit verify /nowhere":                             "read the archive: open /nowhere",
		"check --database-url=postgres:// --since=/nowhere": "read the checkpoints to begin with: open /nowhere",
	} {
		command := exec.Command(os.Args[0], strings.Fields(arguments)...)
		command.Env = append(os.Environ(), asProgram+"=1")
		var said strings.Builder
		command.Stderr = &said
		out, err := command.Output()
		var ended *exec.ExitError
		if !errors.As(err, &ended) || ended.ExitCode() != exitUsage || len(out) > 0 || !strings.Contains(said.String(), want) ||
			strings.Count(said.String(), "\n") > 6 {
			t.Errorf("%q: %v, on standard output %q, on standard error:\n%s", arguments, err, out, said.String())
		}
	}
}

// TestTheShellCompletesCommandsAndFlags asks bash for the words after others.
func TestTheShellCompletesCommandsAndFlags(t *testing.T) {
	t.Parallel()
	testutil.Program(t, "bash", "it is the shell that completes")
	script := start(t, nil, "completion", "bash")
	script.wait(t)
	for typed, want := range map[string]string{"ev": "events", "events ta": "tail", "events tail --cu": "--cursor", "realm create --ma": "--mark"} {
		command := exec.Command("bash", "-c", `countersign() { `+asProgram+`=1 "$PROGRAM" "$@"; }; eval "$SCRIPT"
			COMP_WORDS=(countersign $TYPED) COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _countersign; echo "${COMPREPLY[*]}"`)
		command.Env = append(os.Environ(), "PROGRAM="+os.Args[0], "SCRIPT="+script.output.String(), "TYPED="+typed)
		out, err := command.CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%q is completed to %q (%v)", typed, out, err)
		}
	}
}

// TestEverySettingIsDocumented reads the commands' settings from their source.
func TestEverySettingIsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "operations.md"))
	must(t, err)
	clearing, err := os.ReadFile(filepath.Join("..", "..", "docs", "clearing.md"))
	must(t, err)
	files, err := filepath.Glob("*.go")
	must(t, err)
	ofEvents := regexp.MustCompile("^COUNTERSIGN_(URL|API_[A-Z]+)$") // in docs/interface.md
	count := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		must(t, err)
		for _, tag := range regexp.MustCompile("env:\"([A-Z_,]+)\"").FindAllStringSubmatch(string(source), -1) {
			for name := range strings.SplitSeq(tag[1], ",") {
				count++
				if !ofEvents.MatchString(name) && !strings.Contains(string(page), "`"+name+"`") && !strings.Contains(string(clearing), "`"+name+"`") {
					t.Errorf("%s of %s stands neither in docs/operations.md nor in docs/clearing.md", name, file)
				}
			}
		}
	}
	if count < 20 {
		t.Errorf("found %d settings", count)
	}
}

// TestOutputThatCannotBeWrittenIsAFailure: a key or a digest that a full disk lost is not there.
func TestOutputThatCannotBeWrittenIsAFailure(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = full.Close() }()
	for _, arguments := range []string{"version", "licenses", "completion bash", "clearing profiles", "migrate --print-logins", "key new --id=k1"} {
		command := exec.Command(os.Args[0], strings.Fields(arguments)...)
		command.Env = append(os.Environ(), asProgram+"=1")
		command.Stdout = full
		err := command.Run()
		var ended *exec.ExitError
		if !errors.As(err, &ended) || ended.ExitCode() != exitFailed {
			t.Errorf("%s ends with %v", arguments, err)
		}
	}
}
