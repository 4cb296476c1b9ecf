package ui_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/static"
	"countersign/views/ui"
)

func TestTimesShowTheirZone(t *testing.T) {
	t.Parallel()
	winter := time.Date(2026, 11, 20, 7, 14, 3, 0, time.UTC)
	summer := time.Date(2026, 7, 1, 22, 30, 0, 0, time.UTC)
	for got, want := range map[string]string{
		ui.DateTime(winter): "20.11.2026 08:14:03 CET", ui.DateTime(summer): "02.07.2026 00:30:00 CEST",
		ui.ClockTime(winter): "08:14:03 CET",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	var buffer bytes.Buffer
	if err := ui.Time(winter).Render(t.Context(), &buffer); err != nil {
		t.Fatal(err)
	}
	want := `<time datetime="2026-11-20T08:14:03+01:00" title="2026-11-20 07:14:03 UTC">20.11.2026 08:14:03 CET</time>`
	if buffer.String() != want {
		t.Errorf("got %s, want %s", buffer.String(), want)
	}
}

func TestAgeIsShort(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 7, 0, 0, 0, time.UTC)
	for age, want := range map[time.Duration]string{
		-time.Second: "< 1 min", 59 * time.Second: "< 1 min", time.Minute: "1 min", 59 * time.Minute: "59 min",
		time.Hour: "1 h", 47 * time.Hour: "47 h", 48 * time.Hour: "2 d",
	} {
		if got := ui.Age(at, at.Add(age)).String(); got != want {
			t.Errorf("Age after %s = %q, want %q", age, got, want)
		}
	}
}

func TestAccountsAreGroupedInFours(t *testing.T) {
	t.Parallel()
	for account, want := range map[string]string{
		"CH5021977000004331346": "CH50 2197 7000 0043 3134 6", "DE62 0076 20110623852957": "DE62 0076 2011 0623 8529 57",
		"": "", "CH50": "CH50",
	} {
		if got := ui.GroupFours(account); got != want {
			t.Errorf("GroupFours(%q) = %q, want %q", account, got, want)
		}
	}
	if got := ui.LastSix("CH5021977000004331346"); got != "331346" {
		t.Errorf("LastSix = %q", got)
	}
}

// A state is shown by icon and words; its icon must be on the sheet.
func TestEveryStateOfTheContractHasItsBadge(t *testing.T) {
	t.Parallel()
	for _, state := range []string{
		"Approval Pending", "Approved", "Processing", "Unconfirmed", "Settled", "Booked", "Failed", "Rejected", "Withdrawn", "Expired",
		"Acknowledged", "Accepted", "Refused", "Overdue", "Communicated", "Awaiting Decision", "Answered",
		"Recall in Progress", "Recalled", "Recall Refused", "Return in Progress", "Returned",
	} {
		var buffer bytes.Buffer
		if err := ui.StateBadge(state).Render(t.Context(), &buffer); err != nil {
			t.Fatal(err)
		}
		markup := buffer.String()
		if strings.Contains(markup, "#i-info") {
			t.Errorf("%q has no badge of its own", state)
		}
		_, after, _ := strings.Cut(markup, `href="#`)
		icon, _, _ := strings.Cut(after, `"`)
		if !strings.Contains(static.Sprite(), `id="`+icon+`"`) {
			t.Errorf("%q uses %q, which is not on the icon sheet", state, icon)
		}
	}
}

func TestUnconfirmedNeverLooksRejected(t *testing.T) {
	t.Parallel()
	var unconfirmed, rejected bytes.Buffer
	if err := ui.StateBadge("Unconfirmed").Render(t.Context(), &unconfirmed); err != nil {
		t.Fatal(err)
	}
	if err := ui.StateBadge("Rejected").Render(t.Context(), &rejected); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(unconfirmed.String(), "badge-bad") || !strings.Contains(rejected.String(), "badge-bad") {
		t.Errorf("unconfirmed %s, rejected %s", unconfirmed.String(), rejected.String())
	}
}

func TestSizesAreReadable(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 3218: "3.2 kB", 262144: "262.1 kB"} {
		if got := ui.ByteSize(size); got != want {
			t.Errorf("ByteSize(%d) = %q, want %q", size, got, want)
		}
	}
}

// Each state has a name of its own in every language; a refused recall is named alike by itself and by its payment.
func TestNoTwoStatesHaveTheSameName(t *testing.T) {
	t.Parallel()
	for _, l := range i18n.Languages() {
		states := map[string]payment.State{}
		for _, state := range payment.States() {
			name := l.Say(ui.StateLabel(state))
			if other, taken := states[name]; taken {
				t.Errorf("%s: %s and %s are both %q", l, state, other, name)
			}
			states[name] = state
		}
	}
}
