package main

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"countersign/internal/profile"
	"countersign/internal/store"
	"countersign/web"
)

type serveCommand struct {
	Listen            string           `help:"Address of portal and API." default:"127.0.0.1:8080" env:"COUNTERSIGN_LISTEN"`
	DatabaseURL       string           `help:"PostgreSQL URL of the service's login." required:"" env:"COUNTERSIGN_DATABASE_URL"`
	ReleaseKeyFile    string           `help:"File with the keys that seal what is approved and sent." required:"" env:"COUNTERSIGN_RELEASE_KEY_FILE"`
	TokenKeyFile      string           `help:"File with the key of tokens." required:"" env:"COUNTERSIGN_TOKEN_KEY_FILE"`
	AuditKeyFile      string           `help:"File with the keys that sign the checkpoints of the audit trail. If empty, the trail is not sealed." env:"COUNTERSIGN_AUDIT_KEY_FILE"`
	DatabaseWait      time.Duration    `help:"How long to wait for the database at the start." default:"2m" env:"COUNTERSIGN_DATABASE_WAIT"`
	MarksFile         string           `help:"File outside the database for the newest checkpoint of each realm, to detect lost rows after a restart." env:"COUNTERSIGN_MARKS_FILE"`
	CheckFile         string           `help:"File that countersign check --result writes, for the metrics and the page Operation." env:"COUNTERSIGN_CHECK_FILE"`
	Environment       string           `help:"Text shown on every page." enum:"TEST,PROD" default:"TEST" env:"COUNTERSIGN_ENVIRONMENT"`
	HouseName         string           `help:"Name of the institution, on the sign-in page and on prints." env:"COUNTERSIGN_HOUSE_NAME"`
	HouseLogo         string           `help:"File with its logo for the sign-in page: SVG or PNG, up to 64 kB." env:"COUNTERSIGN_HOUSE_LOGO"`
	TLS               bool             `help:"Browsers use HTTPS for the portal." default:"true" negatable:"" env:"COUNTERSIGN_TLS"`
	OneCheckerSession bool             `help:"End the other sessions of a checker who signs in to the portal." default:"true" negatable:"" env:"COUNTERSIGN_ONE_CHECKER_SESSION"`
	ClearingTokenFile string           `help:"File with the bearer token that clearing must send with deliveries." env:"COUNTERSIGN_CLEARING_TOKEN_FILE"`
	OperatorRealm     string           `help:"Realm for unmatched documents from clearing: its supervisors and administrators see them, and its audit trail records them." env:"COUNTERSIGN_OPERATOR_REALM"`
	Rules             ruleSettings     `embed:""`
	Traffic           trafficSettings  `embed:""`
	Pools             poolSettings     `embed:""`
	Metrics           metricSettings   `embed:""`
	AllowPlainHTTP    bool             `help:"Allow --no-tls on an address that other machines can reach." name:"allow-plain-http" env:"COUNTERSIGN_ALLOW_PLAIN_HTTP"`
	Clearing          clearingSettings `embed:""`
	Profile           profile.Settings `embed:""`
	Payee             payeeSettings    `embed:""`
	Core              coreSettings     `embed:""`
	Mail              mailSettings     `embed:""`
}

// Run serves until ctx ends. It refuses unsafe settings before the gateway listens.
func (c *serveCommand) Run(ctx context.Context, log *slog.Logger) error {
	_, err := net.ResolveTCPAddr("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("listen for portal and API (COUNTERSIGN_LISTEN moves it): %w", err)
	}
	checked := begun(func() error { return store.CheckLogin(ctx, c.DatabaseURL) })
	g, err := c.gateway(log)
	if err != nil {
		return err
	}
	err = checked()
	if errors.Is(err, store.ErrUnavailable) {
		err = c.await(ctx, log, err)
	}
	if err != nil {
		return err
	}
	return g.run(ctx, c.listen)
}

func (c *serveCommand) listen() (net.Listener, error) {
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen for portal and API (COUNTERSIGN_LISTEN moves it): %w", err)
	}
	return listener, nil
}

// awaitPause is the pause between two looks for the database.
const awaitPause = time.Second

// await waits for a database that does not answer, for DatabaseWait at most. Meanwhile /readyz and all other requests are answered 503 with
// the reason.
func (c *serveCommand) await(ctx context.Context, log *slog.Logger, unavailable error) error {
	limited, cancel := context.WithTimeout(ctx, c.DatabaseWait)
	defer cancel()
	listener, err := c.listen()
	if err != nil {
		return err
	}
	serving := &http.Server{Handler: web.Waiting(c.Environment), ReadTimeout: awaitPause}
	go func() { _ = serving.Serve(listener) }()
	defer func() { _ = serving.Close() }()
	log.WarnContext(ctx, "waiting for the database", "for", c.DatabaseWait.String(), "error", unavailable.Error())
	for {
		select {
		case <-limited.Done():
			return cmp.Or(ctx.Err(), unavailable)
		case <-time.After(awaitPause):
		}
		err = store.CheckLogin(limited, c.DatabaseURL)
		if !errors.Is(err, store.ErrUnavailable) {
			return err
		}
		unavailable = err
	}
}

// gateway reads the settings. Every wrong one is a sentence that names it.
func (c *serveCommand) gateway(log *slog.Logger) (gateway, error) {
	g := gateway{DatabaseURL: c.DatabaseURL, CheckFile: c.CheckFile, Log: log}
	g.Environment, g.TLS, g.OperatorRealm, g.OneCheckerSession = c.Environment, c.TLS, c.OperatorRealm, c.OneCheckerSession
	for _, apply := range []func(*gateway) error{
		c.readHouse, c.readKeys, c.openMarks, c.Rules.apply, c.Traffic.apply, c.Metrics.apply, c.Pools.apply, c.refusePlainHTTP,
		c.Clearing.connect, c.readProfiles, c.Payee.apply, c.Core.apply, c.Mail.apply, c.admit,
	} {
		err := apply(&g)
		if err != nil {
			return gateway{}, err
		}
	}
	g.Refuse = g.refuseUnfit // last: it holds the database against the settings
	return g, nil
}

func (c *serveCommand) openMarks(g *gateway) (err error) {
	g.Marks, err = store.OpenMarks(c.MarksFile)
	if err != nil {
		return fmt.Errorf("COUNTERSIGN_MARKS_FILE: %w", err)
	}
	return nil
}

func (c *serveCommand) readProfiles(g *gateway) (err error) {
	g.Profiles, err = c.Profile.Registry()
	return err
}

// admit lets clearing deliver documents.
func (c *serveCommand) admit(g *gateway) error {
	token, err := c.readClearingToken()
	if err != nil {
		return fmt.Errorf("COUNTERSIGN_CLEARING_TOKEN_FILE: %w", err)
	}
	g.Door, err = c.Clearing.door(g.Log)
	if g.Door != nil {
		g.Network = both{g.Network, g.Door}
	}
	g.admit(token)
	return err
}

// readKeys reads the keys. It refuses one key for two purposes: the holder of one file could then do the work of the other.
func (c *serveCommand) readKeys(g *gateway) error {
	var err error
	g.ReleaseKeys, err = readRing(c.ReleaseKeyFile, bareReleaseKey)
	if err != nil {
		return fmt.Errorf("COUNTERSIGN_RELEASE_KEY_FILE: %w", err)
	}
	g.TokenKeys, err = readRing(c.TokenKeyFile, bareTokenKey)
	if err != nil {
		return fmt.Errorf("COUNTERSIGN_TOKEN_KEY_FILE: %w", err)
	}
	if g.ReleaseKeys.Shares(g.TokenKeys) {
		return fmt.Errorf("COUNTERSIGN_TOKEN_KEY_FILE: %s holds a key of COUNTERSIGN_RELEASE_KEY_FILE: make one of its own (countersign key "+
			"new --id ID)",
			c.TokenKeyFile)
	}
	if c.AuditKeyFile == "" {
		return nil
	}
	g.AuditKeys, err = readRing(c.AuditKeyFile, bareAuditKey)
	if err != nil {
		return fmt.Errorf("COUNTERSIGN_AUDIT_KEY_FILE: %w", err)
	}
	if g.AuditKeys.Shares(g.ReleaseKeys) || g.AuditKeys.Shares(g.TokenKeys) {
		return fmt.Errorf(
			"COUNTERSIGN_AUDIT_KEY_FILE: %s holds a key of another file: make one of its own (countersign key new --id ID)", c.AuditKeyFile,
		)
	}
	return nil
}

// maxLogo limits the file of a logo, which is part of each sign-in page.
const maxLogo = 64 << 10

// readHouse reads the name and the logo of the institution.
func (c *serveCommand) readHouse(g *gateway) error {
	g.House.Name = c.HouseName
	kind, known := map[string]string{".svg": "image/svg+xml", ".png": "image/png"}[strings.ToLower(filepath.Ext(c.HouseLogo))]
	switch {
	case c.HouseLogo == "":
		return nil
	case c.HouseName == "":
		return errors.New("COUNTERSIGN_HOUSE_LOGO: name the institution too (COUNTERSIGN_HOUSE_NAME)")
	case !known:
		return fmt.Errorf("COUNTERSIGN_HOUSE_LOGO: %s is neither .svg nor .png", c.HouseLogo)
	}
	content, err := os.ReadFile(c.HouseLogo)
	if err != nil {
		return fmt.Errorf("COUNTERSIGN_HOUSE_LOGO: %w", err)
	}
	if len(content) > maxLogo {
		return fmt.Errorf("COUNTERSIGN_HOUSE_LOGO: %s has more than %d kB", c.HouseLogo, maxLogo>>10)
	}
	g.House.Logo = "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(content)
	return nil
}
