//go:build long

package browsertest

import "testing"

func TestAMakerIsToldWhoseAccountItIs(t *testing.T) {
	t.Parallel()
	for name, told := range map[string]string{
		"Nearly Right AG": "The creditor's name does not quite match the name on the " +
			"account", "Somebody Else": "The account is not in the creditor's name",
		"Not Kept Here": "The creditor's name could not be verified", "Late Answer": "The creditor's bank did not answer in time",
		"Muster Verifiziert AG": "The creditor's name is verified",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, o := as(t, "maker1"), newOrder("sct-inst")
			o.name = name
			p.open("/payments/new?scheme=sct-inst")
			p.typeIn(o)
			p.click("button", "Check your answers")
			p.at("/payments/[0-9a-f-]+/check$")
			p.says("main", told)
			if name == "Nearly Right AG" {
				p.click("button", "Use this name: Nearly Right Holding AG")
				p.says("main", "The creditor's name is verified")
				p.says("main", "Nearly Right Holding AG")
				o.name, told = "Nearly Right Holding AG", "The creditor's name is verified"
			}
			p.click("button", "Submit "+o.shown()+" for approval")
			p.at("/payments/[0-9a-f-]+/submitted$")
			m := o.find(t)
			checker := as(t, "checker1")
			checker.open("/queue/" + m.id)
			checker.says("main", told)
		})
	}
}
