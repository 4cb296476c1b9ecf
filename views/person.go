package views

import (
	"context"
	"net/url"

	"github.com/a-h/templ"
)

// PersonField is the form field with the person whose page a form belongs to, and the query parameter of a form with a file.
const PersonField = "person"

type personKey struct{}

// ForPerson sets the person of the pages rendered with the context: "realm/username".
func ForPerson(ctx context.Context, person string) context.Context {
	return context.WithValue(ctx, personKey{}, person)
}

// personOf returns the person whose page is rendered; "" before the sign-in.
func personOf(ctx context.Context) string {
	person, _ := ctx.Value(personKey{}).(string)
	return person
}

// ofPerson is the address of a form with a file, whose fields are read late.
func ofPerson(ctx context.Context, address string) templ.SafeURL {
	return templ.SafeURL(address + "?" + url.Values{PersonField: {personOf(ctx)}}.Encode())
}
