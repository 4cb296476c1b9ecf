package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// composed is what the test reads of a compose file.
type composed struct {
	Services map[string]struct {
		Image       string            `yaml:"image"`
		Command     []string          `yaml:"command"`
		Environment map[string]string `yaml:"environment"`
		Secrets     []string          `yaml:"secrets"`
		DependsOn   map[string]any    `yaml:"depends_on"`
		ReadOnly    bool              `yaml:"read_only"`
	} `yaml:"services"`
	Secrets map[string]struct {
		File string `yaml:"file"`
	} `yaml:"secrets"`
}

func readDeployed(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	must(t, err)
	return string(content)
}

// settingsOf lists the variables that a command reads, those of its sub-commands included.
func settingsOf(t *testing.T, command string) (names []string, known bool) {
	t.Helper()
	parser, err := kong.New(&commands{})
	must(t, err)
	for _, child := range parser.Model.Children {
		if child.Name != command {
			continue
		}
		_ = kong.Visit(child, func(node kong.Visitable, next kong.Next) error {
			if flag, ok := node.(*kong.Flag); ok {
				names = append(names, flag.Envs...)
			}
			return next(nil)
		})
		for _, flag := range parser.Model.Flags {
			names = append(names, flag.Envs...)
		}
		return names, true
	}
	return nil, false
}

// TestTheComposeFileSaysWhatTheProgramKnows holds its commands, settings, secrets and parts against what there is.
func TestTheComposeFileSaysWhatTheProgramKnows(t *testing.T) {
	t.Parallel()
	var file composed
	must(t, yaml.Unmarshal([]byte(readDeployed(t, "deploy/compose.yaml")), &file))
	ours := 0
	for name, service := range file.Services {
		for other := range service.DependsOn {
			if _, there := file.Services[other]; !there {
				t.Errorf("%s waits for %s, which is not there", name, other)
			}
		}
		for _, secret := range service.Secrets {
			if file.Secrets[secret].File == "" {
				t.Errorf("%s has the secret %s, which is not there", name, secret)
			}
		}
		if service.Image != "countersign" || len(service.Command) == 0 { // the simulator is a program of its own
			continue
		}
		ours++
		settings, known := settingsOf(t, service.Command[0])
		operator := name == "operator" // whose command is given when it is run
		if !known || !service.ReadOnly {
			t.Errorf("%s runs %q, read-only %t", name, service.Command, service.ReadOnly)
		}
		for setting, value := range service.Environment {
			if !operator && !slices.Contains(settings, setting) {
				t.Errorf("%s: %s reads no %s", name, service.Command[0], setting)
			}
			secret, isSecret := strings.CutPrefix(value, "/run/secrets/")
			if isSecret && !slices.Contains(service.Secrets, secret) {
				t.Errorf("%s: there is no secret %s", name, secret)
			}
		}
		for _, secret := range service.Secrets {
			if !slices.Contains(slices.Collect(maps.Values(service.Environment)), "/run/secrets/"+secret) {
				t.Errorf("%s has the secret %s and no setting that reads it", name, secret)
			}
		}
	}
	if ours != 3 {
		t.Errorf("%d services run the program, want 3", ours)
	}
}

// TestTheContainersAreThoseOfTheInstallationPage holds the logins against the page, and the compiler against the module.
func TestTheContainersAreThoseOfTheInstallationPage(t *testing.T) {
	t.Parallel()
	password := regexp.MustCompile(`PASSWORD ('[^']*'|:'[a-z]+')`)
	page := password.ReplaceAllString(readDeployed(t, "docs/install.md"), "PASSWORD")
	script := password.ReplaceAllString(readDeployed(t, "deploy/postgres-logins.sh"), "PASSWORD")
	statements := 0
	for line := range strings.Lines(script) {
		if strings.HasPrefix(line, "CREATE ") {
			statements++
			if !strings.Contains(page, line) {
				t.Errorf("the page does not say %s", line)
			}
		}
	}
	if statements != 3 {
		t.Errorf("%d statements were compared, want 3", statements)
	}
	for _, grant := range []string{"ALTER ROLE countersign_owner NOCREATEROLE", "GRANT countersign_app TO countersign_service"} {
		if !strings.Contains(readDeployed(t, "deploy/compose.yaml"), grant) || !strings.Contains(page, grant) {
			t.Errorf("page and compose file do not both say %s", grant)
		}
	}
	images := regexp.MustCompile(`(?m)^\s*(?:FROM|image:) (\S+)`)
	for _, file := range []string{"deploy/Containerfile", "deploy/compose.yaml"} {
		for _, image := range images.FindAllStringSubmatch(readDeployed(t, file), -1) {
			pinned := regexp.MustCompile(`:[^@]+@sha256:[0-9a-f]{64}$`).MatchString(image[1])
			if own := image[1] == "scratch" || image[1] == "countersign"; !own && !pinned {
				t.Errorf("%s: %s has no digest", file, image[1])
			}
		}
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(readDeployed(t, "go.mod"))[1]
	if !strings.Contains(readDeployed(t, "deploy/Containerfile"), "ARG GO_VERSION="+version+"\n") {
		t.Errorf("the image is not built by Go %s, which go.mod asks for", version)
	}
}
