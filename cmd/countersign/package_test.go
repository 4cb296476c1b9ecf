//go:build long

package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheFilesOfARelease: a tagged commit makes a program of that version, its bill of materials, checksums, and a Debian package that
// installs program, unit, user and settings, keeps changed settings at an update and a removal, and deletes them when it is purged.
func TestTheFilesOfARelease(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("dpkg installs as root only")
	}
	folder, out := t.TempDir(), t.TempDir()
	run := func(program string, arguments ...string) string {
		t.Helper()
		command := exec.Command(program, arguments...)
		command.Env = append(os.Environ(), "REBUILD="+os.Getenv("COUNTERSIGN_PACKAGE_REBUILD"), "DEBIAN_FRONTEND=noninteractive")
		said, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", program, strings.Join(arguments, " "), err, said)
		}
		return string(said)
	}
	source := filepath.Join(folder, "source")
	run("git", "clone", "--quiet", filepath.Join("..", ".."), source)
	run("git", "-C", source, "tag", "v0.9.7")
	t.Log(run(filepath.Join(source, "tools", "package.sh"), out))

	said := run(filepath.Join(out, "countersign"), "version")
	if !strings.HasPrefix(said, "countersign v0.9.7 ") {
		t.Errorf("the version is %q", said)
	}
	check := exec.Command("sha256sum", "--check", "--strict", "SHA256SUMS")
	check.Dir = out
	must(t, check.Run())
	content, err := os.ReadFile(filepath.Join(out, "countersign.cdx.json"))
	must(t, err)
	var bill struct {
		Components []struct{ Name, Version string }
	}
	must(t, json.Unmarshal(content, &bill))
	named := map[string]string{}
	for _, c := range bill.Components {
		named[c.Name] = c.Version
	}
	linked, err := buildinfo.ReadFile(filepath.Join(out, "countersign"))
	must(t, err)
	for _, module := range linked.Deps {
		if named[module.Path] != module.Version {
			t.Errorf("the bill of materials says %q of %s %s", named[module.Path], module.Path, module.Version)
		}
	}

	root := filepath.Join(folder, "root")
	must(t, os.MkdirAll(filepath.Join(root, "var/lib/dpkg/info"), 0o755))
	must(t, os.MkdirAll(filepath.Join(root, "etc"), 0o755))
	for _, file := range []string{"status", "available"} {
		must(t, os.WriteFile(filepath.Join(root, "var/lib/dpkg", file), nil, 0o600))
	}
	install := func() {
		run("dpkg", "--root="+root, "--force-script-chrootless", "--force-depends", "--force-confold", "-i", filepath.Join(out, "countersign_amd64.deb"))
	}
	install()
	settings := filepath.Join(root, "etc/countersign/environment")
	installed := map[string]os.FileMode{
		"usr/bin/countersign": 0o755, "lib/systemd/system/countersign.service": 0o644, "usr/lib/sysusers.d/countersign.conf": 0o644,
		"etc/countersign/environment": 0o600, "usr/share/doc/countersign/copyright": 0o644, "usr/share/doc/countersign/CHANGELOG.md": 0o644,
	}
	for file, mode := range installed {
		info, err := os.Stat(filepath.Join(root, file))
		if err != nil || info.Mode() != mode {
			t.Errorf("%s: %v %v, want the mode %v", file, err, info, mode)
		}
	}
	if conffiles := run("dpkg-deb", "--info", filepath.Join(out, "countersign_amd64.deb"), "conffiles"); conffiles != "/etc/countersign/environment\n" {
		t.Errorf("the conffiles are %q", conffiles)
	}
	if version := run("dpkg-deb", "--field", filepath.Join(out, "countersign_amd64.deb"), "Version"); version != "0.9.7\n" {
		t.Errorf("the version of the package is %q", version)
	}
	if said := run(filepath.Join(root, "usr/bin/countersign"), "version"); !strings.HasPrefix(said, "countersign v0.9.7 ") {
		t.Errorf("the installed program says %q", said)
	}
	unit, err := os.ReadFile(filepath.Join(root, "lib/systemd/system/countersign.service"))
	must(t, err)
	if !bytes.Contains(unit, []byte("ExecStart=/usr/bin/countersign serve\n")) {
		t.Error("the unit does not start the program of the package")
	}
	users, err := os.ReadFile(filepath.Join(root, "etc/passwd"))
	must(t, err)
	if !bytes.Contains(users, []byte("countersign:")) {
		t.Errorf("the user is not there:\n%s", users)
	}
	must(t, os.WriteFile(settings, []byte("COUNTERSIGN_ENVIRONMENT=PROD\n"), 0o600))
	install()
	kept, err := os.ReadFile(settings)
	must(t, err)
	if string(kept) != "COUNTERSIGN_ENVIRONMENT=PROD\n" {
		t.Errorf("a second installation changed the settings to %q", kept)
	}
	for _, step := range []struct {
		option string
		kept   bool
	}{{"--remove", true}, {"--purge", false}} {
		run("dpkg", "--root="+root, "--force-script-chrootless", step.option, "countersign")
		for file := range installed {
			_, err := os.Stat(filepath.Join(root, file))
			if want := step.kept && filepath.Join(root, file) == settings; (err == nil) != want {
				t.Errorf("after %s %s is there: %t", step.option, file, !want)
			}
		}
	}
}
