package checker

import (
	"strconv"
	"time"
)

// BarrierEventKind is the kind of an event of a barrier.
type BarrierEventKind uint8

// The kinds of events of a barrier. Those of a double barrier are judged by
// [BarrierMonitor], those of a barrier that is closed and opened by
// [GateMonitor].
const (
	_ BarrierEventKind = iota

	// A double barrier.

	EnterInvoke // a client arrives
	EnterReturn // it passed
	EnterFail   // it gave up, or was told of an error: it did not pass
	LeaveInvoke // it is done and wants to leave
	LeaveReturn // it left
	LeaveFail   // its leaving returned an error
	BarrierGone // its process crashed, or its session ended: it counts as having left
	ReadySet    // the node that says that all have arrived was created

	// A barrier that somebody closes and opens again. Client is who did it.

	GateClosed
	GateOpened
	WaitInvoke // a client waits for the barrier to be open
	WaitReturn // it passed
	WaitFail   // it gave up, or was told of an error
)

// BarrierEvent is one entry of a barrier's history, in the order in which
// things happened.
type BarrierEvent struct {
	At     time.Duration // virtual time
	Kind   BarrierEventKind
	Client int32 // 0-based; -1 for none
}

// BarrierMonitor judges [BarrierCount] of a double barrier for n clients, that
// may be used again and again: in each round nobody passes, and nobody says
// that all are ready, before n have arrived; and nobody leaves before all who
// take part have left. A client's round is the number of those that it has
// passed. In a round with more than n clients the first n take part, and who
// passed before somebody wanted to leave.
//
// The zero value is ready after Reset.
type BarrierMonitor struct {
	n       int
	clients []barrierClient
	rounds  []barrierRound
	result  Result
}

// barrierClient is where a client is.
type barrierClient struct {
	round int // its number, from 0
	stage barrierStage
}

// barrierStage is how far a client is in its round.
type barrierStage uint8

const (
	stageOutside barrierStage = iota
	stageArrived
	stagePassed
	stageLeaving
)

// barrierRound is what is known of a round.
type barrierRound struct {
	members []barrierMember // in the order of arrival
}

// barrierMember is a client in a round.
type barrierMember struct {
	client int32
	passed bool
	// away: it wants to leave, or has left, or takes no part any more.
	away bool
}

// Reset forgets everything and judges a barrier for n clients.
func (m *BarrierMonitor) Reset(n int) {
	*m = BarrierMonitor{n: n, result: passed(BarrierCount, LevelRun)}
}

// Observe judges the next event.
func (m *BarrierMonitor) Observe(e *BarrierEvent) {
	if e.Client < 0 {
		return
	}
	for int(e.Client) >= len(m.clients) {
		m.clients = append(m.clients, barrierClient{})
	}
	c := &m.clients[e.Client]
	for c.round >= len(m.rounds) {
		m.rounds = append(m.rounds, barrierRound{})
	}
	round := &m.rounds[c.round]
	switch e.Kind {
	case EnterInvoke:
		round.member(e.Client).away = false // however often it tries
		c.stage = stageArrived
	case EnterReturn:
		m.pass(e, round)
		c.stage = stagePassed
	case EnterFail:
		round.member(e.Client).away = true
		c.stage = stageOutside
	case LeaveInvoke:
		round.member(e.Client).away = true
		c.stage = stageLeaving
	case LeaveReturn, LeaveFail:
		if e.Kind == LeaveReturn {
			m.leave(e, round)
		}
		*c = barrierClient{round: c.round + 1}
	case BarrierGone:
		m.gone(e, c, round)
	case ReadySet:
		m.ready(e, round)
	}
}

// member is the client in the round.
func (r *barrierRound) member(client int32) *barrierMember {
	for i := range r.members {
		if r.members[i].client == client {
			return &r.members[i]
		}
	}
	r.members = append(r.members, barrierMember{client: client})
	return &r.members[len(r.members)-1]
}

// gone notes that a client takes no part any more. One that had not passed
// may arrive again in the same round.
func (m *BarrierMonitor) gone(e *BarrierEvent, c *barrierClient, r *barrierRound) {
	if c.stage == stageOutside {
		return
	}
	r.member(e.Client).away = true
	if c.stage != stageArrived {
		c.round++
	}
	c.stage = stageOutside
}

// inside is true if somebody who passed in an earlier round has not left: a
// client that comes back to it finds the barrier open.
func (m *BarrierMonitor) inside(round int) bool {
	for _, r := range m.rounds[:round] {
		for _, other := range r.members {
			if other.passed && !other.away {
				return true
			}
		}
	}
	return false
}

// pass judges a client that passed.
func (m *BarrierMonitor) pass(e *BarrierEvent, r *barrierRound) {
	r.member(e.Client).passed = true
	if len(r.members) < m.n && !m.inside(m.clients[e.Client].round) {
		m.fail(e, name(e.Client)+" passed the barrier at "+seconds(e.At)+" when "+r.arrived(m.n))
	}
}

// ready judges a node that says that all have arrived.
func (m *BarrierMonitor) ready(e *BarrierEvent, r *barrierRound) {
	if len(r.members) < m.n {
		m.fail(e, name(e.Client)+" made the barrier ready at "+seconds(e.At)+" when "+r.arrived(m.n))
	}
}

// arrived says how many have arrived.
func (r *barrierRound) arrived(n int) string {
	return strconv.Itoa(len(r.members)) + " of " + strconv.Itoa(n) + " had arrived"
}

// leave judges a client that left.
func (m *BarrierMonitor) leave(e *BarrierEvent, r *barrierRound) {
	for i, other := range r.members {
		if other.away || other.client == e.Client || i >= m.n && !other.passed {
			continue
		}
		m.fail(e, name(e.Client)+" left the barrier at "+seconds(e.At)+" while "+name(other.client)+
			" was still inside")
		return
	}
}

func (m *BarrierMonitor) fail(e *BarrierEvent, why string) {
	if m.result.Verdict != Failed {
		m.result.Verdict, m.result.Client, m.result.At, m.result.Why = Failed, e.Client, e.At, why
	}
}

// Failed is true as soon as the property has failed.
func (m *BarrierMonitor) Failed() bool { return m.result.Verdict == Failed }

// Finish is the result so far.
func (m *BarrierMonitor) Finish() Result { return m.result }
