# Countersign. On a fresh machine with Go two commands are enough: `make run` (the demo) and `make test` (everything).
# What is fetched goes into .cache/, data into .data/; both can be deleted when nothing runs (the data are the demo's).

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help count run test test-long test-race verify generate lint load gallery bench drill mutants simulate kill fuzz described outcomes clients timing faults hostile flood race search pictures screens html lighthouse postgres browser xmllint pgbouncer python clean-cache

GO ?= go
CACHE := $(CURDIR)/.cache
# Tools have a module of their own, so that what they need stays out of the product.
TOOLS := $(CACHE)/tools
# How much each fuzz target tries: a number of inputs (5000x) or a time (1m).
FUZZ ?= 5000x
# The packages whose tests take longest begin first: two run at a time, and the last one alone would keep a processor waiting.
LONGEST := ./web/browsertest ./internal/clearing ./cmd/countersign ./web/portal ./web ./web/api
# Tests of the long tier have the build tag long, in their file or by testutil.Long.
LONG := $(GO) test -tags long -count=1 -vet=off
# Those that run only in targets of their own, with what these install or with numbers to report.
OF_TARGETS := TestGeneratedClients|TestTheWholeDescription|TestTenTimesTheRows|TestTheQueueOfARealmNeverAnalysed|TestKeysAndClicks
# The packages that make test-race tests: the writes that requests share. More packages by RACE=./internal/service, with more time.
RACE ?= ./internal/store
# The tests of clearing whose goroutines share data, under the race detector: all of them would take six minutes, these take one.
RACE_CLEARING ?= TheDispatcher|ABoundedNumber|ATaskIs|BusyKeys|ASchemeThatHangs|ARealmThatFloods|ARefusedDelivery|AnAnswer|ADeliveryThatWaited|AConnection|TwoMakers|ReturnAndResolution|WhatWaitsLeaves|WhatIsReleased|WhatIsOverdueIs|AScanWithout|IncomingPaymentsAreAnswered
# The browser of tests: the one without windows costs a quarter less processor time.
CHROMIUM = $$(command -v chromium-headless-shell || command -v chromium || command -v chromium-browser || command -v google-chrome)

BROWSER = COUNTERSIGN_BROWSER=1 PLAYWRIGHT_DRIVER_PATH="$(CACHE)/playwright" PLAYWRIGHT_NODEJS_PATH="$$(command -v node)" \
	COUNTERSIGN_CHROMIUM="$(CHROMIUM)" COUNTERSIGN_AXE="$(CACHE)/axe-core/axe.min.js"

# Memory is less dear than processor time where tests are built and run: garbage of four times what is in use may wait to be collected.
GARBAGE := 400

export GO
# What is tested is what is shipped, without C; and tools, linters and tests share what is compiled.
export CGO_ENABLED := 0
# What is built here is run and not looked at by a debugger: without its tables compiling takes a tenth less.
export GOFLAGS += -gcflags=all=-dwarf=false -ldflags=-w
export COUNTERSIGN_CACHE_DIR := $(CACHE)

include rabbitmq.mk

help: ## list the targets
	@echo "Countersign: an instant-payment gateway with a four-eyes portal. Targets:"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## start the demo: portal and API on 127.0.0.1:8080, with its own database and clearing simulator
	@tools/postgres.sh --if-missing
	@echo "building the program"
	@$(GO) build -o .cache/bin/countersign ./cmd/countersign
	@exec .cache/bin/countersign demo

test: browser xmllint python ## run the tests of all packages: unit, database, and the main ways in the browser
	@tools/postgres.sh --if-missing
	@$(BROWSER) \
	GOGC=$(GARBAGE) $(GO) test -timeout 30m -vet=off $(LONGEST) ./...

test-long: rabbitmq pgbouncer browser xmllint python ## run all tests, those that make test leaves out among them: fuzzing, brokers, poolers, PostgreSQL 17, faults, kills, drills, mutants, every screen (hours)
	@tools/postgres.sh --if-missing
	@tools/postgres.sh --beside 17
	@tools/fuzz.sh $(FUZZ)
	@$(BROWSER) COUNTERSIGN_POSTGRES_BESIDE="$(CACHE)/postgres-17" COUNTERSIGN_PAYMENTS_IN=10000 COUNTERSIGN_CORE_PAYMENTS=5000 COUNTERSIGN_KEYED_PAYMENTS=40 \
	$(LONG) -timeout 120m -skip '$(OF_TARGETS)' $(LONGEST) ./...
	@$(MAKE) rehearse-ha rehearse-cells
	@$(MAKE) drill scale simulate search race hostile flood kill faults described outcomes html clients screens timing mutants

test-race: ## run the tests of the packages that share data between goroutines under the race detector (needs a C compiler)
	@tools/install.sh "gcc|clang|cc" "the race detector" gcc libc6-dev
	@tools/postgres.sh --if-missing
	@CGO_ENABLED=1 GOGC=$(GARBAGE) $(GO) test -race -timeout 30m -vet=off $(RACE)
	@CGO_ENABLED=1 GOGC=$(GARBAGE) $(GO) test -tags long -race -timeout 30m -vet=off -run '$(RACE_CLEARING)' ./internal/clearing

verify: generate lint ## check that generated code is fresh, formatting, and what the linters find
	@tools/fresh.sh
	@echo "nothing to complain about"

.PHONY: $(TOOLS)
$(TOOLS): # Go knows what of them is up to date, also after an update of its own
	@echo "tools"
	@$(GO) build -modfile=tools/tools.mod -o $@/ tool

generate: $(TOOLS) ## make the generated code anew: pages, queries, API types, ISO 20022 messages, docs/rules.md, the description of the schema
	@echo "pages (templ)"
	@$(TOOLS)/templ generate -path views -log-level warn
	@$(TOOLS)/templ generate -path tools/gallery -log-level warn
	@echo "queries (sqlc)"
	@$(TOOLS)/sqlc compile
	@rm -f internal/store/internal/dbsqlc/*.sql.go # sqlc leaves the code of queries that are gone
	@$(TOOLS)/sqlc generate
	@echo "the contract (jsondoc), API types and client (oapi-codegen)"
	@$(GO) generate ./api
	@$(TOOLS)/oapi-codegen -config api/oapi-codegen.yaml api/openapi.yaml
	@$(TOOLS)/oapi-codegen -config api/client/oapi-codegen.yaml api/openapi.yaml
	@echo "ISO 20022 messages (xsdgen)"
	@$(GO) generate ./internal/iso20022
	@echo "the page of the schemes' rules (rulesdoc)"
	@$(GO) generate ./internal/rulebook
	@echo "the description of the schema, which the auditor compares with"
	@tools/postgres.sh --if-missing
	@$(GO) test -count=1 -vet=off -run TestTheSchemaIsDescribed ./internal/store/integrity -update >/dev/null

lint: $(TOOLS) ## check formatting and run the linters
	@echo "formatting"
	@unformatted=$$($(TOOLS)/gofumpt -l .); \
	if [ -n "$$unformatted" ]; then echo "not formatted with gofumpt (run: .cache/tools/gofumpt -w FILE):"; echo "$$unformatted"; exit 1; fi
	@$(TOOLS)/templ fmt -fail -log-level warn views || { echo "pages were not formatted with templ fmt; they are now"; exit 1; }
	@echo "golangci-lint, go vet among it"
	@$(TOOLS)/golangci-lint run ./...

count: ## count the lines, packages, imports, words and doc comments of the product
	@$(GO) run ./tools/count

load: ## measure the cost of payments on this machine; ARGS=pages measures pages: make load ARGS="pairs --clients=8,32"
	@tools/postgres.sh --if-missing
	@$(GO) build -o .cache/bin/ ./cmd/countersign ./cmd/simulator
	@$(GO) run ./tools/bench $(ARGS)

gallery: ## show each page of the portal in each state on 127.0.0.1:8082, with fixed data and no database
	@$(GO) run ./tools/gallery

bench: ## run the benchmarks
	@$(GO) test -run '^$$' -bench . -benchmem ./...

fuzz: ## fuzz every target for longer: make fuzz FUZZ=5m
	@tools/fuzz.sh $(if $(filter-out file,$(origin FUZZ)),$(FUZZ),1m)

drill: ## tamper with a filled database at ten places in every way, and 600 times at random, put 400 earlier states back, have the auditor name each row and nothing leave; have both verifiers judge 10,000 changed bundles
	COUNTERSIGN_BUNDLES=10000 COUNTERSIGN_DRILL_REPLAYS=400 COUNTERSIGN_DRILL_PLACES=10 COUNTERSIGN_DRILL_SINGLES=$(or $(SINGLES),600) COUNTERSIGN_DRILL_SEED=$(SEED) $(LONG) -v -timeout 60m \
	-run 'TestEveryTamperingIsFoundAndItsRowNamed|TestEverySingleChangeIsFoundAndItsRowNamed|TestEveryReplayIsFoundAndMovesNothing|TestBothVerifiersAgree' ./internal/store/integrity

mutants: ## take 217 guards out, one at a time, and have tests notice each (an hour): make mutants MUTANTS=pattern of their names
	@tools/postgres.sh --if-missing
	COUNTERSIGN_MUTANTS="$(MUTANTS)" $(LONG) -v -timeout 6h -run TestEveryMutantIsCaught ./tools/mutationtest

simulate: ## play 1,000 schedules of chance with crashes between any two statements: make simulate SCHEDULES=100000 SEED=1 WITHIN=15m
	@tools/postgres.sh --if-missing
	COUNTERSIGN_SCHEDULES=$(or $(SCHEDULES),1000) COUNTERSIGN_SCHEDULE=$(or $(SEED),1) COUNTERSIGN_SCHEDULES_WITHIN=$(WITHIN) \
	$(GO) test -count=1 -v -timeout 0 -run TestScheduleOfChance ./internal/simtest

kill: ## kill the program with kill -9 under load of payments and recalls, 500 times, and find everything it acknowledged: make kill KILLS=500 SEED=1
	@tools/postgres.sh --if-missing
	COUNTERSIGN_CRASH_ROUNDS=$$(( ($(or $(KILLS),500) + 1) / 2 )) COUNTERSIGN_CRASH_SEED=$(or $(SEED),1) \
	$(LONG) -v -timeout 0 -run 'TestAKilledGateway|TestAKilledDemo' ./cmd/countersign

described: ## send 10,000 requests made from the OpenAPI document, and hold each answer against it: make described REQUESTS=50000 SEED=2
	@tools/postgres.sh --if-missing
	COUNTERSIGN_DESCRIBED_REQUESTS=$(or $(REQUESTS),10000) COUNTERSIGN_DESCRIBED_SEED=$(or $(SEED),49) \
	$(LONG) -v -timeout 60m -run TestRequestsMadeFromTheDescription ./web/api

timing: ## sign in with known and unknown names, and report whether they can be told apart by time: make timing NAMES=20000 (half an hour)
	COUNTERSIGN_TIMING=$(or $(NAMES),20000) $(LONG) -timeout 120m -v -run TestNamesHaveNoTimingOfTheirOwn ./internal/auth

faults: rabbitmq ## break the network to the database, the server, the broker and clearing, let a clearing hang, overload and restart the gateway, and report what it cost: make faults ROUNDS=3 (an hour)
	COUNTERSIGN_FAULTS=$(or $(ROUNDS),3) $(LONG) -timeout 90m -v \
	-run "InFaults|WhileSEPAHangs|UnderOverload|RollingRestart" ./internal/clearing ./web ./cmd/countersign

.PHONY: rehearse-ha rehearse-upgrade rehearse-cells package scale
scale: ## fill databases of 20,000 rows and of ten times as many, and report the times of checks, lists, searches and an archive as ratios; and of the queue without statistics: make scale ROWS=1000000 (20 GB in TMPDIR)
	@tools/postgres.sh --if-missing
	TMPDIR="$${TMPDIR:-/tmp}" COUNTERSIGN_SCALE_ROWS=$(or $(ROWS),20000) $(LONG) -v -timeout 4h \
	-run 'TestTenTimesTheRows|TestTheQueueOfARealmNeverAnalysed' ./internal/store/integrity ./web/portal

rehearse-ha: ## play failovers of deploy/ha on loopback under load, twice each, with 10,000 acknowledged requests (20 minutes): make rehearse-ha ROUNDS=4 PAYMENTS=20000
	@SERVICES="patroni.service etcd.service haproxy.service" tools/install.sh patroni "the rehearsal of high availability" patroni etcd-server haproxy postgresql-15
	COUNTERSIGN_HA_ROUNDS=$(or $(ROUNDS),2) COUNTERSIGN_HA_PAYMENTS=$(or $(PAYMENTS),10000) $(LONG) -timeout 90m -v -run TestHighAvailability ./cmd/countersign

rehearse-upgrade: ## migrate and replace three gateways behind HAProxy one by one under load, over planted migrations, and back by one version: make rehearse-upgrade REQUESTS=5000
	@SERVICES="haproxy.service" tools/install.sh haproxy "the rehearsal of an upgrade" haproxy
	@tools/postgres.sh --if-missing
	COUNTERSIGN_UPGRADE=$(or $(REQUESTS),1000) $(LONG) -timeout 30m -v -run TestAnUpgradeUnderTraffic ./cmd/countersign

rehearse-cells: ## run two cells of deploy/cells on loopback under load, kill one, and move the realm of the other: make rehearse-cells REQUESTS=10000
	@SERVICES="haproxy.service" tools/install.sh haproxy "the rehearsal of cells" haproxy
	@tools/install.sh pg_basebackup "the rehearsal of cells" postgresql-15
	@tools/postgres.sh --if-missing
	COUNTERSIGN_CELLS=$(or $(REQUESTS),3000) $(LONG) -timeout 30m -v -run TestCells ./cmd/countersign

hostile: ## send 10,000 hostile bodies and files to the doors, and report the peak of memory of each kind
	@COUNTERSIGN_HOSTILE=8000 $(LONG) ./web -run Hostile -v | grep -v '^=== '
	@COUNTERSIGN_HOSTILE=2000 $(LONG) ./web/portal -run Hostile -v | grep -v '^=== '

flood: ## flood the sign-in from one address for a minute, 300 tries a second, and report how long people from another one wait
	@COUNTERSIGN_SIGN_IN_FLOOD=60s $(LONG) ./web/portal -run TestSignInUnderAFlood -v | grep -v '^=== '

race: ## have 64 checkers race over 200 messages, approvals against 1,600 amendments, and 1,000 payments come in meanwhile
	COUNTERSIGN_RACED=$(or $(MESSAGES),200) COUNTERSIGN_ARRIVALS=1000 $(LONG) ./internal/service ./internal/clearing -v -timeout 60m \
	-run 'TestManyCheckersOneDecision|TestApprovalsAgainstAmendments|TestIncomingPaymentsAreAnsweredWhileApprovalsGoOn'

search: ## play 10,000 sampled sequences of deeds of people who cheat, and 1,000,000 programs of the service's role, take guards of the schema out: make search PROGRAMS=100000 GUARDS=pattern
	COUNTERSIGN_GUARDS="$(or $(GUARDS),.)" COUNTERSIGN_SEARCH=10000 COUNTERSIGN_PROGRAMS=$(or $(PROGRAMS),1000000) COUNTERSIGN_PROGRAM_SEED=$(SEED) $(LONG) ./internal/service \
	-run 'TestTheServiceAgreesWithTheSearch|TestRandomProgramsReleaseNothing|TestEachGuardIsNeeded' -count=1 -v -timeout 4h

pictures: browser ## take the pictures of docs/screens from the gallery anew: make pictures FOLDER=path OF=all WIDTHS=360,1024,1440 IN=de
	@tools/postgres.sh --if-missing
	@$(BROWSER) COUNTERSIGN_PICTURES="$(abspath $(or $(FOLDER),docs/screens))" COUNTERSIGN_PICTURES_OF="$(OF)" \
	COUNTERSIGN_PICTURES_WIDTHS="$(WIDTHS)" COUNTERSIGN_PICTURES_IN="$(IN)" \
	$(LONG) -run TestPictures ./web/browsertest

screens: browser ## look at every screen of the gallery, two widths, light and dark, four languages, for accessibility (half an hour; OF=names of some)
	@tools/postgres.sh --if-missing
	@$(BROWSER) COUNTERSIGN_EVERY_SCREEN=1 COUNTERSIGN_SCREENS_OF="$(OF)" \
	$(LONG) -v -timeout 2h -run TestEveryScreenIsAccessible ./web/browsertest

html: ## have html-validate read every page of the gallery (installed into .cache, pinned by tools/html/package-lock.json)
	@tools/install.sh node "checking the HTML of pages" nodejs npm
	@mkdir -p .cache/html && cp tools/html/package.json tools/html/package-lock.json .cache/html/
	@cd .cache/html && npm ci --silent --ignore-scripts --no-audit --no-fund
	@COUNTERSIGN_HTML_VALIDATE="$(CACHE)/html/node_modules/html-validate/bin/html-validate.mjs" \
	$(LONG) -v -run TestPagesAreValidHTML ./tools/gallery/screens

outcomes: ## make and decide 10,000 payments while webhooks fail and the receiver and the gateway are killed, and look for each outcome in each way: make outcomes PAYMENTS=20000
	@tools/postgres.sh --if-missing
	COUNTERSIGN_EVENT_PAYMENTS=$(or $(PAYMENTS),10000) \
	$(LONG) -v -timeout 120m -run TestEveryOutcomeIsLearned ./cmd/countersign

clients: $(TOOLS) ## lint the OpenAPI document, generate four clients, compile them strictly and walk through the demo with each (pinned by tools/clients)
	@tools/install.sh node "clients in TypeScript" nodejs npm
	@tools/postgres.sh --if-missing
	@tools/clients/run.sh
	@$(LONG) -v -run 'TestGeneratedClients|TestTheWholeDescription' ./cmd/countersign

lighthouse: browser ## measure ten screens with Lighthouse, and how fast keys and clicks are answered (installed into .cache, pinned by tools/lighthouse)
	@tools/install.sh "chromium|chromium-browser|google-chrome" "Lighthouse" chromium
	@tools/postgres.sh --if-missing
	@mkdir -p .cache/lighthouse && cp tools/lighthouse/package.json tools/lighthouse/package-lock.json tools/lighthouse/run.mjs .cache/lighthouse/
	@cd .cache/lighthouse && { cmp -s package-lock.json installed-lock.json || npm ci --silent --ignore-scripts --no-audit --no-fund; }
	@cp .cache/lighthouse/package-lock.json .cache/lighthouse/installed-lock.json
	@$(GO) build -o .cache/bin/gallery ./tools/gallery
	@$(BROWSER) \
	$(LONG) -v -run TestKeysAndClicksAreAnsweredAtOnce ./web/browsertest
	@node="$$(compgen -G '.cache/lighthouse/node_modules/node-*/bin/node' || command -v node)"; "$$node" .cache/lighthouse/run.mjs "$(CACHE)/bin/gallery" \
	"$$(command -v chromium || command -v chromium-browser || command -v google-chrome)" $(OF)

package: ## make the files of a release in .cache/package: program (built twice, compared), bill of materials, Debian package, checksums
	@tools/package.sh .cache/package

postgres: ## fetch the pinned PostgreSQL into .cache/, for machines without one
	@tools/postgres.sh

browser: ## install what browser tests need: Chromium (system package), its driver and the accessibility checker (into .cache/)
	@tools/install.sh node "the driver of the browser in browser tests" nodejs npm
	@tools/install.sh "chromium-headless-shell|chromium|chromium-browser|google-chrome" "browser tests" \
	"$$(apt-cache show chromium-headless-shell >/dev/null 2>&1 && echo chromium-headless-shell || echo chromium)"
	@tools/fetch.sh playwright-core .cache/playwright/package
	@tools/fetch.sh axe-core .cache/axe-core

xmllint: ## install xmllint, which checks our XML against the ISO 20022 schemas in tests (system package)
	@tools/install.sh xmllint "checking XML against the ISO 20022 schemas in tests" libxml2-utils

pgbouncer: ## install pgbouncer for the test of connections through it (system package); the test starts one of its own
	@tools/install.sh pgbouncer "the test of connections through a pooler" pgbouncer

python: ## install Python, which runs the second verifier of bundles in a test (system package)
	@tools/install.sh python3 "the second verifier of bundles in a test" python3

clean-cache: ## delete what was fetched and built; the demo's data stay
	rm -rf .cache
