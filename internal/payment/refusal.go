package payment

import (
	"fmt"

	"countersign/internal/interbank"
	"countersign/internal/profile"
)

// CheckRefusal compares an automatic refusal, which nobody approved, with the answered document of clearing: it must move no money and
// repeat only that document. Both are given as stored. Error: ErrForged.
func CheckRefusal(asked, answer []byte) error {
	question, unread := profile.Read(asked)
	refusal, broken := profile.Read(answer)
	if len(unread)+len(broken) > 0 {
		return fmt.Errorf("read the refusal and its original: %w", ErrForged)
	}
	err := interbank.OnlyRefuses(question, refusal)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrForged, err)
	}
	return nil
}
