package simzk

// Requests counts the recipe requests that the process has sent so far. It is
// world side.
func (p *Process) Requests() int { return p.faults.sent }
