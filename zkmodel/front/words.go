package front

import (
	"fmt"
	"math"
	"net"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"zoosim/zkmodel"
)

// version is what the server says it is; the clients that look at it want a
// number in front.
const version = "3.8.0-zoosim, built on 2022-02-25 08:49 UTC"

const notServing = "This ZooKeeper instance is not currently serving requests\n"

// word answers a four-letter word (classes of org.apache.zookeeper.server.command).
func (p *port) word(c zkmodel.ConnID, word string) (answer string, ok bool) {
	w, ok := words[word]
	if !ok {
		return "", false
	}
	x := p.f.conns[c]
	x.greeted = true
	p.stats.received++
	x.stats.received++
	v := p.f.back.view(p.index)
	if !v.serving && !w.always {
		return notServing, true
	}
	var b strings.Builder
	w.write(&b, p, v)
	return b.String(), true
}

// fourLetters is one word: what it answers, also by a server that serves
// nobody if always is set.
type fourLetters struct {
	always bool
	write  func(b *strings.Builder, p *port, v serverView)
}

var words = map[string]fourLetters{
	"ruok": {true, func(b *strings.Builder, _ *port, _ serverView) { b.WriteString("imok") }},
	"isro": {true, func(b *strings.Builder, _ *port, v serverView) {
		if v.serving {
			b.WriteString("rw")
		} else {
			b.WriteString("null")
		}
	}},
	"gtmk": {true, func(b *strings.Builder, _ *port, _ serverView) { b.WriteString("306") }}, // what is traced by default
	"envi": {true, writeEnvironment},
	"conf": {false, writeConf},
	"srvr": {false, writeServer},
	"stat": {false, writeStat},
	"mntr": {false, writeMonitor},
	"cons": {false, writeConns},
	"dump": {false, writeDump},
	"wchs": {false, writeWatchSummary},
	"wchc": {false, writeWatchesBySession},
	"wchp": {false, writeWatchesByPath},
	"dirs": {false, func(b *strings.Builder, _ *port, _ serverView) { b.WriteString("datadir_size: 0\nlogdir_size: 0\n") }},
	"srst": {false, func(b *strings.Builder, p *port, _ serverView) {
		p.stats.reset()
		b.WriteString("Server stats reset.\n")
	}},
	"crst": {false, func(b *strings.Builder, p *port, _ serverView) {
		for _, c := range p.connected() {
			c.stats.reset()
		}
		b.WriteString("Connection stats reset.\n")
	}},
}

// connected are the open connections of a port in the order of their numbers.
func (p *port) connected() []*conn {
	var all []*conn
	for _, c := range p.f.conns {
		if c.port == p && !c.closed {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b *conn) int { return int(a.id) - int(b.id) })
	return all
}

func writeEnvironment(b *strings.Builder, _ *port, _ serverView) {
	b.WriteString("Environment:\n")
	for _, kv := range [...][2]string{
		{"zookeeper.version", version},
		{"host.name", "localhost"},
		{"os.name", runtime.GOOS},
		{"os.arch", runtime.GOARCH},
	} {
		fmt.Fprintf(b, "%s=%s\n", kv[0], kv[1])
	}
}

func writeConf(b *strings.Builder, p *port, _ serverView) {
	_, clientPort, _ := net.SplitHostPort(p.listener.Addr().String())
	tick := p.f.o.Server.Tick.Milliseconds()
	fmt.Fprintf(b, "clientPort=%s\nsecureClientPort=-1\n", clientPort)
	b.WriteString("dataDir=\ndataDirSize=0\ndataLogDir=\ndataLogSize=0\n") // it has none
	fmt.Fprintf(b, "tickTime=%d\nmaxClientCnxns=%d\n", tick, p.f.o.MaxConns)
	fmt.Fprintf(b, "minSessionTimeout=%d\nmaxSessionTimeout=%d\n", 2*tick, 20*tick)
	fmt.Fprintf(b, "clientPortListenBacklog=-1\nserverId=%d\n", p.serverID())
}

func writeServer(b *strings.Builder, p *port, v serverView) {
	fmt.Fprintf(b, "Zookeeper version: %s\n", version)
	writeServerStats(b, p, v)
}

func writeStat(b *strings.Builder, p *port, v serverView) {
	fmt.Fprintf(b, "Zookeeper version: %s\nClients:\n", version)
	for _, c := range p.connected() {
		c.writeBrief(b)
		b.WriteString(")\n")
	}
	b.WriteByte('\n')
	writeServerStats(b, p, v)
}

func writeServerStats(b *strings.Builder, p *port, v serverView) {
	l := &p.stats.latency
	znodes, _ := v.server.TreeSize()
	fmt.Fprintf(b, "Latency min/avg/max: %d/%s/%d\n", l.min, javaDouble(l.average()), l.max)
	fmt.Fprintf(b, "Received: %d\nSent: %d\n", p.stats.received, p.stats.sent)
	fmt.Fprintf(b, "Connections: %d\nOutstanding: %d\n", len(p.connected()), p.outstanding())
	fmt.Fprintf(b, "Zxid: %#x\nMode: %s\n", v.server.LastZxid(), v.mode)
	if v.mode == "leader" {
		b.WriteString("Proposal sizes last/min/max: -1/-1/-1\n")
	}
	fmt.Fprintf(b, "Node count: %d\n", znodes+1) // ZooKeeper has the root twice
}

// javaDouble writes a number as Java does, with a digit behind the point.
func javaDouble(v float64) string {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// outstanding is the number of requests that wait for their replies.
func (p *port) outstanding() int {
	n := 0
	for _, c := range p.connected() {
		n += len(c.stats.pending)
	}
	return n
}

func writeMonitor(b *strings.Builder, p *port, v serverView) {
	znodes, bytes := v.server.TreeSize()
	sessions := v.server.Sessions()
	ephemerals := 0
	for i := range sessions {
		ephemerals += len(sessions[i].Ephemerals)
	}
	l := &p.stats.latency
	for _, kv := range [...]struct {
		key   string
		value any
	}{
		{"version", version},
		{"server_state", v.mode},
		{"ephemerals_count", ephemerals},
		{"num_alive_connections", len(p.connected())},
		{"avg_latency", javaDouble(l.average())},
		{"outstanding_requests", p.outstanding()},
		{"znode_count", znodes + 1},
		{"global_sessions", len(sessions)},
		{"packets_sent", p.stats.sent},
		{"packets_received", p.stats.received},
		{"watch_count", len(v.server.Watches())},
		{"min_latency", l.min},
		{"approximate_data_size", bytes},
		{"local_sessions", 0},
		{"uptime", time.Since(p.f.begin).Milliseconds()},
		{"max_latency", l.max},
	} {
		fmt.Fprintf(b, "zk_%s\t%v\n", kv.key, kv.value)
	}
	for _, kv := range v.quorum {
		fmt.Fprintf(b, "zk_%s\t%d\n", kv.key, kv.value)
	}
}

// writeBrief writes a connection as "stat" shows it, without the end.
func (c *conn) writeBrief(b *strings.Builder) {
	reads := 1
	if c.session == 0 {
		reads = 0 // the asking one, which is read no further
	}
	fmt.Fprintf(b, " /%s[%d](queued=0,recved=%d,sent=%d", c.nc.RemoteAddr(), reads, c.stats.received, c.stats.sent)
}

func writeConns(b *strings.Builder, p *port, _ serverView) {
	for _, c := range p.connected() {
		c.writeBrief(b)
		if c.session != 0 {
			s := &c.stats
			fmt.Fprintf(b, ",sid=%#x,lop=%s,est=%d,to=%d,lcxid=%#x,lzxid=%#x,lresp=%d,llat=%d,minlat=%d,avglat=%d,maxlat=%d",
				c.session, traceName(s.lastOp), s.begin.Milliseconds(), s.timeout.Milliseconds(),
				uint64(int64(s.lastXid)), uint64(s.lastZxid), (s.lastReply - zkmodel.Time(p.f.begin.UnixNano())).Milliseconds(),
				s.last.max, s.latency.min, int64(math.Floor(s.latency.average())), s.latency.max)
		}
		b.WriteString(")\n")
	}
	b.WriteByte('\n')
}

// javaDate is how class java.util.Date writes itself.
const javaDate = "Mon Jan 02 15:04:05 MST 2006"

func dateOf(t zkmodel.Time) string { return time.Unix(0, int64(t)).UTC().Format(javaDate) }

// expiryInterval is the width of the buckets in which a server looks for
// connections without a word from the client.
const expiryInterval = 10 * time.Second

func writeDump(b *strings.Builder, p *port, v serverView) {
	sessions := v.server.Sessions()
	byDeadline := map[zkmodel.Time][]string{}
	owners := 0
	for i := range sessions {
		d := sessions[i].Deadline
		byDeadline[d] = append(byDeadline[d], fmt.Sprintf("\t%#x\n", sessions[i].ID))
		if len(sessions[i].Ephemerals) > 0 {
			owners++
		}
	}
	fmt.Fprintf(b, "SessionTracker dump:\nSession ")
	writeExpirySets(b, byDeadline, len(sessions))
	fmt.Fprintf(b, "ephemeral nodes dump:\nSessions with Ephemerals (%d):\n", owners)
	for i := range sessions {
		if len(sessions[i].Ephemerals) == 0 {
			continue
		}
		fmt.Fprintf(b, "%#x:\n", sessions[i].ID)
		for _, path := range sessions[i].Ephemerals {
			fmt.Fprintf(b, "\t%s\n", path)
		}
	}
	conns := p.connected()
	byDeadline = map[zkmodel.Time][]string{}
	for _, c := range conns {
		d := ((max(c.stats.begin, c.stats.lastReply)+c.stats.timeout)/expiryInterval + 1) * expiryInterval
		byDeadline[d] = append(byDeadline[d], fmt.Sprintf("\tip: /%s sessionId: %#x\n", c.nc.RemoteAddr(), c.session))
	}
	b.WriteString("Connections dump:\nConnections ")
	writeExpirySets(b, byDeadline, len(conns))
}

// writeExpirySets writes the buckets of class ExpiryQueue.
func writeExpirySets(b *strings.Builder, sets map[zkmodel.Time][]string, members int) {
	fmt.Fprintf(b, "Sets (%d)/(%d):\n", len(sets), members)
	for _, at := range sortedKeys(sets) {
		fmt.Fprintf(b, "%d expire at %s:\n%s", len(sets[at]), dateOf(at), strings.Join(sets[at], ""))
	}
}

func sortedKeys[K int64 | string | zkmodel.Time, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// dataWatches are the watches that the words tell of: those of getData and
// exists, in the order of paths and sessions.
func dataWatches(v serverView) (byPath map[string][]int64, bySession map[int64][]string) {
	byPath, bySession = map[string][]int64{}, map[int64][]string{}
	for _, w := range v.server.Watches() {
		if !w.Child {
			byPath[w.Path] = append(byPath[w.Path], w.Session)
			bySession[w.Session] = append(bySession[w.Session], w.Path)
		}
	}
	return byPath, bySession
}

func writeWatchSummary(b *strings.Builder, _ *port, v serverView) {
	byPath, bySession := dataWatches(v)
	total := 0
	for _, sessions := range byPath {
		total += len(sessions)
	}
	fmt.Fprintf(b, "%d connections watching %d paths\nTotal watches:%d\n", len(bySession), len(byPath), total)
}

func writeWatchesBySession(b *strings.Builder, _ *port, v serverView) {
	_, bySession := dataWatches(v)
	for _, id := range sortedKeys(bySession) {
		fmt.Fprintf(b, "%#x\n", id)
		for _, path := range bySession[id] {
			fmt.Fprintf(b, "\t%s\n", path)
		}
	}
	b.WriteByte('\n')
}

func writeWatchesByPath(b *strings.Builder, _ *port, v serverView) {
	byPath, _ := dataWatches(v)
	for _, path := range sortedKeys(byPath) {
		fmt.Fprintf(b, "%s\n", path)
		for _, id := range byPath[path] {
			fmt.Fprintf(b, "\t%#x\n", id)
		}
	}
	b.WriteByte('\n')
}
