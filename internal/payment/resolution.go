package payment

import (
	"time"

	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// resolutionKind refuses an unanswered received recall (camt.029 with RJCR). A granted recall is a return with FOCR, not a resolution.
var resolutionKind = rTransactionKind{
	pointer: pointerCreditID,
	eligible: func(s RTransactionSubject) error {
		switch {
		case s.Original.Kind != KindPayment:
			return refuseOriginal(pointerCreditID, i18n.Text("Choose an incoming payment. The message you chose is a different type: %s.").
				With(s.Original.Kind.Text()))
		case s.Recall.Kind != KindReceivedRecall:
			return refuseOriginal(pointerRecallID, i18n.Text("Choose a received recall. The message you chose is a different type: %s.").
				With(s.Recall.Kind.Text()))
		case !s.Recalled():
			return refuseOriginal(pointerRecallID, i18n.Text("This recall no longer needs an answer. Its state is %s.").With(s.Recall.State.Text()))
		}
		return nil
	},
	reasons: func(s RTransactionSubject, terms rulebook.Terms) []rulebook.Reason {
		list := rulebook.OfferedResolutionReasons(s.Original.Scheme, terms)
		for i := range list {
			list[i].Information = rulebook.ResolutionInformation(s.Original.Scheme, list[i].Code, s.Recall.Reason)
		}
		return list
	},
	check: rulebook.CheckResolution,
	// There is no last day: a late refusal is better than none.
	lastDay: func(rulebook.RTransactionCase) (time.Time, bool) { return time.Time{}, false },
	draft: func(in RTransactionInput, asked interbank.RTransactionInput) (iso20022.Document, error) {
		recall, err := contentOf[*iso20022.FIToFIPaymentCancellationRequest](in.About.Recall)
		if err != nil {
			return nil, err
		}
		asked.Recall = recall
		return interbank.Resolution(asked)
	},
}
