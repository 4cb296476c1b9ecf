// Package making renders the pages of the maker's tools: templates, QR-bills, files of many payments. They stand apart from package views,
// whose layout they share, because no folder holds more than thirty files.
package making

import (
	"context"

	"countersign/internal/language"
)

// say is a text of the catalogue in the language of the request, with the values in its placeholders.
func say(ctx context.Context, text language.Text, values ...any) string {
	return language.Say(ctx, text, values...)
}
