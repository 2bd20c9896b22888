package zkmodel_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/zkmodel"
)

// ensembleScript plays a script on an ensemble whose messages take no time,
// unless a link is held or a server frozen.
type ensembleScript struct {
	*ensembleRig
	t       testing.TB
	frozen  []bool
	clients map[string]*scriptClient
	names   []string
	b       strings.Builder
	roles   []string // last told
}

// scriptClient is a client of a script.
type scriptClient struct {
	name     string
	conn     *rigConn
	old      []*rigConn
	session  int64
	password uint64
	seen     int64
	xid      int32
}

// The commands of a script, one a line:
//
//	connect A 2 [4s]      A opens a session at server 2, asking for a timeout
//	reconnect A 3 [z1:2]  A takes its session up there, having seen a zxid
//	drop A                A's connection breaks
//	A create /x [data] [e] [s] [w] [v3]
//	A1 get /x             the same on A's first connection, still open
//	run 2s                time passes
//	await A closed 5s     time passes until A's connection closes
//	await 2 serving 5s    time passes until server 2 serves
//	await 2 leading 5s    and leads
//	hold 1>2, hold 1-2    messages stay under way; release undoes it
//	pass 1>2 [2]          lets one message, or 2, through a held link
//	lose 1>2              loses what is under way and ends the hold
//	freeze 1, thaw 1      a server does nothing
//	serve 1               a frozen server takes what its clients have sent
//	kill 1, start 1       a server stops, starts again
//	state                 what each server has
func (s *ensembleScript) line(line string) {
	f := strings.Fields(line)
	switch f[0] {
	case "connect", "reconnect":
		s.connect(f)
	case "drop":
		s.ensembleRig.hangUp(s.clients[f[1]].conn)
	case "run":
		s.pass(s.duration(f[1]), func() bool { return false })
	case "await":
		s.await(f)
	case "hold", "release", "pass", "lose":
		s.link(f)
	case "freeze", "thaw":
		s.frozen[s.server(f[1])] = f[0] == "freeze"
	case "serve":
		s.settleClients(s.server(f[1]))
	case "kill":
		s.kill(s.server(f[1]))
	case "start":
		s.start(s.server(f[1]))
	case "state":
		s.state()
	default:
		s.request(f)
	}
	s.settle()
}

func (s *ensembleScript) server(w string) int {
	n, err := strconv.Atoi(w)
	require.NoError(s.t, err)
	require.Less(s.t, n, len(s.peers))
	return n
}

func (s *ensembleScript) duration(w string) time.Duration {
	d, err := time.ParseDuration(w)
	require.NoError(s.t, err)
	return d
}

func (s *ensembleScript) connect(f []string) {
	c := s.clients[f[1]]
	if c == nil {
		c = &scriptClient{name: f[1]}
		s.clients[f[1]] = c
		s.names = append(s.names, f[1])
	}
	req := zkmodel.Request{Timeout: 4 * time.Second}
	if f[0] == "reconnect" {
		req.SessionID, req.Password, req.LastZxidSeen = c.session, c.password, c.seen
		if len(f) > 3 {
			req.LastZxidSeen = parseZxid(s.t, f[3])
		}
	} else if len(f) > 3 {
		req.Timeout = s.duration(f[3])
	}
	if c.conn != nil {
		c.old = append(c.old, c.conn)
	}
	c.conn = s.dial(int32(slices.Index(s.names, c.name)), s.server(f[2]), req)
}

var scriptOps = map[string]zkmodel.OpCode{
	"create": zkmodel.OpCreate, "delete": zkmodel.OpDelete, "set": zkmodel.OpSetData, "get": zkmodel.OpGetData,
	"exists": zkmodel.OpExists, "ls": zkmodel.OpGetChildren, "sync": zkmodel.OpSync, "ping": zkmodel.OpPing,
	"close": zkmodel.OpCloseSession,
}

func (s *ensembleScript) request(f []string) {
	c := s.clients[f[0][:1]]
	require.NotNil(s.t, c, f)
	conn := c.conn
	if n := f[0][1:]; n != "" {
		i, err := strconv.Atoi(n)
		require.NoError(s.t, err, f)
		conn = c.old[i-1]
	}
	op, ok := scriptOps[f[1]]
	require.True(s.t, ok, f)
	c.xid++
	r := zkmodel.Request{Xid: c.xid, Op: op, Version: -1}
	for _, w := range f[2:] {
		switch {
		case w[0] == '/':
			r.Path = w
		case w == "e":
			r.Flags |= zkmodel.FlagEphemeral
		case w == "s":
			r.Flags |= zkmodel.FlagSequential
		case w == "w":
			r.Watch = true
		default:
			r.Data = []byte(w)
		}
	}
	s.send(conn, r)
}

// links names the links of "1>2" or "1-2".
func (s *ensembleScript) between(w string) [][2]int {
	if a, b, ok := strings.Cut(w, ">"); ok {
		return [][2]int{{s.server(a), s.server(b)}}
	}
	a, b, ok := strings.Cut(w, "-")
	require.True(s.t, ok, w)
	return [][2]int{{s.server(a), s.server(b)}, {s.server(b), s.server(a)}}
}

func (s *ensembleScript) link(f []string) {
	for _, l := range s.between(f[1]) {
		link := &s.links[l[0]][l[1]]
		switch f[0] {
		case "hold", "release":
			link.held = f[0] == "hold"
		case "lose":
			link.queue, link.held = nil, false
		case "pass":
			n := 1
			if len(f) > 2 {
				n = s.server(f[2])
			}
			for range n {
				require.NotEmpty(s.t, link.queue, f)
				fmt.Fprintf(&s.b, "%d>%d %s\n", l[0], l[1], link.queue[0].x.Kind)
				s.deliver(l[0], l[1])
			}
		}
	}
}

// settle delivers all that can be delivered, in the order in which it was
// sent.
func (s *ensembleScript) settle() {
	for n := 0; s.settleOne(); n++ {
		require.Less(s.t, n, mostDeliveries, "the servers never stop talking")
	}
	for i := 1; i < len(s.peers); i++ {
		p := &s.peers[i]
		role := "is dead"
		if !s.dead[i] {
			role = p.Role().String()
			if p.Serving() {
				role += fmt.Sprintf(", serves in epoch %d", p.Epoch())
			}
		}
		if role != s.roles[i] {
			s.roles[i] = role
			fmt.Fprintf(&s.b, "server %d: %s\n", i, role)
		}
	}
}

func (s *ensembleScript) settleOne() bool {
	first, do := 1<<62, func() {}
	consider := func(n int, f func()) {
		if n < first {
			first, do = n, f
		}
	}
	for from := 1; from < len(s.peers); from++ {
		for to := range s.links[from] {
			if l := &s.links[from][to]; len(l.queue) > 0 && !l.held && !s.frozen[to] {
				consider(l.queue[0].n, func() { s.deliver(from, to) })
			}
		}
	}
	for _, c := range s.conns {
		if len(c.toServer) > 0 && (c.dropped || !s.frozen[c.server]) {
			consider(c.toServer[0].n, func() { s.serve(c) })
		}
		if len(c.toClient) > 0 {
			consider(c.toClient[0].n, func() { s.receive(c) })
		}
	}
	do()
	return first < 1<<62
}

func (s *ensembleScript) settleClients(server int) {
	for _, c := range s.conns {
		for c.server == server && len(c.toServer) > 0 {
			s.serve(c)
		}
	}
}

// receive has a client take the next frame.
func (s *ensembleScript) receive(conn *rigConn) {
	f := conn.toClient[0].x
	conn.toClient = conn.toClient[1:]
	if conn.gone {
		return
	}
	c := s.clients[s.names[conn.client]]
	name := c.name
	if i := slices.Index(c.old, conn); i >= 0 {
		name += strconv.Itoa(i + 1)
	}
	if f.Hangup {
		conn.gone = true
		fmt.Fprintf(&s.b, "%s: closed\n", name)
		return
	}
	r := &f.Response
	if r.Kind == zkmodel.KindReply && conn == c.conn {
		s.service.Seen(conn.client, c.session, r.Zxid, s.now)
		c.seen = max(c.seen, r.Zxid)
	}
	switch r.Kind {
	case zkmodel.KindConnect:
		if r.SessionID == 0 {
			fmt.Fprintf(&s.b, "%s: its session is over\n", name)
			return
		}
		c.session, c.password = r.SessionID, r.Password
		fmt.Fprintf(&s.b, "%s: session %#x for %v\n", name, r.SessionID, r.Timeout)
	case zkmodel.KindEvent:
		fmt.Fprintf(&s.b, "%s: event %s %s\n", name, r.Event, r.Path)
	default:
		fmt.Fprintf(&s.b, "%s: %s %s", name, r.Op, r.Err)
		if r.Path != "" {
			fmt.Fprintf(&s.b, " %s", r.Path)
		}
		if r.Op == zkmodel.OpGetData && r.Err == zkmodel.OK {
			fmt.Fprintf(&s.b, " %q", r.Data)
		}
		if r.Op == zkmodel.OpGetChildren {
			slices.Sort(r.Children)
			fmt.Fprintf(&s.b, " %v", r.Children)
		}
		fmt.Fprintf(&s.b, " z%d:%d\n", r.Zxid>>32, r.Zxid&0xffffffff)
	}
}

func parseZxid(t testing.TB, w string) int64 {
	var epoch, n int64
	_, err := fmt.Sscanf(w, "z%d:%d", &epoch, &n)
	require.NoError(t, err, w)
	return epoch<<32 | n
}

// pass lets time pass, until done if that comes first.
func (s *ensembleScript) pass(d time.Duration, done func() bool) {
	end := s.now + d
	s.settle()
	for !done() {
		at, who := s.nextTimer(func(id int) bool { return s.frozen[id] })
		if who == 0 || at > end {
			s.now = end
			return
		}
		s.now = at
		s.timer(who)
		s.settle()
	}
}

func (s *ensembleScript) await(f []string) {
	begin := s.now
	done := func() bool { return s.clients[f[1]] != nil && s.clients[f[1]].conn.gone }
	if f[2] != "closed" {
		p := &s.peers[s.server(f[1])]
		done = func() bool { return p.Serving() && (f[2] == "serving" || p.Role() == zkmodel.RoleLeading) }
	}
	s.pass(s.duration(f[3]), done)
	if done() {
		fmt.Fprintf(&s.b, "after %v\n", s.now-begin)
	} else {
		fmt.Fprintf(&s.b, "not in %v\n", s.now-begin)
	}
}

func (s *ensembleScript) state() {
	for i := 1; i < len(s.peers); i++ {
		z := s.peers[i].LastLogged()
		var at int64
		if st, ok := s.peers[i].Server().Lookup("/"); ok {
			at = st.Pzxid
		}
		names := s.peers[i].Server().AppendChildren(nil, "/")
		slices.Sort(names)
		fmt.Fprintf(&s.b, "server %d: log to z%d:%d, / has %v as of z%d:%d\n",
			i, z>>32, z&0xffffffff, names[:len(names)-1], at>>32, at&0xffffffff)
	}
}

// TestEnsembleScripts plays testdata/ensemble: what was measured on three
// servers of ZooKeeper 3.8.0 (tickTime 500, syncLimit 4), and what follows from
// it. The scripts are written anew with -rewrite.
func TestEnsembleScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/ensemble", func(t *testing.T, path string) {
		var s *ensembleScript
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "start":
				o := zkmodel.PeerOptions{Servers: 3, SyncLimit: 4, Server: zkmodel.ServerOptions{Tick: ms(500)}}
				d.MaybeScanArgs(t, "servers", &o.Servers)
				d.MaybeScanArgs(t, "commit-log", &o.CommitLog)
				s = &ensembleScript{
					ensembleRig: newEnsembleRig(o), t: t,
					frozen: make([]bool, o.Servers+1), roles: make([]string, o.Servers+1), clients: map[string]*scriptClient{},
				}
				for i := 1; i <= o.Servers; i++ {
					s.start(i)
				}
				s.pass(5*time.Second, func() bool { return s.leader() != 0 })
				s.settle()
				s.b.Reset()
				fmt.Fprintf(&s.b, "server %d leads %d servers\n", s.leader(), o.Servers)
			case "do":
				for line := range strings.Lines(d.Input) {
					s.line(line)
				}
			default:
				t.Fatalf("%s: unknown command %s; allowed: start, do", d.Pos, d.Cmd)
			}
			if r := s.service.Finish(); r.Verdict != checker.Pass {
				fmt.Fprintf(&s.b, "BROKEN: %s\n", r.Why)
			}
			text := s.b.String()
			s.b.Reset()
			return text
		})
	})
}
