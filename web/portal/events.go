package portal

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/internal/identity"
)

// eventsPath is the stream of live counts. It is the one route that does not count as a use of the session: an open page alone must not
// keep somebody signed in.
const eventsPath = "/events"

const (
	// defaultEventsPause is the time between two looks of a stream.
	defaultEventsPause = 5 * time.Second
	// maxStreams bounds the open streams of this process; a page without one works all the same.
	maxStreams = 500
)

// streams counts the open streams.
type streams chan struct{}

// events tells an open queue page how many messages wait: the number, and a line that offers to show new ones. Rows never move by
// themselves. The stream ends with the session, the role, the request or the server.
func events(v *visit) error {
	if !v.by.Has(identity.RoleChecker) {
		return v.echo.NoContent(http.StatusNoContent)
	}
	select {
	case v.streams <- struct{}{}:
		defer func() { <-v.streams }()
	default:
		return v.echo.NoContent(http.StatusNoContent)
	}
	response := v.echo.Response()
	// The limit for reading a request would end the stream; not every server has one to lift.
	_ = http.NewResponseController(response).SetReadDeadline(time.Time{})
	response.Header().Set(echo.HeaderContentType, "text/event-stream")
	response.WriteHeader(http.StatusOK)
	response.Flush()
	err := v.stream()
	if v.ctx().Err() != nil {
		return nil // the browser is gone, or the server stops: the usual ends of a stream
	}
	return err
}

func (v *visit) stream() error {
	shown, known := v.waiting, v.waiting
	ticker := time.NewTicker(v.cfg.EventsPause)
	defer ticker.Stop()
	for {
		select {
		case <-v.ctx().Done():
			return nil
		case <-ticker.C:
		}
		open, err := v.stillOpen()
		if err != nil || !open {
			return err
		}
		err = v.countWaiting()
		if err != nil {
			return err
		}
		if v.waiting == known {
			// A comment keeps connections open that somebody on the way would close, and finds browsers that are gone.
			_, err = fmt.Fprint(v.echo.Response(), ": still here\n\n")
		} else {
			known = v.waiting
			_, err = fmt.Fprint(v.echo.Response(), waitingEvents(known, known-shown))
		}
		if err != nil {
			return fmt.Errorf("write to the stream: %w", err)
		}
		v.echo.Response().Flush()
	}
}

// waitingEvents are the events for a number of waiting messages, of which so many came since the page was made.
func waitingEvents(waiting, fresh int) string {
	count, line := "", ""
	if waiting > 0 {
		count = strconv.Itoa(waiting) + ` <span class="visually-hidden">waiting</span>`
	}
	if fresh > 0 {
		line = `<a class="button" href="/queue">` + strconv.Itoa(fresh) + ` new – show</a>`
	}
	return "event: count\ndata: " + count + "\n\nevent: waiting\ndata: " + line + "\n\n"
}

// stillOpen reads session and person again: what ended or was taken away ends the stream.
func (v *visit) stillOpen() (bool, error) {
	cookie, err := v.echo.Cookie(v.sessions.Cookie.Name)
	if err != nil {
		return false, nil
	}
	_, found, err := v.cfg.Sessions.FindCtx(v.ctx(), cookie.Value)
	if err != nil || !found {
		return false, err
	}
	by, ok, err := v.principal(v.echo)
	v.by = by
	return ok && by.Has(identity.RoleChecker), err
}
