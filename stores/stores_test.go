package stores

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const ms = time.Millisecond

func claim(owner string) Request  { return Request{Claim, owner, 10 * ms} }
func extend(owner string) Request { return Request{Extend, owner, 10 * ms} }
func drop(owner string) Request   { return Request{Drop, owner, 0} }

func TestLeases(t *testing.T) {
	for name, m := range map[string]Machine{"database": &Database{}, "redis": &Redis{}} {
		for _, step := range []struct {
			at   time.Duration
			r    Request
			done bool
			then string
		}{
			{0, drop("a"), false, ""},
			{0, claim("a"), true, "a"},
			{1 * ms, claim("a"), false, "a"}, // NX does not ask whose it is
			{9 * ms, claim("b"), false, "a"},
			{9 * ms, drop("b"), false, "a"},
			{9 * ms, extend("b"), false, "a"},
			{9 * ms, extend("a"), true, "a"},
			{18 * ms, claim("b"), false, "a"},
			{19 * ms, extend("a"), false, ""}, // a lease that is over is not extended
			{19 * ms, claim("b"), true, "b"},
			{20 * ms, drop("a"), false, "b"}, // another's by now
			{20 * ms, drop("b"), true, ""},
			{21 * ms, claim("a"), true, "a"},
			{22 * ms, Request{Op: Clear, Owner: "b"}, true, ""},
			{22 * ms, Request{Op: Clear, Owner: "b"}, false, ""},
		} {
			require.Equal(t, step.done, m.Handle(step.at, step.r).Done, "%s: %s of %s at %v", name, step.r.Op, step.r.Owner, step.at)
			require.Equal(t, step.then, m.Owner(step.at), "%s at %v", name, step.at)
		}
		require.False(t, m.End(23*ms), name)
		require.True(t, m.Handle(23*ms, claim("a")).Done, name)
		require.True(t, m.End(24*ms), name)
		require.Empty(t, m.Owner(24*ms), name)
	}
}

// The token is that of the claim, however often its lease is extended.
func TestTokensOfADatabase(t *testing.T) {
	d := &Database{}
	require.Equal(t, Answer{true, 1}, d.Handle(0, claim("a")))
	require.Equal(t, Answer{true, 1}, d.Handle(5*ms, extend("a")))
	require.Equal(t, Answer{}, d.Handle(6*ms, claim("b")))
	require.Equal(t, Answer{Done: true}, d.Handle(7*ms, drop("a")))
	require.Equal(t, Answer{true, 2}, d.Handle(8*ms, claim("b")))
	require.EqualValues(t, 2, d.Version())
}

// A fail-over loses the changes that the replica does not have, and no others.
func TestFailOver(t *testing.T) {
	for replicated, want := range []string{"", "a", "", "b"} {
		r := &Redis{}
		r.Handle(0, claim("a"))
		r.Handle(1*ms, drop("a"))
		r.Handle(2*ms, claim("b"))
		require.Equal(t, 3, r.Behind())
		for range replicated {
			r.Replicate()
		}
		require.True(t, r.FailOver())
		require.Equal(t, want, r.Owner(3*ms), "%d changes", replicated)
		require.False(t, r.FailOver(), "there is no replica")
		r.Handle(3*ms, claim("c"))
		require.Zero(t, r.Behind(), "nobody to tell")
		owner := r.Owner(4 * ms)
		r.Rejoin()
		require.True(t, r.FailOver())
		require.Equal(t, owner, r.Owner(4*ms), "who joins copies everything")
	}
}

// naive is what a store is: everything that happened, looked through anew.
type naive struct {
	log    []logged // what changed the key
	seen   int      // of it, at the replica
	down   bool
	issued int64
}

type logged struct {
	owner string
	until time.Duration
}

func (n *naive) owner(now time.Duration) string {
	if len(n.log) == 0 || n.log[len(n.log)-1].until <= now {
		return ""
	}
	return n.log[len(n.log)-1].owner
}

func (n *naive) set(e logged) {
	n.log = append(n.log, e)
	if n.down {
		n.seen = len(n.log)
	}
}

func (n *naive) handle(now time.Duration, r Request) bool {
	has := n.owner(now)
	allowed := map[Op]bool{Claim: has == "", Extend: has == r.Owner, Drop: has == r.Owner, Clear: has != ""}[r.Op]
	switch {
	case !allowed:
	case r.Op == Claim || r.Op == Extend:
		if r.Op == Claim {
			n.issued++
		}
		n.set(logged{r.Owner, now + r.Lease})
	default:
		n.set(logged{})
	}
	return allowed
}

// Both machines do what a log that is looked through does, whatever comes, and
// go on alike from a copy.
func TestMachinesAgainstALog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, r, n := &Database{}, &Redis{}, &naive{}
		withFaults := rapid.Bool().Draw(t, "faults")
		now := time.Duration(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now += time.Duration(rapid.IntRange(0, 6).Draw(t, "pause")) * ms
			switch what := rapid.IntRange(0, 8).Draw(t, "what"); {
			case what == 8:
				had := n.owner(now) != ""
				if had {
					n.set(logged{})
				}
				require.Equal(t, had, r.End(now))
				if !withFaults {
					require.Equal(t, had, d.End(now))
				}
			case what == 7:
				if n.seen < len(n.log) {
					n.seen++
				}
				r.Replicate()
			case what == 6 && withFaults:
				require.Equal(t, !n.down, r.FailOver())
				if !n.down {
					n.log, n.down = slices.Clone(n.log[:n.seen]), true
				}
			case what == 5 && withFaults:
				n.down = false
				n.seen = len(n.log)
				if r.Single() {
					r.Rejoin()
				} else {
					for r.Behind() > 0 {
						r.Replicate()
					}
				}
			default:
				q := Request{
					Op:    Op(rapid.IntRange(0, 3).Draw(t, "op")),
					Owner: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "owner"),
					Lease: time.Duration(rapid.IntRange(1, 12).Draw(t, "lease")) * ms,
				}
				want := n.handle(now, q)
				require.Equal(t, Answer{Done: want}, r.Handle(now, q), "%v", q)
				if !withFaults {
					a := d.Handle(now, q)
					require.Equal(t, want, a.Done, "%v", q)
					if want && (q.Op == Claim || q.Op == Extend) {
						require.Equal(t, n.issued, a.Token)
					}
				}
			}
			require.Equal(t, n.owner(now), r.Owner(now))
			require.Equal(t, len(n.log)-n.seen, r.Behind())
			if !withFaults {
				require.Equal(t, n.owner(now), d.Owner(now))
			}
			c := &Redis{stream: make([]entry, 1, 4)}
			r.CopyInto(c)
			var own, copied []string
			r.Owners(func(o string) { own = append(own, o) })
			c.Owners(func(o string) { copied = append(copied, o) })
			require.Equal(t, own, copied)
			if rapid.IntRange(0, 3).Draw(t, "go on with the copy") == 0 {
				r.Handle(now, Request{Clear, "a", 0}) // must not reach it
				r = c
			}
		}
	})
}
