package orderform

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/govalues/decimal"

	"countersign/internal/account"
	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// MaxLines limits the payments of one file.
const MaxLines = 100

// maxAnswer limits one answer of a line to the length a form allows, in bytes.
const maxAnswer = 1000

// Line is one payment of a file of many, as the answers of the form.
type Line struct {
	Number int // in the file, from 1
	Scheme rulebook.Scheme
	Values Values
}

// Many is the result of reading a file of many payments.
type Many struct {
	Message  iso20022.MessageName // what an XML file is
	Lines    []Line
	Findings []iso20022.Finding // why the file as a whole cannot be taken
}

// ReadMany reads a table (CSV), or a pain.001 with more than one payment. is is false for any other file. A mistake in one payment that the
// form can mend is no finding here; an element without a field in the form is.
func ReadMany(content []byte, today time.Time) (many Many, is bool) {
	if text := bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")); !looksLikeXML(text) {
		return readTable(text)
	}
	read := ReadOrder(content)
	if read.Order == nil || len(read.Findings) > 0 {
		return Many{}, false
	}
	count, _ := held(read.Order.PaymentInformation...)
	if count < 2 {
		return Many{}, false
	}
	many = Many{Message: read.Message}
	header := read.Order.GroupHeader
	many.hold(told{place: "/Document/CstmrCdtTrfInitn/GrpHdr", count: header.NumberOfTransactions, sum: header.ControlSum},
		read.Order.PaymentInformation...)
	many.split(content, read.Order, today)
	return many.limited(count), true
}

// held are the payments that a file holds, and the sum of their amounts.
func held(in ...iso20022.PaymentInstruction30) (count int, sum decimal.Decimal) {
	for _, info := range in {
		count += len(info.CreditTransferTransactionInformation)
		for _, tx := range info.CreditTransferTransactionInformation {
			if tx.Amount.InstructedAmount == nil {
				continue
			}
			next, err := sum.Add(tx.Amount.InstructedAmount.Value)
			if err == nil { // a sum beyond all amounts differs from the one that is told
				sum = next
			}
		}
	}
	return count, sum
}

// told are the totals that a file tells in one place; "" and nil for one that it leaves out.
type told struct {
	place string
	line  int
	count string
	sum   *decimal.Decimal
}

// hold holds the totals that a file tells against its payments.
func (m *Many) hold(t told, against ...iso20022.PaymentInstruction30) {
	count, sum := held(against...)
	if t.count != "" && fmt.Sprint(count) != strings.TrimLeft(t.count, "0") {
		m.refuse(t.line, t.place+"/NbOfTxs", "AM18",
			i18n.Text("Correct the number of payments: the file says %s and holds %d.").With(t.count, count))
	}
	if t.sum != nil && !t.sum.Equal(sum) {
		m.refuse(t.line, t.place+"/CtrlSum", "AM10",
			i18n.Text("Correct the control sum: the file says %s, and its payments are %s.").With(t.sum, sum))
	}
}

func (m *Many) refuse(line int, pointer, code string, text i18n.Text) {
	m.Findings = append(m.Findings, iso20022.Finding{Line: line, Pointer: pointer, Code: code, Text: text})
}

// limited refuses a file of too many payments.
func (m Many) limited(count int) Many {
	if count > MaxLines {
		m.Findings, m.Lines = nil, nil
		m.refuse(0, "/Document", "AM18", i18n.Text("Send files of at most %d payments: this one has %d.").With(MaxLines, count))
	}
	return m
}

// split makes a line of each payment of an order. It refuses an order for another day, which would be paid today, and elements without a
// field in the form, which would be lost.
func (m *Many) split(content []byte, order *iso20022.CustomerCreditTransferInitiation, today time.Time) {
	positions := codec.PositionsXML(content)
	for i, info := range order.PaymentInformation {
		place := fmt.Sprintf("/Document/CstmrCdtTrfInitn/PmtInf/%d", i)
		m.hold(told{place: place, line: positions.Of(place).Line, count: info.NumberOfTransactions, sum: info.ControlSum}, info)
		if day := string(info.RequestedExecutionDate.Date); day != today.Format(time.DateOnly) {
			at := place + "/ReqdExctnDt"
			m.refuse(positions.Of(at).Line, at, "DT01", "Set the execution date to today: payments of a file are made at once.")
		}
		for j, tx := range info.CreditTransferTransactionInformation {
			at := fmt.Sprintf("%s/CdtTrfTxInf/%d", place, j)
			line := positions.Of(at).Line
			single := *order
			single.GroupHeader.NumberOfTransactions = "1"
			single.PaymentInformation = []iso20022.PaymentInstruction30{info}
			single.PaymentInformation[0].CreditTransferTransactionInformation = []iso20022.CreditTransferTransaction34{tx}
			scheme := File{BuiltOrder: BuiltOrder{Document: &single}}.Scheme()
			values := ValuesOf(&single)
			if !formHolds(scheme, &single) {
				m.refuse(line, at, "FF01", "Send this payment in a file of its own: the form has no field for something in it.")
			}
			m.Lines = append(m.Lines, Line{Number: line, Scheme: scheme, Values: values})
		}
	}
}

// formHolds reports whether the form has a field for every element of a payment. It ignores mistakes in their values.
func formHolds(scheme rulebook.Scheme, document *iso20022.CustomerCreditTransferInitiation) bool {
	info, tx, _ := document.SinglePayment()
	probe, probeInfo, probeTx := deepEnough(document, info, tx)
	probeInfo.PaymentTypeInformation = Order{Scheme: scheme}.Build().Document.PaymentInformation[0].PaymentTypeInformation
	if probeTx.CreditorAccount != nil {
		_, err := account.ParseInput(probeTx.CreditorAccount.ID.IBAN)
		if err != nil && probeTx.CreditorAccount.ID.IBAN != "" {
			fixed := *probeTx.CreditorAccount
			fixed.ID.IBAN = "CH9300762011623852957"
			probeTx.CreditorAccount = &fixed
		}
	}
	if probeTx.Creditor != nil {
		creditor := *probeTx.Creditor
		if creditor.PostalAddress != nil {
			address := *creditor.PostalAddress
			address.AddressLine = slices.Clone(address.AddressLine)
			creditor.PostalAddress = &address
		}
		probeTx.Creditor = &creditor
	}
	if probeTx.RemittanceInformation != nil {
		remittance := *probeTx.RemittanceInformation
		remittance.Unstructured = slices.Clone(remittance.Unstructured)
		probeTx.RemittanceInformation = &remittance
	}
	transliterate(scheme, probe)
	return FitsForm(scheme, probe, &payment.DebtorAccount{IBAN: probeInfo.DebtorAccount.ID.IBAN})
}

// tableColumns are the columns of a table, by the names of the form's fields, and currency and reference, which choose the scheme and the
// kind of reference.
var tableColumns = []string{
	"debtorAccount", "creditorName", "creditorIban", "street", "buildingNumber", "postcode", "town", "country", "currency", "amount",
	"reference", "message", "endToEndId",
}

// TableHead is the first line of a table.
func TableHead() string { return strings.Join(tableColumns, ";") }

// readTable reads a CSV file in UTF-8, with semicolons or commas, whose first line names the columns in any order.
func readTable(content []byte) (many Many, is bool) {
	head, _, _ := bytes.Cut(content, []byte("\n"))
	if !bytes.Contains(head, []byte("creditorIban")) && !tableHead.Match(head) {
		return Many{}, false
	}
	if !utf8.Valid(content) {
		many.refuse(notUTF8(content), "", "FF01", "Save the table in UTF-8: this line is in another encoding.")
		return many, true
	}
	table := csv.NewReader(bytes.NewReader(content))
	table.FieldsPerRecord = -1
	table.Comma = ';'
	if !bytes.Contains(head, []byte(";")) {
		table.Comma = ','
	}
	names, err := table.Read()
	if err != nil {
		many.refuseTable(err)
		return many, true
	}
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
		if !slices.Contains(tableColumns, names[i]) || slices.Index(names, names[i]) != i {
			many.refuse(1, "", "FF01", i18n.Text("Name each column once, as one of: %s.").With(strings.Join(tableColumns, ", ")))
			return many, true
		}
	}
	if !slices.Contains(names, "creditorIban") {
		many.refuse(1, "", "FF01", "Add the column creditorIban: without it no payment says where it goes.")
		return many, true
	}
	count := 0
	for {
		cells, err := table.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			many.refuseTable(err)
			break
		}
		number, _ := table.FieldPos(0)
		count++
		if count <= MaxLines {
			many.row(number, names, cells)
		}
	}
	if count == 0 && len(many.Findings) == 0 {
		many.refuse(1, "", "FF01", "Add a line for each payment below the names of the columns.")
	}
	return many.limited(count), true
}

// tableHead is a first line that names columns, whichever these are: a few words between semicolons or commas, in any encoding.
var tableHead = regexp.MustCompile(`^"?[\pL\w\x{FFFD} .-]{1,40}"?([;,]"?[\pL\w\x{FFFD} .-]{0,40}"?)+[;,]?\r?$`)

// notUTF8 is the line of the first bytes that are none, from 1.
func notUTF8(content []byte) int {
	line := 1
	for one := range bytes.Lines(content) {
		if !utf8.Valid(one) {
			break
		}
		line++
	}
	return line
}

func (m *Many) refuseTable(err error) {
	var broken *csv.ParseError
	line := 0
	if errors.As(err, &broken) {
		line = broken.Line
	}
	m.refuse(line, "", "FF01", "Correct the quotation marks of this line: the table cannot be read on from here.")
}

// row makes a line of the cells of one payment.
func (m *Many) row(number int, names, cells []string) {
	if len(cells) != len(names) {
		m.refuse(number, "", "FF01", i18n.Text("Give this line %d columns, as the first line has: it has %d.").With(len(names), len(cells)))
		return
	}
	line := Line{Number: number, Scheme: rulebook.SchemeSIC, Values: Values{AddressKind: AddressStructured, RemittanceKind: RemittanceNone}}
	var currency, reference string
	into := map[string]*string{"currency": &currency, "reference": &reference, "message": &line.Values.RemittanceText}
	for _, field := range line.Values.Fields() {
		into[field.Name] = field.Value
	}
	for i, name := range names {
		if len(cells[i]) > maxAnswer || strings.Contains(cells[i], "\x00") {
			m.refuse(number, name, "FF01", i18n.Text("Write at most %d bytes of text.").With(maxAnswer))
			return
		}
		*into[name] = strings.TrimSpace(cells[i])
	}
	switch strings.ToUpper(currency) {
	case "", "CHF":
	case "EUR":
		line.Scheme = rulebook.SchemeSCT
	default: // stays beside its amount, where a person reads and mends it
		line.Values.Amount = currency + " " + line.Values.Amount
	}
	line.Values.choose(reference)
	m.Lines = append(m.Lines, line)
}

// choose puts a reference where its form belongs, and a message where there is none.
func (v *Values) choose(reference string) {
	plain := strings.ToUpper(strings.ReplaceAll(reference, " ", ""))
	switch {
	case strings.HasPrefix(plain, "RF"):
		v.RemittanceKind, v.CreditorReference = RemittanceReference, reference
	case plain != "":
		v.RemittanceKind, v.QRReference = RemittanceQR, reference
	case v.RemittanceText != "":
		v.RemittanceKind = RemittanceText
	}
}
