package portal

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/internal/identity"
)

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
func (p *Portal) events(v *visit) error {
	if !v.By.Has(identity.RoleChecker) {
		return v.Echo.NoContent(http.StatusNoContent)
	}
	select {
	case p.streams <- struct{}{}:
		defer func() { <-p.streams }()
	default:
		return v.Echo.NoContent(http.StatusNoContent)
	}
	response := v.Echo.Response()
	// The limit for reading a request would end the stream; not every server has one to lift.
	_ = http.NewResponseController(response).SetReadDeadline(time.Time{})
	response.Header().Set(echo.HeaderContentType, "text/event-stream")
	response.WriteHeader(http.StatusOK)
	response.Flush()
	err := v.stream(p.pause)
	if v.Context().Err() != nil {
		return nil // the browser is gone, or the server stops: the usual ends of a stream
	}
	return err
}

func (v *visit) stream(pause time.Duration) error {
	shown, known := v.Waiting, v.Waiting
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for {
		select {
		case <-v.Context().Done():
			return nil
		case <-ticker.C:
		}
		open, err := v.stillOpen()
		if err != nil || !open {
			return err
		}
		err = v.CountWaiting()
		if err != nil {
			return err
		}
		if v.Waiting == known {
			// A comment keeps connections open that somebody on the way would close, and finds browsers that are gone.
			_, err = fmt.Fprint(v.Echo.Response(), ": still here\n\n")
		} else {
			known = v.Waiting
			_, err = fmt.Fprint(v.Echo.Response(), waitingEvents(known, known-shown))
		}
		if err != nil {
			return fmt.Errorf("write to the stream: %w", err)
		}
		v.Echo.Response().Flush()
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
	open, err := v.Refresh()
	return open && v.By.Has(identity.RoleChecker), err
}
