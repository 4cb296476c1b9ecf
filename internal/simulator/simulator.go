package simulator

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"countersign/internal/payee"
	"countersign/internal/profile"
)

// The limits that are not settings.
const (
	defaultRemembered = 100_000
	answersAtOnce     = 64     // posts to the gateway at the same time
	answersPending    = 20_000 // answers being waited for or sent; beyond it deliveries get 503
	closeLimit        = 5 * time.Second
	requestLimit      = 10 * time.Second
	idleLimit         = 90 * time.Second // for connections to the gateway
)

// Config holds the settings of a simulator. Only GatewayURL and Token have no default.
type Config struct {
	// GatewayURL is the address of the gateway without path, such as http://127.0.0.1:8080.
	GatewayURL string
	// Token is the bearer token of the clearing connection.
	Token string
	// Seed makes the message ids; the same seed and the same deliveries give the same log.
	Seed uint64
	// Now is the clock of the documents and the log; time.Now by default.
	Now func() time.Time
	// Sleep waits before late answers and between retries, until the time has passed or the context ends (then its error). By default
	// it really waits.
	Sleep func(ctx context.Context, wait time.Duration) error
	// Log gets what goes wrong; it is silent by default.
	Log *slog.Logger
	// Client posts the answers; by default one with a time limit of ten seconds.
	Client *http.Client
	// Profiles say in which form this clearing writes documents and takes them; the zero value takes every form and writes the ISO one.
	Profiles profile.Registry
	// Remembered limits the log entries, message ids and payments in memory, 100,000 by default. The documents in the log are also limited
	// to 256 MiB together.
	Remembered int
}

// Simulator is the clearing of both schemes. Make it with New; it is safe for concurrent use.
type Simulator struct {
	config Config
	slots  chan struct{}
	tasks  sync.WaitGroup

	open       context.Context // ends when Close begins: nothing waits any longer
	beginClose context.CancelFunc
	life       context.Context // ends when Close gives up on posts under way
	endLife    context.CancelFunc

	mutex     sync.Mutex // guards all below, and the entries and exchanges in it
	closed    bool
	pending   int
	core      *Core
	journal   journal
	logFile   *logFile          // nil keeps nothing
	messages  memory[message]   // by scheme and message id
	payments  memory[*payment]  // by scheme, kind and TxId
	recalls   memory[*exchange] // answers to recalls, by scheme and TxId
	incoming  memory[*incoming] // payments to the gateway's customers, by scheme and TxId
	effects   memory[struct{}]  // by scheme, message name and what makes the effect one
	scenarios map[string]int    // asked for so far, by scheme
}

// New makes a simulator. It does nothing before its Handler is served.
func New(config Config) *Simulator {
	config = config.withDefaults()
	s := &Simulator{
		config:    config,
		slots:     make(chan struct{}, answersAtOnce),
		core:      NewCore(config.Sleep),
		journal:   journal{limit: config.Remembered},
		messages:  newMemory[message](config.Remembered),
		payments:  newMemory[*payment](config.Remembered),
		recalls:   newMemory[*exchange](config.Remembered),
		incoming:  newMemory[*incoming](config.Remembered),
		effects:   newMemory[struct{}](config.Remembered),
		scenarios: make(map[string]int),
	}
	s.open, s.beginClose = context.WithCancel(context.Background())
	s.life, s.endLife = context.WithCancel(context.Background())
	return s
}

func (c Config) withDefaults() Config {
	c.GatewayURL = strings.TrimRight(c.GatewayURL, "/")
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	c.Log, c.Client = cmp.Or(c.Log, slog.New(slog.DiscardHandler)), cmp.Or(c.Client, newClient())
	if c.Remembered <= 0 {
		c.Remembered = defaultRemembered
	}
	return c
}

// newClient makes the client that posts the answers. It keeps a connection for each answer in progress, as a clearing does. By default Go
// keeps two: each answer beyond them would open a connection, which costs the gateway as much as the answer.
func newClient() *http.Client {
	return &http.Client{Timeout: requestLimit, Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: answersAtOnce, IdleConnTimeout: idleLimit,
	}}
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Handler serves the deliveries of the gateway, the scenarios, the log and the liveness check:
//
//	POST /clearing/{scheme}           one XML document with X-Message-Id; 202 taken or known already
//	POST /scenario/incoming-payment   JSON {scheme, amount?, creditorAccount?, debtorName?, remittance?}
//	POST /scenario/recall             JSON {scheme, transactionId, reason?}, of an incoming payment
//	POST /vop/v1/payee-verifications  JSON of the EPC's API, answered by the name (see payeeOf)
//	/corebank/v1/… and /core/…        a core bank (see Core)
//	GET  /log                         JSON array of Entry; ?after={number}, ?transactionId={TxId}
//	GET  /                            the scenarios, as text
//	GET  /livez                       200
func (s *Simulator) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /clearing/{scheme}", s.serveDelivery)
	mux.HandleFunc("POST /scenario/incoming-payment", s.serveIncomingPayment)
	mux.HandleFunc("POST /scenario/recall", s.serveRecall)
	mux.HandleFunc("POST "+payee.Path, s.servePayee)
	core := s.core.Handler()
	mux.Handle(corePath, core)
	mux.Handle("/core/", core)
	mux.HandleFunc("GET /log", s.serveLog)
	mux.HandleFunc("GET /livez", s.serveLiveness)
	mux.HandleFunc("GET /{$}", serveScenarios)
	return mux
}

// Close refuses further deliveries, drops answers that wait for their time or a retry, lets running posts end (five seconds at most), and
// returns when nothing runs any more. It may be called more than once.
func (s *Simulator) Close() {
	s.mutex.Lock()
	s.closed = true
	s.mutex.Unlock()
	s.beginClose()
	limit := time.AfterFunc(closeLimit, s.endLife)
	defer limit.Stop()
	s.tasks.Wait()
	s.endLife()
	s.core.Close()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.logFile != nil {
		_ = s.logFile.file.Close() // every line was written; nothing is left to fail
		s.logFile = nil
	}
}
