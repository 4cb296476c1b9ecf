package simulator

import (
	"encoding/json"
	"net/http"
)

// refusal is an error answer: the HTTP status, a code, and a sentence with the remedy.
type refusal struct {
	status int
	code   string
	text   string
}

func writeRefusal(w http.ResponseWriter, r *refusal) {
	if r.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	writeJSON(w, r.status, map[string]string{"errorCode": r.code, "message": r.text})
}

// writeJSON ignores a failed write: the caller is gone then.
func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
