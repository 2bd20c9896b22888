package checker

import "slices"

// rwState is the state of a read-write lock.
type rwState struct {
	writer  int64 // the owner if depth is above 0
	depth   int   // how often the writer holds it
	readers holders
}

// rwLockOf makes the model of a read-write lock: any number of readers, or one
// writer. In a re-entrant one the writer may acquire again, for writing and
// for reading; that a reader may never acquire for writing holds for both
// (as in Curator's InterProcessReadWriteLock, where an upgrade waits for
// ever).
func rwLockOf(reentrant bool) func() Model {
	name, what := "rw-lock", "a read-write lock"
	if reentrant {
		name, what = "reentrant-rw-lock", "a re-entrant read-write lock"
	}
	return func() Model {
		return Model{
			name: name, what: what,
			kinds: kindsOf(OpAcquireRead, OpAcquireWrite, OpReleaseRead, OpReleaseWrite, OpLose),
			engine: &spec[rwState]{
				start: func() rwState { return rwState{} },
				step:  func(s *rwState, op *Operation) effect { return s.step(op, reentrant) },
				fork: func(s rwState) rwState {
					s.readers = s.readers.fork()
					return s
				},
				equal: func(a, b *rwState) bool {
					return a.depth == b.depth && (a.depth == 0 || a.writer == b.writer) &&
						slices.Equal(a.readers, b.readers)
				},
				hash: func(s *rwState) uint64 {
					sum := uint64(s.depth)
					if s.depth > 0 {
						sum += mix(uint64(s.writer))
					}
					return s.readers.hash(sum)
				},
			},
			guess: guessHolds, suspects: suspectOwners, useless: uselessOwners,
			explain: explainExclusion,
		}
	}
}

func (s *rwState) step(op *Operation, reentrant bool) effect {
	writes := s.depth > 0 && s.writer == op.In
	switch op.Kind {
	case OpAcquireRead:
		if s.depth > 0 && !(reentrant && writes) {
			return refused
		}
		s.readers.add(op.In, 1)
	case OpAcquireWrite:
		if !(reentrant && writes) && (s.depth > 0 || len(s.readers) > 0) {
			return refused
		}
		s.writer = op.In
		s.depth++
	case OpReleaseRead:
		if s.readers.count(op.In) == 0 {
			return refused
		}
		s.readers.remove(op.In, 1)
	case OpReleaseWrite:
		if !writes {
			return refused
		}
		s.depth--
	case OpLose:
		return s.lose(op.In, writes)
	}
	return changed
}

// lose ends every hold of the owner, who has one.
func (s *rwState) lose(owner int64, writes bool) effect {
	reads := s.readers.count(owner)
	if reads == 0 && !writes {
		return refused
	}
	if writes {
		s.depth = 0
	}
	s.readers.remove(owner, reads)
	return changed
}
