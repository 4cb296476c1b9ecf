package codec

import (
	"reflect"

	"countersign/internal/i18n"
	"countersign/internal/iso20022"
)

// amount reads an amount object.
func (j *jsonDecoder) amount(e *iso20022.Element, place reflect.Value) {
	start := j.reader.Start()
	if !j.object(e.Tag + ` such as {"Ccy":"CHF","value":"199.95"}`) {
		return
	}
	currencySeen, valueSeen := false, false
	for {
		name, offset, ok := j.key()
		if !ok {
			break
		}
		switch key := string(name); key {
		case "Ccy", "@Ccy":
			if currencySeen {
				j.repeated(key, offset, "currency")
				continue
			}
			currencySeen = true
			j.amountCurrency(e, place)
		case "value", "#text", "$value", "_text", "Text", "Value", "Amt":
			if valueSeen {
				j.repeated(key, offset, "number")
				continue
			}
			valueSeen = true
			j.amountValue(e, place)
		default:
			j.unknownAmountMember(key, offset)
		}
	}
	if j.stopped {
		return
	}
	if !currencySeen {
		j.currencyMissing(e, start)
	}
	if !valueSeen {
		j.report(start, codeMissing, i18n.ForPrograms("Enter the number of %s as value.", e.Tag))
	}
}

// repeated reports and passes over a second currency or number.
func (j *jsonDecoder) repeated(key string, offset int, what string) {
	j.reportChild(step{key, -1}, offset, problem{codeFormat, i18n.ForPrograms("Remove the second %s of the amount: it has exactly one.",
		what)})
	j.skip()
}

func (j *jsonDecoder) unknownAmountMember(key string, offset int) {
	refused := problem{codeNotAllowed, i18n.ForPrograms("Remove %s: an amount has only Ccy and value.", Shown(key))}
	if amountKeys.Variant(key) != "" {
		refused = problem{codeFormat, i18n.ForPrograms("Write %s as Ccy or value: names are case-sensitive.", Shown(key))}
	}
	j.reportChild(step{key, -1}, offset, refused)
	j.skip()
}

// amountKeys are the names whose case variants are a matter of spelling.
var amountKeys = iso20022.Group{
	Elements: []iso20022.Element{
		{Tag: "Ccy"}, {Tag: "@Ccy"}, {Tag: "value"}, {Tag: "Text"}, {Tag: "Amt"}, {Tag: "_text"}, {Tag: "#text"}, {Tag: "$value"},
	},
}

func (j *jsonDecoder) amountCurrency(e *iso20022.Element, place reflect.Value) {
	found := j.reader.Next()
	if found != '"' {
		j.enter("Ccy", -1)
		j.wrongKind(found, "Enter a currency code in "+e.Tag)
		j.leave()
		return
	}
	raw, offset, err := j.reader.Value()
	if err != nil {
		j.broken(err)
		return
	}
	at, _ := amountPlaces(place)
	*at = string(JSONText(raw))
	j.currency(e, offset, *at)
}

func (j *jsonDecoder) amountValue(e *iso20022.Element, place reflect.Value) {
	input, ok := j.scalar(e)
	if !ok {
		return
	}
	_, value := amountPlaces(place)
	j.leaf(e, value, input)
}
