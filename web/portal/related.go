package portal

import (
	"slices"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/views"
)

// around loads everything that is about the same payment as a message: the payment itself and what refers to it.
func (v *visit) around(m payment.Message) (subject, error) {
	original := m
	if m.OriginalID != uuid.Nil {
		var err error
		original, err = v.cfg.Reader.Message(v.ctx(), v.by.Realm, m.OriginalID)
		if err != nil {
			return subject{}, err
		}
	}
	return v.withRelated(subject{}, original)
}

// tree is the payment with everything that refers to it, oldest first; answers stand below the recall they answer. It is empty when
// nothing refers to the payment.
func (s subject) tree(current uuid.UUID) []views.Related {
	if len(s.related) == 0 {
		return nil
	}
	root := relatedView(s.original, current)
	root.Role = "The payment"
	oldest := slices.Clone(s.related)
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
		FollowUp: followUp(m), Amount: amountView(m.Summary.Amount), At: m.CreatedAt, Current: m.InternalID == current,
	}
	if m.Reason != "" {
		view.Reason = reasonText(m.Kind, m.Scheme, m.Reason)
	}
	view.Role = map[payment.Kind]string{
		payment.KindRecall: "Recall of the payment", payment.KindReceivedRecall: "Recall by the other bank",
		payment.KindReturn: "Return of the payment", payment.KindResolution: "Refusal of the recall",
	}[m.Kind]
	return view
}

// requests are the R-transactions the state allows this person to make about a message, or the sentence that says why not.
func (v *visit) requests(s subject, m payment.Message) (actions []views.Action, barred []string) {
	if mayMake(v.by) != nil {
		return nil, nil
	}
	about, payments := m.Summary.Amount.Format(), "/payments/"+s.original.InternalID.String()
	offer := func(kind payment.Kind, action views.Action) {
		s.kind = kind
		sentence := s.bar(v.cfg.Rules)
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
		if s.recalled() {
			label = "Grant the recall: send " + about + " back"
		}
		offer(payment.KindReturn, views.Action{Label: label, URL: payments + "/return"})
		if s.recalled() {
			offer(payment.KindResolution, views.Action{Label: "Refuse the recall", URL: "/recalls/" + s.recall.InternalID.String() + "/resolve"})
		}
	case payment.KindReceivedRecall:
		offer(payment.KindResolution, views.Action{Label: "Refuse the recall of " + about, URL: "/recalls/" + m.InternalID.String() + "/resolve"})
		if s.recalled() {
			offer(payment.KindReturn, views.Action{Label: "Grant: send the money back", URL: payments + "/return"})
		}
	case payment.KindRecall, payment.KindReturn, payment.KindResolution:
	}
	return actions, barred
}

// noticeOfRecall tells on a payment's page and on a recall's that another bank waits for an answer.
func (v *visit) noticeOfRecall(s subject, m payment.Message) []views.Warning {
	if !s.recalled() || m.Kind != payment.KindPayment && m.Kind != payment.KindReceivedRecall {
		return nil
	}
	due := v.due(s.recall)
	warning := views.Warning{Title: "Answer the recall by " + due.Day + ": " + due.Text}
	if m.Kind == payment.KindPayment {
		warning.Links = []views.Link{{
			Label: "Show the recall " + string(s.recall.GlobalID), URL: "/payments/" + s.recall.InternalID.String(),
		}}
	}
	answerable := s
	answerable.kind = payment.KindResolution
	if v.preparedAnswer(answerable) != "" && answerable.bar(v.cfg.Rules) == "" && mayMake(v.by) == nil {
		warning.Text = "A refusal because the creditor does not answer (NOAS) is prepared. It is never sent by itself."
		warning.Links = append(warning.Links, views.Link{
			Label: "Open the prepared refusal", URL: "/recalls/" + s.recall.InternalID.String() + "/resolve",
		})
	}
	return []views.Warning{warning}
}
