package front

import (
	"time"

	"zoosim/zkmodel"
	"zoosim/zkmodel/serverloop"
)

// runner carries out an input of server i and writes what it puts out.
type runner func(i int, input func(out *zkmodel.Output))

// backend is what stands behind the ports. Its methods are called under the
// front's lock.
type backend interface {
	servers() int
	machine(i int) serverloop.Machine
	// pass lets time pass, and next says until when there is nothing to do.
	pass(now zkmodel.Time, run runner)
	next() (zkmodel.Time, bool)
	// settle does what an input made due at other servers; hurried says that
	// next may have come closer.
	settle(now zkmodel.Time, run runner)
	hurried() bool
	// expire ends a session; false if it is not alive.
	expire(now zkmodel.Time, session int64, run runner) bool
	alive(session int64) bool
	// crash stops server i, the leader if i is -1, and starts it again later
	// unless that is 0; it returns the server, -1 if there is none to stop.
	crash(now zkmodel.Time, i int, again time.Duration, run runner) int
	view(i int) serverView
	truth() *zkmodel.Server // whose sessions are those that live
}

// serverView is what there is to tell of one server.
type serverView struct {
	mode    string // standalone, leader, follower; looking, down
	serving bool
	server  *zkmodel.Server
	quorum  []metric // of an ensemble
}

// modeDown is the mode of a server that is not running.
const modeDown = "down"

// metric is a line of the word mntr.
type metric struct {
	key   string
	value int
}

// standalone is one server by itself.
type standalone struct{ server zkmodel.Server }

func newBackend(o *Options, now zkmodel.Time) backend {
	if o.Servers > 1 {
		return newEnsemble(o, now)
	}
	s := &standalone{}
	so := o.Server
	if so.SessionsBefore == 0 {
		so.SessionsBefore = sessionsAt(now)
	}
	s.server.Init(so)
	s.server.SetListingKey(listingKey)
	return s
}

// listingKey chooses the order of listings. Any will do; with none, listings
// are sorted by hash, which takes time.
const listingKey = 1

// sessionsAt is what the ids of sessions are counted from: the low 40 bits of
// the time in milliseconds, and below them room for 65,536 sessions (class
// SessionTrackerImpl, initializeNextSessionId).
func sessionsAt(now zkmodel.Time) int64 {
	return now.Milliseconds() & (1<<40 - 1) << 16
}

func (s *standalone) servers() int                   { return 1 }
func (s *standalone) machine(int) serverloop.Machine { return &s.server }

func (s *standalone) pass(now zkmodel.Time, run runner) {
	run(0, func(out *zkmodel.Output) { s.server.Tick(now, out) })
}

func (s *standalone) next() (zkmodel.Time, bool) { return s.server.NextExpiry() }

func (s *standalone) settle(zkmodel.Time, runner) {}
func (s *standalone) hurried() bool               { return false }

func (s *standalone) expire(now zkmodel.Time, session int64, run runner) (ok bool) {
	run(0, func(out *zkmodel.Output) { ok = s.server.Expire(now, session, out) })
	return ok
}

func (s *standalone) alive(session int64) bool { return s.server.SessionAlive(session) }

func (s *standalone) view(int) serverView {
	return serverView{mode: "standalone", serving: true, server: &s.server}
}

func (s *standalone) truth() *zkmodel.Server { return &s.server }

// crash: a server that stands alone does not stop; its script says so.
func (s *standalone) crash(zkmodel.Time, int, time.Duration, runner) int { return -1 }
