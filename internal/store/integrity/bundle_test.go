package integrity_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/payee"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store/integrity"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

// publicKeys are those of the tests' audit keys.
func publicKeys(t *testing.T) auditlog.PublicKeys {
	t.Helper()
	signer, err := auditlog.NewSigner(storetest.AuditKeys(t))
	must(t, err)
	return signer.Public()
}

// bundled settles a payment and bundles it as a file, among others so that proofs have a length.
func bundled(t *testing.T, h *servicetest.Env) []byte {
	t.Helper()
	for range 3 {
		h.Create(t, h.Person(t, "maker2"), rulebook.SchemeSIC)
	}
	return bundleOf(t, h, settle(t, h, approve(t, h, h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC))))
}

// bundleOf bundles a message as a file.
func bundleOf(t *testing.T, h *servicetest.Env, m payment.Message) []byte {
	t.Helper()
	h.Notary.Sweep(ctx)
	s, err := integrity.Open(ctx, h.DB.OwnerURL)
	must(t, err)
	defer s.Close(ctx)
	bundle, err := s.Bundle(ctx, h.Seal, m.Realm, m.InternalID)
	must(t, err)
	bundle.PublicKey = publicKeys(t)[0].Line(m.Realm)
	file, err := bundle.Encode()
	must(t, err)
	return file
}

// proves reports what the file proves, to somebody who trusts the tests' key.
func proves(t *testing.T, file []byte) (auditlog.Proven, error) {
	t.Helper()
	bundle, err := auditlog.ParseBundle(file)
	if err != nil {
		return auditlog.Proven{}, err
	}
	return bundle.Verify(publicKeys(t))
}

// TestABundleProvesAPaymentAndEveryFlippedByteIsFound proves a payment without its database, by two programs. One flipped bit of any byte
// is found by this one; of bits flipped by somebody who adjusts the digest of the file, both find each.
func TestABundleProvesAPaymentAndEveryFlippedByteIsFound(t *testing.T) {
	t.Parallel()
	file := bundled(t, servicetest.New(t))
	proven, err := proves(t, file)
	must(t, err)
	var approved, sent, received bool
	for _, event := range proven.Events {
		approved = approved || event.Decision != nil && event.Decision.GrantID != "" && event.ActorName != ""
	}
	for _, document := range proven.Documents {
		sent = sent || document.Name == "pacs.008.001.08"
		received = received || strings.HasPrefix(document.Name, "pacs.002")
	}
	if !approved || !sent || !received {
		t.Errorf("approved %t, sent %t, received %t", approved, sent, received)
	}
	if proven.Unshown != 0 || len(proven.Rights) != 2 {
		t.Errorf("%d rights are shown and %d not: %+v", len(proven.Rights), proven.Unshown, proven.Rights)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range file {
		changed := bytes.Clone(file)
		changed[i] ^= 1 << random.IntN(8)
		_, err := proves(t, changed)
		if err == nil {
			t.Errorf("byte %d (%q) flipped, and it proves all the same", i, file[i])
		}
	}
	var forged [][]byte
	line := bytes.IndexByte(file, '\n')
	for i := random.IntN(7); i < line; i += 1 + random.IntN(14) {
		changed := bytes.Clone(file[:line])
		changed[i] ^= 1 << random.IntN(8)
		changed = redigested(changed)
		_, err := proves(t, changed)
		if err == nil {
			t.Errorf("byte %d (%q) flipped and the digest adjusted, and it proves all the same", i, file[i])
		}
		if len(forged) < 400 {
			forged = append(forged, changed)
		}
	}
	t.Logf("%d bytes flipped; %d with the digest adjusted by both programs", len(file), len(forged))
	for i, verdict := range otherProgram(t, append(forged, file)) {
		if (verdict == "proven, 2 of 2 rights shown") != (i == len(forged)) {
			t.Errorf("file %d of %d: the other program says %s", i, len(forged), verdict)
		}
	}
}

func redigested(line []byte) []byte {
	digest := sha256.Sum256(line)
	return append(append(bytes.Clone(line), '\n'), hex.EncodeToString(digest[:])+"\n"...)
}

// otherProgram asks the verifier in Python, with data keys by their payments or without, and returns its verdict of each file.
func otherProgram(t *testing.T, files [][]byte, keys ...map[string]string) []string {
	t.Helper()
	python := testutil.Program(t, "python3", "make python; it runs the second verifier")
	folder := t.TempDir()
	arguments := []string{
		filepath.Join("..", "..", "..", "tools", "verify_bundle.py"), "--key", base64.StdEncoding.EncodeToString(publicKeys(t)[0].Key),
	}
	for _, some := range keys {
		arguments = append(arguments, "--data-keys", dataKeyFile(t, some))
	}
	for i, file := range files {
		name := filepath.Join(folder, strconv.Itoa(i))
		must(t, os.WriteFile(name, file, 0o600))
		arguments = append(arguments, name)
	}
	command := exec.CommandContext(t.Context(), python, arguments...)
	var said, failed strings.Builder
	command.Stdout, command.Stderr = &said, &failed
	_ = command.Run() // ends with 1 for what is refused
	verdicts := strings.Split(strings.TrimSpace(said.String()), "\n")
	if len(verdicts) != len(files) {
		t.Fatalf("%d verdicts on %d files: %s", len(verdicts), len(files), failed.String())
	}
	return verdicts
}

// What is left out of a bundle, or taken from another, is found by both programs.
func TestABundleThatTellsHalfIsRefused(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	first, second := bundled(t, h), bundled(t, h)
	one, err := auditlog.ParseBundle(first)
	must(t, err)
	other, err := auditlog.ParseBundle(second)
	must(t, err)
	var files [][]byte
	for name, change := range map[string]func(*auditlog.Bundle){
		"first row left out":      func(b *auditlog.Bundle) { b.Rows = b.Rows[1:] },
		"a content left out":      func(b *auditlog.Bundle) { b.Contents = b.Contents[1:] },
		"a content twice":         func(b *auditlog.Bundle) { b.Contents = append(b.Contents, b.Contents[0]) },
		"no rows":                 func(b *auditlog.Bundle) { b.Rows, b.Contents = []auditlog.Row{}, []auditlog.Content{} },
		"rows of another message": func(b *auditlog.Bundle) { b.Rows = other.Rows },
		"contents of another":     func(b *auditlog.Bundle) { b.Contents = other.Contents },
		"an older checkpoint": func(b *auditlog.Bundle) {
			b.Rows, b.Contents, b.MessageID = other.Rows, other.Contents, other.MessageID
		},
		"rows in another order":      func(b *auditlog.Bundle) { b.Rows[0], b.Rows[1] = b.Rows[1], b.Rows[0] },
		"another message in its top": func(b *auditlog.Bundle) { b.MessageID = other.MessageID },
		"another realm in its top":   func(b *auditlog.Bundle) { b.Realm = "demo2" },
		"its signature twice": func(b *auditlog.Bundle) {
			b.Checkpoint += b.Checkpoint[strings.LastIndex(b.Checkpoint, "\n— ")+1:]
		},
	} {
		b := one
		b.Rows, b.Contents = append([]auditlog.Row(nil), one.Rows...), append([]auditlog.Content(nil), one.Contents...)
		change(&b)
		file, err := b.Encode()
		must(t, err)
		_, err = proves(t, file)
		if err == nil {
			t.Errorf("%s: it proves all the same", name)
		}
		files = append(files, file)
	}
	one.Rights = nil
	bare, err := one.Encode()
	must(t, err)
	if _, err = proves(t, bare); err == nil {
		t.Error("rights that are null prove all the same")
	}
	for i, verdict := range otherProgram(t, append(files, bare)) {
		if strings.HasPrefix(verdict, "proven") {
			t.Errorf("file %d: the other program takes it", i)
		}
	}
}

// confirming is a bank of the payee that finds the name nearly right.
type confirming struct{}

func (confirming) Verify(context.Context, payee.Question) (payee.Answer, error) {
	return payee.Answer{Result: payee.CloseMatch, MatchedName: "Nearly That Name"}, nil
}

// A maker whose role two administrators gave, a checker whose role the operator gave, and what was found about the payee, are in the
// bundle. A change of which something is left out, or that one person asked for and approved, proves nothing, and both programs say so.
func TestABundleTellsWhoGaveTheRightsAndWhatWasFoundAboutThePayee(t *testing.T) {
	t.Parallel()
	h := servicetest.With(t, servicetest.Options{Payee: confirming{}})
	asked, err := h.Admin.Request(ctx, h.Person(t, "admin1"), service.RequestInput{
		Kind: administration.KindUserRoles, Subject: "checker2", Values: administration.Values{"roles": "checker, maker"},
	})
	must(t, err)
	_, err = h.Admin.Decide(ctx, h.Person(t, "admin2"), service.DecideInput{ChangeID: asked.Change.ID, Approve: true})
	must(t, err)
	h.Clock.Add(time.Second)
	file := bundleOf(t, h, approve(t, h, h.Create(t, h.Person(t, "checker2"), rulebook.SchemeSCT)))
	proven, err := proves(t, file)
	must(t, err)
	if proven.Unshown != 0 || len(proven.Rights) != 2 {
		t.Fatalf("%d rights are shown and %d not: %+v", len(proven.Rights), proven.Unshown, proven.Rights)
	}
	made, decided := proven.Rights[0], proven.Rights[1]
	if made.Account != "checker2" || made.Role != "maker" || made.Change != asked.Change.ID.String() || made.Requester != "Admin 1" ||
		made.Decider != "Admin 2" || decided.Account != "checker1" || decided.Role != "checker" || decided.Change != "" {
		t.Errorf("the maker's %+v and the checker's %+v", made, decided)
	}
	if found := proven.Payees[1]; found.Result != "CMTC" || found.Name != "Nearly That Name" {
		t.Errorf("about the payee stands %+v", proven.Payees)
	}
	whole, err := auditlog.ParseBundle(file)
	must(t, err)
	if len(whole.Rights) < 4 || len(whole.Changes) != 1 || !bytes.Contains(whole.Changes[0].Content, []byte(`"checker, maker"`)) {
		t.Fatalf("%d rows of rights, changes %+v", len(whole.Rights), whole.Changes)
	}
	files := [][]byte{file}
	for name, change := range map[string]func(*auditlog.Bundle){
		"a change without its content": func(b *auditlog.Bundle) { b.Changes = nil },
		"another content":              func(b *auditlog.Bundle) { b.Changes[0].Content = append(b.Changes[0].Content, ' ') },
		"another change":               func(b *auditlog.Bundle) { b.Changes[0].ChangeID = b.MessageID },
		"a row left out":               func(b *auditlog.Bundle) { b.Rights = without(b.Rights, "change.request") },
		"the approval left out":        func(b *auditlog.Bundle) { b.Rights = without(b.Rights, "change.approve") },
		"a row of the message":         func(b *auditlog.Bundle) { b.Rights = append(b.Rights, b.Rows[len(b.Rows)-1]) },
		"a right among the moves":      func(b *auditlog.Bundle) { b.Rows = append(b.Rows, b.Rights[len(b.Rights)-1]) },
		"grants in another order":      func(b *auditlog.Bundle) { slices.Reverse(b.Grants) },
		"a grant of another head":      func(b *auditlog.Bundle) { b.Grants[0].Head++ },
		"a grant that ended":           func(b *auditlog.Bundle) { b.Grants[0].Record = append(b.Grants[0].Record, 1) },
	} {
		b, err := auditlog.ParseBundle(file)
		must(t, err)
		change(&b)
		changed, err := b.Encode()
		must(t, err)
		_, err = proves(t, changed)
		if err == nil {
			t.Errorf("%s: it proves all the same", name)
		}
		files = append(files, changed)
	}
	for name, edit := range map[string][2]string{
		"another format": {"bundle 1", "bundle 2"}, "an unknown member of a change": {`"changes":[{`, `"changes":[{"another":"x",`},
		"an unknown member of a row": {`"rows":[{`, `"rows":[{"another":"x",`}, "an unknown member of a right": {`"rights":[{`, `"rights":[{"another":"x",`},
	} {
		changed := redigested(bytes.Replace(file[:bytes.IndexByte(file, '\n')], []byte(edit[0]), []byte(edit[1]), 1))
		_, err = proves(t, changed)
		if err == nil {
			t.Errorf("%s: it proves all the same", name)
		}
		files = append(files, changed)
	}
	for i, verdict := range otherProgram(t, files) {
		if (verdict == "proven, 2 of 2 rights shown") != (i == 0) {
			t.Errorf("file %d: the other program says %s", i, verdict)
		}
	}
	whole.Rights, whole.Changes = []auditlog.Row{}, []auditlog.ChangeContent{}
	silent, err := whole.Encode()
	must(t, err)
	proven, err = proves(t, silent)
	if err != nil || proven.Unshown != 2 || len(proven.Rights) != 0 || otherProgram(t, [][]byte{silent})[0] != "proven, 0 of 2 rights shown" {
		t.Errorf("without rights: %d unshown, %v", proven.Unshown, err)
	}
}

// A payment that somebody amended after its first maker lost the role is shown with the right of each: the first maker had theirs when they
// wrote the first version, and wrote none after.
func TestTheRightOfAMakerIsThatOfWhenTheyWrote(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	h.Clock.Add(time.Second)
	asked, err := h.Admin.Request(ctx, h.Person(t, "admin1"), service.RequestInput{
		Kind: administration.KindUserRoles, Subject: "maker1", Values: administration.Values{"roles": "checker"},
	})
	must(t, err)
	_, err = h.Admin.Decide(ctx, h.Person(t, "admin2"), service.DecideInput{ChangeID: asked.Change.ID, Approve: true})
	must(t, err)
	h.Clock.Add(time.Second)
	m, err = h.Submission.Amend(ctx, h.Person(t, "maker2"), m.InternalID, h.Order(rulebook.SchemeSIC))
	must(t, err)
	m, err = h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID, ContentHash: &m.ContentHash})
	must(t, err)
	file := bundleOf(t, h, m)
	proven, err := proves(t, file)
	must(t, err)
	if proven.Unshown != 0 || len(proven.Rights) != 3 {
		t.Errorf("%d rights are shown and %d not: %+v", len(proven.Rights), proven.Unshown, proven.Rights)
	}
	if verdict := otherProgram(t, [][]byte{file})[0]; verdict != "proven, 3 of 3 rights shown" {
		t.Errorf("the other program says %s", verdict)
	}
}

// without leaves out rows that tell of an event.
func without(rows []auditlog.Row, event string) []auditlog.Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r auditlog.Row) bool { return strings.Contains(r.Leaf, event) })
}

// A database put back to an older state fits itself; a checkpoint that was kept elsewhere does not.
func TestADatabasePutBackIsFoundByAnEarlierCheckpoint(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	conn := h.DB.Connect(t)
	maker := h.Person(t, "maker1")
	h.Create(t, maker, rulebook.SchemeSIC)
	h.Notary.Sweep(ctx)
	_, err := conn.Exec(ctx, "CREATE TEMP TABLE saved AS SELECT * FROM audit_tree WHERE realm = 'demo'")
	must(t, err)
	m := h.Create(t, maker, rulebook.SchemeSIC)
	h.Notary.Sweep(ctx)
	s, err := integrity.Open(ctx, h.DB.OwnerURL)
	must(t, err)
	defer s.Close(ctx)
	kept, err := s.Checkpoints(ctx)
	must(t, err)
	earlier := auditlog.SplitCheckpoints(strings.Join(kept, "\n"))
	check := func(earlier []string) int {
		report, err := integrity.CheckTrail(ctx, integrity.Config{
			DatabaseURL: h.DB.OwnerURL, AuditPublic: publicKeys(t), Earlier: earlier, Now: h.Clock.Now(),
		})
		must(t, err)
		return report.Broken()
	}
	if check(earlier) != 0 || len(earlier) != 2 { // one for each realm
		t.Errorf("before: %d broken by %d earlier checkpoints", check(earlier), len(earlier))
	}
	for _, statement := range []string{
		"SET session_replication_role = replica",
		"DELETE FROM audit_leaf WHERE realm = 'demo' AND leaf_index >= (SELECT size FROM saved)",
		"DELETE FROM audit_checkpoint WHERE realm = 'demo' AND size > (SELECT size FROM saved)",
		"UPDATE audit_tree t SET size = s.size, edge = s.edge FROM saved s WHERE t.realm = s.realm",
		"DELETE FROM audit_event WHERE message_id = '" + m.InternalID.String() + "'",
		"DELETE FROM document WHERE message_id = '" + m.InternalID.String() + "'",
	} {
		_, err = conn.Exec(ctx, statement)
		must(t, err)
	}
	if check(nil) != 0 {
		t.Error("the older state does not fit itself")
	}
	if check(earlier) != 1 {
		t.Error("a checkpoint kept elsewhere does not tell")
	}
}
