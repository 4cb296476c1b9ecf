package service

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store"
)

// Notices sends people e-mails about messages that wait for them. The dispatcher scans the database for occasions and sends due notices:
// each once, except that a crash between the server's acceptance and the commit sends the e-mail again under the same Message-ID.
type Notices struct {
	cfg NoticesConfig

	mu      sync.Mutex
	scanned map[string]time.Time // by realm
}

// NoticesConfig holds the dependencies of the service.
type NoticesConfig struct {
	Store  *store.Notices
	Reader *store.Reader
	Mail   *MailConfig // nil sends none
	Now    func() time.Time
	NewID  func() uuid.UUID
	Zone   *time.Location
}

// NewNotices makes the service.
func NewNotices(cfg NoticesConfig) *Notices {
	return &Notices{cfg: cfg, scanned: map[string]time.Time{}}
}

// The ways in which notices are sent.
const (
	NoticeAtOnce = "at once"
	NoticeHourly = "hourly"
	NoticeDaily  = "daily"
	NoticeNone   = "none"
)

// NoticeDeliveries lists the choices of delivery.
func NoticeDeliveries() []string {
	return []string{NoticeAtOnce, NoticeHourly, NoticeDaily, NoticeNone}
}

// NoticeWaits are the times, in minutes, after which a payment that waits makes a notice.
func NoticeWaits() []int { return []int{10, 30, 60, 240} }

// NoticeKind describes a kind of notices.
type NoticeKind struct {
	Default store.NoticeChoice
	Label   i18n.Text // in the settings of a person
	// One is the sentence about one message by its Global ID, Many that about a number of them; Path lists those.
	One, Many i18n.Text
	Path      string
	Roles     []identity.Role // that get it
	// While are the states of the message in which the notice is of use; nil for all.
	While []payment.State
}

// noticeKinds are in the order of the settings and of an e-mail.
var noticeKinds = []NoticeKind{
	{
		Default: store.NoticeChoice{Kind: "waiting", Delivery: NoticeHourly, Minutes: 30}, Label: "A payment is waiting for your approval",
		One: "Payment %s is waiting for approval.", Many: "%d payments are waiting for approval.", Path: "/queue",
		Roles: []identity.Role{identity.RoleChecker}, While: []payment.State{payment.StateApprovalPending},
	},
	{
		Default: store.NoticeChoice{Kind: "question", Delivery: NoticeAtOnce}, Label: "A checker has a question about your payment",
		One: "A checker has a question about payment %s.", Many: "Checkers have questions about %d payments.", Path: "/mine",
		Roles: []identity.Role{identity.RoleMaker}, While: []payment.State{payment.StateQuestion},
	},
	{
		Default: store.NoticeChoice{Kind: "answer", Delivery: NoticeAtOnce}, Label: "Your question has been answered",
		One: "The question about payment %s has been answered.", Many: "The questions about %d payments have been answered.", Path: "/queue",
		Roles: []identity.Role{identity.RoleChecker},
	},
	{
		Default: store.NoticeChoice{Kind: "rejected", Delivery: NoticeAtOnce}, Label: "Your payment was rejected",
		One: "Payment %s was rejected.", Many: "%d payments were rejected.", Path: "/mine",
		Roles: []identity.Role{identity.RoleMaker},
	},
	{
		Default: store.NoticeChoice{Kind: "expiring", Delivery: NoticeAtOnce}, Label: "A payment will expire soon unless it is approved",
		One: "Payment %s will expire soon unless it is approved.", Many: "%d payments will expire soon unless they are approved.", Path: "/queue",
		Roles: []identity.Role{identity.RoleMaker, identity.RoleChecker},
		While: []payment.State{payment.StateApprovalPending, payment.StateQuestion},
	},
	{
		Default: store.NoticeChoice{Kind: "recall", Delivery: NoticeDaily}, Label: "A recall must be answered within three days",
		One: "Recall %s must be answered within three days.", Many: "%d recalls must be answered within three days.",
		Path: "/recalls", Roles: []identity.Role{identity.RoleMaker}, While: []payment.State{payment.StateAwaitingDecision},
	},
}

// goesTo reports whether people with the roles of a principal get notices of the kind.
func (k NoticeKind) goesTo(by identity.Principal) bool { return slices.ContainsFunc(k.Roles, by.Has) }

// NoticeSetting is a kind of notices with its delivery to a person.
type NoticeSetting struct {
	NoticeKind
	store.NoticeChoice
}

// Settings lists the kinds of notices that a person can get, and the address; "" for none.
func (s *Notices) Settings(ctx context.Context, by identity.Principal) (list []NoticeSetting, address string, err error) {
	if s.cfg.Mail == nil {
		return nil, "", nil
	}
	chosen, err := s.cfg.Store.Choices(ctx, by.Realm, by.UserID)
	if err != nil {
		return nil, "", err
	}
	for _, kind := range noticeKinds {
		if kind.goesTo(by) {
			list = append(list, NoticeSetting{NoticeKind: kind, NoticeChoice: choiceOf(kind, chosen)})
		}
	}
	to, err := s.cfg.Store.Recipient(ctx, by.Realm, by.UserID)
	if errors.Is(err, store.ErrUnknownUser) {
		err = nil
	}
	return list, to.Email, err
}

// Silent reports whether a person gets no notices because no SMTP server is set.
func (s *Notices) Silent(by identity.Principal) bool {
	return s.cfg.Mail == nil && slices.ContainsFunc(noticeKinds, func(kind NoticeKind) bool { return kind.goesTo(by) })
}

func choiceOf(kind NoticeKind, chosen []store.NoticeChoice) store.NoticeChoice {
	for _, c := range chosen {
		if c.Kind == kind.Default.Kind {
			return c
		}
	}
	return kind.Default
}

// ErrNoticeChoice reports a choice that is not offered.
var ErrNoticeChoice = errors.New("choose how notices are sent from the list")

// Choose stores how a person gets notices. Error: ErrNoticeChoice.
func (s *Notices) Choose(ctx context.Context, by identity.Principal, choices []store.NoticeChoice) error {
	for _, c := range choices {
		known := slices.ContainsFunc(noticeKinds, func(k NoticeKind) bool { return k.Default.Kind == c.Kind && k.goesTo(by) })
		waits := c.Minutes == 0 || c.Kind == noticeKinds[0].Default.Kind && slices.Contains(NoticeWaits(), c.Minutes)
		if !known || !waits || !slices.Contains(NoticeDeliveries(), c.Delivery) {
			return ErrNoticeChoice
		}
	}
	return s.cfg.Store.Choose(ctx, by, choices)
}

const (
	noticeWorkers = 2
	// noticeScanEvery is the pause between two scans of a realm; the first scan of a process looks back noticeFirst, later ones noticeBack.
	noticeScanEvery         = 15 * time.Second
	noticeFirst, noticeBack = 24 * time.Hour, time.Hour
	// noticeAsked is the longest time between a question and an answer that makes a notice.
	noticeAsked = 14 * 24 * time.Hour
	// mailHold is the time for which a process reserves an e-mail: longer than an attempt.
	mailHold = time.Minute
	// maxMailAttempts ends the attempts, with their pauses after about a day.
	maxMailAttempts               = 30
	firstMailPause, lastMailPause = time.Minute, time.Hour
	// mailHour is the hour of daily e-mails.
	mailHour = 7
)

// todo scans a realm for notices from time to time, and lists the users with notices to send.
func (s *Notices) todo(ctx context.Context, realm string, held []uuid.UUID, most int32) ([]uuid.UUID, error) {
	now := s.cfg.Now()
	if since, due := s.turn(realm, now); due {
		local := now.In(s.cfg.Zone)
		day := time.Date(local.Year(), local.Month(), local.Day(), mailHour, 0, 0, 0, s.cfg.Zone)
		if !day.After(now) {
			day = day.AddDate(0, 0, 1)
		}
		scan := store.NoticeScan{
			Now: now, Since: since, AskedSince: now.Add(-noticeAsked), Hour: now.Truncate(time.Hour).Add(time.Hour),
			Day: day,
		}
		for _, kind := range noticeKinds {
			scan.Defaults = append(scan.Defaults, kind.Default)
		}
		err := s.cfg.Store.Scan(ctx, realm, scan)
		if err != nil {
			return nil, err
		}
		s.mu.Lock()
		s.scanned[realm] = now
		s.mu.Unlock()
	}
	return s.cfg.Store.Due(ctx, realm, held, now, most)
}

// turn reports whether a realm is due for a scan, and from when on.
func (s *Notices) turn(realm string, now time.Time) (since time.Time, due bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.scanned[realm]
	if last.IsZero() {
		return now.Add(-noticeFirst), true
	}
	return last.Add(-noticeBack), now.Sub(last) >= noticeScanEvery
}

// Deliver sends an e-mail with the notices to a user that are due together.
func (s *Notices) Deliver(ctx context.Context, realm string, user uuid.UUID) error {
	now := s.cfg.Now()
	m, err := s.cfg.Store.Claim(ctx, store.MailClaim{
		Realm: realm, UserID: user, Fresh: s.cfg.NewID(), Now: now, Until: now.Add(mailHold),
	})
	if err != nil || len(m.Notices) == 0 {
		return err
	}
	to, err := s.cfg.Store.Recipient(ctx, realm, user)
	if errors.Is(err, store.ErrUnknownUser) {
		return s.cfg.Store.End(ctx, m, now, store.MailDropped, "")
	}
	if err != nil {
		return err
	}
	chosen, err := s.cfg.Store.Choices(ctx, realm, user)
	if err != nil {
		return err
	}
	l, err := s.write(ctx, to, m, chosen)
	if err != nil {
		return err
	}
	if l.Text == "" {
		return s.cfg.Store.End(ctx, m, now, store.MailDropped, "")
	}
	content, err := s.cfg.Mail.bytes(l)
	if err != nil {
		return err
	}
	return s.note(context.WithoutCancel(ctx), m, s.cfg.Mail.send(ctx, to.Email, content))
}

// note stores the outcome of an attempt.
func (s *Notices) note(ctx context.Context, m store.Mail, err error) error {
	now := s.cfg.Now()
	if err == nil {
		return s.cfg.Store.End(ctx, m, now, store.MailSent, "")
	}
	const most = 300
	words := []rune(strings.ToValidUTF8(err.Error(), "?"))
	failure := string(words[:min(len(words), most)])
	var refused *refusedMailError
	if errors.As(err, &refused) || m.Failed+1 >= maxMailAttempts {
		return s.cfg.Store.End(ctx, m, now, store.MailFailed, failure)
	}
	pause := min(lastMailPause, firstMailPause<<min(m.Failed, 10))
	return s.cfg.Store.Retry(ctx, m, now, now.Add(pause), failure)
}

// write makes an e-mail of the notices that are still of use for the person; one without a text for none.
func (s *Notices) write(ctx context.Context, to store.Recipient, m store.Mail, chosen []store.NoticeChoice) (letter, error) {
	language, _ := i18n.Parse(to.Language)
	l := letter{ID: m.ID, To: to.Email, Language: string(language), At: m.Since}
	about := 0
	for _, kind := range noticeKinds {
		if !kind.goesTo(to.Principal) || choiceOf(kind, chosen).Delivery == NoticeNone {
			continue
		}
		var list []store.Notice
		for _, n := range m.Notices {
			if n.Kind == kind.Default.Kind && (kind.While == nil || slices.Contains(kind.While, n.State)) {
				list = append(list, n)
			}
		}
		if len(list) == 0 {
			continue
		}
		about += len(list)
		sentence, path := language.Say(kind.Many, len(list)), kind.Path
		if len(list) == 1 {
			sentence, path = language.Say(kind.One, list[0].GlobalID), "/payments/"+list[0].MessageID.String()
			if kind.Path == "/recalls" {
				path = kind.Path + "/" + list[0].MessageID.String()
			}
		}
		if l.Subject = sentence; l.Text != "" {
			l.Subject = language.Say("%d notifications from Countersign", about)
		}
		l.Text += sentence + "\n"
		details, err := s.details(ctx, to, list, language)
		if err != nil {
			return letter{}, err
		}
		l.Text += details + s.cfg.Mail.Portal + path + "\n\n"
	}
	if l.Text != "" {
		l.Subject = strings.TrimSuffix(l.Subject, ".")
		l.Text += language.Say("To choose which notifications you receive, go to your profile: %s", s.cfg.Mail.Portal+"/me#notices") + "\n"
	}
	return l, nil
}

// details returns the line with amount and receiver of a single payment, if the realm allows it.
func (s *Notices) details(ctx context.Context, to store.Recipient, list []store.Notice, language i18n.Language) (string, error) {
	if !to.Details || len(list) != 1 {
		return "", nil
	}
	m, err := s.cfg.Reader.Message(ctx, to.Realm, list[0].MessageID)
	if err != nil || m.Withheld != "" {
		return "", err
	}
	name := m.Summary.CreditorName
	if m.Kind == payment.KindReturn {
		name = m.Summary.DebtorName
	}
	return language.Say("%s to %s", m.Summary.Amount.Format(), i18n.Legible(name)) + "\n", nil
}

// Standing counts e-mails by state; off is true when none are sent.
func (s *Notices) Standing(ctx context.Context) (standing store.NoticeStanding, off bool, err error) {
	if s.cfg.Mail == nil {
		return standing, true, nil
	}
	standing, err = s.cfg.Store.Standing(ctx, s.cfg.Now().Add(-24*time.Hour))
	return standing, false, err
}
