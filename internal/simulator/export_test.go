package simulator

// Settle waits until nothing is being waited for or sent.
func (s *Simulator) Settle() {
	s.tasks.Wait()
}
