package web

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
)

// sameOrigin refuses forms that another site makes a browser send (security study T7). A browser names the origin of a form in
// Sec-Fetch-Site or Origin; a request with neither is refused too, since a cookie alone proves nothing. Origin must equal our own including
// the scheme, or be "null" with a Sec-Fetch-Site that allows it: browsers send "null" under our referrer policy.
func (s *Server) sameOrigin(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			return next(c)
		}
		site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get(echo.HeaderOrigin)
		vouched := site == "same-origin" || site == "none"
		switch {
		case site != "" && !vouched, site == "" && origin == "", site == "" && origin == "null":
			return errCrossOrigin
		case origin != "" && origin != "null" && !strings.EqualFold(origin, s.origin(r)):
			return errCrossOrigin
		}
		return next(c)
	}
}
