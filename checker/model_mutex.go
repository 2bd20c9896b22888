package checker

// mutexKinds are what a mutex's operations do to [mutexState].
var mutexKinds = [opKinds]mutexAction{OpAcquire: mutexAcquire, OpRelease: mutexRelease, OpLose: mutexMayLose}

// mutexOf makes the model of a mutex: acquired by one owner at a time, and
// released by that owner. A re-entrant one may be acquired again by its owner
// and is free after as many releases; OpLose ends them all at once.
func mutexOf(reentrant bool) func() Model {
	name, what := "mutex", "a mutex"
	if reentrant {
		name, what = "reentrant-mutex", "a re-entrant mutex"
	}
	return func() Model {
		return Model{
			name: name, what: what,
			kinds: kindsOf(OpAcquire, OpRelease, OpLose),
			check: checkOwner,
			engine: &spec[mutexState]{
				start: func() mutexState { return mutexState{} },
				step: func(s *mutexState, op *Operation) effect {
					next, ok := s.step(mutexInput{mutexKinds[op.Kind], int32(op.In)}, reentrant)
					if !ok {
						return refused
					}
					*s = next
					return changed
				},
				equal: func(a, b *mutexState) bool { return *a == *b },
				hash: func(s *mutexState) uint64 {
					return mix(uint64(uint32(s.owner))<<32 | uint64(uint32(s.depth)))
				},
			},
			guess: guessHolds, suspects: suspectOwners, useless: uselessOwners,
			explain: explainExclusion,
		}
	}
}

// checkOwner refuses owners that the state of a lock has no room for.
func checkOwner(op *Operation) string {
	if op.In != int64(int32(op.In)) {
		return "has an owner beyond 32 bits"
	}
	return ""
}
