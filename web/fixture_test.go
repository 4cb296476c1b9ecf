package web_test

import (
	"testing"

	"github.com/google/uuid"

	"countersign/internal/store/storetest"
	"countersign/web/webtest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// bundle is the whole gateway.
type bundle struct{ *webtest.Gateway }

func setup(t *testing.T) *bundle {
	t.Helper()
	return setupWith(t, webtest.Options{})
}

func setupWith(t *testing.T, options webtest.Options) *bundle {
	t.Helper()
	return &bundle{webtest.With(t, options)}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func parse(t *testing.T, id string) uuid.UUID {
	t.Helper()
	parsed, err := uuid.Parse(id)
	must(t, err)
	return parsed
}
