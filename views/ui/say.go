package ui

import (
	"context"

	"countersign/internal/i18n"
)

// say is a text of the catalogue in the language of the request, with the values in its placeholders.
func say(ctx context.Context, text i18n.Text, values ...any) string {
	return i18n.Say(ctx, text, values...)
}
