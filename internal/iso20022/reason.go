package iso20022

// contentReasons are the reason codes for the wrong content of an element,
// by its tag (SPS 2025, error codes beside each element; CH16 for the
// identifiers by 3.2). What is not listed is a format error.
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

// groupReasons are the codes for the content of what lies inside these groups.
var groupReasons = map[string]string{
	"ReqdExctnDt": codeDate,
	"SvcLvl":      codeContent,
	"LclInstrm":   codeContent,
	"CtgyPurp":    codeContent,
	"PstlAdr":     codeContent,
}

// leafProblem turns a mistake at the current place into a code and a sentence.
func (r *reporter) leafProblem(e *element, what mistake, advice string) problem {
	if what == mistakeBlank {
		if e.min > 0 {
			return problem{codeMissing, "Enter a value in " + e.tag + ": it is mandatory and must not be empty."}
		}
		return problem{codeContent, "Enter a value in " + e.tag + " or remove the element: it must not be empty."}
	}
	return problem{r.contentReason(e, what), advice + " in " + e.tag + "."}
}

func (r *reporter) contentReason(e *element, what mistake) string {
	switch {
	case what == mistakeCharacter:
		return codeContent
	case e.currency != nil && what == mistakeFraction:
		return codeDecimals
	case e.currency != nil:
		return codeAmount
	}
	if code, found := contentReasons[e.tag]; found {
		return code
	}
	for _, ancestor := range []string{e.tag, r.ancestor(1)} {
		if code, found := groupReasons[ancestor]; found {
			return code
		}
	}
	return codeFormat
}
