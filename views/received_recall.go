package views

import (
	"time"

	"countersign/views/ui"
)

// ReceivedRecalls is the list of recalls that came in.
type ReceivedRecalls struct {
	Shell Shell
	Tabs  []ui.Tab
	Rows  []ReceivedRecallRow
	Pages ui.Pages
	Empty ui.Empty
}

// ReceivedRecallRow is one recall that came in.
type ReceivedRecallRow struct {
	InternalID string
	URL        string
	Reference  string
	Scheme     string
	Amount     ui.Amount
	DebtorName string // for whom the other bank asks
	Reason     string // its code
	ReasonText string
	State      string
	Answer     string // an answer under way: "Return waiting for approval"; empty when none
	Due        *Due   // nil once it is answered
	ReceivedAt time.Time
}
