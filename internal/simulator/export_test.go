package simulator

// FirstBackoff is the wait before the first retry.
const FirstBackoff = firstBackoff

// Settle waits until nothing is being waited for or sent.
func (s *Simulator) Settle() {
	s.tasks.Wait()
}
