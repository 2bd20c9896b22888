package faults

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// fakeWorld logs what an injector does to it. Every fault can strike but for
// those on clients that are refused, and bites if the world says so.
type fakeWorld struct {
	in     *Injector
	now    time.Duration
	timers []fakeTimer
	refuse []int // clients
	bites  bool
	log    []string
}

type fakeTimer struct {
	at time.Duration
	f  func()
}

func newFake(p Plan) (*Injector, *fakeWorld) {
	in := &Injector{}
	w := &fakeWorld{in: in}
	in.Begin(p, w)
	return in, w
}

// run lets time pass until to; timers fire in order of time, then of setting.
func (w *fakeWorld) run(to time.Duration) {
	for {
		next := -1
		for i, x := range w.timers {
			if x.at <= to && (next < 0 || x.at < w.timers[next].at) {
				next = i
			}
		}
		if next < 0 {
			w.now = to
			return
		}
		x := w.timers[next]
		w.timers = slices.Delete(w.timers, next, next+1)
		w.now = x.at
		x.f()
	}
}

func (w *fakeWorld) did(what string, client int) {
	w.log = append(w.log, fmt.Sprintf("%v %s %d", w.now, what, client))
}

func (w *fakeWorld) hit(k Kind, client int) bool {
	if slices.Contains(w.refuse, client) {
		return false
	}
	w.did(k.String(), client)
	if w.bites {
		w.in.Bite(k)
	}
	return true
}

func (w *fakeWorld) Now() time.Duration { return w.now }
func (w *fakeWorld) After(d time.Duration, f func()) {
	w.timers = append(w.timers, fakeTimer{w.now + d, f})
}
func (w *fakeWorld) Crash(c int, k Kind) bool { return w.hit(k, c) }
func (w *fakeWorld) Start(c int) bool         { w.did("start", c); return true }
func (w *fakeWorld) Pause(c int) bool         { return w.hit(Pause, c) }
func (w *fakeWorld) Resume(c int)             { w.did("resume", c) }
func (w *fakeWorld) Expire(c int) bool        { return w.hit(Expiry, c) }
func (w *fakeWorld) Resession(c int) bool     { return w.hit(Resession, c) }
func (w *fakeWorld) Cut(c int) bool           { return w.hit(Cut, c) }
func (w *fakeWorld) Partition(c int) bool     { return w.hit(Partition, c) }
func (w *fakeWorld) Heal(c int)               { w.did("heal", c) }
func (w *fakeWorld) Interrupt(c int) bool     { return w.hit(Interrupt, c) }
func (w *fakeWorld) StartServer(s int)        { w.did("start-server", s) }
func (w *fakeWorld) CatchUp(s int)            { w.did("catch-up", s) }

// CrashLeader finds server 1 leading, unless client 1 is refused.
func (w *fakeWorld) CrashLeader() int { return w.server(LeaderCrash, 1) }

// Lag finds the client at the server of its number, or at server 9.
func (w *fakeWorld) Lag(c int) int {
	if c == 0 && !slices.Contains(w.refuse, 0) {
		c = 9
	}
	return w.server(Lag, c)
}

func (w *fakeWorld) server(k Kind, server int) int {
	if w.hit(k, server) {
		return server
	}
	return 0
}

func (w *fakeWorld) DelayEvent(c int, d time.Duration) bool {
	if w.hit(DelayEvent, c) {
		w.log[len(w.log)-1] += " for " + d.String()
		return true
	}
	return false
}

// lossOf is what becomes of a request at which a fault of the kind strikes.
func lossOf(k Kind) Loss {
	switch k {
	case CutRequest:
		return LoseRequest
	case CutReply:
		return LoseReply
	}
	return LoseNothing
}

// effect is what the fake's log says of a fault of 3 s that struck client 1
// at t.
func effect(k Kind, t time.Duration) []string {
	s := fmt.Sprintf("%v %s 1", t, k)
	end := fmt.Sprintf("%v", t+3*time.Second)
	switch k {
	case Restart:
		return []string{s, end + " start 1"}
	case Pause:
		return []string{s, end + " resume 1"}
	case Partition:
		return []string{s, end + " heal 1"}
	case DelayEvent:
		return []string{s + " for 3s"}
	case LeaderCrash:
		return []string{s, end + " start-server 1"}
	case Lag:
		return []string{s, end + " catch-up 1"}
	}
	return []string{s}
}

func TestStrikesAtATime(t *testing.T) {
	for _, k := range Kinds() {
		if k.onRequest() {
			continue
		}
		in, w := newFake(Plan{{Kind: k, Client: 1, Time: 2 * time.Second, For: 3 * time.Second}})
		w.run(2*time.Second - 1)
		in.OnStep(1000)
		require.Equal(t, LoseNothing, in.OnRequest(1, 1000))
		require.Empty(t, w.log, "%s: nothing before its time", k)
		w.run(time.Minute)
		require.Equal(t, effect(k, 2*time.Second), w.log, "%s", k)
	}
}

func TestStrikesAtAStep(t *testing.T) {
	for _, k := range Kinds() {
		if k.onRequest() {
			continue
		}
		in, w := newFake(Plan{{Kind: k, Client: 1, Step: 3, For: 3 * time.Second}})
		w.run(time.Second)
		in.OnStep(1)
		in.OnStep(2)
		in.OnRequest(1, 100)
		require.Empty(t, w.log, "%s: nothing before its step", k)
		in.OnStep(3)
		require.Len(t, w.log, 1, "%s: behind the step at once", k)
		in.OnStep(4)
		w.run(time.Minute)
		require.Equal(t, effect(k, time.Second), w.log, "%s: once", k)
	}
}

// A step of another number than the planned one may come first: transitions
// are not all told.
func TestStrikesAtTheNextStepTold(t *testing.T) {
	in, w := newFake(Plan{{Kind: Crash, Client: 1, Step: 3}})
	in.OnStep(2)
	in.OnStep(7)
	require.Equal(t, []string{"0s crash 1"}, w.log)
}

func TestStrikesAtARequest(t *testing.T) {
	for _, k := range Kinds() {
		in, w := newFake(Plan{{Kind: k, Client: 1, Request: 2, For: 3 * time.Second}})
		w.run(time.Second)
		in.OnStep(50)
		require.Equal(t, LoseNothing, in.OnRequest(1, 1), "%s", k)
		require.Equal(t, LoseNothing, in.OnRequest(0, 2), "%s: another client's request", k)
		loss := in.OnRequest(1, 2)
		require.Equal(t, lossOf(k), loss, "%s", k)
		require.Empty(t, w.log, "%s: not before the request is sent", k)
		require.Equal(t, LoseNothing, in.OnRequest(1, 3), "%s: once", k)
		w.run(time.Minute)
		if loss != LoseNothing {
			require.Empty(t, w.log, "%s", k)
			continue
		}
		require.Equal(t, effect(k, time.Second), w.log, "%s", k)
	}
}

// CutRequest and CutReply strike at a request, the first if none is named,
// whatever else the fault says.
func TestLossesAlwaysStrikeAtARequest(t *testing.T) {
	for _, k := range []Kind{CutRequest, CutReply} {
		for _, f := range []Fault{{}, {Time: time.Hour}, {Step: 9}, {Step: 9, Time: time.Hour}} {
			f.Kind, f.Client = k, 1
			in, w := newFake(Plan{f})
			in.OnStep(10)
			w.run(2 * time.Hour)
			require.Empty(t, w.log)
			require.Equal(t, Effects{}, in.Effects(k), "%s: no step, no time", f)
			require.Equal(t, LoseNothing, in.OnRequest(0, 1))
			require.Equal(t, lossOf(k), in.OnRequest(1, 1), "%s", f)
			require.Equal(t, Effects{Struck: 1}, in.Effects(k))
		}
	}
}

func TestOneLossARequest(t *testing.T) {
	in, _ := newFake(Plan{
		{Kind: CutReply, Request: 2}, {Kind: CutRequest, Request: 2}, {Kind: CutReply}, {Kind: Crash, Request: 2},
	})
	require.Equal(t, LoseReply, in.OnRequest(0, 1), "the one without a number")
	require.Equal(t, LoseReply, in.OnRequest(0, 2), "in the order of the plan")
	require.Equal(t, LoseRequest, in.OnRequest(0, 3), "the next one waits for the next request")
	require.Equal(t, LoseNothing, in.OnRequest(0, 4))
	require.Equal(t, Effects{Struck: 2}, in.Effects(CutReply))
	require.Equal(t, Effects{Struck: 1}, in.Effects(CutRequest))
}

// A loss and another fault may share a request.
func TestLossAndFaultAtOneRequest(t *testing.T) {
	in, w := newFake(Plan{{Kind: Crash, Request: 1}, {Kind: CutReply, Request: 1}})
	require.Equal(t, LoseReply, in.OnRequest(0, 1))
	w.run(0)
	require.Equal(t, []string{"0s crash 0"}, w.log)
}

func TestARefusedFaultDoesNotStrike(t *testing.T) {
	for _, k := range Kinds() {
		if k.onRequest() {
			continue
		}
		in, w := newFake(Plan{{Kind: k, Time: time.Second, For: time.Second}})
		w.refuse, w.bites = []int{0, 1}, true
		w.run(time.Minute)
		require.Empty(t, w.log, "%s: nothing begins, and nothing ends", k)
		require.Equal(t, Effects{}, in.Effects(k), "%s", k)
		require.True(t, in.Vacuous(), "%s", k)
	}
}

// Of several pauses or partitions of a client that overlap, none ends early.
func TestOverlappingPausesAndPartitions(t *testing.T) {
	for _, c := range []struct {
		k   Kind
		end string
	}{{Pause, "resume"}, {Partition, "heal"}} {
		k, end := c.k, c.end
		p := Plan{
			{Kind: k, Time: 1 * time.Second, For: 10 * time.Second},
			{Kind: k, Time: 2 * time.Second, For: time.Second},
			{Kind: k, Client: 1, Time: 2 * time.Second, For: time.Second},
			{Kind: k, Time: 20 * time.Second, For: time.Second},
		}
		_, w := newFake(p)
		w.run(time.Minute)
		s := k.String()
		require.Equal(t, []string{
			"1s " + s + " 0", "2s " + s + " 0", "2s " + s + " 1", "3s " + end + " 1",
			"11s " + end + " 0", "20s " + s + " 0", "21s " + end + " 0",
		}, w.log)
	}
}

func TestEffectsAndVacuous(t *testing.T) {
	in, w := newFake(nil)
	w.run(time.Minute)
	require.False(t, in.Vacuous(), "no fault was planned")

	p := Plan{{Kind: Crash, Time: time.Second}, {Kind: Cut, Client: 1, Time: time.Second}, {Kind: Cut, Time: time.Hour}}
	in, w = newFake(p)
	require.True(t, in.Vacuous(), "nothing has happened yet")
	w.run(time.Minute)
	require.Equal(t, Effects{Struck: 1}, in.Effects(Cut))
	require.True(t, in.Vacuous(), "faults struck and changed nothing")
	in.Bite(Cut)
	in.Bite(Cut)
	require.False(t, in.Vacuous())
	require.Equal(t, Effects{Struck: 1, Bitten: 2}, in.Effects(Cut))
	require.Equal(t, Effects{Struck: 1}, in.Effects(Crash))
}

func TestLastIsTheEndOfWhatLasted(t *testing.T) {
	in, w := newFake(Plan{{Kind: Pause, Time: time.Second, For: 4 * time.Second}, {Kind: Crash, Client: 1, Time: 2 * time.Second}})
	require.Zero(t, in.Last())
	w.run(2 * time.Second)
	require.Equal(t, 2*time.Second, in.Last())
	w.run(time.Minute)
	require.Equal(t, 5*time.Second, in.Last())
	in.Bite(CutReply)
	require.Equal(t, time.Minute, in.Last(), "a reply is lost later than its request was sent")
}

// Begin forgets the run before.
func TestAnInjectorIsUsedAgain(t *testing.T) {
	in, w := newFake(Plan{{Kind: Crash, Step: 1}, {Kind: CutReply, Request: 1}, {Kind: Pause, For: time.Hour}})
	w.bites = true
	w.run(time.Second)
	in.OnStep(1)
	in.OnRequest(0, 1)
	require.False(t, in.Vacuous())

	in.Begin(nil, w)
	require.Zero(t, in.Last())
	require.Equal(t, LoseNothing, in.OnRequest(0, 1))
	require.False(t, in.Vacuous())
	for _, k := range Kinds() {
		require.Equal(t, Effects{}, in.Effects(k))
	}

	w.log = nil
	in.Begin(Plan{{Kind: Expiry, Client: 2, Step: 1}}, w)
	in.OnStep(1)
	require.Equal(t, []string{"1s expiry 2"}, w.log)
}

// Whatever the plan: every fault strikes once, none twice, and what begins
// ends.
func TestEveryPlannedFaultStrikesOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGenerator(t)
		list := rapid.SliceOfN(rapid.IntRange(0, 1<<20), 1, 40).Draw(t, "choices")
		p := g.Draw(nil, choices(t, list))
		for i := range p {
			if !p[i].Kind.onRequest() && rapid.IntRange(0, 2).Draw(t, "at a step") == 0 {
				p[i] = Fault{Kind: p[i].Kind, Client: p[i].Client, For: p[i].For, Step: rapid.IntRange(1, 30).Draw(t, "step")}
			}
		}
		in, w := newFake(p)
		lost := 0
		for n := 1; n <= 60; n++ { // more requests than losses
			w.run(time.Duration(n) * time.Second)
			in.OnStep(n)
			for c := range g.Clients {
				if in.OnRequest(c, n) != LoseNothing {
					lost++
				}
			}
		}
		w.run(time.Hour)
		var want, struck Budget
		for _, f := range p {
			want[f.Kind]++
		}
		for _, k := range Kinds() {
			struck[k] = in.Effects(k).Struck
		}
		require.Equal(t, want, struck)
		require.Equal(t, want[CutRequest]+want[CutReply], lost)
		ends := map[string]int{}
		for _, line := range w.log {
			var at, what string
			var c int
			_, err := fmt.Sscanf(line, "%s %s %d", &at, &what, &c)
			require.NoError(t, err)
			ends[what]++
		}
		require.Equal(t, want[Restart], ends["start"])
		require.Equal(t, want[LeaderCrash], ends["start-server"])
		require.Equal(t, want[Lag], ends["catch-up"])
		require.Equal(t, want[Pause] > 0, ends["resume"] > 0)
		require.Equal(t, want[Partition] > 0, ends["heal"] > 0)
	})
}
