package scenarios

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/sim"
	"zoosim/sim/explore"
)

// inCampaign reports whether what takes minutes is to run, with ZOOSIM_PROOFS
// set: make campaign.
func inCampaign() bool { return os.Getenv("ZOOSIM_PROOFS") != "" }

// orInCampaign is how many of something a test takes: many in the campaign.
func orInCampaign(few, many int) int {
	if inCampaign() {
		return many
	}
	return few
}

// skipUnderRace leaves a test to the runs without the race detector.
func skipUnderRace(t *testing.T) {
	t.Helper()
	if raceEnabled {
		t.Skip("one goroutine, and slow under the race detector")
	}
}

// proofModel is a small model on which searches are compared.
type proofModel struct {
	variant, faults string
	// why says what the model is there for, "" for one of many.
	why string
	// how changes the scenario.
	how func(s *Scenario)
	// runs is how many runs the plain search of two clients makes, 0 for more
	// than 20 million.
	runs int
	// fails has a property that fails in the model with two clients.
	fails checker.Property
	// coarse says that end states are not compared in full: the code is told
	// numbers, as zxids and ids of sessions, that differ between orders that
	// show in nothing else, or sessions come and go.
	coarse bool
	// big says that even two clients have more than 50,000 states.
	big bool
}

func (m *proofModel) name() string {
	name := strings.TrimPrefix(m.variant, "lock/") + " " + m.faults
	if m.why != "" {
		name += ", " + m.why
	}
	return name
}

// scenario has the sessions of the clients open at the start.
func (m *proofModel) scenario(t testing.TB, clients int) Scenario {
	s := small(t, m.variant, clients, 1, m.faults)
	s.SessionsOpen = true
	if m.how != nil {
		m.how(&s)
	}
	return s
}

func timedLock(s *Scenario) { s.Mode, s.Limit = ModeTimed, time.Millisecond }

func tryLock(s *Scenario) { s.Mode = ModeTry }

func noHold(s *Scenario) { s.Hold = 0 }

func proofModels() []proofModel {
	return append([]proofModel{
		{variant: "lock/zkdocs", faults: "none", runs: 6972},
		{variant: "lock/zkdocs", faults: "crash=1", runs: 707_326},
		{
			variant: "lock/zkdocs", faults: "expiry=1", why: "beliefs overlap while a notice is in flight",
			fails: checker.Exclusion, big: true, coarse: true,
		},
		{variant: "lock/zkdocs", faults: "cut-reply=1", why: "lost reply", runs: 14_250_000},
		{variant: "lock/zkdocs", faults: "none", why: "a timeout races the reply", how: timedLock, runs: 492_600},
		{variant: "lock/zkdocs", faults: "none", why: "without waiting", how: tryLock, runs: 1890},
		{variant: "lock/zkdocs-no-recheck", faults: "none", why: "lost wake-up", fails: checker.Progress, runs: 5922},
		{variant: "lock/zkdocs-no-relook", faults: "none", runs: 5628},
		{variant: "lock/herd-node", faults: "none", runs: 550},
		{variant: "lock/herd-node", faults: "crash=1", runs: 60_166},
		{variant: "lock/herd-node", faults: "interrupt=1", why: "interrupt", runs: 14_030},
		{
			variant: "lock/herd-node", faults: "expiry=1", why: "without waiting", how: tryLock,
			fails: checker.Exclusion, coarse: true,
		},
		{variant: "lock/herd-node", faults: "cut=1", why: "without waiting", how: tryLock, runs: 29_392},
		{variant: "lock/herd-node", faults: "cut-request=1", runs: 188_500},
		{variant: "lock/herd-node", faults: "cut-reply=1", why: "lost reply", runs: 1_162_000},
		{variant: "lock/herd-node", faults: "resession=1", why: "without waiting", how: tryLock, runs: 114_038, coarse: true},
		{variant: "lock/herd-node", faults: "crash=1,interrupt=1", runs: 1_205_330},
		{variant: "lock/herd-node", faults: "none", why: "a timeout races the reply", how: timedLock, runs: 12_220},
		{variant: "lock/herd-children", faults: "none", runs: 11_438},
		{variant: "lock/herd-children", faults: "crash=1", runs: 896_326},
		{variant: "lock/gozk", faults: "none", runs: 37_740},
		{variant: "lock/gozk", faults: "cut-reply=1", why: "a lost reply leaves a znode", fails: checker.Leak, runs: 6_870_000, coarse: true},
		{variant: "lock/curator", faults: "none", why: "no hold", how: noHold, runs: 2_252_000, coarse: true},
		{variant: "lock/curator", faults: "interrupt=1", why: "interrupt", coarse: true},
		{variant: "lock/kazoo", faults: "none", coarse: true},
		{variant: "lock/zkjava", faults: "none", why: "lost wake-up", fails: checker.Progress, runs: 9_150_000, coarse: true},
		{
			variant: "lock/seed002", faults: "none", why: "a callback races the task; order across clients",
			fails: checker.FIFO, big: true, coarse: true,
		},
		{variant: "lock/fenced", faults: "none", coarse: true},
	}, storeModels()...)
}

// findings are what a search of a model found, as far as searches must agree:
// the properties that fail, and the states in which nothing more can happen.
type findings struct {
	failed, ends []string
	// endStates are the same in full; reductions that let states go lose some.
	endStates []uint64
	// states, transitions and runs may differ.
	states, transitions, runs int
	complete                  bool
}

func (f *findings) failures(bits []int) {
	for _, b := range bits {
		f.failed = append(f.failed, string(checker.LockProperties()[b]))
	}
	slices.Sort(f.failed)
}

// how is a way of searching.
type how struct {
	on         Reductions
	uncached   bool
	interleave bool
	// coarse compares end states by what anybody could still see of them.
	coarse bool
	// worlds may change what is searched: a planted fault.
	worlds func(x *rerun)
	// note, if set, is told each ending that the memo's search comes to.
	note func(r *Runner)
	// key, if set, tells the states apart that real tasks come to.
	key func(r *Runner) uint64
	// judged tells states and end states apart by what has failed, too.
	judged bool
	// states, if set, changes what the memo's search visits: a planted fault.
	states func(md *model) explore.Model[*Runner, move]
}

// judgedKey tells a state apart by what has failed, too.
func judgedKey(r *Runner) uint64 {
	var h sim.Hash
	h.Uint64(r.key())
	h.Uint64(uint64(r.monitor.FailedBits()))
	return h.Sum()
}

// judgedModel tells states apart by [judgedKey].
type judgedModel struct{ *model }

func (judgedModel) Key(r *Runner) uint64 { return judgedKey(r) }

// keyed tells states apart by another key.
type keyed struct {
	*rerun
	key func(r *Runner) uint64
}

func (x *keyed) Key() uint64 { return x.key(x.r) }

func (h how) String() string {
	return fmt.Sprintf("%s, uncached %v, interleaved %v", h.on, h.uncached, h.interleave)
}

// fieldsOf is which fields of Stats the code of a scenario asks for. States that
// are told apart by others, too, are finer than any search has them.
func fieldsOf(t testing.TB, s Scenario) uint32 {
	s.Untimed = true
	v := theVariant(t, s)
	for fields := uint32(0); ; {
		md := newModel(v, s, fields, AllReductions())
		explore.Prove(context.Background(), []explore.Model[*Runner, move]{md}, explore.ProveOptions{Limits: explore.Limits{States: 30_000}})
		md.close()
		if md.asked&^fields == 0 {
			return fields
		}
		fields |= md.asked
	}
}

// real visits every state with real tasks.
func (m *proofModel) real(t testing.TB, clients int, h how) findings {
	s := m.scenario(t, clients)
	s.Untimed = true
	x, err := newRerun(s, fieldsOf(t, s), h.on, h.uncached)
	require.NoError(t, err)
	defer x.r.Close()
	x.r.interleave = h.interleave
	x.r.learns = true
	x.r.world.K.LearnHistories()
	e := endSets{judged: h.judged}
	x.ends = e.note
	if h.judged {
		h.key = judgedKey
	}
	if h.worlds != nil {
		h.worlds(x)
	}
	var states explore.Rerun[move] = x
	if h.key != nil {
		states = &keyed{x, h.key}
	}
	res, err := explore.Reexecute(context.Background(), states, explore.RerunOptions{Uncached: h.uncached, Sleep: h.on.Sleep})
	require.NoError(t, err)
	require.False(t, x.r.world.K.Surprised())
	f := findings{states: res.States, transitions: res.Transitions, runs: res.Runs, complete: res.Complete}
	var bits []int
	for _, x := range res.Failures {
		bits = append(bits, x.Bit)
	}
	f.failures(bits)
	f.ended(&e)
	return f
}

// memo visits every state with a memo.
func (m *proofModel) memo(t testing.TB, clients int, h how) findings {
	return searched(t, m.scenario(t, clients), h)
}

// connecting visits every state of two clients that open their sessions first.
func (m *proofModel) connecting(t testing.TB, on Reductions) findings {
	return searched(t, small(t, m.variant, 2, 1, m.faults), how{on: on})
}

func searched(t testing.TB, s Scenario, h how) findings {
	s.Untimed = true
	fields := fieldsOf(t, s)
	md := newModel(theVariant(t, s), s, fields, h.on)
	defer md.close()
	md.interleave = h.interleave
	e := endSets{judged: h.judged}
	md.ends = func(r *Runner) {
		e.note(r)
		if h.note != nil {
			h.note(r)
		}
	}
	var states explore.Model[*Runner, move] = md
	if h.judged {
		states = judgedModel{md}
	}
	if h.states != nil {
		states = h.states(md)
	}
	res := explore.Prove(context.Background(), []explore.Model[*Runner, move]{states}, explore.ProveOptions{})
	require.NoError(t, md.memo.Audit())
	require.Zero(t, md.asked&^fields)
	f := findings{states: res.States, transitions: res.Transitions, complete: res.Complete}
	var bits []int
	for _, x := range res.Failures {
		bits = append(bits, x.Bit)
	}
	f.failures(bits)
	f.ended(&e)
	return f
}

// endSets collects the states in which nothing more can happen.
type endSets struct {
	full   map[uint64]bool
	seen   map[string]bool
	judged bool
}

func (e *endSets) note(r *Runner) {
	if e.full == nil {
		e.full, e.seen = map[uint64]bool{}, map[string]bool{}
	}
	k := r.endState()
	if e.judged {
		k += uint64(r.monitor.FailedBits()) << 40
	}
	if !e.full[k] {
		e.full[k] = true
		e.seen[r.ending()] = true
	}
}

func (f *findings) ended(e *endSets) {
	f.ends, f.endStates = slices.Sorted(maps.Keys(e.seen)), slices.Sorted(maps.Keys(e.full))
}

// differs says in what two searches differ, "" if in nothing. Without whole
// end states are compared by what anybody could still see of them.
func (f *findings) differs(want *findings, whole bool) string {
	switch {
	case !slices.Equal(want.failed, f.failed):
		return fmt.Sprintf("fails %v instead of %v", f.failed, want.failed)
	case !slices.Equal(want.ends, f.ends):
		return fmt.Sprintf("%d endings instead of %d", len(f.ends), len(want.ends))
	case whole && !slices.Equal(want.endStates, f.endStates):
		return fmt.Sprintf("%d end states instead of %d", len(f.endStates), len(want.endStates))
	}
	return ""
}

// same asks for the same findings.
func (f *findings) same(t testing.TB, want *findings, h how, what string) {
	require.True(t, f.complete, what)
	require.Empty(t, f.differs(want, !h.on.Done && !h.on.Checkpoint && !h.coarse), what)
}

// The plain search tries everything that can happen, one run after another,
// and knows no states: what it finds is what there is. All others find the
// same.
func TestSearchesAgreeWithThePlainOne(t *testing.T) {
	t.Parallel()
	most := 15_000
	if inCampaign() {
		most = 2_000_000
	}
	if raceEnabled {
		most = 1000
	}
	for _, m := range proofModels() {
		if m.runs == 0 || m.runs > most {
			continue
		}
		t.Run(m.name(), func(t *testing.T) {
			start := time.Now()
			plain := m.real(t, 2, how{uncached: true})
			t.Logf("plain: %d runs, %d end states, fails %v, %v",
				plain.runs, len(plain.endStates), plain.failed, time.Since(start).Round(time.Millisecond))
			require.InEpsilon(t, m.runs, plain.runs, 0.01)
			if m.fails != "" {
				require.Contains(t, plain.failed, string(m.fails))
			}
			for _, h := range []how{{on: Reductions{Sleep: true}, uncached: true}, {}, {interleave: true}} {
				got := m.real(t, 2, h)
				h.coarse = m.coarse || h.interleave
				got.same(t, &plain, h, h.String())
			}
			m.agree(t, 2, &plain)
		})
	}
}

// Where the plain search does not end, the reference is the search with a memo
// and without reductions.
func TestSearchesAgreeWithTheUnreducedOne(t *testing.T) {
	t.Parallel()
	for _, m := range proofModels() {
		if !inCampaign() && (m.big || m.runs > 0 && m.runs < 15_000) || raceEnabled {
			continue
		}
		t.Run(m.name(), func(t *testing.T) {
			want := m.memo(t, 2, how{})
			finer := m.memo(t, 2, how{interleave: true})
			finer.same(t, &want, how{coarse: true}, "interleaved")
			t.Logf("unreduced: %d states, %d end states, fails %v", want.states, len(want.endStates), want.failed)
			if m.fails != "" {
				require.Contains(t, want.failed, string(m.fails))
			}
			m.agree(t, 2, &want)
		})
	}
}

// The same with three clients.
func TestSearchesOfThreeClientsAgree(t *testing.T) {
	for _, m := range proofModels() {
		small := m.variant == "lock/herd-node" && m.faults == "none" && m.why == "" && !raceEnabled
		if !small && (!inCampaign() || m.big || m.runs > 100_000 || m.runs == 0) {
			continue
		}
		t.Run(m.name(), func(t *testing.T) {
			want := m.memo(t, 3, how{})
			got := m.memo(t, 3, how{on: AllReductions()})
			got.same(t, &want, how{on: AllReductions()}, "memo, all")
			t.Logf("%d of %d states, %d endings, fails %v", got.states, want.states, len(got.ends), got.failed)
			on := without("done")
			got = m.memo(t, 3, how{on: on})
			got.same(t, &want, how{on: on, coarse: m.coarse}, "memo, all but done")
			sleep := without("symmetry")
			sleep.Sleep = true
			got = m.real(t, 3, how{on: sleep})
			got.same(t, &want, how{on: sleep}, "re-executed, "+sleep.String())
		})
	}
}

// Real tasks are tried where a reduction asks what they do behind a pause: what is
// left out hangs not on what was seen before.
func TestRealTasksAreTriedBehindPauses(t *testing.T) {
	t.Parallel()
	skipUnderRace(t)
	expiry := proofModels()[2]
	require.Equal(t, "expiry=1", expiry.faults)
	for _, on := range []Reductions{{Delivery: true}, {Delivery: true, Private: true}, {Delivery: true, Private: true, Symmetry: true}} {
		want := expiry.memo(t, 2, how{on: on})
		got := expiry.real(t, 2, how{on: on})
		got.same(t, &want, how{on: on, coarse: true}, on.String())
		require.Equal(t, want.states, got.states, "%s", on)
	}
}

// agree asks the searches with reductions for the same findings.
func (m *proofModel) agree(t *testing.T, clients int, want *findings) {
	for _, on := range []Reductions{
		{},
		{Sleep: true},
		{Delivery: true, Private: true, Sleep: true},
		{Delivery: true, Private: true, Done: true, Sleep: true},
		{Delivery: true, Private: true, Symmetry: true},
		AllReductions(),
	} {
		if m.big && on == (Reductions{}) {
			continue // the memo's is enough
		}
		got := m.real(t, clients, how{on: on})
		got.same(t, want, how{on: on, coarse: m.coarse}, "re-executed, "+on.String())
		if on.Sleep {
			continue
		}
		mem := m.memo(t, clients, how{on: on})
		mem.same(t, want, how{on: on, coarse: m.coarse}, "memo, "+on.String())
		if !on.Symmetry && !m.coarse {
			require.Equal(t, mem.states, got.states, "the memo and real tasks meet the same states: %s", on)
		}
	}
	for _, on := range []Reductions{{Defer: true}, {Delivery: true, Private: true, Defer: true}} {
		mem := m.memo(t, clients, how{on: on})
		mem.same(t, want, how{on: on, coarse: m.coarse}, "memo, "+on.String())
	}
	for _, off := range reductionNames {
		if off == "sleep" {
			continue
		}
		on := without(off)
		mem := m.memo(t, clients, how{on: on})
		mem.same(t, want, how{on: on, coarse: m.coarse}, "memo without "+off)
	}
}

// Which properties have failed belongs to no state. A search that tells states
// apart by it has more of them, and finds the same.
func TestFailuresTellNoStatesApart(t *testing.T) {
	t.Parallel()
	skipUnderRace(t)
	judged := func(md *model) explore.Model[*Runner, move] { return judgedModel{md} }
	plain := Reductions{Delivery: true, Private: true}
	fewer := 0
	for _, c := range []struct {
		variant, faults string
		clients         int
	}{
		{"lock/zkdocs", "expiry=1", 2},
		{"lock/zkdocs", "expiry=1,cut-reply=1", 2},
		{"lock/herd-node", "expiry=1", 3},
		{"lock/zkjava", "crash=1", 2},
		{"lock/seed002", "none", 2},
		{"lock/gozk", "expiry=1,cut-reply=1", 2},
		{"lock/kazoo", "cut-reply=1", 2},
		{"rwlock/zkdocs", "expiry=1", 2},
		{"queue/curator-simple", "crash=1", 2},
		{"group/kazoo-party", "crash=1", 2},
		{"sale/none", "none", 2},
	} {
		s := small(t, c.variant, c.clients, 1, c.faults)
		for _, on := range []Reductions{AllReductions(), without("symmetry", "done"), plain} {
			got, want := searched(t, s, how{on: on}), searched(t, s, how{on: on, states: judged})
			require.True(t, got.complete && want.complete)
			require.Empty(t, got.differs(&want, on == plain), "%v, %s", c, on)
			require.LessOrEqual(t, got.states, want.states)
			fewer += want.states - got.states
			t.Logf("%v, %s: %d of %d states", c, on, got.states, want.states)
		}
	}
	require.Positive(t, fewer)

	// A world that goes on otherwise once something has failed is noticed.
	s := small(t, "lock/zkdocs", 2, 1, "expiry=1")
	got := searched(t, s, how{on: plain, states: func(md *model) explore.Model[*Runner, move] { return givesUp{md} }})
	want := searched(t, s, how{on: plain, states: func(md *model) explore.Model[*Runner, move] { return givesUp{judged(md)} }})
	require.NotEmpty(t, got.differs(&want, true))
}

// givesUp is a world that stops where something has failed and nobody holds the lock
// any more.
type givesUp struct {
	explore.Model[*Runner, move]
}

func (g givesUp) Moves(r *Runner, dst []move) []move {
	held := false
	for i := range r.clients {
		held = held || r.monitor.Believes(i)
	}
	if !held && r.monitor.FailedBits() != 0 {
		return dst
	}
	return g.Model.Moves(r, dst)
}

// Reductions that are deliberately wrong are caught: what the tests above
// compare differs.
func TestUnsoundReductionsAreCaught(t *testing.T) {
	t.Parallel()
	skipUnderRace(t)
	expiry := proofModels()[2]
	require.Equal(t, "expiry=1", expiry.faults)
	timed := proofModels()[4]
	failOver := proofModel{variant: "lock/redis", faults: "leader-crash=1", how: tryLock}
	models := map[string]*proofModel{"expiry": &expiry, "timed": &timed, "fail-over": &failOver, "judged": &expiry}
	reference := map[string]findings{}
	for name, m := range models {
		reference[name] = m.memo(t, 2, how{judged: name == "judged"})
	}
	require.Contains(t, reference["expiry"].failed, string(checker.Exclusion))
	favour := func(which func(r *Runner, m *move) bool) func(x *rerun) {
		return func(x *rerun) {
			x.spoil = func(r *Runner, all []move) []move {
				for i := range all {
					if which(r, &all[i]) {
						all[0] = all[i]
						return all[:1]
					}
				}
				return all
			}
		}
	}
	forget := func(things ...uint64) func(x *rerun) {
		return func(x *rerun) {
			x.forget = func(f *explore.Footprint) {
				for _, thing := range things {
					f.Reads[thing>>6] &^= 1 << (thing & 63)
					f.Writes[thing>>6] &^= 1 << (thing & 63)
				}
			}
		}
	}
	sleep := Reductions{Sleep: true}
	for _, c := range []struct {
		name, model string
		h           how
	}{
		{"deliveries are favoured, and the connect that tells of the end of a session", "expiry", how{worlds: favour(func(r *Runner, m *move) bool {
			return m.kind == moveKernel && m.kernel.Kind != sim.MoveTimer &&
				(m.kernel.Proc >= 0 || !r.world.LiveSession(r.clients[r.ownerOfMove(m)].p))
		})}},
		{"timers are favoured", "timed", how{worlds: favour(func(_ *Runner, m *move) bool {
			return m.kind == moveKernel && m.kernel.Kind == sim.MoveTimer
		})}},
		{"pauses end early, whatever becomes of the session", "expiry", how{worlds: favour(func(_ *Runner, m *move) bool {
			return m.kind == moveKernel && m.kernel.Kind == sim.MoveTimer
		})}},
		{"servers are favoured", "expiry", how{worlds: favour(func(_ *Runner, m *move) bool {
			return m.kind == moveKernel && m.kernel.Kind == sim.MoveDeliver && m.kernel.Proc < 0
		})}},
		{"footprints without beliefs", "judged", how{on: sleep, judged: true, worlds: forget(thingHolds)}},
		{"footprints without what a client does", "timed", how{on: sleep, worlds: forget(
			thingLocal, thingLocal+clientThings,
		)}},
		{"footprints without the server", "expiry", how{on: sleep, worlds: func(x *rerun) {
			x.forget = func(f *explore.Footprint) { f.Reads[1], f.Writes[1] = 0, 0 }
		}}},
		{"code is favoured, and sends before the fail-over", "fail-over", how{worlds: favour(func(_ *Runner, m *move) bool {
			return m.kind == moveKernel && m.kernel.Kind == sim.MoveRun
		})}},
	} {
		want := reference[c.model]
		got := models[c.model].real(t, 2, c.h)
		differs := got.differs(&want, true)
		t.Logf("%s: %s", c.name, differs)
		if differs == "" {
			t.Errorf("%s", c.name)
		}
	}
}
