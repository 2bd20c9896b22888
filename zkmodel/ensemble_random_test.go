package zkmodel_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/zkmodel"
)

// randomRun drives an ensemble by chance: what is delivered next, how time
// passes, what clients ask for, and what goes wrong.
type randomRun struct {
	*ensembleRig
	rng     *rand.Rand
	frozen  []bool
	clients []*randomClient
}

// randomClient is a client that has up to four requests under way and goes to
// any server when its connection is over.
type randomClient struct {
	id       int32
	conn     *rigConn
	open     bool
	session  int64
	password uint64
	seen     int64
	xid      int32
	under    int // requests under way
	watched  []string
}

func prepareRandomRun(seed uint64, o zkmodel.PeerOptions) *randomRun {
	r := &randomRun{ensembleRig: newEnsembleRig(o), rng: rand.New(rand.NewPCG(seed, 1)), frozen: make([]bool, o.Servers+1)}
	for i := range 3 {
		r.clients = append(r.clients, &randomClient{id: int32(i)})
	}
	return r
}

// The odds of a step, out of 100; what is left is a delivery.
const (
	oddsClient = 22
	oddsTime   = 14
	oddsFault  = 3
)

func (r *randomRun) run(steps int) {
	for i := 1; i <= r.servers(); i++ {
		r.start(i)
	}
	r.calm(3 * time.Second)
	for range steps {
		switch n := r.rng.IntN(100); {
		case n < oddsClient:
			r.act(r.clients[r.rng.IntN(len(r.clients))])
		case n < oddsClient+oddsTime:
			r.wait()
		case n < oddsClient+oddsTime+oddsFault:
			r.fault()
		case !r.deliverAny():
			r.wait()
		}
		if r.service.Failed() {
			return
		}
	}
	r.heal()
	r.calm(15 * time.Second)
}

// deliverAny delivers something; false if nothing can be delivered.
func (r *randomRun) deliverAny() bool {
	var can []func()
	for from := range r.links {
		for to := range r.links[from] {
			if l := &r.links[from][to]; len(l.queue) > 0 && !l.held && !r.frozen[to] && !r.dead[to] {
				can = append(can, func() { r.deliver(from, to) })
			}
		}
	}
	for _, c := range r.conns {
		if len(c.toServer) > 0 && (c.dropped || !r.frozen[c.server]) {
			can = append(can, func() { r.serve(c) })
		}
		if len(c.toClient) > 0 {
			can = append(can, func() { r.receive(c) })
		}
	}
	if len(can) == 0 {
		return false
	}
	can[r.rng.IntN(len(can))]()
	return true
}

// wait lets time pass: to the next timer, or less.
func (r *randomRun) wait() {
	at, who := r.nextTimer(func(id int) bool { return r.frozen[id] })
	if some := r.now + ms(r.rng.IntN(100)); who == 0 || at > some && r.rng.IntN(3) > 0 {
		r.now = some
		return
	}
	r.now = at
	r.timer(who)
}

// calm delivers everything at once while time passes.
func (r *randomRun) calm(d time.Duration) {
	n := 0
	for end := r.now + d; r.now < end && !r.service.Failed(); {
		if r.deliverAny() {
			if n++; n > mostDeliveries {
				panic("the servers never stop talking")
			}
			continue
		}
		n = 0
		r.now, _ = r.nextTimer(func(int) bool { return false })
		for i := 1; i <= r.servers(); i++ {
			r.timer(i)
		}
	}
}

// fault lets something go wrong, or end.
func (r *randomRun) fault() {
	i, j := 1+r.rng.IntN(r.servers()), 1+r.rng.IntN(r.servers())
	switch r.rng.IntN(10) {
	case 0, 1:
		switch {
		case r.dead[i]:
			r.start(i)
		case r.alive() > r.servers()/2 || r.rng.IntN(4) == 0:
			r.kill(i)
			r.frozen[i] = false
		}
	case 2, 3: // one of them lags, or both
		r.links[i][j].held = true
		r.links[j][i].held = r.rng.IntN(2) == 0
	case 4: // a server is cut off from the others
		for k := 1; k <= r.servers(); k++ {
			r.links[i][k].held, r.links[k][i].held = k != i, k != i
		}
	case 5:
		if i != j { // what a server has to do itself is not lost while it runs
			r.links[i][j].queue = nil
		}
	case 6:
		r.frozen[i] = !r.frozen[i]
	default:
		r.heal()
	}
}

func (r *randomRun) alive() int {
	n := 0
	for i := 1; i <= r.servers(); i++ {
		if !r.dead[i] {
			n++
		}
	}
	return n
}

func (r *randomRun) heal() {
	for i := 1; i <= r.servers(); i++ {
		r.frozen[i] = false
		for j := range r.links[i] {
			r.links[i][j].held = false
		}
		if r.dead[i] {
			r.start(i)
		}
	}
}

var randomPaths = []string{"/a", "/b", "/c", "/a/x", "/a/y", "/b/z"}

// act has a client do something.
func (r *randomRun) act(c *randomClient) {
	if c.conn == nil {
		c.conn = r.dial(c.id, 1+r.rng.IntN(r.servers()), zkmodel.Request{
			Timeout: ms(1000 + r.rng.IntN(4000)), SessionID: c.session, Password: c.password, LastZxidSeen: c.seen,
		})
		c.open, c.under = false, 0
		return
	}
	switch {
	case !c.open || c.under >= 4:
		if r.rng.IntN(20) == 0 {
			r.leave(c)
		}
		return
	case r.rng.IntN(50) == 0:
		r.leave(c)
		return
	}
	c.xid++
	req := r.request(c)
	req.Xid = c.xid
	c.under++
	r.send(c.conn, req)
}

// leave: the client breaks its connection.
func (r *randomRun) leave(c *randomClient) {
	if r.rng.IntN(3) == 0 { // and goes elsewhere while the server has yet to notice
		c.conn.gone = true
	} else {
		r.hangUp(c.conn)
	}
	c.conn = nil
}

// request is what a client asks for next.
func (r *randomRun) request(c *randomClient) zkmodel.Request {
	path := randomPaths[r.rng.IntN(len(randomPaths))]
	q := zkmodel.Request{Path: path, Version: -1, Watch: r.rng.IntN(2) == 0}
	switch r.rng.IntN(16) {
	case 0, 1:
		q.Op, q.Data, q.Flags = zkmodel.OpCreate, []byte{byte(r.rng.IntN(256))}, int32(r.rng.IntN(2))
	case 2, 3:
		q.Op, q.Flags, q.Path = zkmodel.OpCreate2, int32(2+r.rng.IntN(2)), []string{"/a/", "/b/s-", "/q-"}[r.rng.IntN(3)]
	case 4, 5:
		q.Op, q.Version = zkmodel.OpDelete, int32(r.rng.IntN(3))-1
	case 6, 7:
		q.Op, q.Data, q.Version = zkmodel.OpSetData, []byte{byte(r.rng.IntN(256))}, int32(r.rng.IntN(3))-1
	case 8:
		q.Op = zkmodel.OpExists
	case 9:
		q.Op = zkmodel.OpGetData
	case 10:
		if q.Op = zkmodel.OpGetChildren2; r.rng.IntN(2) == 0 {
			q.Path = "/"
		}
	case 11:
		q.Op = zkmodel.OpSync
	case 12:
		q.Op = zkmodel.OpPing
	case 13:
		q.Op, q.Path = zkmodel.OpMulti, ""
		q.Multi = []zkmodel.MultiOp{
			{Op: zkmodel.OpCreate, Path: "/m-", Flags: 3},
			{Op: zkmodel.OpSetData, Path: path, Version: -1, Data: []byte{1}},
		}
	case 14:
		q.Op, q.Path = zkmodel.OpSetWatches, ""
		q.Watches = &zkmodel.WatchSet{RelativeZxid: c.seen, Data: c.watched, Child: []string{"/"}, Exist: []string{"/c"}}
	case 15:
		if q.Op = zkmodel.OpGetACL; r.rng.IntN(4) == 0 {
			q.Op, q.Path = zkmodel.OpCloseSession, ""
		}
	}
	if q.Op == zkmodel.OpGetData && q.Watch {
		c.watched = append(c.watched[:len(c.watched):len(c.watched)], path)
		c.watched = c.watched[max(0, len(c.watched)-3):]
	}
	return q
}

// receive has a client take the next frame of a connection.
func (r *randomRun) receive(conn *rigConn) {
	f := conn.toClient[0].x
	conn.toClient = conn.toClient[1:]
	c := r.clients[conn.client]
	switch {
	case f.Hangup:
		conn.gone = true
		if c.conn == conn {
			c.conn = nil
		}
	case c.conn != conn:
	case f.Response.Kind == zkmodel.KindConnect:
		if c.session, c.password, c.open = f.Response.SessionID, f.Response.Password, true; c.session == 0 {
			c.seen = 0
		}
	case f.Response.Kind == zkmodel.KindReply:
		c.under--
		r.service.Seen(c.id, c.session, f.Response.Zxid, r.now)
		c.seen = max(c.seen, f.Response.Zxid)
	}
}

// settled reports what is wrong with an ensemble that has been left in peace:
// one server leads, and all have the same znodes.
func (r *randomRun) settled() string {
	leader := r.leader()
	if leader == 0 {
		return "nobody leads"
	}
	want := r.tree(leader)
	for i := 1; i <= r.servers(); i++ {
		if !r.peers[i].Serving() {
			return fmt.Sprintf("server %d does not serve", i)
		}
		if got := r.tree(i); got != want {
			return fmt.Sprintf("server %d has %s, the leader, %d, has %s", i, got, leader, want)
		}
	}
	return ""
}

func (r *randomRun) tree(server int) string {
	var b strings.Builder
	s := r.peers[server].Server()
	var walk func(path string)
	walk = func(path string) {
		st, _ := s.Lookup(path)
		fmt.Fprintf(&b, "%s %+v;", path, st)
		for _, name := range s.AppendChildren(nil, path) {
			walk(strings.TrimSuffix(path, "/") + "/" + name)
		}
	}
	walk("/")
	return b.String()
}

func randomOptions(seed uint64) zkmodel.PeerOptions {
	o := zkmodel.PeerOptions{Servers: 3, SyncLimit: 4, InitLimit: 4, Server: zkmodel.ServerOptions{Tick: ms(500)}}
	if seed%5 == 4 {
		o.Servers = 5
	}
	if seed%3 == 2 {
		o.CommitLog = 3 // snapshots
	}
	o.AppliesLater = seed%2 == 1
	return o
}

// TestRandomEnsembles holds ensembles to their guarantees while servers crash
// and links are cut. ZOOSIM_ENSEMBLES is the number of runs.
func TestRandomEnsembles(t *testing.T) {
	runs := 1000
	if s := os.Getenv("ZOOSIM_ENSEMBLES"); s != "" {
		var err error
		runs, err = strconv.Atoi(s)
		require.NoError(t, err, "ZOOSIM_ENSEMBLES")
	}
	elections, frames := 0, 0
	for seed := range uint64(runs) {
		r := prepareRandomRun(seed, randomOptions(seed))
		r.run(500)
		res := r.service.Finish()
		require.Equal(t, checker.Pass, res.Verdict, "seed %d: %s", seed, res.Why)
		require.Empty(t, r.settled(), "seed %d", seed)
		elections += int(r.peers[r.leader()].Epoch())
		frames += r.sent
	}
	t.Logf("%d runs, %d elections, %d messages and frames", runs, elections, frames)
	require.Greater(t, elections, 2*runs, "hardly any election beside the first ones")
}

// Each fault that is planted, in one server or in all, is found for what it is.
func TestPlantedEnsembleFaultsAreFound(t *testing.T) {
	mutant := func(m zkmodel.Mutant) func(*zkmodel.PeerOptions) {
		return func(o *zkmodel.PeerOptions) { o.Server.Mutant = m }
	}
	for name, c := range map[string]struct {
		plant func(o *zkmodel.PeerOptions)
		one   bool // in server 2 alone
		why   string
	}{
		"a watch event behind the reply":        {mutant(zkmodel.EventAfterReply), false, "event-before-read"},
		"a follower that keeps an ephemeral":    {mutant(zkmodel.EphemeralSurvives), true, "agreement"},
		"servers that keep an ephemeral":        {mutant(zkmodel.EphemeralSurvives), false, "ephemeral"},
		"a number that is the count":            {mutant(zkmodel.SequenceReused), false, "sequence"},
		"a follower that numbers by the count":  {mutant(zkmodel.SequenceReused), true, "agreement"},
		"a listing that lacks a child":          {mutant(zkmodel.StaleListing), false, "read-state"},
		"reads that wait for all replicas":      {mutant(zkmodel.ReadsWaitForAll), false, "local-reads"},
		"a watch that fires twice":              {mutant(zkmodel.EventTwice), true, "one-shot"},
		"a commit without a quorum":             {func(o *zkmodel.PeerOptions) { o.CommitsAhead = true }, false, "agreement"},
		"a server that takes clients too early": {(*zkmodel.PeerOptions).TakeAnyone, false, "session-order"},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(400) {
				o := randomOptions(seed)
				if !c.one {
					c.plant(&o)
				}
				r := prepareRandomRun(seed, o)
				if c.one {
					c.plant(&o)
					o.ID = 2
					r.peers[2].Init(o)
				}
				r.run(500)
				if res := r.service.Finish(); res.Verdict == checker.Failed && strings.HasPrefix(res.Why, c.why+":") {
					t.Logf("seed %d: %s", seed, res.Why)
					return
				}
			}
			t.Fatal("not found in 400 runs")
		})
	}
}
