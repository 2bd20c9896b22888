package checker

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// familyJudge is the monitors of a family as a run and a search use them.
type familyJudge interface {
	Observe(e *Event)
	Believes(client int) bool
	Failed() bool
	FailedBits() uint32
	Finish(history []Event) []Result
	HashClient(h Hasher, client int)
	HashRest(h Hasher)
	HashRanked(h Hasher, rank func(zxid int64) uint64)
}

// judgeOf is how a judge for the cases of a file is made, used again and
// copied.
type judgeOf struct {
	empty    func() familyJudge
	reset    func(t testing.TB, j familyJudge, c *familyCase)
	copyInto func(from, into familyJudge)
}

func (o judgeOf) fresh(t testing.TB, c *familyCase) familyJudge {
	j := o.empty()
	o.reset(t, j, c)
	return j
}

var familyJudges = map[string]judgeOf{
	"queue": {
		empty:    func() familyJudge { return &Queue{} },
		reset:    func(t testing.TB, j familyJudge, c *familyCase) { j.(*Queue).Reset(queueConfigOf(t, c)) },
		copyInto: func(from, into familyJudge) { from.(*Queue).CopyInto(into.(*Queue)) },
	},
	"shared": {
		empty:    func() familyJudge { return &Shared{} },
		reset:    func(t testing.TB, j familyJudge, c *familyCase) { j.(*Shared).Reset(sharedConfigOf(t, c)) },
		copyInto: func(from, into familyJudge) { from.(*Shared).CopyInto(into.(*Shared)) },
	},
	"views": {
		empty:    func() familyJudge { return &Views{} },
		reset:    func(t testing.TB, j familyJudge, c *familyCase) { j.(*Views).Reset(viewFamilyConfigOf(t, c)) },
		copyInto: func(from, into familyJudge) { from.(*Views).CopyInto(into.(*Views)) },
	},
}

func queueConfigOf(t testing.TB, c *familyCase) QueueFamilyConfig {
	cfg := QueueFamilyConfig{
		Clients: 3, FIFO: c.has("fifo"), Priorities: c.has("priorities"), AtMostOnce: c.has("at-most-once"), Locks: c.has("locks"),
		Core: c.core(t),
	}
	switch {
	case c.has("fan-out"):
		cfg.MaxFanOut = c.number(t, "fan-out")
	case c.has("herd"):
		cfg.MaxFanOut = -1
	}
	return cfg
}

// core is how many clients must make progress, 0 for all.
func (c *familyCase) core(t testing.TB) int {
	if !c.has("core") {
		return 0
	}
	return c.number(t, "core")
}

func sharedConfigOf(t testing.TB, c *familyCase) SharedConfig {
	cfg := SharedConfig{Clients: 3, StopsAtDisconnect: c.has("stops-at-disconnect"), Core: c.core(t)}
	if c.has("permits") {
		cfg.Permits = c.number(t, "permits")
	}
	return cfg
}

func viewFamilyConfigOf(t testing.TB, c *familyCase) ViewFamilyConfig {
	cfg := ViewFamilyConfig{
		Clients: 3, View: viewConfigOf(t, c), Moments: c.has("moments"), Members: c.has("members"),
		Object: "the group", Operation: "join",
	}
	if c.has("fan-out") {
		cfg.MaxFanOut = c.number(t, "fan-out")
	}
	return cfg
}

// propertiesOf is what the judge of a case judges.
func propertiesOf(base string, c *familyCase) []Property {
	switch base {
	case "shared":
		return SharedProperties(c.has("permits"))
	case "views":
		return ViewProperties()
	}
	return QueueFamilyProperties()
}

func observeAll(j familyJudge, history []Event) {
	for i := range history {
		j.Observe(&history[i])
	}
}

func eachJudgeCase(t *testing.T, do func(t *testing.T, base string, c *familyCase, j familyJudge)) {
	for _, base := range []string{"queue", "shared", "views"} {
		for _, c := range readFamilyCases(t, base) {
			t.Run(base+"/"+c.name, func(t *testing.T) { do(t, base, &c, familyJudges[base].fresh(t, &c)) })
		}
	}
}

func TestFamiliesRefuseBadHistories(t *testing.T) {
	eachJudgeCase(t, func(t *testing.T, base string, c *familyCase, j familyJudge) {
		history := parseHistory(t, c.bad)
		observeAll(j, history)
		results := j.Finish(history)
		properties := propertiesOf(base, c)
		require.Len(t, results, len(properties))
		for i, r := range results {
			require.Equal(t, properties[i], r.Property)
			require.Equal(t, LevelOf(r.Property), r.Level)
			// Linearizable is known at the end alone.
			if r.Property != Linearizable {
				require.Equal(t, r.Verdict == Failed, j.FailedBits()&(1<<i) != 0, r.Property)
			}
		}
		require.Equal(t, c.fails, failing(results))
		r := resultOf(t, results, c.fails[0])
		require.Equal(t, c.why, r.Why)
		require.Contains(t, r.Why, name(r.Client))
		require.Contains(t, r.Why, seconds(r.At))
		require.Equal(t, j.FailedBits() != 0, j.Failed())
	})
}

func TestFamiliesAcceptGoodTwins(t *testing.T) {
	eachJudgeCase(t, func(t *testing.T, base string, c *familyCase, j familyJudge) {
		history := parseHistory(t, c.good)
		observeAll(j, history)
		results := j.Finish(history)
		require.Empty(t, failing(results))
		require.Zero(t, j.FailedBits())
		require.False(t, j.Failed())
		for _, p := range c.fails {
			r := resultOf(t, results, p)
			require.Equal(t, passed(p, r.Level), r)
		}
	})
}

// whole is a judge's state as a search keeps it: all of it, and in parts.
func whole(j familyJudge, clients int) [2]uint64 {
	var all, parts streamHash
	j.HashRanked(&all, func(zxid int64) uint64 { return uint64(zxid) })
	for i := range clients {
		j.HashClient(&parts, i)
	}
	j.HashRest(&parts)
	return [2]uint64{all.sum, parts.sum}
}

// A copy at any point goes on as the original would have, and neither notices
// what becomes of the other. It is made in what the copies before have left.
func TestFamilyCopiesAreIndependent(t *testing.T) {
	left := map[string]familyJudge{}
	for base, of := range familyJudges {
		left[base] = of.empty()
	}
	eachJudgeCase(t, func(t *testing.T, base string, c *familyCase, j familyJudge) {
		history := parseHistory(t, c.bad)
		observeAll(j, history)
		want, hash := j.Finish(history), whole(j, 3)
		for cut := range history {
			src, dst := familyJudges[base].fresh(t, c), left[base]
			observeAll(src, history[:cut])
			familyJudges[base].copyInto(src, dst)
			before := whole(src, 3)
			require.Equal(t, before, whole(dst, 3))
			fresh := familyJudges[base].empty()
			familyJudges[base].copyInto(src, fresh)
			require.Equal(t, before, whole(fresh, 3))
			observeAll(dst, history[cut:])
			require.Equal(t, want, dst.Finish(history))
			require.Equal(t, hash, whole(dst, 3))
			require.Equal(t, before, whole(src, 3))
			observeAll(src, history[cut:])
			require.Equal(t, want, src.Finish(history))
		}
	})
}

// Judges that are used again remember nothing.
func TestFamilyResetLeavesNothingBehind(t *testing.T) {
	kept := map[string]familyJudge{}
	for base, of := range familyJudges {
		kept[base] = of.empty()
	}
	eachJudgeCase(t, func(t *testing.T, base string, c *familyCase, j familyJudge) {
		used := kept[base]
		familyJudges[base].reset(t, used, c)
		history := parseHistory(t, c.bad)
		require.Equal(t, whole(j, 3), whole(used, 3))
		observeAll(j, history)
		observeAll(used, history)
		require.Equal(t, j.Finish(history), used.Finish(history))
		require.Equal(t, whole(j, 3), whole(used, 3))
	})
}

// familyStates are pairs of a base and events that make it another state.
var familyStates = []struct {
	base, config, start string
	more                []string
}{
	{"queue", "fifo", `
		0.000 A put 0 item=1
		0.100 A item-create item=1
		0.200 A put-end 0 item=1
		0.300 A put 1 item=2
		0.400 A item-create item=2
		0.500 B invoke 0
	`, []string{
		"1 A put-end 1 item=2", "1 A put-end 1 item=2 text=x", "1 A item-create item=2", "1 A item-create item=3",
		"1 B item-delete item=1", "1 B item-delete item=2", "1 C item-delete item=1", "1 B request", "1 B request\n1 B request", "1 B fault text=cut",
		"1 B crash", "1 C crash", "1 C invoke 0", "1 C put 0 item=7", "1 B refuse 0", "1 B grant 0 item=1", "1 B grant 0 item=2",
		"1 C item-lock item=1", "1 C item-lock item=2", "1 - quiescent", "1 - cut-off", "1 C create zxid=1",
		"1 B fault text=cut\n1 B item-delete item=1", "1 B item-delete item=1\n1 B grant 0 item=1",
		"1 C item-lock item=1\n1 C item-unlock item=1", "1 C item-create item=9", "1 C item-create item=9\n1 C item-delete item=9",
		"1 B fault text=cut\n1 B fail 0 text=x", "1 B fault text=cut\n1 B fail 0 text=x\n1 B invoke 1",
	}},
	{"shared", "", `
		0.000 A invoke 0 text=read
		0.100 A grant 0 text=read
		0.200 B invoke 0 text=read
	`, []string{
		"1 B grant 0 text=read", "1 B grant 0 text=write", "1 A release 0", "1 A lost", "1 A grant 1 text=read", "1 A grant 1 text=write",
		"1 C grant 0 text=read", "1 B refuse 0", "1 - quiescent", "1 B create zxid=1", "1 A down", "1 B fault text=cut",
	}},
	{"views", "", `
		0.000 A set text=a
		0.100 A follow
		0.200 A ask
		0.300 A show text=a
		0.400 B follow
		0.500 C invoke 0
	`, []string{
		"1 A show text=b", "1 A hide", "1 A pause", "1 A down", "1 B ask", "1 B show", "1 - set text=a b", "1 - set text=b",
		"1 C grant 0", "1 C fail 0 text=x", "1 - quiescent", "1 - cut-off", "1 C create zxid=1", "1 C follow",
	}},
	{"shared", "permits=3", `
		0.000 A invoke 0
		0.100 A grant 0 n=1
		0.200 B invoke 0
	`, []string{
		"1 B grant 0 n=1", "1 B grant 0 n=2", "1 B grant 0 n=3", "1 A release 0", "1 A lost", "1 C grant 0", "1 B refuse 0", "1 A grant 1",
	}},
}

// What later verdicts depend on makes states differ, and times do not.
func TestFamilyHashes(t *testing.T) {
	for _, s := range familyStates {
		c := familyCase{config: map[string]string{}}
		if k, v, _ := strings.Cut(s.config, "="); k != "" {
			c.config[k] = v
		}
		hash := func(history []Event) [2]uint64 {
			j := familyJudges[s.base].fresh(t, &c)
			observeAll(j, history)
			return whole(j, 3)
		}
		start := parseHistory(t, s.start)
		later := append([]Event(nil), start...)
		for i := range later {
			later[i].At += time.Hour
		}
		require.Equal(t, hash(start), hash(later))
		seen := [2]map[uint64]string{{}, {}}
		for _, more := range append([]string{"# nothing"}, s.more...) {
			for i, sum := range hash(parseHistory(t, s.start+more)) {
				require.Empty(t, seen[i][sum], more)
				seen[i][sum] = more
			}
		}
	}
}

// Which properties have failed tells no states apart.
func TestHashesLeaveOutFailures(t *testing.T) {
	for _, c := range []struct{ base, config, fails, holds string }{
		{"queue", "", "0 B invoke 0\n1 B fail 0 text=x", "0 B invoke 0\n1 B refuse 0"},
		{
			"queue", "fifo", "0 A put 0 item=1\n1 A item-create item=1\n2 A item-create item=2\n3 B invoke 0\n4 B item-delete item=2\n5 C item-delete item=1",
			"0 A put 0 item=1\n1 A item-create item=1\n2 A item-create item=2\n3 B invoke 0\n4 C item-delete item=1\n5 B item-delete item=2",
		},
		{
			"shared", "", "0 A invoke 0 text=write\n1 A grant 0 text=write\n2 B invoke 0 text=write\n3 B grant 0 text=write\n4 A release 0",
			"0 A invoke 0 text=write\n1 A grant 0 text=write\n2 B invoke 0 text=write\n3 A release 0\n4 B grant 0 text=write",
		},
		{"views", "", "0 A invoke 0\n1 A fail 0 text=x", "0 A invoke 0\n1 A refuse 0"},
	} {
		fc := familyCase{config: map[string]string{}}
		if c.config != "" {
			fc.config[c.config] = ""
		}
		one, other := familyJudges[c.base].fresh(t, &fc), familyJudges[c.base].fresh(t, &fc)
		observeAll(one, parseHistory(t, c.fails))
		observeAll(other, parseHistory(t, c.holds))
		require.NotZero(t, one.FailedBits(), c.fails)
		require.Zero(t, other.FailedBits(), c.holds)
		require.Equal(t, whole(other, 3), whole(one, 3), c.fails)
	}
	var one, other Lock
	cfg := LockConfig{Clients: 2, FIFO: true, MaxFanOut: 1}
	judge(&one, cfg, parseHistory(t, "0 A invoke 0\n1 A grant 0\n2 B invoke 0\n3 B grant 0\n4 A release 0"))
	judge(&other, cfg, parseHistory(t, "0 A invoke 0\n1 A grant 0\n2 B invoke 0\n3 A release 0\n4 B grant 0"))
	require.NotZero(t, one.FailedBits())
	require.Zero(t, other.FailedBits())
	require.Equal(t, hashOf(&other), hashOf(&one))
	require.Equal(t, partsOf(&other), partsOf(&one))
}

// What an event of the same order would tell as well is told by itself.
func TestFamilyHashesTellSmallThingsApart(t *testing.T) {
	for _, c := range []struct{ base, config, one, other string }{
		// Whether an item was to be seen when the take was invoked.
		{"queue", "fifo", "0 A put 0 item=1\n 1 A item-create item=1\n 2 B invoke 0", "0 A put 0 item=1\n 1 B invoke 0\n 2 A item-create item=1"},
		{"queue", "priorities", "0 A put 0 item=1\n 1 A item-create item=1\n 2 B invoke 0", "0 A put 0 item=1\n 1 B invoke 0\n 2 A item-create item=1"},
		// Which of two items was stored first.
		{
			"queue", "fifo", "0 A put 0 item=1\n 0 B put 0 item=2\n 1 A item-create item=1\n 2 B item-create item=2",
			"0 A put 0 item=1\n 0 B put 0 item=2\n 1 B item-create item=2\n 2 A item-create item=1",
		},
		// Sets of which a view that was asked for can be one.
		{
			"views", "", "0 B follow\n 0 B ask\n 1 - set text=a\n 2 - set text=b",
			"0 B follow\n 0 B ask\n 1 - set text=c\n 2 - set text=b",
		},
		// Sets that a view can be behind one that was the first set.
		{
			"views", "", "0 B follow\n 0 B show\n 1 - set text=a\n 2 - set text=b",
			"0 B follow\n 0 B show\n 1 - set text=c\n 2 - set text=b",
		},
		// What was shown last.
		{"views", "", "0 - set text=a\n 1 B follow\n 1 B show text=a", "0 - set text=a\n 1 B follow\n 1 B show"},
		// Whose hold it is, and of which operation.
		{"shared", "", "0 A grant 0 text=read", "0 B grant 0 text=read"},
		{"shared", "", "0 A invoke 0\n 0 A grant 0 text=read\n 1 A invoke 1\n 1 A refuse 1", "0 A invoke 0\n 0 A refuse 0\n 1 A invoke 1\n 1 A grant 1 text=read"},
	} {
		f := familyCase{config: map[string]string{c.config: ""}}
		one, other := familyJudges[c.base].fresh(t, &f), familyJudges[c.base].fresh(t, &f)
		observeAll(one, parseHistory(t, c.one))
		observeAll(other, parseHistory(t, c.other))
		for i, sum := range whole(one, 3) {
			require.NotEqual(t, sum, whole(other, 3)[i], c.one)
		}
	}
}

// What no later verdict depends on makes no other state.
func TestFamilyHashesLeaveOut(t *testing.T) {
	for _, c := range []struct{ base, config, one, other string }{
		// A queue that promises no order need not know what could be seen.
		{"queue", "", "0 A put 0 item=1\n 1 A item-create item=1\n 2 B invoke 0", "0 A put 0 item=1\n 1 B invoke 0\n 2 A item-create item=1"},
		// Sets that no view can be any more: nobody has asked, or later.
		{"views", "", "0 B follow\n 1 - set text=a\n 2 - set text=b", "0 B follow\n 1 - set text=c\n 2 - set text=b"},
		{"views", "", "0 B follow\n 1 - set text=a\n 2 - set text=b", "0 B follow\n 2 - set text=b"},
		{"views", "standalone", "0 B follow\n 1 - set text=a\n 2 - set text=b\n 3 B ask", "0 B follow\n 1 - set text=c\n 2 - set text=b\n 3 B ask"},
		{
			"views", "", "0 B follow\n 1 - set text=a\n 2 - set text=b\n 3 B ask\n 4 B show text=b",
			"0 B follow\n 2 - set text=b\n 3 B ask\n 4 B show text=b",
		},
	} {
		f := familyCase{config: map[string]string{c.config: ""}}
		one, other := familyJudges[c.base].fresh(t, &f), familyJudges[c.base].fresh(t, &f)
		observeAll(one, parseHistory(t, c.one))
		observeAll(other, parseHistory(t, c.other))
		require.Equal(t, whole(one, 3), whole(other, 3), c.one)
	}
}

// More clients than were told of are made room for, and believe what they hold.
func TestFamiliesOfMoreClients(t *testing.T) {
	var q Queue
	q.Reset(QueueFamilyConfig{Locks: true})
	observeAll(&q, parseHistory(t, "0 A put 0 item=1\n 0 D invoke 0\n 1 D item-lock item=1\n 2 D grant 0 item=1"))
	require.True(t, q.Believes(3))
	require.False(t, q.Believes(0))
	var s Shared
	s.Reset(SharedConfig{})
	observeAll(&s, parseHistory(t, "0 D grant 0 text=read"))
	require.True(t, s.Believes(3))
	require.False(t, s.Believes(0))
	var v Views
	v.Reset(ViewFamilyConfig{Members: true})
	observeAll(&v, parseHistory(t, "0 D follow\n 0 D create zxid=1\n 0 D grant 0"))
	require.True(t, v.Believes(3))
	require.False(t, v.Believes(0))
}

// A queue that promises nothing of the kind may wake as many as it likes.
func TestQueueWithoutPromisedFanOut(t *testing.T) {
	for _, told := range []string{"0", "9"} {
		var q Queue
		q.Reset(QueueFamilyConfig{Clients: 3})
		history := parseHistory(t, "0 A put 0 item=1\n 1 A item-create item=1 told="+told+"\n 2 A put-end 0 item=1\n 3 - quiescent")
		observeAll(&q, history)
		require.Equal(t, NotApplicable, resultOf(t, q.Finish(history), FanOut).Verdict)
	}
}
