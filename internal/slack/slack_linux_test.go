package slack

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// asProgram in the environment makes this test binary a program that tells of itself.
const asProgram = "COUNTERSIGN_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) == "" {
		os.Exit(m.Run())
	}
	fmt.Println(os.Getpid(), strings.Join(os.Args[1:], ","), slackOfAll())
}

// slackOfAll is what slack each thread of this process has, in nanoseconds: of this one alone where others may not be asked.
func slackOfAll() (found []string) {
	own, _, _ := syscall.RawSyscall(syscall.SYS_PRCTL, getTimerSlack, 0, 0)
	found = []string{strconv.Itoa(int(own))}
	threads, _ := filepath.Glob("/proc/self/task/*")
	for _, thread := range threads {
		slack, err := os.ReadFile("/proc/" + filepath.Base(thread) + "/timerslack_ns")
		if err == nil {
			found = append(found, strings.TrimSpace(string(slack)))
		}
	}
	return found
}

func TestWhatServesWakesSeldom(t *testing.T) {
	for name, run := range map[string]struct {
		arguments []string
		set       string
		want      int
	}{
		"serve":                   {arguments: []string{"serve"}, want: wanted},
		"demo, after a flag":      {arguments: []string{"--log-level=warn", "demo", "--listen=a b"}, want: wanted},
		"simulator":               {arguments: []string{"simulator"}, want: wanted},
		"what ends by itself":     {arguments: []string{"validate", "a.xml"}, want: usual},
		"no command":              {want: usual},
		"begun anew, or may not":  {arguments: []string{"serve"}, set: "yes", want: usual},
		"an argument with a word": {arguments: []string{"validate", "demo.xml"}, want: usual},
	} {
		t.Run(name, func(t *testing.T) {
			runtime.LockOSThread() // a process has the slack of the thread that makes it; not unlocked, so that the thread ends with the test
			_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setTimerSlack, usual, 0)
			command := exec.Command(os.Args[0], run.arguments...)
			command.Env = append(os.Environ(), asProgram+"=yes", begun+"="+run.set)
			told, err := command.Output()
			if err != nil {
				t.Fatal(err)
			}
			pid, slacks, _ := strings.Cut(strings.TrimSpace(string(told)), " "+strings.Join(run.arguments, ",")+" ")
			if pid != strconv.Itoa(command.Process.Pid) {
				t.Errorf("the process %d told %q: it begins anew as the same process with the same command line", command.Process.Pid, told)
			}
			for _, slack := range strings.Fields(strings.Trim(slacks, "[]")) {
				if slack != strconv.Itoa(run.want) {
					t.Errorf("its threads have a slack of %s ns, all of them should have %d", slacks, run.want)
				}
			}
		})
	}
}
