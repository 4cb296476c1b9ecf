package views

import (
	"context"

	"countersign/internal/language"
)

// say is a text of the catalogue in the language of the request, with the values in its placeholders.
func say(ctx context.Context, text language.Text, values ...any) string {
	return language.Say(ctx, text, values...)
}
