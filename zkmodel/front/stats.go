package front

import (
	"fmt"
	"time"

	"zoosim/zkmodel"
)

// latency sums up times between requests and their replies, in milliseconds.
type latency struct {
	min, max, sum, count int64
}

func (l *latency) add(d time.Duration) {
	ms := d.Milliseconds()
	if l.count == 0 || ms < l.min {
		l.min = ms
	}
	l.max = max(l.max, ms)
	l.sum += ms
	l.count++
}

// average has four digits behind the point at the most (class AvgMinMaxCounter).
func (l *latency) average() float64 {
	if l.count == 0 {
		return 0
	}
	return float64(l.sum*10_000/l.count) / 10_000
}

// serverStats are those of class ServerStats.
type serverStats struct {
	received, sent int64
	latency        latency
}

func (s *serverStats) reset() { *s = serverStats{} }

// connStats are those of class NIOServerCnxn.
type connStats struct {
	begin          zkmodel.Time
	timeout        zkmodel.Time
	received, sent int64
	latency        latency
	last           latency // of the last reply alone
	lastOp         zkmodel.OpCode
	lastXid        int32
	lastZxid       int64
	lastReply      zkmodel.Time
	pending        []zkmodel.Time // when the unanswered requests came
}

func (s *connStats) reset() {
	s.received, s.sent, s.latency, s.last = 0, 0, latency{}, latency{}
	s.lastOp, s.lastXid, s.lastZxid, s.lastReply = 0, -1, -1, 0
}

// maxPending bounds what is remembered of requests that wait for their replies.
const maxPending = 4096

func (s *connStats) request(now zkmodel.Time, q *zkmodel.Request) {
	s.received++
	if q.Op != zkmodel.OpCheck && len(s.pending) < maxPending { // a check may get no reply
		s.pending = append(s.pending, now)
	}
	s.lastOp = q.Op
	if q.Op != zkmodel.OpConnect {
		s.lastXid = q.Xid
	}
}

// reply takes note of a reply and returns how long it took.
func (s *connStats) reply(now zkmodel.Time, r *zkmodel.Response) time.Duration {
	took := time.Duration(0)
	if r.Op != zkmodel.OpCheck && len(s.pending) > 0 {
		took = now - s.pending[0]
		s.pending = s.pending[:copy(s.pending, s.pending[1:])]
	}
	s.latency.add(took)
	s.last = latency{}
	s.last.add(took)
	s.lastReply, s.lastZxid = now, r.Zxid
	return took
}

// traceName is how class NIOServerCnxn calls a request type in "cons".
func traceName(op zkmodel.OpCode) string {
	switch op {
	case 0:
		return "NA"
	case zkmodel.OpConnect:
		return "SESS"
	case zkmodel.OpCloseSession:
		return "CLOS"
	case zkmodel.OpCreate, zkmodel.OpCreate2, zkmodel.OpCreateContainer, zkmodel.OpCreateTTL:
		return "CREA"
	case zkmodel.OpDelete, zkmodel.OpDeleteContainer:
		return "DELE"
	case zkmodel.OpExists:
		return "EXIS"
	case zkmodel.OpGetData:
		return "GETD"
	case zkmodel.OpSetData:
		return "SETD"
	case zkmodel.OpGetACL:
		return "GETA"
	case zkmodel.OpSetACL:
		return "SETA"
	case zkmodel.OpGetChildren, zkmodel.OpGetChildren2:
		return "GETC"
	case zkmodel.OpSync:
		return "SYNC"
	case zkmodel.OpPing:
		return "PING"
	case zkmodel.OpCheck:
		return "CHEC"
	case zkmodel.OpMulti:
		return "MULT"
	case zkmodel.OpMultiRead:
		return "MLTR"
	case zkmodel.OpReconfig:
		return "RECO"
	case zkmodel.OpCheckWatches:
		return "CHKW"
	case zkmodel.OpRemoveWatches:
		return "REMW"
	case zkmodel.OpSetWatches:
		return "SETW"
	case zkmodel.OpSetWatches2:
		return "STW2"
	case zkmodel.OpAddWatch:
		return "ADDW"
	case zkmodel.OpGetEphemerals:
		return "GETE"
	case zkmodel.OpGetAllChildrenNumber:
		return "GETACN"
	case zkmodel.OpWhoAmI:
		return "HOMI"
	}
	return fmt.Sprintf("%d", op)
}
