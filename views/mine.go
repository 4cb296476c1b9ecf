package views

import (
	"countersign/internal/i18n"
	"countersign/views/ui"
)

// Act is an action that a person takes on a message with a text.
type Act string

// The acts. POST to their address sends version, contentHash and the text.
const (
	ActWithdraw Act = "withdraw" // a maker takes a submission back; the text is optional. A checker says why
	ActAsk      Act = "ask"      // a checker asks the maker
	ActAnswer   Act = "answer"   // the maker answers
)

// Words is the form for the text of an act.
type Words struct {
	Layout   Layout
	Message  Message
	Act      Act
	Text     string
	Required bool      // the text, where the act does not always need one
	Query    string    // filters of the queue to come back to
	Conflict *Conflict // another person was faster
	Also     []ui.Step // other ways to go on
	Problems []ui.Problem
}

// wordsOf are the words of the page of an act.
var wordsOf = map[Act]struct {
	heading, button  i18n.Text // of a withdrawal the heading names the message
	back             ui.Step   // of an act on the queue the message there
	label, hint      i18n.Text
	field, path      string
	danger, optional bool
}{
	ActWithdraw: {
		back: ui.Step{Label: "Back to my submissions", URL: "/mine"}, field: "reason", label: "Why are you withdrawing this " +
			"submission?", path: "/payments/",
		danger: true, optional: true,
	},
	ActAsk: {
		heading: "Ask the maker", button: "Send the question", back: ui.Step{Label: "Back to the payment"}, field: "question",
		label: "What do you want to ask the maker?", hint: "The payment waits until the maker answers. Nobody can approve it before " +
			"then.", path: "/queue/",
	},
	ActAnswer: {
		heading: "Answer the question", button: "Send the answer", back: ui.Step{Label: "Back to my submissions", URL: "/mine"},
		field: "answer", label: "What do the checkers need to know?",
		hint: "Once you have answered the question, the payment will wait for approval again.", path: "/payments/",
	},
}

func (m Words) heading() i18n.Text {
	if heading := wordsOf[m.Act].heading; heading != "" {
		return heading
	}
	return m.Message.about(m.Message.words().withdrawal)
}

func (m Words) button() i18n.Text {
	if button := wordsOf[m.Act].button; button != "" {
		return button
	}
	return m.heading()
}

func (m Words) back() ui.Step {
	back := wordsOf[m.Act].back
	if back.URL == "" {
		back.URL = m.of() + m.Query
	}
	return back
}

func (m Words) of() string { return wordsOf[m.Act].path + m.Message.InternalID.String() }

// action is the address of the form.
func (m Words) action() string { return m.of() + "/" + string(m.Act) + m.Query }

func (m Words) keep() string { return m.of() + "/" + string(m.Act) + "/keep" }

func (m Words) class() string {
	if wordsOf[m.Act].danger {
		return "button danger-solid"
	}
	return "button primary"
}

func (m Words) field() ui.Field {
	words := wordsOf[m.Act]
	return ui.Field{
		ID: words.field, Label: words.label, Hint: words.hint, Value: m.Text, Rows: 3, Limit: RejectLimit, Optional: words.optional &&
			!m.Required,
		Problem: ui.ProblemOf(m.Problems, words.field),
	}
}
