package checker_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
)

// The request types and codes on the wire that planting needs.
const (
	opCreate, opDelete, opExists, opGetData, opSetData = 1, 2, 3, 4, 5
	opGetChildren, opPing, opGetChildren2              = 8, 11, 12
)

// plantedFault is a fault of a server, planted into what a good one did: where
// it can be planted at event i of the stream, plant returns the stream that a
// server with the fault would have made, up to where it must have shown.
type plantedFault struct {
	name   string
	breaks string // the guarantee
	plant  func(p *planting, i int) []checker.ServiceEvent
}

// planting is a stream with what planting must know of it.
type planting struct {
	stream  []checker.ServiceEvent
	request []int // of each reply, the index of its request, -1 for none
	rand    *rand.Rand
}

func newPlanting(stream []checker.ServiceEvent, r *rand.Rand) *planting {
	p := &planting{stream: stream, rand: r, request: make([]int, len(stream))}
	open := map[int32][]int{}
	for i := range stream {
		e := &stream[i]
		p.request[i] = -1
		switch e.Kind {
		case checker.ServiceRequest:
			open[e.Conn] = append(open[e.Conn], i)
		case checker.ServiceDetach:
			delete(open, e.Conn)
		case checker.ServiceReply:
			for k, at := range open[e.Conn] {
				if stream[at].Xid == e.Xid || stream[at].Op == opPing && e.Xid == -2 {
					p.request[i], open[e.Conn] = at, open[e.Conn][k+1:]
					break
				}
			}
		}
	}
	return p
}

// next is the index of the next reply on the connection of event i, -1 if the
// connection ends before.
func (p *planting) next(i int) int {
	for j := i + 1; j < len(p.stream); j++ {
		if e := &p.stream[j]; e.Conn == p.stream[i].Conn {
			switch e.Kind {
			case checker.ServiceReply:
				return j
			case checker.ServiceDetach:
				return -1
			}
		}
	}
	return -1
}

// with is the stream with events put in before index i and, of those there,
// skip left out.
func (p *planting) with(i, skip int, put ...checker.ServiceEvent) []checker.ServiceEvent {
	return slices.Concat(p.stream[:i], put, p.stream[i+skip:])
}

// changed is the stream with event i changed.
func (p *planting) changed(i int, change func(e *checker.ServiceEvent)) []checker.ServiceEvent {
	e := p.stream[i]
	change(&e)
	return p.with(i, 1, e)
}

func (p *planting) is(i int, kind checker.ServiceKind) bool { return p.stream[i].Kind == kind }

// live is the paths of the znodes before event i.
func (p *planting) live(i int) map[string]bool {
	live := map[string]bool{}
	for j := range i {
		switch e := &p.stream[j]; {
		case e.Kind == checker.ServicePlant, e.Kind == checker.ServiceApply && e.Op == opCreate:
			live[e.Path] = true
		case e.Kind == checker.ServiceApply && e.Op == opDelete:
			delete(live, e.Path)
		}
	}
	return live
}

var plantedFaults = []plantedFault{
	{"an event is dropped", "event-before-read", func(p *planting, i int) []checker.ServiceEvent {
		if !p.is(i, checker.ServiceNotify) || p.next(i) < 0 {
			return nil
		}
		return p.with(i, 1)
	}},
	{"an event is late", "event-before-read", func(p *planting, i int) []checker.ServiceEvent {
		if !p.is(i, checker.ServiceNotify) || p.next(i) < 0 {
			return nil
		}
		j := p.next(i)
		return slices.Concat(p.stream[:i], p.stream[i+1:j+1], p.stream[i:i+1], p.stream[j+1:])
	}},
	{"an event is sent twice", "one-shot", func(p *planting, i int) []checker.ServiceEvent {
		if !p.is(i, checker.ServiceNotify) {
			return nil
		}
		// One that is owed twice, by the two tables, is no fault.
		for j := i + 1; j < len(p.stream) && !p.is(j, checker.ServiceReply) && !p.is(j, checker.ServiceApply); j++ {
			if e := &p.stream[j]; e.Kind == checker.ServiceNotify && e.Conn == p.stream[i].Conn && e.Path == p.stream[i].Path {
				return nil
			}
		}
		return p.with(i, 0, p.stream[i])
	}},
	{"a watch stays when it fires", "one-shot", plantStayingWatch},
	{"an event goes to a connection without a watch", "event-cause", func(p *planting, i int) []checker.ServiceEvent {
		if !p.is(i, checker.ServiceReply) {
			return nil
		}
		return p.with(i+1, 0, checker.ServiceEvent{
			Kind: checker.ServiceNotify, Conn: p.stream[i].Conn, Type: 1 + int32(p.rand.IntN(4)), Path: "/nobody/watches",
		})
	}},
	{"a failed getData leaves a watch", "event-cause", plantAbsentWatch},
	{"an ephemeral is kept after its session's end", "ephemeral", func(p *planting, i int) []checker.ServiceEvent {
		if !p.is(i, checker.ServiceApply) || p.stream[i].Cause == checker.ServiceByRequest {
			return nil
		}
		return p.with(i, 1)
	}},
	{"a session loses its ephemerals and lives on", "ephemeral", func(p *planting, i int) []checker.ServiceEvent {
		if !p.is(i, checker.ServiceEnd) || !p.is(i-1, checker.ServiceApply) || p.stream[i-1].Session != p.stream[i].Session ||
			p.stream[i-1].Cause == checker.ServiceByRequest {
			return nil
		}
		return slices.Concat(p.stream[:i], []checker.ServiceEvent{{
			Kind: checker.ServiceOpen, Session: 1 << 40, Zxid: p.stream[i].Zxid + 1,
		}})
	}},
	{"a sequence number is counted from the children", "sequence", plantCountedNumber},
	{"a stale read", "read-state", plantStaleRead},
	{"a read behind the last write", "read-state", plantOldRead},
	{"a reply out of order", "session-order", plantSwappedReplies},
	{"a client goes back in time", "session-order", func(p *planting, i int) []checker.ServiceEvent {
		if !p.is(i, checker.ServiceReply) || p.stream[i].Xid != -2 {
			return nil
		}
		for j := range i {
			if e := &p.stream[j]; e.Conn == p.stream[i].Conn && e.Kind == checker.ServiceReply && e.Zxid > 1 {
				return p.changed(i, func(e *checker.ServiceEvent) { e.Zxid = 1 })
			}
		}
		return nil
	}},
	{"a zxid is used twice", "write-order", func(p *planting, i int) []checker.ServiceEvent {
		if !p.is(i, checker.ServiceApply) && !p.is(i, checker.ServiceOpen) || p.stream[i].Zxid == p.stream[i-1].Zxid {
			return nil
		}
		return p.changed(i, func(e *checker.ServiceEvent) { e.Zxid = 1 })
	}},
	{"an acknowledged write is lost", "write-order", func(p *planting, i int) []checker.ServiceEvent {
		if !p.is(i, checker.ServiceApply) || !p.is(i+1, checker.ServiceReply) || p.stream[i+1].Zxid != p.stream[i].Zxid {
			return nil
		}
		return p.with(i, 1)
	}},
	{"a write is refused and applied", "write-order", func(p *planting, i int) []checker.ServiceEvent {
		if !p.is(i, checker.ServiceReply) || !p.is(i-1, checker.ServiceApply) || p.stream[i-1].Zxid != p.stream[i].Zxid {
			return nil
		}
		return p.changed(i, func(e *checker.ServiceEvent) { e.Err = -4 })
	}},
}

// plantStayingWatch has a watch fire for a second change of data.
func plantStayingWatch(p *planting, i int) []checker.ServiceEvent {
	n := p.stream[i]
	if n.Kind != checker.ServiceNotify || n.Type != 3 {
		return nil
	}
	for j := i + 1; j < len(p.stream); j++ {
		e := &p.stream[j]
		switch {
		case e.Kind == checker.ServiceApply && e.Path == n.Path && e.Op == opSetData:
			return p.with(j+1, 0, n)
		case e.Kind == checker.ServiceApply && e.Path == n.Path,
			e.Conn == n.Conn && e.Kind == checker.ServiceDetach,
			e.Conn == n.Conn && e.Kind == checker.ServiceRequest && (e.Watch && e.Path == n.Path || e.Watches != nil):
			return nil
		}
	}
	return nil
}

// plantAbsentWatch has a getData that found nothing leave a watch.
func plantAbsentWatch(p *planting, i int) []checker.ServiceEvent {
	r := p.stream[i]
	if r.Kind != checker.ServiceReply || r.Err != -101 || p.request[i] < 0 {
		return nil
	}
	q := p.stream[p.request[i]]
	if q.Op != opGetData || !q.Watch || !strings.HasPrefix(q.Path, "/") {
		return nil
	}
	for j := range p.stream {
		e := &p.stream[j]
		if e.Conn != r.Conn || e.Kind != checker.ServiceRequest {
			continue
		}
		if e.Watches != nil || e.Op == opExists && e.Watch && e.Path == q.Path {
			return nil
		}
	}
	for j := i + 1; j < len(p.stream); j++ {
		switch e := &p.stream[j]; {
		case e.Kind == checker.ServiceDetach && e.Conn == r.Conn:
			return nil
		case e.Kind == checker.ServiceApply && e.Op == opCreate && e.Path == q.Path:
			return p.with(j+1, 0, checker.ServiceEvent{Kind: checker.ServiceNotify, Conn: r.Conn, Type: 1, Path: q.Path})
		}
	}
	return nil
}

// plantCountedNumber numbers a sequential znode by its siblings.
func plantCountedNumber(p *planting, i int) []checker.ServiceEvent {
	e := p.stream[i]
	if e.Kind != checker.ServiceApply || !e.Sequential {
		return nil
	}
	live := p.live(i)
	prefix := e.Path[:len(e.Path)-10]
	if near := p.stream[1].Stat.Cversion; near < 0 || near > 100 {
		return nil // the count may be past its edge
	}
	parent := prefix[:strings.LastIndexByte(prefix, '/')+1]
	siblings := 0
	for path := range live {
		if rest, ok := strings.CutPrefix(path, parent); ok && rest != "" && !strings.Contains(rest, "/") {
			siblings++
		}
	}
	path := fmt.Sprintf("%s%010d", prefix, siblings)
	if path == e.Path || live[path] {
		return nil
	}
	return p.changed(i, func(e *checker.ServiceEvent) { e.Path = path })
}

// plantOldRead has a read show the zxid of the connection's last reply although
// there was a later one: a server that is behind, to a client that cannot know.
func plantOldRead(p *planting, i int) []checker.ServiceEvent {
	r := p.stream[i]
	if r.Kind != checker.ServiceReply || p.request[i] < 0 || p.stream[p.request[i]].Op != opExists {
		return nil
	}
	later := false
	for j := i - 1; j >= 0; j-- {
		switch e := &p.stream[j]; {
		case e.Kind == checker.ServiceApply:
			later = true
		case e.Kind == checker.ServiceAttach && e.Conn == r.Conn:
			return nil
		case e.Kind == checker.ServiceReply && e.Conn == r.Conn:
			if !later {
				return nil
			}
			return p.changed(i, func(r *checker.ServiceEvent) { r.Zxid = e.Zxid })
		}
	}
	return nil
}

// plantStaleRead answers a read with what an earlier one was shown.
func plantStaleRead(p *planting, i int) []checker.ServiceEvent {
	r := p.stream[i]
	if r.Kind != checker.ServiceReply || p.request[i] < 0 || r.Err != 0 {
		return nil
	}
	q := p.stream[p.request[i]]
	switch q.Op {
	case opExists, opGetData, opGetChildren, opGetChildren2:
	default:
		return nil
	}
	for j := i - 1; j >= 0; j-- {
		o := p.stream[j]
		if o.Kind != checker.ServiceReply || p.request[j] < 0 {
			continue
		}
		if q2 := p.stream[p.request[j]]; q2.Op != q.Op || q2.Path != q.Path {
			continue
		}
		switch {
		case o.Err == 0 && o.Stat != nil && r.Stat != nil && o.Stat.Mzxid == r.Stat.Mzxid && o.Stat.NumChildren == r.Stat.NumChildren:
			continue // pzxid is not judged everywhere
		case o.Err == 0 && r.Stat == nil && sameNames(o.Children, r.Children):
			continue
		case o.Err != 0 && o.Err != -101:
			continue
		}
		o.Conn, o.Xid, o.Zxid = r.Conn, r.Xid, r.Zxid
		return p.with(i, 1, o)
	}
	return nil
}

func sameNames(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// plantSwappedReplies swaps two replies to reads that were both asked before
// the first was answered.
func plantSwappedReplies(p *planting, i int) []checker.ServiceEvent {
	if p.stream[i].Kind != checker.ServiceReply || p.request[i] < 0 || p.stream[i].Xid == -2 {
		return nil
	}
	j := i + 1
	for ; j < len(p.stream); j++ {
		switch e := &p.stream[j]; {
		case e.Kind == checker.ServiceRequest, e.Conn != p.stream[i].Conn && e.Kind == checker.ServiceReply:
			continue
		case e.Kind == checker.ServiceReply:
			if p.request[j] < 0 || p.request[j] > i || e.Xid == p.stream[i].Xid || e.Zxid != p.stream[i].Zxid {
				return nil
			}
			return slices.Concat(p.stream[:i], p.stream[j:j+1], p.stream[i+1:j], p.stream[i:i+1], p.stream[j+1:])
		default:
			return nil
		}
	}
	return nil
}

// Each planted fault is caught, by the validator that is meant for it and by
// no other.
func TestServiceCatchesPlantedFaults(t *testing.T) {
	const least, most = 50, 150 // of each fault
	planted := make([]int, len(plantedFaults))
	var s checker.Service
	for seed := range uint64(400) {
		p := newPlanting(seededStream(seed, 600), rand.New(rand.NewPCG(seed, 1)))
		for k, f := range plantedFaults {
			for range 300 {
				if planted[k] >= most {
					break
				}
				i := 10 + p.rand.IntN(len(p.stream)-20)
				stream := f.plant(p, i)
				if stream == nil {
					continue
				}
				planted[k]++
				r := judgeStream(&s, stream)
				require.Equal(t, []string{f.breaks}, s.Broken(), "%s, seed %d, event %d: %s", f.name, seed, i, r.Why)
				require.Equal(t, checker.Failed, r.Verdict)
			}
		}
	}
	for k, f := range plantedFaults {
		t.Logf("%4d times: %s", planted[k], f.name)
		require.GreaterOrEqual(t, planted[k], least, f.name)
	}
}
