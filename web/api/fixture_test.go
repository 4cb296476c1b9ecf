package api_test

import (
	"testing"

	"github.com/google/uuid"

	"countersign/internal/store/storetest"
	"countersign/web/webtest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// bundle is the whole gateway, asked at the door of the API.
type bundle struct{ *webtest.Gateway }

func setup(t *testing.T) *bundle {
	t.Helper()
	return &bundle{webtest.New(t)}
}

// The calls of webtest and its people, by short names.
type (
	call   = webtest.Call
	answer = webtest.Answer
	person = webtest.Person
)

var (
	maker1      = webtest.Maker1
	maker2      = webtest.Maker2
	checker1    = webtest.Checker1
	checker2    = webtest.Checker2
	both1       = webtest.Both1
	supervisor1 = webtest.Supervisor1
	admin1      = webtest.Admin1
	straight    = webtest.Straight
	otherMaker  = webtest.OtherMaker
	otherCheck  = webtest.OtherChecker
	nobody      = webtest.Nobody
)

const (
	sample         = webtest.Sample
	europeanSample = webtest.EuropeanSample
	createSwiss    = webtest.CreateSwiss
	createEuropean = webtest.CreateEuropean
	listPath       = webtest.ListPath
	approvePath    = webtest.ApprovePath
)

var (
	order        = webtest.Order
	verdict      = webtest.Verdict
	get          = webtest.Get
	clearingCall = webtest.ClearingCall
)

func parse(t *testing.T, id string) uuid.UUID {
	t.Helper()
	parsed, err := uuid.Parse(id)
	must(t, err)
	return parsed
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
