package interbank

import (
	"reflect"
	"strconv"
	"strings"

	"countersign/internal/charset"
	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// The rules of Check; the rulebook's table has them.
const (
	RuleNotForwarded         = rulebook.RuleNotForwarded
	RuleIdentifierCharacters = rulebook.RuleIdentifierCharacters
)

// maxFindings bounds the findings of one kind: a document of the largest size can have thousands, and nobody reads so many.
const maxFindings = 200

// Check returns what cannot be sent on of an order that rulebook.Check accepts, by place: elements the scheme's interbank documents
// have no place for (CH17) and identifiers outside its character set (CH16). Each payment of a dry run of many is held as if it were alone.
// An unknown scheme or a missing order has no findings: CreditTransfer says why it makes nothing of them.
func Check(scheme rulebook.Scheme, order *iso20022.CustomerCreditTransferInitiation) []iso20022.Finding {
	c, err := conventionOf(scheme)
	if err != nil || order == nil {
		return nil
	}
	var findings []iso20022.Finding
	FindRefused(scheme, order, func(row Row, pointer string) bool {
		findings = append(findings, iso20022.Finding{
			Rule: RuleNotForwarded, Pointer: pointer, Code: "CH17",
			Text: i18n.Text("Remove %s: instant payments do not carry it to the creditor's bank.").With(row.Name),
		})
		return len(findings) < maxFindings
	})
	walk := characterWalk{convention: c, steps: make([]string, 0, 8)}
	for index := range order.PaymentInformation {
		walk.visitInformation(&order.PaymentInformation[index], informationsPointer+strconv.Itoa(index))
	}
	return append(findings, walk.findings...)
}

const informationsPointer = "/Document/CstmrCdtTrfInitn/PmtInf/"

// visitInformation checks the forwarded texts of a payment information against the scheme's character set, after
// transliteration.
func (w *characterWalk) visitInformation(information *iso20022.PaymentInstruction30, at string) {
	w.visit(reflect.ValueOf(w.identification(information.Debtor.ID)), at+"/Dbtr/Id")
	w.visit(reflect.ValueOf(w.party(information.UltimateDebtor)), at+"/UltmtDbtr")
	w.visit(reflect.ValueOf(information.PaymentTypeInformation), at+"/PmtTpInf")
	for index := range information.CreditTransferTransactionInformation {
		if len(w.findings) == maxFindings {
			return
		}
		w.visitTransaction(&information.CreditTransferTransactionInformation[index], at+"/CdtTrfTxInf/"+strconv.Itoa(index))
	}
}

func (w *characterWalk) visitTransaction(t *iso20022.CreditTransferTransaction34, at string) {
	w.visit(reflect.ValueOf(t.PaymentTypeInformation), at+"/PmtTpInf")
	w.visit(reflect.ValueOf(w.party(t.UltimateDebtor)), at+"/UltmtDbtr")
	if !w.agentsByIID {
		w.visit(reflect.ValueOf(t.CreditorAgent), at+"/CdtrAgt")
	}
	w.visit(reflect.ValueOf(w.party(t.Creditor)), at+"/Cdtr")
	if t.CreditorAccount != nil {
		w.visit(reflect.ValueOf(w.creditorAccount(t.CreditorAccount)), at+"/CdtrAcct")
	}
	w.visit(reflect.ValueOf(w.party(t.UltimateCreditor)), at+"/UltmtCdtr")
	w.visit(reflect.ValueOf(t.Purpose), at+"/Purp")
	w.visit(reflect.ValueOf(&t.RelatedRemittanceInformation), at+"/RltdRmtInf")
	w.visit(reflect.ValueOf(w.remittance(t.RemittanceInformation)), at+"/RmtInf")
}

// characterWalk visits every text below a component.
type characterWalk struct {
	convention
	findings []iso20022.Finding
	steps    []string // the way to the value in hand; put together only for a finding
}

// characters is the set of the value in hand. An e-mail address or a link may have any sign of ASCII: without @ it is none.
func (w *characterWalk) characters() charset.Set {
	last := len(w.steps) - 1
	if w.steps[last] == "ElctrncAdr" || last > 0 && w.steps[last] == "Id" && w.steps[last-1] == "Prxy" {
		return charset.ASCII
	}
	return w.Interbank
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
		if r, place, refused := w.characters().FirstRefused(value.String()); refused {
			w.findings = append(w.findings, iso20022.Finding{
				Rule: RuleIdentifierCharacters, Pointer: strings.Join(w.steps, "/"), Code: "CH16",
				Text: i18n.Text("Replace %s (character %d): not every bank of the scheme accepts it here, and it must not be changed on the way.").
					With(charset.Shown(r), place),
			})
		}
	}
	w.steps = w.steps[:len(w.steps)-1]
}
