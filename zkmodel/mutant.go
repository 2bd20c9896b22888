package zkmodel

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Mutant is a fault that is planted in a server, one that no ZooKeeper has: it
// shows that those who judge a service can say no.
type Mutant uint8

// The mutants. Each breaks one guarantee.
const (
	NoMutant            Mutant = iota
	EventAfterReply            // a client is told of its own change after the reply
	EventTwice                 // a watch fires twice
	StaleListing               // the newest child is missing in a list of several
	EphemeralSurvives          // the last ephemeral znode of a session stays as a persistent one
	SequenceReused             // sequential znodes are numbered by the children that are there
	EphemeralGoesAtOnce        // an ephemeral znode goes when the connection of its session does
	ReadsWaitForAll            // a follower answers a read when every server in contact has logged all before it
)

var mutantNames = [...]string{
	"none", "event-after-reply", "event-twice", "stale-listing", "ephemeral-survives", "sequence-reused", "ephemeral-goes-at-once",
	"reads-wait-for-all",
}

// String is the name of the mutant, as "event-twice".
func (m Mutant) String() string {
	if int(m) < len(mutantNames) {
		return mutantNames[m]
	}
	return "mutant(?)"
}

// Mutants lists the mutants, NoMutant left out.
func Mutants() []Mutant {
	var ms []Mutant
	for m := range mutantNames[1:] {
		ms = append(ms, Mutant(m+1))
	}
	return ms
}

// ParseMutant finds a mutant by its name; the error lists the names.
func ParseMutant(name string) (Mutant, error) {
	for m, n := range mutantNames {
		if n == name {
			return Mutant(m), nil
		}
	}
	return 0, fmt.Errorf("unknown mutant %q; allowed: %s", name, strings.Join(mutantNames[:], ", "))
}

// spoil alters the frames that a request has caused, the last ones of out from
// the given index on.
func (s *Server) spoil(c ConnID, r *Request, out *Output, from int) {
	frames := out.Frames[from:]
	switch s.opts.Mutant {
	case EventAfterReply:
		var late []Frame
		n := 0
		for _, f := range frames {
			if f.Conn == c && f.isEvent() {
				late = append(late, f)
				continue
			}
			frames[n] = f
			n++
		}
		copy(frames[n:], late)
	case EventTwice:
		for i := from; i < len(out.Frames); i++ {
			if f := out.Frames[i]; f.isEvent() {
				out.Frames = slices.Insert(out.Frames, i, f)
				i++
			}
		}
	case StaleListing:
		for i := range frames {
			if resp := &frames[i].Response; len(resp.Children) > 1 {
				resp.Children = s.withoutNewest(r.Path, resp.Children)
			}
		}
	}
}

func (f *Frame) isEvent() bool { return !f.Hangup && f.Response.Kind == KindEvent }

// withoutNewest leaves out the child that was created last.
func (s *Server) withoutNewest(path string, names []string) []string {
	czxid := func(name string) int64 { return s.nodes[s.lookup(strings.TrimSuffix(path, "/")+"/"+name)].czxid }
	newest := slices.MaxFunc(names, func(a, b string) int { return cmp.Compare(czxid(a), czxid(b)) })
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == newest })
}

// keepLast makes the last ephemeral znode of session k a persistent one.
func (s *Server) keepLast(k int32) {
	if n := s.sessions[k].ephLast; n != none {
		s.unlinkEphemeral(n)
		s.nodes[n].owner = 0
	}
}

// forgetEphemerals takes the ephemeral znodes of session k out, unseen.
func (s *Server) forgetEphemerals(k int32) {
	for n := s.sessions[k].ephFirst; n != none; n = s.sessions[k].ephFirst {
		var ch change
		s.cut(n, &ch)
		s.release(n)
	}
}

// nextNumber is what a sequential child of p is numbered.
func (s *Server) nextNumber(p int32) int32 {
	if s.opts.Mutant == SequenceReused {
		return s.nodes[p].children
	}
	n := s.nodes[p].creates
	if n < math.MaxInt32 {
		return n
	}
	// Within a multi the counter goes on beyond its edge, as measured:
	// PrepRequestProcessor keeps it until the request is carried out.
	for i := range s.changes {
		ch := &s.changes[i]
		if ch.op == OpCreate && ch.creates == math.MaxInt32 && s.nodes[ch.node].parent == p {
			n++
		}
	}
	return n
}

// loggedByAll reports whether every follower in contact has an entry in its
// log.
func (p *Peer) loggedByAll(z int64) bool {
	for i := range p.followers {
		if f := &p.followers[i]; f.stage >= stageSynced && f.acked < z {
			return false
		}
	}
	return true
}

// isRead says whether a request is answered from the tree alone.
func isRead(r *Request) bool {
	switch r.Op {
	case OpExists, OpGetData, OpGetChildren, OpGetChildren2:
		return true
	}
	return false
}
