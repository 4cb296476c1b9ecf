package api

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"countersign/internal/rulebook"
)

// FuzzRequestForm holds for any bytes that reading a recall, return or resolution ends without a panic, that a refusal names places,
// and that what is taken has one reason and the lines that a lenient reader sees too.
func FuzzRequestForm(f *testing.F) {
	forms, err := Compile()
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		`{"identifiers":{"internalId":"a"},"RecallDetails":{"reason":"CUST","additionalInformation":["a","b"]}}`,
		`{"paymentRequest":{"identifiers":{"internalId":"a"},"reason":"CUST","additionalInformation":"a"}}`,
		`{"identifiers":{"creditId":"a"},"ReturnDetails":{"reason":"FOCR","chargeAmount":{"Ccy":"EUR","value":1.5}}}`,
		`{"identifiers":{"creditId":"a"},"ReturnDetails":{"reason":"FOCR","chargeAmount":1e999999999}}`,
		`{"identifiers":{"creditId":"a","recallId":"b"},"reason":"CUST","additionalInformation":[[`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, one := range forms.RTransactions {
			read, err := one.Read(t.Context(), raw)
			if err != nil {
				checkRefusal(t, err)
				continue
			}
			asked, _ := one.RTransaction(read, rulebook.SchemeSIC) // a charge may be wrong
			var lenient map[string]any
			decoder := json.NewDecoder(bytes.NewReader(raw))
			decoder.UseNumber()
			err = decoder.Decode(&lenient)
			if err != nil {
				t.Fatalf("taken, but %v", err)
			}
			if read.Prefix != "" {
				lenient, _ = lenient[wrapperName].(map[string]any)
			}
			other := Body{members: lenient}
			if asked.Reason == "" || asked.Reason != other.Text("reason")+other.Text(one.details, "reason") {
				t.Errorf("the reason is %q here", asked.Reason)
			}
			if got := lines(one.member(other, "additionalInformation")); !reflect.DeepEqual(got, asked.Information) {
				t.Errorf("the lines are %q here and %q to a lenient reader", asked.Information, got)
			}
		}
	})
}
