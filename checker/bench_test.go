package checker

import (
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
)

// fullConfig is the dearest configuration: every property is judged.
func fullConfig(clients int) LockConfig {
	return LockConfig{Clients: clients, FIFO: true, Tokens: true, MaxFanOut: 1, Reentrant: true}
}

func TestObserveAllocatesNothing(t *testing.T) {
	history := contendedHistory(16, 8)
	var l Lock
	run := func() {
		l.Reset(fullConfig(16))
		for i := range history {
			l.Observe(&history[i])
		}
		l.Finish(history)
	}
	run()
	require.False(t, l.Failed())
	for _, r := range l.Finish(history) {
		require.Contains(t, []Verdict{Pass, NotApplicable}, r.Verdict, r.Why)
	}
	require.Zero(t, testing.AllocsPerRun(20, run))
}

func TestCopyAndHashAllocateNothing(t *testing.T) {
	history := contendedHistory(16, 8)
	var l, dst Lock
	l.Reset(fullConfig(16))
	for i := range history[:len(history)/2] {
		l.Observe(&history[i])
	}
	l.CopyInto(&dst)
	var h streamHash
	require.Zero(t, testing.AllocsPerRun(20, func() {
		l.CopyInto(&dst)
		dst.Hash(&h)
	}))
}

func TestMetricsAllocateNothing(t *testing.T) {
	history := contendedHistory(16, 8)
	var m LockMetrics
	run := func() {
		m.Reset(16)
		for i := range history {
			m.Observe(&history[i])
		}
	}
	run()
	require.Zero(t, testing.AllocsPerRun(20, run))
}

func BenchmarkLockObserve(b *testing.B) {
	for _, size := range []struct {
		name            string
		clients, rounds int
	}{{"3-clients", 3, 2}, {"10-clients", 10, 10}, {"256-clients", 256, 4}} {
		b.Run(size.name, func(b *testing.B) {
			history := contendedHistory(size.clients, size.rounds)
			var l Lock
			b.ReportAllocs()
			for b.Loop() {
				l.Reset(fullConfig(size.clients))
				for i := range history {
					l.Observe(&history[i])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(history)), "ns/event")
		})
	}
}

func BenchmarkMetricsObserve(b *testing.B) {
	for _, size := range []struct {
		name            string
		clients, rounds int
	}{{"3-clients", 3, 2}, {"10-clients", 10, 10}, {"256-clients", 256, 4}} {
		b.Run(size.name, func(b *testing.B) {
			history := contendedHistory(size.clients, size.rounds)
			var m LockMetrics
			b.ReportAllocs()
			for b.Loop() {
				m.Reset(size.clients)
				for i := range history {
					m.Observe(&history[i])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(history)), "ns/event")
		})
	}
}

func BenchmarkLockCopyInto(b *testing.B) {
	history := contendedHistory(3, 2)
	var l, dst Lock
	l.Reset(fullConfig(3))
	for i := range history[:len(history)/2] {
		l.Observe(&history[i])
	}
	b.ReportAllocs()
	for b.Loop() {
		l.CopyInto(&dst)
	}
}

func BenchmarkLockHash(b *testing.B) {
	history := contendedHistory(3, 2)
	var l Lock
	l.Reset(fullConfig(3))
	for i := range history[:len(history)/2] {
		l.Observe(&history[i])
	}
	var h streamHash
	b.ReportAllocs()
	for b.Loop() {
		l.Hash(&h)
	}
}

// A history of 1,000 operations, decided by the witness and by Porcupine, and
// one that both refuse.
func BenchmarkLinearizable(b *testing.B) {
	history := contendedHistory(10, 50)
	broken := breakLast(history)
	o := LinearizableOptions{}
	b.Run("witness", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			at, _ := mutexWitness(history, o)
			require.Negative(b, at)
		}
	})
	b.Run("porcupine", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			require.Equal(b, porcupine.Ok, searchMutex(mutexOperations(history, o), o))
		}
	})
	b.Run("porcupine-refused", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			require.Equal(b, porcupine.Illegal, searchMutex(mutexOperations(broken, o), o))
		}
	})
	b.Run("refused", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			require.Equal(b, Failed, MutexLinearizable(broken, o).Verdict)
		}
	})
}
