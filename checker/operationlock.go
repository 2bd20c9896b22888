package checker

import "time"

// LockOperations is the history of a lock as operations of the models mutex
// and reentrant-mutex, by the rules that stand at [MutexLinearizable]. Owners
// are beliefs, numbered from 1 in the order of their grants; Call and Return
// are indices of events.
func LockOperations(history []Event, o LinearizableOptions) []Operation {
	found := mutexOperations(history, o)
	found = found[:len(found)-1] // the end is the search's affair
	ops := make([]Operation, 0, len(found))
	for i := range found {
		in := found[i].Input.(mutexInput)
		op := Operation{
			Client: int32(found[i].ClientId), Kind: lockKinds[in.action], In: int64(in.owner),
			Call: found[i].Call, Return: found[i].Return,
			CallAt: eventTime(history, found[i].Call), ReturnAt: eventTime(history, found[i].Return),
		}
		if in.action == mutexMayRelease || in.action == mutexMayLose {
			op.Outcome = OutcomeUnknown
		}
		ops = append(ops, op)
	}
	return ops
}

// lockKinds are the kinds of a mutex's actions.
var lockKinds = [...]OpKind{
	mutexAcquire: OpAcquire, mutexRelease: OpRelease, mutexMayRelease: OpRelease, mutexMayLose: OpLose,
}

// eventTime is when the event with that index happened; behind the last it is
// the time of the last.
func eventTime(history []Event, i int64) time.Duration {
	return history[min(int(i), len(history)-1)].At
}
