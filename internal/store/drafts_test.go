package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// draftBench is a database with the demo's people.
func draftBench(t *testing.T) (*storetest.DB, *store.Drafts, func(realm, name string) identity.Principal) {
	t.Helper()
	db := servicetest.Demo(t)
	conn := db.Connect(t)
	return db, store.NewDrafts(db.Database), func(realm, name string) identity.Principal {
		p := identity.Principal{Realm: realm, UserName: name}
		err := conn.QueryRow(context.Background(), "SELECT user_id, person_id FROM user_account WHERE realm = $1 AND name = $2", realm, name).
			Scan(&p.UserID, &p.PersonID)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

func TestADraftIsItsOwnersForADay(t *testing.T) {
	t.Parallel()
	_, drafts, person := draftBench(t)
	ctx, at := context.Background(), time.Now().UTC().Truncate(time.Microsecond)
	owner := person("demo", "maker1")
	draft := store.Draft{
		ID: uuid.Must(uuid.NewV7()), Scheme: rulebook.SchemeSIC, Answers: []byte(`{"a":1}`), SavedAt: at, ExpiresAt: at.Add(24 * time.Hour),
	}
	err := drafts.Add(ctx, owner, draft)
	if err != nil {
		t.Fatal(err)
	}
	found, err := drafts.Get(ctx, owner, draft.ID, at)
	if err != nil || string(found.Answers) != `{"a":1}` || !found.SavedAt.Equal(at) || found.MessageID != uuid.Nil {
		t.Fatalf("found %+v, %v", found, err)
	}
	for name, other := range map[string]identity.Principal{
		"another maker": person("demo", "maker2"), "another realm": person("demo2", "maker1"),
		"the same user in another realm": {Realm: "demo2", UserID: owner.UserID},
	} {
		_, err := drafts.Get(ctx, other, draft.ID, at)
		if !errors.Is(err, payment.ErrNotFound) {
			t.Errorf("%s gets %v", name, err)
		}
		err = drafts.Save(ctx, other, draft)
		if !errors.Is(err, payment.ErrNotFound) {
			t.Errorf("%s saves: %v", name, err)
		}
	}
	_, err = drafts.Get(ctx, owner, draft.ID, at.Add(24*time.Hour))
	if !errors.Is(err, payment.ErrNotFound) {
		t.Errorf("after its day: %v", err)
	}
}

// TestADraftIsWrittenOverOnlyByWhoSawIt: by the page that wrote it last, by one that showed it as it is, and by one that says nothing of
// both.
func TestADraftIsWrittenOverOnlyByWhoSawIt(t *testing.T) {
	t.Parallel()
	_, drafts, person := draftBench(t)
	ctx, at := context.Background(), time.Now().UTC().Truncate(time.Microsecond)
	owner, window, other := person("demo", "maker1"), uuid.New(), uuid.New()
	kept := store.Draft{
		ID: uuid.Must(uuid.NewV7()), Scheme: rulebook.SchemeSIC, Answers: []byte("1"), SavedAt: at, FormKey: window,
		ExpiresAt: at.Add(time.Hour),
	}
	err := drafts.Add(ctx, owner, kept)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		key  uuid.UUID
		seen time.Time
		want error
	}{
		{other, at.Add(-time.Second), payment.ErrNotFound},
		{window, time.Time{}, nil},
		{other, at, payment.ErrNotFound},
		{other, at.Add(2 * time.Second), nil},
		{window, at.Add(2 * time.Second), payment.ErrNotFound},
		{uuid.Nil, time.Time{}, nil},
	} {
		kept.SavedAt, kept.FormKey, kept.Seen = kept.SavedAt.Add(time.Second), step.key, step.seen
		err := drafts.Save(ctx, owner, kept)
		if !errors.Is(err, step.want) {
			t.Errorf("saved by %s that saw it of %s: %v, want %v", step.key, step.seen, err, step.want)
		}
	}
}

func TestASubmittedDraftIsNotChanged(t *testing.T) {
	t.Parallel()
	_, drafts, person := draftBench(t)
	ctx, at := context.Background(), time.Now().UTC().Truncate(time.Microsecond)
	owner, message := person("demo", "maker1"), uuid.Must(uuid.NewV7())
	draft := store.Draft{ID: uuid.Must(uuid.NewV7()), Scheme: rulebook.SchemeSIC, SavedAt: at, ExpiresAt: at.Add(time.Hour)}
	for _, step := range []error{
		drafts.Add(ctx, owner, draft), drafts.Save(ctx, owner, draft), drafts.Submitted(ctx, owner, draft, message),
		drafts.Submitted(ctx, owner, draft, uuid.Must(uuid.NewV7())), // the first note stays
	} {
		if step != nil {
			t.Fatal(step)
		}
	}
	draft.Answers = []byte("changed")
	err := drafts.Save(ctx, owner, draft)
	if !errors.Is(err, payment.ErrNotFound) {
		t.Errorf("saved after its submission: %v", err)
	}
	found, err := drafts.Get(ctx, owner, draft.ID, at)
	if err != nil || found.MessageID != message || len(found.Answers) != 0 {
		t.Errorf("found %+v, %v", found, err)
	}
}

func TestTheServiceCannotGiveADraftToSomebodyElse(t *testing.T) {
	t.Parallel()
	db, _, _ := draftBench(t)
	conn := db.ConnectAsApplication(t, "demo")
	for _, column := range []string{"user_id", "draft_id", "amends", "file", "expires_at"} {
		_, err := conn.Exec(context.Background(), "UPDATE draft SET "+column+" = NULL")
		if err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("changing %s: %v", column, err)
		}
	}
}

func TestWhatIsOverIsDropped(t *testing.T) {
	t.Parallel()
	db, drafts, person := draftBench(t)
	ctx, at := context.Background(), time.Now().UTC().Truncate(time.Microsecond)
	for i, owner := range []identity.Principal{person("demo", "maker1"), person("demo2", "maker1")} {
		for hours := range 2 {
			err := drafts.Add(ctx, owner, store.Draft{
				ID: uuid.Must(uuid.NewV7()), Scheme: rulebook.SchemeSIC, SavedAt: at, ExpiresAt: at.Add(time.Duration(1+hours*3) * time.Hour),
			})
			if err != nil {
				t.Fatal(i, err)
			}
		}
	}
	sessions := db.Sessions(t)
	for token, life := range map[string]time.Duration{"short": -13 * time.Hour, "long": 4 * time.Hour} {
		err := sessions.CommitCtx(ctx, token, []byte("x"), at.Add(life))
		if err != nil {
			t.Fatal(err)
		}
	}
	dropped, err := drafts.Clean(ctx, at.Add(2*time.Hour))
	ended, endErr := sessions.Clean(ctx, at.Add(2*time.Hour))
	dropped, err = dropped+ended, errors.Join(err, endErr)
	if err != nil || dropped != 3 {
		t.Fatalf("%d rows dropped, want 3: %v", dropped, err)
	}
	_, kept, err := sessions.FindCtx(ctx, "long")
	if err != nil || !kept {
		t.Errorf("a session that lasts is gone: %v", err)
	}
}
