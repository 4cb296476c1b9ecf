package rulebook

import (
	"countersign/internal/i18n"
	"countersign/internal/iso20022/code"
)

// OfferedRecallReasons are the reasons for a recall that the clearing of the scheme takes: the scheme's own, or those of the terms.
func OfferedRecallReasons(scheme Scheme, terms Terms) []Reason {
	return offered(RecallReasons(scheme), terms.RecallReasons, code.CancellationReasons)
}

// OfferedReturnReasons are the reasons for a return, likewise.
func OfferedReturnReasons(scheme Scheme, terms Terms) []Reason {
	return offered(ReturnReasons(scheme), terms.ReturnReasons, code.ReturnReasons)
}

// OfferedResolutionReasons are the reasons to refuse a recall, likewise.
func OfferedResolutionReasons(scheme Scheme, terms Terms) []Reason {
	return offered(ResolutionReasons(scheme), terms.ResolutionReasons, code.CancellationRejections)
}

// offered are the reasons of some codes, in their order: as the scheme has them, else with the words of ISO.
func offered(list []Reason, codes []string, set code.Set) []Reason {
	if len(codes) == 0 {
		return list
	}
	chosen := make([]Reason, 0, len(codes))
	for _, id := range codes {
		reason, known := FindReason(list, id)
		if !known {
			reason, known = Further(set, id)
		}
		if known {
			chosen = append(chosen, reason)
		}
	}
	return chosen
}

// Further is a reason that the scheme's list does not have and ISO's has: a clearing may take it by its terms.
func Further(set code.Set, id string) (Reason, bool) {
	definition, known := set.Find(id)
	return Reason{
		Code: definition.Code, Text: i18n.Stored(definition.Text), Information: freeLines, Usual: true,
		Source: "Terms of the clearing; " +
			definition.Set,
	}, known
}

// terms are those of the clearing on the day of the request.
func (c RTransactionCase) terms() Terms { return c.Settings.TermsOn(c.Scheme, c.Today) }
