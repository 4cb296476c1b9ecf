package checker

import (
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"countersign/internal/store/lookup"
	"countersign/views"
	"countersign/web/portal/page"
)

// decidedRows fills the page with what this person decided today, newest first.
func (v *visit) decidedRows(f page.Filter, model *views.Queue) error {
	decided, err := v.Config.Reader.DecidedBy(v.Context(), v.By.Realm, v.By.PersonID, v.Midnight())
	if err != nil {
		return err
	}
	decided = decided[beginOf(decided, f):]
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
		row := QueueRow(v.Visit, m, f)
		row.Decided, row.DecidedAt = decidedNote(d.Action, "you (by)", d.At), d.At
		model.Rows = append(model.Rows, row)
	}
	if len(decided) > 0 {
		last, behind := decided[len(decided)-1], f
		behind.After, behind.Place = last.MessageID, strconv.FormatInt(last.At.UnixMicro(), 10)
		model.Pages = f.Pages("/queue", more, behind)
	}
	return nil
}

// beginOf is where the page of an address begins: behind the decision it names by its message and its time in microseconds.
func beginOf(decided []lookup.Decided, f page.Filter) int {
	micros, err := strconv.ParseInt(f.Place, 10, 64)
	if err != nil {
		return 0
	}
	at := time.UnixMicro(micros)
	begin := slices.IndexFunc(decided, func(d lookup.Decided) bool {
		return d.At.Before(at) || d.At.Equal(at) && d.MessageID == f.After
	})
	switch {
	case begin < 0:
		return len(decided)
	case decided[begin].At.Equal(at):
		return begin + 1
	}
	return begin
}
