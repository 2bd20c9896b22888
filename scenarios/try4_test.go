package scenarios

import (
	"context"
	"fmt"
	"os"
	"sort"
	"testing"
	"time"

	"zoosim/faults"
	"zoosim/sim"
	"zoosim/sim/explore"
)

type statModel struct {
	*model
	hist map[string]int
}

func (m *statModel) Moves(r *Runner, dst []move) []move {
	all := r.moves(nil)
	out := r.reduce(append([]move(nil), all...), m.on)
	s := ""
	for i := range all {
		k := all[i]
		switch k.kind {
		case moveKernel:
			name := []string{"run", "dlv", "tmr", "app"}[k.kernel.Kind]
			if k.kernel.Kind == sim.MoveDeliver && k.kernel.Proc < 0 {
				name = "SRV"
			}
			s += name + " "
		case moveExpiry:
			s += "exp "
		case moveEnd:
			s += "end "
		case moveFault:
			s += ""
		}
	}
	if len(out) == len(all) && len(all) > 1 {
		s = "FULL " + s
	} else {
		s = fmt.Sprint("red ", len(out))
	}
	if r.ended {
		s = "ended"
	}
	m.hist[s]++
	return append(dst, out...)
}

func TestTry4(t *testing.T) {
	s := Default(os.Getenv("V"))
	n, ops := 2, 1
	fmt.Sscan(os.Getenv("N"), &n, &ops)
	s.Attempts = 1
	s.Clients, s.Ops, s.Mode, s.Arrivals, s.Hold, s.FixedHold = n, ops, ModeBlocking, ArriveTogether, time.Millisecond, true
	s.Faults, _ = faults.ParseBudget(os.Getenv("F"))
	on, _ := ParseReductions(os.Getenv("R"))
	md, err := newModel(s, 32, on)
	if err != nil {
		t.Fatal(err)
	}
	defer md.close()
	sm := &statModel{md, map[string]int{}}
	res := explore.Prove[*Runner, move](context.Background(), []explore.Model[*Runner, move]{sm}, explore.Limits{States: 500000})
	fmt.Println(res.States)
	var ks []string
	for k := range sm.hist {
		ks = append(ks, k)
	}
	sort.Slice(ks, func(i, j int) bool { return sm.hist[ks[i]] > sm.hist[ks[j]] })
	for i, k := range ks {
		if i < 30 {
			fmt.Println(sm.hist[k], k)
		}
	}
}
