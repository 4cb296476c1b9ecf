package portal

import (
	"countersign/internal/identity"
)

// keepAfterTimeout keeps a form that was sent after the session had run out or was ended, for the person whose session it was. Nothing is
// checked, decided or submitted; the address returned opens the form again as it was, for that person only. It is "" when there is nothing
// to keep: another form, or a session that is not known, or not any more.
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
