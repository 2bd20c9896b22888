package checker

import "slices"

// SharedOptions says what the history of [SharedOperations] is one of.
type SharedOptions struct {
	// Semaphore is true for a semaphore, else it is a read-write lock.
	Semaphore bool
	// Reentrant is true for a lock whose writer may acquire again, for writing
	// or, as a downgrade does before it gives the writing side back, for
	// reading.
	Reentrant bool
	// StopsAtDisconnect is true if a broken connection ends a belief.
	StopsAtDisconnect bool
	_                 struct{}
}

// SharedOperations is the history of what several clients may hold at once, as
// operations of the model rw-lock, reentrant-rw-lock or semaphore. An acquire
// for reading has [SharedGrant] as its Text. Owners are grants, numbered from
// 1, and all that a client holds at once of a re-entrant lock is of one owner.
// A loss ends each hold of the client. What failed or was refused is left out,
// and a release that failed or never returned, like a loss, is of unknown
// outcome. Call and Return are indices of events.
func SharedOperations(history []Event, o SharedOptions) []Operation {
	s := sharedOperations{SharedOptions: o, invoked: map[int32]int{}, open: map[[2]int32]int{}}
	for i := range history {
		e := &history[i]
		switch e.Kind {
		case Invoke:
			s.invoked[e.Client] = i
		case Grant:
			s.grant(history, i)
		case ReleaseInvoke:
			s.release(e, i)
		case ReleaseReturn:
			key := [2]int32{e.Client, e.Op}
			if k, ok := s.open[key]; ok && e.Text == "" {
				s.ops[k].Outcome, s.ops[k].Return, s.ops[k].ReturnAt = OutcomeOK, int64(i), e.At
			}
			delete(s.open, key) // a repeated one is no operation
		default:
			if endsBelief(e.Kind, o.StopsAtDisconnect) {
				s.lose(e, i)
			}
		}
	}
	return s.ops
}

// sharedOperations is SharedOperations at work.
type sharedOperations struct {
	SharedOptions
	ops     []Operation
	held    []sharedHold
	invoked map[int32]int    // running acquires, by client
	open    map[[2]int32]int // running releases, by client and number
}

// sharedHold is a grant that was not given back.
type sharedHold struct {
	Operation
	number int32 // within its client
}

func (s *sharedOperations) grant(history []Event, i int) {
	e := &history[i]
	op := Operation{
		Client: e.Client, Kind: OpAcquireWrite, In: s.owner(e.Client), Call: int64(i), Return: int64(i), CallAt: e.At, ReturnAt: e.At,
	}
	if call, ok := s.invoked[e.Client]; ok {
		op.Call, op.CallAt = int64(call), history[call].At
		delete(s.invoked, e.Client)
	}
	if s.Semaphore {
		op.Kind, op.In2 = OpAcquire, max(e.N, 1)
	} else if e.Text == SharedGrant {
		op.Kind = OpAcquireRead
	}
	s.ops = append(s.ops, op)
	s.held = append(s.held, sharedHold{op, e.Op})
}

// owner is whose hold a grant to the client is.
func (s *sharedOperations) owner(client int32) int64 {
	if s.Reentrant {
		for k := range s.held {
			if s.held[k].Client == client {
				return s.held[k].In
			}
		}
	}
	return int64(len(s.ops)) + 1
}

func (s *sharedOperations) release(e *Event, i int) {
	for k := range s.held {
		if h := &s.held[k]; h.Client == e.Client && h.number == e.Op {
			s.open[[2]int32{e.Client, e.Op}] = len(s.ops)
			s.end(e, i, h.In, releaseOf(h.Kind), h.In2)
			s.held = slices.Delete(s.held, k, k+1)
			return
		}
	}
}

// lose ends the holds of the client, one owner's at a time.
func (s *sharedOperations) lose(e *Event, i int) {
	last := int64(0)
	s.held = slices.DeleteFunc(s.held, func(h sharedHold) bool {
		if h.Client != e.Client {
			return false
		}
		if h.In != last {
			s.end(e, i, h.In, OpLose, 0)
		}
		last = h.In
		return true
	})
}

// end notes that a release or a loss begins.
func (s *sharedOperations) end(e *Event, i int, owner int64, kind OpKind, permits int64) {
	s.ops = append(s.ops, Operation{
		Client: e.Client, Kind: kind, In: owner, In2: permits, Outcome: OutcomeUnknown, Call: int64(i), CallAt: e.At,
	})
}

// releaseOf is the release of what an acquire got.
func releaseOf(k OpKind) OpKind {
	switch k {
	case OpAcquireRead:
		return OpReleaseRead
	case OpAcquireWrite:
		return OpReleaseWrite
	}
	return OpRelease
}
