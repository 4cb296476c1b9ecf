package main

import (
	"context"
	"encoding/json"

	"countersign/api/client"
)

type eventsCommand struct {
	Tail eventsTailCommand `cmd:"" help:"Print the events of a realm as JSON, one per line, and wait for more."`
}

type eventsTailCommand struct {
	URL      string   `help:"Address of the gateway." default:"http://127.0.0.1:8080" env:"COUNTERSIGN_URL"`
	Realm    string   `help:"The realm." default:"demo" env:"COUNTERSIGN_API_REALM"`
	Client   string   `help:"Client id to sign in with." required:"" env:"COUNTERSIGN_API_CLIENT"`
	Secret   string   `help:"Secret of the client." env:"COUNTERSIGN_API_SECRET"`
	User     string   `help:"User to sign in. If empty, the client signs in with its own roles." env:"COUNTERSIGN_API_USER"`
	Password string   `help:"The user's password." env:"COUNTERSIGN_API_PASSWORD"`
	Type     []string `help:"Only events of these types, such as message.settled."`
	After    string   `help:"Start after the event with this id, or with the next event (latest). Default: the oldest event."`
	Cursor   string   `help:"File to store the position in, so that the next run continues there." type:"path"`
}

// place is a cursor that a run keeps in memory.
type place string

// Load returns the place.
func (p *place) Load(context.Context) (string, error) { return string(*p), nil }

// Store replaces the place.
func (p *place) Store(_ context.Context, next string) error { *p = place(next); return nil }

// Run prints events until ctx ends.
func (c eventsTailCommand) Run(ctx context.Context) error {
	gateway, err := client.New(client.Config{
		URL: c.URL, Realm: c.Realm, ClientID: c.Client, ClientSecret: c.Secret, Username: c.User, Password: c.Password,
	})
	if err != nil {
		return err
	}
	start := place(c.After)
	var cursor client.Cursor = &start
	if c.Cursor != "" {
		cursor = client.File(c.Cursor)
		kept, err := cursor.Load(ctx)
		if err == nil && kept == "" && c.After != "" {
			err = cursor.Store(ctx, c.After)
		}
		if err != nil {
			return err
		}
	}
	var filter client.ListEventsParams
	if len(c.Type) > 0 {
		types := make([]client.EventType, len(c.Type))
		for i, name := range c.Type {
			types[i] = client.EventType(name)
		}
		filter.Type = &types
	}
	lines := json.NewEncoder(stdout)
	return gateway.Follow(ctx, cursor, filter, func(_ context.Context, e client.Event) error { return lines.Encode(e) })
}
