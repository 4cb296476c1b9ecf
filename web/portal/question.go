package portal

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// talkOf returns the note of the maker of a version, if there is one, and the questions and answers in the history of a message, oldest
// first. A received message has no maker; the text of its first step comes from clearing.
func talkOf(steps []store.Step, version int) (talk []views.Said) {
	for _, s := range steps {
		said := views.Said{
			By: s.Actor.String(), At: s.At, Text: storedReason(s.Reason),
			Answer: s.From == payment.StateQuestion && s.Action == payment.ActionAnswer,
			Note:   (s.Action == payment.ActionSubmit || s.Action == payment.ActionAmend) && s.Version == version && s.Reason != "",
		}
		switch {
		case said.Note:
			talk = slices.Insert(talk, 0, said)
		case said.Answer, s.Action == payment.ActionAsk:
			talk = append(talk, said)
		}
	}
	return talk
}

func idOf(m payment.Message) uuid.UUID { return m.InternalID }

// talks returns what talkOf does for several messages, by their ids.
func (v *Request) talks(list []payment.Message) (map[uuid.UUID][]views.Said, error) {
	talks := make(map[uuid.UUID][]views.Said, len(list))
	steps, err := v.Config.Reader.Histories(v.Context(), v.By.Realm, mapped(list, idOf))
	for _, m := range list {
		talks[m.InternalID] = talkOf(steps[m.InternalID], m.Version)
	}
	return talks, err
}

// mayAnswer reports whether this person may answer the question about a message.
func mayAnswer(v *Request, m payment.Message) bool {
	return m.State == payment.StateQuestion && m.MadeBy(v.By.PersonID) && m.MayChange(v.By) == nil && v.At.Before(m.ExpiresAt)
}

// showAsk shows the form of a question to the maker.
func showAsk(v *Request, m payment.Message) error {
	_, err := m.Ask(payment.Verdict{By: v.By, At: v.At}, "-") // asks the domain; nothing is stored
	kept, lost := v.Unsent(m.InternalID)
	if lost != nil {
		return lost
	}
	return v.renderAsk(m, kept.Fields.Get("question"), err)
}

// askMaker sends a question and opens the next message.
func askMaker(v *Request, m payment.Message) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	question := strings.ReplaceAll(form.Get("question"), "\r\n", "\n")
	said := readVerdict(m.InternalID, form)
	if !said.whole {
		return v.renderAsk(m, question, &payment.ContentError{Message: m})
	}
	seen, err := Done(v.Config.Approval.Ask(v.Context(), v.By, said.input, question))
	if err != nil {
		return v.renderAsk(seen, question, err)
	}
	v.Forget(m.InternalID)
	f := ReadFilter(v.Echo.QueryParams(), "/queue")
	next, found, err := v.nextAfter(seen, f)
	if err != nil {
		return err
	}
	sentence := i18n.Text("Your question about %s was sent to the maker.").With(seen.GlobalID)
	if !found {
		return v.GoTo("/queue"+f.Query(), sentence)
	}
	return v.GoTo("/queue/"+next.InternalID.String()+f.Query(), sentence)
}

func (v *Request) renderAsk(m payment.Message, question string, cause error) error {
	model := views.Words{
		Act: views.ActAsk, Text: question, Query: ReadFilter(v.Echo.QueryParams(), "/queue").Query(),
		Conflict: Conflict(cause, m, question), Layout: v.layout(i18n.Text("Ask about %s").With(m.GlobalID), views.PlaceQueue),
	}
	if model.Conflict != nil {
		model.Conflict.Lost = "Your question was not sent."
		err := v.leadOn(model.Conflict, m)
		if err != nil {
			return err
		}
	}
	return v.renderWords(m, model, cause)
}

// keepText returns the handler that saves a text about a message while a person with the right types it.
func keepText(field string, right func(payment.Message, identity.Principal) error) func(*Request, payment.Message) error {
	return func(v *Request, m payment.Message) error {
		err := right(m, v.By)
		if err != nil {
			return err
		}
		return v.KeepTyped(m.InternalID, field)
	}
}

// showAnswer shows the form of the answer to a question.
func showAnswer(v *Request, m payment.Message) error {
	_, err := m.Reply(v.By, "-", v.At) // asks the domain; nothing is stored
	kept, lost := v.Unsent(m.InternalID)
	if lost != nil {
		return lost
	}
	return v.renderAnswer(m, kept.Fields.Get("answer"), err)
}

// answerQuestion sends the maker's answer.
func answerQuestion(v *Request, m payment.Message) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	answer := strings.ReplaceAll(form.Get("answer"), "\r\n", "\n")
	seen, err := Done(v.Config.Submission.Answer(v.Context(), v.By, m.InternalID, answer))
	if err != nil {
		return v.renderAnswer(seen, answer, err)
	}
	v.Forget(m.InternalID)
	return v.GoTo("/mine", i18n.Text("Your answer to the question about %s was sent. The payment is waiting for approval again.").
		With(m.GlobalID))
}

func (v *Request) renderAnswer(m payment.Message, answer string, cause error) error {
	model := views.Words{
		Act: views.ActAnswer, Text: answer, Conflict: Conflict(cause, m, answer),
		Layout: v.layout("Answer the question", views.PlaceMine),
	}
	if model.Conflict != nil {
		model.Conflict.Before, model.Conflict.Lost = string(payment.StateQuestion), "Your answer was not sent."
		model.Conflict.NextURL, model.Conflict.NextLabel = "/mine", "Go to my submissions"
		if m.State == payment.StateApprovalPending {
			model.Conflict.Sentence = i18n.Text("There are no open questions about %s. It is waiting for approval.").With(m.GlobalID)
		}
	}
	if MayAmend(v, m) {
		model.Also = []ui.Step{{Label: "Amend the payment instead", URL: "/payments/" + m.InternalID.String() + "/amend"}}
	}
	return v.renderWords(m, model, cause)
}

// questionRows fills the queue with the messages that wait for an answer, newest first.
func (v *Request) questionRows(f Filter, model *views.Queue) error {
	list, next, err := v.Listed(&f, store.Filter{States: []payment.State{payment.StateQuestion}})
	if err != nil {
		return err
	}
	for _, m := range list {
		model.Rows = append(model.Rows, v.queueRow(m, f))
	}
	model.Pages = f.PagesOf("/queue", list, next)
	return nil
}

// mostQuestions is the number of questions that are listed before the submissions that wait.
const mostQuestions = 99

// questions lists the messages of this person with a question, up to most, the newest first.
func (v *Request) questions(most int32) ([]payment.Message, error) {
	list, _, err := v.Config.Reader.Page(v.Context(), v.By.Realm, store.Filter{
		MakerUser: v.By.UserID, States: []payment.State{payment.StateQuestion}, PageSize: most,
	})
	return list, err
}

// questionLines lists the questions to this person, up to most.
func (v *Request) questionLines(most int32) (views.Lines, error) {
	lines := views.Lines{Heading: "Questions for you", More: ui.Step{Label: "All questions for you", URL: "/mine"}}
	list, err := v.questions(most)
	if err != nil {
		return lines, err
	}
	lines.Rows, _, err = v.mineRows(list)
	for i, m := range list {
		lines.Rows[i].At = m.StateSince
	}
	return lines, err
}
