package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"countersign/internal/clearing/httpclient"
	"countersign/internal/demo"
	"countersign/internal/i18n"
	"countersign/internal/keyring"
	"countersign/internal/postgres"
	"countersign/internal/profile"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/simulator"
	"countersign/internal/store"
	"countersign/web"
	"countersign/web/vop"
)

type demoCommand struct {
	Listen          string `help:"Address of portal and API." default:"127.0.0.1:8080" env:"COUNTERSIGN_LISTEN"`
	SimulatorListen string `help:"Address of the clearing simulator." default:"127.0.0.1:8081" env:"COUNTERSIGN_SIMULATOR_LISTEN"`
	DataDir         string `help:"Directory for the database and keys of the demo." default:".data" env:"COUNTERSIGN_DATA_DIR"`
	CacheDir        string `help:"Cache directory of make." default:".cache" env:"COUNTERSIGN_CACHE_DIR"`
	DatabaseURL     string `help:"An existing PostgreSQL instead of a private one." env:"COUNTERSIGN_DATABASE_URL"`
	Simulator       string `help:"Start the clearing simulator (on), or use one that runs elsewhere (off)." enum:"on,off" default:"on" env:"COUNTERSIGN_DEMO_SIMULATOR"`
	ClearingSICURL  string `help:"Address to send Swiss instant payments to if the simulator is off." name:"clearing-sic-url" env:"COUNTERSIGN_CLEARING_SIC_URL"`
	Empty           bool   `help:"Leave the realm of a new demo empty, instead of creating a day's payments." env:"COUNTERSIGN_DEMO_EMPTY"`
	ClearingSCTURL  string `help:"Address to send SEPA instant payments to if the simulator is off." name:"clearing-sct-url" env:"COUNTERSIGN_CLEARING_SCT_URL"`
	NoDeliveries    bool   `help:"Send nothing to clearing, for benchmarks." hidden:""`

	Rules   ruleSettings     `embed:""`
	Profile profile.Settings `embed:""`
	Core    coreSettings     `embed:""`
}

// clearingToken is the demo's clearing credential; like its users' password it is public.
const clearingToken = "demo-clearing"

// demoPayeeToken lets anybody ask the demo about its accounts, as other banks may.
const demoPayeeToken = "demo-payee"

// Run starts the database, the simulator and the gateway. When ctx ends, simulator and gateway stop together, and the database after them.
func (c *demoCommand) Run(ctx context.Context, log *slog.Logger) (err error) {
	began := time.Now()
	err = os.MkdirAll(c.DataDir, 0o755) //nolint:gosec // the database server's account must be able to enter
	if err != nil {
		return fmt.Errorf("make the data folder (COUNTERSIGN_DATA_DIR moves it): %w", postgres.Unwritable(c.DataDir, err))
	}
	gatewayListener, simulatorListener, err := c.listen()
	if err != nil {
		return err
	}
	addresses, err := c.clearing(simulatorListener)
	if err != nil {
		return err
	}
	db, err := c.openDatabase(ctx, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.stop(ctx)) }()
	g, err := c.gateway(ctx, db)
	if err != nil {
		return err
	}
	g.Network, g.Connected = httpclient.New(addresses, nil), connected(addresses)
	err = c.Core.apply(&g)
	if err != nil {
		return err
	}
	address := "http://" + gatewayListener.Addr().String()
	clearingSide := "clearing elsewhere"
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return db.watch(ctx) })
	if simulatorListener != nil {
		g.SimulatorURL = "http://" + simulatorListener.Addr().String()
		g.Payee = service.NewPayeeBank(service.PayeeBankConfig{Address: g.SimulatorURL, Now: time.Now, NewID: service.NewID, Log: log})
		clearingSide = "clearing simulator " + g.SimulatorURL + "/log"
		side := simulator.Command{
			GatewayURL: address, Token: clearingToken, Seed: 1, MemoryFile: filepath.Join(c.DataDir, "simulator.jsonl"), Profile: c.Profile,
		}
		group.Go(func() error { return side.Serve(ctx, simulatorListener, log) })
	}
	door := fmt.Sprintf("%s (realm %s; maker1, maker2, checker1, checker2, both1, supervisor1, admin1, admin2; password %s)",
		address, demo.Realm, demo.UserPassword)
	ready := func() { // nothing speaks against serving
		fmt.Fprintf(stdout, "Countersign demo: %s, API docs %s/api/docs, %s, ready after %s. Stop with Ctrl-C.\n",
			door, address, clearingSide, time.Since(began).Round(time.Millisecond))
	}
	group.Go(func() error { return g.run(ctx, func() (net.Listener, error) { ready(); return gatewayListener, nil }) })
	if g.SimulatorURL != "" && !c.Empty {
		group.Go(func() error {
			return fillDay(ctx, demo.Day{GatewayURL: address, SimulatorURL: g.SimulatorURL, Now: time.Now, Log: log}, door)
		})
	}
	return group.Wait()
}

// fillDay fills a new demo in the background, and says once more where its door is: the requests of the day have scrolled it away. The demo
// works without, so what goes wrong is a line of the log.
func fillDay(ctx context.Context, day demo.Day, door string) error {
	day.Zone = i18n.Zone()
	played, err := day.Play(ctx)
	if err != nil && ctx.Err() == nil {
		day.Log.WarnContext(ctx, "the demo's day is not complete; the demo works all the same", "error", err.Error())
	} else if played {
		fmt.Fprintln(stdout, "A day's payments are there to look at: "+door)
	}
	return nil
}

// clearing returns the addresses of clearing: those of the demo's simulator, or the two configured ones.
func (c *demoCommand) clearing(simulator net.Listener) (map[rulebook.Scheme]string, error) {
	if simulator != nil {
		address := "http://" + simulator.Addr().String() + "/clearing/"
		return clearingAddresses(address+string(rulebook.SchemeSIC), address+string(rulebook.SchemeSCT))
	}
	addresses, err := clearingAddresses(c.ClearingSICURL, c.ClearingSCTURL)
	if err == nil && len(addresses) < len(rulebook.Schemes()) {
		err = errors.New(
			"COUNTERSIGN_DEMO_SIMULATOR is off: say where payments go with COUNTERSIGN_CLEARING_SIC_URL and COUNTERSIGN_CLEARING_SCT_URL",
		)
	}
	return addresses, err
}

// listen takes both addresses before anything is started, so a taken one is told at once. The simulator's is nil when it is off.
func (c *demoCommand) listen() (gatewayListener, simulatorListener net.Listener, err error) {
	gatewayListener, err = net.Listen("tcp", c.Listen)
	if err != nil {
		return nil, nil, fmt.Errorf("listen for portal and API (COUNTERSIGN_LISTEN moves it): %w", err)
	}
	if c.Simulator == "off" {
		return gatewayListener, nil, nil
	}
	simulatorListener, err = net.Listen("tcp", c.SimulatorListen)
	if err != nil {
		return nil, nil, errors.Join(
			fmt.Errorf("listen for the simulator (COUNTERSIGN_SIMULATOR_LISTEN moves it): %w", err), gatewayListener.Close(),
		)
	}
	return gatewayListener, simulatorListener, nil
}

// gateway prepares the database and the keys.
func (c *demoCommand) gateway(ctx context.Context, db *demoDatabase) (gateway, error) {
	err := demo.Refuse(ctx, db.ownerURL)
	if err != nil {
		return gateway{}, err
	}
	err = store.Migrate(ctx, db.ownerURL)
	if err != nil {
		return gateway{}, err
	}
	onThisMachine := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	g := gateway{DatabaseURL: db.url, Log: db.log, Resting: c.NoDeliveries, WebhookNetworks: onThisMachine, Settings: web.Settings{
		Environment: "DEMO", Realm: demo.Realm, OperatorRealm: demo.Realm,
		SignInHint: i18n.Text("Demo users such as maker1 and checker1 sign in with the password %s.").With(demo.UserPassword),
	}}
	err = c.Rules.apply(&g)
	if err != nil {
		return gateway{}, err
	}
	g.Profiles, err = c.Profile.Registry()
	if err != nil {
		return gateway{}, err
	}
	g.admit(clearingToken)
	g.Requesters = []vop.Requester{vop.NewRequester(vop.AnyBank, demoPayeeToken)}
	err = c.keys(ctx, db, &g)
	if err != nil {
		return gateway{}, err
	}
	g.Marks, err = store.OpenMarks(filepath.Join(c.DataDir, "marks.json"))
	if err != nil {
		return gateway{}, err
	}
	err = demo.Ensure(ctx, store.Provisioner{OwnerURL: db.ownerURL, Keys: g.TokenKeys, At: time.Now()})
	if err != nil {
		return gateway{}, err
	}
	return g, db.prepareLogin(ctx)
}

// keys reads the demo's keys, or makes them the first time. A key that is gone is not replaced once there is something that it sealed: no
// new one could ever verify that, and everything under way would be withheld as forged, every account be unknown.
func (c *demoCommand) keys(ctx context.Context, db *demoDatabase, g *gateway) error {
	in := func(name string) string { return filepath.Join(c.DataDir, name) }
	keys := []struct {
		path, id, proves string
		held             func(context.Context, string) (bool, error)
		ring             *keyring.Ring
	}{
		{in("release.key"), bareReleaseKey, "messages", store.HoldsMessages, &g.ReleaseKeys},
		{in("token.key"), bareTokenKey, "accounts", store.HoldsAccounts, &g.TokenKeys},
		{in("audit.key"), bareAuditKey, "checkpoints of the audit trail", store.HoldsCheckpoints, &g.AuditKeys},
	}
	for _, key := range keys {
		_, err := os.Stat(key.path)
		if !errors.Is(err, os.ErrNotExist) {
			continue // what else is wrong with it is told when it is read
		}
		held, err := key.held(ctx, db.ownerURL)
		if err != nil {
			return err
		}
		if held {
			return fmt.Errorf("the key file %s is gone, and the database holds %s that only this key proves: "+
				"put the file back, or begin anew in another folder (COUNTERSIGN_DATA_DIR)", key.path, key.proves)
		}
	}
	for _, key := range keys {
		var err error
		*key.ring, err = readOrMakeRing(key.path, key.id)
		if err != nil {
			return err
		}
	}
	return nil
}
