package checker

import (
	"slices"
	"strconv"
	"time"
)

// EnsembleService judges what the servers of an ensemble do by what ZooKeeper
// guarantees of one, with a [Service] for each server, which takes that
// server's state for the truth, and with what must hold between them:
//
//   - agreement: all servers apply the same transactions in the same order, so
//     that what was answered is nowhere undone
//   - linearizable writes: a write that begins behind the answer to another one
//     comes behind it in that order
//   - no client goes back in time: a client that comes to another server finds
//     nothing older there than it has seen
//   - local reads: a server answers a read of which its client has nothing else
//     outstanding from what it has applied, before anything else happens
//
// That each client's requests are carried out in their order, and that it is
// told of a change before it sees it, holds at each server or not at all.
//
// Events are those of Service, each with the server at which it happened. The
// zero value is ready after Reset.
type EnsembleService struct {
	servers []Service
	at      []int          // how many of the agreed events each server has
	agreed  []ServiceEvent // behind dropped ones
	dropped int

	opened   map[int64]int64 // living sessions, and what their clients have seen
	answered int64           // the greatest zxid that a write was answered with
	writes   []pendingWrite
	attached []int32       // connections that are open
	reads    []pendingRead // and what is outstanding on them
	events   int           // so far
	result   Result
}

// pendingRead is a request without its answer.
type pendingRead struct {
	conn, xid int32
	alone     bool // a read with nothing before it
	after     int  // number of its event
}

// pendingWrite is a write without its answer.
type pendingWrite struct {
	conn, xid int32
	after     int64 // the greatest zxid that was answered before it
}

// The guarantees between servers.
const (
	agreement         = "agreement"
	linearizableWrite = "linearizable-writes"
	backInTime        = "back-in-time"
	localRead         = "local-reads"
)

// Reset forgets everything: an ensemble of so many servers has never run.
func (s *EnsembleService) Reset(servers int) {
	for len(s.servers) < servers {
		s.servers, s.at = append(s.servers, Service{}), append(s.at, 0)
	}
	s.servers, s.at = s.servers[:servers], s.at[:servers]
	for i := range s.servers {
		s.servers[i].Reset()
		s.at[i] = 0
	}
	clear(s.agreed)
	s.agreed, s.dropped, s.answered, s.writes = s.agreed[:0], 0, 0, s.writes[:0]
	s.attached, s.reads, s.events = s.attached[:0], s.reads[:0], 0
	s.opened = map[int64]int64{}
	s.result = Result{Property: ServiceGuarantees, Level: LevelService, Verdict: Pass, Client: -1}
}

// Failed is true as soon as a guarantee is broken.
func (s *EnsembleService) Failed() bool { return s.result.Verdict == Failed }

// Finish judges the end of the stream and gives the result.
func (s *EnsembleService) Finish() Result {
	for i := range s.servers {
		s.take(i, s.servers[i].Finish())
	}
	return s.result
}

// take takes over the verdict on one server.
func (s *EnsembleService) take(server int, r Result) {
	if r.Verdict == Failed && !s.Failed() {
		s.result = r
		s.result.Why += ", at server " + strconv.Itoa(server+1)
	}
}

func (s *EnsembleService) fail(e *ServiceEvent, server int, guarantee, why string) {
	if !s.Failed() {
		s.result.Verdict, s.result.At = Failed, e.At
		s.result.Why = guarantee + ": server " + strconv.Itoa(server+1) + " " + why + " at " + seconds(e.At)
	}
}

// Observe judges the next event, which happened at the given server, counted
// from 0.
func (s *EnsembleService) Observe(server int, e *ServiceEvent) {
	if s.Failed() {
		return
	}
	s.events++
	switch e.Kind {
	case ServiceOpen, ServiceEnd, ServiceApply, ServicePass:
		s.agree(server, e)
	case ServiceRequest:
		if writes(e.Op) {
			s.writes = append(s.writes, pendingWrite{conn: e.Conn, xid: e.Xid, after: s.answered})
		}
		s.asked(e)
	case ServiceReply:
		s.answer(server, e)
		s.told(server, e)
	case ServiceDetach:
		s.forget(e.Conn)
		s.attached = slices.DeleteFunc(s.attached, func(c int32) bool { return c == e.Conn })
		s.reads = slices.DeleteFunc(s.reads, func(r pendingRead) bool { return r.conn == e.Conn })
	case ServiceAttach:
		s.attach(server, e)
		s.attached = append(s.attached, e.Conn)
	}
	if s.Failed() {
		return
	}
	s.servers[server].Observe(e)
	if s.servers[server].Failed() {
		s.take(server, s.servers[server].Finish())
	}
}

// Installed says that a server has taken over another one's state, up to a
// zxid, in place of the transactions that led to it.
func (s *EnsembleService) Installed(server int, zxid int64, at time.Duration) {
	for !s.Failed() && s.at[server] < s.dropped+len(s.agreed) {
		e := s.agreed[s.at[server]-s.dropped]
		if e.Zxid > zxid {
			return
		}
		e.At = at
		s.at[server]++
		s.servers[server].Observe(&e)
	}
}

// Seen says that the client of a session has received a reply that shows a
// zxid. Without it, what its connect requests say is all that is known of what
// it has seen.
func (s *EnsembleService) Seen(client int32, session, zxid int64, at time.Duration) {
	seen, ok := s.opened[session]
	if ok && zxid < seen && !s.Failed() {
		s.result.Verdict, s.result.At, s.result.Client = Failed, at, client
		s.result.Why = backInTime + ": " + name(client) + " was shown " + zxidName(zxid) + " at " + seconds(at) +
			" after " + zxidName(seen)
	}
	if ok {
		s.opened[session] = max(seen, zxid)
	}
}

// agree holds the next transaction of a server against what others did in its
// place.
func (s *EnsembleService) agree(server int, e *ServiceEvent) {
	i := s.at[server] - s.dropped
	s.at[server]++
	if i == len(s.agreed) {
		s.agreed = append(s.agreed, *e)
		s.note(e)
		s.prune()
		return
	}
	if o := &s.agreed[i]; !o.sameChange(e) {
		s.fail(e, server, agreement, "applied "+e.change()+", where another server had applied "+o.change())
	}
}

// note keeps what sessions there are.
func (s *EnsembleService) note(e *ServiceEvent) {
	switch e.Kind {
	case ServiceOpen:
		s.opened[e.Session] = 0
	case ServiceEnd:
		delete(s.opened, e.Session)
	}
}

// prune drops what every server has applied.
func (s *EnsembleService) prune() {
	least := s.at[0]
	for _, n := range s.at {
		least = min(least, n)
	}
	if n := least - s.dropped; n > 256 && n > len(s.agreed)/2 {
		kept := copy(s.agreed, s.agreed[n:])
		clear(s.agreed[kept:])
		s.agreed, s.dropped = s.agreed[:kept], least
	}
}

// sameChange reports whether two events are the same transaction, or the same
// part of one.
func (e *ServiceEvent) sameChange(f *ServiceEvent) bool {
	return e.Kind == f.Kind && e.Zxid == f.Zxid && e.Op == f.Op && e.Path == f.Path &&
		e.Session == f.Session && e.Owner == f.Owner && e.Cause == f.Cause && string(e.Data) == string(f.Data)
}

// change is a transaction in a sentence.
func (e *ServiceEvent) change() string {
	what := ""
	switch e.Kind {
	case ServiceOpen:
		what = "the begin of " + sessionName(e.Session, -1)
	case ServiceEnd:
		what = "the end of " + sessionName(e.Session, -1)
	case ServicePass:
		what = "a failed request"
	default:
		what = wireOpName(e.Op) + "(" + e.Path + ")"
	}
	return what + " as " + zxidName(e.Zxid)
}

// answer judges the answer to a write.
func (s *EnsembleService) answer(server int, e *ServiceEvent) {
	for i := range s.writes {
		w := s.writes[i]
		if w.conn != e.Conn || w.xid != e.Xid {
			continue
		}
		s.writes = append(s.writes[:i], s.writes[i+1:]...)
		if e.Zxid <= w.after {
			s.fail(e, server, linearizableWrite, "answered a write with "+zxidName(e.Zxid)+
				" that began when "+zxidName(w.after)+" was answered")
		}
		s.answered = max(s.answered, e.Zxid)
		return
	}
}

// asked notes a request.
func (s *EnsembleService) asked(e *ServiceEvent) {
	r := pendingRead{conn: e.Conn, xid: e.Xid, after: s.events}
	switch e.Op {
	case wireExists, wireGetData, wireGetChildren, wireGetChildren2:
		r.alone = slices.Contains(s.attached, e.Conn) && !slices.ContainsFunc(s.reads, func(o pendingRead) bool { return o.conn == e.Conn })
	}
	s.reads = append(s.reads, r)
}

// told judges when a read was answered.
func (s *EnsembleService) told(server int, e *ServiceEvent) {
	i := slices.IndexFunc(s.reads, func(r pendingRead) bool { return r.conn == e.Conn && r.xid == e.Xid })
	if i < 0 {
		return
	}
	if r := s.reads[i]; r.alone && s.events != r.after+1 {
		s.fail(e, server, localRead, "answered a read that it had held back, with nothing before it to wait for,")
	}
	s.reads = slices.Delete(s.reads, i, i+1)
}

// forget drops the writes of a connection that is over.
func (s *EnsembleService) forget(conn int32) {
	keep := s.writes[:0]
	for _, w := range s.writes {
		if w.conn != conn {
			keep = append(keep, w)
		}
	}
	s.writes = keep
}

// attach lets a session come to a server before the transaction that opened
// it. What its client says that it has seen is judged at the server; what it has
// seen in truth may be more, if it has given this connection up.
func (s *EnsembleService) attach(server int, e *ServiceEvent) {
	g := &s.servers[server].ground
	if g.session(e.Session) != nil {
		return
	}
	for i := s.at[server] - s.dropped; i < len(s.agreed); i++ {
		if o := &s.agreed[i]; o.Kind == ServiceOpen && o.Session == e.Session {
			g.open(e.Session)
			return
		}
	}
}

// writes says whether a request of this type is a write.
func writes(op int32) bool {
	switch op {
	case wireCreate, wireCreate2, wireCreateContainer, wireCreateTTL, wireDelete, wireSetData, wireSetACL, wireMulti,
		wireCloseSession:
		return true
	}
	return false
}
