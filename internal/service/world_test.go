package service_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/demo"
	"countersign/internal/identity"
	"countersign/internal/interbank"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/store/storetest"
)

// hand is a user account. Ours are those that the people who try to cheat can sign in with.
type hand struct {
	name   string
	person uuid.UUID
	user   uuid.UUID
	roles  []identity.Role
	since  int // the step at which the roles were given
	active bool
	ours   bool
}

// world is what a realm knows, as values: the pure domain decides every step, nothing is stored.
type world struct {
	step      int
	hands     []hand
	messages  []payment.Message
	changes   []administration.Change
	approvals int // that the policy in force asks for
	released  int
	gained    int // changes of rights or policies that were applied
}

// deed is one thing that one account tries. The door is the client it comes through.
type deed struct {
	verb string
	hand int
	door string
	on   int // which message or change
	kind int // which of the wishes
}

func (d deed) String() string {
	return fmt.Sprintf("%s(hand %d, %s, %d, %d)", d.verb, d.hand, d.door, d.on, d.kind)
}

// wish is a change of rights that somebody who cheats would like.
type wish struct {
	kind    administration.Kind
	subject string
	values  administration.Values
}

// wishes of the people with the given ids. Names of accounts that are not there yet begin with "new".
func wishes(person uuid.UUID) []wish {
	return []wish{
		{kind: administration.KindUserCreate, values: administration.Values{"name": "new-checker", "displayName": "Checker", "roles": "checker"}},
		{kind: administration.KindUserCreate, values: administration.Values{"name": "new-own", "personId": person.String(), "roles": "checker"}},
		{kind: administration.KindUserCreate, values: administration.Values{"name": "new-admin", "displayName": "New", "roles": "administrator"}},
		{kind: administration.KindUserRoles, subject: "entry2", values: administration.Values{"roles": "checker, maker"}},
		{kind: administration.KindUserReset, subject: "checker1"},
		{kind: administration.KindPolicyCreate, values: administration.Values{"approvals": "0", "rank": "90", "expiresAfter": "PT24H"}},
		{
			kind:   administration.KindClientCreate,
			values: administration.Values{"clientId": "new-client", "kind": administration.ClientConfidential, "mayDecideOwn": administration.Yes},
		},
	}
}

const (
	doorPortal = identity.PortalClient
	doorOwn    = demo.Backoffice // a back end that may decide what came through it
)

// begin is when the first step is taken.
var begin = time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)

func (w world) at() time.Time { return begin.Add(time.Duration(w.step) * time.Second) }

func (w world) principal(d deed) identity.Principal {
	h := w.hands[d.hand]
	p := identity.Principal{
		Realm: "demo", UserID: h.user, PersonID: h.person, UserName: h.name, DisplayName: h.name, Roles: h.roles, ClientID: d.door,
		Channel: identity.ChannelPortal, ClientMayDecideOwn: true,
	}
	if d.door == doorOwn {
		p.Channel = identity.ChannelAPI
	}
	for _, role := range h.roles {
		p.Grants = append(p.Grants, identity.Grant{ID: h.user, Role: role, GrantedAt: begin.Add(time.Duration(h.since) * time.Second)})
	}
	return p
}

// clone keeps the world before a step as it was.
func (w world) clone() world {
	w.hands, w.messages, w.changes = slices.Clone(w.hands), slices.Clone(w.messages), slices.Clone(w.changes)
	return w
}

// most bounds what there is at a time: five steps need no more.
const (
	maxMessages = 2
	maxChanges  = 3
)

// deeds lists what those who cheat may try in this world, with every account they can sign in with.
func (w world) deeds() (list []deed) {
	for i, h := range w.hands {
		if !h.ours || !h.active {
			continue
		}
		if len(w.messages) < maxMessages {
			list = append(list, deed{verb: "create", hand: i, door: doorOwn})
		}
		for m := range w.messages {
			list = append(list, deed{"amend", i, doorOwn, m, 0}, deed{"approve", i, doorPortal, m, 0}, deed{"approve", i, doorOwn, m, 0},
				deed{"reject", i, doorPortal, m, 0})
		}
		if len(w.changes) < maxChanges {
			for k := range wishes(h.person) {
				list = append(list, deed{verb: "ask", hand: i, door: doorPortal, kind: k})
			}
		}
		for c := range w.changes {
			list = append(list, deed{"confirm", i, doorPortal, c, 0}, deed{"confirm", i, doorOwn, c, 0})
		}
	}
	return list
}

// facts are what the realm knows about the subject of a change.
func (w world) facts(ask wish) administration.Facts {
	known := administration.Facts{ClientKnown: true, CoverAll: 1}
	name := ask.subject
	if ask.kind == administration.KindUserCreate {
		name = ask.values["name"]
	}
	for _, h := range w.hands {
		duty := administration.DutyOf(h.roles)
		if h.name == name {
			known.Found, known.Beneficiary = true, h.person
			known.Before = administration.User{
				Name: h.name, DisplayName: h.name, Person: h.person, Roles: h.roles, Status: administration.StatusActive, Duty: duty,
			}.Values()
		}
		if h.person.String() == ask.values["personId"] && known.Person == nil {
			known.Person = &administration.Person{ID: h.person, DisplayName: h.name, Duty: duty}
		}
		if h.active {
			known.Holders = append(known.Holders, administration.Holder{User: h.name, Person: h.person, Roles: h.roles})
		}
	}
	if ask.kind.Noun() == "client" {
		known.Found = slices.ContainsFunc(w.changes, func(c administration.Change) bool {
			return c.Kind == ask.kind && c.State() == administration.StateApplied
		})
	}
	return known
}

// bench makes the orders of all worlds, each once.
type bench struct {
	seal   payment.Sealer
	drafts map[string]payment.Draft
	made   map[string]payment.Created
}

func newBench(t *testing.T) *bench {
	t.Helper()
	return &bench{
		seal: storetest.Sealer(t, "test "+strings.Repeat("5a", 32)), drafts: map[string]payment.Draft{}, made: map[string]payment.Created{},
	}
}

func (b *bench) policy(w world) payment.Policy {
	return payment.Policy{ID: uuid.Max, ApprovalsRequired: w.approvals, PendingFor: time.Hour}
}

// order is one that no rule refuses. Each number is another one.
func (b *bench) order(w world, by identity.Principal, number int) payment.InstructionInput {
	return payment.InstructionInput{
		Order: payment.Order{
			Scheme: rulebook.SchemeSIC, ExternalID: fmt.Sprint(number), Document: servicetest.Document(rulebook.SchemeSIC, number, begin),
		},
		By: by,
		Account: &payment.DebtorAccount{
			IBAN: "CH5021977000004331346", Scheme: rulebook.SchemeSIC, Currency: "CHF", Open: true, AgentBIC: "AAAACHBBXXX", AgentIID: "21977",
			Holder: interbank.Holder{Name: "Muster AG", Town: "Bern", Country: "CH"},
		},
		Policy: b.policy(w), GlobalID: payment.New("DM", begin, [4]byte{byte(number)}), InternalID: uuid.New(), DocumentID: uuid.New(),
		At: w.at(), Today: begin, Seal: b.seal,
	}
}

// do takes one step. The error is why the domain refuses it; the world is then as before, but for the time.
func (b *bench) do(before world, d deed) (world, error) {
	w := before.clone()
	w.step++
	by := w.principal(d)
	var err error
	switch d.verb {
	case "create":
		err = b.create(&w, d, by)
	case "ask", "confirm":
		err = w.administer(d, by)
	default:
		err = b.move(&w, d, by)
	}
	if err != nil {
		before.step++
		return before, err
	}
	return w, nil
}

func (b *bench) create(w *world, d deed, by identity.Principal) error {
	key := fmt.Sprint(d.hand, w.step, len(w.messages), w.approvals, by.Roles)
	created, ok := b.made[key]
	if !ok {
		var err error
		created, err = payment.NewInstruction(b.order(*w, by, 100+len(w.messages)))
		if err != nil {
			return err
		}
		b.made[key] = created
	}
	w.messages = append(w.messages, created.Message)
	if created.Release != nil {
		w.released++
	}
	return nil
}

// move amends, approves or rejects a message.
func (b *bench) move(w *world, d deed, by identity.Principal) error {
	m := w.messages[d.on]
	seen := payment.Verdict{By: by, At: w.at(), ContentHash: &m.ContentHash, Version: m.Version}
	var t payment.Transition
	var err error
	switch d.verb {
	case "amend":
		key := fmt.Sprint(d.hand, d.on, m.Version, w.approvals)
		draft, ok := b.drafts[key]
		if !ok {
			draft, err = payment.NewDraft(b.order(*w, by, 1000+10*d.on+m.Version))
			b.drafts[key] = draft
		}
		if err == nil {
			t, err = m.Amend(by, draft, w.at())
		}
	case "approve":
		t, err = m.Approve(seen, payment.ApprovalContext{Policy: b.policy(*w), Today: begin, Seal: b.seal})
	default:
		t, err = m.Reject(seen, "no")
	}
	if err != nil {
		return err
	}
	w.messages[d.on] = t.After()
	if t.Release() != nil {
		w.released++
	}
	return nil
}

// administer asks for a change or confirms one.
func (w *world) administer(d deed, by identity.Principal) error {
	if d.verb == "ask" {
		ask := wishes(by.PersonID)[d.kind]
		change, err := administration.Request{
			ID: uuid.New(), Kind: ask.kind, Subject: ask.subject, Values: ask.values, By: by, At: w.at(),
		}.Change(w.facts(ask))
		if err == nil {
			w.changes = append(w.changes, change)
		}
		return err
	}
	c := w.changes[d.on]
	known := w.facts(wish{c.Kind, c.Subject, c.Values})
	known.RequesterHolds = slices.ContainsFunc(w.hands, func(h hand) bool {
		return h.user == c.Requester.UserID && h.active && slices.Contains(h.roles, c.Kind.AskedUnder())
	})
	decision, err := c.Decide(administration.Verdict{Approve: true, By: by, At: w.at()}, known)
	if err != nil {
		return err
	}
	c.Decision = &decision
	w.changes[d.on] = c
	w.gained++
	w.apply(c)
	return nil
}

// apply brings about what was confirmed. The person who asked and the one who confirmed are both ours, so that link and code of an account are too.
func (w *world) apply(c administration.Change) {
	find := func(name string) *hand {
		return &w.hands[slices.IndexFunc(w.hands, func(h hand) bool { return h.name == name })]
	}
	switch c.Kind {
	case administration.KindUserCreate:
		person := uuid.New()
		if c.Beneficiary != uuid.Nil {
			person = c.Beneficiary
		}
		w.hands = append(w.hands, hand{
			name: c.Subject, person: person, user: uuid.New(), roles: administration.WordsOf[identity.Role](c.After["roles"]), since: w.step,
			active: true, ours: true,
		})
	case administration.KindUserRoles:
		h := find(c.Subject)
		h.roles, h.since = administration.WordsOf[identity.Role](c.After["roles"]), w.step
	case administration.KindUserReset:
		find(c.Subject).ours = true
	case administration.KindPolicyCreate:
		w.approvals = 0
	default: // a client of theirs decides what came through it already
	}
}

// key is the same for worlds in which the same can happen.
func (w world) key() string {
	var text strings.Builder
	for _, h := range w.hands {
		fmt.Fprint(&text, h.name, h.roles, h.since, h.ours, "|")
	}
	for _, m := range w.messages {
		fmt.Fprint(&text, m.State, m.Version, m.Makers, m.Approvals(), m.CreatedAt.Unix(), "|")
		for _, d := range m.Decisions {
			fmt.Fprint(&text, d.PersonID, d.ForVersion)
		}
	}
	changes := map[string]int{}
	for _, c := range w.changes {
		changes[fmt.Sprint(c.Kind, c.Subject, c.Requester.UserID, c.State())]++
	}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		fmt.Fprint(&text, name, changes[name], "|")
	}
	return fmt.Sprint(text.String(), w.approvals, w.released)
}
