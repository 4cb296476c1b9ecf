package payment_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// verdict is what stands beside each problem, whatever way an order came: place, code and sentence.
type verdict struct{ pointer, code, text string }

// judge checks the structure first and the rules of an order whose structure is fine, as API, form and file do.
func judge(scheme rulebook.Scheme, document iso20022.Document, found []iso20022.Finding) []verdict {
	var verdicts []verdict
	for _, f := range found {
		verdicts = append(verdicts, verdict{f.Pointer, f.Code, f.Text.String()})
	}
	if order, is := document.(*iso20022.CustomerCreditTransferInitiation); is && len(found) == 0 {
		for _, f := range payment.CheckInstruction(benchmarkInput(scheme, order)) {
			verdicts = append(verdicts, verdict{f.Pointer, f.Code, f.Text.String()})
		}
	}
	// What is missing has no place of its own in a file, so the order may differ by the way; a form has an order of its own anyhow.
	slices.SortFunc(verdicts, func(a, b verdict) int { return cmp.Or(cmp.Compare(a.pointer, b.pointer), cmp.Compare(a.text, b.text)) })
	return verdicts
}

// texts are what careless people and programs write.
var texts = []string{
	"", " ", "x", "A/B", "/A", "A//B", "A/", "1", "0", "2", "CHF", "EUR", "USD", "CH4821966000009613388", "CH4821966000009613389",
	"ch4821966000009613388", "CH4431999123000889012", "DE62007620110623852957", "TR330006100519786457841326", "RAIFCH22", "RAIFZZ22", "XXXXXX",
	"ZZ", "CH", "2026-03-01", "2026-03-02", "2026-03-03", "2026-02-30", "soon", "SLEV", "DEBT", "SEPA", "INST", "ITP", "TRF", "CHK", "SCOR",
	"QRR", "RF18539007547034", "RF19539007547034", "210000000003139471430009017", "Zürich", "日本", "Grüße → Bern", "Rosenauweg 4",
	"NOTPROVIDED", "80005", "CHBCC",
	"a very long text that goes on and on until it has more than the seventy characters that a street may have, and more than a hundred and " +
		"forty in all",
}

// places lists the texts of an order that can be set, with those that are empty in components that exist.
func places(value reflect.Value) []reflect.Value {
	switch value.Kind() {
	case reflect.String:
		return []reflect.Value{value}
	case reflect.Pointer:
		if value.IsNil() {
			return nil
		}
		return places(value.Elem())
	case reflect.Slice:
		var found []reflect.Value
		for i := range value.Len() {
			found = append(found, places(value.Index(i))...)
		}
		return found
	case reflect.Struct:
		var found []reflect.Value
		for i := range value.NumField() {
			if value.Type().Field(i).IsExported() {
				found = append(found, places(value.Field(i))...)
			}
		}
		return found
	default:
		return nil
	}
}

// The same broken order is judged the same as JSON, as XML, and as the document a form builds.
func TestOrdersAreJudgedTheSameByEveryWay(t *testing.T) {
	t.Parallel()
	const each = 3000
	for _, scheme := range rulebook.Schemes() {
		t.Run(string(scheme), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(3, 20022))
			seen := map[string]int{}
			for range each {
				order := benchmarkOrder(t, scheme)
				for range 1 + random.IntN(3) {
					at := places(reflect.ValueOf(order).Elem())
					at[random.IntN(len(at))].SetString(texts[random.IntN(len(texts))])
				}
				built, written, sent := byEveryWay(t, scheme, order)
				if !slices.Equal(built, written) || !slices.Equal(built, sent) {
					t.Fatalf("judged differently\n built %v\n file  %v\n API   %v", built, written, sent)
				}
				seen[fmt.Sprint(len(built) > 0)]++
				for _, v := range built {
					seen[v.code]++
				}
			}
			t.Logf("orders and codes: %v", seen)
			if seen["true"] < each/2 || len(seen) < 12 {
				t.Errorf("the orders were hardly broken: %v", seen)
			}
		})
	}
}

// byEveryWay judges an order as it was built, read from XML, and read from JSON.
func byEveryWay(t *testing.T, scheme rulebook.Scheme, order *iso20022.CustomerCreditTransferInitiation) (built, written, sent []verdict) {
	t.Helper()
	xml, err := codec.EncodeXML(order)
	if err != nil {
		t.Fatal(err)
	}
	json, err := codec.EncodeJSON(order)
	if err != nil {
		t.Fatal(err)
	}
	fromXML, foundXML := codec.DecodeXML(xml)
	fromJSON, foundJSON := codec.DecodeJSON(json, "/Document", iso20022.Pain001V09)
	return judge(scheme, order, codec.Validate(order)), judge(scheme, fromXML, foundXML), judge(scheme, fromJSON, foundJSON)
}
