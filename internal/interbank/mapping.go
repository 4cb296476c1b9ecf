package interbank

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// Fate is the handling of an element.
type Fate string

// The fates.
const (
	// Carried: it stands in the pacs.008, in the characters of the scheme.
	Carried Fate = "carried"
	// Kept: it does its work at the debtor's bank, which checks it or answers with it.
	Kept Fate = "kept"
	// NotForwarded: it is taken and has no effect; a note says so.
	NotForwarded Fate = "not forwarded"
	// Refused: an order that has it is not taken.
	Refused Fate = "refused"
)

// Row is the handling of an element and its descendants; a row for a descendant has priority.
type Row struct {
	// Place is the path of the element below the message element, without indexes.
	Place string
	// Scheme is the one scheme the row holds for; "" for both.
	Scheme rulebook.Scheme
	Fate   Fate
	// To is the path of a carried element below the message element of the pacs.008; {header} stands for the header
	// or the transaction.
	To string
	// Name is the element's name in a sentence; "" for an element without a note.
	Name string
	// Reason says why an element is kept, not forwarded or refused, or how it is written.
	Reason string
	// says is the value that the pacs.008 has in any case: of any other a note is made. Only elements of one text have it.
	says string
	// quiet reports that an element adds nothing to the pacs.008; its argument is the parent.
	quiet func(parent reflect.Value) bool
}

// Rows is the table of a scheme, in the order of the message.
func Rows(scheme rulebook.Scheme) []Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Scheme != "" && r.Scheme != scheme })
}

// How describes how an element is written, or why it is not.
func (r Row) How() string {
	switch {
	case r.says != "" && r.Fate == Carried:
		return "always " + r.says + "; noted where the order says otherwise"
	case r.says != "":
		return r.Reason + "; noted where the order does not say " + r.says
	case r.quiet != nil:
		return r.Reason + "; noted where it is another bank"
	case r.Reason == "":
		return "as it is"
	default:
		return r.Reason
	}
}

// Note informs the client that an element of its order is not forwarded.
type Note struct {
	// Pointer names the place, as those of findings do.
	Pointer string
	// Text is a sentence.
	Text i18n.Text
}

const orderPointer = "/Document/CstmrCdtTrfInitn"

// maxNotes bounds the notes of one order; there are fewer rows, but elements repeat.
const maxNotes = 100

// Notes lists the elements of an order that are not forwarded to the creditor's bank, in document order, then doubtful references; at most
// 100. It expects an order that the rules accept; of another it lists what it can.
func Notes(scheme rulebook.Scheme, order *iso20022.CustomerCreditTransferInitiation) []Note {
	set := sets[scheme]
	if set == nil || order == nil {
		return nil
	}
	var notes []Note
	set.noted.Each(order, func(found iso20022.Found) bool {
		row := set.rows[found.Place]
		if row.left(found) {
			text := strings.ToUpper(row.Name[:1]) + row.Name[1:] + " is not forwarded to the creditor's bank: " + row.Reason + "."
			notes = append(notes, Note{Pointer: found.Pointer(orderPointer), Text: i18n.Data(text)})
		}
		return len(notes) < maxNotes
	})
	notes = append(notes, doubtfulReferences(scheme, order)...)
	return notes[:min(len(notes), maxNotes)]
}

// doubtfulReferences notes creditor references (SCOR) that SEPA carries unchecked, because their issuer is not ISO, and that are none.
func doubtfulReferences(scheme rulebook.Scheme, order *iso20022.CustomerCreditTransferInitiation) (notes []Note) {
	if scheme != rulebook.SchemeSCT {
		return nil
	}
	for i := range order.PaymentInformation {
		for j, t := range order.PaymentInformation[i].CreditTransferTransactionInformation {
			given := t.RemittanceInformation.CreditorReference()
			if given == nil || given.Type == nil || given.Type.CodeOrProprietary.Code != "SCOR" || isCreditorReference(given.Reference) {
				continue
			}
			notes = append(notes, Note{
				Pointer: informationsPointer + strconv.Itoa(i) + "/CdtTrfTxInf/" + strconv.Itoa(j) + "/RmtInf/Strd/0/CdtrRefInf/Ref",
				Text:    "The creditor reference is sent unchanged, but it does not follow ISO 11649 (RF, two check digits and at most 21 characters).",
			})
		}
	}
	return notes
}

// left reports whether an element that is there stays behind.
func (r Row) left(found iso20022.Found) bool {
	switch {
	case r.quiet != nil && r.quiet(found.Parent):
		return false
	case r.says != "":
		return found.Text() != r.says
	default:
		return r.Fate == NotForwarded
	}
}

// schemeSets are the elements to look for in an order of one scheme.
type schemeSets struct {
	rows           []Row
	noted, refused *iso20022.Set
}

var sets = map[rulebook.Scheme]*schemeSets{
	rulebook.SchemeSIC: newSets(rulebook.SchemeSIC), rulebook.SchemeSCT: newSets(rulebook.SchemeSCT),
}

func newSets(scheme rulebook.Scheme) *schemeSets {
	made := &schemeSets{rows: Rows(scheme)}
	made.noted = made.placesWhere(func(r Row) bool { return r.Fate == NotForwarded || r.says != "" })
	made.refused = made.placesWhere(func(r Row) bool { return r.Fate == Refused })
	return made
}

// placesWhere makes a set that knows places by the numbers of their rows.
func (s *schemeSets) placesWhere(chosen func(Row) bool) *iso20022.Set {
	set := iso20022.NewSet(reflect.TypeFor[iso20022.CustomerCreditTransferInitiation]())
	for number, row := range s.rows {
		if chosen(row) {
			set.MustAdd(row.Place, number)
		}
	}
	return set
}
