package interbank

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"strings"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/money"

	"github.com/govalues/decimal"
)

// StatementLine is one payment on a statement of clearing.
type StatementLine struct {
	// References are the ids that the line names: transaction, instruction, message, end-to-end.
	References    []string
	TransactionID string
	Amount        money.Amount
	Credit        bool // to our account at clearing
}

// ErrNoStatement reports a document that is no readable statement.
var ErrNoStatement = errors.New("this is no camt.053 or camt.052 whose entries name their transactions")

// statement holds the elements of a camt.053 or camt.052 that a reconciliation needs, of any version.
type statement struct {
	XMLName xml.Name `xml:"Document"`
	Stmt    []report `xml:"BkToCstmrStmt>Stmt"`
	Rpt     []report `xml:"BkToCstmrAcctRpt>Rpt"`
}

type report struct {
	From    string  `xml:"FrToDt>FrDtTm"`
	To      string  `xml:"FrToDt>ToDtTm"`
	Entries []entry `xml:"Ntry"`
}

type entry struct {
	Amount  stated      `xml:"Amt"`
	Credit  string      `xml:"CdtDbtInd"`
	Status  entryStatus `xml:"Sts"`
	Booked  string      `xml:"BookgDt>Dt"`
	BookdAt string      `xml:"BookgDt>DtTm"`
	Details []detail    `xml:"NtryDtls>TxDtls"`
}

// entryStatus is a code, which older versions have as a text.
type entryStatus struct {
	Text string `xml:",chardata"`
	Code string `xml:"Cd"`
}

type stated struct {
	Currency string `xml:"Ccy,attr"`
	Value    string `xml:",chardata"`
}

type detail struct {
	Transaction string  `xml:"Refs>TxId"`
	Instruction string  `xml:"Refs>InstrId"`
	Message     string  `xml:"Refs>MsgId"`
	EndToEnd    string  `xml:"Refs>EndToEndId"`
	Amount      *stated `xml:"Amt"`
	Settled     *stated `xml:"AmtDtls>TxAmt>Amt"`
	Credit      string  `xml:"CdtDbtInd"`
}

// ClearingStatement lists the settlements of clearing in a period, of one currency.
type ClearingStatement struct {
	From, To time.Time // the first day and the day after the last one, in the zone of the banking day
	Lines    []StatementLine
}

// ReadClearingStatement reads the booked entries of a camt.053 or camt.052. The period is that of the document, else of the days of its
// entries. It fails with ErrNoStatement, or a money.Error.
func ReadClearingStatement(content []byte, zone *time.Location) (ClearingStatement, error) {
	var read statement
	err := xml.NewDecoder(bytes.NewReader(content)).Decode(&read)
	if err != nil {
		return ClearingStatement{}, fmt.Errorf("%w: %w", ErrNoStatement, err)
	}
	var s ClearingStatement
	for _, one := range append(read.Stmt, read.Rpt...) {
		s.cover(one.From, zone)
		s.coverEnd(one.To, zone)
		for _, e := range one.Entries {
			if status := cmp.Or(e.Status.Code, strings.TrimSpace(e.Status.Text)); status != "" && status != "BOOK" {
				continue
			}
			if one.From == "" {
				s.cover(cmp.Or(e.Booked, e.BookdAt), zone)
			}
			lines, err := e.lines()
			if err != nil {
				return ClearingStatement{}, err
			}
			s.Lines = append(s.Lines, lines...)
		}
	}
	if s.From.IsZero() {
		return ClearingStatement{}, fmt.Errorf("%w: it has no period", ErrNoStatement)
	}
	return s, nil
}

// cover extends the period by the day of a date or time.
func (s *ClearingStatement) cover(text string, zone *time.Location) {
	day, ok := dayIn(text, zone)
	if !ok {
		return
	}
	if s.From.IsZero() || day.Before(s.From) {
		s.From = day
	}
	if next := day.AddDate(0, 0, 1); next.After(s.To) {
		s.To = next
	}
}

// coverEnd extends the period by the days until a moment. Midnight ends the day before.
func (s *ClearingStatement) coverEnd(text string, zone *time.Location) {
	at, err := iso20022.ISODateTime(text).Time()
	if err != nil {
		return
	}
	s.cover(at.Add(-time.Nanosecond).In(zone).Format(time.DateOnly), zone)
}

// dayIn is the beginning of the day that a date or time names.
func dayIn(text string, zone *time.Location) (day time.Time, ok bool) {
	if len(text) > len(time.DateOnly) {
		at, err := iso20022.ISODateTime(text).Time()
		if err != nil {
			return time.Time{}, false
		}
		text = at.In(zone).Format(time.DateOnly)
	}
	day, err := time.ParseInLocation(time.DateOnly, text, zone)
	return day, err == nil
}

// lines returns the transactions of an entry, each with its own amount, or that of an entry with one transaction.
func (e entry) lines() ([]StatementLine, error) {
	if len(e.Details) == 0 {
		return nil, fmt.Errorf("%w: an entry of %s %s names none", ErrNoStatement, e.Amount.Currency, e.Amount.Value)
	}
	lines := make([]StatementLine, 0, len(e.Details))
	for _, d := range e.Details {
		given := d.Amount
		if given == nil {
			given = d.Settled
		}
		switch {
		case given == nil && len(e.Details) > 1:
			return nil, fmt.Errorf("%w: the transaction %s has no amount of its own", ErrNoStatement, d.Transaction)
		case given == nil:
			given = &e.Amount
		}
		value, err := decimal.Parse(strings.TrimSpace(given.Value))
		if err != nil {
			return nil, fmt.Errorf("%w: amount %q", ErrNoStatement, given.Value)
		}
		amount, err := money.FromDecimal(money.Currency(given.Currency), value)
		if err != nil {
			return nil, fmt.Errorf("read the statement: %w", err)
		}
		line := StatementLine{TransactionID: d.Transaction, Amount: amount, Credit: cmp.Or(d.Credit, e.Credit) == "CRDT"}
		for _, id := range []string{d.Transaction, d.Instruction, d.Message, d.EndToEnd} {
			if id != "" {
				line.References = append(line.References, id)
			}
		}
		lines = append(lines, line)
	}
	return lines, nil
}
