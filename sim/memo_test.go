package sim

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// memoEcho is echo as an App with a memo: what it tells a task is a number, the
// count of replies that the process has had so far.
type memoEcho struct {
	echo
	told map[ProcID]int64
	// coins are the answers to queryCoin, the last one again and again.
	coins []int64
	mark  uint64 // what a process was told at its start, whoever it is
}

func newMemoEcho() *memoEcho {
	e := &memoEcho{told: map[ProcID]int64{}}
	e.w = NewWorld(e, Options{})
	e.w.SetUntimed(true)
	return e
}

func (e *memoEcho) ObservationKey(p *Proc, t TaskID) uint64 { return uint64(e.told[p.ID()]) }
func (e *memoEcho) MaskedKey(p *Proc, t TaskID) uint64      { return uint64(e.told[p.ID()]) }
func (e *memoEcho) MaskedAnswer(p *Proc, kind int32, v int64) int64 {
	return v
}
func (e *memoEcho) Observation(p *Proc, t TaskID) any { return e.told[p.ID()] }
func (e *memoEcho) Observe(p *Proc, t TaskID, o any)  { e.told[p.ID()] = o.(int64) }
func (e *memoEcho) Capture(p *Proc) any               { return nil }
func (e *memoEcho) Install(p *Proc, segment any)      {}
func (e *memoEcho) Foretell(p *Proc, t TaskID, kind, arg int32) (int64, bool) {
	return 0, false
}

func (e *memoEcho) Mark(p *Proc, k MarkKind) (full, masked uint64) { return uint64(p.ID()), e.mark }
func (e *memoEcho) NewReader() MemoReader                          { return echoReader{} }

// echoReader reads nothing: what a process of an echo is told and puts out has
// no number of its own.
type echoReader struct{}

func (echoReader) Answered(int32, int64)           {}
func (echoReader) Put(int32)                       {}
func (echoReader) Mark(MarkKind)                   {}
func (r echoReader) Copy() MemoReader              { return r }
func (echoReader) HashPut(h *Hash, out int32) bool { h.Uint64(uint64(out)); return true }

func (echoReader) HashAsk(h *Hash, kind, arg int32) bool       { h.Uint64(uint64(arg)); return true }
func (echoReader) HashSegment(*Hash, any) bool                 { return true }
func (echoReader) Told(o any, _ MemoReader) any                { return o }
func (echoReader) Answer(_ int32, v int64, _ MemoReader) int64 { return v }

func (e *memoEcho) Query(p *Proc, kind, arg int32) int64 {
	if kind == queryCoin {
		v := e.coins[0]
		if len(e.coins) > 1 {
			e.coins = e.coins[1:]
		}
		return v
	}
	return e.echo.Query(p, kind, arg)
}

func (e *memoEcho) Await(p *Proc, t TaskID, out int32) {
	e.told[p.ID()]++
	e.echo.Await(p, t, out)
}

// memoRun runs one process of the program in a world with a memo to its end
// and returns how many transitions that took.
func memoRun(t *testing.T, m *Memo) int { n, _ := memoRunBy(t, m, 0); return n }

// memoRunBy is memoRun with answers to queryCoin; it also returns the process.
func memoRunBy(t *testing.T, m *Memo, coins ...int64) (int, *Proc) {
	return memoRunOf(t, newMemoEcho(), m, coins...)
}

// memoRunOf is memoRunBy in the world of e.
func memoRunOf(t *testing.T, e *memoEcho, m *Memo, coins ...int64) (int, *Proc) {
	e.w.SetMemo(m)
	e.begin(nil)
	e.coins = coins
	p := e.w.Spawn("p", nil)
	e.links = append(e.links, e.w.Dial(p.ID()))
	e.wait = append(e.wait, waiter{})
	e.w.SetProgram(p, 1)
	n := 0
	for moves := e.w.Moves(nil); len(moves) > 0; moves = e.w.Moves(moves[:0]) {
		e.w.Do(moves[0])
		n++
		require.Less(t, n, 1000)
	}
	return n, p
}

func memoOf(program func(p *Proc)) *Memo {
	shadow := newMemoEcho()
	return NewMemo(shadow, func(uint64) *Proc {
		shadow.begin(nil)
		return shadow.spawn(program)
	})
}

func TestMemoRunsCodeOnlyOnWhatIsNew(t *testing.T) {
	calls := 0
	m := memoOf(func(p *Proc) {
		calls++
		l := p.NewLatch()
		p.Await(0, false)
		p.Open(l)
		if p.IsOpen(l) {
			p.WaitLatch(RootScope, l)
		}
		p.Await(0, false)
	})
	first := memoRun(t, m)
	nodes, fed := m.Nodes(), m.Fed()
	require.Positive(t, nodes)
	require.Equal(t, 1, calls, "the program ran once")
	require.Equal(t, first, memoRun(t, m))
	require.Equal(t, nodes, m.Nodes(), "a second run is all look-ups")
	require.Equal(t, fed, m.Fed())
	require.NoError(t, m.Audit())
}

// Code that depends on what it is not told is found out.
func TestAuditFindsHiddenInput(t *testing.T) {
	hidden := 0
	m := memoOf(func(p *Proc) {
		hidden++
		p.Await(0, false)
		for range hidden {
			p.Open(p.NewLatch())
		}
		p.Await(0, false)
	})
	memoRun(t, m)
	require.ErrorContains(t, m.Audit(), "depends on what it was not told")
}

// What several memos of a search hold is run again once, and compared with what
// each has of it.
func TestAuditOfSeveralMemos(t *testing.T) {
	hidden := 0
	program := func(p *Proc) {
		p.Await(0, false)
		for range hidden {
			p.Open(p.NewLatch())
		}
		p.Await(0, false)
	}
	a, b, unused := memoOf(program), memoOf(program), memoOf(program)
	memoRun(t, a)
	memoRun(t, b)
	fed := func() int { return a.Fed() + b.Fed() + unused.Fed() }
	one := a.Fed()
	for _, memos := range [][]*Memo{{a}, {a, b}, {b, a, unused}} {
		before := fed()
		require.NoError(t, AuditMemos(memos, nil))
		require.Equal(t, one, fed()-before)
	}

	hidden++
	c := memoOf(program)
	memoRun(t, c)
	for _, memos := range [][]*Memo{{a}, {a, unused}, {unused, a}, {a, b}, {a, c}, {c, a}, {b, a, c}} {
		require.ErrorContains(t, AuditMemos(memos, nil), "depends on what it was not told")
	}
	require.NoError(t, AuditMemos([]*Memo{c, unused}, nil))
}
