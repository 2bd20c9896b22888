package zkmodel

// TakeAnyone plants the fault that a server takes a client that has seen more
// than the server has.
func (o *PeerOptions) TakeAnyone() { o.takesAnyone = true }
