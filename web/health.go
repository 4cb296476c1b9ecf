package web

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/internal/clearing"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/web/api"
	"countersign/web/request"
)

// alive answers as long as the program runs.
func (s *Server) alive(c echo.Context) error {
	return c.JSON(http.StatusOK, map[string]string{"status": "alive"})
}

// Times of the readiness check. Readiness is polled in the background, so /readyz answers at once with a result of a few seconds at most.
const (
	// lookEvery is the pause between two looks at the database.
	lookEvery = time.Second
	// readyWithin limits the database check.
	readyWithin = 2 * time.Second
	// staleAfter is the age from which the last look says nothing any more.
	staleAfter = lookEvery + readyWithin + time.Second
)

// look is the result of the last poll of the database.
type look struct {
	found store.Readiness
	err   error
	at    time.Time // by the machine's clock
}

// look asks the database.
func (s *Server) look(ctx context.Context) *look {
	limited, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	found, err := s.cfg.Database.For(store.ForPages).Ready(limited)
	if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrUnavailable) &&
		s.unready.CompareAndSwap(false, true) { // of which the store itself tells
		s.cfg.Log.ErrorContext(ctx, "not ready", "error", err)
	}
	if err == nil {
		s.unready.Store(false)
	}
	return &look{found: found, err: err, at: time.Now()}
}

// keepLooking asks the database again and again, so that nobody has to wait for its answer.
func (s *Server) keepLooking(ctx context.Context) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		s.last.Store(s.look(ctx))
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Waiting answers requests while the program waits for its database at its start: /livez that it lives, everything else 503.
func Waiting(environment string) http.Handler {
	answer := api.Readiness{
		Status: "not ready", Database: "unreachable", Schema: "unknown", Clearing: "unknown", FourEyes: "unknown", Directories: "unknown",
		Environment: environment, ReferenceData: map[string]string{}, Connections: map[string]string{}, Audit: "unknown",
	}
	routes := echo.New()
	routes.HideBanner, routes.HidePort = true, true
	routes.GET("/livez", new(Server).alive)
	routes.Any("/*", func(c echo.Context) error {
		request.ProblemOf(store.ErrUnavailable).AskToWait(c.Response().Header())
		return c.JSON(http.StatusServiceUnavailable, answer)
	})
	return routes
}

var errStale = errors.New("the database has not answered for some seconds")

// ready answers whether the service can work, with a sentence for each check that fails, and whether four-eyes is enforced.
func (s *Server) ready(c echo.Context) error {
	seen := s.last.Load()
	switch {
	case seen == nil:
		seen = s.look(c.Request().Context()) // nobody looked yet
	case time.Since(seen.at) > staleAfter:
		seen = &look{err: errStale}
	}
	answer := s.readiness(seen.found, seen.err)
	if s.stopping.Load() {
		answer.Status = "stopping"
	}
	if answer.Status == "ready" {
		return c.JSON(http.StatusOK, answer)
	}
	request.ProblemOf(store.ErrUnavailable).AskToWait(c.Response().Header())
	return c.JSON(http.StatusServiceUnavailable, answer)
}

// readiness writes the result of a poll as the answer of /readyz, as far as the poll came.
func (s *Server) readiness(found store.Readiness, err error) api.Readiness {
	answer := api.Readiness{
		Status: "not ready", Database: "ok", Schema: "unknown", Clearing: "unknown", FourEyes: "unknown", Directories: "unknown",
		Environment: s.cfg.Environment, ReferenceData: map[string]string{}, Connections: s.connections(), Audit: s.cfg.Sealing().String(),
	}
	switch {
	case errors.Is(err, store.ErrClock):
		answer.Database = "wrong clock"
	case !found.Reachable:
		answer.Database = "unreachable"
	}
	if found.Schema != "" {
		answer.Schema = "ok"
		if stale := found.Schema.Err(); stale != nil {
			answer.Schema = string(found.Schema) + ": " + stale.Error()
		}
	}
	if err != nil || found.Schema != store.SchemaCurrent {
		return answer
	}
	answer.FourEyes, answer.Clearing, answer.Directories = FourEyes(found.Unguarded), "ok", Directories(found.Directories, s.cfg.Now())
	answer.ReferenceData = References(found.References, s.cfg.Now())
	if missing := Unconnected(found.SchemesInUse, s.cfg.Connected); missing != "" {
		answer.Clearing = missing
		return answer
	}
	answer.Status = "ready"
	return answer
}

// connections says in words how the way to each scheme's clearing stands. One that is interrupted does not make the gateway unready:
// payments are taken and wait.
func (s *Server) connections() map[string]string {
	said := make(map[string]string)
	for _, c := range s.cfg.Connections() {
		if !s.cfg.Connected[c.Scheme] {
			continue
		}
		said[string(c.Scheme)] = string(c.State)
		if c.State != clearing.ConnectionWorking {
			said[string(c.Scheme)] += " since " + c.Since.Format(time.RFC3339)
		}
	}
	return said
}

// Unconnected says which schemes in use have no way to clearing, "" when none lacks it. Their payments could be approved and would
// never be sent. inUse names for each scheme a realm with an account in it.
func Unconnected(inUse map[string]string, connected map[rulebook.Scheme]bool) string {
	var missing []string
	for _, scheme := range slices.Sorted(maps.Keys(inUse)) {
		if !connected[rulebook.Scheme(scheme)] {
			missing = append(missing, "no clearing for "+scheme+", in which realm "+inUse[scheme]+" has open accounts")
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return strings.Join(missing, "; ") + ": set its address (COUNTERSIGN_CLEARING_*), or close the accounts"
}

// FourEyes says in words whether four-eyes is enforced, from the realms in which a policy turns it off for everybody.
func FourEyes(unguarded []string) string {
	if len(unguarded) == 0 {
		return "enforced"
	}
	return "off for everybody in " + strings.Join(unguarded, ", ") + ": a policy asks for no approval there"
}
