// Package servicetest sets the services up on a test's own database with the demo's realms: everything below the web, with a clock
// the test moves and a clearing side the test looks at. Only tests import it.
package servicetest

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/govalues/decimal"

	"countersign/internal/clearing"
	"countersign/internal/demo"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/iso20022"
	"countersign/internal/payee"
	"countersign/internal/payment"
	"countersign/internal/profile"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/store"
	"countersign/internal/store/integrity"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

// Env is everything below the web.
type Env struct {
	*service.Service
	DB      *storetest.DB
	Network *Network
	Clock   *Clock
	// Log receives the log of the clearing service, unless the options name another. Set it before the service works.
	Log io.Writer

	options Options
	mu      sync.Mutex
	number  int
}

// Options say how a gateway differs from the usual one: its clock stands at noon of 2 March 2026, a Monday; its clearing takes all.
type Options struct {
	At  time.Time        // where the clock stands at first
	Now func() time.Time // another clock than the test's own
	// Log gets all logs; nil means House.Log.
	Log *slog.Logger
	// Database opens the database in another way than with the test's own connections.
	Database func(*storetest.DB) *store.Database
	// Clearing is another network than House.Network.
	Clearing clearing.Network
	// Workers is the number of parallel deliveries of a scheme; 0 for the default.
	Workers int
	Mail    *service.MailConfig // nil sends no notices
	// Payee verifies payees; nil verifies none.
	Payee payee.Verifier
	// Core is the port to core banking; nil for none.
	Core          clearing.Core
	CreditUnasked bool
	// Profiles say in which form documents leave; the zero value leaves them as they are made.
	Profiles profile.Registry
	// OnlyRecalled lets SEPA payments come and go back as the answer to a recall only, as by default of the program.
	OnlyRecalled bool
}

// Clock is a clock the test moves.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// ClockAt is a clock that stands at a time.
func ClockAt(now time.Time) *Clock { return &Clock{now: now} }

// Now is the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Add moves the clock.
func (c *Clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Set puts the clock to a time.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Network keeps the documents delivered to clearing. It accepts all unless the test sets Refuse.
type Network struct {
	mu        sync.Mutex
	delivered []Delivery
	// Refuse, when set, decides about each delivery.
	Refuse func(Delivery) error
}

// Delivery is one document as clearing got it.
type Delivery struct {
	Scheme    rulebook.Scheme
	Reference string
	Content   string
}

// Deliver takes a document.
func (n *Network) Deliver(_ context.Context, scheme rulebook.Scheme, reference string, content []byte) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	d := Delivery{Scheme: scheme, Reference: reference, Content: string(content)}
	if n.Refuse != nil {
		err := n.Refuse(d)
		if err != nil {
			return err
		}
	}
	n.delivered = append(n.delivered, d)
	return nil
}

// Certificates returns the ends of the certificates of the connections.
func (n *Network) Certificates() map[rulebook.Scheme]clearing.Certificates {
	return map[rulebook.Scheme]clearing.Certificates{rulebook.SchemeSIC: {
		Theirs: time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC), Ours: time.Date(2029, time.February, 3, 12, 0, 0, 0, time.UTC),
	}}
}

// Delivered returns what clearing got, in order.
func (n *Network) Delivered() []Delivery {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]Delivery(nil), n.delivered...)
}

// New sets the usual gateway up.
func New(t testing.TB) *Env {
	t.Helper()
	return With(t, Options{})
}

// With sets a gateway up that differs from the usual one.
func With(t testing.TB, options Options) *Env {
	t.Helper()
	return On(t, Demo(t), options)
}

// On sets a gateway up on a database that is there.
func On(t testing.TB, db *storetest.DB, options Options) *Env {
	t.Helper()
	h := &Env{DB: db, Network: &Network{}, Log: io.Discard, Clock: &Clock{now: options.At}, options: options}
	if options.At.IsZero() {
		h.Clock.now = noon(t)
	}
	open := db.Database
	if options.Database != nil {
		open = options.Database(db)
	}
	h.open(t, open, db.Seal)
	return h
}

// noon returns the start time of the usual clock.
func noon(t testing.TB) time.Time {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Zurich")
	if err != nil {
		t.Fatal(err)
	}
	return time.Date(2026, time.March, 2, 12, 0, 0, 0, zone)
}

// Again is the same gateway after another start with other options. Database and clock are shared.
func (h *Env) Again(t testing.TB, options Options) *Env {
	t.Helper()
	other := &Env{DB: h.DB, Network: h.Network, Log: h.Log, Clock: h.Clock, options: options, number: 500}
	other.open(t, h.DB.Database, h.Seal)
	return other
}

// WithKeys is the same gateway after its key file changed: the lines are all the keys there are. Clock, network and log are shared.
func (h *Env) WithKeys(t testing.TB, lines ...string) *Env {
	t.Helper()
	seal := storetest.Sealer(t, lines...)
	other := &Env{DB: h.DB, Network: h.Network, Log: h.Log, Clock: h.Clock, options: h.options, number: 500}
	other.open(t, h.DB.Open(t, seal), seal)
	return other
}

// open sets the services up on a database.
func (h *Env) open(t testing.TB, db *store.Database, seal payment.Sealer) {
	t.Helper()
	cfg := service.Config{
		Rules:    rulebook.Settings{SCTReturnsWithoutRecall: !h.options.OnlyRecalled}, // both schemes send back, so that tests play both alike
		Database: db, Seal: seal, TokenKeys: storetest.Keys(t), AuditKeys: storetest.AuditKeys(t),
		WebhookNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, // of the receivers of tests
		Network:         h.Network, Now: h.Clock.Now, OperatorRealm: demo.Realm,
		Payee: h.options.Payee, Core: h.options.Core, CreditUnasked: h.options.CreditUnasked, Profiles: h.options.Profiles,
		Workers: h.options.Workers, Mail: h.options.Mail,
		Log: slog.New(slog.NewTextHandler(logTo{h}, nil)),
	}
	if h.options.Log != nil {
		cfg.Log = h.options.Log
	}
	if h.options.Now != nil {
		cfg.Now = h.options.Now
	}
	if h.options.Clearing != nil {
		cfg.Network = h.options.Clearing
	}
	parts, err := service.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	h.Service = parts
}

// logTo writes to the present value of the fixture's Log.
type logTo struct{ h *Env }

// Write hands the line on.
func (l logTo) Write(line []byte) (int, error) { return l.h.Log.Write(line) }

// Person returns a user of realm demo as the portal would know them.
func (h *Env) Person(t testing.TB, name string) identity.Principal {
	t.Helper()
	return h.Principal(t, Door{Realm: demo.Realm, Name: name, Client: identity.PortalClient, Channel: identity.ChannelPortal})
}

// Door names the channel of a principal.
type Door struct {
	Realm, Name, Client string
	Channel             identity.Channel
}

// Principal returns a user of a realm behind a client.
func (h *Env) Principal(t testing.TB, d Door) identity.Principal {
	t.Helper()
	var id uuid.UUID
	err := h.DB.Owner(t).QueryRow(
		context.Background(), "SELECT user_id FROM user_account WHERE realm = $1 AND name = $2", d.Realm, d.Name,
	).Scan(&id)
	if err != nil {
		t.Fatalf("user %s of %s: %v", d.Name, d.Realm, err)
	}
	p, err := store.NewPeople(h.DB.Database).Principal(context.Background(), store.PrincipalKey{
		Realm: d.Realm, UserID: id, ClientID: d.Client,
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Channel = d.Channel
	return p
}

// Order returns a payment order that no rule refuses: CHF 100.00 or EUR 100.00, with identifiers of its own.
func (h *Env) Order(scheme rulebook.Scheme) payment.Order {
	h.mu.Lock()
	h.number++
	number := h.number
	h.mu.Unlock()
	return payment.Order{Scheme: scheme, ExternalID: fmt.Sprintf("external-%d", number), Document: Document(scheme, number, h.Clock.Now())}
}

// Create submits an order of the scheme for the maker and fails the test if it is refused.
func (h *Env) Create(t testing.TB, by identity.Principal, scheme rulebook.Scheme) payment.Message {
	t.Helper()
	result, err := h.Submission.Create(context.Background(), by, h.Order(scheme))
	if err != nil {
		t.Fatal(err)
	}
	return result.Message
}

// Document makes a pain.001 for the demo's accounts. number makes its identifiers.
func Document(scheme rulebook.Scheme, number int, at time.Time) *iso20022.CustomerCreditTransferInitiation {
	currency, from, to := "CHF", "CH5021977000004331346", "CH4821966000009613388"
	kind := &iso20022.PaymentTypeInformation26{LocalInstrument: &iso20022.LocalInstrument2Choice{Code: "INST"}}
	agent := iso20022.FinancialInstitutionIdentification18{ClearingSystemMemberID: &iso20022.ClearingSystemMemberIdentification2{
		ClearingSystemID: &iso20022.ClearingSystemIdentification2Choice{Code: "CHBCC"}, MemberID: "21977",
	}}
	if scheme == rulebook.SchemeSCT {
		currency, from, to = "EUR", "DE62007620110623852957", "FR1420041010050500013M02606"
		kind.ServiceLevel = []iso20022.ServiceLevel8Choice{{Code: "SEPA"}}
		agent = iso20022.FinancialInstitutionIdentification18{BICFI: "AAAADEFFXXX"}
	}
	sum := decimal.MustParse("100.00")
	holder := iso20022.PartyIdentification135{Name: "Muster AG"}
	no := false
	return &iso20022.CustomerCreditTransferInitiation{
		GroupHeader: iso20022.GroupHeader85{
			MessageID: fmt.Sprintf("MSG-%d", number), CreationDateTime: iso20022.DateTimeOf(at), NumberOfTransactions: "1", ControlSum: &sum,
			InitiatingParty: holder,
		},
		PaymentInformation: []iso20022.PaymentInstruction30{{
			PaymentInformationID: fmt.Sprintf("PMT-%d", number), PaymentMethod: "TRF", BatchBooking: &no,
			NumberOfTransactions: "1", ControlSum: &sum, PaymentTypeInformation: kind,
			RequestedExecutionDate: iso20022.DateAndDateTime2Choice{Date: iso20022.DateOf(at.In(i18n.Zone()))},
			Debtor:                 holder,
			DebtorAccount:          iso20022.CashAccount38{ID: iso20022.AccountIdentification4Choice{IBAN: from}},
			DebtorAgent:            iso20022.BranchAndFinancialInstitutionIdentification6{FinancialInstitutionID: agent},
			CreditTransferTransactionInformation: []iso20022.CreditTransferTransaction34{{
				PaymentID: iso20022.PaymentIdentification6{InstructionID: fmt.Sprintf("INSTR-%d", number), EndToEndID: fmt.Sprintf("E2E-%d", number)},
				Amount:    iso20022.AmountType4Choice{InstructedAmount: &iso20022.Amount{Currency: currency, Value: sum}},
				Creditor: &iso20022.PartyIdentification135{Name: "Peter Haller", PostalAddress: &iso20022.PostalAddress24{
					StreetName: "Rosenauweg", BuildingNumber: "4", PostCode: "8036", TownName: "Zuerich", Country: "CH",
				}},
				CreditorAccount: &iso20022.CashAccount38{ID: iso20022.AccountIdentification4Choice{IBAN: to}},
			}},
		}},
	}
}

// SetAmount changes the amount of an order, everywhere it stands.
func SetAmount(doc *iso20022.CustomerCreditTransferInitiation, text string) {
	sum := decimal.MustParse(text)
	doc.GroupHeader.ControlSum = &sum
	doc.PaymentInformation[0].ControlSum = &sum
	doc.PaymentInformation[0].CreditTransferTransactionInformation[0].Amount.InstructedAmount.Value = sum
}

// CheckInvariants fails the test if the database breaks an invariant, which takes longer than most scenarios, so that only the long tier
// looks. Call it at the end of each scenario. The exceptions are invariants that the scenario itself does not keep. I20 is always one:
// scenarios make people, roles and policies with plain SQL, which seals nothing. In each tier a message that nobody tampered with and that
// is withheld fails it.
func (h *Env) CheckInvariants(t testing.TB, exceptions ...string) {
	t.Helper()
	h.checkNothingWithheld(t)
	if !testutil.InLongTier {
		return
	}
	for _, i := range h.Check(t).Invariants {
		if i.ID == "I20" || slices.Contains(exceptions, i.ID) {
			continue
		}
		for _, v := range i.Violations {
			t.Errorf("%s (%s) is broken by %s %s: %s", i.ID, i.Text, v.Table, v.Key, v.What)
		}
	}
}

// checkNothingWithheld reads the oldest hundred messages as a checker does.
func (h *Env) checkNothingWithheld(t testing.TB) {
	t.Helper()
	rows, err := h.DB.Owner(t).Query(context.Background(), "SELECT realm, message_id FROM message ORDER BY message_id LIMIT 100")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var realm string
		var id uuid.UUID
		err = rows.Scan(&realm, &id)
		if err != nil {
			t.Fatal(err)
		}
		m, err := h.Reader.Message(context.Background(), realm, id)
		if err != nil || m.Withheld != "" {
			t.Errorf("the honest %s %s is withheld: %s %v", m.Kind, id, m.Withheld, err)
		}
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
}

// Check has the auditor look at the database, with all keys.
func (h *Env) Check(t testing.TB) integrity.Report {
	t.Helper()
	report, err := integrity.Check(context.Background(), integrity.Config{
		DatabaseURL: h.DB.OwnerURL, Seal: h.Seal, Tokens: storetest.Keys(t), Now: h.Clock.Now(), Zone: i18n.Zone(),
		Profiles: h.options.Profiles,
	})
	if err != nil {
		t.Fatal(err)
	}
	return report
}
