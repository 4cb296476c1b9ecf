package portal

import (
	"slices"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// tree is the payment with everything that refers to it, oldest first; answers stand below the recall they answer. It is empty when
// nothing refers to the payment.
func tree(s Subject, current uuid.UUID) []views.Related {
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

// related is the tree of a payment, with the payments that correct it and that it corrects.
func (v *Request) related(s Subject, m payment.Message) ([]views.Related, error) {
	list := tree(s, m.InternalID)
	replacements, err := v.replacements(m)
	if err != nil {
		return list, err
	}
	corrected, err := v.corrects(m)
	before, after := corrected[m.InternalID], replacements[m.InternalID]
	if len(list) == 0 && len(before)+len(after) > 0 {
		root := relatedView(m, m.InternalID)
		root.Role = "The payment"
		list = append(list, root)
	}
	for _, other := range []struct {
		role     i18n.Text
		messages []payment.Message
	}{{"Rejected payment that this payment corrects", before}, {"Corrected payment, submitted again", after}} {
		for _, message := range other.messages {
			view := relatedView(message, m.InternalID)
			view.Role = other.role
			list = append(list, view)
		}
	}
	return list, err
}

func relatedView(m payment.Message, current uuid.UUID) views.Related {
	view := views.Related{Message: m, Current: m.InternalID == current}
	roles := map[payment.Kind]i18n.Text{
		payment.KindRecall: "Recall of the payment", payment.KindReceivedRecall: "Recall from the other bank",
		payment.KindReturn: "Return of the payment", payment.KindResolution: "Refusal of the recall",
	}
	if m.Direction == payment.DirectionIn {
		roles[payment.KindReturn] = "Return of the payment by the other bank"
		roles[payment.KindResolution] = "Recall refused by the other bank"
	}
	view.Role = roles[m.Kind]
	return view
}

// requests returns the R-transactions that this person may make about a message now, or a sentence why there are none.
func (v *Request) requests(s Subject, m payment.Message) (actions []views.Action, barred []i18n.Text) {
	if MayMake(v.By) != nil {
		return nil, nil
	}
	list, has := offers[m.Kind]
	if !has {
		return nil, nil
	}
	for _, o := range list(s, m) {
		s.Kind = o.kind
		sentence := s.Bar(v.Config.Rules)
		switch {
		case sentence == "":
			actions = append(actions, o.action)
		case !slices.Contains(barred, sentence):
			barred = append(barred, sentence)
		}
	}
	return actions, barred
}

// offer is a possible R-transaction with the link to its form.
type offer struct {
	kind   payment.Kind
	action views.Action
}

// offers maps each kind of message to its possible R-transactions.
var offers = map[payment.Kind]func(s Subject, m payment.Message) []offer{
	payment.KindInstruction: func(s Subject, m payment.Message) []offer {
		return []offer{{payment.KindRecall, views.Action{
			Label: i18n.Text("Recall %s").With(m.Summary.Amount.Format()),
			URL:   views.PaymentURL(s.Original.InternalID) + "/recall",
		}}}
	},
	payment.KindPayment: func(s Subject, m payment.Message) []offer {
		amount, returning := m.Summary.Amount.Format(), views.PaymentURL(s.Original.InternalID)+"/return"
		if !s.Recalled() {
			return []offer{{payment.KindReturn, views.Action{Label: i18n.Text("Return %s").With(amount), URL: returning}}}
		}
		return []offer{
			{payment.KindReturn, views.Action{Label: i18n.Text("Accept the recall and send %s back").With(amount), URL: returning}},
			{payment.KindResolution, views.Action{Label: "Refuse the recall", URL: refusalPath(s.Recall)}},
		}
	},
	payment.KindReceivedRecall: func(s Subject, m payment.Message) []offer {
		list := []offer{{
			payment.KindResolution,
			views.Action{Label: i18n.Text("Refuse the recall of %s").With(m.Summary.Amount.Format()), URL: refusalPath(m)},
		}}
		if s.Recalled() {
			list = append(list, offer{payment.KindReturn, views.Action{
				Label: "Accept the recall and send the money back",
				URL:   views.PaymentURL(s.Original.InternalID) + "/return",
			}})
		}
		return list
	},
}

// refusalPath returns the address of the form that refuses a received recall.
func refusalPath(recall payment.Message) string {
	return "/recalls/" + recall.InternalID.String() + "/resolve"
}

// noticeOfRecall says on the pages of a payment and its recall that another bank waits for an answer.
func (v *Request) noticeOfRecall(s Subject, m payment.Message) []views.Warning {
	if !s.Recalled() || m.Kind != payment.KindPayment && m.Kind != payment.KindReceivedRecall {
		return nil
	}
	due := Due(v, s.Recall)
	warning := views.Warning{Title: i18n.Text("Answer the recall by %s (%s)").With(due.Day, due.Text)}
	if m.Kind == payment.KindPayment {
		warning.Links = []ui.Step{{
			Label: i18n.Text("Show the recall %s").With(s.Recall.GlobalID), URL: views.PaymentURL(s.Recall.InternalID),
		}}
	}
	answerable := s
	answerable.Kind = payment.KindResolution
	if PreparedAnswer(v, answerable) != "" && answerable.Bar(v.Config.Rules) == "" && MayMake(v.By) == nil {
		warning.Text = "A refusal with the reason “The creditor has not responded” (NOAS) has been prepared. It will not be sent automatically."
		warning.Links = append(warning.Links, ui.Step{
			Label: "Open the prepared refusal", URL: refusalPath(s.Recall),
		})
	}
	return []views.Warning{warning}
}

// Subject is the subject of an R-transaction, with all other messages about the payment.
type Subject struct {
	payment.RTransactionSubject

	Kind payment.Kind // of the R-transaction
}

// maxRelated limits the messages about one payment that are read; each kind may be rejected and tried again.
const maxRelated = 50

// Around loads all messages about the same payment: the payment itself and those that refer to it.
func Around(v *Request, m payment.Message) (Subject, error) {
	s := Subject{}
	s.Original = m
	var err error
	if m.OriginalID != uuid.Nil {
		s.Original, err = v.Config.Reader.Message(v.Context(), v.By.Realm, m.OriginalID)
		if err != nil {
			return Subject{}, err
		}
	}
	s.Others, err = v.Config.Reader.Messages(v.Context(), v.By.Realm,
		store.Filter{OriginalID: s.Original.InternalID, PageSize: maxRelated})
	if err != nil {
		return Subject{}, err
	}
	for _, other := range s.Others {
		if other.Kind == payment.KindReceivedRecall {
			s.Recall = other
		}
	}
	return s, nil
}

// Bar is the domain's sentence why no R-transaction of the kind can be made now, or "".
func (s Subject) Bar(rules rulebook.Settings) i18n.Text {
	err := s.Eligible(s.Kind, rules)
	if err != nil {
		return refusalText(err)
	}
	return ""
}
