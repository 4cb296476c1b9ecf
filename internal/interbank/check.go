package interbank

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"countersign/internal/charset"
	"countersign/internal/interbank/carriage"
	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// The rules of Check, which stand in the rulebook's table.
const (
	RuleNotForwarded         = rulebook.RuleNotForwarded
	RuleIdentifierCharacters = rulebook.RuleIdentifierCharacters
)

// maxFindings bounds the findings of one kind: a document of the largest size can have thousands, and nobody reads so many.
const maxFindings = 200

// Check returns what cannot be sent on of an order that rulebook.Check accepts, by place: elements the scheme's interbank documents
// have no place for (CH17) and identifiers outside its character set (CH16). It has no findings for an order that CreditTransfer
// cannot read; CreditTransfer says why.
func Check(scheme rulebook.Scheme, order *iso20022.CustomerCreditTransferInitiation) []iso20022.Finding {
	c, err := conventionOf(scheme)
	if err != nil {
		return nil
	}
	information, transaction, single := order.SinglePayment()
	if !single {
		return nil
	}
	var findings []iso20022.Finding
	carriage.FindRefused(scheme, order, func(row carriage.Row, pointer string) bool {
		findings = append(findings, iso20022.Finding{
			Rule: RuleNotForwarded, Pointer: pointer, Code: "CH17",
			Text: "Remove " + row.Name + ": instant payments do not carry it to the creditor's bank.",
		})
		return len(findings) < maxFindings
	})
	return append(findings, c.checkCharacters(information, transaction)...)
}

const (
	orderPointer       = "/Document/CstmrCdtTrfInitn"
	informationPointer = orderPointer + "/PmtInf/0"
	transactionPointer = informationPointer + "/CdtTrfTxInf/0"
)

// checkCharacters holds what is sent on against the character set of the scheme, after texts are transliterated.
func (c convention) checkCharacters(
	information *iso20022.PaymentInstruction30, t *iso20022.CreditTransferTransaction34,
) []iso20022.Finding {
	walk := characterWalk{convention: c, steps: make([]string, 0, 8)}
	walk.visit(reflect.ValueOf(c.identification(information.Debtor.ID)), informationPointer+"/Dbtr/Id")
	walk.visit(reflect.ValueOf(c.party(information.UltimateDebtor)), informationPointer+"/UltmtDbtr")
	walk.visit(reflect.ValueOf(information.PaymentTypeInformation), informationPointer+"/PmtTpInf")
	walk.visit(reflect.ValueOf(t.PaymentTypeInformation), transactionPointer+"/PmtTpInf")
	walk.visit(reflect.ValueOf(c.party(t.UltimateDebtor)), transactionPointer+"/UltmtDbtr")
	if !c.agentsByIID {
		walk.visit(reflect.ValueOf(t.CreditorAgent), transactionPointer+"/CdtrAgt")
	}
	walk.visit(reflect.ValueOf(c.party(t.Creditor)), transactionPointer+"/Cdtr")
	if t.CreditorAccount != nil {
		walk.visit(reflect.ValueOf(c.creditorAccount(t.CreditorAccount)), transactionPointer+"/CdtrAcct")
	}
	walk.visit(reflect.ValueOf(c.party(t.UltimateCreditor)), transactionPointer+"/UltmtCdtr")
	walk.visit(reflect.ValueOf(t.Purpose), transactionPointer+"/Purp")
	walk.visit(reflect.ValueOf(&t.RelatedRemittanceInformation), transactionPointer+"/RltdRmtInf")
	walk.visit(reflect.ValueOf(c.remittance(t.RemittanceInformation)), transactionPointer+"/RmtInf")
	return walk.findings
}

// characterWalk visits every text below a component.
type characterWalk struct {
	convention
	findings []iso20022.Finding
	steps    []string // the way to the value in hand; put together only for a finding
}

func (w *characterWalk) visit(value reflect.Value, step string) {
	if len(w.findings) == maxFindings {
		return
	}
	if value.Kind() == reflect.Pointer {
		if value.IsNil() {
			return
		}
		value = value.Elem()
	}
	w.steps = append(w.steps, step)
	switch value.Kind() {
	case reflect.Slice:
		for i := range value.Len() {
			w.visit(value.Index(i), strconv.Itoa(i))
		}
	case reflect.Struct:
		for i := range value.NumField() {
			if value.Field(i).IsZero() {
				continue
			}
			if tag := value.Type().Field(i).Tag.Get("iso"); tag != "" {
				w.visit(value.Field(i), tag)
			}
		}
	case reflect.String:
		if r, place, refused := w.Interbank.FirstRefused(value.String()); refused {
			w.findings = append(w.findings, iso20022.Finding{
				Rule: RuleIdentifierCharacters, Pointer: strings.Join(w.steps, "/"), Code: "CH16",
				Text: fmt.Sprintf(
					"Replace %s (character %d): not every bank of the scheme takes it here, and it must not be changed on the way.",
					charset.Shown(r), place,
				),
			})
		}
	}
	w.steps = w.steps[:len(w.steps)-1]
}
