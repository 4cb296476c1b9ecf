package simulator

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"countersign/internal/money"
)

// corePath is the path of the port to core banking.
const corePath = "/corebank/v1/"

// coreOpening is the balance of an account that core banking did not know before, in minor units.
const coreOpening = 100_000_000_00

// Core is the core banking of the gateway's bank: accounts with balances, reservations and bookings. It is safe for concurrent use.
type Core struct {
	sleep func(context.Context, time.Duration) error

	mutex    sync.Mutex
	accounts map[string]*CoreAccount
	payments map[string]*CorePayment
	faults   CoreFaults
	book     *os.File // nil keeps nothing
}

// CoreAccount is an account. An account that was not set is opened with a large balance when a payment names it.
type CoreAccount struct {
	IBAN     string `json:"iban"`
	Currency string `json:"currency"`
	Balance  int64  `json:"balance"`  // minor units
	Reserved int64  `json:"reserved"` // of it, minor units
	Closed   bool   `json:"closed"`
}

// CorePayment is the record of core banking about a payment.
type CorePayment struct {
	ID        string `json:"paymentId"`
	GlobalID  string `json:"globalId"`
	Account   string `json:"account"`
	Direction string `json:"direction"`
	Amount    int64  `json:"amount"`   // minor units
	Reserved  bool   `json:"reserved"` // now
	Refused   string `json:"refused"`  // the code of a refused reservation
	Result    string `json:"result"`   // settled or failed; "" while it is open
	Sequence  int    `json:"sequence"` // of the result
	Booked    int64  `json:"booked"`   // what the payment moved on the account so far, minor units; negative for a debit
	Bookings  int    `json:"bookings"` // times that it moved
}

// CoreFaults are the faults that the core bank plays.
type CoreFaults struct {
	Down   bool          `json:"down"`   // every request is 503
	Refuse string        `json:"refuse"` // the code with which every question is refused
	Slow   time.Duration `json:"slow"`   // before the work
	Late   time.Duration `json:"late"`   // after the work
	Lost   bool          `json:"lost"`   // the work is done and the connection breaks
	Twice  bool          `json:"twice"`  // each request is worked on twice
}

// NewCore makes core banking without accounts. A nil sleep really waits.
func NewCore(wait func(context.Context, time.Duration) error) *Core {
	if wait == nil {
		wait = sleep
	}
	return &Core{sleep: wait, accounts: map[string]*CoreAccount{}, payments: map[string]*CorePayment{}}
}

// SetFaults changes the faults from now on.
func (c *Core) SetFaults(f CoreFaults) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.faults = f
}

// SetAccount opens or changes an account.
func (c *Core) SetAccount(a CoreAccount) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.accounts[a.IBAN] = &a
	c.keep(coreLine{Account: &a})
}

// Accounts lists the accounts by their number.
func (c *Core) Accounts() []CoreAccount {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return sorted(c.accounts)
}

// Payments lists the payments by their id.
func (c *Core) Payments() []CorePayment {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return sorted(c.payments)
}

func sorted[T any](of map[string]*T) []T {
	list := make([]T, 0, len(of))
	for _, key := range slices.Sorted(maps.Keys(of)) {
		list = append(list, *of[key])
	}
	return list
}

// Handler serves the gateway, and those who play:
//
//	PUT  /corebank/v1/payments/{id}/reservation   reserve the amount
//	POST /corebank/v1/credit-checks               may the account be credited
//	PUT  /corebank/v1/payments/{id}/booking       how the payment ended
//	PUT  /core/faults                             JSON CoreFaults, times in nanoseconds
//	PUT  /core/accounts                           JSON CoreAccount
//	GET  /core/accounts, /core/payments           JSON
func (c *Core) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("PUT "+corePath+"payments/{id}/reservation", c.question(c.reserve))
	mux.HandleFunc("POST "+corePath+"credit-checks", c.question(c.checkCredit))
	mux.HandleFunc("PUT "+corePath+"payments/{id}/booking", c.question(c.end))
	mux.HandleFunc("PUT /core/faults", setting(c.SetFaults))
	mux.HandleFunc("PUT /core/accounts", setting(c.SetAccount))
	mux.HandleFunc("GET /core/accounts", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, c.Accounts()) })
	mux.HandleFunc("GET /core/payments", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, c.Payments()) })
	return mux
}

func setting[T any](set func(T)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var value T
		err := json.NewDecoder(r.Body).Decode(&value)
		if err != nil {
			writeJSON(w, http.StatusBadRequest, err.Error())
			return
		}
		set(value)
		w.WriteHeader(http.StatusNoContent)
	}
}

// coreRequest is the body of a call of the gateway about a payment.
type coreRequest struct {
	ID        string `json:"paymentId"`
	GlobalID  string `json:"globalId"`
	Account   string `json:"account"`
	Direction string `json:"direction"`
	Amount    struct {
		Currency string `json:"Ccy"`
		Value    string `json:"value"`
	} `json:"amount"`
	Result   string `json:"result"`
	Sequence int    `json:"sequence"`

	minor int64
}

// coreReply is the answer.
type coreReply struct {
	Result string `json:"result,omitempty"`
	Code   string `json:"code,omitempty"`
	Text   string `json:"text,omitempty"`
}

// question reads a request, plays the faults, and sends the answer of work.
func (c *Core) question(work func(coreRequest) coreReply) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		asked, err := readCore(r)
		if err != nil {
			writeJSON(w, http.StatusBadRequest, coreReply{Text: err.Error()})
			return
		}
		c.mutex.Lock()
		faults := c.faults
		c.mutex.Unlock()
		if faults.Down {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if faults.Slow > 0 && c.sleep(r.Context(), faults.Slow) != nil {
			return // an instance that is stopped does no work
		}
		c.mutex.Lock()
		reply := work(asked)
		if faults.Twice {
			reply = work(asked)
		}
		c.mutex.Unlock()
		if faults.Lost {
			panic(http.ErrAbortHandler) // the documented way to close a connection without an answer
		}
		if faults.Late > 0 && c.sleep(r.Context(), faults.Late) != nil {
			return
		}
		writeJSON(w, http.StatusOK, reply)
	}
}

func readCore(r *http.Request) (asked coreRequest, err error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<10))
	if err == nil {
		err = json.Unmarshal(body, &asked)
	}
	if err != nil {
		return asked, fmt.Errorf("read the request: %w", err)
	}
	if id := r.PathValue("id"); id != "" && id != asked.ID {
		return asked, errors.New("the path names another payment than the body")
	}
	amount, err := money.Parse(money.Currency(asked.Amount.Currency), asked.Amount.Value)
	asked.minor = amount.Minor()
	return asked, err
}

// account returns the account of a request; a missing one is opened.
func (c *Core) account(r coreRequest) *CoreAccount {
	a := c.accounts[r.Account]
	if a == nil {
		a = &CoreAccount{IBAN: r.Account, Currency: r.Amount.Currency, Balance: coreOpening}
		c.accounts[r.Account] = a
	}
	return a
}

func (c *Core) payment(r coreRequest) *CorePayment {
	p := c.payments[r.ID]
	if p == nil {
		p = &CorePayment{ID: r.ID, GlobalID: r.GlobalID, Account: r.Account, Direction: r.Direction, Amount: r.minor}
		c.payments[r.ID] = p
	}
	return p
}

// reserve reserves the amount once. A payment that ended gets no reservation.
func (c *Core) reserve(r coreRequest) coreReply {
	a, p := c.account(r), c.payment(r)
	switch {
	case p.Refused != "":
		return coreReply{Result: "refused", Code: p.Refused}
	case p.Reserved || p.Result == "settled":
		return coreReply{Result: "accepted"}
	case p.Result == "failed":
		return coreReply{Result: "refused", Code: "MS03", Text: "The payment has ended."}
	case c.faults.Refuse != "":
		p.Refused = c.faults.Refuse
	case a.Closed:
		p.Refused = "AC04"
	case a.Balance-a.Reserved < r.minor:
		p.Refused = "AM04"
	}
	if p.Refused == "" {
		p.Reserved = true
		a.Reserved += r.minor
	}
	c.keep(coreLine{Account: a, Payment: p})
	if p.Refused != "" {
		return coreReply{Result: "refused", Code: p.Refused, Text: "No reservation."}
	}
	return coreReply{Result: "accepted"}
}

// checkCredit changes nothing.
func (c *Core) checkCredit(r coreRequest) coreReply {
	code := c.faults.Refuse
	if c.account(r).Closed {
		code = cmp.Or(code, "AC04")
	}
	if code != "" {
		return coreReply{Result: "refused", Code: code, Text: "No credit."}
	}
	return coreReply{Result: "accepted"}
}

// end books a payment, or reverses its booking. An older or repeated end changes nothing.
func (c *Core) end(r coreRequest) coreReply {
	a, p := c.account(r), c.payment(r)
	if r.Sequence <= p.Sequence {
		return coreReply{}
	}
	p.Sequence, p.Result = r.Sequence, r.Result
	if p.Reserved {
		p.Reserved = false
		a.Reserved -= p.Amount
	}
	booked := int64(0)
	if r.Result == "settled" {
		booked = r.minor
		if r.Direction == "out" {
			booked = -booked
		}
	}
	if booked != p.Booked {
		a.Balance += booked - p.Booked
		p.Booked = booked
		p.Bookings++
	}
	c.keep(coreLine{Account: a, Payment: p})
	return coreReply{}
}

// coreLine is a line of the file: accounts and payments after a change.
type coreLine struct {
	Account *CoreAccount `json:"account,omitempty"`
	Payment *CorePayment `json:"payment,omitempty"`
}

// Remember stores accounts and payments in a file, and reads those of an earlier core banking from it. Call it before the Handler is
// served.
func (c *Core) Remember(path string) error {
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("read the memory of core banking: %w", err)
	}
	for text := range bytes.Lines(content) {
		var line coreLine
		if json.Unmarshal(text, &line) != nil {
			continue // a line that a crash cut off
		}
		if line.Account != nil {
			c.accounts[line.Account.IBAN] = line.Account
		}
		if line.Payment != nil {
			c.payments[line.Payment.ID] = line.Payment
		}
	}
	c.book, err = os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("open the memory of core banking: %w", err)
	}
	for _, a := range c.accounts {
		c.keep(coreLine{Account: a})
	}
	for _, p := range c.payments {
		c.keep(coreLine{Payment: p})
	}
	if c.book == nil {
		return errors.New("the memory of core banking cannot be written")
	}
	return os.Rename(path+".new", path)
}

// keep appends a change to the file before the answer. The caller holds the lock.
func (c *Core) keep(line coreLine) {
	if c.book == nil {
		return
	}
	text, err := json.Marshal(line)
	if err == nil {
		_, err = c.book.Write(append(text, '\n'))
	}
	if err != nil {
		_ = c.book.Close()
		c.book = nil
	}
}

// Close closes the file.
func (c *Core) Close() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.book != nil {
		_ = c.book.Close() // every line was written
		c.book = nil
	}
}
