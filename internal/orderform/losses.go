package orderform

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// Loss is an element of an order that the form has no field for.
type Loss struct {
	Element string // its path below the order, such as PmtInf/CdtTrfTxInf/Purp/Cd
	Value   string
}

// replaced are elements that the form writes anew from the account, the scheme and the clock, and that no person reads.
var replaced = []string{"GrpHdr/CreDtTm", "GrpHdr/NbOfTxs", "GrpHdr/CtrlSum", "PmtInf/NbOfTxs", "PmtInf/CtrlSum", "PmtInf/PmtMtd"}

// Losses lists the elements of an order for one payment whose values the form would not keep, in the order of the document. The execution
// date is none, of which the form keeps the day. Nor is the debtor agent, which is the bank of the account.
func Losses(scheme rulebook.Scheme, document *iso20022.CustomerCreditTransferInitiation) []Loss {
	info, _, single := document.SinglePayment()
	if !single {
		return nil
	}
	before, err := codec.EncodeXML(document)
	if err != nil {
		return nil
	}
	after, err := codec.EncodeXML(Order{
		Draft: uuid.Nil, Scheme: scheme, Values: ValuesOf(document, time.Time{}), At: time.Time{}, Today: time.Time{},
		Account: &payment.DebtorAccount{IBAN: info.DebtorAccount.ID.IBAN},
	}.Build().Document)
	if err != nil {
		return nil
	}
	kept := leaves(after)
	var lost []Loss
	for _, leaf := range leaves(before) {
		ignored := slices.Contains(replaced, leaf.Element) || strings.HasPrefix(leaf.Element, "PmtInf/ReqdExctnDt") ||
			strings.HasPrefix(leaf.Element, "PmtInf/DbtrAgt/") ||
			strings.HasSuffix(leaf.Element, "/CdtrRefInf/Tp/Issr")
		if !ignored && !slices.Contains(kept, leaf) {
			lost = append(lost, leaf)
		}
	}
	return lost
}

// leaves are the elements of a document that have a text, with the attribute of an amount in front of it.
func leaves(content []byte) []Loss {
	scanner := codec.NewXMLScanner(content, codec.MaxDepth)
	var list []Loss
	var path []string
	for {
		token := scanner.Next()
		switch token.Kind {
		case codec.Start:
			path = append(path, string(token.Local))
		case codec.End:
			path = path[:len(path)-1]
		case codec.Text:
			if !token.IsBlank() && len(path) > 2 {
				list = append(list, Loss{Element: strings.Join(path[2:], "/"), Value: token.Characters()})
			}
		case codec.EndOfDocument, codec.Broken:
			return list
		}
	}
}
