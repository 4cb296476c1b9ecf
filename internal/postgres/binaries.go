package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// oldestMajor is the oldest PostgreSQL this project supports.
const oldestMajor = 15

// fetchedRoot is the folder that holds a fetched installation inside its package.
const fetchedRoot = "native"

// binaries is one installation of the server.
type binaries struct {
	// dir holds the programs postgres and initdb.
	dir   string
	major int
}

// installedPlaces are patterns of directories where PostgreSQL is usually installed without being on the PATH.
var installedPlaces = []string{
	"/usr/lib/postgresql/*/bin",          // Debian, Ubuntu
	"/usr/pgsql-*/bin",                   // the PostgreSQL project's packages for Red Hat
	"/opt/homebrew/opt/postgresql@*/bin", // Homebrew on Apple processors
	"/usr/local/opt/postgresql@*/bin",    // Homebrew on Intel processors
	"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// candidateDirs lists the directories that may hold the programs, in order of preference: fetched for this project, on the PATH,
// installed by the system with the newest first.
func candidateDirs(cacheDir string) []string {
	var dirs []string
	if cacheDir != "" {
		dirs = append(dirs, newestFirst(filepath.Join(cacheDir, "postgres", "*", fetchedRoot, "bin"))...)
	}
	onPath, err := exec.LookPath("postgres")
	if err == nil {
		dirs = append(dirs, filepath.Dir(onPath))
	}
	for _, place := range installedPlaces {
		dirs = append(dirs, newestFirst(place)...)
	}
	return dirs
}

func newestFirst(pattern string) []string {
	dirs, err := filepath.Glob(pattern)
	if err != nil {
		return nil
	}
	slices.SortFunc(dirs, func(a, b string) int { return versionIn(b) - versionIn(a) })
	return dirs
}

var (
	number        = regexp.MustCompile(`\d+`)
	versionOutput = regexp.MustCompile(`PostgreSQL\)? (\d+)`)
)

// versionIn is the first number in the part of a path that changes from version to version, the one nearest to the end.
func versionIn(path string) int {
	parts := strings.Split(filepath.ToSlash(path), "/")
	for _, part := range slices.Backward(parts) {
		version, err := strconv.Atoi(number.FindString(part))
		if err == nil {
			return version
		}
	}
	return 0
}

// choose returns the first installation of the wanted major version, or of any supported one when wanted is 0. Errors list the versions
// found and name the one to install.
func choose(ctx context.Context, dirs []string, wanted int) (binaries, error) {
	var found []binaries
	for _, dir := range dirs {
		candidate, err := inspect(ctx, dir)
		if err != nil {
			continue
		}
		if candidate.major >= oldestMajor && (wanted == 0 || candidate.major == wanted) {
			return candidate, nil
		}
		found = append(found, candidate)
	}
	if ctx.Err() != nil {
		return binaries{}, ctx.Err()
	}
	return binaries{}, notFound(found, wanted)
}

// inspect asks the programs of a directory for their version. Links are followed: a server finds its own files from where it stands.
func inspect(ctx context.Context, dir string) (binaries, error) {
	server, err := filepath.EvalSymlinks(filepath.Join(dir, "postgres"))
	if err != nil {
		return binaries{}, err
	}
	dir = filepath.Dir(server)
	_, err = exec.LookPath(filepath.Join(dir, "initdb"))
	if err != nil {
		return binaries{}, err
	}
	output, err := exec.CommandContext(ctx, server, "--version").Output() //nolint:gosec // a server found on this machine
	if err != nil {
		return binaries{}, fmt.Errorf("ask %s for its version: %w", server, err)
	}
	match := versionOutput.FindSubmatch(output)
	if match == nil {
		return binaries{}, fmt.Errorf("%s tells no version: %q", server, output)
	}
	major, err := strconv.Atoi(string(match[1]))
	return binaries{dir: dir, major: major}, err
}

func notFound(found []binaries, wanted int) error {
	var versions []string
	for _, one := range found {
		versions = append(versions, fmt.Sprintf("%d (%s)", one.major, one.dir))
	}
	list := strings.Join(versions, ", ")
	switch {
	case wanted != 0 && len(found) == 0:
		return fmt.Errorf("the data directory was made by PostgreSQL %d, and no PostgreSQL was found on this machine: "+
			"install PostgreSQL %d", wanted, wanted)
	case wanted != 0:
		return fmt.Errorf("the data directory was made by PostgreSQL %d, but only PostgreSQL %s was found: install PostgreSQL %d, "+
			"or move the directory away to begin with empty databases", wanted, list, wanted)
	case len(found) != 0:
		return fmt.Errorf("PostgreSQL %s is too old, version %d or newer is needed: run `make postgres`", list, oldestMajor)
	default:
		return errors.New("no PostgreSQL was found on this machine: run `make postgres`, which fetches it into the project's cache")
	}
}

// dataVersion is the major version that made a data directory, 0 where there is none yet.
func dataVersion(dataDir string) (int, error) {
	content, err := os.ReadFile(filepath.Join(dataDir, "PG_VERSION"))
	if err == nil {
		return parseDataVersion(dataDir, content)
	}
	if !errors.Is(err, os.ErrNotExist) {
		return 0, fmt.Errorf("read the version of the data directory: %w", err)
	}
	entries, err := os.ReadDir(dataDir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, fmt.Errorf("read the data directory: %w", err)
	}
	if len(entries) != 0 {
		return 0, fmt.Errorf("directory %s holds files, but no PostgreSQL data (it has no PG_VERSION): "+
			"nothing in it was touched; choose another data directory", dataDir)
	}
	return 0, nil
}

func parseDataVersion(dataDir string, content []byte) (int, error) {
	version, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		return 0, fmt.Errorf("data directory %s tells version %q, which is none: restore it, or choose another one", dataDir, content)
	}
	if version < oldestMajor {
		return 0, fmt.Errorf("data directory %s was made by PostgreSQL %d, version %d or newer is needed: "+
			"upgrade it with pg_upgrade, or choose another one", dataDir, version, oldestMajor)
	}
	return version, nil
}
