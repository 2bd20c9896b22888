package zkmodel

// CommitWithoutQuorum plants the fault that a leader commits what no quorum has.
func (o *PeerOptions) CommitWithoutQuorum() { o.aheadOfQuorum = true }

// TakeAnyone plants the fault that a server takes a client that has seen more
// than the server has.
func (o *PeerOptions) TakeAnyone() { o.takesAnyone = true }
