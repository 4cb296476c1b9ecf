package admin

import (
	"context"

	"countersign/internal/administration"
)

// mayAlone allows the operator the work of administrators until the realm has had two of them. It counts also inactive ones: otherwise a
// reset of one administrator would let the operator in. Errors: store.ErrUnknownRealm, ErrNoGlass, refusal, payment.FieldError for the
// reason.
func (p provision) mayAlone(ctx context.Context, breakGlass string, refusal error) error {
	err := p.lock(ctx)
	if err != nil {
		return err
	}
	ever, err := p.q.AdministratorEverCount(ctx, p.realm)
	switch {
	case err != nil:
		return err
	case ever < 2 && breakGlass != "":
		return ErrNoGlass
	case ever < 2:
		return nil
	case breakGlass == "":
		return refusal
	}
	return administration.CheckReason("breakGlass", breakGlass)
}
