package scenarios

import (
	"context"

	"zoosim/checker"
	"zoosim/recipes/election"
	"zoosim/recipes/zk"
)

// electionFamily is leader elections. To lead is to hold what one client may
// hold at a time.
func electionFamily() *family {
	return &family{
		name: "election", dir: "/election", what: "candidacy", baseline: "election/zkdocs",
		properties: checker.LockProperties(),
		variants:   func() []Variant { return ofElections(election.Variants()) },
		judge:      func() judge { return &electionJudge{} },
		tell:       tellElection,
		keep:       Reductions{Delivery: true, Private: true, Done: true, Symmetry: true, Defer: true},
	}
}

func ofElections(vs []election.Variant) []Variant {
	all := make([]Variant, len(vs))
	for i, v := range vs {
		all[i] = Variant{
			Recipe: v.Recipe, FIFO: v.FIFO, MaxFanOut: v.MaxFanOut, StopsAtDisconnect: v.StopsAtDisconnect,
			family: electionFamily(), eventThread: v.EventThread,
			actor: func() actor { return &electionActor{v: &vs[i]} },
		}
	}
	return all
}

// electionJudge is the monitors of an election.
type electionJudge struct{ lockJudge }

func (j *electionJudge) reset(r *Runner) {
	cfg := r.lockConfig()
	cfg.Object, cfg.Operation = "the leadership", "candidacy"
	j.Reset(cfg)
}

func (j *electionJudge) copyInto(dst judge) { j.Lock.CopyInto(&dst.(*electionJudge).Lock) }

// operations are those of an election in terms: who leads in which.
func (j *electionJudge) operations(r *Runner) *Operations {
	return &Operations{"election", checker.ElectionOperations(r.history)}
}

// electionActor is a process's end of an election.
type electionActor struct {
	v    *election.Variant
	e    election.Election
	lost zk.Latch // opens when the leadership of the operation under way is lost
}

// perform is one candidacy: to lead for a while, again if the leadership is
// lost meanwhile, and to resign.
func (x *electionActor) perform(ctx context.Context, w *worker, a *acquisition) {
	op, ok := x.lead(ctx, w, a)
	for again := 1; ok && !x.stay(ctx, w, a) && again < w.g.attempts; again++ {
		var leads bool
		if op, leads = x.lead(ctx, w, a); !leads {
			break
		}
	}
	if x.e == nil {
		return
	}
	if !ok {
		op = w.op - 1 // the attempt that failed
	}
	w.release(op, func() error { return x.e.Resign(ctx) })
	if x.v.Once {
		x.e = nil
	}
}

// lead waits until the process leads.
func (x *electionActor) lead(ctx context.Context, w *worker, a *acquisition) (int32, bool) {
	return w.acquire(a, func() (bool, error) {
		x.lost = w.p.Env().NewLatch()
		if x.e == nil {
			e, err := x.v.New(ctx, w.client, w.p.Env(), election.Options{Dir: w.g.dir, OnLoss: func() {
				w.record(checker.Deposed, 0, 0, 0, "")
				x.lost.Open()
			}})
			if err != nil {
				return false, err
			}
			x.e = e
		}
		return true, x.e.Campaign(ctx)
	}, func() (int64, int64) { return 0, x.e.Term() })
}

// stay leads for the time of the operation; false if the leadership was lost
// before.
func (x *electionActor) stay(ctx context.Context, w *worker, a *acquisition) bool {
	if w.g.serial || a.hold == 0 {
		w.hold(ctx, a)
		return true
	}
	timed, cancel := w.p.Env().WithTimeout(ctx, a.hold)
	defer cancel()
	return x.lost.Wait(timed) != nil
}

// tellElection says what a client does.
func tellElection(e *checker.Event) string {
	switch e.Kind {
	case checker.Invoke:
		return "stands for election"
	case checker.Grant:
		return "LEADS"
	case checker.Deposed:
		return "leads no more"
	case checker.Fail:
		return "fails: " + e.Text
	case checker.ReleaseInvoke:
		return "resigns"
	case checker.ReleaseReturn:
		if e.Text != "" {
			return "fails to resign: " + e.Text
		}
		return "has resigned"
	}
	return tellLife(e)
}
