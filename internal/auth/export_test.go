package auth

// FillPasswordPlaces takes all the places of those who wait for a password check, until leave.
func (s *Service) FillPasswordPlaces() (leave func()) {
	places := s.passwords.places
	for range cap(places) {
		places <- struct{}{}
	}
	return func() {
		for range cap(places) {
			<-places
		}
	}
}
