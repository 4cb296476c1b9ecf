package administration_test

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/iso20022"
)

var (
	noon    = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	one     = administrator(1)
	another = administrator(2)
)

// administrator is a person with that role alone, in the portal.
func administrator(number byte) identity.Principal {
	return identity.Principal{
		Realm: "bank", PersonID: uuid.UUID{15: number}, UserID: uuid.UUID{14: number}, DisplayName: fmt.Sprintf("Administrator %d", number),
		Channel: identity.ChannelPortal, ClientID: "portal", Roles: []identity.Role{identity.RoleAdministrator},
	}
}

// pointers are the places of what is wrong, with a space between.
func pointers(err error) string {
	var malformed *iso20022.FieldError
	if !errors.As(err, &malformed) {
		return fmt.Sprint(err)
	}
	var list []string
	for _, f := range malformed.Findings {
		list = append(list, f.Pointer+" "+f.Code)
	}
	return strings.Join(list, ", ")
}

// TestAnEMailAddressIsOneAddress: an address with a line, a second address or a name would write headers of a mail.
func TestAnEMailAddressIsOneAddress(t *testing.T) {
	t.Parallel()
	for address, good := range map[string]bool{
		"": true, "m.muster+pay@bank.example": true, "a@b-c.d1.example": true, strings.Repeat("a", 64) + "@b.example": true,
		"muster": false, "a@b.ch@c.ch": false, "a@b.ch\r\nBcc: c@d.ch": false, "a@b.ch, c@d.ch": false, "M <a@b.ch>": false, "ü@b.ch": false,
		strings.Repeat("a", 65) + "@b.ch": false, "a@" + strings.Repeat("b.", 126) + "ch": false, "a b@c.ch": false, `"a"@b.ch`: false,
		"a@b": false, "a@-b.ch": false, "a@b-.ch": false, "a@b..ch": false, ".a@b.ch": false, "a.@b.ch": false, "a..b@c.ch": false, "a@b.c": false,
		"a@b.ch.": false, "a@.ch": false, "a@192.0.2.1": false, "a@" + strings.Repeat("b", 64) + ".ch": false,
	} {
		_, err := administration.UserOf(administration.Values{"name": "maker", "displayName": "M", "roles": "maker", "email": address}, "")
		want := "/email FF01"
		if good {
			want = "<nil>"
		}
		if got := pointers(err); got != want {
			t.Errorf("%q: %s, want %s", address, got, want)
		}
	}
}

func TestAPolicyIsReadFromItsFields(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		values administration.Values
		wrong  string
		want   administration.Policy
	}{
		"of everything": {
			administration.Values{"approvals": "2"},
			"",
			administration.Policy{Approvals: 2, ExpiresAfter: administration.DefaultWait},
		},
		"a narrow one outranks it": {
			administration.Values{"approvals": "0", "scheme": "sct-inst", "expiresAfter": "90m"},
			"",
			administration.Policy{Approvals: 0, Rank: 100, Scheme: "sct-inst", ExpiresAfter: 90 * time.Minute},
		},
		"with a rank of its own": {
			administration.Values{"approvals": "1", "kind": "recall", "rank": "7", "contentHashRequired": "yes"},
			"",
			administration.Policy{
				Approvals: 1, Rank: 7, Kind: "recall", ContentHashRequired: true, ExpiresAfter: administration.DefaultWait,
			},
		},
		"without approvals":    {values: administration.Values{"scheme": "sic-inst"}, wrong: "/values/approvals CH21"},
		"too many approvals":   {values: administration.Values{"approvals": "10"}, wrong: "/values/approvals FF01"},
		"a float of approvals": {values: administration.Values{"approvals": "1.0"}, wrong: "/values/approvals FF01"},
		"a zero before":        {values: administration.Values{"approvals": "01"}, wrong: "/values/approvals FF01"},
		"too high a rank":      {values: administration.Values{"approvals": "1", "rank": "1001"}, wrong: "/values/rank FF01"},
		"an unknown scheme":    {values: administration.Values{"approvals": "1", "scheme": "target"}, wrong: "/values/scheme CH16"},
		"a received recall":    {values: administration.Values{"approvals": "1", "kind": "received-recall"}, wrong: "/values/kind CH16"},
		"an unknown channel":   {values: administration.Values{"approvals": "1", "channel": "clearing"}, wrong: "/values/channel CH16"},
		"upside down": {
			values: administration.Values{"approvals": "1", "amountFrom": "2", "amountTo": "1.99"}, wrong: "/values/amountTo FF01",
		},
		"three decimals": {values: administration.Values{"approvals": "1", "amountFrom": "1.001"}, wrong: "/values/amountFrom FF01"},
		"a wait too short": {
			values: administration.Values{"approvals": "1", "expiresAfter": "59s"}, wrong: "/values/expiresAfter FF01",
		},
		"a wait of over a year": {
			values: administration.Values{"approvals": "1", "expiresAfter": "8761h"}, wrong: "/values/expiresAfter FF01",
		},
		"a maybe": {
			values: administration.Values{"approvals": "1", "contentHashRequired": "maybe"}, wrong: "/values/contentHashRequired FF01",
		},
	} {
		got, err := administration.PolicyOf(test.values, "/values")
		if test.wrong != "" {
			if pointers(err) != test.wrong {
				t.Errorf("%s: %s, want %s", name, pointers(err), test.wrong)
			}
			continue
		}
		if err != nil || got != test.want {
			t.Errorf("%s: %+v %v, want %+v", name, got, err, test.want)
		}
	}
}

func TestAPolicyIsTriedOnWhatWasEntered(t *testing.T) {
	t.Parallel()
	p, err := administration.PolicyOf(
		administration.Values{"approvals": "2", "scheme": "sic-inst", "amountFrom": "1000", "rank": "50"}, "/values")
	if err != nil {
		t.Fatal(err)
	}
	force := administration.StatusInForce
	everything := administration.Policy{ID: "1", Approvals: 1, Status: force}
	api := administration.Policy{ID: "2", Rank: 51, Approvals: 1, Channel: "api", Status: force}
	portal := administration.Policy{ID: "3", Rank: 50, Approvals: 2, Channel: "portal", Scheme: "sic-inst", Status: force}
	narrowed := p
	narrowed.ID = "4"
	least := int64(50_000)
	swiss := administration.Policy{ID: "4", Rank: 50, Approvals: 2, Scheme: "sic-inst", AmountFrom: &least, Status: force}
	for name, test := range map[string]struct {
		asked                administration.Policy
		inForce              []administration.Policy
		taken, changed, ones int
	}{
		"one more":   {p, []administration.Policy{everything, api, portal}, 2, 1, 3},
		"one wider":  {p, []administration.Policy{everything, swiss}, 3, 0, 1},
		"a narrowed": {narrowed, []administration.Policy{everything, swiss}, 3, 1, 2},
	} {
		run := administration.NewDryRun(test.asked, test.inForce)
		for _, m := range []administration.PastMessage{
			{Scheme: "sic-inst", Amount: 100_000},                    // the least amount it is about
			{Scheme: "sic-inst", Amount: 99_999},                     // below
			{Scheme: "sct-inst", Amount: 100_000},                    // another scheme
			{Scheme: "sic-inst", Amount: 100_000, Channel: "api"},    // a rule of a higher rank
			{Scheme: "sic-inst", Amount: 100_000, Channel: "portal"}, // of equal ranks the younger one counts
		} {
			m.Approvals = 9 // of a rule that is gone
			run.Count(m)
		}
		if run.Of != 5 || run.Taken != test.taken || run.More+run.Fewer != test.changed || len(run.Changed) != test.changed || run.ByApprovals[1] != test.ones ||
			run.ByApprovals[2] != 5-test.ones {
			t.Errorf("%s: got %+v", name, run)
		}
	}
}

// TestOfEqualPoliciesTheYoungestApplies: a change of a policy has the id of its request, which can be older than a policy that was created
// before the change was approved.
func TestOfEqualPoliciesTheYoungestApplies(t *testing.T) {
	t.Parallel()
	changed := administration.Policy{ID: "1", Approvals: 2, Status: administration.StatusInForce, CreatedAt: noon.Add(time.Hour)}
	between := administration.Policy{ID: "2", Approvals: 1, Status: administration.StatusInForce, CreatedAt: noon}
	for _, list := range [][]administration.Policy{{changed, between}, {between, changed}} {
		if rule, _ := administration.RuleFor(list, administration.PastMessage{}); rule.ID != changed.ID {
			t.Errorf("the policy %s applies", rule.ID)
		}
	}
}

// suppression is a change that one asks for: the account of a maker is suppressed.
func suppression(t *testing.T) (administration.Change, administration.Facts) {
	t.Helper()
	known := administration.Facts{
		Found: true, Beneficiary: uuid.UUID{15: 9}, RequesterHolds: true,
		Before: administration.Values{"name": "maker1", "status": administration.StatusActive, "duty": "payments", "roles": "maker"},
	}
	c, err := administration.Request{
		ID: uuid.UUID{1}, Kind: administration.KindUserSuppress, Subject: "maker1", By: one, At: noon,
	}.Change(known)
	if err != nil {
		t.Fatal(err)
	}
	return c, known
}

func TestAChangeIsDecidedByAnotherAdministratorWhomItIsNotAbout(t *testing.T) {
	t.Parallel()
	change, _ := suppression(t)
	maker := another
	maker.Roles = []identity.Role{identity.RoleMaker, identity.RoleChecker}
	beneficiary := administrator(9)
	client := another
	client.Channel, client.ClientID = identity.ChannelAPI, "portal"
	trusted := client
	trusted.ClientMayDecideOwn = true
	otherUser := another
	otherUser.PersonID = one.PersonID
	var forbidden *identity.ForbiddenError
	var fourEyes *identity.FourEyesError
	for name, test := range map[string]struct {
		by   identity.Principal
		want any // of the error; nil for none
	}{
		"another administrator":             {another, nil},
		"the requester":                     {one, &fourEyes},
		"another account of the requester":  {otherUser, &fourEyes},
		"whom it is about":                  {beneficiary, &fourEyes},
		"nobody known":                      {identity.Principal{Roles: another.Roles}, &fourEyes},
		"a maker and checker":               {maker, &forbidden},
		"through the client that asked":     {client, &fourEyes},
		"through a client that may do both": {trusted, nil},
	} {
		err := change.MayDecide(test.by)
		if test.want == nil && err != nil || test.want != nil && !errors.As(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	nobody := change
	nobody.Requester.PersonID = uuid.Nil
	if err := nobody.MayDecide(another); !errors.As(err, &fourEyes) {
		t.Errorf("a change of unknown origin: %v", err)
	}
}

func TestADecisionHoldsTheChangeAgainstTheRealmAsItIsNow(t *testing.T) {
	t.Parallel()
	change, known := suppression(t)
	approve := administration.Verdict{By: another, At: noon.Add(time.Minute), Approve: true}
	made, err := change.Decide(approve, known)
	if err != nil || !made.Approved || made.By.PersonID != another.PersonID {
		t.Errorf("approved: %+v %v", made, err)
	}
	moved := known
	moved.Before = maps.Clone(known.Before)
	moved.Before["roles"] = "checker, maker"
	var conflict *administration.ConflictError
	if _, err = change.Decide(approve, moved); !errors.As(err, &conflict) {
		t.Errorf("of a subject that changed meanwhile: %v", err)
	}
	gone := known
	gone.RequesterHolds = false
	if _, err = change.Decide(approve, gone); !errors.As(err, &conflict) {
		t.Errorf("of a requester who is no administrator any more: %v", err)
	}
	decided := change
	decided.Decision = &made
	if _, err = decided.Decide(approve, known); !errors.As(err, &conflict) {
		t.Errorf("a second decision: %v", err)
	}
	reject := administration.Verdict{By: another, At: noon}
	for reason, want := range map[string]string{
		"":                         "/ApprovalDetails/rejectReason CH21",
		" \n":                      "/ApprovalDetails/rejectReason CH21",
		strings.Repeat("ä", 5_000): "/ApprovalDetails/rejectReason FF01",
	} {
		reject.Reason = reason
		if _, err = change.Decide(reject, known); pointers(err) != want {
			t.Errorf("rejected because of %.10q: %s", reason, pointers(err))
		}
	}
	reject.Reason = "not ours"
	made, err = change.Decide(reject, moved)
	if err != nil || made.Approved || made.Reason != "not ours" {
		t.Errorf("rejected: %+v %v", made, err)
	}
}

func TestAFieldHasOneForm(t *testing.T) {
	t.Parallel()
	if got := administration.Words([]string{"maker", "checker", "maker"}); got != "checker, maker" {
		t.Errorf("words are %q", got)
	}
	if got := administration.WordsOf[string](" checker ,, maker"); len(got) != 2 || got[0] != "checker" || got[1] != "maker" {
		t.Errorf("read as %q", got)
	}
	for wait, want := range map[time.Duration]string{
		0: "", time.Hour: "1h", 90 * time.Minute: "90m", 61 * time.Second: "61s", 365 * 24 * time.Hour: "8760h",
	} {
		if got := administration.Wait(wait); got != want {
			t.Errorf("%s is written as %q", wait, got)
		}
	}
}

// A change that says all of what comes after it is held against what was before all the same: its decider saw the difference.
func TestRolesThatChangedMeanwhileAreAskedForAnew(t *testing.T) {
	t.Parallel()
	_, known := suppression(t)
	known.Before["displayName"], known.Before["personId"] = "Maker 1", known.Beneficiary.String()
	change, err := administration.Request{
		ID: uuid.UUID{1}, Kind: administration.KindUserRoles, Subject: "maker1", Values: administration.Values{"roles": "checker"}, By: one,
		At: noon,
	}.Change(known)
	if err != nil {
		t.Fatal(err)
	}
	approve := administration.Verdict{By: another, At: noon.Add(time.Minute), Approve: true}
	if _, err = change.Decide(approve, known); err != nil {
		t.Errorf("as it was: %v", err)
	}
	moved := known
	moved.Before = maps.Clone(known.Before)
	moved.Before["roles"] = "checker, maker"
	var conflict *administration.ConflictError
	if _, err = change.Decide(approve, moved); !errors.As(err, &conflict) {
		t.Errorf("of other roles than were shown: %v", err)
	}
}

// TestAnArchiveIsOfAMonthThatEnded in Zurich.
func TestAnArchiveIsOfAMonthThatEnded(t *testing.T) {
	t.Parallel()
	const wrong = "/values/archivedMonth FF01"
	for month, want := range map[string]string{
		"2026-02": "<nil>", "2026-03": wrong, "2026-04": wrong, "9999-12": wrong, "0000-01": wrong, "2025-13": wrong,
	} {
		_, err := administration.Request{
			ID: uuid.UUID{1}, Kind: administration.KindRealmArchived, By: one, At: time.Date(2026, 2, 28, 23, 0, 0, 0, time.UTC),
			Values: administration.Values{"archivedMonth": month, "archiveDigest": strings.Repeat("a", 64)},
		}.Change(administration.Facts{Found: true, Before: administration.Values{"realm": "bank"}})
		if got := pointers(err); got != want {
			t.Errorf("%s: %s, want %s", month, got, want)
		}
	}
}

// TestAFieldInsideASentenceIsSaidInTheLanguageOfTheReader, and the noun of an unknown subject too.
func TestAFieldInsideASentenceIsSaidInTheLanguageOfTheReader(t *testing.T) {
	t.Parallel()
	translated := func(kind administration.Kind, err error) {
		var malformed *iso20022.FieldError
		if !errors.As(err, &malformed) {
			t.Errorf("%s: %v", kind, err)
			return
		}
		for _, f := range malformed.Findings {
			said := i18n.German.Say(f.Text)
			if english := regexp.MustCompile(`\b(the|with|and|may|how|whether|message|policy|account|client)\b`).FindString(said); english != "" {
				t.Errorf("%s %s: %q in %q", kind, f.Pointer, english, said)
			}
		}
	}
	for _, kind := range administration.Kinds() {
		for _, field := range kind.Fields() {
			translated(kind, administration.Values{field: "\x01"}.Check(""))
		}
		if kind.Creates() || kind.Action().Sets {
			continue
		}
		by := one
		by.Roles = identity.Roles()
		_, err := administration.Request{ID: uuid.UUID{1}, Kind: kind, By: by, At: noon}.Change(administration.Facts{})
		translated(kind, err)
	}
	_, err := administration.Request{
		ID: uuid.UUID{1}, Kind: administration.KindRealmNotices, By: one, At: noon, Values: administration.Values{"noticeDetails": "maybe"},
	}.Change(administration.Facts{Found: true, Before: administration.Values{"realm": "bank"}})
	translated(administration.KindRealmNotices, err)
}
