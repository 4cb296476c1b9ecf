// Command simulator is the clearing of both schemes for tests: it takes the documents of a gateway and answers them as docs/clearing.md
// describes. It is not for production.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // banking days need Europe/Zurich on machines without a zone database

	"countersign/internal/simulator"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := simulator.Main(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}
