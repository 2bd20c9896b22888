package simzk

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/faults"
	"zoosim/recipes/zk"
	"zoosim/zkmodel"
)

// A cut with a request under way loses it, or has it applied first, by
// choice; the client cannot tell. The session is kept.
func TestCutWithARequestUnderWay(t *testing.T) {
	for choice, applied := range []bool{false, true} {
		r := newRig(t)
		r.script[LabelCut] = []int{choice}
		p := r.spawn(func(s *shell) {
			_, err := s.c.Create(s.bg, "/a", nil, zk.Persistent)
			s.say("create: %v", err)
			st, err := s.c.Exists(s.bg, "/a")
			s.say("exists: %v %t", err, st.Exists())
		})
		r.at(25*time.Millisecond, func() { require.True(t, r.w.Cut(p)) })
		r.run(30 * time.Second)
		require.Empty(t, r.script[LabelCut], "the choice was made")
		said := withoutTimes(r.said("A"))
		require.Equal(t, "create: zk: connection loss", said[0])
		require.Equal(t, map[bool]string{false: "exists: <nil> false", true: "exists: <nil> true"}[applied], said[1])
		require.Equal(t, applied, r.served(zkmodel.OpCreate) == 1)
		require.Equal(t, []string{"25ms bit A cut"}, r.log("bit"))
		require.Equal(t, []string{"up A 1", "down A", "up A 1"}, withoutTimes(r.log("up", "down", "lost")))
	}
}

// A reply that is under way when the connection is cut is lost.
func TestCutWithAReplyUnderWay(t *testing.T) {
	r := newRig(t)
	p := r.spawn(func(s *shell) {
		_, err := s.c.Create(s.bg, "/a", nil, zk.Persistent)
		s.say("create: %v", err)
	})
	r.script[LabelCut] = []int{1}
	r.at(35*time.Millisecond, func() { r.w.Cut(p) })
	r.run(30 * time.Second)
	require.Equal(t, []string{"create: zk: connection loss"}, withoutTimes(r.said("A")))
	require.True(t, r.exists("/a"))
	require.Len(t, r.script[LabelCut], 1, "with nothing under way to the server there is nothing to choose")
}

// A process without a connection cannot be cut.
func TestCutWithoutAConnection(t *testing.T) {
	r := newRig(t)
	p := r.spawn(func(s *shell) {})
	r.at(time.Second, func() { require.True(t, r.w.Cut(p)) })
	r.at(time.Second+time.Millisecond, func() { require.False(t, r.w.Cut(p), "cut already") })
	r.run(2 * time.Second)
	require.Len(t, r.log("bit"), 1)
}

// What a client loses and keeps by a partition depends on its length: the
// client gives the connection up after 2/3 of the session timeout of 6 s, the
// server the session after 6 to 8 s.
func TestPartition(t *testing.T) {
	for _, c := range []struct {
		name   string
		length time.Duration
		create string
		seen   []string
		exists bool
	}{
		{"shorter than the read timeout", 1500 * time.Millisecond, "<nil>", []string{"up A 1"}, true},
		{"shorter than the session timeout", 5 * time.Second, "zk: connection loss", []string{"up A 1", "down A", "up A 1"}, true},
		{"longer", 20 * time.Second, "zk: connection loss", []string{"up A 1", "down A", "lost A", "up A 2"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			in := r.plan()
			p := r.spawnWith(renewing(), false, func(s *shell) {
				_, err := s.c.Create(s.bg, "/e", nil, zk.Ephemeral)
				require.NoError(t, err)
				_ = s.Sleep(s.bg, 2*time.Second-s.Now())
				_, err = s.c.Create(s.bg, "/f", nil, zk.Persistent)
				s.say("%v", err)
			})
			r.at(2*time.Second, func() { r.w.Partition(p) })
			heal := 2*time.Second + c.length
			before := 0
			r.at(2*time.Second, func() { before = len(r.log("served", "sent")) })
			r.at(heal, func() {
				require.Len(t, r.log("served", "sent"), before, "nothing gets through")
				r.w.Heal(p)
			})
			r.run(2*time.Minute - time.Millisecond)
			require.Equal(t, []string{c.create}, withoutTimes(r.said("A")))
			require.Equal(t, c.seen, withoutTimes(r.log("up", "down", "lost")))
			require.Equal(t, c.exists, r.exists("/e"))
			require.Equal(t, []string{"bit A partition"}, withoutTimes(r.log("bit")))
			require.Equal(t, 1, in.Effects(faults.Partition).Bitten)
		})
	}
}

// A request that was under way when the partition began is held, not lost.
func TestPartitionHoldsWhatIsUnderWay(t *testing.T) {
	r := newRig(t)
	p := r.spawn(func(s *shell) {
		_, err := s.c.Create(s.bg, "/a", nil, zk.Persistent)
		s.say("%v", err)
	})
	r.at(25*time.Millisecond, func() { r.w.Partition(p) })
	r.run(time.Second)
	require.False(t, r.exists("/a"))
	require.False(t, r.w.K.Quiet(), "what is held can still happen")
	r.at(time.Second, func() { r.w.Heal(p) })
	r.run(2 * time.Second)
	require.Equal(t, []string{"1.02s <nil>"}, r.said("A"))
}

// A partition in which nothing was sent has changed nothing.
func TestPartitionThatHoldsNothingDoesNotBite(t *testing.T) {
	r := newRig(t)
	in := r.plan()
	p := r.spawn(func(s *shell) { _ = s.Sleep(s.bg, 10*time.Second) })
	r.at(500*time.Millisecond, func() { r.w.Partition(p) })
	r.at(600*time.Millisecond, func() { r.w.Heal(p); r.w.Heal(p) })
	r.run(20 * time.Second)
	require.Empty(t, r.log("bit", "down", "lost"))
	require.Equal(t, faults.Effects{}, in.Effects(faults.Partition))
}

// A partition of one process is none of another.
func TestPartitionOfOneProcess(t *testing.T) {
	r := newRig(t)
	p := r.spawn(func(s *shell) { _ = s.Sleep(s.bg, 60*time.Second) })
	r.spawn(func(s *shell) {
		for range 20 {
			_ = s.Sleep(s.bg, time.Second)
			_, err := s.c.Exists(s.bg, "/")
			require.NoError(t, err)
		}
		s.say("done")
	})
	r.at(time.Second, func() { r.w.Partition(p) })
	r.run(50 * time.Second)
	require.Equal(t, []string{"done"}, withoutTimes(r.said("B")))
	require.Equal(t, []string{"down A"}, withoutTimes(r.log("down", "lost")))
}

// The resource refuses a token lower than the highest it has seen. A write
// that is under way does not depend on its process any more.
func TestResource(t *testing.T) {
	r := newRig(t)
	p := r.spawn(func(s *shell) {
		for _, token := range []int64{3, 5, 4, 5, 6} {
			s.say("%d %t", token, s.p.Write(token))
		}
		s.p.Write(9)
		s.say("never")
	})
	r.run(21500 * time.Microsecond)
	r.at(22100*time.Microsecond, func() { r.w.Crash(p, faults.Crash) })
	r.run(time.Second)
	require.Equal(t, []string{"3 true", "5 true", "4 false", "5 true", "6 true"}, withoutTimes(r.said("A")))
	require.Equal(t, []string{
		"wrote A 3 true", "wrote A 5 true", "wrote A 4 false", "wrote A 5 true", "wrote A 6 true", "wrote A 9 true",
	}, withoutTimes(r.log("wrote")))
}

// A gate holds a process until it is opened.
func TestGates(t *testing.T) {
	r := newRig(t)
	p := r.spawn(func(s *shell) {
		s.p.AwaitGate(2)
		s.say("through")
		s.p.AwaitGate(0)
		s.say("through")
	})
	r.run(10 * time.Second)
	require.True(t, p.AtGate(2))
	require.False(t, p.AtGate(0))
	require.Empty(t, r.said("A"))
	require.True(t, r.w.K.Quiet(), "a process at a gate does nothing")
	r.w.OpenGate(p)
	require.False(t, p.AtGate(2))
	r.run(11 * time.Second)
	require.True(t, p.AtGate(0))
	require.Len(t, r.said("A"), 1)
	r.w.OpenGate(p)
	r.w.OpenGate(p)
	r.run(12 * time.Second)
	require.Len(t, r.said("A"), 2)
}

// Records come in the order in which the program makes them, with the
// requests between them.
func TestRecordsKeepTheirPlace(t *testing.T) {
	r := newRig(t)
	r.spawn(func(s *shell) {
		s.say("one")
		s.say("two")
		_, err := s.c.Create(s.bg, "/a", nil, zk.Persistent)
		s.say("three %v", err)
	})
	r.run(time.Second)
	require.Equal(t, []string{"A: one", "A: two", "served create A /a", "A: three <nil>"}, withoutTimes(r.log("A:", "served create")))
}
