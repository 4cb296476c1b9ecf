package portal

import (
	"strings"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/views"
)

// MayApprove names the people who could approve a message: checkers since before its creation who neither made nor approved it.
func MayApprove(v *Request, m payment.Message) (names []string, err error) {
	found, err := v.Config.Admin.Approvers(v.Context(), m)
	names, _ = toldApart(m, found.Checkers)
	return names, err
}

// toldApart splits checkers: it names those who may approve a message, and says why each of the others may not.
func toldApart(m payment.Message, checkers []identity.Principal) (may []string, mayNot []i18n.Text) {
	for _, checker := range checkers {
		why := m.Barred(checker)
		if why == "" {
			may = append(may, checker.DisplayName)
			continue
		}
		mayNot = append(mayNot,
			i18n.Text("%s %s (a person and what they did)").With(i18n.Data(checker.DisplayName), why))
	}
	return may, mayNot
}

// ruleWords describes a policy: "CHF/EUR 10'000.00 or more: 2 approvals, with a second factor, within 24 h".
func ruleWords(p administration.Policy) i18n.Text {
	key := i18n.Text("%s: %d approvals, within %s")
	if p.StepUp {
		key = "%s: %d approvals, with a second factor, within %s"
	}
	return key.With(PolicyWords(p), p.Approvals, FieldValue("expiresAfter", administration.Wait(p.ExpiresAfter)))
}

// approval describes the approval of a waiting message: its rule, the approvals given, the possible approvers, and why others cannot
// approve.
func (v *Request) approval(m payment.Message) (*views.Approval, error) {
	if !m.State.Pending() {
		return nil, nil //nolint:nilnil // what is decided needs no approval any more
	}
	found, err := v.Config.Admin.Approvers(v.Context(), m)
	if err != nil {
		return nil, err
	}
	shown := &views.Approval{
		Given: i18n.Text("%s of %s approvals given").With(i18n.Number(m.Approvals()), i18n.Number(m.ApprovalsRequired)), ExpiresAt: m.ExpiresAt,
	}
	if found.Rule.ID != "" {
		shown.Rule = ruleWords(found.Rule)
	}
	for _, d := range m.Decisions {
		shown.By = append(shown.By, d.Name)
	}
	shown.May, shown.MayNot = toldApart(m, found.Checkers)
	return shown, nil
}

// maxNamed limits the possible approvers that a page names.
const maxNamed = 6

// nameApprovers says on the page before a submission who may approve it, and warns where they are fewer than it needs.
func (v *Request) nameApprovers(p prepared, model *views.Check) error {
	needed := p.asked.ApprovalsRequired
	if needed == 0 {
		return nil
	}
	names, err := v.approvers(p)
	if err != nil {
		return err
	}
	if len(names) < needed {
		model.Warnings = append(model.Warnings, views.Warning{
			Title: "Too few people can approve this payment",
			Text: i18n.Text("Approvals needed: %s. People who can approve: %s. There are too few people, so the payment would expire without "+
				"approval.").
				With(i18n.Number(needed), i18n.Number(len(names))),
		})
	}
	model.Approvers = shortened(names)
	return nil
}

// approvers names who may approve a draft once it is submitted.
func (v *Request) approvers(p prepared) ([]string, error) {
	m := payment.Message{Realm: v.By.Realm, CreatedAt: v.At}
	if p.draft.Amends != uuid.Nil {
		var err error
		m, err = v.Config.Reader.Message(v.Context(), v.By.Realm, p.draft.Amends)
		if err != nil {
			return nil, err
		}
		m.Decisions = nil // those of the version before count no more
	}
	m.Makers = append(m.Makers, v.By.PersonID)
	return MayApprove(v, m)
}

// shortened names a few of many people.
func shortened(names []string) string {
	if len(names) > maxNamed {
		return strings.Join(names[:maxNamed], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
