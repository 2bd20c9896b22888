package scenarios

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"zoosim/faults"
	"zoosim/sim/explore"
)

func TestTry2(t *testing.T) {
	f := os.Getenv("F")
	s := Default(os.Getenv("V"))
	n, ops, secs, workers := 3, 1, 60, 2
	fmt.Sscan(os.Getenv("N"), &n, &ops, &secs, &workers)
	s.Attempts = 1
	s.Clients, s.Ops, s.Mode, s.Arrivals, s.Hold, s.FixedHold = n, ops, ModeBlocking, ArriveTogether, time.Millisecond, true
	s.Faults, _ = faults.ParseBudget(f)
	on, err := ParseReductions(os.Getenv("R"))
	if err != nil {
		t.Fatal(err)
	}
	var mds []explore.Model[*Runner, move]
	for range workers {
		md, err := newModel(s, 32, on)
		if err != nil {
			t.Fatal(err)
		}
		defer md.close()
		mds = append(mds, md)
	}
	t0 := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(secs)*time.Second)
	res := explore.Prove(ctx, mds, explore.Limits{})
	cancel()
	d := time.Since(t0)
	fmt.Println(n, f, on, res.States, res.Transitions, res.MaxDepth, res.Complete, res.Ends, len(res.Failures), d, float64(res.States)/d.Seconds())
	for _, x := range res.Failures {
		fmt.Println(x.Bit, len(x.Path))
	}
}

func TestTry3(t *testing.T) {
	s := Default(os.Getenv("V"))
	n, ops, states, bit := 2, 1, 3000000, 4
	fmt.Sscan(os.Getenv("N"), &n, &ops, &states, &bit)
	s.Attempts = 1
	s.Clients, s.Ops, s.Mode, s.Arrivals, s.Hold, s.FixedHold = n, ops, ModeBlocking, ArriveTogether, time.Millisecond, true
	s.Faults, _ = faults.ParseBudget(os.Getenv("F"))
	on, _ := ParseReductions(os.Getenv("R"))
	md, err := newModel(s, 32, on)
	if err != nil {
		t.Fatal(err)
	}
	defer md.close()
	res := explore.Shortest[*Runner, move](context.Background(), md, explore.Limits{States: states}, 1<<bit)
	fmt.Println(res.States, res.MaxDepth, res.Complete, len(res.Failures))
	for _, f := range res.Failures {
		if f.Bit != bit {
			continue
		}
		r := md.New()
		r.Record(true)
		r.keepHistory = true
		md.Begin(r)
		for _, m := range f.Path {
			md.Do(r, m)
		}
		for _, e := range r.Trace() {
			fmt.Println(e.Step, e.Text)
		}
		for _, x := range r.monitor.Finish(r.history) {
			if x.Verdict == "fail" {
				fmt.Println(x.Property, x.Why)
			}
		}
	}
}
