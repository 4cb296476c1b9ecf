package clearing

import (
	"testing"
	"time"

	"countersign/internal/payment"
)

// TestThePausesBetweenQuestions: a payment is asked about after 1, 2, 4 … seconds, at most 15 minutes; a recall, which people answer, daily.
func TestThePausesBetweenQuestions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind      payment.Kind
		inquiries int
		want      time.Duration
	}{
		{payment.KindInstruction, 0, time.Second},
		{payment.KindInstruction, 1, 2 * time.Second},
		{payment.KindReturn, 9, 512 * time.Second},
		{payment.KindInstruction, 10, maxInquiryPause},
		{payment.KindInstruction, 100, maxInquiryPause},
		{payment.KindRecall, 0, 24 * time.Hour},
		{payment.KindRecall, 100, 24 * time.Hour},
	} {
		if got := inquiryPause(payment.Message{Kind: c.kind, Inquiries: c.inquiries}); got != c.want {
			t.Errorf("after %d questions about a %s the pause is %s, want %s", c.inquiries, c.kind, got, c.want)
		}
	}
}
