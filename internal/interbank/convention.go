package interbank

import (
	"errors"
	"fmt"
	"strings"

	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// The kinds of failure. Compare with errors.Is; the text says which document and element.
var (
	// ErrScheme: a scheme that does not exist.
	ErrScheme = errors.New("unknown scheme")
	// ErrTransactions: a document about no transaction or about several.
	ErrTransactions = errors.New("the document is not about exactly one transaction")
	// ErrIncomplete: something is missing that the document to make or to read needs.
	ErrIncomplete = errors.New("incomplete")
	// ErrReason: a reason the scheme does not have for this document.
	ErrReason = errors.New("reason not in the scheme's list")
	// ErrKind: a document of another kind than the call is for.
	ErrKind = errors.New("document of another kind")
)

// convention holds a scheme's format of interbank documents, beyond its profile.
type convention struct {
	rulebook.Profile

	scheme rulebook.Scheme
	// shortNames: OrgnlMsgNmId is pacs.008 instead of pacs.008.001.08 (EPC, release of 2025). Readers take both.
	shortNames bool
	// controlData: a camt.056 states its number of transactions (EPC; omitted in SIC).
	controlData bool
	// fullParties: parties are sent on with contact details and country of residence (no elements of the EPC usage rules).
	fullParties bool
	// accountProxy: the creditor account is sent on with its proxy (SPS 4.3 refuses it for Swiss payments).
	accountProxy bool
	// agentsByIID: banks are named by their code in the Swiss clearing.
	agentsByIID bool
	// refusalsName: a pacs.002 that refuses names who refuses and repeats the payment, and each names the bank that sends it (EPC115-06).
	refusalsName bool
	// answersCite: the first line of an answer to a recall names the recall behind ATR053/ or ATR072/ (EPC). In SIC a return names it
	// plainly, and a camt.029 does not.
	answersCite bool
}

// conventionOf fails with ErrScheme.
func conventionOf(scheme rulebook.Scheme) (convention, error) {
	profile, known := scheme.Profile()
	if !known {
		return convention{}, fmt.Errorf("scheme %q: %w", scheme, ErrScheme)
	}
	c := convention{Profile: profile, scheme: scheme}
	switch scheme {
	case rulebook.SchemeSIC:
		c.agentsByIID, c.fullParties = true, true
	case rulebook.SchemeSCT:
		c.shortNames, c.controlData, c.answersCite, c.refusalsName = true, true, true, true
		c.accountProxy = true
	}
	return c, nil
}

// nameOf returns the name by which documents of the scheme refer to a message definition.
func (c convention) nameOf(name iso20022.MessageName) string {
	if c.shortNames {
		return string(name[:shortNameLength])
	}
	return string(name)
}

const shortNameLength = len("pacs.008")

// SameMessage reports whether a name in a document (OrgnlMsgNmId) means the message definition: its full name, its name without
// version or variant (pacs.008), or the name of another version. A definition that is not known, because a document of another bank names
// it, or none does, is meant by no name.
func SameMessage(said string, name iso20022.MessageName) bool {
	if len(name) < shortNameLength {
		return false
	}
	definition := string(name[:shortNameLength])
	return said == definition || strings.HasPrefix(said, definition+".")
}

func (c convention) settlement() iso20022.SettlementInstruction7 {
	settlement := iso20022.SettlementInstruction7{SettlementMethod: "CLRG"}
	if c.ClearingSystem != "" {
		settlement.ClearingSystem = &iso20022.ClearingSystemIdentification3Choice{Code: c.ClearingSystem}
	}
	return settlement
}

// uetr is the UETR where the scheme's documents carry it.
func (c convention) uetr(known string) string {
	if c.ForwardUETR {
		return known
	}
	return ""
}
