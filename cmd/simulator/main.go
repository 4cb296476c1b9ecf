// Command simulator is the clearing of both schemes for tests: it takes the documents of a gateway and answers them as docs/clearing.md
// describes. It is not for production.
package main

import (
	"os"
	_ "time/tzdata" // banking days need Europe/Zurich on machines without a zone database

	"countersign/internal/simulator"
)

func main() { os.Exit(simulator.Main(os.Args[1:])) }
