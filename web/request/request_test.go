package request_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"countersign/internal/identity"
	"countersign/web/request"
)

func TestTheContextCarriesWhoAsks(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	if _, known := request.Principal(ctx); known || request.ID(ctx) != "" || request.Reference(ctx) != "" || request.Address(ctx) != "" {
		t.Error("an empty context knows somebody")
	}
	ctx = request.With(ctx, request.Names{ID: "id", Reference: "reference", Address: "192.0.2.1"})
	ctx, cancel := context.WithCancel(request.WithPrincipal(ctx, identity.Principal{UserName: "maker1"}))
	defer cancel()
	by, known := request.Principal(ctx)
	if !known || by.UserName != "maker1" || request.ID(ctx) != "id" || request.Reference(ctx) != "reference" ||
		request.Address(ctx) != "192.0.2.1" {
		t.Errorf("%v %q %q %q", by, request.ID(ctx), request.Reference(ctx), request.Address(ctx))
	}
}

func TestARequestIDIsOneShortPrintableText(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]bool{
		"a": true, "a b": true, "Überweisung 1": true, strings.Repeat("ü", 140): true,
		"": false, strings.Repeat("a", 141): false, "a\nb": false, "a\x00": false, "a\xff": false, "a\u200bb": false,
	} {
		id, ok := request.CheckID([]string{given})
		if ok != want || ok && id != given {
			t.Errorf("%q: %q %v", given, id, ok)
		}
	}
	if _, ok := request.CheckID([]string{"a", "b"}); ok {
		t.Error("two ids are taken")
	}
	if _, ok := request.CheckID(nil); ok {
		t.Error("none is taken")
	}
}

func TestAliasesShareOneHandler(t *testing.T) {
	t.Parallel()
	calls := 0
	routes := request.Alias(http.MethodPost, func(echo.Context) error { calls++; return nil }, "/a", "/b")
	for i, path := range []string{"/a", "/b"} {
		if routes[i].Path != path || routes[i].Method != http.MethodPost || routes[i].Handle(nil) != nil {
			t.Errorf("%+v", routes[i])
		}
	}
	if calls != 2 {
		t.Errorf("%d calls", calls)
	}
}
