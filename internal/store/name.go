package store

import (
	"context"
	"slices"

	"countersign/internal/identity"
	"countersign/internal/store/internal/dbsqlc"
)

// NameTaken reports whether a person of a realm has this name, or one that looks like it.
func NameTaken(ctx context.Context, q *dbsqlc.Queries, realm, name string) (bool, error) {
	people, err := q.PersonList(ctx, realm)
	return slices.ContainsFunc(people, func(p dbsqlc.Person) bool { return identity.LooksLike(p.DisplayName, name) }), err
}
