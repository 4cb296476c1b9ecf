package interbank

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"countersign/internal/account"
	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/rulebook"
)

// Booking is a settled payment or return as an entry of the account with us.
type Booking struct {
	Reference                                      string // the Global ID
	Scheme                                         rulebook.Scheme
	Return, Credit                                 bool
	Amount                                         money.Amount
	At                                             time.Time // of the settlement
	InstructionID, EndToEndID, UETR, TransactionID string    // "" for none
	Debtor, Creditor                               BookingParty
	Remittance                                     string // reference or free text
}

// BookingParty is one side of a booking. Agent is a BIC or a Swiss bank code.
type BookingParty struct{ Name, Account, Agent string }

// AccountReport is the input of a camt.053 or camt.054 of the customer's account.
type AccountReport struct {
	IBAN, Owner, Agent string
	Currency           money.Currency
	Day                time.Time // its beginning in the zone of the banking day; zero for a camt.054
	At                 time.Time // of the document
	Bookings           []Booking
}

// The versions that are written.
const (
	statementVersion    iso20022.MessageName = "camt.053.001.08"
	notificationVersion iso20022.MessageName = "camt.054.001.08"
)

// accountDocument is a camt.053 or camt.054: one of the two bodies is present.
type accountDocument struct {
	XMLName      xml.Name     `xml:"Document"`
	Namespace    string       `xml:"xmlns,attr"`
	Statement    *accountBody `xml:"BkToCstmrStmt"`
	Notification *accountBody `xml:"BkToCstmrDbtCdtNtfctn"`
}

type accountBody struct {
	MessageID string       `xml:"GrpHdr>MsgId"`
	At        string       `xml:"GrpHdr>CreDtTm"`
	Statement *accountList `xml:"Stmt"`
	Notified  *accountList `xml:"Ntfctn"`
}

type accountList struct {
	ID       string         `xml:"Id"`
	At       string         `xml:"CreDtTm"`
	From     *string        `xml:"FrToDt>FrDtTm"`
	To       *string        `xml:"FrToDt>ToDtTm"`
	IBAN     string         `xml:"Acct>Id>IBAN"`
	Currency string         `xml:"Acct>Ccy"`
	Owner    string         `xml:"Acct>Ownr>Nm"`
	Servicer string         `xml:"Acct>Svcr>FinInstnId>BICFI"`
	Balance  *balance       `xml:"Bal"`
	Entries  []accountEntry `xml:"Ntry"`
}

// balance is the sum of the entries, under a name of its own: the gateway does not know the balances of accounts.
type balance struct {
	Type   string `xml:"Tp>CdOrPrtry>Prtry"`
	Amount stated `xml:"Amt"`
	Credit string `xml:"CdtDbtInd"`
	Date   string `xml:"Dt>Dt"`
}

type accountEntry struct {
	Reference   string        `xml:"NtryRef"`
	Amount      stated        `xml:"Amt"`
	Credit      string        `xml:"CdtDbtInd"`
	Status      string        `xml:"Sts>Cd"`
	Booked      string        `xml:"BookgDt>DtTm"`
	Value       string        `xml:"ValDt>Dt"`
	Servicer    string        `xml:"AcctSvcrRef"`
	Domain      string        `xml:"BkTxCd>Domn>Cd"`
	Family      string        `xml:"BkTxCd>Domn>Fmly>Cd"`
	SubFamily   string        `xml:"BkTxCd>Domn>Fmly>SubFmlyCd"`
	Transaction accountDetail `xml:"NtryDtls>TxDtls"`
}

type accountDetail struct {
	Servicer         string        `xml:"Refs>AcctSvcrRef"`
	Instruction      string        `xml:"Refs>InstrId,omitempty"`
	EndToEnd         string        `xml:"Refs>EndToEndId,omitempty"`
	UETR             string        `xml:"Refs>UETR,omitempty"`
	Transaction      string        `xml:"Refs>TxId,omitempty"`
	Amount           stated        `xml:"Amt"`
	Credit           string        `xml:"CdtDbtInd"`
	Debtor           *string       `xml:"RltdPties>Dbtr>Pty>Nm"`
	DebtorAccount    *string       `xml:"RltdPties>DbtrAcct>Id>IBAN"`
	Creditor         *string       `xml:"RltdPties>Cdtr>Pty>Nm"`
	CreditorAccount  *string       `xml:"RltdPties>CdtrAcct>Id>IBAN"`
	DebtorAgent      *accountAgent `xml:"RltdAgts>DbtrAgt>FinInstnId"`
	CreditorAgent    *accountAgent `xml:"RltdAgts>CdtrAgt>FinInstnId"`
	Free             *string       `xml:"RmtInf>Ustrd"`
	ReferenceType    *string       `xml:"RmtInf>Strd>CdtrRefInf>Tp>CdOrPrtry>Cd"`
	OwnReferenceType *string       `xml:"RmtInf>Strd>CdtrRefInf>Tp>CdOrPrtry>Prtry"`
	Reference        *string       `xml:"RmtInf>Strd>CdtrRefInf>Ref"`
}

type accountAgent struct {
	BIC      string  `xml:"BICFI,omitempty"`
	Clearing *string `xml:"ClrSysMmbId>ClrSysId>Cd"`
	Member   *string `xml:"ClrSysMmbId>MmbId"`
}

// Notification is the camt.054 of one booking.
func (r AccountReport) Notification() ([]byte, error) {
	id := "N" + r.Bookings[0].Reference
	list := r.list(id)
	return encodeReport(accountDocument{
		Namespace: notificationVersion.Namespace(), Notification: &accountBody{MessageID: id, At: string(dateTime(r.At)), Notified: &list},
	})
}

// Statement is the camt.053 of a day. Its only balance is the sum of its entries: the gateway does not know those of the account.
func (r AccountReport) Statement() ([]byte, error) {
	const digits = 8
	digest := sha256.Sum256([]byte(r.IBAN))
	id := "S" + r.Day.Format("20060102") + "-" + hex.EncodeToString(digest[:digits])
	list, sum := r.list(id), int64(0)
	list.From, list.To = given(string(dateTime(r.Day))), given(string(dateTime(r.Day.AddDate(0, 0, 1))))
	for _, b := range r.Bookings {
		if b.Credit {
			sum += b.Amount.Minor()
		} else {
			sum -= b.Amount.Minor()
		}
	}
	net, err := money.FromMinor(r.Currency, max(sum, -sum))
	if err != nil {
		return nil, fmt.Errorf("add the bookings: %w", err)
	}
	list.Balance = &balance{Type: "NET OF ENTRIES", Amount: statedOf(net), Credit: indicator(sum >= 0), Date: r.Day.Format(time.DateOnly)}
	return encodeReport(accountDocument{
		Namespace: statementVersion.Namespace(), Statement: &accountBody{MessageID: id, At: string(dateTime(r.At)), Statement: &list},
	})
}

func encodeReport(d accountDocument) ([]byte, error) {
	written, err := xml.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("write the report: %w", err)
	}
	return append([]byte(xml.Header), written...), nil
}

func (r AccountReport) list(id string) accountList {
	l := accountList{ID: id, At: string(dateTime(r.At)), IBAN: r.IBAN, Currency: string(r.Currency), Owner: r.Owner, Servicer: r.Agent}
	for _, b := range r.Bookings {
		l.Entries = append(l.Entries, b.entry())
	}
	return l
}

// entry writes a booking. Codes of the transaction: ISO 20022 bank transaction codes, domain PMNT.
func (b Booking) entry() accountEntry {
	family, sub := "IRCT", "DMCT" // issued and received real-time credit transfers
	if b.Credit != b.Return {
		family = "RRCT"
	}
	if b.Scheme == rulebook.SchemeSCT {
		sub = "ESCT"
	}
	if b.Return {
		sub = "RRTN"
	}
	amount, credit := statedOf(b.Amount), indicator(b.Credit)
	detail := accountDetail{
		Servicer: b.Reference, Instruction: b.InstructionID, EndToEnd: b.EndToEndID, UETR: b.UETR, Transaction: b.TransactionID,
		Amount: amount, Credit: credit, Debtor: given(b.Debtor.Name), DebtorAccount: given(b.Debtor.Account),
		Creditor: given(b.Creditor.Name), CreditorAccount: given(b.Creditor.Account),
		DebtorAgent: accountAgentOf(b.Debtor.Agent), CreditorAgent: accountAgentOf(b.Creditor.Agent),
	}
	detail.remit(b.Remittance)
	return accountEntry{
		Reference: b.Reference, Amount: amount, Credit: credit, Status: "BOOK", Booked: string(dateTime(b.At)),
		Value: b.At.Format(time.DateOnly), Servicer: b.Reference, Domain: "PMNT", Family: family, SubFamily: sub, Transaction: detail,
	}
}

// remit writes a QR or creditor reference as such, any other text as free text.
func (d *accountDetail) remit(text string) {
	_, notQR := account.ParseQRReference(text)
	switch {
	case notQR == nil:
		d.OwnReferenceType, d.Reference = given("QRR"), given(text)
	case isCreditorReference(text):
		d.ReferenceType, d.Reference = given("SCOR"), given(text)
	default:
		d.Free = given(text)
	}
}

func isCreditorReference(text string) bool {
	_, err := account.ParseCreditorReference(text)
	return err == nil
}

func accountAgentOf(bank string) *accountAgent {
	switch {
	case bank == "" || bank == iso20022.NotProvided:
		return nil
	case strings.Trim(bank, "0123456789") == "":
		return &accountAgent{Clearing: given(swissClearing), Member: given(bank)}
	}
	return &accountAgent{BIC: bank}
}

func statedOf(a money.Amount) stated {
	return stated{Currency: string(a.Currency()), Value: a.Decimal().String()}
}

func indicator(credit bool) string {
	if credit {
		return "CRDT"
	}
	return "DBIT"
}

// given points to a text, nil for an empty one: encoding/xml writes the parents of a text that it leaves out, but not those of nil.
func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
