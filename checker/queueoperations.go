package checker

// QueueOperations is the history of a queue as operations of the models queue
// and priority-queue: what never returned, or with an error, is of unknown
// outcome, and a timed take that got nothing tells nothing. Call and Return are
// indices of events.
func QueueOperations(history []Event) []Operation {
	ops, _ := queueOperations(history)
	return ops
}

// queueOperations are the puts and takes of a history as operations, with the
// event that ended each. What its client never heard of, or an error, is of
// unknown outcome.
func queueOperations(history []Event) (ops []Operation, ends []Event) {
	running, timed := map[int32]int{}, map[int32]bool{} // by client
	for i := range history {
		e := &history[i]
		stamp := int64(i)
		switch e.Kind {
		case Put:
			running[e.Client] = len(ops)
			ops = append(ops, Operation{
				Kind: OpEnqueue, Client: e.Client, In: e.N, In2: e.Arg, Call: stamp, CallAt: e.At, Outcome: OutcomeUnknown,
			})
			ends = append(ends, *e)
		case Invoke:
			running[e.Client] = len(ops)
			timed[e.Client] = e.Mode == TimedMode
			ops = append(ops, Operation{Kind: OpDequeue, Client: e.Client, Call: stamp, CallAt: e.At, Outcome: OutcomeUnknown})
			ends = append(ends, *e)
		case PutEnd, Grant, Refuse:
			k, ok := running[e.Client]
			if !ok || e.Text != "" && e.Kind == PutEnd {
				continue
			}
			o := &ops[k]
			o.Outcome, o.Return, o.ReturnAt = OutcomeOK, stamp, e.At
			switch e.Kind {
			case Grant:
				o.Out = e.N
			case Refuse:
				o.Out = None
				if timed[e.Client] {
					o.Outcome = OutcomeFailed // it may have been too late to look
				}
			}
			ends[k] = *e
		}
	}
	return ops, ends
}
