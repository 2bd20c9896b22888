package checker

// SharedOperations is the history of what several clients may hold at once, as
// operations of the model rw-lock, or, if semaphore is true, of semaphore. An
// acquire for reading has [SharedGrant] as its Text. Owners are grants,
// numbered from 1: a loss ends each hold of the client. What failed or was
// refused is left out, and a release that failed or never returned, like a
// loss, is of unknown outcome. StopsAtDisconnect is true if a broken
// connection ends a belief. Call and Return are indices of events.
func SharedOperations(history []Event, semaphore, stopsAtDisconnect bool) []Operation {
	var (
		ops     []Operation
		held    []Operation          // the acquires of what is held
		ids     []int32              // their numbers within their clients
		invoked = map[int32]int{}    // by client
		open    = map[[2]int32]int{} // running releases, by client and number
		begin   = func(e *Event, i int, of *Operation, kind OpKind) {
			ops = append(ops, Operation{
				Client: e.Client, Kind: kind, In: of.In, In2: of.In2, Outcome: OutcomeUnknown, Call: int64(i), CallAt: e.At,
			})
		}
	)
	for i := range history {
		e := &history[i]
		switch e.Kind {
		case Invoke:
			invoked[e.Client] = i
		case Grant:
			op := Operation{
				Client: e.Client, Kind: OpAcquireWrite, In: int64(len(ops)) + 1, Call: int64(i), Return: int64(i), CallAt: e.At, ReturnAt: e.At,
			}
			if call, ok := invoked[e.Client]; ok {
				op.Call, op.CallAt = int64(call), history[call].At
				delete(invoked, e.Client)
			}
			if semaphore {
				op.Kind, op.In2 = OpAcquire, max(e.N, 1)
			} else if e.Text == SharedGrant {
				op.Kind = OpAcquireRead
			}
			ops, held, ids = append(ops, op), append(held, op), append(ids, e.Op)
		case ReleaseInvoke:
			for k := range held {
				if held[k].Client == e.Client && ids[k] == e.Op {
					open[[2]int32{e.Client, e.Op}] = len(ops)
					begin(e, i, &held[k], releaseOf(held[k].Kind))
					held, ids = append(held[:k], held[k+1:]...), append(ids[:k], ids[k+1:]...)
					break
				}
			}
		case ReleaseReturn:
			key := [2]int32{e.Client, e.Op}
			if k, ok := open[key]; ok && e.Text == "" {
				ops[k].Outcome, ops[k].Return, ops[k].ReturnAt = OutcomeOK, int64(i), e.At
			}
			delete(open, key) // a repeated one is no operation
		default:
			if !endsBelief(e.Kind, stopsAtDisconnect) {
				continue
			}
			kept, keptIDs := held[:0], ids[:0]
			for k := range held {
				if held[k].Client == e.Client {
					begin(e, i, &held[k], OpLose)
					ops[len(ops)-1].In2 = 0
					continue
				}
				kept, keptIDs = append(kept, held[k]), append(keptIDs, ids[k])
			}
			held, ids = kept, keptIDs
		}
	}
	return ops
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
