package codec

import (
	"countersign/internal/iso20022"

	"countersign/internal/i18n"
)

// contentReasons maps the tag of an element to the reason code for wrong content (SPS 2025, error codes beside each element; CH16 for the
// identifiers by 3.2). Wrong content of other elements is a format error.
var contentReasons = map[string]string{
	"MsgId":      codeContent,
	"CreDtTm":    codeDate,
	"NbOfTxs":    codeTransactionNum,
	"CtrlSum":    codeControlSum,
	"PmtInfId":   codeContent,
	"PmtMtd":     codeContent,
	"InstrId":    codeContent,
	"EndToEndId": codeContent,
	"TxId":       codeContent,
	"ChrgBr":     codeContent,
	"Ref":        codeContent,
	"Ustrd":      codeContent,
	"IBAN":       codeAccount,
	"BIC":        codeBIC,
	"BICFI":      codeBIC,
	"AnyBIC":     codeBIC,
	"BICOrBEI":   codeBIC,
	"Ctry":       codeCountry,
}

// groupReasons maps the tag of a group to the reason code for wrong content inside it.
var groupReasons = map[string]string{
	"ReqdExctnDt": codeDate,
	"SvcLvl":      codeContent,
	"LclInstrm":   codeContent,
	"CtgyPurp":    codeContent,
	"PstlAdr":     codeContent,
}

// leafProblem turns a mistake at the current place into a code and a sentence.
func (r *reporter) leafProblem(e *iso20022.Element, what iso20022.Mistake, advice i18n.Text) problem {
	if what == iso20022.MistakeBlank {
		if e.Min > 0 {
			return problem{codeMissing, i18n.Text("Enter a value in %s: this element is mandatory and must not be empty.").With(e.Tag)}
		}
		return problem{codeContent, i18n.Text("Enter a value in %s or remove the element: it must not be empty.").With(e.Tag)}
	}
	return problem{r.contentReason(e, what), i18n.InElement(advice, e.Tag)}
}

func (r *reporter) contentReason(e *iso20022.Element, what iso20022.Mistake) string {
	switch {
	case what == iso20022.MistakeCharacter:
		return codeContent
	case e.Currency != nil && what == iso20022.MistakeFraction:
		return codeDecimals
	case e.Currency != nil:
		return codeAmount
	}
	if code, found := contentReasons[e.Tag]; found {
		return code
	}
	for _, ancestor := range []string{e.Tag, r.ancestor(1)} {
		if code, found := groupReasons[ancestor]; found {
			return code
		}
	}
	return codeFormat
}

// currency checks the currency of the current amount.
func (r *reporter) currency(e *iso20022.Element, offset int, text string) {
	what, advice := e.Currency.Check(text, true)
	if what == iso20022.MistakeNone {
		return
	}
	if what == iso20022.MistakeBlank {
		r.currencyMissing(e, offset)
		return
	}
	r.reportChild(step{"Ccy", -1}, offset, problem{codeCurrency, i18n.Text("%s, for the currency of %s.").With(advice, e.Tag)})
}

func (r *reporter) currencyMissing(e *iso20022.Element, offset int) {
	r.reportChild(step{"Ccy", -1}, offset, problem{codeMissing, i18n.Text("Enter the currency of %s in the attribute Ccy.").With(e.Tag)})
}
