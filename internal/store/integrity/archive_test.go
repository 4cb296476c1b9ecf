package integrity_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"countersign/internal/auditlog"
	"countersign/internal/service/servicetest"
	"countersign/internal/store/integrity"
)

// monthNow is the month of the clock, and later is a time by which it is over and the longest retention of the tests too.
func monthNow(h *servicetest.Env) (month string, later time.Time) {
	return h.Clock.Now().Format("2006-01"), h.Clock.Now().AddDate(2, 0, 0)
}

// archived archives the month of the clock.
func archived(t *testing.T, h *servicetest.Env) []byte {
	t.Helper()
	h.Notary.Sweep(ctx)
	s, err := integrity.Open(ctx, h.DB.OwnerURL)
	must(t, err)
	defer s.Close(ctx)
	in := integrity.ArchiveInput{Realm: "demo", Seal: h.Seal, Trusted: publicKeys(t)}
	in.Month, in.Now = monthNow(h)
	var file bytes.Buffer
	_, err = s.Archive(ctx, in, &file)
	must(t, err)
	return file.Bytes()
}

// readArchive verifies an archive, and returns its messages.
func readArchive(t *testing.T, file []byte) (of auditlog.Archive, messages []auditlog.ArchivedMessage, err error) {
	t.Helper()
	of, err = auditlog.ReadArchive(bytes.NewReader(file), publicKeys(t), func(m auditlog.ArchivedMessage) error {
		messages = append(messages, m)
		return nil
	})
	return of, messages, err
}

// repacked changes the lines of an archive and writes number and digest anew, as somebody would who adjusts them.
func repacked(t *testing.T, file []byte, change func(lines []string) []string) []byte {
	t.Helper()
	in, err := gzip.NewReader(bytes.NewReader(file))
	must(t, err)
	text, err := io.ReadAll(in)
	must(t, err)
	lines := strings.SplitAfter(string(text), "\n")
	lines = change(lines[:len(lines)-2])
	digest := sha256.Sum256([]byte(strings.Join(lines, "")))
	lines = append(lines, fmt.Sprintf("end %d %s\n", (len(lines)-1)/3, hex.EncodeToString(digest[:])))
	var packed bytes.Buffer
	out := gzip.NewWriter(&packed)
	_, err = out.Write([]byte(strings.Join(lines, "")))
	must(t, err)
	must(t, out.Close())
	return packed.Bytes()
}

// TestAnArchiveProvesItsMonthAndEveryChangeIsRefused archives messages of every kind that ended, and has both verifiers prove the file and
// refuse it cut, reordered, mixed with another, or edited, also where number and digest of the lines were written anew.
func TestAnArchiveProvesItsMonthAndEveryChangeIsRefused(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	fill(t, h, 4)
	file := archived(t, h)
	of, messages, err := readArchive(t, file)
	must(t, err)
	kinds := map[string]int{}
	for _, m := range messages {
		move := m.Proven.Events[len(m.Proven.Events)-1].Move
		kinds[move.Kind+" "+move.To]++
	}
	waiting := count(t, h, `message WHERE state NOT IN ('Settled', 'Booked', 'Rejected', 'Withdrawn', 'Answered', 'Failed')`)
	t.Logf("%d messages in %d bytes: %v; %d in other states stay", of.Messages, len(file), kinds, waiting)
	for _, kind := range []string{"instruction Settled", "instruction Rejected", "instruction Withdrawn", "payment Booked"} {
		if kinds[kind] == 0 {
			t.Errorf("no %s is archived", kind)
		}
	}
	h.Clock.Add(time.Second)
	settle(t, h, approve(t, h, h.Create(t, h.Person(t, "maker1"), "sic-inst")))
	other := archived(t, h)
	files := map[string][]byte{
		"cut":                 file[:len(file)-9],
		"followed by another": append(bytes.Clone(file), other...),
		"without a line":      repacked(t, file, func(l []string) []string { return append(l[:1:1], l[2:]...) }),
		"reordered":           repacked(t, file, func(l []string) []string { return append(append(l[:1:1], l[4:7]...), append(l[1:4:4], l[7:]...)...) }),
		"a message twice":     repacked(t, file, func(l []string) []string { return append(l[:4:4], l[1:]...) }),
		"mixed": repacked(t, file, func(l []string) []string {
			repacked(t, other, func(o []string) []string { l = append(l, o[len(o)-3:]...); return o })
			return l
		}),
		"of another month": repacked(t, file, func(l []string) []string {
			month, _ := monthNow(h)
			at, err := time.Parse("2006-01", month)
			must(t, err)
			until, err := auditlog.EndOf(at.AddDate(0, -1, 0).Format("2006-01"))
			must(t, err)
			now, err := auditlog.EndOf(month)
			must(t, err)
			l[0] = strings.ReplaceAll(l[0], month, at.AddDate(0, -1, 0).Format("2006-01"))
			l[0] = strings.ReplaceAll(l[0], now.Format(time.RFC3339), until.Format(time.RFC3339))
			return l
		}),
		"empty": repacked(t, file, func(l []string) []string { return l[:1] }),
		"edited": repacked(t, file, func(l []string) []string {
			l[2] = strings.Replace(l[2], `\"action\":\"`, `\"action\":\"x`, 1)
			return l
		}),
		"edited, with the digest of its bundle": repacked(t, file, func(l []string) []string {
			l[2] = strings.Replace(l[2], `\"action\":\"`, `\"action\":\"x`, 1)
			digest := sha256.Sum256([]byte(strings.TrimSuffix(l[2], "\n")))
			l[3] = hex.EncodeToString(digest[:]) + "\n"
			return l
		}),
	}
	asked := [][]byte{file}
	for what, changed := range files {
		_, _, err := readArchive(t, changed)
		if err == nil {
			t.Errorf("%s, and it proves all the same", what)
		}
		asked = append(asked, changed)
	}
	for i, verdict := range otherProgram(t, asked) {
		want := "proven, " + strconv.Itoa(of.Messages) + " messages"
		if strings.HasPrefix(verdict, want) != (i == 0) {
			t.Errorf("file %d: the other program says %s", i, verdict)
		}
	}
	for i := 0; i < len(file); i += 1 + len(file)/300 {
		changed := bytes.Clone(file)
		changed[i] ^= 4
		_, _, err := readArchive(t, changed)
		if err == nil {
			t.Errorf("byte %d of the file flipped, and it proves all the same", i)
		}
	}
}
