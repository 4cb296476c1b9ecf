package portal

import (
	"cmp"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
	"countersign/web/request"
)

const (
	// maxRows limits the rows of an export.
	maxRows = 100_000
	// exportPage is the number of messages that an export reads at a time.
	exportPage = 500
)

// exportOf returns the handler that exports a list as a table: the messages within the filter of its address, all pages, in its order.
func exportOf(path string, next func(*Request, *Filter) ([]payment.Message, bool, error)) func(*Request) error {
	return func(v *Request) error {
		err := payment.MayRead(v.By)
		if err != nil {
			return err
		}
		f := ReadFilter(v.Echo.QueryParams(), path)
		if len(f.Problems) > 0 {
			return v.Echo.Redirect(http.StatusSeeOther, path+f.Query())
		}
		f.Size, f.After, f.Place = exportPage, uuid.Nil, ""
		format := "csv"
		if v.Echo.QueryParam("format") == "xlsx" {
			format = "xlsx"
		}
		err = v.Config.Desk.Exported(v.Context(), v.By, path+f.Query(), format, v.At)
		if err != nil {
			return err
		}
		return v.writeExport(path, format, f, next)
	}
}

// writeExport streams the table. An error after the first bytes ends the connection, so that a partial table is recognised.
func (v *Request) writeExport(path, format string, f Filter, next func(*Request, *Filter) ([]payment.Message, bool, error)) error {
	list, more, err := next(v, &f)
	if err != nil {
		return err
	}
	_ = http.NewResponseController(v.Echo.Response()).SetWriteDeadline(time.Time{}) // the context still ends it
	table, err := v.beginTable(path[1:]+"-"+v.At.In(v.Config.Zone).Format(time.DateOnly), format)
	if err == nil {
		err = v.writeRows(table, list, more, &f, next)
	}
	if err != nil {
		v.Config.Log.ErrorContext(v.Context(), "an export broke off", "list", path, "error", err.Error())
		panic(http.ErrAbortHandler)
	}
	return nil
}

func (v *Request) writeRows(
	table request.Table, list []payment.Message, more bool, f *Filter, next func(*Request, *Filter) ([]payment.Message, bool, error),
) error {
	err := table.Row(v.exportHead()...)
	for rows := 0; err == nil; {
		for _, m := range list[:min(len(list), maxRows-rows)] {
			err = errors.Join(err, table.Row(v.exportRow(m)...))
		}
		rows += len(list)
		if !more || rows >= maxRows || err != nil {
			break
		}
		list, more, err = next(v, f)
	}
	if err != nil {
		return err
	}
	return table.Close()
}

// exportHead names the columns in the language of the reader.
func (v *Request) exportHead() []request.Cell {
	return textCells(v.said([]i18n.Text{
		"Created", "State", "Kind", "Scheme", "Direction", "Name", "IBAN", "Amount", "Currency", "Purpose", "Reason", "End-to-end ID",
		"Debtor account", "Maker", "Reference", "Internal ID",
	})...)
}

func textCells(texts ...string) []request.Cell {
	return mapped(texts, func(text string) request.Cell { return request.Cell{Text: text} })
}

// exportRow returns a message as its list shows it; of a withheld message only the identity.
func (v *Request) exportRow(m payment.Message) []request.Cell {
	created := m.CreatedAt.In(v.Config.Zone).Format("2006-01-02 15:04:05")
	kind := v.Say(ui.KindLabel(m.Kind))
	if m.Withheld != "" {
		return textCells(created, v.Say(ui.Withheld), kind, string(m.Scheme), "", "", "", "", "", "", "", "", "", "", string(m.GlobalID),
			m.InternalID.String())
	}
	name, account := views.Facing(m)
	direction := i18n.Text("Outgoing")
	if m.Direction == payment.DirectionIn {
		direction = "Incoming"
	}
	cells := textCells(created, v.Say(ui.StateLabel(string(m.State))), kind, string(m.Scheme), v.Say(direction), name, account)
	cells = append(cells, request.Cell{Text: m.Summary.Amount.Decimal().String(), Number: true})
	return append(cells, textCells(
		string(m.Summary.Amount.Currency()), m.Summary.Remittance, cmp.Or(m.Reason, m.StatusCode), m.Summary.EndToEndID, m.Summary.DebtorAccount,
		m.MakerLogin, string(m.GlobalID), m.InternalID.String(),
	)...)
}

// nextPayments reads the next messages of the list of payments.
func nextPayments(v *Request, f *Filter) ([]payment.Message, bool, error) {
	return f.went(v.search(f, ReadSearch(f.View.Text, v.Today())))
}

// nextIncoming reads the next messages of the list of incoming payments.
func nextIncoming(v *Request, f *Filter) ([]payment.Message, bool, error) {
	f.View.Kind, f.View.Direction = string(payment.KindPayment), string(payment.DirectionIn)
	return nextPayments(v, f)
}

// nextRecalls reads the next received recalls of a tab.
func nextRecalls(v *Request, f *Filter) ([]payment.Message, bool, error) {
	ask := store.Filter{Kind: string(payment.KindReceivedRecall)}
	for _, tab := range recallTabs {
		if tab.name == f.View.Tab {
			ask.States = []payment.State{tab.state}
		}
	}
	return f.went(v.recalls(f, ask))
}

// went moves the filter behind the messages read and reports whether more follow.
func (f *Filter) went(list []payment.Message, next store.ListPlace, err error) ([]payment.Message, bool, error) {
	*f = f.goingOn(next)
	return list, next.MessageID != uuid.Nil, err
}

// nextWaiting reads the next waiting messages of the queue.
func nextWaiting(v *Request, f *Filter) ([]payment.Message, bool, error) {
	if f.View.Tab == tabDecided {
		return nil, false, payment.ErrNotFound
	}
	f.View.Tab = v.tab(*f)
	now, err := v.counted(f)
	if err != nil {
		return nil, false, err
	}
	list, more, err := v.queuePageOf(*f, now.all)
	if len(list) > 0 {
		*f = f.Behind(list[len(list)-1])
	}
	return list, more, err
}
