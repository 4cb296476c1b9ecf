package integrity

import "context"

// Roster compares the master data of a realm with its head, and returns what differs: somebody changed it past the gateway.
//
// Errors: store.ErrBusy, store.ErrUnavailable, store.ErrUnknown.
func (t *Trees) Roster(ctx context.Context, realm string) (differ []string, err error) {
	return t.db.LookAt(ctx, realm)
}
