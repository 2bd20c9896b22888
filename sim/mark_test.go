package sim

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// queryCoin is a question whose answer a test decides.
const queryCoin int32 = 77

func coin(p *Proc) int64 { return p.Query(queryCoin, 0) }

// histories runs the program once for each answer to coin, in one memo, and returns the hashes of the histories at the end.
func histories(t *testing.T, program func(p *Proc)) (*Memo, [2]uint64) {
	m := memoOf(program)
	m.Checkpoints = 1 << MarkCheckpoint
	var ends [2]uint64
	for v := range ends {
		_, p := memoRunBy(t, m, int64(v))
		ends[v] = p.memo.hash
	}
	require.NoError(t, m.Audit())
	return m, ends
}

func TestCheckpointMergesHistories(t *testing.T) {
	m, ends := histories(t, func(p *Proc) {
		kept := p.NewLatch()
		p.Keep()
		if coin(p) == 1 {
			// Numbers that the other history does not use.
			for range 3 {
				p.Open(p.NewLatch())
			}
			p.Cancel(p.NewScope(RootScope, -1))
			p.Go(func() {})
			p.Await(0, false)
		}
		p.Checkpoint(MarkCheckpoint, 7)
		l := p.NewLatch()
		s := p.NewScope(RootScope, 5)
		p.Go(func() { p.Open(l) })
		p.WaitLatch(s, l)
		p.Open(kept)
		p.WaitLatch(RootScope, kept)
	})
	require.Equal(t, ends[0], ends[1])
	v, err := VerifyCheckpoints([]*Memo{m}, nil)
	require.NoError(t, err)
	require.Equal(t, 1, v.Classes)
	require.Equal(t, 2, v.Histories)
	require.Positive(t, v.Fed)

	// Each history alone, in a memo of its own.
	_, err = VerifyCheckpoints([]*Memo{m, m}, nil)
	require.NoError(t, err)
}

// Where the histories do not meet there is nothing to compare.
func TestCheckpointTakesNoEffect(t *testing.T) {
	for name, program := range map[string]func(p *Proc){
		"other locals": func(p *Proc) {
			p.Checkpoint(MarkCheckpoint, uint64(coin(p)))
			p.Await(0, false)
		},
		"another task": func(p *Proc) {
			x := coin(p)
			p.Go(func() { p.Sleep(RootScope, Time(x)) })
			p.Checkpoint(MarkCheckpoint, 7)
			p.Await(0, false)
		},
		"more kept": func(p *Proc) {
			if coin(p) == 1 {
				p.NewLatch()
			}
			p.Keep()
			p.Checkpoint(MarkCheckpoint, 7)
			p.Await(0, false)
		},
	} {
		m, ends := histories(t, program)
		require.NotEqual(t, ends[0], ends[1], name)
		v, err := VerifyCheckpoints([]*Memo{m}, nil)
		require.NoError(t, err, name)
		require.Zero(t, v.Classes, name)
	}
}

// Code that remembers more than its checkpoint declares is caught, whatever it
// is that it does otherwise.
func TestVerifyRefusesFalseCheckpoints(t *testing.T) {
	for name, c := range map[string]struct {
		program func(p *Proc)
		want    string
	}{
		"another output": {func(p *Proc) {
			x := coin(p)
			p.Checkpoint(MarkCheckpoint, 7)
			l, m := p.NewLatch(), p.NewLatch()
			p.Open([]LatchID{l, m}[x])
			p.Await(0, false)
		}, "go on differently"},
		"another wait": {func(p *Proc) {
			x := coin(p)
			p.Checkpoint(MarkCheckpoint, 7)
			p.Sleep(RootScope, Time(x))
		}, "go on differently"},
		"another end, much later": {func(p *Proc) {
			x := coin(p)
			p.Checkpoint(MarkCheckpoint, 7)
			for range 5 {
				p.Await(0, false)
			}
			if x == 1 {
				p.Await(0, false)
			}
		}, "go on differently"},
		"an old latch": {func(p *Proc) {
			l := p.NewLatch()
			coin(p)
			p.Checkpoint(MarkCheckpoint, 7)
			p.Open(l)
			p.WaitLatch(RootScope, l)
		}, "did not keep"},
		"an old scope": {func(p *Proc) {
			s := p.NewScope(RootScope, 9)
			coin(p)
			p.Checkpoint(MarkCheckpoint, 7)
			p.Sleep(s, 5)
		}, "did not keep"},
		"the first of two checkpoints": {func(p *Proc) {
			x := coin(p)
			p.Checkpoint(MarkCheckpoint, 7)
			p.Await(0, false)
			p.Checkpoint(MarkCheckpoint, 8)
			p.Sleep(RootScope, Time(x))
		}, "go on differently"},
	} {
		m, _ := histories(t, c.program)
		_, err := VerifyCheckpoints([]*Memo{m}, nil)
		require.ErrorIs(t, err, ErrCheckpoint, name)
		require.ErrorContains(t, err, c.want, name)
	}
}

// Where one history stands for two checkpoints, it cannot be said with what it is
// to be compared.
func TestVerifyRefusesAHistoryOfTwoCheckpoints(t *testing.T) {
	m := memoOf(func(p *Proc) {
		p.Checkpoint(MarkCheckpoint, 7)
		p.Await(0, false)
	})
	m.Checkpoints = 1 << MarkCheckpoint
	e := newMemoEcho()
	memoRunOf(t, e, m)
	_, err := VerifyCheckpoints([]*Memo{m}, nil)
	require.NoError(t, err)
	e.mark = 1
	memoRunOf(t, e, m)
	_, err = VerifyCheckpoints([]*Memo{m}, nil)
	var none *CheckpointError
	require.ErrorAs(t, err, &none)
	require.Equal(t, MarkCheckpoint, none.Kind)
	require.ErrorContains(t, err, "two checkpoints")
}

// Times count from a checkpoint: how long something takes may depend on the
// clock, what is done after a time that was fixed before it may not.
func TestTimesCountFromACheckpoint(t *testing.T) {
	m, ends := histories(t, func(p *Proc) {
		p.Sleep(RootScope, 100*Time(1+coin(p)))
		p.Checkpoint(MarkCheckpoint, 7)
		asked := p.Now()
		p.Sleep(RootScope, 5)
		if p.Now()-asked < 7 {
			p.Sleep(RootScope, p.Now()-asked)
		}
	})
	require.Equal(t, ends[0], ends[1])
	v, err := VerifyCheckpoints([]*Memo{m}, nil)
	require.NoError(t, err)
	require.Equal(t, 2, v.Histories)

	m, _ = histories(t, func(p *Proc) {
		p.Sleep(RootScope, 100*Time(1+coin(p)))
		p.Checkpoint(MarkCheckpoint, 7)
		if p.Now() > 150 { // a deadline that was known before
			p.Await(0, false)
		}
		p.Await(0, false)
	})
	_, err = VerifyCheckpoints([]*Memo{m}, nil)
	require.ErrorIs(t, err, ErrCheckpoint)
	require.ErrorContains(t, err, "go on differently")
}

// rounds passes a checkpoint at the head of a loop until coin is 1, and does
// something else in one of the passes; 0 for none.
func rounds(odd int) func(p *Proc) {
	return func(p *Proc) {
		for pass := 1; ; pass++ {
			p.Checkpoint(MarkCheckpoint, 7)
			p.Sleep(RootScope, 5)
			if pass == odd {
				p.Sleep(RootScope, 1)
			}
			if coin(p) == 1 {
				return
			}
		}
	}
}

// A loop is compared as often as it was passed, and at least mostPasses times.
func TestLoopsAreComparedAFewTimes(t *testing.T) {
	verify := func(odd int, coins ...int64) (Verified, error) {
		m := memoOf(rounds(odd))
		m.Checkpoints = 1 << MarkCheckpoint
		memoRunBy(t, m, coins...)
		return VerifyCheckpoints([]*Memo{m}, nil)
	}
	v, err := verify(0, 0, 1)
	require.NoError(t, err)
	require.Equal(t, 1, v.Classes)
	require.Equal(t, mostPasses, v.Histories, "two that were met, and one that was told to go on")
	v, err = verify(0, 0, 0, 0, 0, 1)
	require.NoError(t, err)
	require.Equal(t, 5, v.Histories, "those that were met")

	for odd := 1; odd <= mostPasses; odd++ {
		_, err = verify(odd, 0, 1)
		require.ErrorIs(t, err, ErrCheckpoint, "pass %d", odd)
	}
	_, err = verify(mostPasses+1, 0, 1)
	require.NoError(t, err, "nobody has been there")
	_, err = verify(mostPasses+1, 0, 0, 0, 1)
	require.ErrorIs(t, err, ErrCheckpoint)
}

// A memo that lets a loop end in its first pass alone has nothing to compare.
func TestALoopThatIsPassedOnce(t *testing.T) {
	m := memoOf(rounds(0))
	m.Checkpoints = 1 << MarkCheckpoint
	memoRunBy(t, m, 1)
	v, err := VerifyCheckpoints([]*Memo{m}, nil)
	require.NoError(t, err)
	require.Zero(t, v.Classes)
}
