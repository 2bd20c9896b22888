package checker

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// busyQueue is a history of a queue whose clients are always busy, one
// operation in ten of unknown outcome, with the order in which the operations
// took effect.
func busyQueue(clients, operations int) ([]Operation, []int) {
	r := rand.New(rand.NewPCG(uint64(clients), uint64(operations)))
	g := &generator{r: r, clients: make([]generated, clients)}
	for i := range g.clients {
		g.clients[i].op = -1
	}
	var inside []int64
	for len(g.ops) < operations {
		g.stamp++
		i := r.IntN(clients)
		c := &g.clients[i]
		if c.op < 0 {
			op := Operation{Client: int32(i), Call: g.stamp, Object: "queue", Kind: OpDequeue}
			if r.IntN(2) == 0 {
				op.Kind = OpEnqueue
				g.value++
				op.In = g.value
			}
			*c = generated{op: len(g.ops)}
			g.ops = append(g.ops, op)
			continue
		}
		op := &g.ops[c.op]
		if c.effect {
			op.Return = g.stamp
			if r.IntN(10) == 0 {
				op.Outcome = OutcomeUnknown
			}
			c.op = -1
			continue
		}
		c.effect = true
		g.order = append(g.order, c.op)
		switch {
		case op.Kind == OpEnqueue:
			inside = append(inside, op.In)
		case len(inside) == 0:
			op.Out = None
		default:
			op.Out, inside = inside[0], inside[1:]
		}
	}
	for i := range g.clients {
		if k := g.clients[i].op; k >= 0 {
			g.ops[k].Outcome = OutcomeUnknown
		}
	}
	return g.ops, g.order
}

// busyLock is a history of a lock with that many operations, acquires and
// releases of beliefs; one in ten is of unknown outcome: acquires that were
// never answered, releases whose reply was lost, losses.
func busyLock(clients, operations int) ([]Operation, []int) {
	r := rand.New(rand.NewPCG(uint64(clients), uint64(operations)))
	var ops []Operation
	var order []int
	put := func(op Operation) {
		op.Object, op.CallAt, op.ReturnAt = "lock", time.Duration(op.Call), time.Duration(op.Return)
		ops = append(ops, op)
		order = append(order, len(ops)-1)
	}
	waiting := make([]int64, clients) // since when
	stamp := int64(clients)
	for belief := int64(1); len(ops) < operations; belief++ {
		stamp += 4
		c := r.IntN(clients)
		if waiting[c] >= stamp { // its release has not returned yet
			continue
		}
		if r.IntN(10) == 0 { // another gives up and is never answered
			put(Operation{Client: int32(c), Kind: OpAcquire, In: belief, Outcome: OutcomeUnknown, Call: waiting[c]})
			order = order[:len(order)-1]
			waiting[c] = stamp
			continue
		}
		put(Operation{Client: int32(c), Kind: OpAcquire, In: belief, Call: waiting[c], Return: stamp})
		end := Operation{Client: int32(c), Kind: OpRelease, In: belief, Call: stamp + 1, Return: stamp + 3 + r.Int64N(20)}
		if r.IntN(10) == 0 {
			end.Outcome = OutcomeUnknown
		}
		put(end)
		waiting[c] = max(stamp+2, end.Return+1)
		stamp += 2
	}
	return ops[:operations], order
}

// breakLock makes the last holds overlap.
func breakLock(ops []Operation) []Operation {
	broken := append([]Operation(nil), ops...)
	for i := len(broken) - 3; i >= 0; i-- {
		if broken[i].Kind == OpRelease && broken[i+1].Kind == OpAcquire && broken[i+1].certain() {
			broken[i].Call, broken[i].Return = broken[len(broken)-1].Call+100, broken[len(broken)-1].Call+200
			return broken
		}
	}
	return nil
}

func BenchmarkDecideLock(b *testing.B) {
	ops, order := busyLock(10, 1000)
	broken := breakLock(ops)
	m := named(b, "mutex")
	b.Run("witness", func(b *testing.B) { benchDecide(b, m, ops, DecideOptions{Witness: order}, Pass) })
	b.Run("decide", func(b *testing.B) { benchDecide(b, m, ops, DecideOptions{}, Pass) })
	b.Run("porcupine", func(b *testing.B) { benchSearch(b, m, ops, Pass) })
	b.Run("refused/decide", func(b *testing.B) { benchDecide(b, m, broken, DecideOptions{NoEvidence: true}, Failed) })
	b.Run("refused/porcupine", func(b *testing.B) { benchSearch(b, m, broken, Failed) })
	b.Run("refused/evidence", func(b *testing.B) { benchDecide(b, m, broken, DecideOptions{}, Failed) })
}

func BenchmarkDecideQueue(b *testing.B) {
	m := named(b, "queue")
	for _, size := range []struct{ clients, operations int }{{3, 30}, {4, 50}, {20, 1000}, {20, 10_000}} {
		ops, order := busyQueue(size.clients, size.operations)
		at := fmt.Sprintf("%d-clients-%d", size.clients, size.operations)
		b.Run(at+"/witness", func(b *testing.B) { benchDecide(b, m, ops, DecideOptions{Witness: order}, Pass) })
		b.Run(at+"/decide", func(b *testing.B) { benchDecide(b, m, ops, DecideOptions{}, Pass) })
		if size.operations <= 50 {
			b.Run(at+"/porcupine", func(b *testing.B) { benchSearch(b, m, ops, Pass) })
		}
	}
}

// porcupineTime is what Porcupine alone is given for a history.
const porcupineTime = 10 * time.Second

// Decide beside the witness check and Porcupine alone on the same histories, as
// medians. Where Porcupine does not decide in its time, the ratio is a lower
// bound and is named so.
func BenchmarkDecideBesidePorcupine(b *testing.B) {
	queue := named(b, "queue")
	mutex := named(b, "mutex")
	lock, lockOrder := busyLock(10, 1000)
	type history struct {
		name  string
		m     Model
		ops   []Operation
		order []int // nil for one that is refused
		want  Verdict
	}
	histories := []history{
		{"lock-1000", mutex, lock, lockOrder, Pass},
		{"lock-1000-refused", mutex, breakLock(lock), nil, Failed},
	}
	for _, size := range []struct{ clients, operations int }{{3, 30}, {4, 50}, {10, 50}, {20, 1000}, {20, 10_000}} {
		ops, order := busyQueue(size.clients, size.operations)
		name := fmt.Sprintf("queue-%d-clients-%d", size.clients, size.operations)
		histories = append(histories, history{name, queue, ops, order, Pass})
	}
	for _, h := range histories {
		b.Run(h.name, func(b *testing.B) {
			decide := func(o DecideOptions) func() {
				return func() {
					if d := Decide(h.m, h.ops, o); d.Verdict != h.want {
						b.Fatal(d.Verdict, d.Why)
					}
				}
			}
			for b.Loop() {
				decide(DecideOptions{NoEvidence: true})()
			}
			took := median(101, decide(DecideOptions{NoEvidence: true}))
			b.ReportMetric(took.Seconds()*1000, "ms/decide")
			if h.order != nil {
				witness := median(101, decide(DecideOptions{Witness: h.order}))
				b.ReportMetric(witness.Seconds()*1000*1000/float64(len(h.ops)), "ms/witness-of-1000")
			}
			unit := "porcupine/decide"
			alone := func() {
				if search(&h.m, certainOrUnknown(h.ops), 0, porcupineTime).verdict == Unknown {
					unit = "porcupine/decide-at-least"
				}
			}
			slow := median(1, alone)
			if slow < time.Second {
				slow = median(9, alone)
			}
			b.ReportMetric(float64(slow)/float64(took), unit)
		})
	}
}

// median is the time that f takes, of that many runs.
func median(runs int, f func()) time.Duration {
	times := make([]time.Duration, runs)
	for i := range times {
		start := time.Now()
		f()
		times[i] = time.Since(start)
	}
	slices.Sort(times)
	return times[runs/2]
}

// certainOrUnknown leaves out the operations that had no effect.
func certainOrUnknown(ops []Operation) []Operation {
	return slices.DeleteFunc(slices.Clone(ops), func(op Operation) bool { return op.Outcome == OutcomeFailed })
}

func named(tb testing.TB, name string) Model {
	m, err := ModelByName(name)
	require.NoError(tb, err)
	return m
}

func benchDecide(b *testing.B, m Model, ops []Operation, o DecideOptions, want Verdict) {
	b.ReportAllocs()
	for b.Loop() {
		if d := Decide(m, ops, o); d.Verdict != want {
			b.Fatal(d.Verdict, d.Why)
		}
	}
}

func benchSearch(b *testing.B, m Model, ops []Operation, want Verdict) {
	b.ReportAllocs()
	part := certainOrUnknown(ops)
	for b.Loop() {
		if s := search(&m, part, 0, 20*time.Second); s.verdict != want {
			b.Skip(s.verdict, s.why)
		}
	}
}
