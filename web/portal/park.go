package portal

import (
	"countersign/internal/identity"
)

// keepAfterTimeout saves a form that was sent after the session ended, for the session's person. Nothing is checked, decided or submitted.
// It returns the address that opens the form again for that person only; "" when there is nothing to save: another form, or an unknown
// session.
func keepAfterTimeout(v *Request) (string, error) {
	owner, known, err := v.LapsedOwner()
	if err != nil || !known {
		return "", err
	}
	v.By = owner
	defer func() { v.By = identity.Principal{} }()
	for _, keep := range []func(*Request) (string, error){KeepRTransaction, Keep, KeepPayment} {
		path, err := keep(v)
		if err != nil || path != "" {
			return path, err
		}
	}
	return "", nil
}
