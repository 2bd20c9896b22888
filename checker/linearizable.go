package checker

import (
	"time"

	"github.com/anishathalye/porcupine"
)

// noLinearization begins the sentence about a failure of linearizable.
const noLinearization = "the operations have no linearization as a mutex: "

// LinearizableOptions says how the operations of a lock are to be read.
type LinearizableOptions struct {
	// Reentrant is true if a holder may acquire again.
	Reentrant bool
	// StopsAtDisconnect is true if a broken connection (Down) ends a belief.
	StopsAtDisconnect bool
	// Timeout bounds the search in wall-clock time; 0 means that it is not
	// bounded. A search that is cut short gives Unknown.
	Timeout time.Duration
	_       struct{}
}

// MutexLinearizable judges [Linearizable]: whether the operations of a lock
// have a linearization as a mutex. An acquire that was granted takes effect between Invoke and
// Grant, a release between ReleaseInvoke and ReleaseReturn. A release that
// failed or never returned, and the implicit release by a loss (Lost, Crash,
// Down for those who stop there), takes effect at some time from then on, or
// never. A failed or refused acquire has no effect, and one that is still
// pending needs none. A release without a hold, which was repeated or came
// after a loss, is no operation.
//
// The witness order, acquires at their grant and releases at their
// invocation, is tried first: if it is a mutex's, that is a proof. Else
// Porcupine searches. It should find no more than the witness shows, since no
// acquire can take effect later, and no release earlier, than in the witness:
//
//	A  |--acquire--|               |--release--|
//	               [    belief     ]
//	B          |------acquire------|
//	                          [ belief ...
//
// Beliefs that overlap there overlap in every order. The tests hold witness,
// Porcupine and a decider by brute force against each other.
func MutexLinearizable(history []Event, o LinearizableOptions) Result {
	r := Result{Property: Linearizable, Level: LevelOf(Linearizable), Verdict: Pass, Client: -1}
	at, f := mutexWitness(history, o)
	if at < 0 {
		return r
	}
	ops := mutexOperations(history[:at+1], o)
	// Taking a belief out of a linearization leaves one, so that two beliefs
	// at odds condemn the whole history, whatever its length.
	verdict := searchMutex(beliefsAtOdds(ops), o)
	if verdict == porcupine.Ok {
		verdict = searchMutex(mutexOperations(history, o), o)
	}
	return r.searched(verdict, &f)
}

// searched completes a result by what Porcupine found after the witness had
// broken.
func (r Result) searched(verdict porcupine.CheckResult, f *failure) Result {
	switch verdict {
	case porcupine.Ok:
		return r
	case porcupine.Illegal:
		r.Verdict, r.Why, r.Client, r.At = Failed, noLinearization+f.overlap(), f.client, f.at
		return r
	}
	r.Verdict, r.At = Unknown, f.at
	r.Why = "the witness order is no mutex's (" + f.overlap() + "), and the search ended at its time limit"
	return r
}

// beliefsAtOdds is the operations of the two beliefs that overlap when the
// last acquire of ops is granted, or of the one that is granted twice. The
// last of ops is the end.
func beliefsAtOdds(ops []porcupine.Operation) []porcupine.Operation {
	last := len(ops) - 2
	granted := ops[last].Input.(mutexInput).owner
	held := ops[last-1].Input.(mutexInput).owner // the lock was its own
	var kept []porcupine.Operation
	for _, op := range ops[:last+1] {
		if owner := op.Input.(mutexInput).owner; owner == granted || owner == held {
			kept = append(kept, op)
		}
	}
	return append(kept, ops[last+1])
}

// mutexWitness tries the witness order. It returns the index of the grant
// that breaks it, or -1.
func mutexWitness(history []Event, o LinearizableOptions) (int, failure) {
	var holds holdList
	for i := range history {
		e := &history[i]
		switch e.Kind {
		case Grant:
			if h := holds.other(e.Client); h != nil {
				return i, failure{client: e.Client, other: h.client, at: e.At, since: h.since}
			}
			if h := holds.of(e.Client); h != nil && !o.Reentrant {
				return i, failure{reason: heldBySelf, client: e.Client, other: h.client, at: e.At, since: h.since}
			}
			holds.grant(e)
		case ReleaseInvoke:
			holds.release(e.Client, e.Op)
		default:
			if endsBelief(e.Kind, o.StopsAtDisconnect) {
				holds.lose(e.Client)
			}
		}
	}
	return -1, failure{}
}

// endsBelief is true for the events that end their client's belief at once.
func endsBelief(k Kind, stopsAtDisconnect bool) bool {
	switch k {
	case Lost, Crash, Restart:
		return true
	case Down:
		return stopsAtDisconnect
	}
	return false
}

// searchMutex asks Porcupine.
func searchMutex(ops []porcupine.Operation, o LinearizableOptions) porcupine.CheckResult {
	return porcupine.CheckOperationsTimeout(mutexModel(o.Reentrant), ops, o.Timeout)
}

// mutexClient is what mutexOperations knows of a client.
type mutexClient struct {
	invoked int64 // index of the running acquire's Invoke
	belief  int32
	open    int // index of the running release among the operations, -1 for none
	openOp  int32
}

// mutexOperations is the operations of a history. Times are indices of
// events; what never returned returns behind everything.
func mutexOperations(history []Event, o LinearizableOptions) []porcupine.Operation {
	var (
		ops     []porcupine.Operation
		clients []mutexClient
		holds   holdList
		beliefs int32
	)
	end := int64(len(history))
	never := end + 2
	put := func(e *Event, a mutexAction, owner int32, call, ret int64) {
		ops = append(ops, porcupine.Operation{
			ClientId: int(e.Client), Input: mutexInput{a, owner}, Call: call, Return: ret,
		})
	}
	for i := range history {
		e := &history[i]
		if e.Client < 0 {
			continue
		}
		for len(clients) <= int(e.Client) {
			clients = append(clients, mutexClient{invoked: -1, open: -1})
		}
		c := &clients[e.Client]
		now := int64(i)
		switch e.Kind {
		case Invoke:
			c.invoked = now
		case Grant:
			if holds.of(e.Client) == nil {
				beliefs++
				c.belief = beliefs
			}
			holds.grant(e)
			if c.invoked < 0 {
				c.invoked = now
			}
			put(e, mutexAcquire, c.belief, c.invoked, now)
			c.invoked = -1
		case ReleaseInvoke:
			c.open = -1
			if holds.release(e.Client, e.Op) {
				c.open, c.openOp = len(ops), e.Op
				put(e, mutexMayRelease, c.belief, now, never)
			}
		case ReleaseReturn:
			if c.open >= 0 && c.openOp == e.Op && e.Text == "" {
				ops[c.open].Input = mutexInput{mutexRelease, ops[c.open].Input.(mutexInput).owner}
				ops[c.open].Return = now
			}
			c.open = -1
		default:
			if endsBelief(e.Kind, o.StopsAtDisconnect) && holds.lose(e.Client) {
				put(e, mutexMayLose, c.belief, now, never)
			}
		}
	}
	return append(ops, porcupine.Operation{Input: mutexInput{action: mutexEnd}, Call: end, Return: end + 1})
}
