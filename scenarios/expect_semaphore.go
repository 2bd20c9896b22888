package scenarios

import "zoosim/checker"

// whyForgotten is about a semaphore of Curator and the mutex made of it.
const whyForgotten = "a lease that was got is forgotten when the release of the mutex behind it fails"

// whyTwoFronts is about a client that took a mutex of its old session for its
// own, or goes on behind one that went with its session.
const whyTwoFronts = "two clients hold the mutex after the end of a session, each with a lease that keeps the other from being served"

// semaphoreExpectations are the rows of the semaphores.
func semaphoreExpectations() []expectedFailure {
	t := expectations{family: "semaphore"}
	add := t.add
	add("tickets curator", "pause expiry", must, whyCannotBeTold, checker.Capacity)
	add("tickets curator", "partition", must, whyStopsLate, checker.Capacity)
	add("tickets curator", "lag", rare, whyOutlived, checker.Capacity)
	add("tickets curator", "lag leader-crash", rare, whyAppliedLater, checker.Leak, checker.Progress)
	add("curator", "resession", must, whyOldSession, checker.Capacity)
	add("curator", "resession expiry pause partition", rare, whyTwoFronts, checker.Progress)
	add("curator", "interrupt", must, whyForgotten, checker.Leak)
	add("curator", "interrupt", rare, whyForgotten, checker.Progress)
	return t.rows
}
