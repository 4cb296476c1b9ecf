package orderform

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/govalues/decimal"

	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
)

const (
	// MaxFile limits a file of many payments, in bytes. The order of each payment keeps the limit of a document.
	MaxFile = 2 << 20
	// maxParts limits the orders of a file together, in bytes: each repeats the head of the file.
	maxParts = 4 * MaxFile
	// MaxPayments limits the payments of one file.
	MaxPayments = 1000
)

// Part is one payment of a file: a pain.001 of its own, cut out of the file. Its other elements and its text are those of the file.
type Part struct {
	Position int // in the file, from 1
	Line     int // of the file, on which the payment begins
	Content  []byte
	Place    string // of the payment in the file, as a pointer
}

// InFile translates a pointer into the order of the part to the pointer in the file.
func (p Part) InFile(pointer string) string {
	if rest, is := strings.CutPrefix(pointer, transactionPointer); is {
		return p.Place + rest
	}
	if rest, is := strings.CutPrefix(pointer, informationPointer); is {
		info, _, _ := strings.Cut(p.Place, transactionsStep)
		return info + rest
	}
	return pointer
}

// transactionsStep leads from a payment information to its payments.
const transactionsStep = "/CdtTrfTxInf/"

// OfPayment reports whether a pointer into the order of a part leads into its payment. All other elements are common to several payments.
func OfPayment(pointer string) bool {
	return pointer == transactionPointer || strings.HasPrefix(pointer, transactionPointer+"/")
}

// insidePayment matches the pointers into a payment of a file.
var insidePayment = regexp.MustCompile(`^/Document/CstmrCdtTrfInitn/PmtInf/\d+/CdtTrfTxInf/\d+(/|$)`)

// Parts is the result of cutting a payment order.
type Parts struct {
	Message iso20022.MessageName // "" when the file is no message of ours
	Parts   []Part
	// Findings refuse the file as a whole. They have the places of the file.
	Findings []iso20022.Finding
}

// Split cuts a pain.001 into one order for each of its payments. Each is numbered anew (NbOfTxs, CtrlSum); nothing else changes, so a
// payment has the same findings in its part as in a file of its own. is is false for a file that holds fewer than two payments, or that is
// no readable order: ReadFile reports why.
func Split(content []byte) (parts Parts, is bool) {
	if !looksLikeXML(content) || !utf8.Valid(content) {
		return Parts{}, false
	}
	cut := cutOrder(content)
	if cut.count() < 2 {
		return Parts{}, false
	}
	return split(content, cut), true
}

// SplitAll is Split for an order of any number of payments, in XML or as the JSON value of the member Document. An order without payments
// has no parts and findings.
func SplitAll(content []byte, isJSON bool) Parts {
	var cut cutting
	switch {
	case isJSON:
		cut = cutJSON(content)
	case looksLikeXML(content) && utf8.Valid(content):
		cut = cutOrder(content)
	default:
		return Parts{Findings: []iso20022.Finding{{Pointer: "/Document", Code: "FF01", Text: noOrder(content)}}}
	}
	return split(content, cut)
}

// maxFindings limits the findings of a file: ten for each payment.
const maxFindings = 10 * MaxPayments

func split(content []byte, cut cutting) (parts Parts) {
	if cut.count() > MaxPayments {
		return Parts{Findings: []iso20022.Finding{tooMany(cut.count())}}
	}
	read := readOrder(content, cut.json, codec.Options{MaxBytes: MaxFile, MaxFindings: maxFindings})
	parts.Message = read.Message
	for _, f := range read.Findings {
		if read.Order == nil || !insidePayment.MatchString(f.Pointer) {
			parts.Findings = append(parts.Findings, f)
		}
	}
	if len(parts.Findings) > 0 || read.Order == nil || cut.count() == 0 {
		if len(parts.Findings) == 0 {
			parts.refuse("/Document", "FF01", i18n.ForPrograms("Send a payment order, a pain.001.001.09, with at least one payment."))
		}
		return parts
	}
	parts.checkTotals(read)
	parts.cut(content, cut, read.Order)
	return parts
}

// checkTotals compares the numbers and sums that the file states with its payments. A payment that cannot be read leaves the sum unknown.
func (p *Parts) checkTotals(read Read) {
	header, infos := read.Order.GroupHeader, read.Order.PaymentInformation
	p.compare(stated{
		place: "/Document/CstmrCdtTrfInitn/GrpHdr", count: header.NumberOfTransactions, sum: known(header.ControlSum, read),
	}, infos...)
	for i, info := range infos {
		place := fmt.Sprintf("/Document/CstmrCdtTrfInitn/PmtInf/%d", i)
		p.compare(stated{place: place, count: info.NumberOfTransactions, sum: known(info.ControlSum, read)}, info)
	}
}

// stated are the totals that a file states in one place; "" and nil for one that it leaves out.
type stated struct {
	place string
	count string
	sum   *decimal.Decimal
}

// compare compares the totals that a file states with its payments.
func (p *Parts) compare(s stated, with ...iso20022.PaymentInstruction30) {
	count, sum := held(with...)
	if s.count != "" && fmt.Sprint(count) != strings.TrimLeft(s.count, "0") {
		p.refuse(s.place+"/NbOfTxs", "AM18", i18n.Text("Correct the number of payments: the file says %s but contains %d payments.").
			With(s.count, count))
	}
	if s.sum != nil && !s.sum.Equal(sum) {
		p.refuse(s.place+"/CtrlSum", "AM10",
			i18n.Text("Correct the control sum: the file says %s, but the payments add up to %s.").With(s.sum, sum))
	}
}

func (p *Parts) refuse(pointer, code string, text i18n.Text) {
	p.Findings = append(p.Findings, iso20022.Finding{Pointer: pointer, Code: code, Text: text})
}

// tooMany refuses a file of more than MaxPayments payments.
func tooMany(count int) iso20022.Finding {
	return iso20022.Finding{
		Pointer: "/Document", Code: "AM18", Text: i18n.Text("Send files with at most %d payments. The file you sent has %d.").
				With(MaxPayments, count),
	}
}

// held returns the number of payments and the sum of their amounts.
func held(in ...iso20022.PaymentInstruction30) (count int, sum decimal.Decimal) {
	for _, info := range in {
		count += len(info.CreditTransferTransactionInformation)
		for _, tx := range info.CreditTransferTransactionInformation {
			if tx.Amount.InstructedAmount == nil {
				continue
			}
			next, err := sum.Add(tx.Amount.InstructedAmount.Value)
			if err == nil { // a sum beyond all amounts differs from the stated one
				sum = next
			}
		}
	}
	return count, sum
}

// known is a control sum that can be compared: every payment of the file was read.
func known(sum *decimal.Decimal, read Read) *decimal.Decimal {
	if len(read.Findings) > 0 {
		return nil
	}
	return sum
}

// cut writes the order of each payment.
func (p *Parts) cut(content []byte, cut cutting, order *iso20022.CustomerCreditTransferInitiation) {
	size := 0
	lines, counted := 1, 0
	for i, info := range cut.infos {
		for j, tx := range info.payments {
			lines += bytes.Count(content[counted:tx.from], []byte("\n"))
			counted = tx.from
			part := Part{
				Position: len(p.Parts) + 1, Line: lines, Content: cut.part(content, i, j, amountOf(order, i, j)),
				Place: fmt.Sprintf("/Document/CstmrCdtTrfInitn/PmtInf/%d"+transactionsStep+"%d", i, j),
			}
			size += len(part.Content)
			if size > maxParts {
				p.Parts = nil
				p.refuse("/Document", "FF01", "Send the payments in several files. The file you sent is too large to be split into individual "+
					"payments.")
				return
			}
			p.Parts = append(p.Parts, part)
		}
	}
}

// amountOf is the instructed amount of a payment as a control sum; "" for one that was not read.
func amountOf(order *iso20022.CustomerCreditTransferInitiation, info, tx int) string {
	if info >= len(order.PaymentInformation) || tx >= len(order.PaymentInformation[info].CreditTransferTransactionInformation) {
		return ""
	}
	amount := order.PaymentInformation[info].CreditTransferTransactionInformation[tx].Amount.InstructedAmount
	if amount == nil || !amount.Value.IsPos() {
		return ""
	}
	return amount.Value.String()
}

// span is an element in the bytes of a file.
type span struct{ from, until int }

// cutting holds the places in a file between which it is cut.
type cutting struct {
	json  bool
	head  totals // of the group header
	infos []informationSpan
}

// totals are the elements with the number and the sum of the payments, with their tags; in JSON their values. Zero for one that is missing.
type totals struct {
	count, sum span
	sumMember  span // in JSON the member with the sum, and a comma beside it
}

type informationSpan struct {
	span
	totals
	payments []span
}

func (c cutting) count() (count int) {
	for _, info := range c.infos {
		count += len(info.payments)
	}
	return count
}

// paths of the elements that a cut needs.
const (
	headPath        = "Document/CstmrCdtTrfInitn/GrpHdr"
	informationPath = "Document/CstmrCdtTrfInitn/PmtInf"
	paymentPath     = informationPath + "/CdtTrfTxInf"
)

// cutOrder finds the payments of an order; none where the XML is not well-formed.
func cutOrder(content []byte) cutting {
	scanner := codec.NewXMLScanner(content, codec.MaxDepth)
	scanner.SkipByteOrderMark()
	var cut cutting
	var path []string
	var begins []int
	for {
		token := scanner.Next()
		switch token.Kind {
		case codec.Start:
			path, begins = append(path, string(token.Local)), append(begins, token.Offset)
			if len(path) == 3 && strings.Join(path, "/") == informationPath {
				cut.infos = append(cut.infos, informationSpan{span: span{from: token.Offset}})
			}
		case codec.End:
			if len(path) <= 4 {
				cut.ends(strings.Join(path, "/"), span{begins[len(begins)-1], scanner.Position()})
			}
			path, begins = path[:len(path)-1], begins[:len(begins)-1]
		case codec.Broken:
			return cutting{}
		case codec.EndOfDocument:
			return cut
		case codec.Text:
		}
	}
}

// ends notes an element that the scanner has passed.
func (c *cutting) ends(path string, at span) {
	switch path {
	case headPath + "/NbOfTxs":
		c.head.count = at
	case headPath + "/CtrlSum":
		c.head.sum = at
	case informationPath:
		c.infos[len(c.infos)-1].until = at.until
	case informationPath + "/NbOfTxs":
		c.infos[len(c.infos)-1].count = at
	case informationPath + "/CtrlSum":
		c.infos[len(c.infos)-1].sum = at
	case paymentPath:
		last := &c.infos[len(c.infos)-1]
		last.payments = append(last.payments, at)
	}
}

// part is the order of one payment: everything of the file but the other payments and the other payment informations.
func (c cutting) part(content []byte, i, j int, amount string) []byte {
	info := c.infos[i]
	edits := append(c.renumbered(c.head, content, amount), c.renumbered(info.totals, content, amount)...)
	first, last := info.payments[0], info.payments[len(info.payments)-1]
	edits = append(
		edits, edit{span: span{c.infos[0].from, info.from}}, edit{span: span{first.from, info.payments[j].from}},
		edit{span: span{info.payments[j].until, last.until}}, edit{span: span{info.until, c.infos[len(c.infos)-1].until}},
	)
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		if e.from < at { // of an element that is written twice, or in a wrong place: the file is refused for that
			continue
		}
		out.Write(content[at:e.from])
		out.Write(e.instead)
		at = e.until
	}
	out.Write(content[at:])
	return out.Bytes()
}

// edit replaces a span of the file.
type edit struct {
	span
	instead []byte
}

// renumbered writes the totals for one payment. A sum is left out where the amount is not known.
func (c cutting) renumbered(t totals, content []byte, amount string) []edit {
	var edits []edit
	if t.count.until > 0 {
		edits = append(edits, edit{t.count, c.rewritten(t.count, content, "1")})
	}
	switch {
	case t.sum.until > 0 && amount != "":
		edits = append(edits, edit{t.sum, c.rewritten(t.sum, content, amount)})
	case t.sum.until > 0 && c.json:
		edits = append(edits, edit{span: t.sumMember})
	case t.sum.until > 0:
		edits = append(edits, edit{span: t.sum})
	}
	return edits
}

// rewritten is an element without children, or a JSON value, with another text.
func (c cutting) rewritten(s span, content []byte, text string) []byte {
	if c.json {
		return []byte(`"` + text + `"`)
	}
	element := content[s.from:s.until]
	open, closing := bytes.IndexByte(element, '>'), bytes.LastIndex(element, []byte("</"))
	if closing < 0 { // it closes itself, so it is empty, and its reader refuses it
		return element
	}
	return slices.Concat(element[:open+1], []byte(text), element[closing:])
}
