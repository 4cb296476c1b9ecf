package rulebook

import (
	"errors"

	"countersign/internal/i18n"
	"countersign/internal/money"
)

const (
	amountElement = transactionElement + "/Amt/InstdAmt"
	amountBelow   = "/Amt/InstdAmt"
)

var amountRules = []Rule{
	{
		ID: "amount-missing", Element: amountElement, Code: "CH21", level: levelTransaction,
		Text:   "Enter the amount.",
		Source: "SPS 4.3", broken: func(i *inspection) bool {
			return i.transaction.Amount.InstructedAmount == nil && i.transaction.Amount.EquivalentAmount == nil
		},
	},
	{
		ID: "amount-zero", Element: amountElement, Code: "AM01", level: levelTransaction,
		Text:   "Enter an amount above zero.",
		Source: "SPS 4.3", Check: func(i *inspection) { i.checkAmount(money.ErrZero) },
	},
	{
		ID: "amount-decimals", Element: amountElement, Code: "CH20", level: levelTransaction,
		Text:   "Enter at most 2 decimal places.",
		Source: "SPS 3.7, 4.3", Check: func(i *inspection) { i.checkAmount(money.ErrDecimals) },
	},
	{
		ID: "amount-form", Element: amountElement, Code: "AM12", level: levelTransaction,
		Text:   "Enter the amount without a plus or minus sign and with fewer digits.",
		Source: "SPS 3.7", Check: func(i *inspection) { i.checkAmount(money.ErrNegative, money.ErrTooLarge) },
	},
	{
		ID: "amount-currency", Element: amountElement + "/Ccy", Code: "AM03", level: levelTransaction,
		Text:   "Use the currency of the scheme: CHF for sic-inst, EUR for sct-inst.",
		Source: "SPS 4.3; EPC AT-04", Check: checkAmountCurrency,
	},
	{
		ID: "amount-maximum", Element: amountElement, Code: "AM02", level: levelTransaction,
		Text:   "Enter a smaller amount, or use another payment type. The amount you entered is above the limit for instant payments.",
		Source: "SPS 4.3 (limit of instant payments, a setting); EPC rulebook 2025 (999,999,999.99)", Check: checkAmountMaximum,
	},
	{
		ID: "no-equivalent-amount", Element: transactionElement + "/Amt/EqvtAmt", Code: "CH17", level: levelTransaction,
		Text:   "Enter the amount in InstdAmt: an equivalent amount in another currency (EqvtAmt) is not supported.",
		Source: "SPS 4.3", broken: func(i *inspection) bool { return i.transaction.Amount.EquivalentAmount != nil },
	},
}

// checkAmount reports the refusal of the amount when it is of one of the kinds.
func (i *inspection) checkAmount(kinds ...error) {
	if i.amountRefusal == nil {
		return
	}
	for _, kind := range kinds {
		if errors.Is(i.amountRefusal, kind) {
			i.reportText(amountBelow, i.amountRefusal.Text)
		}
	}
}

func checkAmountCurrency(i *inspection) {
	instructed := i.transaction.Amount.InstructedAmount
	if instructed != nil && instructed.Currency != string(i.profile.Currency) {
		i.reportText(amountBelow+"/Ccy", i18n.Text("Use %s, because %s payments do not support other currencies.").
			With(i.profile.Currency, i.input.Scheme))
	}
}

func checkAmountMaximum(i *inspection) {
	if i.amount.Minor() > i.limit.Minor() {
		i.reportText(
			amountBelow, i18n.Text("Enter at most %s, the limit for instant payments, or use another type of payment.").With(i.limit.Format()),
		)
	}
}
