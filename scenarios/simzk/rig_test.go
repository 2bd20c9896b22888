package simzk

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/faults"
	"zoosim/recipes/zk"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// rig is a world in which a message takes 10 ms, a ready task runs at once
// and nothing is left to chance but what script sets. It logs what an observer
// is told.
type rig struct {
	t      *testing.T
	w      *World
	script script
	procs  []*Process
	lines  []string
}

const hop = 10 * time.Millisecond // a message under way

// script is a strategy: the alternatives for each label, in order; past their
// end, and for other labels, 0.
type script map[sim.Label][]int

func (s script) Begin()     {}
func (s script) End(uint64) {}

func (s script) Choose(l sim.Label, n int) int {
	list := s[l]
	if len(list) == 0 {
		return 0
	}
	s[l] = list[1:]
	return list[0]
}

func newRig(t *testing.T) *rig { return newSlowRig(t, 0, hop) }

// newSlowRig is newRig where a ready task waits to run, and where script sets
// the latencies.
func newSlowRig(t *testing.T, wake time.Duration, latencies ...time.Duration) *rig {
	r := &rig{t: t, script: script{}}
	r.w = NewWorld(Options{Kernel: sim.Options{Latency: latencies, Wake: sim.Dist{wake}}}, r)
	t.Cleanup(r.w.K.Close)
	r.w.Begin(r.script)
	return r
}

// javaOptions are those of a client with a session timeout of 6 s that
// reconnects after a second.
func javaOptions() zkmodel.ClientOptions {
	o := zkmodel.JavaOptions()
	o.SessionTimeout = 6 * time.Second
	return o
}

// renewing are those of a client that opens a new session after an expiry.
func renewing() zkmodel.ClientOptions {
	o := zkmodel.CuratorOptions()
	o.SessionTimeout = 6 * time.Second
	return o
}

// program is a client's main task once it is connected.
type program func(s *shell)

// shell is what a program has at hand.
type shell struct {
	zk.Env
	p  *Process
	c  zk.Client
	bg context.Context
}

// spawn starts a process named A, B, ... that connects and runs f.
func (r *rig) spawn(f program) *Process { return r.spawnWith(javaOptions(), false, f) }

func (r *rig) spawnWith(o zkmodel.ClientOptions, interruptsRequests bool, f program) *Process {
	n := len(r.procs)
	p := r.w.Spawn(ProcessOptions{
		Client: n, Name: string(rune('A' + n)), InterruptsRequests: interruptsRequests,
	}, func(p *Process) {
		c := p.Connect(o)
		f(&shell{Env: p.Env(), p: p, c: c, bg: p.Env().Background()})
	})
	r.procs = append(r.procs, p)
	return p
}

// say puts a line into the log of the run.
func (s *shell) say(format string, args ...any) {
	s.p.Record(Record{Text: fmt.Sprintf(format, args...)})
}

// at calls f at a time.
func (r *rig) at(t time.Duration, f func()) { r.w.At(t-r.w.K.Now(), f) }

// run makes every transition up to a time.
func (r *rig) run(until time.Duration) {
	for n := 0; ; n++ {
		require.Less(r.t, n, 100_000, "the run does not come to the time")
		at, ok := r.w.K.NextAt()
		if !ok || at > until {
			return
		}
		r.w.K.Step()
	}
}

// clock is all that an injector of lost requests and replies needs of a world.
type clock struct {
	faults.World
	k *sim.World
}

func (c clock) Now() time.Duration { return c.k.Now() }

// plan sets an injector that loses requests and replies.
func (r *rig) plan(p ...faults.Fault) *faults.Injector {
	in := &faults.Injector{}
	r.w.SetFaults(in)
	in.Begin(p, clock{k: r.w.K})
	return in
}

// log is the lines that begin with one of the words, behind their times; all
// of them without a word.
func (r *rig) log(words ...string) []string {
	out := []string{}
	for _, l := range r.lines {
		_, what, _ := strings.Cut(l, " ")
		keep := len(words) == 0
		for _, w := range words {
			keep = keep || what == w || strings.HasPrefix(what, w+" ")
		}
		if keep {
			out = append(out, l)
		}
	}
	return out
}

// said is what a program said, with its times.
func (r *rig) said(name string) []string {
	var out []string
	for _, l := range r.log(name + ":") {
		out = append(out, strings.Replace(l, name+": ", "", 1))
	}
	return out
}

// served counts the requests of a type that the server handled.
func (r *rig) served(op zkmodel.OpCode) int { return len(r.log("served " + op.String())) }

// exists reports whether the server has a znode.
func (r *rig) exists(path string) bool {
	_, ok := r.w.Server().Lookup(path)
	return ok
}

func (r *rig) note(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf("%v ", r.w.K.Now())+fmt.Sprintf(format, args...))
}

func (r *rig) Served(c *Client, q *zkmodel.Request) {
	r.note("served %s %s %s", q.Op, c.Process().Name(), q.Path)
}

func (r *rig) Sent(c *Client, q *zkmodel.Response) {
	r.note("sent %s %s", c.Process().Name(), describeResponse(q))
}

func (r *rig) Up(c *Client)   { r.note("up %s %d", c.Process().Name(), sessionNumber(c.SessionID())) }
func (r *rig) Down(c *Client) { r.note("down %s", c.Process().Name()) }
func (r *rig) Lost(c *Client) { r.note("lost %s", c.Process().Name()) }
func (r *rig) Bit(p *Process, k faults.Kind) {
	if p == nil {
		r.note("bit server %s", k)
		return
	}
	r.note("bit %s %s", p.Name(), k)
}
func (r *rig) Panicked(p *Process, v any) { r.note("panicked %s %v", p.Name(), v) }

func (r *rig) Applied(t *zkmodel.Txn) {
	r.note("applied %s %d %s%s", t.Op, sessionNumber(t.Session), t.Cause, spaced(t.Path))
}

func (r *rig) Answered(*Client, *zkmodel.Response) {}

func (r *rig) Recorded(p *Process, _ sim.TaskID, x *Record) { r.note("%s: %s", p.Name(), x.Text) }

func (r *rig) Called(p *Process, request, outcome string) {
	r.note("store: %s of %s: %s", request, p.Name(), outcome)
}

func (r *rig) Wrote(p *Process, token int64, accepted bool) {
	r.note("wrote %s %d %t", p.Name(), token, accepted)
}

func spaced(s string) string {
	if s == "" {
		return ""
	}
	return " " + s
}
