package portal

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/internal/identity"
	"countersign/internal/store"
	"countersign/views"
)

const (
	// defaultEventsPause is the time between two looks of a stream.
	defaultEventsPause = 5 * time.Second
	// rightsPause is the longest time between two checks for changed rights, and rightsShared the age of a shared check: revoked rights end a
	// stream within a second.
	rightsPause, rightsShared = 500 * time.Millisecond, 300 * time.Millisecond
	// maxStreams bounds the open streams of this process; a page without one works all the same.
	maxStreams = 500
	// maxStreamsEach bounds those of one person, in however many sessions. A browser holds one, and a few connections of HTTP/1.1 stay free.
	maxStreamsEach = 4
	// eventWithin is the longest time for writing one event: a browser that does not read loses its stream.
	eventWithin = 10 * time.Second
)

// streams counts the open streams, altogether and by person.
type streams struct {
	mu   sync.Mutex
	all  int
	each map[uuid.UUID]int
}

// enter counts one more stream of a person, unless there are too many.
func (s *streams) enter(person uuid.UUID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= maxStreams || s.each[person] >= maxStreamsEach {
		return false
	}
	s.all++
	s.each[person]++
	return true
}

func (s *streams) leave(person uuid.UUID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	s.each[person]--
	if s.each[person] == 0 {
		delete(s.each, person)
	}
}

// events streams changes to an open queue page: the number of waiting messages, new ones, and decisions. Rows never move by themselves. The
// stream ends with the session, the role, the request or the server.
func (p *Portal) events(v *Request) error {
	if made := v.Echo.QueryParam(views.PersonField); made != "" && made != v.whose() {
		return v.tellPerson()
	}
	if !v.By.Has(identity.RoleChecker) {
		return v.Echo.NoContent(http.StatusNoContent)
	}
	person := v.By.PersonID
	if !p.streams.enter(person) {
		return v.Echo.NoContent(http.StatusNoContent) // tells the browser not to come back
	}
	defer p.streams.leave(person)
	response := v.Echo.Response()
	// The limits for reading a request and writing its answer would end the stream; not every server has some to lift.
	controller := http.NewResponseController(response)
	_ = errors.Join(controller.SetReadDeadline(time.Time{}), controller.SetWriteDeadline(time.Time{}))
	response.Header().Set(echo.HeaderContentType, "text/event-stream")
	response.WriteHeader(http.StatusOK)
	response.Flush()
	err := v.stream(p.Config.EventsPause, p.rights)
	if v.Context().Err() != nil {
		return nil // the browser is gone, or the server stops: the usual ends of a stream
	}
	return err
}

// tellPerson sends the name of the person now signed in to a page that another person opened. The browser asks again after a minute.
func (v *Request) tellPerson() error {
	var shown bytes.Buffer
	err := views.SignedInNow(v.By.UserName).Render(v.Context(), &shown)
	if err != nil {
		return err
	}
	event := "retry: 60000\nevent: live\ndata: " + strings.ReplaceAll(shown.String(), "\n", "\ndata: ") + "\n\n"
	return v.Echo.Blob(http.StatusOK, "text/event-stream", []byte(event))
}

func (v *Request) stream(pause time.Duration, rights *store.Rights) error {
	live, err := Follow(v)
	if err != nil {
		return err
	}
	news, looks := time.NewTicker(pause), time.NewTicker(min(pause, rightsPause))
	defer news.Stop()
	defer looks.Stop()
	decided := int64(-1) // unknown: what was decided before the stream began counts too
	for {
		due := false
		select {
		case <-v.Context().Done():
			return nil
		case <-news.C:
			due = true
		case <-looks.C:
		}
		now, err := rights.Decided(v.Context(), v.By.Realm, v.Config.Now())
		if err != nil {
			return err
		}
		if due || now != decided {
			open, err := v.Refresh()
			if err != nil || !open || !v.By.Has(identity.RoleChecker) { // session and role may have ended
				return err
			}
			decided = now
		}
		if due {
			err = v.tell(live)
			if err != nil {
				return fmt.Errorf("write to the stream: %w", err)
			}
		}
	}
}

// tell polls the queue once and sends the changes.
func (v *Request) tell(live *Live) error {
	err := v.CountWaiting()
	if err != nil {
		return err
	}
	update, changed, err := live.Look()
	if err != nil {
		return err
	}
	if !changed {
		// A comment keeps connections open that somebody on the way would close, and finds browsers that are gone.
		return v.write(": still here\n\n")
	}
	var shown bytes.Buffer
	err = views.QueueLiveUpdate(update).Render(v.Context(), &shown)
	if err != nil {
		return err
	}
	return v.write("event: live\ndata: " + strings.ReplaceAll(shown.String(), "\n", "\ndata: ") + "\n\n")
}

// write sends one event. It fails when the browser does not read it in time.
func (v *Request) write(event string) error {
	controller := http.NewResponseController(v.Echo.Response())
	late := time.AfterFunc(eventWithin, func() { _ = controller.SetWriteDeadline(time.Unix(1, 0)) })
	defer late.Stop()
	_, err := fmt.Fprint(v.Echo.Response(), event)
	if err != nil {
		return err
	}
	return controller.Flush()
}
