package web

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"countersign/internal/i18n"
	"countersign/views"
	pages "countersign/web/portal"
	"countersign/web/request"
)

// errCrossOrigin: another site made the browser send this.
var errCrossOrigin = &request.Problem{
	Status: http.StatusForbidden, Code: "403_CROSS_ORIGIN",
	Text: "This request came from another website. Open the portal and try again there.",
}

// fail writes the error of a handler, the router or a middleware: JSON for programs, a page for people.
func (s *Server) fail(err error, c echo.Context) {
	ctx := c.Request().Context()
	if c.Response().Committed {
		s.cfg.Log.ErrorContext(ctx, "answer broken off", "route", c.Path(), "reference", request.Reference(ctx), "error", err)
		return
	}
	p := request.ProblemOf(err)
	var failed error
	if forPrograms(c.Request().URL.Path) {
		failed = s.cfg.API.FailAt(c, p, err)
	} else {
		failed = s.failPage(c, p, err)
	}
	if failed != nil {
		s.cfg.Log.WarnContext(ctx, "answer not sent", "route", c.Path(), "reference", request.Reference(ctx), "error", failed)
	}
}

func forPrograms(path string) bool {
	for _, prefix := range []string{"/api/", "/.well-known/", "/clearing/", "/vop/", "/livez", "/readyz"} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return path == "/api"
}

// failPage shows an error page without knowing the user.
func (s *Server) failPage(c echo.Context, p *request.Problem, cause error) error {
	ctx := i18n.In(c.Request().Context(), pages.LanguageOf(c))
	page := views.NotFound(views.Layout{Environment: s.cfg.Environment})
	switch {
	case p.Unexpected:
		s.cfg.Log.ErrorContext(ctx, "page failed", "route", c.Path(), "reference", request.Reference(ctx), "error", cause)
		page = pages.Failed(c.Request(), views.Failed(page.Layout, request.Reference(ctx)))
	case p.Status == http.StatusServiceUnavailable:
		page = pages.Unavailable(c, page.Layout, p)
	case p.Status != http.StatusNotFound:
		page = views.Forbidden(page.Layout, p.Text)
	}
	page.Layout.Now = s.cfg.Now()
	p.AskToWait(c.Response().Header())
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	c.Response().Header().Set(echo.HeaderContentType, echo.MIMETextHTMLCharsetUTF8)
	c.Response().WriteHeader(p.Status)
	return views.ProblemPage(page).Render(ctx, c.Response())
}
