package views

import (
	"time"

	"countersign/internal/i18n"
	"countersign/internal/rulebook"
	"countersign/views/ui"
)

// Quarantine lists the documents of clearing that matched nothing.
type Quarantine struct {
	Layout Layout
	Rows   []QuarantineRow
	Most   int // how many are listed at most
	Empty  ui.Empty
}

// QuarantineRow is one document in quarantine.
type QuarantineRow struct {
	Reference  string
	URL        string
	Scheme     rulebook.Scheme
	Type       string    // "pacs.002.001.10"
	Name       i18n.Text // "Status report from clearing"
	Reason     i18n.Text
	ReceivedAt time.Time
}

func (m Quarantine) full() bool { return m.Most > 0 && len(m.Rows) >= m.Most }
