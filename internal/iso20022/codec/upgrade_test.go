package codec

import (
	"reflect"
	"strings"
	"testing"

	"countersign/internal/iso20022"
	"countersign/internal/testutil"
)

// leaves collects every text, number and amount of a document.
func leaves(group *iso20022.Group, value reflect.Value) []string {
	var all []string
	for i := range group.Elements {
		if group.Present(value, i) == 0 {
			continue
		}
		e, field := &group.Elements[i], group.Field(value, i)
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
			case e.Group != nil:
				all = append(all, leaves(e.Group, item)...)
			case e.Currency != nil:
				all = append(all, item.Interface().(iso20022.Amount).String())
			default:
				all = append(all, e.Simple.Load(item))
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
		s := testutil.Sampler{Random: newRandom(seed), Chance: []float64{1, 0.7, 0.3}[seed%3]}
		old := s.Document(iso20022.Pain001V03).(*iso20022.CustomerCreditTransferInitiationV03)
		current, findings := Upgrade(old)
		before := count(leaves(&iso20022.DefinitionNamed(iso20022.Pain001V03).Document, reflect.ValueOf(old).Elem()))
		after := count(leaves(&iso20022.DefinitionNamed(iso20022.Pain001V09).Document, reflect.ValueOf(current).Elem()))
		lost := 0
		for text, times := range before {
			lost += max(times-after[text], 0)
		}
		reported := 0
		for _, finding := range findings {
			if strings.Contains(finding.Text.String(), "does not support this element") {
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
		"urn:iso:std:iso:20022:tech:xsd:pain.001.001.09", "http://www.six-interbank-clearing.com/de/pain.001.001.03.ch.02.xsd",
		"<ReqdExctnDt><Dt>2026-03-02</Dt></ReqdExctnDt>", "<ReqdExctnDt>2026-03-02</ReqdExctnDt>",
		"BICFI>", "BIC>", "<UETR>7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10</UETR>", "")
	old, findings := DecodeXML([]byte(replacer.Replace(instructionXML)))
	if len(findings) > 0 || old.MessageName() != iso20022.Pain001V03 {
		t.Fatal(findings)
	}
	current, findings := Upgrade(old.(*iso20022.CustomerCreditTransferInitiationV03))
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
