package auth

import (
	"context"
	"errors"

	"countersign/internal/store"
)

// LogoutInput ends a sign-in.
type LogoutInput struct {
	Realm        string
	Client       ClientCredentials
	RefreshToken string // any of the sign-in, a spent one too
}

// Logout kills the family of a refresh token and its access tokens at once. A second logout is as good as the first. Errors:
// ErrUnknownRealm, ErrInvalidClient, ErrInvalidGrant for a token that this client never had.
func (s *Service) Logout(ctx context.Context, in LogoutInput) error {
	found, err := s.end(ctx, endInput{realm: in.Realm, client: in.Client, token: in.RefreshToken, reason: store.RevokedByLogout})
	if err == nil && !found {
		return ErrInvalidGrant
	}
	return err
}

// RevokeInput withdraws a token.
type RevokeInput struct {
	Realm  string
	Client ClientCredentials
	Token  string // a refresh token or an access token
}

// Revoke ends the family that a token belongs to (RFC 7009). A token that does not exist, or is another client's, is a success without
// an effect. Errors: ErrUnknownRealm, ErrInvalidClient.
func (s *Service) Revoke(ctx context.Context, in RevokeInput) error {
	_, err := s.end(ctx, endInput{
		realm: in.Realm, client: in.Client, token: in.Token, reason: store.RevokedByRequest, accessToken: true,
	})
	return err
}

type endInput struct {
	realm       string
	client      ClientCredentials
	token       string
	reason      store.Revocation
	accessToken bool
}

func (s *Service) end(ctx context.Context, in endInput) (found bool, err error) {
	client, err := s.checkClient(ctx, in.realm, in.client)
	if err != nil {
		return false, err
	}
	given, ok := s.parseTokenOf(in.realm, in.token)
	if !ok {
		return false, nil
	}
	family, err := s.tokens.Revoke(ctx, store.RevokeInput{
		Realm: in.realm, Hashes: given.hashes(), ClientID: client.ClientID, AccessToken: in.accessToken, At: s.now(), Reason: in.reason,
	})
	if errors.Is(err, store.ErrUnknownToken) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	s.bearers.drop(family)
	return true, nil
}
