package interbank

import (
	"strconv"
	"strings"

	"countersign/internal/charset"
	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
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
	set := sets[scheme]
	set.refused.Each(order, func(found iso20022.Found) bool {
		findings = append(findings, iso20022.Finding{
			Rule: rulebook.RuleNotForwarded, Pointer: found.Pointer(orderPointer), Code: "CH17",
			Text: i18n.Text("Remove %s: instant payments do not pass this information on to the creditor's bank.").With(set.rows[found.Place].Name),
		})
		return len(findings) < maxFindings
	})
	checked := characterCheck{convention: c}
	for index := range order.PaymentInformation {
		checked.information(&order.PaymentInformation[index], informationsPointer+strconv.Itoa(index))
	}
	return append(findings, checked.findings...)
}

const informationsPointer = "/Document/CstmrCdtTrfInitn/PmtInf/"

// characterCheck holds the forwarded texts, after transliteration, against the scheme's character set.
type characterCheck struct {
	convention
	findings []iso20022.Finding
}

func (c *characterCheck) information(information *iso20022.PaymentInstruction30, at string) {
	c.texts(c.identification(information.Debtor.ID), at+"/Dbtr/Id")
	c.texts(c.party(information.UltimateDebtor), at+"/UltmtDbtr")
	c.texts(information.PaymentTypeInformation, at+"/PmtTpInf")
	for index := range information.CreditTransferTransactionInformation {
		if len(c.findings) == maxFindings {
			return
		}
		c.transaction(&information.CreditTransferTransactionInformation[index], at+"/CdtTrfTxInf/"+strconv.Itoa(index))
	}
}

func (c *characterCheck) transaction(t *iso20022.CreditTransferTransaction34, at string) {
	c.texts(t.PaymentTypeInformation, at+"/PmtTpInf")
	c.texts(c.party(t.UltimateDebtor), at+"/UltmtDbtr")
	if !c.agentsByIID {
		c.texts(t.CreditorAgent, at+"/CdtrAgt")
	}
	c.texts(c.party(t.Creditor), at+"/Cdtr")
	if t.CreditorAccount != nil {
		c.texts(c.creditorAccount(t.CreditorAccount), at+"/CdtrAcct")
	}
	c.texts(c.party(t.UltimateCreditor), at+"/UltmtCdtr")
	c.texts(t.Purpose, at+"/Purp")
	c.texts(t.RelatedRemittanceInformation, at+"/RltdRmtInf")
	c.texts(c.remittance(t.RemittanceInformation), at+"/RmtInf")
}

// texts checks the texts of a component.
func (c *characterCheck) texts(component any, at string) {
	iso20022.EachText(component, at, func(steps []string, text string) bool {
		if r, place, refused := c.characters(steps).FirstRefused(text); refused && len(c.findings) < maxFindings {
			c.findings = append(c.findings, iso20022.Finding{
				Rule: rulebook.RuleIdentifierCharacters, Pointer: strings.Join(steps, "/"), Code: "CH16",
				Text: i18n.Text("Replace %s (character %d). Some banks in the scheme do not accept this character, and the gateway does not "+
					"replace it because identifiers must not be changed in transit.").
					With(charset.Shown(r), place),
			})
		}
		return len(c.findings) < maxFindings
	})
}

// characters is the set of a text. An e-mail address or a link may have any sign of ASCII: without @ it is none.
func (c *characterCheck) characters(steps []string) charset.Set {
	last := len(steps) - 1
	if steps[last] == "ElctrncAdr" || last > 0 && steps[last] == "Id" && steps[last-1] == "Prxy" {
		return charset.ASCII
	}
	return c.Interbank
}
