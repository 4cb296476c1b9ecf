package store

import (
	"context"
	"slices"

	"countersign/internal/identity"
	"countersign/internal/store/internal/dbsqlc"
)

// NameTaken reports whether somebody of a realm is called so.
func NameTaken(ctx context.Context, q *dbsqlc.Queries, realm, name string) (bool, error) {
	people, err := q.PersonList(ctx, realm)
	return slices.ContainsFunc(people, func(p dbsqlc.Person) bool { return identity.SameName(p.DisplayName, name) }), err
}
