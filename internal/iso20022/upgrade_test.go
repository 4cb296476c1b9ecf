package iso20022

import (
	"reflect"
	"strings"
	"testing"
)

// leaves collects every text, number and amount of a document.
func leaves(group *groupType, value reflect.Value) []string {
	var all []string
	for i := range group.elements {
		if group.present(value, i) == 0 {
			continue
		}
		e, field := &group.elements[i], group.field(value, i)
		items := []reflect.Value{field}
		switch field.Kind() {
		case reflect.Slice:
			items = nil
			for k := range field.Len() {
				items = append(items, field.Index(k))
			}
		case reflect.Pointer:
			items = []reflect.Value{field.Elem()}
		}
		for _, item := range items {
			switch {
			case e.group != nil:
				all = append(all, leaves(e.group, item)...)
			case e.currency != nil:
				all = append(all, item.Interface().(Amount).String())
			default:
				all = append(all, e.simple.load(item))
			}
		}
	}
	return all
}

func count(texts []string) map[string]int {
	counts := map[string]int{}
	for _, text := range texts {
		counts[text]++
	}
	return counts
}

func TestUpgradeCarriesEveryValueOrSaysSo(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		s := sampler{newRandom(seed), []float64{1, 0.7, 0.3}[seed%3]}
		old := s.document(Pain001V03).(*CustomerCreditTransferInitiationV03)
		current, findings := Upgrade(old)
		before := count(leaves(&messageNamed(Pain001V03).document, reflect.ValueOf(old).Elem()))
		after := count(leaves(&messageNamed(Pain001V09).document, reflect.ValueOf(current).Elem()))
		lost := 0
		for text, times := range before {
			lost += max(times-after[text], 0)
		}
		reported := 0
		for _, finding := range findings {
			if strings.Contains(finding.Text, "has no place for it") {
				reported++
				if !strings.HasSuffix(finding.Pointer, "/CtctDtls/Othr") {
					t.Errorf("seed %d: no place for %s", seed, finding.Pointer)
				}
			}
		}
		if lost != reported && len(findings) < defaultMaxFindings {
			t.Errorf("seed %d: %d values lost, %d reported", seed, lost, reported)
		}
	}
}

func TestUpgradeOfAnOldOrderIsAValidNewOne(t *testing.T) {
	t.Parallel()
	replacer := strings.NewReplacer(
		"urn:iso:std:iso:20022:tech:xsd:pain.001.001.09", swissPain001V03,
		"<ReqdExctnDt><Dt>2026-03-02</Dt></ReqdExctnDt>", "<ReqdExctnDt>2026-03-02</ReqdExctnDt>",
		"BICFI>", "BIC>", "<UETR>7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10</UETR>", "")
	old, findings := DecodeXML([]byte(replacer.Replace(instructionXML)))
	if len(findings) > 0 || old.MessageName() != Pain001V03 {
		t.Fatal(findings)
	}
	current, findings := Upgrade(old.(*CustomerCreditTransferInitiationV03))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	want := validInstruction(t)
	want.PaymentInformation[0].CreditTransferTransactionInformation[0].PaymentID.UETR = ""
	if difference := equal(want, current); difference != "" {
		t.Error(difference)
	}
	if _, findings := Upgrade(nil); len(findings) == 0 {
		t.Error("no order is upgraded without findings")
	}
}
