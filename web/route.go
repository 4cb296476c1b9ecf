package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
	"github.com/swaggest/swgui/v5emb"

	contract "countersign/api"
	"countersign/static"
	"countersign/web/api"
	"countersign/web/request"
)

// register puts every route into the table, door by door. There is no other place that adds one.
func (s *Server) register() error {
	document, err := api.DocumentJSON()
	if err != nil {
		return err
	}
	s.add(s.operatorRoutes())
	s.add(s.documentRoutes(document))
	s.add(s.cfg.API.TokenRoutes())
	s.add(s.cfg.API.Routes(), s.cfg.API.Guard)
	s.add(s.cfg.Inbound.Routes())
	if s.cfg.Portal != nil {
		s.add(s.cfg.Portal.Routes(), s.sameOrigin(), private, s.cfg.Portal.Sessions())
	}
	return nil
}

func (s *Server) add(routes []request.Route, around ...echo.MiddlewareFunc) {
	for _, route := range routes {
		s.echo.Add(route.Method, route.Path, route.Handle, around...)
		s.routes = append(s.routes, route)
	}
}

func (s *Server) operatorRoutes() []request.Route {
	files := echo.WrapHandler(static.Handler())
	return []request.Route{
		{Method: http.MethodGet, Path: "/livez", Handle: s.alive},
		{Method: http.MethodGet, Path: "/readyz", Handle: s.ready},
		{Method: http.MethodGet, Path: static.Prefix + "*", Handle: files},
		{Method: http.MethodHead, Path: static.Prefix + "*", Handle: files},
	}
}

// documentRoutes serve the description of the interface, and a page to read it on.
func (s *Server) documentRoutes(document []byte) []request.Route {
	const page = "/api/docs"
	viewer := echo.WrapHandler(v5emb.New("Countersign", "/api/openapi.json", page+"/"))
	return []request.Route{
		{Method: http.MethodGet, Path: "/api/openapi.yaml", Handle: blob("application/yaml", contract.Document)},
		{Method: http.MethodGet, Path: "/api/openapi.json", Handle: blob(echo.MIMEApplicationJSON, document)},
		{Method: http.MethodGet, Path: page, Handle: func(c echo.Context) error { return c.Redirect(http.StatusMovedPermanently, page+"/") }},
		{Method: http.MethodGet, Path: page + "/*", Handle: viewer},
	}
}

func blob(kind string, content []byte) echo.HandlerFunc {
	return func(c echo.Context) error { return c.Blob(http.StatusOK, kind, content) }
}
