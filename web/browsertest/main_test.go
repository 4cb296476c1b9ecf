package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/playwright-community/playwright-go"
	"golang.org/x/sync/errgroup"

	"countersign/internal/testutil"
)

// gateway is what all tests share: one program, one browser. Tests keep out of each other's way by payments of their own.
type house struct {
	program *program
	browser playwright.Browser
	axe     string // source of the accessibility checker
}

// shared is set before the first test runs.
var shared *house

func TestMain(m *testing.M) {
	if os.Getenv("COUNTERSIGN_BROWSER") != "1" && os.Getenv("CI") != "true" {
		fmt.Println(
			"browser tests are skipped: `make test` runs them, or `make browser` once and then COUNTERSIGN_BROWSER=1 go test ./web/browsertest",
		)
		os.Exit(0)
	}
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "browsertest:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	err = testutil.KeepInMemory()
	if err != nil {
		return 0, err
	}
	found, err := findTools()
	if err != nil {
		return 0, err
	}
	h := &house{axe: found.axe}
	var closeBrowser func() error
	var group errgroup.Group
	group.Go(func() (err error) { h.program, err = startProgram(context.Background()); return err })
	group.Go(func() (err error) { h.browser, closeBrowser, err = startBrowser(found); return err })
	err = group.Wait()
	defer func() {
		if closeBrowser != nil {
			err = errors.Join(err, closeBrowser())
		}
		if h.program != nil {
			err = errors.Join(err, h.program.stop())
		}
	}()
	if err != nil {
		return 0, err
	}
	shared = h
	return m.Run(), nil
}

// tools are the foreign programs and files the tests need.
type tools struct {
	driver   string // folder of the browser's driver
	node     string // program that runs the driver
	chromium string
	axe      string // source of the accessibility checker
}

// findTools takes what the environment names, else what `make browser` installed.
func findTools() (tools, error) {
	var found tools
	cache := os.Getenv("COUNTERSIGN_CACHE_DIR")
	if cache == "" {
		cache = filepath.Join("..", "..", ".cache")
	}
	var err error
	found.driver = either(os.Getenv("PLAYWRIGHT_DRIVER_PATH"), filepath.Join(cache, "playwright"))
	found.driver, err = filepath.Abs(found.driver)
	if err != nil {
		return found, err
	}
	found.node, err = executable(os.Getenv("PLAYWRIGHT_NODEJS_PATH"), "node")
	if err != nil {
		return found, err
	}
	found.chromium, err = executable(os.Getenv("COUNTERSIGN_CHROMIUM"), "chromium-headless-shell", "chromium",
		"chromium-browser", "google-chrome")
	if err != nil {
		return found, err
	}
	_, err = os.Stat(filepath.Join(found.driver, "package", "cli.js"))
	if err != nil {
		return found, fmt.Errorf("the browser's driver is missing (run `make browser`): %w", err)
	}
	source, err := os.ReadFile(either(os.Getenv("COUNTERSIGN_AXE"), filepath.Join(cache, "axe-core", "axe.min.js")))
	if err != nil {
		return found, fmt.Errorf("the accessibility checker is missing (run `make browser`): %w", err)
	}
	found.axe = string(source)
	return found, nil
}

func either(given, standard string) string {
	if given != "" {
		return given
	}
	return standard
}

// executable is the given program, or the first of the names that is installed.
func executable(given string, names ...string) (string, error) {
	if given != "" {
		names = []string{given}
	}
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err == nil {
			return filepath.Abs(path)
		}
	}
	return "", fmt.Errorf("%s is missing: run `make browser`", names[0])
}

// startBrowser starts the driver and the browser; the returned function ends both.
func startBrowser(found tools) (playwright.Browser, func() error, error) {
	err := os.Setenv("PLAYWRIGHT_NODEJS_PATH", found.node) // the library reads it from nowhere else
	if err != nil {
		return nil, nil, err
	}
	driver, err := playwright.Run(&playwright.RunOptions{DriverDirectory: found.driver, SkipInstallBrowsers: true, Stderr: os.Stderr})
	if err != nil {
		return nil, nil, fmt.Errorf("start the browser's driver: %w", err)
	}
	browser, err := driver.Chromium.Launch(playwright.BrowserTypeLaunchOptions{
		ExecutablePath: playwright.String(found.chromium),
		Headless:       playwright.Bool(true),
		Args: []string{
			// A test's page lives too short for its scripts to be worth optimising: that took a quarter of the processor time.
			"--js-flags=--no-maglev,--no-turbofan",
			"--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
		},
	})
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("start %s: %w", found.chromium, err), driver.Stop())
	}
	return browser, func() error { return errors.Join(browser.Close(), driver.Stop()) }, nil
}
