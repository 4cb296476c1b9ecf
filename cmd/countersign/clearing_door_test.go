package main

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/clearing"
	"countersign/internal/rulebook"
	"countersign/internal/store/storetest"
)

// knocker sends documents to a door under a certificate.
type knocker struct {
	address string
	files   *tlsFiles // of clearing; nil shows no certificate
	trusts  string    // the file with the authority of the door
}

// knock sends a document over a connection of its own and returns the status, 0 where there was no connection.
func (k knocker) knock(t *testing.T, path, id string) (status int, why error) {
	t.Helper()
	files := k.files
	if files == nil {
		files = &tlsFiles{caFile: k.trusts}
		must(t, files.open())
	}
	client := &http.Client{Timeout: patience, Transport: &http.Transport{TLSClientConfig: files.client(), DisableKeepAlives: true}}
	document := `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:admi.004.001.02"><SysEvtNtfctn><EvtInf><EvtCd>` + id +
		`</EvtCd></EvtInf></SysEvtNtfctn></Document>`
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+k.address+path, strings.NewReader(document))
	must(t, err)
	request.Header.Set("Authorization", "Bearer "+strings.Repeat("tok-", 5))
	request.Header.Set("Content-Type", "application/xml")
	request.Header.Set("X-Message-Id", "D"+id)
	answer, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = answer.Body.Close() }()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, err
}

// Documents of clearing come in at a door of its own, under a certificate of the name that was agreed on, and nowhere else. New certificates
// of both sides count without a restart and without a loss.
func TestClearingDeliversUnderItsCertificate(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	bank(t, db, "x")
	ours, theirs, stranger, later := newIssuer(t), newIssuer(t), newIssuer(t), newIssuer(t)
	certificateFile, keyFile := ours.write(t, "gateway", time.Hour)
	caFile, trusts := theirs.authority(t), ours.authority(t)
	settings := safe(t, loginOf(t, db, "IN ROLE countersign_app"))
	listen, door := strings.TrimPrefix(settings[0], "COUNTERSIGN_LISTEN="), freeAddress(t)
	p := start(t, append(settings, "COUNTERSIGN_ENVIRONMENT=TEST", "COUNTERSIGN_TLS=false", "COUNTERSIGN_CLEARING_SCT_URL=",
		"COUNTERSIGN_CLEARING_IN_LISTEN="+door, "COUNTERSIGN_CLEARING_IN_CERTIFICATE_FILE="+certificateFile,
		"COUNTERSIGN_CLEARING_IN_KEY_FILE="+keyFile, "COUNTERSIGN_CLEARING_IN_CA_FILE="+caFile,
		"COUNTERSIGN_CLEARING_SIC_IN_NAME=clearing"), "serve")
	p.answers(t, "http://"+listen+"/livez")
	const swiss = "/clearing/v1/sic-inst/messages"
	showing := func(i *issuer, name string, lasts time.Duration) *tlsFiles {
		f := &tlsFiles{caFile: trusts, log: slog.New(slog.DiscardHandler)}
		f.certificateFile, f.keyFile = i.write(t, name, lasts)
		must(t, f.load())
		return f
	}
	for name, c := range map[string]struct {
		shown  *tlsFiles
		path   string
		status int
	}{
		"no certificate":    {nil, swiss, 0},
		"another authority": {showing(stranger, "clearing", time.Hour), swiss, 0},
		"another name":      {showing(&issuer{t.TempDir(), theirs.leaf, theirs.key}, "bank", time.Hour), swiss, 401},
		"ended":             {showing(&issuer{t.TempDir(), theirs.leaf, theirs.key}, "clearing", -time.Hour), swiss, 0},
		"another scheme": {
			showing(&issuer{t.TempDir(), theirs.leaf, theirs.key}, "clearing", time.Hour), strings.Replace(swiss, "sic", "sct", 1), 401,
		},
		"a page": {showing(&issuer{t.TempDir(), theirs.leaf, theirs.key}, "clearing", time.Hour), "/login", 404},
		"right":  {showing(&issuer{t.TempDir(), theirs.leaf, theirs.key}, "clearing", time.Hour), swiss, 202},
	} {
		status, err := knocker{door, c.shown, trusts}.knock(t, c.path, "ONE")
		if status != c.status || (err == nil) != (c.status > 0) {
			t.Errorf("%s: %d %v, want %d", name, status, err, c.status)
		}
	}
	plain, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+listen+swiss, strings.NewReader("<x/>"))
	must(t, err)
	plain.Header.Set("Authorization", "Bearer "+strings.Repeat("tok-", 5))
	answer, err := http.DefaultClient.Do(plain)
	must(t, err)
	if _ = answer.Body.Close(); answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("at the other door: %d", answer.StatusCode)
	}

	using := knocker{door, showing(theirs, "clearing", time.Hour), trusts}
	const each = 30
	var senders sync.WaitGroup
	for sender := range 4 {
		senders.Go(func() {
			for i := range each {
				if status, err := using.knock(t, swiss, fmt.Sprintf("S%dN%d", sender, i)); status != http.StatusAccepted {
					t.Errorf("while certificates change: %d %v", status, err)
				}
			}
		})
	}
	for range 5 {
		ours.write(t, "gateway", time.Hour)
		theirs.write(t, "clearing", time.Hour)
		time.Sleep(20 * time.Millisecond)
	}
	senders.Wait()
	var stored int
	must(t, db.Owner(t).QueryRow(t.Context(), "SELECT count(*) FROM inbox").Scan(&stored))
	if stored != 1+4*each {
		t.Errorf("%d documents are stored", stored)
	}

	content, err := os.ReadFile(later.authority(t))
	must(t, err)
	must(t, os.WriteFile(caFile, content, 0o600))
	if status, _ := using.knock(t, swiss, "OLD"); status != 0 {
		t.Errorf("of an authority that is no longer one: %d", status)
	}
	if status, err := (knocker{door, showing(later, "clearing", time.Hour), trusts}).knock(t, swiss, "NEW"); status != http.StatusAccepted {
		t.Errorf("of the new authority: %d %v", status, err)
	}
	must(t, os.WriteFile(caFile, []byte("no certificate"), 0o600))
	if status, err := (knocker{door, showing(later, "clearing", time.Hour), trusts}).knock(t, swiss, "STILL"); status != http.StatusAccepted {
		t.Errorf("while the new file cannot be read: %d %v", status, err)
	}
	if said := p.output.String(); !strings.Contains(said, "new files of TLS cannot be used") || !strings.Contains(said, "names=[bank]") &&
		!strings.Contains(said, `"names":["bank"]`) {
		t.Errorf("the log says neither that the file cannot be read nor which name was shown:\n%s", said)
	}
}

// Settings of a door that cannot serve are named at the start.
func TestADoorForClearingThatCannotServeIsNamed(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	certificateFile, keyFile := i.write(t, "gateway", time.Hour)
	good := func() clearingSettings {
		return clearingSettings{
			Transport: "http", SICURL: "https://clearing.invalid", InListen: "127.0.0.1:0", InCertificateFile: certificateFile, InKeyFile: keyFile,
			InCAFile: i.authority(t), SICInName: "clearing",
		}
	}
	for want, spoil := range map[string]func(*clearingSettings){
		"":                                  func(*clearingSettings) {},
		"_IN_LISTEN: say where":             func(c *clearingSettings) { c.InListen = "" },
		"_IN_LISTEN: documents come from":   func(c *clearingSettings) { c.Transport = "amqp" },
		"_IN_CERTIFICATE_FILE: name":        func(c *clearingSettings) { c.InCertificateFile = "" },
		"_IN_KEY_FILE: name":                func(c *clearingSettings) { c.InKeyFile = "" },
		"_IN_CA_FILE: name":                 func(c *clearingSettings) { c.InCAFile = "" },
		"_IN_CA_FILE: " + keyFile + " hold": func(c *clearingSettings) { c.InCAFile = keyFile },
		"_SIC_IN_NAME: give the name":       func(c *clearingSettings) { c.SICInName = "" },
		"_SCT_IN_NAME: give the name":       func(c *clearingSettings) { c.SCTURL = "https://clearing.invalid" },
	} {
		c := good()
		spoil(&c)
		_, err := c.door(slog.New(slog.DiscardHandler))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	c := good()
	d, err := c.door(slog.New(slog.DiscardHandler))
	must(t, err)
	soon := time.Now().Add(time.Minute)
	d.theirs.Store(&soon)
	ends := both{nil, d}.Certificates()[rulebook.SchemeSIC]
	if left := time.Until(ends.Ours); left < 50*time.Minute || left > time.Hour || !ends.Theirs.Equal(soon) {
		t.Errorf("the certificates end %+v", ends)
	}
	var _ clearing.Certified = both{}
}
