package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"countersign/internal/postgres"
)

// PagesConfig says which pages to measure, and in which houses.
type PagesConfig struct {
	Config

	Sizes   []int         // messages of each house
	Waiting int           // how many of them wait for a decision; 0 for one in a hundred
	Times   int           // how often each page is asked for
	Apart   time.Duration // how long nobody looks between two looks
	Of      string        // a regular expression over "person path"; empty for all pages
}

// Page is what one page took in a house.
type Page struct {
	Messages int     `json:"messages"`
	Person   string  `json:"person"`
	Path     string  `json:"path"`
	Number   int     `json:"number"` // of the page in its list, or the last that there is
	P50Ms    float64 `json:"p50Ms"`
	P95Ms    float64 `json:"p95Ms"`
	Ratio    float64 `json:"ratio"`    // p50 to that of the first house
	RatioP95 float64 `json:"ratioP95"` // p95 to that of the first house
	// StatementMs is what its slowest statement took in PostgreSQL, the median of the looks; Statement is its name.
	StatementMs float64 `json:"statementMs"`
	Statement   string  `json:"statement"`
	// WorkMs is the processor time of one look, of gateway and PostgreSQL together: what the machine does besides adds nothing to it.
	WorkMs float64 `json:"workMs"`
}

// PagesReport is what pages took.
type PagesReport struct {
	Machine   string  `json:"machine"`
	Load      float64 `json:"loadBefore"`
	LoadAfter float64 `json:"loadAfter"`
	Pages     []Page  `json:"pages"`
}

// asked is a page that is asked for: whose, where, and how many pages further.
type asked struct {
	person, path string
	number       int
}

// askedFor are the pages that are measured: home of each role, lists with each filter, deep pages, searches that find something and
// nothing, the trail.
func askedFor() []asked {
	list := []asked{
		{person: "checker1", path: "/livez"}, // nothing is read for it: what else is slow with it, the machine slows
		{person: "maker1", path: "/"},
		{person: "supervisor1", path: "/"},
		{person: "checker1", path: "/queue", number: 100},
		{person: "checker1", path: "/queue?sort=largest", number: 100},
		{person: "checker1", path: "/payments", number: 100},
		{person: "checker1", path: "/payments?state=Failed", number: 100},
		{person: "checker1", path: "/payments?text=Haller", number: 100},
		{person: "checker1", path: "/payments?text=Settled", number: 100},
		{person: "checker1", path: "/payments?sort=largest", number: 100},
		{person: "checker1", path: "/queue?text=Haller", number: 100},
	}
	for _, path := range []string{
		"/", "/queue", "/queue?sort=newest", "/queue?sort=expiry", "/queue?sort=largest", "/queue?sort=smallest", "/queue?tab=all",
		"/queue?tab=mine", "/queue?tab=decided", "/queue?scheme=sct-inst", "/queue?kind=recall", "/queue?maker=maker1", "/queue?maker=nobody",
		"/queue?amountFrom=500&amountTo=1000", "/queue?amountFrom=99999999", "/queue?flag=amended", "/queue?flag=begun", "/queue?flag=ending",
		"/queue?flag=otherName", "/queue?age=1", "/queue?text=Haller", "/queue?text=nothing", "/queue?text=Haller+Peter", "/queue?text=1918.05",
		"/payments", "/payments?state=Failed", "/payments?state=Settled", "/payments?state=Unconfirmed", "/payments?state=Approval+Pending",
		"/payments?scheme=sct-inst", "/payments?kind=recall", "/payments?kind=return", "/payments?direction=in", "/payments?maker=maker1",
		"/payments?maker=nobody", "/payments?amountFrom=500&amountTo=501", "/payments?amountFrom=99999999",
		"/payments?from=2020-01-01&to=2020-01-02", "/payments?sort=largest", "/incoming", "/incoming?state=Failed", "/recalls",
		"/payments?text=Haller", "/payments?text=Invoice", "/payments?text=Haller+Peter", "/payments?text=nothing+at+all",
		"/payments?text=4711", "/payments?text=1918.05", "/payments?text=99999999.99", "/payments?text=CH9300762011623852957",
		"/payments?text=maker2", "/payments?text=SEPA", "/payments?text=Settled",
	} {
		list = append(list, asked{person: "checker1", path: path})
	}
	for _, path := range []string{"/audit", "/audit?event=sign-in", "/audit?actor=maker1", "/audit?event=no.such", "/audit?to=2020-01-02"} {
		list = append(list, asked{person: "supervisor1", path: path})
	}
	return list
}

// Pages asks for every page in a house of each size, the houses in turns. Houses that an earlier run left in the folder are taken as they
// are.
func Pages(ctx context.Context, cfg PagesConfig) (report PagesReport, err error) {
	cluster, err := postgres.Start(ctx, postgres.Config{
		DataDir: filepath.Join(cfg.Folder, "postgres"), CacheDir: cfg.Cache, Log: cfg.Log,
		Settings: logStatements,
	})
	if err != nil {
		return report, fmt.Errorf("start PostgreSQL: %w", err)
	}
	defer func() { err = errors.Join(err, cluster.Stop(context.WithoutCancel(ctx))) }()
	only, err := regexp.Compile(cfg.Of)
	if err != nil {
		return report, fmt.Errorf("which pages: %w", err)
	}
	var houses []*house
	for _, size := range cfg.Sizes {
		h, err := cfg.open(ctx, cluster, size)
		if err != nil {
			return report, fmt.Errorf("open a house of %d messages: %w", size, err)
		}
		defer h.close()
		houses = append(houses, h)
	}
	report.Machine, report.Load = machine()
	for _, a := range askedFor() {
		if !only.MatchString(a.person + " " + a.path) {
			continue
		}
		pages, err := cfg.compare(ctx, houses, a)
		if err != nil {
			return report, fmt.Errorf("%s of %s: %w", a.path, a.person, err)
		}
		report.Pages = append(report.Pages, pages...)
	}
	_, report.LoadAfter = machine()
	return report, nil
}

// compare asks for one page in all houses, in turns, so that whatever else the machine does slows all of them.
func (cfg PagesConfig) compare(ctx context.Context, houses []*house, a asked) ([]Page, error) {
	sights := make([]*sight, len(houses))
	for i, h := range houses {
		var err error
		sights[i], err = h.find(ctx, a)
		if err != nil {
			return nil, err
		}
	}
	for range cfg.Times {
		time.Sleep(cfg.Apart)
		for _, s := range sights {
			err := s.look(ctx)
			if err != nil {
				return nil, err
			}
		}
	}
	var pages []Page
	for _, s := range sights {
		p := s.page()
		p.Person, p.Path = a.person, a.path
		pages = append(pages, p)
		pages[len(pages)-1].Ratio, pages[len(pages)-1].RatioP95 = p.P50Ms/pages[0].P50Ms, p.P95Ms/pages[0].P95Ms
		cfg.Say("%d messages, %s %s: p50 %.1f ms, p95 %.1f ms, %s %.1f ms, work %.1f ms", p.Messages, a.person, a.path, p.P50Ms, p.P95Ms,
			p.Statement, p.StatementMs, p.WorkMs)
	}
	return pages, nil
}

// Print writes a report as a table, a row for each page.
func (r PagesReport) Print(to io.Writer) error {
	text := fmt.Sprintf("%s, load before %.2f, after %.2f\n\n| Page |", r.Machine, r.Load, r.LoadAfter)
	var sizes []string
	for _, p := range r.Pages {
		size := strconv.Itoa(p.Messages)
		if len(sizes) > 0 && sizes[0] == size {
			break
		}
		sizes = append(sizes, size)
		text += " p50, p95 ms of " + size + " |"
	}
	text += " ratio p50, p95 | slowest statement, work of the last, ms |\n|---|" + strings.Repeat("---|", len(sizes)+2) + "\n"
	for i := 0; i+len(sizes) <= len(r.Pages); i += len(sizes) {
		row := r.Pages[i : i+len(sizes)]
		text += "| " + row[0].Person + " `" + row[0].Path + "`"
		if row[len(row)-1].Number > 1 {
			text += fmt.Sprintf(", page %d (%d in the first)", row[len(row)-1].Number, row[0].Number)
		}
		for _, p := range row {
			text += fmt.Sprintf(" | %.1f, %.1f", p.P50Ms, p.P95Ms)
		}
		end := row[len(row)-1]
		text += fmt.Sprintf(" | %.2f, %.2f | %s %.1f, %.1f |\n", end.Ratio, end.RatioP95, end.Statement, end.StatementMs, end.WorkMs)
	}
	_, err := io.WriteString(to, text)
	return err
}
