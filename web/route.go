package web

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/static"
	"countersign/web/request"
)

// register puts every route into the table, door by door. There is no other place that adds one.
func (s *Server) register() error {
	sandbox, err := sandboxRoutes(s.cfg.SimulatorURL)
	if err != nil {
		return fmt.Errorf("read the address of the simulator: %w", err)
	}
	s.add(s.operatorRoutes(), request.Within(probeLimit))
	s.add(s.documentRoutes())
	s.add(sandbox, s.byAddress, request.Within(pageLimit))
	s.add(s.cfg.API.TokenRoutes(), s.byAddress, s.limitInFlight(tokensInFlight), request.Within(callLimit))
	most := s.cfg.Limits.InFlight
	s.add(s.cfg.API.Routes(), s.byAddress, s.limitInFlight(most), s.shedLoad(most), followLatency(most), s.cfg.API.Guard, s.byPrincipal)
	s.add(s.cfg.API.EventRoutes(), s.byAddress, s.limitInFlight(eventsInFlight), s.cfg.API.Guard, s.byPrincipal)
	s.add(s.cfg.Inbound.Routes(), s.byAddress, s.limitInFlight(documentsInFlight), request.Within(callLimit))
	s.add(s.cfg.Questions.Routes(), s.byAddress, s.limitInFlight(questionsInFlight), request.Within(questionLimit))
	if s.cfg.Portal != nil {
		s.add(s.cfg.Portal.Routes(), s.byAddress, s.sameOrigin, private, s.limitInFlight(pagesInFlight), s.limited(pageLimit),
			s.cfg.Portal.Sessions())
	}
	return nil
}

// Time limits of a request. Above its limit a request gets an error, so that no caller hangs on a database that does not answer.
const (
	// callLimit is for token calls and documents of clearing. Calls of the API have a shorter one of their own.
	callLimit = 10 * time.Second
	// pageLimit is for pages, which ask for more at a time.
	pageLimit = 15 * time.Second
	// questionLimit is for banks that ask about payees: they wait for five seconds in all.
	questionLimit = 3 * time.Second
	// probeLimit is for the operator's probes, whose callers give up soon.
	probeLimit = 4 * time.Second
)

// limited is request.Within for a door that has streams, which go on until somebody ends them.
func (s *Server) limited(limit time.Duration) echo.MiddlewareFunc {
	within := request.Within(limit)
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		short := within(next)
		return func(c echo.Context) error {
			if s.streams[c.Path()] {
				return next(c)
			}
			return short(c)
		}
	}
}

func (s *Server) add(routes []request.Route, around ...echo.MiddlewareFunc) {
	for _, route := range routes {
		s.echo.Add(route.Method, route.Path, surrounded(route.Handle, around...))
		if route.Method == http.MethodGet {
			s.echo.Add(http.MethodHead, route.Path, asHead(surrounded(s.headOf(route), around...)))
		}
		if route.Stream {
			s.streams[route.Path] = true
		}
		if route.Stream || route.Waits {
			s.waits[route.Path] = true
		}
		s.routes = append(s.routes, route)
	}
}

// surrounded puts middleware around a handler, the first outermost. Echo would do so anew for every request.
func surrounded(handle echo.HandlerFunc, around ...echo.MiddlewareFunc) echo.HandlerFunc {
	for _, each := range slices.Backward(around) {
		handle = each(handle)
	}
	return handle
}

// headOf returns the handler of HEAD: that of GET, but for a stream, which would never end.
func (s *Server) headOf(route request.Route) echo.HandlerFunc {
	if !route.Stream {
		return route.Handle
	}
	return func(c echo.Context) error {
		c.Response().Header().Set(echo.HeaderContentType, "text/event-stream")
		return c.NoContent(http.StatusOK)
	}
}

func (s *Server) operatorRoutes() []request.Route {
	files := echo.WrapHandler(static.Handler())
	return []request.Route{
		{Method: http.MethodGet, Path: "/livez", Handle: s.alive},
		{Method: http.MethodGet, Path: "/readyz", Handle: s.ready},
		{Method: http.MethodGet, Path: static.Prefix + "*", Handle: files},
	}
}
