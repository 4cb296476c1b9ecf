package views

import (
	"maps"
	"net/url"
	"slices"

	"countersign/internal/i18n"
	"countersign/views/ui"
)

// Problem is an error page: refused, not found, failed, or the session ended. Without a person in the layout it has no navigation.
type Problem struct {
	Layout    Layout
	Heading   i18n.Text
	Text      i18n.Text
	RequestID string // shown where somebody may ask for it
	NextLabel i18n.Text
	NextURL   string
	Typed     string    // values that were not sent, to be copied; empty for nothing
	Also      []ui.Step // other places to go on
	// Resend holds the typed values, to be sent again; nil for none.
	Resend *Resend
}

// Resend is a form that could not be worked on.
type Resend struct {
	URL    string
	Fields url.Values
}

// names are the fields in order.
func (r Resend) names() []string { return slices.Sorted(maps.Keys(r.Fields)) }

// Forbidden is the page about a step that this person may not take; sentence gives the reason.
func Forbidden(layout Layout, sentence i18n.Text) Problem {
	layout.Title = "Not allowed"
	return Problem{
		Layout: layout, Heading: "You do not have permission to do this", Text: sentence,
		NextLabel: "Go to the dashboard", NextURL: "/",
	}
}

// NotFound is the page for an address or an object that does not exist, or that this person may not see: both look the same.
func NotFound(layout Layout) Problem {
	layout.Title = "Not found"
	return Problem{
		Layout: layout, Heading: "Page not found",
		Text:      "Check the web address, or search for the payment by its reference.",
		NextLabel: "Search payments", NextURL: "/payments",
	}
}

// OtherDraft is the page for a draft of another person, by the login.
func OtherDraft(layout Layout, owner string) Problem {
	layout.Title = "Not found"
	return Problem{
		Layout: layout, Heading: "This draft belongs to another person",
		Text:      i18n.Text("This draft belongs to %s. Nobody else can open it.").With(owner),
		NextLabel: "Go to the dashboard", NextURL: "/",
	}
}

// Failed is the page for an error of ours.
func Failed(layout Layout, requestID string) Problem {
	layout.Title, layout.Failed = "Something went wrong", true
	return Problem{
		Layout: layout, Heading: "Something went wrong on our side", RequestID: requestID,
		Text: "Before you try again, check the list of payments to see whether your first attempt was saved. If you contact support, give " +
			"them the request ID below.",
		NextLabel: "Go to the payments", NextURL: "/payments",
	}
}

// Unavailable is the page while the service cannot work, as without its database. sentence names the reason; again is the address to try
// again.
func Unavailable(layout Layout, sentence i18n.Text, again string) Problem {
	layout.Title, layout.Failed = "Not available", true
	return Problem{
		Layout: layout, Heading: "The portal is not available at the moment",
		Text:      i18n.Text("%s Before you try again, check the list of payments to see whether your first attempt was saved.").With(sentence),
		NextLabel: "Try again", NextURL: again,
	}
}

// With adds the typed values: the page can send them again.
func (p Problem) With(resend Resend) Problem {
	p.Text = i18n.Text("%s What you typed is kept on this page.").With(p.Text)
	p.NextLabel, p.Resend = "Go to the payments", &resend
	return p
}

// SignedInAsAnother is the page when a form was made for one person and another is signed in now.
func SignedInAsAnother(layout Layout, madeFor string) Problem {
	layout.Title, layout.Failed = "Signed in as a different user", true
	text := i18n.Text("No action was taken, because a different user (%s) opened this page.").With(madeFor)
	if madeFor == "" {
		text = "No action was taken, because it is not known which user opened this page. Open the page again."
	}
	return Problem{
		Layout: layout, Heading: i18n.Text("You are now signed in as %s").With(layout.Person.UserName),
		Text:      text,
		NextLabel: "Go to the dashboard", NextURL: "/",
	}
}

// SessionEnded is the page when a session ran out, for the given reason, while something was sent.
func SessionEnded(layout Layout, why, next string) Problem {
	layout.Title, layout.Person = "Session ended", Person{}
	return Problem{
		Layout: layout, Heading: "Your session has ended",
		Text:      EndedWords(why, "Nothing was sent. Sign in again to continue."),
		NextLabel: "Sign in", NextURL: next,
	}
}
