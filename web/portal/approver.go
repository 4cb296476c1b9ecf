package portal

import (
	"strings"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/views"
)

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
			Title: "Too few people may approve it",
			Text: i18n.Text("Approvals needed: %s. People who may give one: %s. It would wait until it expires.").
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
