package rulebook

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/internal/account"
	"countersign/internal/iso20022"
	"countersign/internal/money"
)

const (
	// ClockTolerance is the accepted lead of another bank's clock. A later acceptance time would extend the scheme's
	// time limit.
	ClockTolerance = 5 * time.Second
	// SettlementDays is the largest accepted distance in days between arrival and settlement. The longest row of days
	// without settlement is shorter.
	SettlementDays = 7
)

// IncomingAccount is the account an incoming payment names, as its bank keeps it.
type IncomingAccount struct {
	Open     bool
	Scheme   Scheme
	Currency string
	BIC      string // of the bank that keeps it, "" when unknown
	IID      string // its number in the Swiss clearing, "" elsewhere
}

// Incoming is a received pacs.008 with one transaction, and the data to check it with.
type Incoming struct {
	Scheme   Scheme
	Document *iso20022.FIToFICustomerCreditTransfer
	Account  *IncomingAccount // nil when nobody here has the account
	At       time.Time        // in the zone of the banking day
	Settings Settings
}

// IncomingRule is one row of the table of incoming payments. The first one broken is the reason of the refusal.
type IncomingRule struct {
	ID      string
	Scheme  Scheme // the one scheme the rule holds for; empty for both
	Element string // ISO path below the pacs.008
	Code    string // ISO ExternalStatusReason1Code of the pacs.002
	Text    string // what the other bank is told
	Source  string
	// broken reports that the rule is broken. It is asked only when no rule before it is.
	broken func(incoming) bool
}

// incoming is the input of the rules.
type incoming struct {
	Incoming
	profile     Profile
	header      *iso20022.GroupHeader93
	transaction *iso20022.CreditTransferTransaction39
	accepted    time.Time // zero when the document does not say, and the terms of the clearing give no substitute
	within      time.Duration
}

// CheckIncoming returns the first rule an incoming payment breaks; broken is false for one to be booked. The document has exactly one
// transaction.
func CheckIncoming(in Incoming) (rule IncomingRule, broken bool) {
	looked := look(in)
	index := slices.IndexFunc(incomingRules, func(r IncomingRule) bool {
		return (r.Scheme == "" || r.Scheme == in.Scheme) && r.broken(looked)
	})
	if index < 0 {
		return IncomingRule{}, false
	}
	return incomingRules[index], true
}

// IncomingUntil is the end of the time to answer an incoming payment; zero when the payment does not say when it was accepted.
func IncomingUntil(in Incoming) time.Time {
	looked := look(in)
	if looked.accepted.IsZero() {
		return time.Time{}
	}
	return looked.accepted.Add(looked.within)
}

// look prepares the input of the rules.
func look(in Incoming) incoming {
	profile, _ := in.Scheme.Profile()
	looked := incoming{
		Incoming: in, profile: profile, header: &in.Document.GroupHeader,
		transaction: &in.Document.CreditTransferTransactionInformation[0],
		within:      in.Settings.IncomingWithin(in.Scheme, in.At),
	}
	if given := looked.transaction.AcceptanceDateTime; given != "" {
		looked.accepted, _ = given.Time() // one that is no time counts as missing
	}
	if looked.accepted.IsZero() && in.Settings.AcceptanceTime(in.Scheme, in.At) == AcceptanceOfCreation {
		looked.accepted, _ = looked.header.CreationDateTime.Time()
	}
	return looked
}

// IncomingRules is the whole table, in the order the rules are asked.
func IncomingRules() []IncomingRule { return slices.Clone(incomingRules) }

// The codes are those of ISO ExternalStatusReason1Code, whose definitions stand in internal/iso20022/code.
var incomingRules = []IncomingRule{
	{
		ID: "incoming-count", Element: "GrpHdr/NbOfTxs", Code: "AM18", Text: "The message holds one payment and says another number.",
		Source: "EPC115-06 pacs.008 (NbOfTxs 1); ISO, AM18", broken: func(i incoming) bool {
			count, err := strconv.Atoi(i.header.NumberOfTransactions)
			return err != nil || count != 1
		},
	},
	{
		ID: "incoming-control-sum", Element: "GrpHdr/CtrlSum", Code: "AM10", Text: "The control sum is not the amount of the payment.",
		Source: "ISO pacs.008, CtrlSum; ISO, AM10", broken: func(i incoming) bool {
			return i.header.ControlSum != nil && !i.header.ControlSum.Equal(i.transaction.InterbankSettlementAmount.Value)
		},
	},
	{
		ID: "incoming-total", Element: "GrpHdr/TtlIntrBkSttlmAmt", Code: "AM10", Text: "The total is not the amount of the payment.",
		Source: "EPC115-06 pacs.008 (TtlIntrBkSttlmAmt); ISO, AM10", broken: func(i incoming) bool {
			total := i.header.TotalInterbankSettlementAmount
			return total != nil && !total.Equal(i.transaction.InterbankSettlementAmount)
		},
	},
	{
		ID: "incoming-settlement-method", Element: "GrpHdr/SttlmInf/SttlmMtd", Code: "CH16",
		Text: "Instant payments settle through clearing (CLRG).", Source: "EPC115-06 pacs.008 (SttlmMtd CLRG); ISO, CH16",
		broken: func(i incoming) bool {
			return i.header.SettlementInformation.SettlementMethod != "CLRG"
		},
	},
	{
		ID: "incoming-clearing-system", Element: "GrpHdr/SttlmInf/ClrSys", Code: "CH16", Text: "This payment belongs to another clearing system.",
		Source: "ISO ExternalCashClearingSystem1Code (SIP: SIC Instant Payments); ISO, CH16", broken: incoming.otherClearing,
	},
	{
		ID: "incoming-service-level", Scheme: SchemeSCT, Element: "PmtTpInf/SvcLvl", Code: "FF04", Text: "The service level is not SEPA.",
		Source: "EPC115-06 pacs.008 (SvcLvl SEPA); ISO, FF04", broken: func(i incoming) bool {
			kind := i.paymentType()
			return kind == nil ||
				!slices.ContainsFunc(kind.ServiceLevel, func(l iso20022.ServiceLevel8Choice) bool { return l.Code == i.profile.ServiceLevel })
		},
	},
	{
		ID: "incoming-local-instrument", Element: "PmtTpInf/LclInstrm", Code: "FF05", Text: "The payment is not marked as instant (INST).",
		Source: "EPC115-06 pacs.008 (LclInstrm INST); the same in SIC IP; ISO, FF05", broken: func(i incoming) bool {
			kind := i.paymentType()
			return kind == nil || kind.LocalInstrument == nil || kind.LocalInstrument.Code != "INST"
		},
	},
	{
		ID: "incoming-charge-bearer", Element: "CdtTrfTxInf/ChrgBr", Code: "CH16", Text: "Instant payments bear charges by service level (SLEV).",
		Source: "EPC115-06 pacs.008 (ChrgBr SLEV); SIC takes SHAR too; ISO, CH16", broken: func(i incoming) bool {
			bearer := i.transaction.ChargeBearer
			return bearer != "SLEV" && (bearer != "SHAR" || i.Scheme != SchemeSIC)
		},
	},
	{
		ID: "incoming-charges", Element: "CdtTrfTxInf/ChrgsInf", Code: "CH17", Text: "Nothing may be taken off an instant payment on its way.",
		Source: "EPC115-06 pacs.008 (no ChrgsInf); ISO, CH17", broken: func(i incoming) bool { return len(i.transaction.ChargesInformation) > 0 },
	},
	{
		ID: "incoming-account", Element: "CdtTrfTxInf/CdtrAcct", Code: "AC01", Text: "There is no such account here.",
		Source: "ISO, AC01", broken: func(i incoming) bool { return i.Account == nil },
	},
	{
		ID: "incoming-account-closed", Element: "CdtTrfTxInf/CdtrAcct", Code: "AC04", Text: "The account is closed.",
		Source: "ISO, AC04", broken: func(i incoming) bool { return !i.Account.Open },
	},
	{
		ID: "incoming-account-scheme", Element: "CdtTrfTxInf/CdtrAcct", Code: "AC01", Text: "The account does not take payments of this scheme.",
		Source: "ISO, AC01", broken: func(i incoming) bool { return i.Account.Scheme != i.Scheme },
	},
	{
		ID: "incoming-qr-reference", Scheme: SchemeSIC, Element: "CdtTrfTxInf/RmtInf/Strd/CdtrRefInf", Code: "CH21",
		Text: "A payment to a QR-IBAN needs a QR reference (QRR).", Source: "SPS 2025, 3.14 (QR-IBAN only with QRR); ISO, CH21",
		broken: func(i incoming) bool { return i.toQRIBAN() && i.qrReference() == "" },
	},
	{
		ID: "incoming-qr-digit", Scheme: SchemeSIC, Element: "CdtTrfTxInf/RmtInf/Strd/CdtrRefInf/Ref", Code: "CH16",
		Text: "The QR reference is wrong: 27 digits, the last a check digit.", Source: "SPS 2025, 3.14 (QRR, recursive modulo 10); ISO, CH16",
		broken: func(i incoming) bool {
			_, err := account.ParseQRReference(i.qrReference())
			return i.toQRIBAN() && err != nil
		},
	},
	{
		ID: "incoming-currency", Element: "CdtTrfTxInf/IntrBkSttlmAmt/Ccy", Code: "AM03", Text: "The account does not take this currency.",
		Source: "EPC AT-T002; SPS 4.3; ISO, AM03", broken: func(i incoming) bool {
			currency := i.transaction.InterbankSettlementAmount.Currency
			return currency != i.Account.Currency || currency != string(i.profile.Currency)
		},
	},
	{
		ID: "incoming-maximum", Scheme: SchemeSIC, Element: "CdtTrfTxInf/IntrBkSttlmAmt", Code: "AM02",
		Text: "The amount is above the limit of instant payments.", Source: "SPS 4.3 (a setting); ISO, AM02", broken: incoming.tooLarge,
	},
	{
		ID: "incoming-maximum-sepa", Scheme: SchemeSCT, Element: "CdtTrfTxInf/IntrBkSttlmAmt", Code: "AM23",
		Text:   "The amount is above the limit of instant payments.",
		Source: "EPC rulebook 2025 (999,999,999.99); EPC, Guidance on Reason Codes for SCT Inst R-transactions v7.0 (AM02 is gone); ISO, AM23",
		broken: incoming.tooLarge,
	},
	{
		ID: "incoming-agent", Element: "CdtTrfTxInf/CdtrAgt", Code: "AGNT", Text: "The account is kept by another bank.",
		Source: "EPC115-06 pacs.008 (CdtrAgt); SPS 3.12; ISO, AGNT", broken: incoming.otherBank,
	},
	{
		ID: "incoming-identifiers", Element: "CdtTrfTxInf/PmtId", Code: "CH21", Text: "An identifier of the message or the payment is blank.",
		Source: "EPC115-06 pacs.008 (MsgId, EndToEndId mandatory); ISO, CH21", broken: func(i incoming) bool {
			return strings.TrimSpace(i.header.MessageID) == "" || strings.TrimSpace(i.transaction.PaymentID.EndToEndID) == ""
		},
	},
	{
		ID: "incoming-debtor-name", Element: "CdtTrfTxInf/Dbtr/Nm", Code: "BE21", Text: "The name of the debtor is missing.",
		Source: "EPC115-06 pacs.008 (Dbtr/Nm mandatory); ISO, BE21", broken: func(i incoming) bool { return i.transaction.Debtor.Name == "" },
	},
	{
		ID: "incoming-creditor-name", Element: "CdtTrfTxInf/Cdtr/Nm", Code: "BE22", Text: "The name of the creditor is missing.",
		Source: "EPC115-06 pacs.008 (Cdtr/Nm mandatory); ISO, BE22", broken: func(i incoming) bool { return i.transaction.Creditor.Name == "" },
	},
	{
		ID: "incoming-debtor-agent", Element: "CdtTrfTxInf/DbtrAgt", Code: "RC03", Text: "The bank of the debtor is not named.",
		Source: "EPC115-06 pacs.008 (DbtrAgt mandatory); ISO, RC03", broken: func(i incoming) bool {
			return i.transaction.DebtorAgent.FinancialInstitutionID == iso20022.FinancialInstitutionIdentification18{}
		},
	},
	{
		ID: "incoming-creditor-agent", Element: "CdtTrfTxInf/CdtrAgt", Code: "RC04", Text: "The bank of the creditor is not named.",
		Source: "EPC115-06 pacs.008 (CdtrAgt mandatory); ISO, RC04", broken: func(i incoming) bool {
			return i.transaction.CreditorAgent.FinancialInstitutionID == iso20022.FinancialInstitutionIdentification18{}
		},
	},
	{
		ID: "incoming-settlement-day", Element: "IntrBkSttlmDt", Code: "DT01",
		Text:   fmt.Sprintf("The settlement day lies more than %d days away.", SettlementDays),
		Source: "EPC SCT Inst rulebook 2025, 4.2.3 (settled at once); ISO, DT01", broken: incoming.farDay,
	},
	{
		ID: "incoming-time-missing", Element: "CdtTrfTxInf/AccptncDtTm", Code: "CH21", Text: "The acceptance time is missing.",
		Source: "EPC115-06 pacs.008 (AccptncDtTm mandatory, AT-T056); in SIC the creation time of the message stands for it; terms of the " +
			"clearing; ISO, CH21",
		broken: func(i incoming) bool {
			return i.accepted.IsZero() && i.Settings.AcceptanceTime(i.Scheme, i.At) == AcceptanceRequired
		},
	},
	{
		ID: "incoming-late", Element: "CdtTrfTxInf/AccptncDtTm", Code: "AB05", Text: "The time of the scheme was over when the payment arrived.",
		Source: "EPC SCT Inst rulebook 2025 v1.1, 4.2.3 (hard time-out of 7 s at the beneficiary's CSM); SIC IP (10 s); less the way back; " +
			"ISO, AB05",
		broken: func(i incoming) bool { return !i.accepted.IsZero() && i.At.Sub(i.accepted) >= i.within },
	},
	{
		ID: "incoming-early", Element: "CdtTrfTxInf/AccptncDtTm", Code: "DT01",
		Text:   fmt.Sprintf("The acceptance time lies more than %d s ahead.", ClockTolerance/time.Second),
		Source: "A clock that runs ahead would gain time (5 s are borne); ISO, DT01",
		broken: func(i incoming) bool {
			return !i.accepted.IsZero() && i.accepted.Sub(i.At) > ClockTolerance
		},
	},
}

// tooLarge reports an amount above the scheme's limit.
func (i incoming) tooLarge() bool {
	amount, err := money.FromDecimal(i.profile.Currency, i.transaction.InterbankSettlementAmount.Value)
	return err == nil && amount.Minor() > i.Settings.LimitOn(i.Scheme, i.At).Minor()
}

// paymentType stands in the header or with the transaction.
func (i incoming) paymentType() *iso20022.PaymentTypeInformation28 {
	if i.transaction.PaymentTypeInformation != nil {
		return i.transaction.PaymentTypeInformation
	}
	return i.header.PaymentTypeInformation
}

// SettlesFar reports a settlement day, at midnight UTC, more than SettlementDays away. A day more is borne for the hours of the day and the
// zones of the two banks.
func SettlesFar(day, at time.Time) bool { return day.Sub(at).Abs() > (SettlementDays+1)*24*time.Hour }

// farDay reports a settlement day, which stands in the header or with the transaction, that is far away.
func (i incoming) farDay() bool {
	for _, given := range []iso20022.ISODate{i.header.InterbankSettlementDate, i.transaction.InterbankSettlementDate} {
		if given == "" {
			continue
		}
		day, err := given.Date()
		if err != nil || SettlesFar(day, i.At) {
			return true
		}
	}
	return false
}

// otherClearing reports a clearing system of another scheme. A SEPA document may name any clearing mechanism except
// the Swiss ones.
func (i incoming) otherClearing() bool {
	system := i.header.SettlementInformation.ClearingSystem
	switch {
	case system == nil:
		return false
	case i.Scheme == SchemeSIC:
		return system.Code != i.profile.ClearingSystem
	default:
		return system.Code == "SIC" || system.Code == "SIP"
	}
}

// otherBank reports a creditor agent that is not the bank of the account, by its BIC (branches do not count) or by its number in the Swiss
// clearing. A bank that is named by neither is not compared: clearing brought the payment to us.
func (i incoming) otherBank() bool {
	bank := i.transaction.CreditorAgent.FinancialInstitutionID
	const sicNumberLength = 6
	if bank.BICFI != "" && i.Account.BIC != "" && !account.SameBank(bank.BICFI, i.Account.BIC) {
		return true
	}
	member := bank.ClearingSystemMemberID
	if member == nil || i.Account.IID == "" {
		return false
	}
	number := member.MemberID
	if system := member.ClearingSystemID; system != nil && system.Code == "CHSIC" && len(number) == sicNumberLength {
		number = number[:sicNumberLength-1] // the last is a check digit
	}
	given, err := account.ParseIID(number)
	known, knownErr := account.ParseIID(i.Account.IID)
	if named, _ := i.creditorIBAN().IID(); err == nil && i.toQRIBAN() && given == named {
		return false // the number of a bank for QR-IBANs
	}
	return err != nil || knownErr != nil || given != known
}

// creditorIBAN is the IBAN that the payment goes to; the zero value for none.
func (i incoming) creditorIBAN() account.IBAN {
	if i.transaction.CreditorAccount == nil {
		return account.IBAN{}
	}
	iban, _ := account.Parse(i.transaction.CreditorAccount.ID.IBAN)
	return iban
}

func (i incoming) toQRIBAN() bool { return i.creditorIBAN().IsQR() }

// qrReference is the QR reference of the payment, "" without one.
func (i incoming) qrReference() string {
	if i.transaction.RemittanceInformation == nil {
		return ""
	}
	given := i.transaction.RemittanceInformation.CreditorReference()
	if given == nil || given.Type == nil || given.Type.CodeOrProprietary.Proprietary != "QRR" {
		return ""
	}
	return given.Reference
}
