package store_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

func TestAnEndedSessionStaysEnded(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	sessions, ctx, at := db.Sessions(t), context.Background(), time.Now()
	for _, step := range []error{
		sessions.CommitCtx(ctx, "t", []byte("first"), at.Add(time.Hour)), sessions.CommitCtx(ctx, "t", []byte("second"), at.Add(time.Hour)),
	} {
		if step != nil {
			t.Fatal(step)
		}
	}
	data, found, err := sessions.FindCtx(ctx, "t")
	if err != nil || !found || string(data) != "second" {
		t.Fatalf("found %q, %v, %v", data, found, err)
	}
	// A request that read the session before its end writes it after.
	err = errors.Join(sessions.DeleteCtx(ctx, "t"), sessions.CommitCtx(ctx, "t", []byte("second"), at.Add(time.Hour)))
	if err != nil {
		t.Fatal(err)
	}
	_, found, err = sessions.FindCtx(ctx, "t")
	if err != nil || found {
		t.Errorf("an ended session is open again: %v", err)
	}
	data, lapsed, err := sessions.LapsedCtx(ctx, "t", at.Add(-time.Hour))
	if err != nil || !lapsed || string(data) != "second" {
		t.Errorf("whose form comes after the end is not known: %q, %v", data, err)
	}
	_, err = db.Owner(t).Exec(ctx, "UPDATE sessions SET expiry = expiry - interval '16 minutes'")
	if err != nil {
		t.Fatal(err)
	}
	_, lapsed, err = sessions.LapsedCtx(ctx, "t", at.Add(-store.LapsedFor))
	if err != nil || lapsed {
		t.Errorf("a session that somebody ended is known for longer than a quarter of an hour: %v", err)
	}
}

func TestASessionThatRanOutIsKnownForAWhile(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	sessions, ctx, at := db.Sessions(t), context.Background(), time.Now()
	err := sessions.CommitCtx(ctx, "t", []byte("data"), at.Add(-time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	_, open, err := sessions.FindCtx(ctx, "t")
	if err != nil || open {
		t.Errorf("a session that ran out is open: %v", err)
	}
	_, lapsed, err := sessions.LapsedCtx(ctx, "t", at.Add(-15*time.Minute))
	if err != nil || !lapsed {
		t.Errorf("a minute after it ran out the session is unknown: %v", err)
	}
	_, lapsed, err = sessions.LapsedCtx(ctx, "t", at.Add(-time.Second))
	if err != nil || lapsed {
		t.Errorf("it is known for longer than asked: %v", err)
	}
	err = sessions.CommitCtx(ctx, "morning", []byte("data"), at.Add(-11*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	_, err = sessions.Clean(ctx, at)
	if err != nil {
		t.Fatal(err)
	}
	_, lapsed, err = sessions.LapsedCtx(ctx, "morning", at.Add(-store.LapsedFor))
	if err != nil || !lapsed {
		t.Errorf("a session that ran out in the morning is unknown in the evening: %v", err)
	}
}

// The service cleans up what is over; the service's login cannot sign everybody out by naming a time far ahead.
func TestNobodyDropsSessionsThatAreOpen(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	sessions, ctx, at := db.Sessions(t), context.Background(), time.Now()
	err := errors.Join(sessions.CommitCtx(ctx, "open", []byte("data"), at.Add(time.Hour)), sessions.CommitCtx(ctx, "over", []byte("data"),
		at.Add(-time.Hour)))
	if err != nil {
		t.Fatal(err)
	}
	var dropped int64
	err = db.ConnectAsApplication(t, "demo").QueryRow(ctx, "SELECT session_drop_expired('infinity', 1000)").Scan(&dropped)
	if err != nil || dropped != 1 {
		t.Errorf("%d sessions dropped, want the one that is over: %v", dropped, err)
	}
	_, open, err := sessions.FindCtx(ctx, "open")
	if err != nil || !open {
		t.Errorf("an open session is gone: %v", err)
	}
}

// A sign-in is noted first, and its session stored with the answer: another sign-in of the same checker can come between the two.
func TestASessionThatIsEndedBeforeItIsStoredNeverOpens(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	sessions, ctx, at := h.DB.Sessions(t), context.Background(), time.Now()
	by := h.Person(t, "checker1")
	start := store.SessionStart{Token: "first", By: by, At: at, EndsAt: at.Add(time.Hour), Alone: true}
	other := start
	other.Token = "second"
	err := errors.Join(sessions.Start(ctx, start), sessions.Start(ctx, other),
		sessions.CommitCtx(ctx, "first", []byte("data"), at.Add(time.Hour)), sessions.CommitCtx(ctx, "second", []byte("data"), at.Add(time.Hour)))
	if err != nil {
		t.Fatal(err)
	}
	for token, want := range map[string]bool{"first": false, "second": true} {
		_, open, err := sessions.FindCtx(ctx, token)
		if err != nil || open != want {
			t.Errorf("the %s session is open: %v, want %v: %v", token, open, want, err)
		}
	}
}

func TestOfManySignInsOfACheckerAtOnceOneSessionStays(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	sessions, ctx, at := h.DB.Sessions(t), context.Background(), time.Now()
	by := h.Person(t, "checker1")
	const tries = 8
	failed := make(chan error, tries)
	for i := range tries {
		go func() {
			token := "session " + strconv.Itoa(i)
			failed <- errors.Join(
				sessions.Start(ctx, store.SessionStart{Token: token, By: by, At: at, EndsAt: at.Add(time.Hour), Alone: true}),
				sessions.CommitCtx(ctx, token, []byte("data"), at.Add(time.Hour)))
		}()
	}
	for range tries {
		err := <-failed
		if err != nil {
			t.Fatal(err)
		}
	}
	open := 0
	for i := range tries {
		_, found, err := sessions.FindCtx(ctx, "session "+strconv.Itoa(i))
		if err != nil {
			t.Fatal(err)
		}
		if found {
			open++
		}
	}
	if open != 1 {
		t.Errorf("%d sessions of the checker are open, want 1", open)
	}
}
