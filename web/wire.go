package web

import (
	"net/netip"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/store"
	"countersign/views"
	"countersign/web/api"
	"countersign/web/clearing"
	"countersign/web/portal"
	"countersign/web/vop"
)

// Settings say how the doors of one gateway differ from those of another.
type Settings struct {
	Environment string // shown on every page: DEMO, TEST or PROD
	// House is the institution on the sign-in page and on prints.
	House views.House
	// OneCheckerSession ends the other sessions of a checker who signs in.
	OneCheckerSession bool
	TLS               bool      // clients reach the server by https, directly or through a proxy
	Realm             string    // offered on the sign-in page, "" for none
	SignInHint        i18n.Text // a line on the sign-in page, "" for none
	// SimulatorURL is the address of the demo's simulator, which then has a page; "" elsewhere.
	SimulatorURL string
	// OperatorRealm is the realm whose supervisors and administrators see what clearing sent to nobody; "" for none.
	OperatorRealm string
	// Connections are those at clearing that may deliver documents at our door; nobody may without one.
	Connections []clearing.Connection
	// Requesters are the banks that may ask about payees, RequesterPerSecond the questions a second of each; 0 is the default.
	Requesters         []vop.Requester
	RequesterPerSecond int
	// Connected says of each scheme whether the gateway has a way to its clearing.
	Connected map[rulebook.Scheme]bool
	// TrustedProxies are the networks of the proxies in front.
	TrustedProxies []netip.Prefix
	Limits         Limits
	// EventsPause is the pause between two polls of the live counts; 0 means the portal's default.
	EventsPause time.Duration
	// CountsShared is the time for which the pages of a realm share the counts of pending messages, FiguresShared that for the figures of
	// the last day and the last thirty on first pages; 0 shares nothing.
	CountsShared, FiguresShared time.Duration
}

// Open puts the doors for programs, clearing and people in front of the services. The program and the tests open them here.
func Open(behind *service.Service, set Settings) (*Server, error) {
	pages, err := openPortal(behind, set)
	if err != nil {
		return nil, err
	}
	return OpenWith(behind, set, pages)
}

// OpenWith is Open with another door for people; nil is none.
func OpenWith(behind *service.Service, set Settings, pages Portal) (*Server, error) {
	calls, err := api.New(api.Config{
		Auth: behind.Auth, Submission: behind.Submission, Batches: behind.Batches, Approval: behind.Approval, Admin: behind.Admin,
		Reader: behind.Reader, Events: behind.Events, Now: behind.Moment, Zone: behind.Zone, Log: behind.Log,
		TLS: set.TLS, Metrics: behind.Database.Metrics(),
	})
	if err != nil {
		return nil, err
	}
	behind.Webhooks.Show(func(e store.StreamEvent) any { return api.EventOf(e) })
	documents, err := clearing.New(clearing.Config{Station: behind.Clearing, Connections: set.Connections, Now: behind.Now, Log: behind.Log})
	if err != nil {
		return nil, err
	}
	questions, err := vop.New(vop.Config{
		Station: behind.Holder, Requesters: set.Requesters, PerSecond: set.RequesterPerSecond, Now: behind.Now, Log: behind.Log,
	})
	if err != nil {
		return nil, err
	}
	return New(Config{
		API: calls, Inbound: documents, Questions: questions, Portal: pages, Database: behind.Database, Now: behind.Now,
		NewID: service.NewID, Log: behind.Log,
		Sealing: behind.Sealing, Wait: behind.Wait, Zone: behind.Zone, Realm: set.Realm, SimulatorURL: set.SimulatorURL,
		Connections: behind.Clearing.Connections, Connected: set.Connected, Environment: set.Environment, TLS: set.TLS,
		TrustedProxies: set.TrustedProxies, Limits: set.Limits,
	})
}

func openPortal(behind *service.Service, set Settings) (Portal, error) {
	return portal.New(portal.Config{
		Auth: behind.Auth, Submission: behind.Submission, Approval: behind.Approval, Admin: behind.Admin, Reader: behind.Reader,
		Webhooks: behind.Webhooks, Notices: behind.Notices, Drafts: behind.Drafts, Desk: behind.Desk, Sessions: behind.Sessions,
		Rules: behind.Rules,
		Now:   behind.Moment, NewID: service.NewID,
		Zone: behind.Zone, Log: behind.Log, Environment: set.Environment, House: set.House, TLS: set.TLS, Realm: set.Realm,
		DemoHint:          set.SignInHint,
		OneCheckerSession: set.OneCheckerSession,
		Clearing:          behind.Clearing, Connections: behind.Clearing.Connections,
		Sealing: behind.Sealing, Checks: behind.Checks, Verify: behind.VerifyTrail(), Evidence: behind.Evidence(),
		SimulatorURL: set.SimulatorURL, OperatorRealm: set.OperatorRealm, EventsPause: set.EventsPause,
		CountsShared: set.CountsShared, FiguresShared: set.FiguresShared,
	})
}
