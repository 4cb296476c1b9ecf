package records

import (
	"slices"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/views"
	"countersign/web/portal/page"
	"countersign/web/portal/rtransaction"
)

// tree is the payment with everything that refers to it, oldest first; answers stand below the recall they answer. It is empty when
// nothing refers to the payment.
func tree(s rtransaction.Subject, current uuid.UUID) []views.Related {
	if len(s.Others) == 0 {
		return nil
	}
	root := relatedView(s.Original, current)
	root.Role = "The payment"
	oldest := slices.Clone(s.Others)
	slices.Reverse(oldest)
	for _, m := range oldest {
		if m.AnswersID != uuid.Nil {
			continue
		}
		branch := relatedView(m, current)
		for _, answer := range oldest {
			if answer.AnswersID == m.InternalID {
				branch.Children = append(branch.Children, relatedView(answer, current))
			}
		}
		root.Children = append(root.Children, branch)
	}
	return []views.Related{root}
}

func relatedView(m payment.Message, current uuid.UUID) views.Related {
	view := views.Related{
		Reference: string(m.GlobalID), URL: "/payments/" + m.InternalID.String(), Kind: string(m.Kind), State: string(m.State),
		FollowUp: page.FollowUp(m), Amount: page.AmountView(m.Summary.Amount), At: m.CreatedAt, Current: m.InternalID == current,
	}
	if m.Reason != "" {
		view.Reason = rtransaction.ReasonText(m.Kind, m.Scheme, m.Reason)
	}
	view.Role = map[payment.Kind]string{
		payment.KindRecall: "Recall of the payment", payment.KindReceivedRecall: "Recall by the other bank",
		payment.KindReturn: "Return of the payment", payment.KindResolution: "Refusal of the recall",
	}[m.Kind]
	if m.Direction == payment.DirectionIn && m.AnswersID != uuid.Nil {
		view.Role += " by the other bank"
	}
	return view
}

// requests are the R-transactions the state allows this person to make about a message, or the sentence that says why not.
func (v *visit) requests(s rtransaction.Subject, m payment.Message) (actions []views.Action, barred []string) {
	if page.MayMake(v.By) != nil {
		return nil, nil
	}
	about, payments := m.Summary.Amount.Format(), "/payments/"+s.Original.InternalID.String()
	offer := func(kind payment.Kind, action views.Action) {
		s.Kind = kind
		sentence := s.Bar(v.Config.Rules)
		switch {
		case sentence == "":
			actions = append(actions, action)
		case !slices.Contains(barred, sentence):
			barred = append(barred, sentence)
		}
	}
	switch m.Kind {
	case payment.KindInstruction:
		offer(payment.KindRecall, views.Action{Label: "Recall " + about, URL: payments + "/recall"})
	case payment.KindPayment:
		label := "Return " + about
		if s.Recalled() {
			label = "Grant the recall: send " + about + " back"
		}
		offer(payment.KindReturn, views.Action{Label: label, URL: payments + "/return"})
		if s.Recalled() {
			offer(payment.KindResolution, views.Action{Label: "Refuse the recall", URL: "/recalls/" + s.Recall.InternalID.String() + "/resolve"})
		}
	case payment.KindReceivedRecall:
		offer(payment.KindResolution, views.Action{Label: "Refuse the recall of " + about, URL: "/recalls/" + m.InternalID.String() + "/resolve"})
		if s.Recalled() {
			offer(payment.KindReturn, views.Action{Label: "Grant: send the money back", URL: payments + "/return"})
		}
	case payment.KindRecall, payment.KindReturn, payment.KindResolution:
	}
	return actions, barred
}

// noticeOfRecall tells on a payment's page and on a recall's that another bank waits for an answer.
func (v *visit) noticeOfRecall(s rtransaction.Subject, m payment.Message) []views.Warning {
	if !s.Recalled() || m.Kind != payment.KindPayment && m.Kind != payment.KindReceivedRecall {
		return nil
	}
	due := rtransaction.Due(v.Visit, s.Recall)
	warning := views.Warning{Title: "Answer the recall by " + due.Day + ": " + due.Text}
	if m.Kind == payment.KindPayment {
		warning.Links = []views.Link{{
			Label: "Show the recall " + string(s.Recall.GlobalID), URL: "/payments/" + s.Recall.InternalID.String(),
		}}
	}
	answerable := s
	answerable.Kind = payment.KindResolution
	if rtransaction.PreparedAnswer(v.Visit, answerable) != "" && answerable.Bar(v.Config.Rules) == "" && page.MayMake(v.By) == nil {
		warning.Text = "A refusal because the creditor does not answer (NOAS) is prepared. It is never sent by itself."
		warning.Links = append(warning.Links, views.Link{
			Label: "Open the prepared refusal", URL: "/recalls/" + s.Recall.InternalID.String() + "/resolve",
		})
	}
	return []views.Warning{warning}
}
