package integrity

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"countersign/internal/store"
)

const (
	// lookEvery is the pause between two looks. A row is sealed at most this and a moment after its commit.
	lookEvery = 400 * time.Millisecond
	// elsewherePause is the pause before another look at a tree that another gateway adds to.
	elsewherePause = 20 * time.Millisecond
	// batchWithin limits the time of one batch.
	batchWithin = 10 * time.Second
	// lastWithin limits the last look before the program ends: the next start seals the rest.
	lastWithin = time.Second
	// noteEvery is the pause between two lines of the log that name a realm's checkpoint, so that a copy stands outside the database.
	noteEvery = time.Minute
	// idleEvery is the pause between two looks at the tree of a realm without new rows. Each moves on the transaction up to which the tree
	// has all rows: polls and checks scan the transactions of all realms from there.
	idleEvery = time.Minute
	// rosterEvery is the pause between two looks at the rows of master data.
	rosterEvery = time.Minute
	// maxNamed limits the rows that an alarm names.
	maxNamed = 20
	// atOnce limits the realms sealed at the same time: a realm with many or slow rows delays no other.
	atOnce = 2
)

// SignerConfig holds the dependencies of the signer.
type SignerConfig struct {
	Trees *Trees
	Pages *Trees // the same, by the connections of pages: for what somebody asks for on one
	Marks *store.Marks
	// Reconciled reports whether two administrators reconciled a realm with clearing after a time.
	Reconciled func(ctx context.Context, realm string, after time.Time) (bool, error)
	Now        func() time.Time
	Log        *slog.Logger
}

// SignerStanding is the state of the sealing of all realms together.
type SignerStanding struct {
	// On: there is a key, so that something is sealed.
	On bool
	// Rows counts the sealed rows.
	Rows int64
	// Behind is the age of the oldest unsealed row; 0 when there is none.
	Behind time.Duration
	// Newest is when the newest checkpoint was signed; zero for never since the start.
	Newest time.Time
	// Unverified counts the rows since the start that did not fit their seal, and are in the tree as unverified ones.
	Unverified int
	// Stopped names the realms whose tree is no longer extended, because it differs from the signed one.
	Stopped []string
	// Lost names the realms whose database lacks signed rows: their payments are stopped.
	Lost []string
	// Missing are the Global IDs of known payments of these realms that lost rows, the newest first.
	Missing map[string][]string
}

// late is the delay from which String mentions it: far above the usual one.
const late = 10 * time.Second

// String describes the state.
func (s SignerStanding) String() string {
	switch {
	case !s.On:
		return "not sealed: give a file of keys with COUNTERSIGN_AUDIT_KEY_FILE"
	case len(s.Lost) > 0:
		missing := 0
		for _, payments := range s.Missing {
			missing += len(payments)
		}
		return fmt.Sprintf("payments stopped in %s: the database lacks committed rows, of %d payments known to this gateway, two "+
			"administrators let them go on (After a restore, docs/operations.md)", strings.Join(s.Lost, ", "), missing)
	case len(s.Stopped) > 0:
		return "stopped in " + strings.Join(s.Stopped, ", ") + ": the audit tree differs from the signed one, run countersign check"
	case s.Unverified > 0:
		return fmt.Sprintf("sealed, with %d rows that do not fit their seal: run countersign check", s.Unverified)
	case s.Behind > late:
		return s.Behind.Truncate(time.Second).String() + " behind"
	}
	return "sealed"
}

// Service seals.
type Service struct {
	cfg    SignerConfig
	mu     sync.Mutex
	realms map[string]*realm

	unmarked  string     // why the marks could not be kept, under sweeping
	sweeping  sync.Mutex // one sweep seals at a time: it reads the progress of a realm, and stores it later
	verifying sync.Mutex // held while somebody has a trail verified
}

// realm is the state of a realm since the start of the program.
type realm struct {
	progress Progress
	standing Standing
	unfit    int    // rows since the start that did not fit their seal
	failed   string // what was said of it last
	stopped  bool
	compared bool     // the tree has the checkpoint of the mark
	missing  []string // Global IDs of known messages that lost rows
	// elsewhere: another gateway added to the tree at the last look.
	elsewhere bool
	noted     time.Time
	sealed    time.Time // when the tree was locked to add to it
	rostered  time.Time // when the rows of master data were looked at
	gone      string    // the tables that rows are missing from
}

// New makes the service. The payments of a realm with a mark are stopped until the database was compared with the mark. It fails for a mark
// that no key at hand signed.
func New(cfg SignerConfig) (*Service, error) {
	s := &Service{cfg: cfg, realms: make(map[string]*realm)}
	for name, mark := range cfg.Marks.All() {
		if mark.Checkpoint == "" {
			continue
		}
		checkpoint, err := cfg.Trees.signer.Public().Read(name, mark.Checkpoint)
		if err != nil {
			return nil, fmt.Errorf("the checkpoint of %s in the file of this gateway: %w", name, err)
		}
		s.realms[name] = &realm{progress: Progress{Checkpoint: checkpoint, note: mark.Checkpoint, recent: mark.Recent}}
		cfg.Marks.Stop(name, "the database was not compared with the newest checkpoint yet")
	}
	return s, nil
}

// Compare compares the tree of each realm with the mark, before anything else is done. It waits for a tree that another gateway adds to:
// the payments of its realm would be stopped meanwhile. Watch compares the rest.
func (s *Service) Compare(ctx context.Context) {
	s.sweeping.Lock()
	defer s.sweeping.Unlock()
	limited, cancel := context.WithTimeout(ctx, batchWithin)
	defer cancel()
	s.each(limited, atOnce, func(name string) {
		for s.seal(limited, name); s.known(name).elsewhere && limited.Err() == nil; s.seal(limited, name) {
			time.Sleep(elsewherePause)
		}
	})
	s.mark(ctx)
}

// Watch seals until the context ends, and once more after that, for a second at most. The check of administered rows runs separately,
// because it may take long.
func (s *Service) Watch(ctx context.Context) {
	var both sync.WaitGroup
	both.Go(func() { again(ctx, s.rosters) })
	both.Go(func() { again(ctx, s.seals) })
	both.Wait()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWithin)
	defer cancel()
	s.Sweep(last)
}

// again calls look repeatedly with a pause until the context ends; a call longer than the pause is followed at once.
func again(ctx context.Context, look func(context.Context)) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		look(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Sweep checks the administered data that is due, and seals all rows of every realm once.
func (s *Service) Sweep(ctx context.Context) {
	s.rosters(ctx)
	s.seals(ctx)
}

// rosters checks the administered data of each realm that is due.
func (s *Service) rosters(ctx context.Context) {
	s.each(ctx, 1, func(name string) { s.roster(ctx, name) })
}

// seals seals in every realm all there is.
func (s *Service) seals(ctx context.Context) {
	s.sweeping.Lock()
	defer s.sweeping.Unlock()
	s.each(ctx, atOnce, func(name string) {
		for s.seal(ctx, name) && ctx.Err() == nil {
		}
	})
	s.mark(ctx)
}

// mark stores the newest checkpoint of each realm outside the database. A failure is logged once as long as it stays the same.
func (s *Service) mark(ctx context.Context) {
	err := s.cfg.Marks.Set(func(realms map[string]store.Mark) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for name, known := range s.realms {
			mark := realms[name]
			mark.Checkpoint, mark.Recent = known.progress.note, known.progress.recent
			realms[name] = mark
		}
	})
	failed := ""
	if err != nil {
		failed = err.Error()
	}
	if failed != "" && failed != s.unmarked {
		s.cfg.Log.ErrorContext(ctx, failed, slog.Bool("alarm", true))
	}
	s.unmarked = failed
}

// each does something for every realm, for some at a time.
func (s *Service) each(ctx context.Context, some int, do func(realm string)) {
	names, err := s.cfg.Trees.db.Realms(ctx)
	if err != nil {
		return // of which the store itself tells
	}
	var group errgroup.Group
	group.SetLimit(some)
	for _, name := range names {
		group.Go(func() error { do(name); return nil })
	}
	_ = group.Wait()
}

// roster compares the master data of a realm with its head, and logs differences, once as long as they stay the same. An unreadable row is
// read at the next poll; the store logs its own failures.
func (s *Service) roster(ctx context.Context, name string) {
	known, now := s.known(name), s.cfg.Now()
	s.mu.Lock()
	due := known.rostered.IsZero() || now.Sub(known.rostered).Abs() >= rosterEvery
	s.mu.Unlock()
	if !due {
		return
	}
	limited, cancel := context.WithTimeout(ctx, batchWithin)
	defer cancel()
	rows, err := s.cfg.Trees.db.LookAt(limited, name)
	if err != nil {
		return
	}
	gone := strings.Join(rows, ", ")
	s.mu.Lock()
	said := known.gone
	known.rostered, known.gone = now, gone
	s.mu.Unlock()
	if gone != "" && gone != said {
		s.cfg.Log.ErrorContext(ctx, "the master data of a realm is not as its newest change left it: run countersign check",
			slog.Bool("alarm", true),
			"realm", name, "rows", gone)
	}
}

// seal seals one batch of a realm, and reports whether there is more.
func (s *Service) seal(ctx context.Context, name string) (more bool) {
	limited, cancel := context.WithTimeout(ctx, batchWithin)
	defer cancel()
	known := s.known(name)
	standing, err := s.cfg.Trees.Standing(limited, name)
	looked := err == nil
	next := known.progress
	next.More, next.Added, next.Unverified = false, 0, nil
	now := s.cfg.Now()
	idle := now.Sub(known.sealed).Abs() >= idleEvery
	if err == nil && (standing.Old || !standing.Waits.IsZero() || !known.compared || standing.Size < next.Checkpoint.Size || idle) {
		known.sealed = now
		next, err = s.cfg.Trees.Seal(limited, name, known.progress, now)
		next, err = s.reconcile(limited, name, known, next, err)
		known.compared = err == nil
	}
	if err == nil && next.Added > 0 && !next.More {
		standing.Waits = time.Time{}
	}
	known.elsewhere = errors.Is(err, ErrElsewhere)
	s.note(ctx, name, known, err)
	if err == nil && len(next.Unverified) > 0 {
		s.cfg.Log.ErrorContext(ctx, "rows of the audit trail do not fit their seal and are signed as unverified: run countersign check",
			slog.Bool("alarm", true), "realm", name, "rows", strings.Join(next.Unverified[:min(len(next.Unverified), maxNamed)], ", "))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		known.progress = next
		known.unfit += len(next.Unverified)
	}
	if looked {
		known.standing = standing
	}
	known.standing.Size = max(known.standing.Size, next.Checkpoint.Size)
	return err == nil && next.More
}

// reconcile stops the payments of a realm whose database lacks signed rows. The tree continues from the stored one once two administrators
// have reconciled the realm after that signature.
func (s *Service) reconcile(ctx context.Context, name string, known *realm, next Progress, err error) (Progress, error) {
	lost, is := errors.AsType[*LostError](err)
	s.mu.Lock()
	known.missing = nil
	if is {
		known.missing = lost.Messages
	}
	s.mu.Unlock()
	if !is {
		if err == nil {
			s.cfg.Marks.Stop(name, "")
		}
		return next, err
	}
	s.cfg.Marks.Stop(name, lost.Error())
	done, failed := s.cfg.Reconciled(ctx, name, lost.Seen.At)
	if failed != nil || !done {
		return next, err
	}
	s.cfg.Log.WarnContext(ctx, "two administrators reconciled the realm with clearing: its payments go on", "realm", name,
		"lost", lost.Error())
	return Progress{More: true}, nil
}

func (s *Service) known(name string) *realm {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.realms[name] == nil {
		s.realms[name] = &realm{}
	}
	return s.realms[name]
}

// note logs a failure once as long as it stays the same, and the newest checkpoint once a minute.
func (s *Service) note(ctx context.Context, name string, known *realm, err error) {
	now := s.cfg.Now()
	s.mu.Lock()
	said, checkpoint := known.failed, known.progress.Checkpoint
	known.stopped = errors.Is(err, ErrTreeChanged)
	due := err == nil && checkpoint.Size > 0 && now.Sub(known.noted).Abs() >= noteEvery
	if due {
		known.noted = now
	}
	switch {
	case err == nil:
		known.failed = ""
	case !errors.Is(err, ErrElsewhere) && ctx.Err() == nil:
		known.failed = err.Error()
	}
	failed := known.failed
	s.mu.Unlock()
	_, lost := errors.AsType[*LostError](err)
	switch {
	case failed != "" && failed != said && lost:
		s.cfg.Log.ErrorContext(ctx, "the database lacks committed rows: the payments of the realm are stopped until two "+
			"administrators have reconciled it with clearing, see \"After a restore\" in docs/operations.md",
			slog.Bool("alarm", true), "realm", name, "error", failed)
	case failed != "" && failed != said && errors.Is(err, ErrTreeChanged):
		s.cfg.Log.ErrorContext(ctx, "the audit trail is not sealed any more: run countersign check", slog.Bool("alarm", true), "realm", name,
			"error", failed)
	case failed != "" && failed != said:
		s.cfg.Log.WarnContext(ctx, "seal the audit trail", "realm", name, "error", failed)
	case due:
		s.cfg.Log.InfoContext(ctx, "checkpoint of the audit trail", "realm", name, "size", checkpoint.Size, "root", checkpoint.Root.String())
	}
}

// Standing returns the state of the sealing.
func (s *Service) Standing() SignerStanding {
	now := s.cfg.Now()
	all := SignerStanding{On: true, Lost: slices.Sorted(maps.Keys(s.cfg.Marks.Stopped())), Missing: map[string][]string{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, known := range s.realms {
		all.Rows += known.standing.Size
		all.Unverified += known.unfit
		if waits := known.standing.Waits; !waits.IsZero() {
			all.Behind = max(all.Behind, now.Sub(waits))
		}
		if at := known.progress.Checkpoint.At; at.After(all.Newest) {
			all.Newest = at
		}
		if len(known.missing) > 0 {
			all.Missing[name] = known.missing
		}
		if known.stopped {
			all.Stopped = append(all.Stopped, name)
		}
	}
	slices.Sort(all.Stopped)
	return all
}

// verifyWithin limits a verification started from a page; countersign check has no limit.
const verifyWithin = 10 * time.Second

// ErrVerifying reports that the trail is being verified for somebody else.
var ErrVerifying = errors.New("the trail is being verified already")

// Verify compares the trail of a realm with its sealed tree, for ten seconds at most; one call at a time in this program. Error:
// ErrVerifying.
func (s *Service) Verify(ctx context.Context, realm string) (Verification, error) {
	if !s.verifying.TryLock() {
		return Verification{}, ErrVerifying
	}
	defer s.verifying.Unlock()
	limited, cancel := context.WithTimeout(ctx, verifyWithin)
	defer cancel()
	return s.cfg.Pages.Verify(limited, realm)
}
