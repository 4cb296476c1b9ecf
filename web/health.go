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

	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/web/api"
	"countersign/web/problem"
)

// alive answers as long as the program runs.
func (s *Server) alive(c echo.Context) error {
	return c.JSON(http.StatusOK, map[string]string{"status": "alive"})
}

// readyWithin is how long the database may take to say that it is there. Whoever asks for readiness asks again in a few seconds.
const readyWithin = 2 * time.Second

// ready answers whether the service can work, with the reason in words for each check that fails, and says whether four-eyes is
// enforced.
func (s *Server) ready(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), readyWithin)
	defer cancel()
	found, err := s.cfg.Database.Ready(ctx)
	if err != nil && !errors.Is(err, store.ErrUnavailable) { // of which the store itself tells, once
		s.cfg.Log.ErrorContext(ctx, "not ready", "error", err)
	}
	answer := s.readiness(found, err)
	if answer.Status == "ready" {
		return c.JSON(http.StatusOK, answer)
	}
	problem.Of(store.ErrUnavailable).AskToWait(c.Response().Header())
	return c.JSON(http.StatusServiceUnavailable, answer)
}

// readiness puts into words what the database said, as far as it came.
func (s *Server) readiness(found store.Readiness, err error) api.Readiness {
	answer := api.Readiness{
		Status: "not ready", Database: "ok", Schema: "unknown", Clearing: "unknown", FourEyes: "unknown", Environment: s.cfg.Environment,
	}
	if !found.Reachable {
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
	answer.FourEyes, answer.Clearing = FourEyes(found.Unguarded), "ok"
	if missing := Unconnected(found.SchemesInUse, s.cfg.Connected); missing != "" {
		answer.Clearing = missing
		return answer
	}
	answer.Status = "ready"
	return answer
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
