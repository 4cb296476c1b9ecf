package amqp

import (
	"bytes"
	"encoding/hex"
	"fmt"

	"github.com/Azure/go-amqp"

	"countersign/internal/clearing"
	"countersign/internal/i18n"
	"countersign/internal/iso20022"
)

// messageID is the message-id as text, "" when there is none. AMQP 1.0 part 3.2.4 allows strings, unsigned numbers, UUIDs and binary.
func messageID(message *amqp.Message) string {
	if message.Properties == nil {
		return ""
	}
	switch id := message.Properties.MessageID.(type) {
	case nil:
		return ""
	case string:
		return id
	case []byte:
		return hex.EncodeToString(id)
	default: // uint64 and amqp.UUID
		return fmt.Sprint(id)
	}
}

// body returns the document in a message. The gateway itself sends data sections; JMS senders put text into a value.
func body(message *amqp.Message) ([]byte, bool) {
	switch value := message.Value.(type) {
	case string:
		return []byte(value), true
	case []byte:
		return value, true
	}
	return bytes.Join(message.Data, nil), len(message.Data) > 0
}

func refusal(text string) *clearing.RefusedError {
	return &clearing.RefusedError{Findings: []iso20022.Finding{{Text: i18n.Data(text)}}}
}

// shortened keeps a reason within what fits into any frame.
func shortened(text string) string {
	const most = 500
	if len(text) <= most {
		return text
	}
	return string(bytes.ToValidUTF8([]byte(text[:most]), nil))
}
