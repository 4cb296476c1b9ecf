package api

import (
	"errors"
	"testing"

	"countersign/internal/identity"
	"countersign/web/request"
)

func TestOneRequestOfAKeyIsUnderWay(t *testing.T) {
	t.Parallel()
	f := &flights{}
	mine := identity.Principal{Realm: "demo", ClientID: "a"}
	end, err := f.begin(mine, "k")
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.begin(mine, "k")
	var refused *request.Problem
	if !errors.As(err, &refused) || refused.Status != 409 {
		t.Errorf("the second of the key: %v", err)
	}
	for _, other := range []struct {
		by  identity.Principal
		key string
	}{
		{mine, "l"},
		{mine, ""},
		{mine, ""},
		{identity.Principal{Realm: "demo2", ClientID: "a"}, "k"},
		{identity.Principal{Realm: "demo", ClientID: "b"}, "k"},
	} {
		_, err = f.begin(other.by, other.key)
		if err != nil {
			t.Errorf("%v with %q: %v", other.by, other.key, err)
		}
	}
	end()
	_, err = f.begin(mine, "k")
	if err != nil {
		t.Errorf("after the first: %v", err)
	}
}
