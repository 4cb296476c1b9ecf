// Package audit names the events of the audit trail and gives their details one fixed form. It is pure.
package audit

import (
	"encoding/json"
	"strings"
)

// EventOf names the event of a step of a message's life, for example "instruction.approve" or "instruction.time-out".
func EventOf(kind, action string) string {
	return kind + "." + strings.ReplaceAll(action, " ", "-")
}

// Detail is the canonical text of a step: one JSON object with the keys from, to and, where words were given, reason, in this order.
func Detail(from, to, reason string) string {
	text, err := json.Marshal(struct {
		From   string `json:"from"`
		To     string `json:"to"`
		Reason string `json:"reason,omitempty"`
	}{from, to, reason})
	if err != nil {
		return "{}" // strings always encode
	}
	return string(text)
}
