package iso20022

import "reflect"

// decoder is what the two front ends share.
type decoder struct {
	reporter
	options Options
	data    []byte
	strict  bool // decimals in the strict form
}

func newDecoder(options Options, data []byte, prefix string) decoder {
	options = options.withDefaults()
	return decoder{
		reporter: reporter{prefix: prefix, limit: options.MaxFindings, path: make([]step, 0, 24)},
		options:  options,
		data:     data,
	}
}

// leafText is the text of a leaf and where it stands.
type leafText struct {
	text   string
	offset int
}

// leaf checks the text of the current element and stores it; a text that is
// wrong is kept all the same, a wrong number is not.
func (d *decoder) leaf(e *element, place reflect.Value, input leafText) {
	what, advice := e.simple.check(input.text, d.strict)
	if what != mistakeNone {
		problem := d.leafProblem(e, what, advice)
		d.report(input.offset, problem.code, problem.text)
		if e.simple.kind == kindDecimal || e.simple.kind == kindBoolean {
			return
		}
	}
	err := e.simple.store(place, input.text)
	if err != nil {
		d.report(input.offset, d.contentReason(e, mistakeDecimal), "Enter a decimal number of at most 19 digits in "+e.tag+".")
	}
}

// currency checks the currency of the current amount.
func (d *decoder) currency(e *element, offset int, text string) {
	what, advice := e.currency.check(text, true)
	if what == mistakeNone {
		return
	}
	if what == mistakeBlank {
		d.currencyMissing(e, offset)
		return
	}
	d.reportChild(step{"Ccy", -1}, offset, problem{codeCurrency, advice + " as currency of " + e.tag + "."})
}

func (d *decoder) currencyMissing(e *element, offset int) {
	d.reportChild(step{"Ccy", -1}, offset, problem{codeMissing, "Enter the currency of " + e.tag + " as Ccy."})
}

// amountPlaces are the two parts of an amount field.
func amountPlaces(place reflect.Value) (currency *string, value reflect.Value) {
	amount := place.Addr().Interface().(*Amount)
	return &amount.Currency, reflect.ValueOf(&amount.Value).Elem()
}
