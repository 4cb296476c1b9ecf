package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
	"github.com/swaggest/swgui/v5emb"

	contract "countersign/api"
	"countersign/static"
	"countersign/web/request"
)

// documentRoutes serve the description of the interface, and a page to read it on. The page is our own: the one that comes with the
// reader has its script and style inside, which the policy of pages forbids.
func documentRoutes() []request.Route {
	const page = "/api/docs"
	files := echo.WrapHandler(v5emb.New("Countersign", "/api/openapi.json", page+"/"))
	return []request.Route{
		{Method: http.MethodGet, Path: "/api/openapi.yaml", Handle: blob("application/yaml", contract.Document)},
		{Method: http.MethodGet, Path: "/api/openapi.json", Handle: blob(echo.MIMEApplicationJSON, contract.DocumentJSON)},
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

func blob(kind string, content []byte) echo.HandlerFunc {
	return func(c echo.Context) error { return c.Blob(http.StatusOK, kind, content) }
}
