package portal

import (
	"strconv"
	"time"

	"github.com/google/uuid"

	"countersign/internal/store"
	"countersign/views"
)

// decidedRows fills the page with the decisions of this person today, newest first.
func (v *Request) decidedRows(f Filter, model *views.Queue) error {
	decided, err := v.Config.Reader.DecidedBy(v.Context(), v.By.Realm, v.By.PersonID, v.Midnight(), beginOf(f), queuePage+1)
	if err != nil {
		return err
	}
	more := len(decided) > queuePage
	decided = decided[:min(len(decided), queuePage)]
	keys := make([]uuid.UUID, len(decided))
	for i, d := range decided {
		keys[i] = d.MessageID
	}
	messages, err := v.Config.Reader.MessagesOf(v.Context(), v.By.Realm, keys)
	if err != nil {
		return err
	}
	for _, d := range decided {
		m, there := messages[d.MessageID]
		if !there {
			continue
		}
		row := v.queueRow(m, f)
		row.Decided, row.At, row.Aged = decidedNote(d.Action, "you (by)", d.At), d.At, false
		model.Rows = append(model.Rows, row)
	}
	if len(decided) > 0 {
		last, behind := decided[len(decided)-1], f
		behind.After, behind.Place = last.MessageID, strconv.FormatInt(last.At.UnixMicro(), 10)
		model.Pages = f.Pages("/queue", more, behind)
	}
	return nil
}

// beginOf parses the decision after which the page begins: its message and its time in microseconds. The first page has none.
func beginOf(f Filter) store.Decided {
	micros, err := strconv.ParseInt(f.Place, 10, 64)
	if err != nil {
		return store.Decided{}
	}
	return store.Decided{MessageID: f.After, At: time.UnixMicro(micros)}
}
