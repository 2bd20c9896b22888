package checker

import (
	"hash/fnv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// streamHash hashes as a search would.
type streamHash struct{ sum uint64 }

func (h *streamHash) Uint64(v uint64) {
	h.sum = (h.sum ^ v) * 0x9e3779b97f4a7c15
	h.sum ^= h.sum >> 29
}

func (h *streamHash) String(s string) {
	f := fnv.New64a()
	f.Write([]byte(s))
	h.Uint64(f.Sum64())
}

func hashOf(l *Lock) uint64 {
	var h streamHash
	l.Hash(&h)
	return h.sum
}

// partsOf hashes as a search of a symmetric scenario would.
func partsOf(l *Lock) uint64 {
	var h streamHash
	for i := range l.clients {
		l.HashClient(&h, i)
	}
	l.HashRest(&h)
	return h.sum
}

// rankedOf hashes with ranks that a world has made, here of small zxids.
func rankedOf(l *Lock) uint64 {
	var h streamHash
	l.HashRanked(&h, func(zxid int64) uint64 { return uint64(zxid) / 4 })
	return h.sum
}

// lockHashes are the ways to hash.
var lockHashes = map[string]func(*Lock) uint64{"whole": hashOf, "parts": partsOf, "ranked": rankedOf}

// clone keeps results, whose memory is used again.
func clone(results []Result) []Result { return append([]Result(nil), results...) }

func TestResetLeavesNothingBehind(t *testing.T) {
	var used Lock
	eachLockCase(t, func(t *testing.T, _ Property, c lockCase) {
		for _, history := range [][]Event{c.bad, c.good} {
			var fresh Lock
			want := clone(judge(&fresh, c.cfg, history))
			require.Equal(t, want, judge(&used, c.cfg, history))
			require.Equal(t, hashOf(&fresh), hashOf(&used))
		}
	})
	used.Reset(LockConfig{Clients: 2})
	var fresh Lock
	fresh.Reset(LockConfig{Clients: 2})
	require.Equal(t, hashOf(&fresh), hashOf(&used))
	require.Equal(t, clone(fresh.Finish(nil)), used.Finish(nil))
}

// A copy at any point goes on as the original would have, and neither
// notices what becomes of the other.
func TestCopiesAreIndependent(t *testing.T) {
	var dst Lock
	eachLockCase(t, func(t *testing.T, _ Property, c lockCase) {
		var whole Lock
		want := clone(judge(&whole, c.cfg, c.bad))
		for cut := range c.bad {
			var src Lock
			src.Reset(c.cfg)
			for i := range c.bad[:cut] {
				src.Observe(&c.bad[i])
			}
			src.CopyInto(&dst)
			before := hashOf(&src)
			require.Equal(t, before, hashOf(&dst))
			for i := range c.bad[cut:] {
				dst.Observe(&c.bad[cut+i])
			}
			require.Equal(t, want, dst.Finish(c.bad))
			require.Equal(t, before, hashOf(&src))
			dst.Reset(LockConfig{Clients: 4})
			require.Equal(t, before, hashOf(&src))
			for i := range c.bad[cut:] {
				src.Observe(&c.bad[cut+i])
			}
			require.Equal(t, want, src.Finish(c.bad))
		}
	})
}

func TestCopyIntoItself(t *testing.T) {
	c := readLockCases(t, Exclusion)[0]
	var l Lock
	want := clone(judge(&l, c.cfg, c.bad))
	l.CopyInto(&l)
	require.Equal(t, want, l.Finish(c.bad))
}

// Equal states differ in times and in zxids of the same order, and nothing
// else; what later verdicts depend on makes states differ.
func TestHash(t *testing.T) {
	for _, hashOf := range []func(*Lock) uint64{hashOf, partsOf} {
		testHash(t, hashOf)
	}
}

func testHash(t *testing.T, hashOf func(*Lock) uint64) {
	cfg := LockConfig{Clients: 3, FIFO: true, Tokens: true}
	hash := func(text string) uint64 {
		var l Lock
		judge(&l, cfg, parseHistory(t, text))
		return hashOf(&l)
	}
	base := `
		0.000 A invoke 0
		0.000 B invoke 0
		0.100 A create zxid=5
		0.200 B create zxid=9
		0.300 A grant 0 token=5
	`
	require.Equal(t, hash(base), hash(`
		1.000 A invoke 0
		1.000 B invoke 0
		1.100 A create zxid=50
		1.200 B create zxid=51
		7.300 A grant 0 token=50
	`))
	different := map[uint64]string{hash(base): base}
	for _, more := range []string{
		"1 C invoke 0", "1 C invoke 0 mode=try", "1 C invoke 0 mode=timed limit=1s", "1 C invoke 0 mode=timed limit=2s",
		"1 A release 0", "1 A lost", "1 A crash", "1 A pause", "1 A done", "1 A down", "1 A up session=7",
		"1 B crash", "1 B fault text=cut", "1 B session-end", "1 A session-end", "1 B panic text=x",
		"1 C create zxid=10", "1 A create zxid=10", "1 A delete zxid=5", "1 B delete zxid=9", "1 B grant 0 token=9",
		"1 A write-accepted token=5", "1 - quiescent", "1 - cut-off", "1 A restart",
	} {
		h := hash(base + more)
		require.Empty(t, different[h], more)
		different[h] = more
	}
}

// What a flag of the same event would tell as well is told by itself.
func TestHashTellsSmallThingsApart(t *testing.T) {
	for _, pair := range [][2]string{
		// The mode of the running acquire, when a timed one was seen before.
		{"0 B invoke 0 mode=try\n 1 A invoke 0", "0 B invoke 0 mode=try\n 1 A invoke 0 mode=try"},
		// That the first operation began before the end of a session.
		{
			"0 A up session=1\n 1 A invoke 0\n 2 A up session=2",
			"0 A up session=1\n 1 A invoke 0\n 1 A session-end session=1\n 2 A up session=2",
		},
		// That the notice of a session's end is still owed.
		{
			"0 A up session=1\n 1 A invoke 0\n 1 A session-end session=1\n 2 A up session=2",
			"0 A up session=1\n 1 A invoke 0\n 1 A lost\n 2 A up session=2",
		},
		// That the first of two operations began before the end of a session.
		{
			"0 A up session=1\n 1 A invoke 0\n 1 A refuse 0\n 2 A invoke 1",
			"0 A up session=1\n 1 A invoke 0\n 1 A session-end session=1\n 1 A up session=1\n 1 A refuse 0\n 2 A invoke 1",
		},
		// Whose the hold is, and the ticket.
		{"0 A grant 0", "0 B grant 0"},
		{"0 A create zxid=4\n 0 B create zxid=5\n 1 A lost", "0 B create zxid=4\n 0 A create zxid=5\n 1 A lost"},
		// What the resource and the grants have seen: nothing, or the token of a
		// ticket that lives.
		{
			"0 A invoke 0\n 1 A create zxid=4\n 2 A refuse 0",
			"0 A invoke 0\n 1 A create zxid=4\n 2 A grant 0 token=4\n 3 A write-accepted token=4\n 4 A release 0\n 5 A released 0",
		},
		{
			"0 B create zxid=1\n 0 A invoke 0\n 1 A create zxid=4\n 2 A refuse 0",
			"0 B create zxid=1\n 0 A invoke 0\n 1 A create zxid=4\n 2 A grant 0 token=4\n 3 A write-accepted token=4\n 4 A release 0\n 5 A released 0",
		},
		// Which of two tickets the grant was on.
		{"0 A create zxid=4\n 0 A create zxid=9\n 1 A grant 0 token=4", "0 A create zxid=4\n 0 A create zxid=9\n 1 A grant 0 token=9"},
		// Whether the last grant has written, and whether a later one has.
		{
			"0 A grant 0 token=4\n 1 A write-accepted token=4\n 2 A release 0\n 3 A grant 1 token=8",
			"0 A grant 0 token=4\n 1 A write-accepted token=4\n 2 A release 0\n 3 A grant 1 token=8\n 4 A write-accepted token=8",
		},
		{
			"0 A grant 0 token=8\n 4 A write-accepted token=8",
			"0 A grant 0 token=8\n 4 A write-accepted token=12",
		},
		{
			"0 A grant 0 token=8\n 4 A write-accepted token=4",
			"0 A grant 0 token=8\n 4 A write-accepted token=12",
		},
	} {
		var one, other Lock
		judge(&one, LockConfig{Clients: 2, Tokens: true}, parseHistory(t, pair[0]))
		judge(&other, LockConfig{Clients: 2, Tokens: true}, parseHistory(t, pair[1]))
		for how, hash := range lockHashes {
			require.NotEqual(t, hash(&one), hash(&other), "%s: %s", how, pair)
		}
	}
}

// What HashClient writes of a client is its own: a symmetric scenario sorts its
// clients by it.
func TestHashOfOneClient(t *testing.T) {
	one := func(text string) uint64 {
		var l Lock
		judge(&l, LockConfig{Clients: 3}, parseHistory(t, text))
		var h streamHash
		l.HashClient(&h, 0)
		return h.sum
	}
	base := "0 A invoke 0\n 0 A create zxid=1\n 0 B invoke 0"
	for _, more := range []string{"\n 1 B create zxid=2", "\n 1 B grant 0", "\n 1 B crash"} {
		require.Equal(t, one(base), one(base+more), more)
	}
	require.NotEqual(t, one(base), one(base+"\n 1 A create zxid=2"))
}

// Watches that waiters have left behind count where a fan-out is promised, and
// nowhere else.
func TestHashOfLeftWatches(t *testing.T) {
	for how, hash := range lockHashes {
		for _, promised := range []int{0, 1} {
			var one, other Lock
			judge(&one, LockConfig{Clients: 1, MaxFanOut: promised}, nil)
			judge(&other, LockConfig{Clients: 1, MaxFanOut: promised}, parseHistory(t, "0 A create zxid=1\n 1 A delete zxid=1"))
			require.Equal(t, promised == 0, hash(&one) == hash(&other), how)
		}
	}
}

// When the server ends a session that its client has given up is all the same.
func TestHashOfEndsOfSessionsGivenUp(t *testing.T) {
	state := func(text string) uint64 {
		var l Lock
		judge(&l, LockConfig{Clients: 1, MaxFanOut: 1}, parseHistory(t, "0 A up session=1\n"+text+"\n2 A fail 0"))
		return hashOf(&l)
	}
	want := state("1 A invoke 0\n1 A up session=2\n1 A session-end session=1")
	require.Equal(t, want, state("1 A invoke 0\n1 A session-end session=1\n1 A up session=2"))
	require.Equal(t, want, state("1 A session-end session=1\n1 A invoke 0\n1 A up session=2"))
	require.NotEqual(t, want, state("1 A up session=2\n1 A invoke 0\n1 A session-end session=1"))
	require.NotEqual(t, want, state("1 A invoke 0\n1 A up session=2"))
}

// Whether a watch is left behind by a ticket, or goes with a session, is part of a
// state where a fan-out is promised.
func TestHashOfWatchesToCome(t *testing.T) {
	for _, promised := range []int{0, 1} {
		state := func(text string) uint64 {
			var l Lock
			judge(&l, LockConfig{Clients: 1, MaxFanOut: promised}, parseHistory(t, text))
			return hashOf(&l)
		}
		const held = "0 A invoke 0\n0 A grant 0\n"
		require.Equal(t, promised == 0, state(held+"0 A create zxid=1\n1 A release 0\n") == state(held+"1 A release 0\n1 A create zxid=1"))
	}
	crashed := func(text string) uint64 {
		var l Lock
		judge(&l, LockConfig{Clients: 1, MaxFanOut: 1}, parseHistory(t, "0 A up session=1\n"+text+"\n1 A crash"))
		return hashOf(&l)
	}
	require.NotEqual(t, crashed("0 A up session=2"), crashed("0 A create zxid=1\n0 A delete zxid=1"))
}

// Rounds that repeat merge.
func TestHashOfRounds(t *testing.T) {
	var l Lock
	l.Reset(LockConfig{Clients: 2, FIFO: true, Tokens: true, Reentrant: true})
	l.Observe(&Event{Kind: Up, Arg: 1})
	var seen [][]uint64
	for round := range int32(4) {
		var hashes []uint64
		base := time.Duration(round) * time.Second
		zxid := int64(round)*10 + 1
		for _, e := range []Event{
			{At: base, Kind: Invoke, Op: round},
			{At: base, Kind: SessionEnd, Arg: int64(round) + 1},
			{At: base, Kind: Lost},
			{At: base, Kind: Up, Arg: int64(round) + 2},
			{At: base, Kind: TicketCreate, Arg: zxid},
			{At: base, Kind: Grant, Op: round, Arg: zxid},
			{At: base, Kind: WriteAccepted, Arg: zxid},
			{At: base, Kind: ReleaseInvoke, Op: round},
			{At: base, Kind: TicketDelete, Arg: zxid},
			{At: base, Kind: ReleaseReturn, Op: round},
		} {
			l.Observe(&e)
			hashes = append(hashes, hashOf(&l), partsOf(&l))
		}
		seen = append(seen, hashes)
	}
	// The first has no round before it.
	require.Equal(t, [][]uint64{seen[1], seen[1]}, seen[2:])
	require.Equal(t, seen[0][len(seen[0])-2:], seen[1][len(seen[1])-2:])
}

func TestHashRankedWritesRanks(t *testing.T) {
	history := parseHistory(t, `
		0.100 A create zxid=5
		0.200 B create zxid=9
		0.300 A grant 0 token=5
		0.400 A write-accepted token=5
	`)
	var l Lock
	l.Reset(LockConfig{Clients: 2, Tokens: true})
	for i := range history {
		l.Observe(&history[i])
	}
	require.Equal(t, []int64{5, 9, 5, 5}, l.AppendZxids(nil))
	ranked := func(shift uint64) uint64 {
		var h streamHash
		l.HashRanked(&h, func(zxid int64) uint64 { return uint64(zxid) + shift })
		return h.sum
	}
	require.Equal(t, ranked(0), ranked(0))
	require.NotEqual(t, ranked(0), ranked(1))
}
