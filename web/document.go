package web

import (
	"net/http"
	"net/http/httputil"
	"net/url"

	"github.com/labstack/echo/v4"
	"github.com/swaggest/swgui/v5emb"

	contract "countersign/api"
	"countersign/static"
	"countersign/web/request"
)

// documentRoutes serve the description of the interface, and a page to read it on. The page is our own: the one that comes with the
// reader has its script and style inside, which the policy of pages forbids.
func (s *Server) documentRoutes() []request.Route {
	const page = "/api/docs"
	files := echo.WrapHandler(v5emb.New("Countersign", "/api/openapi.json", page+"/"))
	return []request.Route{
		{Method: http.MethodGet, Path: "/api/openapi.yaml", Handle: s.description("application/yaml", contract.Document)},
		{Method: http.MethodGet, Path: "/api/openapi.json", Handle: s.description(echo.MIMEApplicationJSON, contract.DocumentJSON)},
		{Method: http.MethodGet, Path: page, Handle: func(c echo.Context) error { return c.Redirect(http.StatusMovedPermanently, page+"/") }},
		{Method: http.MethodGet, Path: page + "/", Handle: blob(echo.MIMETextHTMLCharsetUTF8, []byte(readerPage()))},
		{Method: http.MethodGet, Path: page + "/*", Handle: files},
	}
}

// readerPage is the page to read the description on. All it loads is ours.
func readerPage() string {
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Countersign API</title>
<link rel="stylesheet" href="/api/docs/swagger-ui.css">
<link rel="icon" type="image/png" href="/api/docs/favicon-32x32.png">
</head>
<body>
<div id="swagger-ui">The description is at <a href="/api/openapi.yaml">/api/openapi.yaml</a>; this page needs a script to show it.</div>
<script src="/api/docs/swagger-ui-bundle.js"></script>
<script src="` + static.Path("docs.js") + `"></script>
</body>
</html>
`
}

// description serves a form of the description, with examples of today.
func (s *Server) description(kind string, document []byte) echo.HandlerFunc {
	return func(c echo.Context) error {
		return c.Blob(http.StatusOK, kind, contract.Served(document, s.cfg.Now().In(s.cfg.Zone), s.cfg.Realm))
	}
}

// sandboxRoutes forward the calls under the tag Sandbox to the demo's simulator, so that the page of the description can send them.
func sandboxRoutes(simulator string) ([]request.Route, error) {
	if simulator == "" {
		return nil, nil
	}
	address, err := url.Parse(simulator)
	if err != nil {
		return nil, err
	}
	forward := echo.WrapHandler(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(address)
		r.Out.Header.Del(echo.HeaderAuthorization)
		r.Out.Header.Del(echo.HeaderCookie)
	}})
	return []request.Route{
		{Method: http.MethodPost, Path: "/scenario/incoming-payment", Handle: forward},
		{Method: http.MethodPost, Path: "/scenario/recall", Handle: forward},
		{Method: http.MethodGet, Path: "/log", Handle: forward},
	}, nil
}

func blob(kind string, content []byte) echo.HandlerFunc {
	return func(c echo.Context) error { return c.Blob(http.StatusOK, kind, content) }
}
