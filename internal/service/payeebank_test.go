package service_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payee"
	"countersign/internal/payment"
	"countersign/internal/service"
	"countersign/internal/testutil"
)

var question = payee.Question{
	Name: "Atelier Exemple SARL", IBAN: "FR1420041010050500013M02606", Bank: "BBBBFRPPXXX", Asker: "AAAADEFFXXX",
}

func verifier(address string, log *testutil.Log, secured *tls.Config) *service.Verifier {
	return service.NewPayeeBank(service.PayeeBankConfig{
		Address: address, TLS: secured, Now: time.Now, NewID: uuid.New, Log: slog.New(slog.NewJSONHandler(log, nil)),
	})
}

// bank is a server that answers each question in one way, and counts them.
func bank(t *testing.T, answer http.HandlerFunc) (address string, asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestAQuestionIsAskedAsTheSchemeWritesIt(t *testing.T) {
	t.Parallel()
	var header http.Header
	var body []byte
	address, _ := bank(t, func(w http.ResponseWriter, r *http.Request) {
		header, body = r.Header, nil
		if r.URL.Path == "/vop/v1/payee-verifications" {
			body, _ = io.ReadAll(r.Body)
		}
		_, _ = io.WriteString(w, `{"partyNameMatch":"CMTC","matchedName":"Atelier Exemple et Fils SARL","more":1}`)
	})
	answer, err := verifier(address+"/", &testutil.Log{}, nil).Verify(t.Context(), question)
	if err != nil || answer.Result != payee.CloseMatch || answer.MatchedName != "Atelier Exemple et Fils SARL" {
		t.Fatalf("%+v %v", answer, err)
	}
	const want = `{"party":{"name":"Atelier Exemple SARL"},"partyAccount":{"iban":"FR1420041010050500013M02606"},` +
		`"partyAgent":{"financialInstitutionId":{"bicfi":"BBBBFRPPXXX"}},"requestingAgent":{"financialInstitutionId":{"bicfi":"AAAADEFFXXX"}}}`
	_, idErr := uuid.Parse(header.Get(payee.RequestID))
	_, timeErr := time.Parse(time.RFC3339, header.Get(payee.RequestTimestamp))
	if string(body) != want || idErr != nil || timeErr != nil {
		t.Errorf("asked %s with %v", body, header)
	}
}

func TestWhatIsNoAnswerIsNone(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"no JSON":                      says(200, "<x/>"),
		"a result nobody knows":        says(200, `{"partyNameMatch":"YES"}`),
		"nothing":                      says(200, `{}`),
		"a close match without a name": says(200, `{"partyNameMatch":"CMTC"}`),
		"a name of control characters": says(200, `{"partyNameMatch":"CMTC","matchedName":"a\u0007b"}`),
		"a name without end":           says(200, `{"partyNameMatch":"CMTC","matchedName":"`+strings.Repeat("x", 141)+`"}`),
		"too much":                     says(200, `{"partyNameMatch":"MTCH","more":"`+strings.Repeat("x", payee.MaxBody)+`"}`),
		"a refusal":                    says(400, `{"code":"FORMAT_ERROR"}`),
		"a failure":                    says(500, ``),
		"another address": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		},
	} {
		address, asked := bank(t, answer)
		log := &testutil.Log{}
		got, err := verifier(address, log, nil).Verify(t.Context(), question)
		if err == nil || errors.Is(err, payee.ErrLate) || asked.Load() != 1 {
			t.Errorf("%s: %+v %v, asked %d times", name, got, err, asked.Load())
		}
		if strings.Contains(log.String(), question.IBAN) || strings.Contains(log.String(), question.Name) {
			t.Errorf("%s: the log tells whom it was about: %s", name, log.String())
		}
	}
}

func TestABankThatDoesNotAnswerIsLate(t *testing.T) {
	t.Parallel()
	address, _ := bank(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then a server sees that the asker is gone
		<-r.Context().Done()
	})
	soon, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := verifier(address, &testutil.Log{}, nil).Verify(soon, question)
	if !errors.Is(err, payee.ErrLate) {
		t.Errorf("%v", err)
	}
}

func TestNobodyIsAskedWhileNobodyAnswers(t *testing.T) {
	t.Parallel()
	address, asked := bank(t, says(503, ""))
	log := &testutil.Log{}
	v := verifier(address, log, nil)
	for range 100 {
		_, err := v.Verify(t.Context(), question)
		if err == nil {
			t.Fatal("an answer")
		}
	}
	if asked.Load() > 20 || strings.Count(log.String(), `"alarm":true`) != 1 {
		t.Errorf("asked %d times; the log: %.500s", asked.Load(), log.String())
	}
}

// signed makes a certificate of a name, signed by another one or by itself.
func signed(t *testing.T, name string, by *tls.Certificate) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	draft := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"127.0.0.1"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: by == nil, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}
	parent, signer := draft, any(key)
	if by != nil {
		parent, signer = by.Leaf, by.PrivateKey
	}
	content, err := x509.CreateCertificate(rand.Reader, draft, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(content)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{content}, PrivateKey: key, Leaf: leaf}
}

func TestBothSidesShowACertificate(t *testing.T) {
	t.Parallel()
	authority := signed(t, "authority", nil)
	ours, stranger := signed(t, "AAAADEFFXXX", &authority), signed(t, "stranger", nil)
	trusted := x509.NewCertPool()
	trusted.AddCert(authority.Leaf)
	server := httptest.NewUnstartedServer(says(200, `{"partyNameMatch":"MTCH"}`))
	server.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: trusted, MinVersion: tls.VersionTLS12}
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	t.Cleanup(server.Close)
	coreBank := httptest.NewUnstartedServer(says(200, `{"result":"accepted"}`))
	coreBank.TLS, coreBank.Config.ErrorLog = server.TLS.Clone(), server.Config.ErrorLog
	coreBank.StartTLS()
	t.Cleanup(coreBank.Close)
	known := x509.NewCertPool()
	known.AddCert(server.Certificate())
	known.AddCert(coreBank.Certificate())
	for name, test := range map[string]struct {
		certificate *tls.Certificate
		roots       *x509.CertPool
		fine        bool
	}{
		"ours":                          {&ours, known, true},
		"none":                          {nil, known, false},
		"a stranger's":                  {&stranger, known, false},
		"ours, to somebody else's bank": {&ours, trusted, false},
	} {
		secured := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: test.roots}
		if test.certificate != nil {
			secured.Certificates = []tls.Certificate{*test.certificate}
		}
		answer, err := verifier(server.URL, &testutil.Log{}, secured).Verify(t.Context(), question)
		if (err == nil) != test.fine || test.fine && answer.Result != payee.Match {
			t.Errorf("%s: %+v %v", name, answer, err)
		}
		core := service.NewCoreBank(service.CoreBankConfig{
			Address: coreBank.URL, TLS: secured, Within: 500 * time.Millisecond, Log: slog.New(slog.DiscardHandler),
		})
		said, err := core.Reserve(t.Context(), payment.Message{InternalID: uuid.New()})
		if (err == nil) != test.fine || test.fine && said.Outcome != payment.CoreAccepted {
			t.Errorf("%s, at core banking: %+v %v", name, said, err)
		}
	}
}
