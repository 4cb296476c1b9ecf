// Package api is the door for programs: the JSON calls of creation, approval, reads and administration, and the token calls. A handler
// reads its input strictly, calls one service or the reader, and writes the answer in the shape of the OpenAPI document; tests hold every
// answer against that document.
//
// Success is 200, of a logout 204. Errors have the variants of the interface contract, section 5; which error gets which one is decided in
// package problem alone. Token calls have errors of their own (token_problem.go).
package api

import (
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"countersign/internal/auth"
	"countersign/internal/observability"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/store"
	"countersign/web/request"
)

// Config holds the dependencies of the API.
type Config struct {
	Auth       *auth.Service
	Submission *service.Payments
	Batches    *service.Batches
	Approval   *service.Approvals
	Admin      *service.Administration
	Reader     *store.Reader
	Events     *service.Events
	Now        func() time.Time // UTC in microseconds, as the database keeps times
	Zone       *time.Location   // of the banking day
	Log        *slog.Logger
	Metrics    *observability.Metrics // nil for none
	TLS        bool                   // clients reach the server by https, directly or through a proxy
	// Timeout limits a call; after it the caller gets an error that says so. 0 means four seconds. It must be shorter than the database's
	// own limit for a lock (five seconds), so that a call that waits for a lock ends in an answer rather than in a database error.
	Timeout time.Duration
}

const defaultTimeout = 4 * time.Second

// API answers the calls.
type API struct {
	cfg    Config
	forms  Forms
	tokens *TokenHandler
	// flights are the requests with an Idempotency-Key that have no answer yet.
	flights flights
}

// New makes the API. It fails when a part is missing or the OpenAPI document cannot be compiled.
func New(cfg Config) (*API, error) {
	if cfg.Auth == nil || cfg.Submission == nil || cfg.Batches == nil || cfg.Approval == nil || cfg.Admin == nil || cfg.Reader == nil ||
		cfg.Events == nil || cfg.Now == nil || cfg.Zone == nil || cfg.Log == nil {
		return nil, errors.New("api: stations, reader, clock and log are needed")
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = defaultTimeout
	}
	forms, err := Compile()
	if err != nil {
		return nil, err
	}
	return &API{
		cfg: cfg, forms: forms, tokens: &TokenHandler{Auth: cfg.Auth, Now: cfg.Now, Log: cfg.Log, TLS: cfg.TLS},
	}, nil
}

// authPath is the prefix of the token calls; metadataPath precedes it in the address of their metadata (RFC 8414 section 3.1).
const (
	authPath     = "/api/auth/"
	metadataPath = "/.well-known/oauth-authorization-server"
)

// TokenRoutes lists the calls that need no token.
func (a *API) TokenRoutes() []request.Route {
	const realm = authPath + "v1/realms/:realm"
	routes := []request.Route{
		{Method: http.MethodPost, Path: realm + "/login", Handle: a.tokens.Login},
		{Method: http.MethodPost, Path: realm + "/token", Handle: a.tokens.Token},
		{Method: http.MethodPost, Path: realm + "/refresh", Handle: a.tokens.Refresh},
		{Method: http.MethodPost, Path: realm + "/revoke", Handle: a.tokens.Revoke},
		{Method: http.MethodGet, Path: metadataPath + realm, Handle: a.tokens.Metadata},
	}
	return append(routes, request.Alias(http.MethodPost, a.tokens.Logout, realm+"/logout", authPath+"realms/:realm/logout")...)
}

// Routes lists the calls that need an access token, in the order in which a client meets them. Package web puts Guard around them.
func (a *API) Routes() []request.Route {
	var routes []request.Route
	for _, scheme := range rulebook.Schemes() {
		instruction := "/api/" + string(scheme) + "/v1/instruction/"
		routes = append(routes,
			request.Route{Method: http.MethodPost, Path: instruction + "create", Handle: a.create(scheme)},
			request.Route{Method: http.MethodPost, Path: instruction + "batch", Handle: a.acceptBatch(scheme)},
			request.Route{Method: http.MethodPost, Path: instruction + "validate", Handle: a.validate(scheme)},
			request.Route{Method: http.MethodPost, Path: instruction + "update", Handle: a.update(scheme)},
		)
		for _, form := range a.forms.RTransactions {
			path := "/api/" + string(scheme) + "/v1/" + string(form.Kind) + "/create"
			routes = append(routes, request.Route{Method: http.MethodPost, Path: path, Handle: a.createRTransaction(form, scheme)})
		}
		for _, kind := range approvedKinds() {
			path := "/api/" + string(scheme) + "/v1/" + string(kind) + "/"
			expect := service.Expectation{Kind: kind, Scheme: scheme}
			routes = append(routes, request.Route{Method: http.MethodPost, Path: path + "cancel", Handle: a.cancel(expect)})
			routes = append(routes, request.Alias(http.MethodPost, a.decide(expect), path+"approval", path+"approve")...)
		}
	}
	return slices.Concat(routes, a.commonRoutes(), a.administrationRoutes())
}

// commonRoutes lists the calls that are for both schemes.
func (a *API) commonRoutes() []request.Route {
	const common = "/api/common/v1/"
	var routes []request.Route
	for _, kind := range approvedKinds() {
		expect := service.Expectation{Kind: kind}
		if kind == payment.KindInstruction {
			expect.Kind = "" // this path takes every kind
		}
		routes = append(routes, request.Route{Method: http.MethodPost, Path: common + string(kind) + "/approval", Handle: a.decide(expect)})
	}
	return append(routes,
		request.Route{Method: http.MethodPost, Path: bulkPath, Handle: a.decideMany},
		request.Route{Method: http.MethodPost, Path: common + "instruction/answer", Handle: a.answer},
		request.Route{Method: http.MethodGet, Path: common + "transaction/list", Handle: a.listTransactions},
		request.Route{Method: http.MethodGet, Path: common + "transaction/:internalId", Handle: a.showTransaction},
		request.Route{Method: http.MethodGet, Path: common + "transaction/:internalId/history", Handle: a.showHistory},
		request.Route{Method: http.MethodGet, Path: common + "transaction/:internalId/audit", Handle: a.showAudit},
		request.Route{Method: http.MethodGet, Path: common + "transaction/:internalId/related", Handle: a.listRelated},
		request.Route{Method: http.MethodGet, Path: common + "transaction/:internalId/messages", Handle: a.listMessages},
		request.Route{Method: http.MethodGet, Path: common + "batch/:batchId", Handle: a.showBatch},
		request.Route{Method: http.MethodGet, Path: common + "interface/list", Handle: a.listDocuments},
		request.Route{Method: http.MethodGet, Path: common + "interface/:id", Handle: a.showDocument},
		request.Route{Method: http.MethodGet, Path: common + "account/list", Handle: a.listAccounts},
		request.Route{Method: http.MethodGet, Path: common + "account/statement", Handle: a.showStatement},
		request.Route{Method: http.MethodGet, Path: common + "error/list", Handle: a.listErrors},
		request.Route{Method: http.MethodGet, Path: common + "audit/list", Handle: a.listAudit},
		request.Route{Method: http.MethodGet, Path: common + "error/:internalId", Handle: a.showError},
	)
}

// approvedKinds are the messages that a client creates and a checker decides.
func approvedKinds() []payment.Kind {
	return []payment.Kind{payment.KindInstruction, payment.KindRecall, payment.KindReturn, payment.KindResolution}
}
