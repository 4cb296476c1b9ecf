package simulator

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// serveLog writes the entries as a JSON array, one entry a line.
func (s *Simulator) serveLog(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	number := uint64(0)
	if text := query.Get("after"); text != "" {
		parsed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			writeRefusal(w, &refusal{http.StatusBadRequest, "400_BAD_REQUEST", "Enter the number of a log entry in after."})
			return
		}
		number = parsed
	}
	s.mutex.Lock()
	entries := s.journal.after(number, query.Get("transactionId"))
	s.mutex.Unlock()
	writeEntries(w, entries)
}

func writeEntries(w http.ResponseWriter, entries []Entry) {
	w.Header().Set("Content-Type", "application/json")
	between := "["
	for i := range entries {
		line, err := json.Marshal(&entries[i])
		if err != nil {
			return // cannot happen: strings, numbers and times of this century
		}
		_, err = w.Write(append([]byte(between), line...))
		if err != nil {
			return
		}
		between = ",\n"
	}
	if len(entries) == 0 {
		_, _ = w.Write([]byte("["))
	}
	_, _ = w.Write([]byte("]\n"))
}

func (s *Simulator) serveLiveness(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "live"})
}
