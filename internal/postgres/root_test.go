package postgres_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"countersign/internal/testutil"
)

const ordinaryUser = 65534

func asRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		testutil.Elsewhere(t, "needs root: it is about what root must not do")
	}
}

func TestRootsServerRunsAsSomebodyElse(t *testing.T) {
	t.Parallel()
	asRoot(t)
	closed := filepath.Join(t.TempDir(), "home")
	err := os.Mkdir(closed, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	config := quick(filepath.Join(closed, "project", ".data", "cluster"))
	cluster := start(t, config)
	mark(t, cluster)
	if owner(t, config.DataDir) == 0 {
		t.Error("the data directory belongs to root")
	}
	stop(t, cluster)
	before := owner(t, config.DataDir)
	expect(t, start(t, config), readMarker, "kept")
	if owner(t, config.DataDir) != before {
		t.Error("the second start changed the owner of the data directory")
	}
	info, err := os.Stat(closed)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 || owner(t, closed) != 0 {
		t.Errorf("a directory above the data was opened: mode %v, owner %d", info.Mode(), owner(t, closed))
	}
}

func owner(t *testing.T, path string) uint32 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		t.Fatal("the system tells no owner")
	}
	return stat.Uid
}

func TestFetchedBinariesBelowAClosedDirectory(t *testing.T) {
	t.Parallel()
	asRoot(t)
	cache := filepath.Join(t.TempDir(), "cache")
	bin := filepath.Join(cache, "postgres", "99.0.0", "native", "bin")
	err := os.MkdirAll(bin, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"postgres", "initdb"} {
		installed, err := filepath.EvalSymlinks(testutil.OfPostgres(t, program))
		if err != nil {
			t.Fatal(err)
		}
		forward(t, filepath.Join(bin, program), installed)
	}
	config := quick(filepath.Join(t.TempDir(), "data"))
	config.CacheDir = cache
	cluster := start(t, config)
	expect(t, cluster, `SELECT 'runs'`, "runs")
	_, err = os.Stat(filepath.Join(socketDir(t, cluster.URL("postgres")), "native", "bin", "postgres"))
	if err != nil {
		t.Errorf("the cluster does not run on the fetched binaries: %v", err)
	}
}

// forward makes a program that stands for an installed one, which could not find its own files from another place.
func forward(t *testing.T, program, installed string) {
	t.Helper()
	err := os.WriteFile(program, []byte("#!/bin/sh\nexec '"+installed+"' \"$@\"\n"), 0o755)
	if err != nil {
		t.Fatal(err)
	}
}

func copyProgram(t *testing.T, from, to string) {
	t.Helper()
	source, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = source.Close() }()
	// A process that another test starts meanwhile would hold the copy open for writing, and no process starts from such a file.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(target, source)
	if err != nil {
		t.Fatal(err)
	}
	err = target.Close()
	if err != nil {
		t.Fatal(err)
	}
}

func TestPlantedSocketDirectoryIsRefused(t *testing.T) {
	t.Parallel()
	asRoot(t)
	config := quick(filepath.Join(t.TempDir(), "data"))
	cluster := start(t, config)
	planted := socketDir(t, cluster.URL("postgres"))
	stop(t, cluster)
	err := os.Mkdir(planted, 0o777)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(planted) })
	refused(t, config, planted, "0700")
}

func TestRuntimeDirectoryThatCannotServe(t *testing.T) {
	t.Parallel()
	place, err := os.MkdirTemp("/tmp", "cs-runtime-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(place) })
	long := filepath.Join(place, strings.Repeat("long", 30))
	err = errors.Join(os.Mkdir(long, 0o755), os.Chmod(place, 0o755))
	if err != nil {
		t.Fatal(err)
	}
	config := quick(filepath.Join(t.TempDir(), "data"))
	config.RuntimeDir = long
	refused(t, config, "runtime directory", "bytes")
	config.RuntimeDir = place
	cluster := start(t, config)
	if filepath.Dir(socketDir(t, cluster.URL("postgres"))) != place {
		t.Errorf("the socket is in %s, want it in %s", cluster.URL("postgres"), place)
	}
}

// TestRootServesADirectoryAsItsOwner: the data of an ordinary user stay theirs when root starts the program once.
func TestRootServesADirectoryAsItsOwner(t *testing.T) {
	t.Parallel()
	asRoot(t)
	config := quick(filepath.Join(t.TempDir(), "data"))
	cluster := start(t, config)
	mark(t, cluster)
	stop(t, cluster)
	err := filepath.WalkDir(config.DataDir, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, ordinaryUser, ordinaryUser))
	})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, start(t, config), readMarker, "kept")
	if owner(t, config.DataDir) != ordinaryUser {
		t.Errorf("the data directory now belongs to user %d", owner(t, config.DataDir))
	}
}

// TestAsAnOrdinaryUser repeats the life of a cluster as a user without rights: what root may do must not hide what it cannot.
func TestAsAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	asRoot(t)
	asOrdinaryUser(t, "TestServerOfAKilledProgramIsAdopted", "TestServerIsPrivate")
}

// asOrdinaryUser runs tests of this program as a user without rights. Each has to exist and pass.
func asOrdinaryUser(t *testing.T, names ...string) {
	t.Helper()
	place, err := os.MkdirTemp("/tmp", "cs-user-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(place) })
	program := filepath.Join(place, "postgres.test")
	copyProgram(t, os.Args[0], program)
	temporary := filepath.Join(place, "tmp")
	err = errors.Join(os.Chmod(place, 0o755), os.MkdirAll(filepath.Join(temporary, foreignName), 0o700),
		os.Chown(temporary, ordinaryUser, ordinaryUser))
	if err != nil {
		t.Fatal(err)
	}
	tests := "-test.run=^(" + strings.Join(names, "|") + ")"
	command := exec.CommandContext(t.Context(), program, tests, "-test.v")
	command.Dir = place
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + temporary, "HOME=" + place}
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ordinaryUser, Gid: ordinaryUser}}
	output, err := command.CombinedOutput()
	for _, name := range names {
		if err != nil || !strings.Contains(string(output), "--- PASS: "+name) {
			t.Errorf("%s as user %d: %v\n%s", name, ordinaryUser, err, output)
		}
	}
}

// foreignName is root's directory in the place of temporary files of TestAsAnOrdinaryUser.
const foreignName = "foreign"

func TestDirectoryOfAnotherUserIsRefused(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		asOrdinaryUser(t, "TestDirectoryOfAnotherUserIsRefused") // root may use everybody's directory
		return
	}
	refused(t, quick(filepath.Join(os.TempDir(), foreignName)), "belongs to user 0", "run it as that user")
}

// TestPlacesThatCannotBeWritten: each says what to do, under every user.
func TestPlacesThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	place := t.TempDir()
	file := filepath.Join(place, "file")
	err := os.WriteFile(file, nil, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	refused(t, quick(file), "is a file: choose another data directory")
	refused(t, quick(filepath.Join(file, "data")), "is a file, or lies below one: choose another data directory")
	if os.Geteuid() == 0 {
		asOrdinaryUser(t, "TestPlacesThatCannotBeWritten") // root may write anywhere
		return
	}
	closed := filepath.Join(place, "closed")
	err = os.Mkdir(closed, 0o500)
	if err != nil {
		t.Fatal(err)
	}
	refused(t, quick(filepath.Join(closed, "data")), "which may not write to "+closed+": give it to that user (chown)")
}

// TestADataDirectoryOpenToOthersIsRefused names the mode and the command, before PostgreSQL complains in its own words.
func TestADataDirectoryOpenToOthersIsRefused(t *testing.T) {
	t.Parallel()
	config := quick(filepath.Join(t.TempDir(), "data"))
	cluster := start(t, config)
	mark(t, cluster)
	stop(t, cluster)
	for _, mode := range []os.FileMode{0o777, 0o755, 0o770} {
		err := os.Chmod(config.DataDir, mode)
		if err != nil {
			t.Fatal(err)
		}
		refused(t, config, fmt.Sprintf("is open to others (mode %04o): run chmod 700 on it", mode))
	}
	err := os.Chmod(config.DataDir, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, start(t, config), readMarker, "kept")
}

// TestAReadOnlyFileSystemIsTold mounts one for a program of its own.
func TestAReadOnlyFileSystemIsTold(t *testing.T) {
	t.Parallel()
	asRoot(t)
	place := t.TempDir()
	mount := exec.CommandContext(
		t.Context(), "unshare", "-m", "sh", "-c",
		`mount -t tmpfs -o ro tmpfs "$1" && exec "$2"`,
		"sh", place, os.Args[0],
	)
	mount.Env = append(os.Environ(), holdVariable+"="+filepath.Join(place, "data"))
	output, err := mount.CombinedOutput()
	said := string(output)
	if strings.Contains(said, "unshare") || strings.Contains(said, "mount:") {
		testutil.Elsewhere(t, "this machine mounts nothing: "+said)
	}
	if err == nil || !strings.Contains(said, place+" is on a read-only file system: mount it for writing, or choose another data directory") {
		t.Errorf("%v: %s", err, said)
	}
}
