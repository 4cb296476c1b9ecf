package simulator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/alecthomas/kong"

	"countersign/internal/profile"
)

// Command is the command line of the simulator, which cmd/simulator runs alone and the demo beside its gateway.
type Command struct {
	Listen     string           `help:"Address of the simulator." default:"127.0.0.1:8081" env:"COUNTERSIGN_SIMULATOR_LISTEN"`
	GatewayURL string           `help:"Address of the gateway, where answers go." default:"http://127.0.0.1:8080" env:"COUNTERSIGN_GATEWAY_URL"`
	Token      string           `help:"Bearer token of the clearing connection." default:"demo-clearing" env:"COUNTERSIGN_CLEARING_TOKEN"`
	Seed       uint64           `help:"The same seed and deliveries give the same log." default:"1" env:"COUNTERSIGN_SIMULATOR_SEED"`
	Profile    profile.Settings `embed:""`
	MemoryFile string           `help:"File in which the simulator remembers what it took and sent; without one it forgets at its end." env:"COUNTERSIGN_SIMULATOR_MEMORY_FILE"`
}

// Main runs the simulator until ctx ends, and returns the exit code: 1 when it failed, 2 for a wrong command line.
func Main(ctx context.Context, args []string) (code int) {
	var c struct {
		Command

		LogLevel slog.Level `help:"What to log: debug, info, warn or error." default:"info" env:"COUNTERSIGN_LOG_LEVEL"`
	}
	_, err := kong.Must(&c, kong.Name("simulator"), kong.Description("The clearing of both schemes for tests.")).Parse(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "simulator:", err)
		return 2
	}
	err = c.Run(ctx, slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: c.LogLevel})))
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "simulator:", err)
		return 1
	}
	return 0
}

// Run serves until ctx ends.
func (c *Command) Run(ctx context.Context, log *slog.Logger) error {
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("listen for the simulator (COUNTERSIGN_SIMULATOR_LISTEN moves it): %w", err)
	}
	log.Info("clearing simulator is up", "address", "http://"+listener.Addr().String(), "gateway", c.GatewayURL)
	return c.Serve(ctx, listener, log)
}

// Serve serves on a listener until ctx ends.
func (c *Command) Serve(ctx context.Context, listener net.Listener, log *slog.Logger) error {
	profiles, err := c.Profile.Registry()
	if err != nil {
		return err
	}
	s := New(Config{GatewayURL: c.GatewayURL, Token: c.Token, Seed: c.Seed, Log: log, Profiles: profiles})
	defer s.Close()
	if c.MemoryFile != "" {
		err = errors.Join(s.Remember(c.MemoryFile), s.core.Remember(c.MemoryFile+".core"))
		if err != nil {
			return fmt.Errorf("COUNTERSIGN_SIMULATOR_MEMORY_FILE: %w", err)
		}
	}
	err = serveUntil(ctx, listener, s.Handler())
	if err != nil {
		return fmt.Errorf("serve the simulator: %w", err)
	}
	return nil
}

// finishWithin limits the calls in progress when a server stops.
const finishWithin = 5 * time.Second

// serveUntil serves the listener until ctx ends, and then lets the calls in progress finish within finishWithin.
func serveUntil(ctx context.Context, listener net.Listener, handler http.Handler) error {
	calls := context.WithoutCancel(ctx)
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, IdleTimeout: time.Minute,
		BaseContext: func(net.Listener) context.Context { return calls },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	late, cancel := context.WithTimeout(calls, finishWithin)
	defer cancel()
	err := server.Shutdown(late)
	if err != nil {
		return server.Close() // what is still under way has had its time
	}
	return nil
}
