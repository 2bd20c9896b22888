package checker

// Believes reports whether the client believes that it holds the lock.
func (l *Lock) Believes(client int) bool { return l.holds.of(int32(client)) != nil }
