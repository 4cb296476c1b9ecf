package views

import (
	"context"
	"net/url"

	"github.com/a-h/templ"
)

// PersonField is the field with which every form tells whose page it stands on, and the parameter of the address of a form with a file.
const PersonField = "person"

type personKey struct{}

// ForPerson makes the pages written with a context those of a person: "realm/username".
func ForPerson(ctx context.Context, person string) context.Context {
	return context.WithValue(ctx, personKey{}, person)
}

// personOf is whose page is written; "" before somebody is signed in.
func personOf(ctx context.Context) string {
	person, _ := ctx.Value(personKey{}).(string)
	return person
}

// ofPerson is the address of a form with a file, whose fields are read late.
func ofPerson(ctx context.Context, address string) templ.SafeURL {
	return templ.SafeURL(address + "?" + url.Values{PersonField: {personOf(ctx)}}.Encode())
}
