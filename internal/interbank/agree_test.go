package interbank_test

import (
	"errors"
	"testing"
	"time"

	"github.com/govalues/decimal"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/rulebook"
)

// A document is held against its original in each element that it repeats.
func TestEachElementOfAnOriginalMustAgree(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, time.March, 2, 0, 0, 0, 0, time.UTC)
	known := interbank.Original{
		MessageID: "M", MessageName: "pacs.008.001.08", InstructionID: "I", EndToEndID: "E", TransactionID: "T", UETR: "U",
		Amount: minor(t, money.CHF, 150), Day: day, Copy: interbank.OriginalCopy{DebtorAccount: "CH1", CreditorAccount: "CH2"},
	}
	whole := known
	whole.ControlSum, whole.Copy.Amount, whole.Copy.Day, whole.MessageName = "1.5", known.Amount, day, "pacs.008"
	if err := whole.Agree(known); err != nil {
		t.Fatalf("the original itself: %v", err)
	}
	if err := (interbank.Original{}).Agree(known); err != nil {
		t.Errorf("a document that repeats nothing: %v", err)
	}
	// forgotten takes the thing away from the original: an id that it lacks disagrees, everything else is not compared.
	for element, c := range map[string]struct {
		say, forget func(*interbank.Original)
		refused     bool
	}{
		"OrgnlMsgNmId":              {func(o *interbank.Original) { o.MessageName = "pacs.004" }, func(o *interbank.Original) { o.MessageName = "" }, true},
		"OrgnlTxId":                 {func(o *interbank.Original) { o.TransactionID = "X" }, func(o *interbank.Original) { o.TransactionID = "" }, true},
		"OrgnlMsgId":                {func(o *interbank.Original) { o.MessageID = "X" }, func(o *interbank.Original) { o.MessageID = "" }, true},
		"OrgnlInstrId":              {func(o *interbank.Original) { o.InstructionID = "X" }, func(o *interbank.Original) { o.InstructionID = "" }, true},
		"OrgnlEndToEndId":           {func(o *interbank.Original) { o.EndToEndID = "X" }, func(o *interbank.Original) { o.EndToEndID = "" }, true},
		"OrgnlUETR":                 {func(o *interbank.Original) { o.UETR = "X" }, func(o *interbank.Original) { o.UETR = "" }, true},
		"OrgnlCtrlSum":              {func(o *interbank.Original) { o.ControlSum = "1.51" }, func(o *interbank.Original) { o.Amount = money.Amount{} }, false},
		"OrgnlIntrBkSttlmAmt":       {func(o *interbank.Original) { o.Amount = minor(t, money.CHF, 151) }, func(o *interbank.Original) { o.Amount = money.Amount{} }, false},
		"OrgnlIntrBkSttlmDt":        {func(o *interbank.Original) { o.Day = day.AddDate(0, 0, 1) }, func(o *interbank.Original) { o.Day = time.Time{} }, false},
		"OrgnlTxRef/IntrBkSttlmAmt": {func(o *interbank.Original) { o.Copy.Amount = minor(t, money.EUR, 150) }, func(o *interbank.Original) { o.Amount = money.Amount{} }, false},
		"OrgnlTxRef/IntrBkSttlmDt":  {func(o *interbank.Original) { o.Copy.Day = day.AddDate(0, 0, -1) }, func(o *interbank.Original) { o.Day = time.Time{} }, false},
		"OrgnlTxRef/DbtrAcct":       {func(o *interbank.Original) { o.Copy.DebtorAccount = "X" }, func(o *interbank.Original) { o.Copy.DebtorAccount = "" }, false},
		"OrgnlTxRef/CdtrAcct":       {func(o *interbank.Original) { o.Copy.CreditorAccount = "X" }, func(o *interbank.Original) { o.Copy.CreditorAccount = "" }, false},
	} {
		said := whole
		c.say(&said)
		var mismatch *interbank.MismatchError
		if err := said.Agree(known); !errors.As(err, &mismatch) || mismatch.Element != element {
			t.Errorf("another %s: %v", element, err)
		}
		forgotten := known
		c.forget(&forgotten)
		if err := whole.Agree(forgotten); (err != nil) != c.refused {
			t.Errorf("an original without %s: %v", element, err)
		}
	}
	said := whole
	said.Amount = minor(t, money.EUR, 150)
	var mismatch *interbank.MismatchError
	if err := said.Agree(known); !errors.As(err, &mismatch) || mismatch.Element != "OrgnlIntrBkSttlmAmt" {
		t.Errorf("another currency: %v", err)
	}
}

func TestWhatAReturnOwes(t *testing.T) {
	t.Parallel()
	chf := func(count int64) money.Amount { return minor(t, money.CHF, count) }
	for name, c := range map[string]struct {
		change func(*interbank.Returned)
		want   string // the element that disagrees
	}{
		"all of it":             {func(*interbank.Returned) {}, ""},
		"without a total":       {func(r *interbank.Returned) { r.Total = money.Amount{} }, ""},
		"less a charge":         {func(r *interbank.Returned) { r.Amount, r.Total, r.Charge = chf(9000), chf(9000), chf(1000) }, ""},
		"too little":            {func(r *interbank.Returned) { r.Amount, r.Total = chf(9999), chf(9999) }, "RtrdIntrBkSttlmAmt"},
		"too much":              {func(r *interbank.Returned) { r.Amount, r.Total = chf(10001), chf(10001) }, "RtrdIntrBkSttlmAmt"},
		"another currency":      {func(r *interbank.Returned) { r.Amount, r.Total = minor(t, money.EUR, 10000), money.Amount{} }, "RtrdIntrBkSttlmAmt"},
		"a charge on all of it": {func(r *interbank.Returned) { r.Charge = chf(1000) }, "RtrdIntrBkSttlmAmt"},
		"too large a charge":    {func(r *interbank.Returned) { r.Amount, r.Total, r.Charge = chf(8999), chf(8999), chf(1001) }, "ChrgsInf"},
		"two returns":           {func(r *interbank.Returned) { r.Count = "2" }, "NbOfTxs"},
		"no count":              {func(r *interbank.Returned) { r.Count = "" }, "NbOfTxs"},
		"another total":         {func(r *interbank.Returned) { r.Total = chf(20000) }, "TtlRtrdIntrBkSttlmAmt"},
	} {
		r := interbank.Returned{Amount: chf(10000), Total: chf(10000), Count: "1"}
		c.change(&r)
		if got := elementOf(r.Owes(chf(10000), chf(1000))); got != c.want {
			t.Errorf("%s: %q disagrees, want %q", name, got, c.want)
		}
	}
	foreign := interbank.Returned{Amount: chf(10000), Charge: minor(t, money.EUR, 1), Count: "1"}
	if err := foreign.Owes(chf(10000), chf(1000)); !errors.Is(err, money.ErrMismatch) {
		t.Errorf("a charge in another currency: %v", err)
	}
}

// elementOf is the element that a mismatch or a contradiction names, "" for no error.
func elementOf(err error) string {
	var mismatch *interbank.MismatchError
	var contradiction *interbank.ContradictionError
	switch {
	case errors.As(err, &mismatch):
		return mismatch.Element
	case errors.As(err, &contradiction):
		return contradiction.Element
	case err != nil:
		return err.Error()
	}
	return ""
}

func TestAReturnSettlesWithinDays(t *testing.T) {
	t.Parallel()
	const borne = rulebook.SettlementDays + 1 // a day more, for the zones of the two banks
	for days, far := range map[int]bool{0: false, borne: false, -borne: false, borne + 1: true, -borne - 1: true} {
		if got := elementOf(interbank.Returned{Day: paidDay.AddDate(0, 0, days)}.Settles(paidDay)); (got == "IntrBkSttlmDt") != far {
			t.Errorf("%d days away: %q", days, got)
		}
	}
	if err := (interbank.Returned{}).Settles(paidDay); err != nil {
		t.Errorf("without a day: %v", err)
	}
}

// A status that contradicts itself is not believed.
func TestWhichStatusesContradictThemselves(t *testing.T) {
	t.Parallel()
	type report = iso20022.FIToFIPaymentStatusReport
	group := func(r *report) *iso20022.OriginalGroupHeader17 { return &r.OriginalGroupInformationAndStatus[0] }
	payment := func(r *report) *iso20022.PaymentTransaction110 { return &r.TransactionInformationAndStatus[0] }
	why := []iso20022.StatusReasonInformation12{{Reason: &iso20022.StatusReason6Choice{Code: "AC04"}}}
	words := []iso20022.StatusReasonInformation12{{AdditionalInformation: []string{"on its way"}}}
	own := []iso20022.StatusReasonInformation12{{Reason: &iso20022.StatusReason6Choice{Proprietary: "X1"}}}
	for _, c := range []struct {
		name, sample string
		change       func(*report)
		want         string
	}{
		{"unknown status", "ACCP", func(r *report) { payment(r).TransactionStatus = "GOOD" }, "TxSts"},
		{"a status of groups alone", "ACCP", func(r *report) { payment(r).TransactionStatus = "PART" }, "TxSts"},
		{"unknown group status", "ACCP", func(r *report) { payment(r).TransactionStatus, group(r).GroupStatus = "", "GOOD" }, "GrpSts"},
		{"accepted in a refused group", "ACCP", func(r *report) { group(r).GroupStatus = "RJCT" }, "GrpSts"},
		{"pending in a refused group", "ACCP", func(r *report) { payment(r).TransactionStatus, group(r).GroupStatus = "PDNG", "RJCT" }, "GrpSts"},
		{"refused in an accepted group", "RJCT", func(r *report) { group(r).GroupStatus = "ACCP" }, "GrpSts"},
		{"accepted in a received group", "ACCP", func(r *report) { group(r).GroupStatus = "RCVD" }, ""},
		{"refused in a received group", "RJCT", func(r *report) { group(r).GroupStatus = "RCVD" }, ""},
		{"one of two", "ACCP", func(r *report) { group(r).OriginalNumberOfTransactions = "2" }, "OrgnlNbOfTxs"},
		{"one of none", "ACCP", func(r *report) { group(r).OriginalNumberOfTransactions = "0" }, "OrgnlNbOfTxs"},
		{"one of one", "ACCP", func(r *report) { group(r).OriginalNumberOfTransactions = "0001" }, ""},
		{"accepted for a reason", "ACCP", func(r *report) { payment(r).StatusReasonInformation = why }, "StsRsnInf/Rsn"},
		{"accepted for an own reason", "ACCP", func(r *report) { payment(r).StatusReasonInformation = own }, "StsRsnInf/Rsn"},
		{"accepted for a reason of the group", "ACCP", func(r *report) { group(r).StatusReasonInformation = why }, "StsRsnInf/Rsn"},
		{"accepted with words", "ACCP", func(r *report) { payment(r).StatusReasonInformation = words }, ""},
		{"another message in the transaction", "ACCP", func(r *report) {
			payment(r).OriginalGroupInformation = &iso20022.OriginalGroupInformation29{OriginalMessageID: "other"}
		}, "OrgnlGrpInf/OrgnlMsgId"},
	} {
		made := sample[*report](t, rulebook.SchemeSIC, "04_pacs.002.001.10_"+c.sample)
		c.change(made)
		_, err := interbank.ReadStatus(made)
		if got := elementOf(err); got != c.want {
			t.Errorf("%s: %q contradicts, want %q", c.name, got, c.want)
		}
	}
}

// Of a refusal, the status and the first code of the transaction go before those of the group, and all words are kept.
func TestTheStatusOfATransactionGoesFirst(t *testing.T) {
	t.Parallel()
	made := sample[*iso20022.FIToFIPaymentStatusReport](t, rulebook.SchemeSIC, "04_pacs.002.001.10_RJCT")
	sum := decimal.MustParse("199.950")
	made.OriginalGroupInformationAndStatus[0].OriginalControlSum = &sum
	made.OriginalGroupInformationAndStatus[0].GroupStatus = "PDNG"
	made.OriginalGroupInformationAndStatus[0].StatusReasonInformation = []iso20022.StatusReasonInformation12{{
		Reason: &iso20022.StatusReason6Choice{Code: "FF01"}, AdditionalInformation: []string{"of the group"},
		Originator: &iso20022.PartyIdentification135{Name: "Clearing"},
	}}
	transaction := &made.TransactionInformationAndStatus[0]
	transaction.StatusReasonInformation = []iso20022.StatusReasonInformation12{
		{AdditionalInformation: []string{"first"}}, {Reason: &iso20022.StatusReason6Choice{Code: "AC04"}},
	}
	read, err := interbank.ReadStatus(made)
	if err != nil || read.Status != "RJCT" || read.Reason.Code != "AC04" || len(read.Reason.Information) != 2 ||
		read.Reason.Originator != "Clearing" || read.Reason.ByBank || read.Original.ControlSum != "199.95" {
		t.Errorf("%+v %v", read, err)
	}
}
