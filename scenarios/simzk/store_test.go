package simzk

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/faults"
	"zoosim/recipes/zk"
	"zoosim/sim"
)

// storeRig is a rig whose clients talk to a store: a call and its answer take
// 0.2 ms each.
func storeRig(t *testing.T, kind zk.StoreKind) *rig {
	r := newRig(t)
	r.w.SetStore(kind, true)
	return r
}

func (r *rig) client(f func(s *shell, st zk.Store)) *Process {
	n := len(r.procs)
	p := r.w.Spawn(ProcessOptions{Client: n, Name: string(rune('A' + n)), Store: r.w.store.kind}, func(p *Process) {
		f(&shell{Env: p.Env(), p: p, bg: p.Env().Background()}, p.Env().Store())
	})
	r.procs = append(r.procs, p)
	return p
}

// tell says what a request came to.
func (s *shell) tell(what string, a zk.StoreAnswer, err error) {
	text := fmt.Sprintf("%s %t %d", what, a.Done, a.Token)
	if err != nil {
		text = what + " " + err.Error()
	}
	s.say("%s at %v", text, s.Now())
}

func TestStoreServesAndLeasesEnd(t *testing.T) {
	for kind, token := range map[zk.StoreKind]int{zk.StoreDatabase: 1, zk.StoreRedis: 0} {
		r := storeRig(t, kind)
		r.client(func(s *shell, st zk.Store) {
			a, err := st.Claim(s.bg, "a", 10*time.Second)
			s.tell("claim", a, err)
		})
		r.client(func(s *shell, st zk.Store) {
			_ = s.Sleep(s.bg, time.Second)
			a, err := st.Claim(s.bg, "b", 10*time.Second)
			s.tell("claim", a, err)
			_ = s.Sleep(s.bg, 10*time.Second)
			a, err = st.Claim(s.bg, "b", 10*time.Second)
			s.tell("claim", a, err)
			a, err = st.Drop(s.bg, "a")
			s.tell("drop of a", a, err)
			a, err = st.Extend(s.bg, "b", time.Second)
			s.tell("extend", a, err)
			over, cancel := s.WithTimeout(s.bg, 0)
			defer cancel()
			_ = s.Sleep(s.bg, time.Second)
			_, err = st.Drop(over, "b")
			s.say("%v", err)
		})
		r.run(time.Minute)
		require.Equal(t, []string{fmt.Sprintf("400µs claim true %d at 400µs", token)}, r.said("A"))
		require.Equal(t, []string{
			"claim false 0 at 1.0004s", fmt.Sprintf("claim true %d at 11.0008s", 2*token), "drop of a false 0 at 11.0012s",
			fmt.Sprintf("extend true %d at 11.0016s", 2*token), "context deadline exceeded",
		}, withoutTimes(r.said("B")))
		require.Len(t, r.log("store:"), 5, "what is not sent is not served")
	}
}

// A request is lost before the store has it or behind that; the client is told
// the same.
func TestStoreLosesRequestsAndAnswers(t *testing.T) {
	for _, k := range []faults.Kind{faults.CutRequest, faults.CutReply} {
		r := storeRig(t, zk.StoreDatabase)
		in := r.plan(faults.Fault{Kind: k, Request: 1})
		r.client(func(s *shell, st zk.Store) {
			a, err := st.Claim(s.bg, "a", 10*time.Second)
			s.tell("claim", a, err)
			a, err = st.Extend(s.bg, "a", 10*time.Second)
			s.tell("extend", a, err)
		})
		r.run(time.Minute)
		extended := "extend false 0"
		if k == faults.CutReply {
			extended = "extend true 1"
		}
		require.Equal(t, []string{"claim zk: connection loss at 1.2ms", extended + " at 1.6ms"}, withoutTimes(r.said("A")))
		require.Equal(t, faults.Effects{Struck: 1, Bitten: 1}, in.Effects(k))
	}
}

// A cut loses the call on its way to the store, or the answer on its way back;
// with neither it does nothing.
func TestStoreCut(t *testing.T) {
	for at, served := range map[time.Duration]int{100 * time.Microsecond: 0, 300 * time.Microsecond: 1} {
		r := storeRig(t, zk.StoreRedis)
		p := r.client(func(s *shell, st zk.Store) {
			a, err := st.Claim(s.bg, "a", 10*time.Second)
			s.tell("claim", a, err)
		})
		r.at(at, func() { require.True(t, r.w.Cut(p)) })
		r.at(time.Second, func() { require.False(t, r.w.Cut(p)) })
		r.run(time.Minute)
		require.Contains(t, r.said("A")[0], "connection loss")
		require.Len(t, r.log("store:"), served)
		require.Len(t, r.log("bit"), 1)
	}
}

// Behind a partition the client waits for 2 s; its call arrives when the
// partition heals, and its late answer does not reach anybody.
func TestStorePartition(t *testing.T) {
	r := storeRig(t, zk.StoreRedis)
	p := r.client(func(s *shell, st zk.Store) {
		a, err := st.Claim(s.bg, "a", 10*time.Second)
		s.tell("claim", a, err)
		a, err = st.Claim(s.bg, "b", 10*time.Second)
		s.tell("claim", a, err)
		a, err = st.Claim(s.bg, "c", 10*time.Second)
		s.tell("claim", a, err)
	})
	r.at(100*time.Microsecond, func() { r.w.Partition(p) })
	r.at(3*time.Second, func() { r.w.Heal(p) })
	r.run(time.Minute)
	require.Equal(t, []string{
		"claim zk: connection loss at 2.0002s", "claim false 0 at 3.0004s", "claim false 0 at 3.0008s",
	}, withoutTimes(r.said("A")))
	require.Equal(t, []string{
		"store: claim of A: done", "store: claim of A: refused, a has it", "store: claim of A: refused, a has it",
	}, withoutTimes(r.log("store:")))
	require.Len(t, r.log("bit"), 2, "the patience that ended, and what was let go")
}

// A crashed client's call is carried out, and its lease ends by itself.
func TestStoreAndACrash(t *testing.T) {
	r := storeRig(t, zk.StoreRedis)
	p := r.client(func(s *shell, st zk.Store) {
		_, err := st.Claim(s.bg, s.GUID(), 10*time.Second)
		s.say("never: %v", err)
	})
	r.client(func(s *shell, st zk.Store) {
		for {
			if a, _ := st.Claim(s.bg, s.GUID(), 10*time.Second); a.Done {
				s.say("has it")
				return
			}
			_ = s.Sleep(s.bg, time.Second)
		}
	})
	r.at(100*time.Microsecond, func() { r.w.Crash(p, faults.Crash) })
	r.run(time.Minute)
	require.Empty(t, r.said("A"))
	require.Equal(t, []string{"10.0044s has it"}, r.said("B"))
	require.Contains(t, r.log("store:")[1], "refused, A has it")
}

// The replica goes on with what it has; while it lags that is nothing.
func TestStoreFailOver(t *testing.T) {
	for _, c := range []struct {
		lags, lost bool
		at         time.Duration
	}{{false, true, 300 * time.Microsecond}, {false, false, 500 * time.Microsecond}, {true, true, time.Second}} {
		r := storeRig(t, zk.StoreRedis)
		p := r.client(func(s *shell, st zk.Store) {
			a, err := st.Claim(s.bg, "a", 10*time.Second)
			s.tell("claim", a, err)
			_ = s.Sleep(s.bg, 2*time.Second)
			a, err = st.Drop(s.bg, "a")
			s.tell("drop", a, err)
		})
		if c.lags {
			r.at(0, func() { require.Equal(t, replicaServer, r.w.Lag(p)) })
			r.at(3*time.Second, func() { r.w.CatchUp(replicaServer) })
		}
		r.at(c.at, func() {
			require.Equal(t, primaryServer, r.w.CrashLeader())
			require.Zero(t, r.w.CrashLeader(), "there is no other")
			require.Zero(t, r.w.Lag(p))
		})
		r.at(c.at+time.Second, func() { r.w.StartServer(primaryServer) })
		r.run(time.Minute)
		require.Contains(t, r.said("A")[1], fmt.Sprintf("drop %t 0", !c.lost), "%+v", c)
	}
	r := storeRig(t, zk.StoreDatabase)
	p := r.client(func(*shell, zk.Store) {})
	require.Zero(t, r.w.CrashLeader())
	require.Zero(t, r.w.Lag(p))
}

// The lease of a live holder can be made to end, and nobody else's.
func TestStoreExpiry(t *testing.T) {
	r := storeRig(t, zk.StoreDatabase)
	p := r.client(func(s *shell, st zk.Store) {
		a, err := st.Claim(s.bg, "a", 10*time.Second)
		s.tell("claim", a, err)
		_ = s.Sleep(s.bg, 2*time.Second)
		a, err = st.Drop(s.bg, "a")
		s.tell("drop", a, err)
	})
	q := r.client(func(s *shell, st zk.Store) { _, _ = st.Claim(s.bg, "b", 10*time.Second) })
	r.at(time.Second, func() {
		require.True(t, r.w.HoldsToken(1))
		require.False(t, r.w.Expire(q))
		require.True(t, r.w.Expire(p))
		require.False(t, r.w.Expire(p))
		require.False(t, r.w.HoldsToken(1))
	})
	r.run(time.Minute)
	require.Contains(t, r.said("A")[1], "drop false 0")
	require.Equal(t, []string{"bit A expiry"}, withoutTimes(r.log("bit")))
}

// A client that asks without an end keeps the memory of its calls.
func TestStoreUsesSlotsAgain(t *testing.T) {
	r := storeRig(t, zk.StoreRedis)
	for range 3 {
		r.client(func(s *shell, st zk.Store) {
			for range 100 {
				_, _ = st.Claim(s.bg, s.GUID(), time.Second)
			}
		})
	}
	r.run(time.Minute)
	require.Len(t, r.log("store:"), 300)
	require.LessOrEqual(t, len(r.w.store.calls), 3)
	require.False(t, r.w.store.busy())
	require.Equal(t, sim.Running, r.procs[0].Status())
}
