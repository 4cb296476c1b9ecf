package records

import (
	"countersign/internal/language"
	"countersign/internal/payment"
	"countersign/views"
	"countersign/web/portal/page"
)

// MayApprove names the people who could approve a message: who check, and neither made it nor approved it yet.
func MayApprove(v *page.Visit, m payment.Message) (names []string, err error) {
	found, err := v.Config.Reader.Approvers(v.Context(), m)
	for _, checker := range found.Checkers {
		if m.Barred(checker) == "" {
			names = append(names, checker.DisplayName)
		}
	}
	return names, err
}

// approval tells by which rule a message that waits needs its approvals, who gave one, who still could, and why others cannot.
func (v *visit) approval(m payment.Message) (*views.Approval, error) {
	if m.State != payment.StateApprovalPending {
		return nil, nil //nolint:nilnil // what is decided needs no approval any more
	}
	found, err := v.Config.Reader.Approvers(v.Context(), m)
	if err != nil {
		return nil, err
	}
	shown := &views.Approval{
		Given: language.Text("%s of %s").With(language.Number(m.Approvals()), language.Number(m.ApprovalsRequired)), ExpiresAt: m.ExpiresAt,
	}
	if found.Rule.ID != "" {
		shown.Rule = language.Sentence(found.Rule.Asks() + ", for " + found.Rule.Words())
	}
	for _, d := range m.Decisions {
		shown.By = append(shown.By, d.Name)
	}
	for _, checker := range found.Checkers {
		why := m.Barred(checker)
		if why == "" {
			shown.May = append(shown.May, checker.DisplayName)
			continue
		}
		shown.MayNot = append(shown.MayNot, language.Sentence(checker.DisplayName+" "+why))
	}
	return shown, nil
}
