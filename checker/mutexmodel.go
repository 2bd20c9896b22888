package checker

import "github.com/anishathalye/porcupine"

// mutexAction is what an operation does to a mutex.
type mutexAction uint8

const (
	mutexAcquire    mutexAction = iota
	mutexRelease                // ends one hold; its outcome is known
	mutexMayRelease             // the same, but it may never take effect
	mutexMayLose                // ends every hold of the belief, or never takes effect
	mutexEnd                    // everything whose outcome is known is over
)

// mutexInput is an operation of the model. Owners are beliefs rather than
// clients: after a loss the same client is another owner.
type mutexInput struct {
	action mutexAction
	owner  int32
}

// mutexState is the state of a mutex: who holds it, and how often.
type mutexState struct {
	owner int32
	depth int32 // 0: free
	ended bool
}

// mutexModel is the sequential specification of a mutex. An operation whose
// outcome is unknown and that never took effect stands behind the end, where
// it does nothing; before the end it must take effect, which keeps the search
// from trying it everywhere.
func mutexModel(reentrant bool) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return mutexState{} },
		Step: func(state, input, _ any) (bool, any) {
			next, ok := state.(mutexState).step(input.(mutexInput), reentrant)
			return ok, next
		},
		Hash: func(state any) uint64 {
			s := state.(mutexState)
			return (uint64(uint32(s.owner))<<32 | uint64(uint32(s.depth))<<1 | bit(s.ended)) * 0x9e3779b97f4a7c15
		},
	}
}

// step is the state after an operation, false if it cannot take effect here.
func (s mutexState) step(in mutexInput, reentrant bool) (mutexState, bool) {
	if s.ended {
		return s, in.action == mutexMayRelease || in.action == mutexMayLose
	}
	holds := s.depth > 0 && s.owner == in.owner
	switch in.action {
	case mutexAcquire:
		if s.depth > 0 && !(holds && reentrant) {
			return s, false
		}
		return mutexState{owner: in.owner, depth: s.depth + 1}, true
	case mutexRelease, mutexMayRelease:
		if !holds {
			return s, false
		}
		if s.depth == 1 {
			return mutexState{}, true
		}
		return mutexState{owner: s.owner, depth: s.depth - 1}, true
	case mutexMayLose:
		return mutexState{}, holds
	}
	s.ended = true
	return s, true
}
