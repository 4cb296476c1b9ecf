package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"countersign/tools/gallery/screens"
	"countersign/web"
)

type galleryCommand struct {
	Listen string `help:"Address of the gallery, on this machine only." default:"127.0.0.1:8082" env:"COUNTERSIGN_GALLERY_LISTEN"`
}

// Run serves until ctx ends.
func (c *galleryCommand) Run(ctx context.Context, log *slog.Logger) error {
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil || (host != "localhost" && !net.ParseIP(host).IsLoopback()) {
		return &unusableError{
			fmt.Sprintf("COUNTERSIGN_GALLERY_LISTEN: give an address of this machine, such as 127.0.0.1:8082, not %q", c.Listen),
		}
	}
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("listen for the gallery (COUNTERSIGN_GALLERY_LISTEN moves it): %w", err)
	}
	log.Info("the gallery is up", "address", "http://"+listener.Addr().String())
	shown := screens.Handler()
	return serveUntil(ctx, listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", web.PagePolicy) // pages are shown under the policy they live under
		shown.ServeHTTP(w, r)
	}))
}
