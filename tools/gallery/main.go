// Command gallery shows each page of the portal in each state, with fixed data and no database. Run it by make gallery.
package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"countersign/tools/gallery/screens"
	"countersign/web"
)

func main() {
	address := flag.String("listen", "127.0.0.1:8082", "address of the gallery, on this machine only")
	flag.Parse()
	err := serve(*address)
	if err != nil {
		fmt.Fprintln(os.Stderr, "gallery:", err)
		os.Exit(1)
	}
}

// serve answers until the process is stopped. An address that other machines reach is refused.
func serve(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil || (host != "localhost" && !net.ParseIP(host).IsLoopback()) {
		return errors.New("give an address of this machine, such as 127.0.0.1:8082, not " + address)
	}
	fmt.Fprintln(os.Stderr, "gallery: http://"+address)
	server := &http.Server{Addr: address, Handler: handler(), ReadHeaderTimeout: 5 * time.Second}
	return server.ListenAndServe()
}

// handler serves the pages under the Content-Security-Policy of the portal.
func handler() http.Handler {
	pages := screens.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", web.PagePolicy)
		pages.ServeHTTP(w, r)
	})
}
