package portal

import (
	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

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
