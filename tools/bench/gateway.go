package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// gatewayOptions say how a gateway runs.
type gatewayOptions struct {
	Name     string // of its folder
	Database string
	Resting  bool // it sends nothing to clearing
}

// gateway is the program as the demo's gateway, with its simulator, each a process of its own.
type gateway struct {
	base, clearing     string // the addresses of both
	program, simulator *exec.Cmd
}

// startWithin is how long a gateway may take to be ready: its database is migrated first.
const startWithin = 2 * time.Minute

// startGateway starts both and waits until the gateway is ready.
func (cfg Config) startGateway(ctx context.Context, o gatewayOptions) (*gateway, error) {
	addresses, err := free(2)
	if err != nil {
		return nil, err
	}
	g := &gateway{base: "http://" + addresses[0], clearing: "http://" + addresses[1]}
	log, err := os.Create(filepath.Join(cfg.Folder, o.Name+".log"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }() // the processes keep theirs
	start := func(program string, arguments ...string) (*exec.Cmd, error) {
		process := exec.CommandContext(ctx, program, append([]string{"--log-level=warn"}, arguments...)...) //nolint:gosec // this program
		process.Stderr, process.Dir = log, cfg.Folder
		process.Cancel = func() error { return process.Process.Signal(syscall.SIGTERM) }
		return process, process.Start()
	}
	g.simulator, err = start(filepath.Join(filepath.Dir(cfg.Program), "simulator"), "--listen="+addresses[1], "--gateway-url="+g.base)
	if err != nil {
		return nil, err
	}
	clearing := g.clearing + "/clearing/"
	arguments := []string{
		"demo", "--listen=" + addresses[0], "--simulator=off", "--empty", "--data-dir=" + filepath.Join(cfg.Folder, o.Name),
		"--cache-dir=" + cfg.Cache,
		"--database-url=" + o.Database, "--clearing-sic-url=" + clearing + "sic-inst", "--clearing-sct-url=" + clearing + "sct-inst",
	}
	if o.Resting {
		arguments = append(arguments, "--no-deliveries")
	}
	g.program, err = start(cfg.Program, arguments...)
	if err == nil {
		err = g.ready(ctx)
	}
	if err != nil {
		g.stop()
		return nil, fmt.Errorf("start the gateway (its log is %s): %w", log.Name(), err)
	}
	return g, nil
}

// free are addresses that nobody listens on.
func free(count int) ([]string, error) {
	var addresses []string
	for range count {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer func() { _ = listener.Close() }()
		addresses = append(addresses, listener.Addr().String())
	}
	return addresses, nil
}

// ready waits until the gateway answers that it is ready.
func (g *gateway) ready(ctx context.Context) error {
	late, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	for {
		request, err := http.NewRequestWithContext(late, http.MethodGet, g.base+"/readyz", nil)
		if err != nil {
			return err
		}
		answer, err := http.DefaultClient.Do(request)
		if err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-late.Done():
			return errors.New("it is not ready in time")
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// stop ends both and waits for them.
func (g *gateway) stop() {
	for _, process := range []*exec.Cmd{g.program, g.simulator} {
		if process != nil && process.Process != nil {
			_ = process.Process.Signal(syscall.SIGTERM)
			_ = process.Wait() // how a measured process ends is no part of the figures
		}
	}
}

// used is the processor time of the program so far, and the memory it holds now, in bytes.
func (g *gateway) used() (Used, error) { return UsedBy(g.program.Process.Pid) }
