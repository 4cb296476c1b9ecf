package auth

import (
	"context"
	"slices"

	"countersign/internal/identity"
	"countersign/internal/store"
)

// Preference holds the settings of a user for the portal.
type Preference = store.Preference

// Preference reads the preference of the user; one who chose nothing has the default.
func (s *Service) Preference(ctx context.Context, by identity.Principal) (Preference, error) {
	return s.people.Preference(ctx, by.Realm, by.UserID)
}

// SavePreference stores the user's preference. Error: ErrInvalidPreference for a value the portal does not offer.
func (s *Service) SavePreference(ctx context.Context, by identity.Principal, p Preference) error {
	if !slices.Contains([]string{"auto", "light", "dark"}, p.Theme) ||
		!slices.Contains([]string{"compact", "default", "comfortable"}, p.Density) ||
		!slices.Contains([]string{"", "de", "fr", "it", "en"}, p.Language) {
		return ErrInvalidPreference
	}
	return s.people.SavePreference(ctx, by, p)
}
