package auth

import (
	"context"
	"errors"

	"countersign/internal/identity"
	"countersign/internal/keyring"
)

// keys are the subkeys of the token keys, one ring for each purpose.
type keys struct {
	lookups    keyring.Ring // digests under which tokens are stored
	successors keyring.Ring // makes the successor of a refresh token
	names      keyring.Ring // digests of the names people try
	devices    keyring.Ring // digests that make a browser known
	factors    keyring.Ring // hides the keys of authenticator apps
	recovery   keyring.Ring // digests of recovery codes
	challenges keyring.Ring // what passkeys sign
	flows      keyring.Ring // hides what a browser keeps while its owner is at a provider
	providers  identity.ProviderKeys
	setUps     identity.SetUpKeys
}

func deriveKeys(ring keyring.Ring) (keys, error) {
	if ring.Empty() {
		return keys{}, errors.New("a token key is needed")
	}
	var k keys
	for purpose, derived := range map[string]*keyring.Ring{
		"token lookup": &k.lookups, "token successor": &k.successors, "sign-in name": &k.names, "device": &k.devices,
		"second factor": &k.factors, "recovery code": &k.recovery, "passkey challenge": &k.challenges,
		"provider sign-in": &k.flows,
	} {
		var err error
		*derived, err = ring.Derive(purpose)
		if err != nil {
			return keys{}, err
		}
	}
	var err error
	k.providers, err = identity.NewProviderKeys(ring)
	if err != nil {
		return keys{}, err
	}
	k.setUps, err = identity.NewSetUpKeys(ring)
	return k, err
}

// CheckKeys fails when the token keys differ from those that sealed people, clients and policies: nobody could sign in.
func (s *Service) CheckKeys(ctx context.Context) error { return s.people.CheckKeys(ctx) }
