// Package views renders the pages of the portal; those of the maker's tools are package making's. A templ file holds a page, pages that
// belong together, or a part of pages. The Go file of its name, or of the page it is a part of, holds its view model: plain values, already
// chosen and ordered by the handler. Views know no requests, no sessions and no storage, and decide nothing: which buttons a person sees
// follows from the actions the handler puts into the model.
//
// Every form and link works without a script. Where htmx saves a page load, the same address answers a fragment when asked with HX-Request.
package views

import (
	"context"

	"countersign/internal/i18n"
)

// say translates a text into the language of the request, with values in its placeholders.
func say(ctx context.Context, text i18n.Text, values ...any) string {
	return i18n.Say(ctx, text, values...)
}
