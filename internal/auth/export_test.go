package auth

import "countersign/internal/testutil"

// productParameters are the parameters of new hashes outside of tests.
var productParameters = hashParameters

// HashMemory and HashIterations are parameters of the hashes of tests, which in short tests cost next to nothing: half of the processor
// time of this package would be hashing.
var HashMemory, HashIterations = &hashParameters.Memory, &hashParameters.Iterations

func init() {
	if !testutil.InLongTier {
		hashParameters.Memory, hashParameters.Iterations = 8, 1
	}
}

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

// PasswordsChecked returns the number of argon2id computations, those for unknown names included.
func (s *Service) PasswordsChecked() int64 { return s.verified.Load() }
