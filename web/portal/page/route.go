package page

import (
	"net/http"

	"countersign/web/request"
)

// Room makes the two functions a room lists its pages with. A room has a type of visit of its own, on which its pages stand; in makes one
// of a visit.
func Room[V any](site *Site, in func(*Visit) V) (get, post func(path string, handle func(V) error) request.Route) {
	route := func(method, path string, handle func(V) error) request.Route {
		return request.Route{Method: method, Path: path, Handle: site.signedIn(func(v *Visit) error { return handle(in(v)) })}
	}
	get = func(path string, handle func(V) error) request.Route { return route(http.MethodGet, path, handle) }
	post = func(path string, handle func(V) error) request.Route { return route(http.MethodPost, path, handle) }
	return get, post
}
