package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/clearing"
	"countersign/internal/rulebook"
)

// issuer signs certificates and writes them as the files that settings name.
type issuer struct {
	folder string
	leaf   *x509.Certificate
	key    *ecdsa.PrivateKey
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{folder: t.TempDir()}
	i.leaf, i.key = i.sign(t, "authority", time.Hour)
	return i
}

// sign makes a certificate of the issuer, or its own.
func (i *issuer) sign(t *testing.T, name string, lasts time.Duration) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	draft := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-2 * time.Hour),
		NotAfter: time.Now().Add(lasts), IsCA: i.leaf == nil, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	parent, signer := draft, key
	if i.leaf != nil {
		parent, signer = i.leaf, i.key
	}
	content, err := x509.CreateCertificate(rand.Reader, draft, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(content)
	if err != nil {
		t.Fatal(err)
	}
	return leaf, key
}

// write puts a new certificate and its key into the files.
func (i *issuer) write(t *testing.T, name string, lasts time.Duration) (certificateFile, keyFile string) {
	t.Helper()
	leaf, key := i.sign(t, name, lasts)
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certificateFile, keyFile = filepath.Join(i.folder, "certificate.pem"), filepath.Join(i.folder, "key.pem")
	put(t, keyFile, &pem.Block{Type: "PRIVATE KEY", Bytes: encoded})
	put(t, certificateFile, &pem.Block{Type: "CERTIFICATE", Bytes: leaf.Raw})
	return certificateFile, keyFile
}

// put writes a file in one step.
func put(t *testing.T, path string, block *pem.Block) string {
	t.Helper()
	must(t, os.WriteFile(path+".new", pem.EncodeToMemory(block), 0o600))
	must(t, os.Rename(path+".new", path))
	return path
}

// authority writes the certificate of the issuer itself.
func (i *issuer) authority(t *testing.T) string {
	t.Helper()
	return put(t, filepath.Join(i.folder, "authority.pem"), &pem.Block{Type: "CERTIFICATE", Bytes: i.leaf.Raw})
}

// asking is clearing that takes documents of clients with a certificate of the issuer only, and counts them by its name.
func (i *issuer) asking(t *testing.T, look ...func(*http.Request)) (address, caFile string, came *sync.Map) {
	t.Helper()
	came = &sync.Map{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		count, _ := came.LoadOrStore(r.TLS.PeerCertificates[0].Subject.CommonName, &atomic.Int64{})
		count.(*atomic.Int64).Add(1)
		for _, one := range look {
			one(r)
		}
		w.Header().Set("Connection", "close") // each document by a connection of its own
	}))
	trusted := x509.NewCertPool()
	trusted.AddCert(i.leaf)
	server.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: trusted, MinVersion: tls.VersionTLS12}
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	t.Cleanup(server.Close)
	caFile = filepath.Join(i.folder, "ca.pem")
	content := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(caFile, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return server.URL, caFile, came
}

func deliverVia(t *testing.T, c clearingSettings) func() error {
	t.Helper()
	g := &gateway{}
	g.Log = slog.New(slog.DiscardHandler)
	if err := c.connect(g); err != nil {
		t.Fatal(err)
	}
	return func() error { return g.Network.Deliver(context.Background(), rulebook.SchemeSIC, "R", []byte("<x/>")) }
}

// A document goes to clearing under our certificate: not without one, not under a stranger's, and under the new one after it changed,
// without a restart and without a loss.
func TestClearingAsksForACertificate(t *testing.T) {
	t.Parallel()
	i, stranger := newIssuer(t), newIssuer(t)
	address, caFile, came := i.asking(t)
	certificateFile, keyFile := i.write(t, "first", time.Hour)
	ours := clearingSettings{SICURL: address, CertificateFile: certificateFile, KeyFile: keyFile, CAFile: caFile}
	deliver := deliverVia(t, ours)
	if err := deliver(); err != nil {
		t.Fatalf("under our certificate: %v", err)
	}
	without := ours
	without.CertificateFile, without.KeyFile = "", ""
	if err := deliverVia(t, without)(); err == nil {
		t.Error("a document was taken without a certificate")
	}
	other := ours
	other.CertificateFile, other.KeyFile = stranger.write(t, "stranger", time.Hour)
	if err := deliverVia(t, other)(); err == nil {
		t.Error("a document was taken under a stranger's certificate")
	}
	elsewhere := ours
	elsewhere.CAFile = certificateFile
	if err := deliverVia(t, elsewhere)(); err == nil {
		t.Error("a document went to a clearing that nobody vouches for")
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 50 {
				if err := deliver(); err != nil {
					t.Errorf("while the certificate changes: %v", err)
				}
			}
		})
	}
	i.write(t, "second", time.Hour)
	group.Wait()
	if err := deliver(); err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	came.Range(func(_, count any) bool {
		total += count.(*atomic.Int64).Load()
		return true
	})
	if _, rotated := came.Load("second"); !rotated || total != 202 {
		t.Errorf("%d documents came, under the new certificate: %t", total, rotated)
	}
}

// A document goes to clearing with the token of its scheme, and with a new one as soon as the file has it. The ends of both certificates are
// known.
func TestClearingAsksForAToken(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	var shown atomic.Value
	address, caFile, _ := i.asking(t, func(r *http.Request) { shown.Store(r.Header.Get("Authorization")) })
	certificateFile, keyFile := i.write(t, "ours", time.Hour)
	tokenFile := filepath.Join(t.TempDir(), "token")
	show := func(token string) {
		t.Helper()
		if err := os.WriteFile(tokenFile, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	show("the-first-token-of-clearing")
	g := &gateway{}
	g.Log = slog.New(slog.DiscardHandler)
	settings := clearingSettings{SICURL: address, CertificateFile: certificateFile, KeyFile: keyFile, CAFile: caFile, SICTokenFile: tokenFile}
	if err := settings.connect(g); err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{"the-first-token-of-clearing", "the-second-token-of-clearing"} {
		show(token)
		if err := g.Network.Deliver(t.Context(), rulebook.SchemeSIC, "R", []byte("<x/>")); err != nil || shown.Load() != "Bearer "+token {
			t.Errorf("clearing was shown %q: %v", shown.Load(), err)
		}
	}
	ends := g.Network.(clearing.Certified).Certificates()[rulebook.SchemeSIC]
	if left := time.Until(ends.Ours); left < 50*time.Minute || left > time.Hour || ends.Theirs.IsZero() {
		t.Errorf("the certificates end %+v", ends)
	}
	show("short")
	if err := g.Network.Deliver(t.Context(), rulebook.SchemeSIC, "R", []byte("<x/>")); err == nil {
		t.Error("a document left with a token that is none")
	}
	if err := settings.connect(&gateway{}); err == nil || !strings.Contains(err.Error(), "COUNTERSIGN_CLEARING_SIC_OUT_TOKEN_FILE") {
		t.Errorf("at the start: %v", err)
	}
}

// Files that cannot serve are named at the start.
func TestACertificateForClearingThatCannotServeIsNamed(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	certificateFile, keyFile := i.write(t, "ended", -time.Hour)
	for want, c := range map[string]clearingSettings{
		"ended on":           {CertificateFile: certificateFile, KeyFile: keyFile},
		"_KEY_FILE: name":    {CertificateFile: certificateFile},
		"CATE_FILE: name":    {KeyFile: keyFile},
		"no such file":       {CertificateFile: certificateFile, KeyFile: keyFile + ".gone"},
		"CLEARING_CA_FILE":   {CAFile: certificateFile + ".gone"},
		"no certificate in ": {CAFile: keyFile},
	} {
		_, err := c.secured(slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	if err := os.Chmod(keyFile, 0o644); err != nil {
		t.Fatal(err)
	}
	c := clearingSettings{CertificateFile: certificateFile, KeyFile: keyFile}
	if _, err := c.secured(slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "open to others") {
		t.Errorf("a key that others may read: %v", err)
	}
}
