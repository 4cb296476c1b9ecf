package client_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"countersign/api/client"
	"countersign/internal/store/storetest"
	"countersign/web/webtest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// today is the day in the zone of the banks.
func today() time.Time {
	zone, err := time.LoadLocation("Europe/Zurich")
	if err != nil {
		panic(err)
	}
	return time.Now().In(zone)
}

// cursorFile holds the cursor of the example.
var cursorFile string

// opened is a gateway at an address of its own.
func opened(t *testing.T) (g *webtest.Gateway, address string) {
	t.Helper()
	g = webtest.New(t)
	g.Clock.Set(time.Now()) // connections have deadlines by this clock
	server := httptest.NewServer(g.Server.Handler())
	t.Cleanup(server.Close)
	return g, server.URL
}

// TestTheExamplesWork plays the examples of the documentation against a gateway.
func TestTheExamplesWork(t *testing.T) {
	_, demoAddress = opened(t)
	cursorFile = filepath.Join(t.TempDir(), "cursor")
	stdout := os.Stdout
	read, write, err := os.Pipe()
	must(t, err)
	os.Stdout = write
	Example()
	ExampleGateway_Follow()
	os.Stdout = stdout
	must(t, write.Close())
	said := make([]byte, 1000)
	count, err := read.Read(said)
	must(t, err)
	want := "made: Approval Pending\napproved: true\nmessage.created Approval Pending\nthat is all\n"
	if string(said[:count]) != want {
		t.Errorf("the examples say:\n%s", said[:count])
	}
}

// lossy drops the first answer to each request that has a body, after the gateway has acted.
type lossy struct {
	mutex   sync.Mutex
	dropped map[string]bool
}

var errLost = errors.New("the answer is lost")

func (l *lossy) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := http.DefaultTransport.RoundTrip(r)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	key := r.Header.Get("Idempotency-Key") + r.URL.Path
	if err == nil && r.Method == http.MethodPost && !l.dropped[key] {
		l.dropped[key] = true
		_ = answer.Body.Close()
		return nil, errLost
	}
	return answer, err
}

// TestLostAnswersAreRepeatedWithoutDoubles: each answer to a creation, an approval and a token call is lost once.
func TestLostAnswersAreRepeatedWithoutDoubles(t *testing.T) {
	t.Parallel()
	_, address := opened(t)
	call := func(name string) *client.Gateway {
		caller, err := client.New(client.Config{
			URL: address, Realm: "demo", ClientID: "demo-backoffice", ClientSecret: "demo-secret", Username: name,
			Password: "countersign-demo", HTTP: &http.Client{Transport: &lossy{dropped: map[string]bool{}}},
		})
		must(t, err)
		return caller
	}
	maker, checker := call("maker1"), call("checker1")
	id := create(t, maker, "lost-1")
	var decision client.ApprovalOrder
	decision.Identifiers.InternalID, decision.ApprovalDetails.Action = id, "approve"
	decided, err := checker.DecideInstructionOfAnySchemeWithResponse(t.Context(), nil, decision)
	must(t, err)
	must(t, client.Check(decided.StatusCode(), decided.Body))
	if decided.HTTPResponse.Header.Get("Idempotent-Replayed") != "true" {
		t.Error("the approval was not repeated")
	}
	listed, err := maker.ListTransactionWithResponse(t.Context(), nil)
	must(t, err)
	if len(listed.JSON200.Transactions) != 1 || listed.JSON200.Transactions[0].State != "Approved" {
		t.Errorf("there are %s", listed.Body)
	}
	_, err = call("nobody").ListTransactionWithResponse(t.Context(), nil)
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Code != "Username_Or_Password_Incorrect" {
		t.Errorf("a wrong name: %v", err)
	}
}

// create makes a payment and returns its id.
func create(t *testing.T, maker *client.Gateway, name string) string {
	t.Helper()
	request, err := client.InstructionOf(order(name, "199.20", today()))
	must(t, err)
	created, err := maker.CreateInstructionWithResponse(t.Context(), "sic-inst", nil, request)
	must(t, err)
	must(t, client.Check(created.StatusCode(), created.Body))
	return created.JSON200.Transaction.InternalID.String()
}

// TestARefusalNamesItsPlaces: both variants of a refused order, and the four eyes.
func TestARefusalNamesItsPlaces(t *testing.T) {
	t.Parallel()
	_, address := opened(t)
	maker, err := person(address, "maker1")
	must(t, err)
	request, err := client.InstructionOf(order("late", "199.20", today().AddDate(0, 0, -1)))
	must(t, err)
	answer, err := maker.CreateInstructionWithResponse(t.Context(), "sic-inst", nil, request)
	must(t, err)
	var refused *client.Error
	if !errors.As(client.Check(answer.StatusCode(), answer.Body), &refused) || len(refused.Fields) != 1 || refused.Fields[0].ReasonCode != "CH04" {
		t.Errorf("an order of yesterday: %v", refused)
	}
	var decision client.ApprovalOrder
	decision.Identifiers.InternalID, decision.ApprovalDetails.Action = create(t, maker, "own"), "approve"
	decided, err := maker.DecideInstructionOfAnySchemeWithResponse(t.Context(), nil, decision)
	must(t, err)
	if !errors.As(client.Check(decided.StatusCode(), decided.Body), &refused) || refused.Code != "403_FORBIDDEN" || refused.Message == "" {
		t.Errorf("one's own payment: %v", refused)
	}
}

// TestADeadTokenIsRenewed: the gateway's clock passes the life of the access token, and then that of the sign-in.
func TestADeadTokenIsRenewed(t *testing.T) {
	t.Parallel()
	g, address := opened(t)
	maker, err := person(address, "maker1")
	must(t, err)
	for _, life := range []time.Duration{0, 6 * time.Minute, 13 * time.Hour} {
		g.Clock.Set(today().Add(life))
		listed, err := maker.ListTransactionWithResponse(t.Context(), nil)
		must(t, err)
		must(t, client.Check(listed.StatusCode(), listed.Body))
	}
}

// TestTheReaderGoesOnWhereItStopped: an event whose handling failed comes again, none before it does, and none is left out.
func TestTheReaderGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	_, address := opened(t)
	maker, err := person(address, "maker1")
	must(t, err)
	var made []string
	for _, name := range []string{"one", "two", "three"} {
		made = append(made, create(t, maker, name))
	}
	cursor := client.File(filepath.Join(t.TempDir(), "cursor"))
	var seen []string
	for range 3 { // the handling of the second event of each run fails, and that of the last one
		ctx, cancel := context.WithCancel(t.Context())
		handled := 0
		err := maker.Follow(ctx, cursor, client.ListEventsParams{}, func(_ context.Context, e client.Event) error {
			seen = append(seen, e.Transaction.InternalID.String())
			handled++
			if handled == 2 || len(seen) == 5 {
				cancel()
				return errLost
			}
			return nil
		})
		cancel()
		if err == nil {
			t.Error("the reader ended by itself")
		}
	}
	want := []string{made[0], made[1], made[1], made[2], made[2]}
	if !slices.Equal(seen, want) {
		t.Errorf("seen are %q, made were %q", seen, made)
	}
}
