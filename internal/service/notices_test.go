package service_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/administration"
	"countersign/internal/clearing"
	"countersign/internal/identity"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
)

// smtpServer is an SMTP server on this machine. It requires TLS.
type smtpServer struct {
	listener net.Listener
	secured  *tls.Config

	mu      sync.Mutex
	got     []string // e-mails as they came
	refuse  string   // a recipient
	down    bool     // every connection is closed
	noTLS   bool     // STARTTLS is not offered
	forgets bool     // takes an e-mail and breaks off before the answer
	atOnce  bool     // TLS from the first byte
	signIn  string   // what AUTH PLAIN must send, in base64; "" for no sign-in
}

func newSMTP(t *testing.T) (*smtpServer, *service.MailConfig) {
	t.Helper()
	own := signed(t, "127.0.0.1", nil)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	s := &smtpServer{listener: listener, secured: &tls.Config{Certificates: []tls.Certificate{own}}}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go s.talk(conn)
		}
	}()
	roots := x509.NewCertPool()
	roots.AddCert(own.Leaf)
	return s, &service.MailConfig{
		Address: listener.Addr().String(), Security: service.MailStartTLS, TLS: &tls.Config{RootCAs: roots},
		From: mail.Address{Name: "Bänk", Address: "countersign@bank.example"}, Portal: "https://portal.bank.example",
	}
}

func (s *smtpServer) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// mails returns the e-mails since the last call.
func (s *smtpServer) mails() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := s.got
	s.got = nil
	return got
}

func (s *smtpServer) talk(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	s.mu.Lock()
	down, noTLS, encrypted, signIn := s.down, s.noTLS, s.atOnce, s.signIn
	s.mu.Unlock()
	if down {
		return
	}
	if encrypted {
		conn = tls.Server(conn, s.secured)
	}
	in := bufio.NewReader(conn)
	say := func(line string) { _, _ = io.WriteString(conn, line+"\r\n") }
	say("220 test")
	signedIn := signIn == ""
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		verb := strings.ToUpper(strings.TrimSpace(line))
		switch {
		case strings.HasPrefix(verb, "EHLO") && !encrypted && !noTLS:
			say("250-test\r\n250 STARTTLS")
		case strings.HasPrefix(verb, "EHLO") && !signedIn:
			say("250-test\r\n250 AUTH PLAIN")
		case strings.HasPrefix(verb, "AUTH") && encrypted && strings.TrimSpace(line) == "AUTH PLAIN "+signIn:
			signedIn = true
			say("235 welcome")
		case strings.HasPrefix(verb, "AUTH"):
			say("535 wrong")
		case strings.HasPrefix(verb, "MAIL") && !signedIn:
			say("530 sign in first")
		case verb == "STARTTLS":
			say("220 go on")
			conn = tls.Server(conn, s.secured)
			in, encrypted = bufio.NewReader(conn), true
		case strings.HasPrefix(verb, "MAIL") && !encrypted:
			say("530 encrypt first")
		case strings.HasPrefix(verb, "RCPT"):
			s.mu.Lock()
			refused := s.refuse != "" && strings.Contains(line, s.refuse)
			s.mu.Unlock()
			if refused {
				say("550 no such mailbox")
				continue
			}
			say("250 ok")
		case verb == "DATA":
			say("354 go on")
			if !s.take(in) {
				return
			}
			say("250 ok")
		case verb == "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

// take reads an e-mail; false breaks the connection off.
func (s *smtpServer) take(in *bufio.Reader) bool {
	var text strings.Builder
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return false
		}
		if line == ".\r\n" {
			break
		}
		text.WriteString(strings.TrimPrefix(line, ".")) // RFC 5321, 4.5.2: a line that begins with a dot is sent with two
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, text.String())
	return !s.forgets
}

// read parses an e-mail.
func read(t *testing.T, raw string) (headers mail.Header, subject, body string) {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(raw))
	if err != nil {
		t.Fatalf("%v in\n%s", err, raw)
	}
	subject, err = (&mime.WordDecoder{}).DecodeHeader(m.Header.Get("Subject"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	if err != nil {
		t.Fatal(err)
	}
	return m.Header, subject, string(text)
}

// decided has two administrators make a change.
func decided(t *testing.T, h *servicetest.Env, in service.RequestInput) {
	t.Helper()
	asked, err := h.Admin.Request(ctx, h.Person(t, "admin1"), in)
	if err == nil {
		_, err = h.Admin.Decide(ctx, h.Person(t, "admin2"), service.DecideInput{ChangeID: asked.Change.ID, Approve: true})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// addressed gives accounts an e-mail address.
func addressed(t *testing.T, h *servicetest.Env, users ...string) {
	t.Helper()
	for _, user := range users {
		decided(t, h, service.RequestInput{
			Kind: administration.KindUserEmail, Subject: user, Values: administration.Values{"email": user + "@bank.example"},
		})
	}
}

// expect runs the gateway once, at a later time, and returns the only e-mail.
func expect(t *testing.T, h *servicetest.Env, s *smtpServer, later time.Duration) (headers mail.Header, subject, body string) {
	t.Helper()
	h.Clock.Add(later)
	h.Clearing.RunOnce(ctx)
	got := s.mails()
	if len(got) != 1 {
		t.Fatalf("%d e-mails, want 1: %q", len(got), got)
	}
	return read(t, got[0])
}

// nothing runs the gateway once, at a later time, which sends no e-mail.
func nothing(t *testing.T, what string, h *servicetest.Env, s *smtpServer, later time.Duration) {
	t.Helper()
	h.Clock.Add(later)
	h.Clearing.RunOnce(ctx)
	if got := s.mails(); len(got) != 0 {
		t.Errorf("%s: %d e-mails: %q", what, len(got), got)
	}
}

func TestPeopleGetNoticesByEMail(t *testing.T) {
	t.Parallel()
	s, config := newSMTP(t)
	h := servicetest.With(t, servicetest.Options{Mail: config})
	defer h.CheckInvariants(t)
	addressed(t, h, "maker1", "checker1")
	maker, checker := h.Person(t, "maker1"), h.Person(t, "checker1")
	m := h.Create(t, maker, rulebook.SchemeSIC)
	in := service.Input{InternalID: m.InternalID}
	ask := func(m payment.Message) {
		_, err := h.Approval.Ask(ctx, checker, service.Input{InternalID: m.InternalID}, "Why?")
		if err != nil {
			t.Fatal(err)
		}
	}
	ask(m)
	headers, subject, body := expect(t, h, s, time.Minute)
	if subject != "A checker has a question about payment "+string(m.GlobalID) || headers.Get("To") != "<maker1@bank.example>" ||
		headers.Get("Auto-Submitted") != "auto-generated" || !strings.HasSuffix(headers.Get("From"), "<countersign@bank.example>") ||
		!strings.Contains(body, "https://portal.bank.example/payments/"+m.InternalID.String()) ||
		!strings.Contains(body, "https://portal.bank.example/me#notices") {
		t.Errorf("a question: %v\n%s", headers, body)
	}
	if strings.Contains(subject+body, "100") && strings.Contains(body, "CHF") || strings.Contains(body, m.Summary.CreditorName) {
		t.Errorf("amount or name in\n%s", body)
	}
	nothing(t, "the same question", h, s, time.Minute)
	_, err := h.Submission.Answer(ctx, maker, m.InternalID, "Because.")
	if err != nil {
		t.Fatal(err)
	}
	_, subject, _ = expect(t, h, s, time.Minute)
	if subject != "The question about payment "+string(m.GlobalID)+" has been answered" {
		t.Errorf("an answer: %s", subject)
	}
	nothing(t, "a digest before its hour", h, s, 31*time.Minute)
	_, subject, _ = expect(t, h, s, 30*time.Minute)
	if subject != "Payment "+string(m.GlobalID)+" is waiting for approval" {
		t.Errorf("a payment that waits: %s", subject)
	}
	_, err = h.Approval.Reject(ctx, checker, in, "no")
	if err != nil {
		t.Fatal(err)
	}
	_, subject, _ = expect(t, h, s, time.Minute)
	if subject != "Payment "+string(m.GlobalID)+" was rejected" {
		t.Errorf("a rejection: %s", subject)
	}
	_, err = h.DB.Owner(t).Exec(ctx, "UPDATE user_account SET email = 'thief@bank.example' WHERE realm = 'demo' AND name = 'maker1'")
	if err != nil {
		t.Fatal(err)
	}
	ask(h.Create(t, maker, rulebook.SchemeSIC))
	nothing(t, "an address that somebody planted", h, s, time.Minute)
	_, err = h.DB.Owner(t).Exec(ctx, "UPDATE user_account SET email = 'maker1@bank.example' WHERE realm = 'demo' AND name = 'maker1'")
	if err != nil {
		t.Fatal(err)
	}
}

// TestAPaymentThatExpiresMakesANotice: to its maker and to its possible approvers.
func TestAPaymentThatExpiresMakesANotice(t *testing.T) {
	t.Parallel()
	s, config := newSMTP(t)
	h := servicetest.With(t, servicetest.Options{Mail: config})
	addressed(t, h, "maker1", "checker2")
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	for _, name := range []string{"maker1", "checker2"} {
		err := h.Notices.Choose(ctx, h.Person(t, name), []store.NoticeChoice{{Kind: "expiring", Delivery: service.NoticeAtOnce}})
		if err != nil {
			t.Fatal(err)
		}
	}
	err := h.Notices.Choose(ctx, h.Person(t, "checker2"), []store.NoticeChoice{{Kind: "waiting", Delivery: service.NoticeNone}})
	if err != nil {
		t.Fatal(err)
	}
	nothing(t, "long before its end", h, s, time.Minute)
	h.Clock.Set(m.ExpiresAt.Add(-time.Hour))
	h.Clearing.RunOnce(ctx)
	got := s.mails()
	if len(got) != 2 || !strings.Contains(got[0]+got[1], "maker1@") || !strings.Contains(got[0]+got[1], "checker2@") {
		t.Fatalf("%d e-mails: %q", len(got), got)
	}
	if _, subject, _ := read(t, got[0]); subject != "Payment "+string(m.GlobalID)+" will expire soon unless it is approved" {
		t.Errorf("the subject: %s", subject)
	}
}

// TestADigestIsOneEMail in the person's language, for a person who chose it; none for a person who chose none.
func TestADigestIsOneEMail(t *testing.T) {
	t.Parallel()
	for language, want := range map[string]string{
		"de": "3 Zahlungen wurden abgelehnt", "fr": "3 paiements ont été refusés", "it": "3 pagamenti sono stati respinti",
		"en": "3 payments were rejected",
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			s, config := newSMTP(t)
			h := servicetest.With(t, servicetest.Options{Mail: config})
			addressed(t, h, "maker1", "maker2")
			preference := store.DefaultPreference
			preference.Language = language
			err := store.NewPeople(h.DB.Database).SavePreference(ctx, h.Person(t, "maker1"), preference)
			if err != nil {
				t.Fatal(err)
			}
			for name, delivery := range map[string]string{"maker1": service.NoticeDaily, "maker2": service.NoticeNone} {
				err = h.Notices.Choose(ctx, h.Person(t, name), []store.NoticeChoice{{Kind: "rejected", Delivery: delivery}})
				if err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range []string{"maker1", "maker1", "maker1", "maker2"} {
				m := h.Create(t, h.Person(t, name), rulebook.SchemeSIC)
				_, err = h.Approval.Reject(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID}, "no")
				if err != nil {
					t.Fatal(err)
				}
			}
			nothing(t, "on the same day", h, s, time.Hour)
			headers, subject, body := expect(t, h, s, 19*time.Hour)
			if subject != want || !strings.HasPrefix(body, want+".\r\nhttps://portal.bank.example/mine\r\n") ||
				headers.Get("Content-Language") != language {
				t.Errorf("%s: %v\n%s", subject, headers, body)
			}
		})
	}
}

// TestANoticeIsSentOnce: by one of two gateways, also when another one was killed after it took the work; and again under the same id when
// nobody knows whether the server has it.
func TestANoticeIsSentOnce(t *testing.T) {
	t.Parallel()
	s, config := newSMTP(t)
	h := servicetest.With(t, servicetest.Options{Mail: config})
	addressed(t, h, "maker1")
	other := h.Again(t, servicetest.Options{Mail: config})
	reject := func() {
		m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
		_, err := h.Approval.Reject(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID}, "no")
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 5 {
		reject()
		h.Clock.Add(time.Minute)
		var both sync.WaitGroup
		for _, one := range []*servicetest.Env{h, other} {
			both.Go(func() { one.Clearing.RunOnce(ctx) })
		}
		both.Wait()
		h.Clearing.RunOnce(ctx)
		if got := s.mails(); len(got) != 1 {
			t.Fatalf("%d e-mails of two gateways: %q", len(got), got)
		}
	}
	reject()
	s.set(func() { s.down = true })
	nothing(t, "a server that is down", h, s, time.Minute)
	s.set(func() { s.down, s.forgets = false, true })
	_, err := store.NewNotices(h.DB.Database).Claim(ctx, store.MailClaim{
		Realm: "demo", UserID: h.Person(t, "maker1").UserID, Fresh: service.NewID(), Now: h.Clock.Now().Add(2 * time.Minute),
		Until: h.Clock.Now().Add(3 * time.Minute),
	}) // the process that took it is killed
	if err != nil {
		t.Fatal(err)
	}
	nothing(t, "an e-mail that another process has", other, s, 150*time.Second)
	first, _, _ := expect(t, h, s, time.Minute)
	s.set(func() { s.forgets = false })
	again, _, _ := expect(t, other, s, 5*time.Minute)
	if first.Get("Message-Id") == "" || first.Get("Message-Id") != again.Get("Message-Id") {
		t.Errorf("the ids are %s and %s", first.Get("Message-Id"), again.Get("Message-Id"))
	}
	nothing(t, "an e-mail that the server took", h, s, time.Hour)
}

// TestAnEMailThatCannotBeSentIsToldToTheOperator: one that is refused at once, one that nobody takes after a day of attempts.
func TestAnEMailThatCannotBeSentIsToldToTheOperator(t *testing.T) {
	t.Parallel()
	s, config := newSMTP(t)
	h := servicetest.With(t, servicetest.Options{Mail: config})
	addressed(t, h, "maker1", "maker2")
	for _, name := range []string{"maker1", "maker2"} {
		m := h.Create(t, h.Person(t, name), rulebook.SchemeSIC)
		_, err := h.Approval.Reject(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID}, "no")
		if err != nil {
			t.Fatal(err)
		}
	}
	s.set(func() { s.refuse = "maker1" })
	headers, _, _ := expect(t, h, s, time.Minute)
	if headers.Get("To") != "<maker2@bank.example>" {
		t.Errorf("the other recipient: %v", headers)
	}
	standing, off, err := h.Notices.Standing(ctx)
	if err != nil || off || standing.GivenUp != 1 || !strings.Contains(standing.Failure, "no such mailbox") || standing.SentAt.IsZero() {
		t.Errorf("after a refusal: %+v, %v", standing, err)
	}
	s.set(func() { s.refuse, s.noTLS = "", true })
	m := h.Create(t, h.Person(t, "maker2"), rulebook.SchemeSIC)
	_, err = h.Approval.Reject(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID}, "no")
	if err != nil {
		t.Fatal(err)
	}
	nothing(t, "a server without TLS", h, s, time.Minute)
	standing, _, err = h.Notices.Standing(ctx)
	if err != nil || standing.Retrying != 1 || !strings.Contains(standing.Failure, "STARTTLS") {
		t.Errorf("while it is tried again: %+v, %v", standing, err)
	}
	for range 40 {
		nothing(t, "a server without TLS", h, s, time.Hour)
	}
	standing, _, err = h.Notices.Standing(ctx)
	if err != nil || standing.Retrying != 0 || standing.GivenUp != 1 {
		t.Errorf("after a day: %+v, %v", standing, err)
	}
}

// TestWhoGetsNoEMail: people who are suppressed or lost the role since.
func TestWhoGetsNoEMail(t *testing.T) {
	t.Parallel()
	s, config := newSMTP(t)
	h := servicetest.With(t, servicetest.Options{Mail: config})
	addressed(t, h, "maker1", "maker2")
	for _, name := range []string{"maker1", "maker2"} {
		m := h.Create(t, h.Person(t, name), rulebook.SchemeSIC)
		_, err := h.Approval.Reject(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID}, "no")
		if err != nil {
			t.Fatal(err)
		}
	}
	s.set(func() { s.down = true })
	nothing(t, "down", h, s, time.Minute)
	decided(t, h, service.RequestInput{Kind: administration.KindUserSuppress, Subject: "maker1"})
	decided(t, h, service.RequestInput{
		Kind: administration.KindUserRoles, Subject: "maker2", Values: administration.Values{"roles": string(identity.RoleSupervisor)},
	})
	s.set(func() { s.down = false })
	nothing(t, "people who may not", h, s, time.Hour)
}

// TestAmountsAndNamesAreInAnEMailOnlyIfTheRealmAllowsIt and a name with a line in it writes no header.
func TestAmountsAndNamesAreInAnEMailOnlyIfTheRealmAllowsIt(t *testing.T) {
	t.Parallel()
	s, config := newSMTP(t)
	h := servicetest.With(t, servicetest.Options{Mail: config})
	addressed(t, h, "maker1")
	decided(t, h, service.RequestInput{
		Kind: administration.KindRealmNotices, Values: administration.Values{"noticeDetails": administration.Yes},
	})
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	_, err := h.Approval.Reject(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID}, "no")
	if err != nil {
		t.Fatal(err)
	}
	_, subject, body := expect(t, h, s, time.Minute)
	want := fmt.Sprintf("CHF 100.00 to %s\r\n", m.Summary.CreditorName)
	if !strings.Contains(body, want) || strings.Contains(subject, "CHF") {
		t.Errorf("no %q in\n%s", want, body)
	}
}

// TestAnEMailIsSentOverTLSFromTheFirstByteAndWithASignIn, which is never made without TLS or with another password; in a test environment
// its subject says so.
func TestAnEMailIsSentOverTLSFromTheFirstByteAndWithASignIn(t *testing.T) {
	t.Parallel()
	for _, security := range []service.MailSecurity{service.MailTLS, service.MailStartTLS} {
		t.Run(string(security), func(t *testing.T) {
			t.Parallel()
			s, config := newSMTP(t)
			s.atOnce, s.signIn = security == service.MailTLS, base64.StdEncoding.EncodeToString([]byte("\x00gateway\x00secret"))
			config.Security, config.User, config.Password, config.Test = security, "gateway", "other", true
			h := servicetest.With(t, servicetest.Options{Mail: config})
			addressed(t, h, "maker1")
			m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
			_, err := h.Approval.Reject(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID}, "no")
			if err != nil {
				t.Fatal(err)
			}
			nothing(t, "with another password", h, s, time.Minute)
			config.Password = "secret"
			if security == service.MailStartTLS {
				config.Security = service.MailPlain
				nothing(t, "without TLS", h, s, 5*time.Minute)
				config.Security = security
			}
			_, subject, _ := expect(t, h, s, 5*time.Minute)
			if subject != "[TEST] Payment "+string(m.GlobalID)+" was rejected" {
				t.Errorf("the subject: %s", subject)
			}
		})
	}
}

// TestMakersGetAnEMailWhenARecallIsDue: with the link to the recall.
func TestMakersGetAnEMailWhenARecallIsDue(t *testing.T) {
	t.Parallel()
	s, config := newSMTP(t)
	h := servicetest.With(t, servicetest.Options{Mail: config})
	addressed(t, h, "maker1", "checker1")
	order := servicetest.Document(rulebook.SchemeSIC, 900, h.Clock.Now())
	order.PaymentInformation[0].CreditTransferTransactionInformation[0].CreditorAccount.ID.IBAN = "CH5021977000004331346"
	paid, err := interbank.CreditTransfer(interbank.CreditTransferInput{
		Scheme: rulebook.SchemeSIC, Order: order, TransactionID: "TX1", Reference: "IN-TX1", UETR: "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10",
		From: interbank.Account{
			IBAN: "CH4821966000009613388", Holder: interbank.Holder{Name: "Peter Haller", Town: "Zuerich", Country: "CH"},
			AgentBIC: "BBBBCHZZXXX", AgentIID: "21966",
		},
		CreditorAgent: "AAAADEFFXXX", AcceptedAt: h.Clock.Now(), Day: h.Clock.Now(),
	})
	comes := func(reference string, document iso20022.Document, err error) {
		var content []byte
		if err == nil {
			content, err = codec.EncodeXML(document)
		}
		if err == nil {
			err = h.Clearing.Receive(ctx, clearing.Document{
				Scheme: rulebook.SchemeSIC, Reference: reference, Content: content, ReceivedAt: h.Clock.Now(),
			})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	comes("IN-TX1", paid, err)
	asked, err := interbank.CancellationRequest(interbank.RTransactionInput{
		Request: rulebook.Request{Reason: "CUST"}, Scheme: rulebook.SchemeSIC, Original: paid, MessageID: "RE1", ID: "RE1", At: h.Clock.Now(),
	})
	comes("RE1", asked, err)
	realm, original, err := h.Incoming(ctx, rulebook.SchemeSIC, "TX1")
	if err != nil {
		t.Fatal(err)
	}
	id, err := h.Messages.ReceivedRecallOf(ctx, realm, original)
	if err != nil {
		t.Fatal(err)
	}
	recall, err := h.Reader.Message(ctx, realm, id)
	if err != nil {
		t.Fatal(err)
	}
	nothing(t, "long before it is due", h, s, time.Minute)
	h.Clock.Set(recall.AnswerBy.Add(-71 * time.Hour))
	nothing(t, "before the hour of daily e-mails", h, s, time.Minute)
	headers, subject, body := expect(t, h, s, 24*time.Hour)
	if subject != "Recall "+string(recall.GlobalID)+" must be answered within three days" ||
		headers.Get("To") != "<maker1@bank.example>" || !strings.Contains(body, "https://portal.bank.example/recalls/"+id.String()) {
		t.Errorf("%s: %v\n%s", subject, headers, body)
	}
}
