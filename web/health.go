package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"countersign/internal/store"
	"countersign/web/api"
	"countersign/web/problem"
)

// alive answers as long as the program runs.
func (s *Server) alive(c echo.Context) error {
	return c.JSON(http.StatusOK, map[string]string{"status": "alive"})
}

// ready answers whether the service can work, and says in words whether four-eyes is enforced.
func (s *Server) ready(c echo.Context) error {
	ctx := c.Request().Context()
	found, err := s.cfg.Reader.Ready(ctx)
	answer := api.Readiness{
		Status: "ready", Database: "ok", Schema: "ok", FourEyes: FourEyes(found.Unguarded), Environment: s.cfg.Environment,
	}
	if err != nil && !errors.Is(err, store.ErrUnavailable) { // of which the store itself tells, once
		s.cfg.Log.ErrorContext(ctx, "not ready", "error", err)
	}
	if err == nil && found.Schema {
		return c.JSON(http.StatusOK, answer)
	}
	answer.Status, answer.FourEyes = "not ready", "unknown"
	switch {
	case !found.Reachable:
		answer.Database, answer.Schema = "unreachable", "unknown"
	case !found.Schema:
		answer.Schema = "missing"
	}
	problem.Of(store.ErrUnavailable).AskToWait(c.Response().Header())
	return c.JSON(http.StatusServiceUnavailable, answer)
}

// FourEyes says in words whether four-eyes is enforced, from the realms in which a policy turns it off for everybody.
func FourEyes(unguarded []string) string {
	if len(unguarded) == 0 {
		return "enforced"
	}
	return "off for everybody in " + strings.Join(unguarded, ", ") + ": a policy asks for no approval there"
}
