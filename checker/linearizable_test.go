package checker

import (
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// bruteOp is an operation for the decider by brute force, which shares no
// code with the checker. Owners are beliefs.
type bruteOp struct {
	acquire, all bool // all: a loss, which ends every hold
	owner        int
	call, ret    int
	maybe        bool // it may take effect after call, or never
}

// bruteForce decides by trying every order of the operations.
func bruteForce(ops []bruteOp, reentrant bool) bool {
	done := make([]bool, len(ops))
	var try func(owner, depth int) bool
	try = func(owner, depth int) bool {
		over := true
		for i, o := range ops {
			over = over && (done[i] || o.maybe)
			if done[i] || !mayBeNext(ops, done, o) {
				continue
			}
			mine := depth > 0 && owner == o.owner
			next := depth - 1
			switch {
			case o.acquire && (depth == 0 || mine && reentrant):
				next = depth + 1
			case o.acquire || !mine:
				continue
			case o.all:
				next = 0
			}
			done[i] = true
			if try(o.owner, next) {
				return true
			}
			done[i] = false
		}
		return over
	}
	return try(-1, 0)
}

// mayBeNext is false if another operation had to be over before this began.
func mayBeNext(ops []bruteOp, done []bool, o bruteOp) bool {
	for i, p := range ops {
		if !done[i] && !p.maybe && p.ret < o.call {
			return false
		}
	}
	return true
}

// drawnClient is a client of a drawn history.
type drawnClient struct {
	op, belief    int
	acquiring     int // time of Invoke, -1 if none runs
	releasing     int // index of the running release among the operations, -1
	inRelease     bool
	released      int32 // operation of the running release, repeated after a failure
	repeat, crash bool
	holds         []int32 // operations
}

// drawing is a history that is being drawn, with its operations as the
// decider by brute force reads them.
type drawing struct {
	t         *rapid.T
	reentrant bool
	stops     bool
	clients   []drawnClient
	history   []Event
	ops       []bruteOp
	beliefs   int
}

// drawHistory draws a history of 2 or 3 clients and up to 8 operations.
func drawHistory(t *rapid.T) *drawing {
	d := &drawing{t: t, reentrant: rapid.Bool().Draw(t, "reentrant"), stops: rapid.Bool().Draw(t, "stops")}
	for range rapid.IntRange(2, 3).Draw(t, "clients") {
		d.clients = append(d.clients, drawnClient{acquiring: -1, releasing: -1})
	}
	for range rapid.IntRange(1, 30).Draw(t, "events") {
		if len(d.ops) >= 8 {
			break
		}
		d.step(rapid.IntRange(0, len(d.clients)-1).Draw(t, "client"))
	}
	for i, c := range d.clients {
		if c.acquiring >= 0 { // pending: it may have taken effect
			d.beliefs++
			d.ops = append(d.ops, bruteOp{acquire: true, owner: d.beliefs, call: d.clients[i].acquiring, maybe: true})
		}
	}
	return d
}

func (d *drawing) emit(k Kind, client int, op int32, text string) int {
	at := len(d.history)
	d.history = append(d.history, Event{
		At: time.Duration(at) * time.Second, Kind: k, Client: int32(client), Op: op, Text: text,
	})
	return at
}

func (d *drawing) step(i int) {
	c := &d.clients[i]
	switch {
	case c.crash:
	case c.acquiring >= 0:
		d.endAcquire(i, c)
	case c.inRelease:
		d.endRelease(i, c)
	case c.repeat && rapid.Bool().Draw(d.t, "repeat"):
		c.inRelease, c.repeat = true, false
		d.emit(ReleaseInvoke, i, c.released, "")
	case len(c.holds) > 0 && rapid.IntRange(0, 9).Draw(d.t, "leave") > 2:
		d.leave(i, c)
	default:
		c.acquiring = d.emit(Invoke, i, int32(c.op), "")
	}
}

func (d *drawing) endAcquire(i int, c *drawnClient) {
	held := false
	for k := range d.clients {
		held = held || k != i && len(d.clients[k].holds) > 0
	}
	// Mostly what a lock would do, so that good histories are drawn too.
	wrong := rapid.IntRange(0, 9).Draw(d.t, "wrong") == 0
	switch rapid.IntRange(0, 5).Draw(d.t, "outcome") {
	case 0:
		d.emit(Refuse, i, int32(c.op), "")
	case 1:
		d.emit(Fail, i, int32(c.op), "error")
	default:
		if held && !wrong {
			return
		}
		if len(c.holds) == 0 {
			d.beliefs++
			c.belief = d.beliefs
		}
		ret := d.emit(Grant, i, int32(c.op), "")
		d.ops = append(d.ops, bruteOp{acquire: true, owner: c.belief, call: c.acquiring, ret: ret})
		c.holds = append(c.holds, int32(c.op))
	}
	c.acquiring = -1
	c.op++
}

func (d *drawing) endRelease(i int, c *drawnClient) {
	text := ""
	if rapid.Bool().Draw(d.t, "failed") {
		text = "error"
	}
	ret := d.emit(ReleaseReturn, i, c.released, text)
	if text == "" && c.releasing >= 0 {
		d.ops[c.releasing].maybe = false
		d.ops[c.releasing].ret = ret
	}
	c.repeat = text != ""
	c.inRelease, c.releasing = false, -1
}

func (d *drawing) leave(i int, c *drawnClient) {
	kind := rapid.SampledFrom([]Kind{ReleaseInvoke, ReleaseInvoke, ReleaseInvoke, Lost, Down, Crash}).Draw(d.t, "kind")
	if kind == ReleaseInvoke {
		k := rapid.IntRange(0, len(c.holds)-1).Draw(d.t, "hold")
		c.released = c.holds[k]
		c.holds = append(c.holds[:k:k], c.holds[k+1:]...)
		call := d.emit(ReleaseInvoke, i, c.released, "")
		c.releasing, c.inRelease = len(d.ops), true
		d.ops = append(d.ops, bruteOp{owner: c.belief, call: call, maybe: true})
		return
	}
	call := d.emit(kind, i, 0, "")
	c.crash = kind == Crash
	if kind == Down && !d.stops {
		return
	}
	c.holds = nil
	d.ops = append(d.ops, bruteOp{all: true, owner: c.belief, call: call, maybe: true})
}

// agree holds the deciders against each other and returns their verdict.
func (d *drawing) agree(t *rapid.T) bool {
	o := LinearizableOptions{Reentrant: d.reentrant, StopsAtDisconnect: d.stops}
	want := bruteForce(d.ops, d.reentrant)

	at, _ := mutexWitness(d.history, o)
	require.Equal(t, want, at < 0, "witness")
	require.Equal(t, want, searchMutex(mutexOperations(d.history, o), o) == porcupine.Ok, "porcupine")
	if at >= 0 {
		pair := beliefsAtOdds(mutexOperations(d.history[:at+1], o))
		require.Equal(t, porcupine.Illegal, searchMutex(pair, o), "two beliefs")
	}
	whole := MutexLinearizable(d.history, o)
	require.Equal(t, want, whole.Verdict == Pass, whole.Why)

	var l Lock
	cfg := LockConfig{Clients: len(d.clients), Reentrant: d.reentrant, StopsAtDisconnect: d.stops}
	results := judge(&l, cfg, d.history)
	require.Equal(t, whole, resultOf(t, results, Linearizable))
	require.Equal(t, whole, resultOf(t, l.Finish(nil), Linearizable))
	if resultOf(t, results, Exclusion).Verdict == Failed {
		require.False(t, want, "beliefs overlap")
	}
	return want
}

// The witness, Porcupine, brute force and the running monitors agree.
func TestLinearizableAgreement(t *testing.T) {
	verdicts := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			d := drawHistory(t)
			verdicts[d.agree(t)]++
		}
	})
	require.NotZero(t, verdicts[true])
	require.NotZero(t, verdicts[false])
}

// The decider by brute force is itself shown to decide.
func TestBruteForce(t *testing.T) {
	acquireA, acquireB := bruteOp{acquire: true, owner: 1, call: 0, ret: 1}, bruteOp{acquire: true, owner: 2, call: 2, ret: 5}
	release := bruteOp{owner: 1, call: 3, ret: 4}
	maybe := bruteOp{owner: 1, call: 3, maybe: true}
	late := bruteOp{owner: 1, call: 6, maybe: true}
	require.True(t, bruteForce([]bruteOp{acquireA, acquireB, release}, false))
	require.True(t, bruteForce([]bruteOp{acquireA, acquireB, maybe}, false))
	require.True(t, bruteForce([]bruteOp{acquireA, maybe}, false))
	require.False(t, bruteForce([]bruteOp{acquireA, acquireB}, false))
	require.False(t, bruteForce([]bruteOp{acquireA, acquireB, late}, false))
	again := bruteOp{acquire: true, owner: 1, call: 2, ret: 3}
	require.False(t, bruteForce([]bruteOp{acquireA, again}, false))
	require.True(t, bruteForce([]bruteOp{acquireA, again}, true))
	require.False(t, bruteForce([]bruteOp{acquireA, again, acquireB, release}, true))
}

// The histories of the files, too, are judged alike along the way.
func TestLinearizableOnFiles(t *testing.T) {
	eachLockCase(t, func(t *testing.T, _ Property, c lockCase) {
		o := LinearizableOptions{Reentrant: c.cfg.Reentrant, StopsAtDisconnect: c.cfg.StopsAtDisconnect}
		for _, history := range [][]Event{c.bad, c.good} {
			var l Lock
			l.Reset(c.cfg)
			for i := range history {
				l.Observe(&history[i])
				broken := l.FailedBits()&(1<<linearizableIndex) != 0
				require.Equal(t, !broken, searchMutex(mutexOperations(history[:i+1], o), o) == porcupine.Ok)
			}
		}
	})
}

func TestLinearizableTimeLimit(t *testing.T) {
	f := &failure{client: 1, other: 0, at: 2 * time.Second, since: time.Second}
	r := Result{Property: Linearizable, Verdict: Pass, Client: -1}.searched(porcupine.Unknown, f)
	require.Equal(t, Unknown, r.Verdict)
	require.Equal(t, "the witness order is no mutex's (B was granted the lock at 2.000s while A held it since 1.000s), "+
		"and the search ended at its time limit", r.Why)

	// A history that keeps Porcupine busy for longer than its clock ticks.
	busy := mutexOperations(breakLast(contendedHistory(64, 100)), LinearizableOptions{})
	require.Equal(t, porcupine.Unknown, searchMutex(busy, LinearizableOptions{Timeout: time.Millisecond}))
}

// However long the history, two beliefs are searched.
func TestBeliefsAtOdds(t *testing.T) {
	history := breakLast(contendedHistory(10, 50))
	at, _ := mutexWitness(history, LinearizableOptions{})
	ops := mutexOperations(history[:at+1], LinearizableOptions{})
	require.Equal(t, 999, len(ops), "500 acquires, 498 releases and the end")
	pair := beliefsAtOdds(ops)
	require.Equal(t, 3, len(pair))
	for i, want := range []mutexInput{{mutexAcquire, 499}, {mutexAcquire, 500}, {action: mutexEnd}} {
		require.Equal(t, want, pair[i].Input)
	}
}

// A search that finds what the witness did not show is believed.
func TestSearchIsBelieved(t *testing.T) {
	r := Result{Property: Linearizable, Verdict: Pass, Client: -1}
	require.Equal(t, r, r.searched(porcupine.Ok, &failure{}))
}

// contendedHistory is a passing history in which all clients wait in line
// for the lock, rounds times each; with a ticket, a notification and three
// requests an acquire.
func contendedHistory(clients, rounds int) []Event {
	var history []Event
	now := time.Duration(0)
	put := func(e Event) {
		now += time.Millisecond
		e.At = now
		history = append(history, e)
	}
	zxid := int64(0)
	tickets := make([]int64, clients)
	invoke := func(c, op int) {
		put(Event{Kind: Invoke, Client: int32(c), Op: int32(op)})
		zxid++
		tickets[c] = zxid
		put(Event{Kind: Request, Client: int32(c), Text: "create"})
		put(Event{Kind: TicketCreate, Client: int32(c), Arg: zxid, Text: "/lock/n"})
		put(Event{Kind: Request, Client: int32(c), Text: "getChildren2"})
		put(Event{Kind: Listing, Client: int32(c), N: 20})
	}
	for c := range clients {
		invoke(c, 0)
	}
	for round := range rounds {
		for c := range clients {
			put(Event{Kind: Grant, Client: int32(c), Op: int32(round), Arg: tickets[c]})
			put(Event{Kind: WriteAccepted, Client: int32(c), Arg: tickets[c]})
			put(Event{Kind: ReleaseInvoke, Client: int32(c), Op: int32(round)})
			put(Event{Kind: Request, Client: int32(c), Text: "delete"})
			put(Event{Kind: TicketDelete, Client: int32(c), Arg: tickets[c], N: 1, Text: "/lock/n"})
			put(Event{Kind: Notify, Client: int32((c + 1) % clients), Text: "/lock/n"})
			put(Event{Kind: ReleaseReturn, Client: int32(c), Op: int32(round)})
			if round+1 < rounds {
				invoke(c, round+1)
			} else {
				put(Event{Kind: Done, Client: int32(c)})
			}
		}
	}
	put(Event{Kind: Quiescent, Client: -1})
	return history
}

// breakLast is the history with the last release missing before a grant.
func breakLast(history []Event) []Event {
	broken := append([]Event(nil), history...)
	for i := len(broken) - 1; i >= 0; i-- {
		if broken[i].Kind == Grant {
			for k := i; k >= 0; k-- {
				if broken[k].Kind == ReleaseInvoke {
					broken[k].Kind = Request
					return broken
				}
			}
		}
	}
	return broken
}
