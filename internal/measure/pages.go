package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"countersign/internal/demo"
	"countersign/internal/postgres"
	"countersign/internal/store/bench"
)

// PagesConfig says which pages to measure, and in which houses.
type PagesConfig struct {
	Config

	Sizes []int // messages of each house
	Times int   // how often each page is asked for
}

// Page is what one page took in a house.
type Page struct {
	Messages int     `json:"messages"`
	Path     string  `json:"path"`
	P50Ms    float64 `json:"p50Ms"`
	P95Ms    float64 `json:"p95Ms"`
	Ratio    float64 `json:"ratio"` // p50 to that of the first house
	// StatementMs is what its slowest statement took in PostgreSQL, the half of the times that was fastest; Statement is its name.
	StatementMs float64 `json:"statementMs"`
	Statement   string  `json:"statement"`
}

// PagesReport is what pages took.
type PagesReport struct {
	Machine string  `json:"machine"`
	Load    float64 `json:"loadBefore"`
	Pages   []Page  `json:"pages"`
}

// pagesOf are the pages that are measured: lists with each filter, searches that find something and nothing, the dashboard.
var pagesOf = []string{
	"/", "/queue", "/queue?sort=newest", "/queue?sort=expiry", "/queue?sort=largest", "/queue?text=Haller", "/queue?text=nothing",
	"/payments", "/payments?state=Failed", "/payments?state=Settled", "/payments?state=Unconfirmed", "/payments?scheme=sct-inst",
	"/payments?kind=recall", "/payments?kind=return", "/payments?direction=in", "/payments?maker=maker1", "/payments?maker=nobody",
	"/payments?amountFrom=500&amountTo=501", "/payments?amountFrom=99999999", "/payments?from=2020-01-01&to=2020-01-02", "/incoming",
	"/incoming?state=Failed", "/recalls", "/payments?text=Haller", "/payments?text=Invoice", "/payments?text=nothing+at+all",
	"/payments?text=4711", "/payments?text=1918.05", "/payments?text=99999999.99", "/payments?text=CH9300762011623852957",
	"/payments?text=maker2", "/payments?text=SEPA",
}

// Pages fills a house for each size and asks for every page in it.
func Pages(ctx context.Context, cfg PagesConfig) (report PagesReport, err error) {
	report.Machine, report.Load = machine()
	cluster, err := postgres.Start(ctx, postgres.Config{
		DataDir: filepath.Join(cfg.Folder, "postgres"), CacheDir: cfg.Cache, Log: cfg.Log,
		Settings: logStatements,
	})
	if err != nil {
		return report, fmt.Errorf("start PostgreSQL: %w", err)
	}
	defer func() { err = errors.Join(err, cluster.Stop(context.WithoutCancel(ctx))) }()
	first := map[string]float64{}
	for _, size := range cfg.Sizes {
		pages, err := cfg.house(ctx, cluster, size)
		if err != nil {
			return report, err
		}
		for _, p := range pages {
			if first[p.Path] == 0 {
				first[p.Path] = p.P50Ms
			}
			p.Ratio = p.P50Ms / first[p.Path]
			report.Pages = append(report.Pages, p)
		}
	}
	return report, nil
}

// house fills one, and measures its pages.
func (cfg PagesConfig) house(ctx context.Context, cluster *postgres.Cluster, size int) ([]Page, error) {
	name := fmt.Sprintf("house_%d", size)
	err := bench.MakeDatabases(ctx, cluster.URL("postgres"), name)
	if err != nil {
		return nil, err
	}
	g, err := cfg.startGateway(ctx, gatewayOptions{Name: name, Database: cluster.URL(name), Resting: true})
	if err != nil {
		return nil, err
	}
	defer g.stop()
	err = Fill(ctx, cluster.URL(name), size, cfg.Say)
	if err != nil {
		return nil, err
	}
	person, err := signIn(ctx, g.base)
	if err != nil {
		return nil, err
	}
	log, err := openStatementLog(filepath.Join(cfg.Folder, "postgres.log"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.file.Close() }()
	var pages []Page
	for _, path := range pagesOf {
		p, err := cfg.timed(ctx, person, g.base+path, log)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		p.Messages, p.Path = size, path
		cfg.Say("%d messages, %s: p50 %.1f ms, p95 %.1f ms, %s %.1f ms", size, path, p.P50Ms, p.P95Ms, p.Statement, p.StatementMs)
		pages = append(pages, p)
	}
	return pages, nil
}

// Fill fills the demo's realm with messages that nothing proves.
func Fill(ctx context.Context, address string, messages int, say func(string, ...any)) error {
	return bench.Fill(ctx, bench.Filling{
		URL: address, Realm: demo.Realm, Client: demo.Backoffice, Messages: messages, KeyID: demoReleaseKey, Until: time.Now(),
		Done: func(done int) { say("%d of %d messages", done, messages) },
	})
}

// signIn is a browser in which a checker is signed in.
func signIn(ctx context.Context, base string) (*http.Client, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	browser := &http.Client{Jar: jar, Timeout: time.Minute}
	form := url.Values{"realm": {demo.Realm}, "username": {"checker1"}, "password": {demo.UserPassword}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/signin", strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Origin", base)
	answer, err := browser.Do(request)
	if err != nil {
		return nil, err
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("sign in checker1: %s", answer.Status)
	}
	return browser, nil
}

// timed asks for a page several times; the first time does not count.
func (cfg PagesConfig) timed(ctx context.Context, browser *http.Client, address string, log *statementLog) (p Page, err error) {
	var took []time.Duration
	statements := map[float64]string{}
	for i := range cfg.Times + 1 {
		began := time.Now()
		err = fetch(ctx, browser, address)
		if err != nil {
			return p, err
		}
		spent := time.Since(began)
		slowest, name, err := log.slowest()
		if err != nil {
			return p, err
		}
		if i > 0 {
			took, statements[slowest] = append(took, spent), name
		}
	}
	slices.Sort(took)
	p.P50Ms, p.P95Ms = took[len(took)/2].Seconds()*1000, took[len(took)*95/100].Seconds()*1000
	order := slices.Sorted(maps.Keys(statements))
	p.StatementMs = order[len(order)/2]
	p.Statement = statements[p.StatementMs]
	return p, nil
}

func fetch(ctx context.Context, browser *http.Client, address string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	answer, err := browser.Do(request)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("the answer is %s", answer.Status)
	}
	return err
}

// Print writes a report as a table.
func (r PagesReport) Print(to io.Writer) error {
	text := fmt.Sprintf("%s, load before %.2f\n\n%9s  %8s  %8s  %6s  %12s  %-18s  %s\n", r.Machine, r.Load, "messages", "p50 ms", "p95 ms",
		"ratio", "statement ms", "statement", "page")
	for _, p := range r.Pages {
		text += fmt.Sprintf("%9d  %8.1f  %8.1f  %6.2f  %12.1f  %-18s  %s\n", p.Messages, p.P50Ms, p.P95Ms, p.Ratio, p.StatementMs, p.Statement,
			p.Path)
	}
	_, err := io.WriteString(to, text)
	return err
}
