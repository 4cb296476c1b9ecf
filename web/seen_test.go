package web_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/uuid"
	"github.com/govalues/decimal"

	"countersign/internal/demo"
	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/testutil"
	"countersign/views"
)

// TestEverythingThatIsSentIsSeen fills every element of a payment order that the table of mappings carries to clearing, each with a value of
// its own, and takes the orders, and recalls, returns and resolutions about such payments, all the way. Whatever the document to clearing
// says afterwards beyond what the scheme and the gateway fix must have been on each page and in the read before the approval.
func TestEverythingThatIsSentIsSeen(t *testing.T) {
	t.Parallel()
	p := openProduct(t)
	w := newSeenWalk(p)
	var err error
	w.accounts, err = p.house.Reader.Accounts(t.Context(), demo.Realm)
	must(t, err)
	for _, scheme := range rulebook.Schemes() {
		orders := w.pack(scheme)
		for i, order := range orders {
			// The first orders hold most elements; the others differ in one choice.
			paid, every := w.pay(scheme, order, i), i < 2
			w.file(scheme, order, i)
			w.amend(scheme, order)
			if every || i%3 == 0 {
				w.recall(scheme, paid)
			}
			if every || i%3 == 1 {
				w.answer(scheme, order, fmt.Sprintf("RET%d", i), rulebook.ReturnReasons(scheme))
				w.answer(scheme, order, fmt.Sprintf("FOC%d", i), []rulebook.Reason{{Code: rulebook.ReturnAfterRecall}})
			}
			if every || i%3 == 2 {
				w.answer(scheme, order, fmt.Sprintf("RES%d", i), rulebook.ResolutionReasons(scheme))
			}
		}
	}
	t.Logf("%d changes of elements named", w.amended)
	t.Logf("%d elements on %d places, %d misses", len(w.seen), len(w.places)+1, len(w.missed))
	w.missesNothing()
	if len(w.seen) < 350 {
		t.Errorf("the walk saw %d elements only", len(w.seen))
	}
	named := map[string]string{}
	for element := range w.seen {
		name := w.named(element)
		// A document says most of its transaction, some of its header, and nothing in both.
		part := strings.NewReplacer("[2]", "", "[3]", "", "GrpHdr/", "", "CdtTrfTxInf/", "").Replace(element)
		if other := cmp.Or(named[name], part); other != part {
			t.Errorf("%s and %s are both called %s", other, part, name)
		}
		named[name] = part
	}
}

// TestTheWalkNoticesWhatOnePageLeavesOut takes the ultimate creditor off one place at a time, and finds that the walk misses it there.
func TestTheWalkNoticesWhatOnePageLeavesOut(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	p := openProduct(t)
	whole, number := p.server.Config.Handler, 0
	for place, path := range map[string]string{
		"check page": "^/payments/[^/]+/check$", "queue": "^/queue/[0-9a-f-]+$", "pane": "^htmx /queue/[0-9a-f-]+$", "reject page": "/reject$",
		"approve together": "^/queue/bulk$", "payment": "^/payments/[0-9a-f-]+$", "read": "/transaction/[0-9a-f-]+$",
		"page of the file": "^/payments/batches/[0-9a-f-]+$", "page to approve the file": "^/queue/files/",
	} {
		address := regexp.MustCompile(path)
		p.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("Accept-Encoding")
			answer := httptest.NewRecorder()
			whole.ServeHTTP(answer, r)
			asked, body := r.URL.Path, answer.Body.String()
			if r.Header.Get("HX-Request") != "" {
				asked = "htmx " + asked
			}
			if address.MatchString(asked) {
				body = strings.ReplaceAll(body, "Viktor Fremd", "")
			}
			maps.Copy(w.Header(), answer.Header())
			w.Header().Del("Content-Length")
			w.WriteHeader(answer.Code)
			_, _ = io.WriteString(w, body)
		})
		w := newSeenWalk(p)
		w.number = number
		order := w.base(rulebook.SchemeSCT, false)
		order.PaymentInformation[0].CreditTransferTransactionInformation[0].UltimateCreditor = &iso20022.PartyIdentification135{Name: "Viktor Fremd"}
		w.pay(rulebook.SchemeSCT, order, 0)
		w.file(rulebook.SchemeSCT, order, 0)
		number = w.number
		if len(w.missed) == 0 {
			t.Errorf("nobody misses what %s leaves out", place)
		}
		for _, miss := range w.missed {
			if !strings.HasPrefix(miss, place+": CdtTrfTxInf/UltmtCdtr/Nm") {
				t.Errorf("taken off %s, missed: %s", place, miss)
			}
		}
	}
}

// newSeenWalk signs the walk's people in.
func newSeenWalk(p *product) *seenWalk {
	return &seenWalk{
		product: p, maker: p.browserOf("maker1"), checker: p.browserOf("checker1"), token: p.token("checker1"), amender: p.token("maker1"),
		seen: map[string]bool{}, places: map[string]bool{},
	}
}

// missesNothing reports what a place did not show before the approval.
func (w *seenWalk) missesNothing() {
	w.t.Helper()
	for _, miss := range w.missed {
		w.t.Error(miss)
	}
}

// abbreviations are called the same by people.
var abbreviations = []string{"IBAN", "UETR", "LEI", "Room", "Rate", "Case"}

// named holds that an element is called something for people, and not by its tag, and returns that with the name of its document.
func (w *seenWalk) named(element string) string {
	document, place, _ := strings.Cut(strings.NewReplacer("[2]", "", "[3]", "").Replace(element), " ")
	name := i18n.English.Say(views.ElementName(place))
	for _, word := range strings.Split(name, " · ") {
		if !slices.Contains(abbreviations, word) && slices.Contains(strings.Split(place, "/"), word) {
			w.t.Errorf("%s has no name: %q", place, word)
		}
	}
	return document + " " + name
}

// seenWalk is the state of the walk.
type seenWalk struct {
	*product

	maker, checker *portalBrowser
	token          string // of the checker
	amender        string // of the maker
	amended        int    // elements that pages name as changed
	accounts       []payment.DebtorAccount
	number         int
	seen           map[string]bool // elements of documents to clearing, with the kind of their document
	places         map[string]bool // pages, beside the read
	missed         []string        // "place: element"
}

// byScheme are the elements that the scheme, the gateway or the moment of the approval fixes, each with everything below it; a total is that
// of the one payment. A clearing number belongs to an account number, which is shown.
var byScheme = []string{
	"GrpHdr/MsgId", "GrpHdr/CreDtTm", "GrpHdr/NbOfTxs", "GrpHdr/SttlmInf", "GrpHdr/IntrBkSttlmDt", "GrpHdr/PmtTpInf/SvcLvl",
	"GrpHdr/PmtTpInf/LclInstrm", "CdtTrfTxInf/PmtId/InstrId", "CdtTrfTxInf/PmtId/TxId", "CdtTrfTxInf/AccptncDtTm", "CdtTrfTxInf/ChrgBr",
	"GrpHdr/TtlIntrBkSttlmAmt", "GrpHdr/TtlRtrdIntrBkSttlmAmt", "Assgnmt/Id", "Assgnmt/CreDtTm", "CtrlData", "Undrlyg/TxInf/CxlId", "Undrlyg/TxInf/OrgnlGrpInf/OrgnlMsgNmId", "TxInf/RtrId",
	"TxInf/ChrgBr", "TxInf/OrgnlGrpInf/OrgnlMsgNmId", "Sts/Conf", "CxlDtls/TxInfAndSts/CxlStsId", "CxlDtls/TxInfAndSts/TxCxlSts",
}

// said are the elements of a document to clearing that somebody has to see.
func said(name string, content []byte, fixed ...string) []interbank.Source {
	return slices.DeleteFunc(interbank.Sources(name, content), func(s interbank.Source) bool {
		return strings.HasSuffix(s.Element, "ClrSysMmbId/ClrSysId/Cd") || slices.ContainsFunc(append(fixed, byScheme...), func(place string) bool {
			return s.Element == place || strings.HasPrefix(s.Element, place+"/")
		})
	})
}

// pay takes an order through upload, check page, queue and approval.
func (w *seenWalk) pay(scheme rulebook.Scheme, order *iso20022.CustomerCreditTransferInitiation, number int) payment.Message {
	w.t.Helper()
	check := w.maker.upload(encode(w.t, order))
	if !strings.HasSuffix(check, "/check") {
		w.t.Fatalf("the upload leads to %s", check)
	}
	views := map[string]view{"check page": w.maker.get(check)}
	done := w.maker.send(views["check page"], strings.TrimSuffix(check, "check")+"submit")
	id := uuid.MustParse(strings.Split(done, "/")[2])
	var made []string
	if order.PaymentInformation[0].CreditTransferTransactionInformation[0].PaymentID.UETR == "" {
		made = []string{"CdtTrfTxInf/PmtId/UETR"} // by the gateway
	}
	sent := w.decide(views, id, fmt.Sprintf("%s order %d", scheme, number), made...)
	w.settle(scheme, sent)
	m, err := w.house.Reader.Message(w.t.Context(), demo.Realm, id)
	must(w.t, err)
	if m.State != payment.StateSettled {
		w.t.Fatalf("%s is %s", id, m.State)
	}
	return m
}

// amend makes a payment of few elements one with those of the order, and one of few again. Each time the page of the queue names every
// element that changed.
func (w *seenWalk) amend(scheme rulebook.Scheme, order *iso20022.CustomerCreditTransferInitiation) {
	w.t.Helper()
	few, more := w.base(scheme, false), copyOf(w.t, order)
	more.GroupHeader.MessageID = few.GroupHeader.MessageID
	payment := &more.PaymentInformation[0].CreditTransferTransactionInformation[0]
	payment.PaymentID = few.PaymentInformation[0].CreditTransferTransactionInformation[0].PaymentID
	payment.Amount = few.PaymentInformation[0].CreditTransferTransactionInformation[0].Amount
	more.GroupHeader.ControlSum, more.PaymentInformation[0].ControlSum = nil, nil
	check := w.maker.upload(encode(w.t, few))
	id := uuid.MustParse(strings.Split(w.maker.send(w.maker.get(check), strings.TrimSuffix(check, "check")+"submit"), "/")[2])
	for was, next := range []*iso20022.CustomerCreditTransferInitiation{more, few} {
		before := w.read(id)
		w.update(scheme, id, next)
		after, named := w.read(id), map[string]bool{}
		for _, row := range w.checker.get("/queue/" + id.String()).page.Find("table.changes tbody tr").EachIter() {
			named[plain(row.Text())] = true
		}
		for element := range after {
			place, value, _ := strings.Cut(element, " ")
			old := valueAt(before, place)
			if value != old && !named[changeRow(place, old, value)] {
				w.t.Errorf("amendment %d does not name %s: %q instead of %q\n%q", was, place, value, old, slices.Sorted(maps.Keys(named)))
			}
		}
		for element := range before {
			place, old, _ := strings.Cut(element, " ")
			if valueAt(after, place) == "" && !named[changeRow(place, old, "")] {
				w.t.Errorf("amendment %d does not name %s: %q is gone", was, place, old)
			}
		}
		w.amended += len(named)
	}
}

// valueAt is the value of an element in a read.
func valueAt(read map[string]bool, place string) string {
	for element := range read {
		if value, is := strings.CutPrefix(element, place+" "); is {
			return value
		}
	}
	return ""
}

// changeRow is the row of a change as a person reads it.
func changeRow(place, before, after string) string {
	name := i18n.English.Say(views.ElementName(strings.NewReplacer("[2]", "", "[3]", "").Replace(place)))
	return plain(name + i18n.Legible(before) + i18n.Legible(after))
}

// update amends an order by JSON.
func (w *seenWalk) update(scheme rulebook.Scheme, id uuid.UUID, order *iso20022.CustomerCreditTransferInitiation) {
	w.t.Helper()
	document, err := codec.EncodeJSON(order)
	must(w.t, err)
	w.call(scheme, "instruction/update", fmt.Sprintf(`{"identifiers": {"internalId": %q}, "Document": %s}`, id, document))
}

// call is a call of the maker by JSON; it returns the answer.
func (w *seenWalk) call(scheme rulebook.Scheme, path, body string) string {
	w.t.Helper()
	address := w.server.URL + "/api/" + string(scheme) + "/v1/" + path
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, address, strings.NewReader(body))
	must(w.t, err)
	r.Header.Set("Authorization", "Bearer "+w.amender)
	r.Header.Set("X-Request-Id", "walk")
	r.Header.Set("Content-Type", "application/json")
	status, said := w.do(http.DefaultClient, r)
	if status != http.StatusOK {
		w.t.Fatalf("%s: %d %s", path, status, said)
	}
	return said
}

// file takes a file with two payments like that of the order through the page of the file and the page to approve it.
func (w *seenWalk) file(scheme rulebook.Scheme, order *iso20022.CustomerCreditTransferInitiation, number int) {
	w.t.Helper()
	file := copyOf(w.t, order)
	w.number++
	file.GroupHeader.MessageID, file.GroupHeader.NumberOfTransactions = fmt.Sprintf("FILE-%d", w.number), "2"
	file.GroupHeader.ControlSum, file.PaymentInformation[0].ControlSum = nil, nil
	file.PaymentInformation[0].NumberOfTransactions = ""
	payments := file.PaymentInformation[0].CreditTransferTransactionInformation
	payments = append(payments, copyOf(w.t, order).PaymentInformation[0].CreditTransferTransactionInformation[0])
	for i := range payments {
		id := fmt.Sprintf("FILE-%d-%d", w.number, i)
		payments[i].PaymentID = iso20022.PaymentIdentification6{InstructionID: id, EndToEndID: id}
		payments[i].Amount.InstructedAmount.Value = decimal.MustParse(fmt.Sprintf("%d.4%d", 3000+w.number, i))
	}
	file.PaymentInformation[0].CreditTransferTransactionInformation = payments
	path := w.maker.upload(encode(w.t, file))
	page := w.maker.get(path)
	w.maker.send(page, path+"/submit")
	views := map[string]view{"page of the file": page, "page to approve the " +
		"file": w.checker.get("/queue/files/" + path[strings.LastIndex(path, "/")+1:])}
	submitted := w.maker.get(path).page.Find("tr[id^=line-] a")
	if submitted.Length() != 2 {
		w.t.Fatalf("%d payments of the file are submitted", submitted.Length())
	}
	for _, link := range submitted.EachIter() {
		id := uuid.MustParse(strings.Split(link.AttrOr("href", ""), "/")[2])
		w.decide(maps.Clone(views), id, fmt.Sprintf("%s file %d", scheme, number), "CdtTrfTxInf/PmtId/UETR")
	}
}

// settle has clearing confirm a payment of ours.
func (w *seenWalk) settle(scheme rulebook.Scheme, sent []byte) {
	document, findings := codec.DecodeXML(sent)
	if len(findings) > 0 {
		w.t.Fatal(findings)
	}
	w.number++
	report, err := interbank.StatusReport(interbank.StatusReportInput{
		Scheme: scheme, About: document, At: w.house.Clock.Now(), Reference: fmt.Sprintf("SEEN-%d", w.number), StatusID: fmt.Sprintf("SEEN-%d", w.number),
	})
	must(w.t, err)
	w.must(http.StatusAccepted, scheme, fmt.Sprintf("SEEN-%d", w.number), encode(w.t, report))
}

// recall asks a payment of ours back.
func (w *seenWalk) recall(scheme rulebook.Scheme, paid payment.Message) {
	w.t.Helper()
	reason := firstWithLines(rulebook.RecallReasons(scheme))
	// The message ID of a pacs.008 of ours is made from its Global ID, which is shown.
	w.request("/payments/"+paid.InternalID.String()+"/recall", fmt.Sprintf("%s recall", scheme), reason, "Undrlyg/TxInf/OrgnlGrpInf/OrgnlMsgId")
}

// answer brings a payment like the order in and returns it; after a recall for the reason of one, less a charge. With the reasons of a
// resolution it refuses the recall.
func (w *seenWalk) answer(
	scheme rulebook.Scheme, order *iso20022.CustomerCreditTransferInitiation, name string, reasons []rulebook.Reason,
) {
	w.t.Helper()
	transaction := name + string(scheme[:3])
	document := w.incoming(scheme, order, transaction)
	w.must(http.StatusAccepted, scheme, transaction, encode(w.t, document))
	_, id, err := w.house.Incoming(w.t.Context(), scheme, transaction)
	must(w.t, err)
	path := "/payments/" + id.String() + "/return"
	if resolution := strings.HasPrefix(name, "RES"); resolution || len(reasons) == 1 {
		recall, err := interbank.CancellationRequest(interbank.RTransactionInput{
			Request: rulebook.Request{Reason: "CUST"}, Scheme: scheme, Original: document, MessageID: "C" + transaction, ID: "C" + transaction,
			At: w.house.Clock.Now(),
		})
		must(w.t, err)
		w.must(http.StatusAccepted, scheme, "C"+transaction, encode(w.t, recall))
		list, err := w.house.Reader.Messages(w.t.Context(), demo.Realm, store.Filter{OriginalID: id, PageSize: 1})
		must(w.t, err)
		path += "?recall=" + list[0].InternalID.String()
		if resolution {
			path = "/recalls/" + list[0].InternalID.String() + "/resolve"
		}
	} else {
		reasons = slices.DeleteFunc(slices.Clone(reasons), func(r rulebook.Reason) bool { return r.Code == rulebook.ReturnAfterRecall })
	}
	w.request(path, fmt.Sprintf("%s %s", scheme, name), firstWithLines(reasons))
}

// incoming is the payment of the order as another bank sends it to an account of ours.
func (w *seenWalk) incoming(scheme rulebook.Scheme, order *iso20022.CustomerCreditTransferInitiation, id string) *incomingDocument {
	w.t.Helper()
	turned := copyOf(w.t, order)
	turned.PaymentInformation[0].CreditTransferTransactionInformation[0].CreditorAccount.ID.IBAN = map[rulebook.Scheme]string{
		rulebook.SchemeSIC: "CH5021977000004331346", rulebook.SchemeSCT: "DE62007620110623852957",
	}[scheme]
	document, err := interbank.CreditTransfer(interbank.CreditTransferInput{
		Scheme: scheme, Order: turned, TransactionID: id, Reference: "M" + id, UETR: "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10",
		From: interbank.Account{
			IBAN: "CH4821966000009613388", AgentBIC: "BBBBCHZZXXX", AgentIID: "21966",
			Holder: interbank.Holder{Name: "Anna Beispiel", Street: "Quellweg", Building: "9", Postcode: "6900", Town: "Lugano", Country: "CH"},
		},
		CreditorAgent: "AAAADEFFXXX", AcceptedAt: w.house.Clock.Now(), Day: w.house.Clock.Now(),
	})
	must(w.t, err)
	return document
}

// firstWithLines is the first reason that takes a line of information, else the first one.
func firstWithLines(reasons []rulebook.Reason) rulebook.Reason {
	for _, reason := range reasons {
		if reason.Information.Allowed > 0 {
			return reason
		}
	}
	return reasons[0]
}

// request takes a recall, a return or a resolution through its form, check page, queue and approval.
func (w *seenWalk) request(path, what string, reason rulebook.Reason, made ...string) {
	w.t.Helper()
	page := w.maker.get(path)
	path, _, _ = strings.Cut(path, "?")
	form := page.fields(w.t, path)
	form.Set("reason", reason.Code)
	if reason.Code == rulebook.ReturnAfterRecall {
		w.number++
		form.Set("charge", fmt.Sprintf("0.%02d", w.number%100))
	}
	if reason.Information.Allowed > 0 {
		w.number++
		form.Set("information1", fmt.Sprintf("Line %d of its maker", w.number))
	}
	check := w.maker.post(path, form)
	if !strings.HasSuffix(check, "/check") {
		w.t.Fatalf("%s: the form leads to %q", what, check)
	}
	views := map[string]view{"check page": w.maker.get(check)}
	done := w.maker.send(views["check page"], strings.TrimSuffix(check, "check")+"submit")
	w.decide(views, uuid.MustParse(strings.Split(done, "/")[2]), what, made...)
}

// decide looks at a waiting message everywhere, approves it, and holds what was sent against what was seen.
func (w *seenWalk) decide(views map[string]view, id uuid.UUID, what string, made ...string) (sent []byte) {
	w.t.Helper()
	path := "/queue/" + id.String()
	views["queue"] = w.checker.get(path)
	views["pane"] = w.checker.fragment(path)
	views["reject page"] = w.checker.get(path + "/reject")
	views["approve together"] = w.checker.get("/queue/bulk?id=" + id.String())
	views["payment"] = w.checker.get("/payments/" + id.String())
	read := w.read(id)
	w.checker.send(views["queue"], path+"/approve")
	m, err := w.house.Reader.Message(w.t.Context(), demo.Realm, id)
	must(w.t, err)
	if m.State != payment.StateApproved {
		w.t.Fatalf("%s: it is %s after the approval", what, m.State)
	}
	must(w.t, w.house.Clearing.Send(w.t.Context(), m.Scheme, m.Realm, id))
	name, sent := w.sent(id)
	for place := range views {
		w.places[place] = true
	}
	for _, element := range said(name, sent, made...) {
		w.seen[name+" "+element.Element] = true
		for place, view := range views {
			if !view.shows(element) {
				w.missed = append(w.missed, fmt.Sprintf("%s: %s = %q of %s", place, element.Element, element.Value, what))
			}
		}
		if !read[element.Element+" "+element.Value] {
			w.missed = append(w.missed, fmt.Sprintf("read: %s = %q of %s", element.Element, element.Value, what))
		}
	}
	return sent
}

// sent is the document that went to clearing.
func (w *seenWalk) sent(id uuid.UUID) (name string, content []byte) {
	w.t.Helper()
	list, err := w.house.Reader.Documents(w.t.Context(), demo.Realm, store.DocumentFilter{MessageID: id, PageSize: 10})
	must(w.t, err)
	for _, d := range list {
		if d.Direction == payment.DocumentOut {
			whole, err := w.house.Reader.Document(w.t.Context(), demo.Realm, d.ID)
			must(w.t, err)
			return string(whole.Name), whole.Content
		}
	}
	w.t.Fatalf("nothing was sent of %s", id)
	return "", nil
}

// read is what the JSON read of a transaction says of the document to clearing: "place value".
func (w *seenWalk) read(id uuid.UUID) map[string]bool {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.server.URL+"/api/common/v1/transaction/"+id.String(), nil)
	must(w.t, err)
	r.Header.Set("Authorization", "Bearer "+w.token)
	r.Header.Set("X-Request-Id", "walk")
	_, body := w.do(http.DefaultClient, r)
	var answer struct {
		Transaction struct {
			Clearing map[string]any `json:"clearing"`
		} `json:"transaction"`
	}
	must(w.t, json.Unmarshal([]byte(body), &answer))
	found := map[string]bool{}
	flatten(found, "", answer.Transaction.Clearing)
	return found
}

// flatten lists the leaves of a JSON value, with numbers where an element stands more than once, as interbank.Sources does.
func flatten(found map[string]bool, at string, value any) {
	switch value := value.(type) {
	case map[string]any:
		if currency, is := value["Ccy"].(string); is {
			found[fmt.Sprintf("%s %s %s", at, currency, value["value"])] = true
			return
		}
		for tag, below := range value {
			flatten(found, strings.TrimPrefix(at+"/"+tag, "/"), below)
		}
	case []any:
		for i, one := range value {
			if i > 0 {
				flatten(found, fmt.Sprintf("%s[%d]", at, i+1), one)
			} else {
				flatten(found, at, one)
			}
		}
	default:
		found[fmt.Sprintf("%s %v", at, value)] = true
	}
}

// pack makes orders of a scheme that together have every element which the table carries to clearing and no rule refuses, each filled once
// with a value of its own.
func (w *seenWalk) pack(scheme rulebook.Scheme) []*iso20022.CustomerCreditTransferInitiation {
	w.t.Helper()
	var orders []*iso20022.CustomerCreditTransferInitiation
	var packed int
	remaining := carried(scheme)
	for _, onTransaction := range []bool{false, true} {
		for {
			order, left := w.fill(scheme, w.base(scheme, onTransaction), remaining)
			if len(left) == len(remaining) {
				break
			}
			packed += len(remaining) - len(left)
			orders, remaining = append(orders, order), left
		}
	}
	w.t.Logf("%s: %d elements in %d orders; refused everywhere: %d", scheme, packed, len(orders), len(remaining))
	return orders
}

// carried are the elements of an order that the table of a scheme carries to clearing.
func carried(scheme rulebook.Scheme) []testutil.Leaf {
	var leaves []testutil.Leaf
	for _, leaf := range testutil.Leaves(reflect.TypeFor[iso20022.CustomerCreditTransferInitiation]()) {
		var nearest interbank.Row
		for _, row := range interbank.Rows(scheme) {
			if about := strings.HasPrefix(leaf.Path()+"/", row.Place+"/"); about && len(row.Place) > len(nearest.Place) {
				nearest = row
			}
		}
		if nearest.Fate == interbank.Carried {
			leaves = append(leaves, leaf)
		}
	}
	return leaves
}

// base is an order that no rule refuses.
func (w *seenWalk) base(scheme rulebook.Scheme, onTransaction bool) *iso20022.CustomerCreditTransferInitiation {
	w.number++
	order := servicetest.Document(scheme, 7000+w.number, w.house.Clock.Now())
	order.PaymentInformation[0].CreditTransferTransactionInformation[0].Creditor.Name = "Peter  Haller "
	if onTransaction {
		information := &order.PaymentInformation[0]
		information.CreditTransferTransactionInformation[0].PaymentTypeInformation = information.PaymentTypeInformation
		information.PaymentTypeInformation = nil
	}
	return order
}

// fill adds elements to an order as long as it is accepted, and returns those that found no place.
func (w *seenWalk) fill(
	scheme rulebook.Scheme, order *iso20022.CustomerCreditTransferInitiation, leaves []testutil.Leaf,
) (*iso20022.CustomerCreditTransferInitiation, []testutil.Leaf) {
	var left []testutil.Leaf
	added := map[string]string{}
	for _, leaf := range leaves {
		if has(order, leaf) != "" {
			continue
		}
		w.number++
		with := w.add(scheme, order, leaf, added)
		if with == nil {
			left = append(left, leaf)
			continue
		}
		order = with
		added[leaf.Path()] = has(order, leaf)
	}
	return order, left
}

// add is the order with one element more; nil when no value of it is accepted, or when it would take the place of another.
func (w *seenWalk) add(
	scheme rulebook.Scheme, order *iso20022.CustomerCreditTransferInitiation, leaf testutil.Leaf, added map[string]string,
) *iso20022.CustomerCreditTransferInitiation {
	offer := offers(w.number)
	for next := 0; ; {
		with := copyOf(w.t, order)
		next, _ = testutil.Fill(with, leaf, codec.Validate, offer, next)
		if next == 0 {
			return nil
		}
		if !testutil.Complete(with, codec.Validate, offer) || !w.accepts(scheme, with) {
			continue
		}
		kept := true
		for path, value := range added {
			kept = kept && has(with, strings.Split(path, "/")) == value
		}
		if kept {
			return with
		}
	}
}

// accepts reports whether no rule refuses an order.
func (w *seenWalk) accepts(scheme rulebook.Scheme, order *iso20022.CustomerCreditTransferInitiation) bool {
	at := slices.IndexFunc(w.accounts, func(a payment.DebtorAccount) bool { return a.Scheme == scheme })
	return len(payment.CheckInstruction(payment.InstructionInput{
		Order: payment.Order{Scheme: scheme, Document: order}, Account: &w.accounts[at], Rules: w.house.Rules, At: w.house.Clock.Now(),
		Today: w.house.Clock.Now().In(w.house.Zone),
	})) == 0
}

// has is the text of an element of an order, "" when it is not there.
func has(order *iso20022.CustomerCreditTransferInitiation, leaf testutil.Leaf) string {
	value := reflect.ValueOf(order)
	for _, tag := range append(slices.Clone(leaf), "") {
		for value.Kind() == reflect.Pointer || value.Kind() == reflect.Slice {
			if value.IsZero() || value.Kind() == reflect.Slice && value.Len() == 0 {
				return ""
			}
			if value.Kind() == reflect.Slice {
				value = value.Index(0)
			} else {
				value = value.Elem()
			}
		}
		if tag == "" {
			break
		}
		field, known := iso20022.FieldOf(value.Type(), tag)
		if !known {
			return ""
		}
		value = value.Field(field)
	}
	if value.IsZero() {
		return ""
	}
	return fmt.Sprint(value.Interface())
}

func copyOf(t *testing.T, order *iso20022.CustomerCreditTransferInitiation) *iso20022.CustomerCreditTransferInitiation {
	t.Helper()
	copied, findings := codec.DecodeXML(encode(t, order))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	return copied.(*iso20022.CustomerCreditTransferInitiation)
}

// countries are of parties, so that two of one order differ.
var countries = []string{"CH", "LI", "DE", "FR", "AT", "IT", "ES", "NL", "BE", "LU", "PT", "FI", "SE", "NO", "DK", "PL", "CZ", "IE", "GR", "MT"}

// offers are values of every kind of element that no other element has, as far as lists of codes let it, with characters that a browser
// does not show where the scheme allows them; n is the number of the element.
func offers(n int) testutil.Offer {
	texts := testutil.Texts(
		fmt.Sprintf("Qx%d \u00ad Zeta ", n), fmt.Sprintf("Qx%d\u00a0  Zeta", n), fmt.Sprintf("Qx%d  Zeta ", n), fmt.Sprintf("Qx%dZeta", n), fmt.Sprintf("Q%03d", n%1000), fmt.Sprintf("AAAADEFF%03d", n%1000), lei(n),
		fmt.Sprintf("%08d-1f55-4c0a-9a3e-0d5a5b3c9e11", n), fmt.Sprintf("19%02d-0%d-%02d", n%90, 1+n%9, 1+n%28),
		fmt.Sprintf("19%02d", n%90), fmt.Sprintf("RF%02d%d", creditorCheck(n), n), "2026-04-05T06:07:08Z", countries[n%len(countries)],
		"CHF", "EUR", "ADAC", "1", "987", "87",
		"+41-44555", "INST", "SEPA", "NORM", "SLEV", "SHAR", "MADR", "CRED", "CRDT", "SPOT", "CCHQ", "MLDB", "SCOR", "CINV", "MM01", "AUTH", "PHOA",
		"EMAL", "SALA", "TAXS", "ADDR", "CHBCC", "MADM", "MAIL",
	)
	return func(place reflect.Value) []any {
		value := decimal.MustParse(fmt.Sprintf("%d.%02d", 1+n, n%100))
		switch place.Interface().(type) {
		case iso20022.Amount:
			return []any{iso20022.Amount{Currency: "CHF", Value: value}, iso20022.Amount{Currency: "EUR", Value: value}}
		case decimal.Decimal:
			return []any{value, decimal.MustParse("7")}
		}
		return texts(place)
	}
}

// lei is a legal entity identifier with its check digits (ISO 17442).
func lei(n int) string {
	body := fmt.Sprintf("529900T8BM49AURS%02X", n%256)
	return body + fmt.Sprintf("%02d", 98-modulo97(body+"00"))
}

// creditorCheck are the check digits of the creditor reference n (ISO 11649).
func creditorCheck(n int) int { return 98 - modulo97(fmt.Sprintf("%dRF00", n)) }

func modulo97(text string) int {
	rest := 0
	for _, r := range text {
		digits := string(r)
		if r >= 'A' {
			digits = fmt.Sprint(int(r-'A') + 10)
		}
		for _, d := range digits {
			rest = (rest*10 + int(d-'0')) % 97
		}
	}
	return rest
}

// portalBrowser is the browser of a person who is signed in at the portal.
type portalBrowser struct {
	p      *product
	client *http.Client
}

func (p *product) browserOf(name string) *portalBrowser {
	p.t.Helper()
	jar, err := cookiejar.New(nil)
	must(p.t, err)
	b := &portalBrowser{p: p, client: &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	b.post("/signin", url.Values{"realm": {demo.Realm}, "username": {name}, "password": {demo.UserPassword}, "next": {"/"}})
	return b
}

func (b *portalBrowser) ask(method, path, kind string, body io.Reader, htmx bool) (status int, location, text string) {
	b.p.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, b.p.server.URL+path, body)
	must(b.p.t, err)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	if htmx {
		r.Header.Set("HX-Request", "true")
	}
	answer, err := b.client.Do(r)
	must(b.p.t, err)
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	must(b.p.t, err)
	return answer.StatusCode, answer.Header.Get("Location"), string(content)
}

// view is a page or a part of one as a person sees it.
type view struct {
	page  *goquery.Document
	text  string // without spaces and marks between digits
	words map[string]bool
}

func (b *portalBrowser) get(path string) view      { return b.look(path, false) }
func (b *portalBrowser) fragment(path string) view { return b.look(path, true) }

func (b *portalBrowser) look(path string, htmx bool) view {
	b.p.t.Helper()
	status, location, text := b.ask(http.MethodGet, path, "", nil, htmx)
	if status != http.StatusOK {
		b.p.t.Fatalf("GET %s: %d %s\n%.600s", path, status, location, text)
	}
	page, err := goquery.NewDocumentFromReader(strings.NewReader(text))
	must(b.p.t, err)
	page.Find("script, style, template").Remove()
	v := view{page: page, text: plain(page.Text()), words: map[string]bool{}}
	page.Find("dd, dd *").Contents().Each(func(_ int, s *goquery.Selection) {
		for _, word := range strings.Fields(s.Text()) {
			v.words[word] = goquery.NodeName(s) == "#text" || v.words[word]
		}
	})
	return v
}

// plain is a text without what only makes it easier to read.
func plain(text string) string {
	return strings.NewReplacer("'", "", "’", "", "\u00a0", "", "\u202f", "").Replace(strings.Join(strings.Fields(text), ""))
}

// shows reports whether a person finds an element: its value, or what stands for a code. A value of up to three characters must be a
// word of its own.
func (v view) shows(s interbank.Source) bool {
	switch {
	case s.Value == "QRR":
		return strings.Contains(v.text, plain("QR reference"))
	case s.Value == "SCOR":
		return strings.Contains(v.text, plain("Creditor reference")) || v.words["SCOR"]
	case strings.HasSuffix(s.Element, "PstlAdr/Ctry") && strings.Contains(v.text, plain(i18n.English.Say(i18n.Country(s.Value)))):
		return true
	case len(s.Value) <= 3:
		return v.words[s.Value]
	}
	return strings.Contains(v.text, plain(i18n.Legible(s.Value)))
}

// fields are the fields of the form that sends to an address.
func (v view) fields(t *testing.T, action string) url.Values {
	t.Helper()
	form := v.page.Find("form").FilterFunction(func(_ int, f *goquery.Selection) bool {
		return strings.HasPrefix(f.AttrOr("action", ""), action)
	}).First()
	if form.Length() == 0 {
		t.Fatalf("there is no form for %s:\n%.3000s", action, strings.Join(strings.Fields(v.page.Find("main").Text()), " "))
	}
	values := url.Values{}
	form.Find("input").Each(func(_ int, input *goquery.Selection) {
		if kind := input.AttrOr("type", "text"); kind != "radio" && kind != "checkbox" {
			values.Add(input.AttrOr("name", ""), input.AttrOr("value", ""))
		}
	})
	return values
}

// post sends a form and returns where it leads.
func (b *portalBrowser) post(path string, form url.Values) string {
	b.p.t.Helper()
	status, location, text := b.ask(http.MethodPost, path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()), false)
	if status != http.StatusSeeOther {
		page, _ := goquery.NewDocumentFromReader(strings.NewReader(text))
		b.p.t.Fatalf("POST %s: %d\n%.3000s", path, status, strings.Join(strings.Fields(page.Find("main").Text()), " "))
	}
	return location
}

// send sends a form of a page, with the answers that a duplicate asks for.
func (b *portalBrowser) send(page view, action string) string {
	b.p.t.Helper()
	form := page.fields(b.p.t, action)
	if page.page.Find("#duplicateAcknowledged").Length() > 0 {
		form.Set("duplicateAcknowledged", "yes")
		form.Set("duplicateReason", "Wanted")
	}
	if page.page.Find("#looked").Length() > 0 {
		form.Set("looked", page.page.Find("#looked").AttrOr("value", ""))
	}
	return b.post(action, form)
}

// upload sends a file and returns the address of its page.
func (b *portalBrowser) upload(content []byte) string {
	b.p.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, values := range b.get("/payments/upload").fields(b.p.t, "/payments/upload") {
		if name != "file" && name != "" {
			must(b.p.t, form.WriteField(name, values[0]))
		}
	}
	part, err := form.CreateFormFile("file", "order.xml")
	must(b.p.t, err)
	_, err = part.Write(content)
	must(b.p.t, err)
	must(b.p.t, form.Close())
	status, location, text := b.ask(http.MethodPost, "/payments/upload?person=demo%2Fmaker1", form.FormDataContentType(), &body, false)
	if status != http.StatusSeeOther {
		page, _ := goquery.NewDocumentFromReader(strings.NewReader(text))
		b.p.t.Fatalf("the upload: %d %s\n%.3000s", status, location, strings.Join(strings.Fields(page.Find("main").Text()), " "))
	}
	return location
}

// TestSpacesOfALineAreSeen asks a payment back by JSON, which trims no line as the form does.
func TestSpacesOfALineAreSeen(t *testing.T) {
	t.Parallel()
	p := openProduct(t)
	w := newSeenWalk(p)
	for _, scheme := range rulebook.Schemes() {
		paid := w.pay(scheme, w.base(scheme, false), 0)
		body := fmt.Sprintf(`{"identifiers": {"internalId": %q, "externalId": %q}, "RecallDetails": {"reason": %q, "additionalInformation": [%q]}}`,
			paid.InternalID, scheme, firstWithLines(rulebook.RecallReasons(scheme)).Code, " Line  1 ")
		var made struct {
			Identifiers struct {
				InternalID uuid.UUID `json:"internalId"`
			} `json:"identifiers"`
		}
		must(t, json.Unmarshal([]byte(w.call(scheme, "recall/create", body)), &made))
		w.decide(map[string]view{}, made.Identifiers.InternalID, "recall by JSON", "Undrlyg/TxInf/OrgnlGrpInf/OrgnlMsgId")
	}
	w.missesNothing()
}

// TestOrdersThatDifferLookDifferent makes pairs of orders that differ only in what pages write otherwise than the document: spaces,
// invisible characters, groups of digits. The pages of the two must differ before the approval.
func TestOrdersThatDifferLookDifferent(t *testing.T) {
	t.Parallel()
	p := openProduct(t)
	w := newSeenWalk(p)
	name := func(name string) func(*iso20022.CreditTransferTransaction34) {
		return func(tx *iso20022.CreditTransferTransaction34) { tx.Creditor.Name = name }
	}
	further := func(name string) func(*iso20022.CreditTransferTransaction34) {
		return func(tx *iso20022.CreditTransferTransaction34) {
			tx.UltimateCreditor = &iso20022.PartyIdentification135{Name: name}
		}
	}
	reference := func(reference string) func(*iso20022.CreditTransferTransaction34) {
		return func(tx *iso20022.CreditTransferTransaction34) {
			tx.RemittanceInformation = &iso20022.RemittanceInformation16{Structured: []iso20022.StructuredRemittanceInformation16{{
				CreditorReferenceInformation: &iso20022.CreditorReferenceInformation2{
					Reference: reference, Type: &iso20022.CreditorReferenceType2{CodeOrProprietary: iso20022.CreditorReferenceType1Choice{Code: "SCOR"}},
				},
			}}}
		}
	}
	message := func(text string) func(*iso20022.CreditTransferTransaction34) {
		return func(tx *iso20022.CreditTransferTransaction34) {
			tx.RemittanceInformation = &iso20022.RemittanceInformation16{Unstructured: []string{text}}
		}
	}
	for _, pair := range []struct {
		what     string
		scheme   rulebook.Scheme
		one, two func(*iso20022.CreditTransferTransaction34)
	}{
		{"spaces of a reference", rulebook.SchemeSCT, reference("RF18539007547034"), reference("RF18 5390 0754 7034")},
		{"letters of a reference", rulebook.SchemeSCT, reference("RF18539007547034"), reference("rf18539007547034")},
		{"apostrophe in a text", rulebook.SchemeSIC, further("CHF 1000.00"), further("CHF 1'000.00")},
		{"soft hyphen in a name", rulebook.SchemeSIC, further("Musterhaus"), further("Muster\u00adhaus")},
		{"fixed space in a name", rulebook.SchemeSIC, name("Muster AG"), name("Muster\u00a0AG")},
		{"spaces in a name", rulebook.SchemeSCT, name("Muster AG"), name("Muster  AG")},
		{"space behind a message", rulebook.SchemeSCT, message("Invoice 1"), message("Invoice 1 ")},
		{"space before a message", rulebook.SchemeSIC, message("Invoice 1"), message(" Invoice 1")},
	} {
		var looks [2]map[string]string
		for i, change := range []func(*iso20022.CreditTransferTransaction34){pair.one, pair.two} {
			order := w.base(pair.scheme, false)
			order.PaymentInformation[0].CreditTransferTransactionInformation[0].PaymentID.EndToEndID = "SAME"
			change(&order.PaymentInformation[0].CreditTransferTransactionInformation[0])
			check := w.maker.get(w.maker.upload(encode(t, order)))
			action := strings.TrimSuffix(check.page.Find("form.payment-form").AttrOr("action", ""), "?person=demo%2Fmaker1")
			path := "/queue/" + strings.Split(w.maker.send(check, action), "/")[2]
			looks[i] = map[string]string{
				"check page": check.page.Find("dl.summary").Text(), "queue": w.checker.get(path).page.Find("#pane dl.summary, #pane " +
					".headline-to").Text(),
				"approve together": w.checker.get("/queue/bulk?id=" + path[len("/queue/"):]).page.Find(".bulk-who").Text(),
				"payment":          w.checker.get("/payments/" + path[len("/queue/"):]).page.Find("dl.summary, .headline-to").Text(),
			}
		}
		for place, one := range looks[0] {
			if seenText(one) == seenText(looks[1][place]) {
				t.Errorf("%s: %s looks the same:\n%s", pair.what, place, seenText(one))
			}
		}
	}
}

// seenText is a text as a browser shows it, without the ids of its payment.
func seenText(text string) string {
	text = strings.NewReplacer("\u00ad", "", "\u00a0", " ").Replace(text)
	return regexp.MustCompile(`DM[0-9A-Z]{14}`).ReplaceAllString(strings.Join(strings.Fields(text), " "), "ID")
}
