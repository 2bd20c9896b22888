package scenarios

import (
	"zoosim/faults"
	"zoosim/sim"
)

// behind identifies the state behind a transition that ends what tells many
// states apart, before it is carried out: a crash, or the end of the session of
// a client that has crashed. It is written from all that there is but what ends,
// so that from states of which it is the same the transition leads to the same
// state, and the monitors see the same. 0 says that it cannot be told.
func (r *Runner) behind(m *move) uint64 {
	client, session := int(m.client), int64(0)
	switch {
	case m.kind == moveFault && m.fault == faults.Crash:
	case m.kind == moveExpiry:
		client, session = r.ownerOf(m.session), m.session
		if client < 0 || r.clients[client].p.Status() != sim.Crashed {
			return 0
		}
	default:
		return 0
	}
	if r.rank() != nil {
		return 0
	}
	masked := r.reductions.Symmetry
	p := r.clients[client].p
	h := &r.hash
	h.Reset()
	told := false
	if session == 0 {
		h.Uint64(r.shared())
		told = r.world.HashBehindCrash(h, p, masked)
	} else {
		r.hashMonitors(h)
		told = r.world.HashBehindEnd(h, p, session, masked)
	}
	if !told {
		return 0
	}
	if masked {
		r.monitor.HashClient(h, client)
	} else {
		h.Uint64(uint64(client))
	}
	var others uint64 // in any order: with symmetry they are told by what they are
	for i := range r.clients {
		if i != client {
			others += r.block(i)
		}
	}
	h.Uint64(others)
	r.hashLeft(h)
	return h.Sum() | 1
}

// Repeats implements [explore.Repeater].
func (md *model) Repeats(r *Runner, moves []move) (bits uint64) {
	if md.forgetful {
		return 0
	}
	for i := range moves {
		m := &moves[i]
		if m.kind == moveKernel {
			continue // as most are
		}
		if behind := r.behind(m); behind != 0 && md.remembers(behind) {
			bits |= 1 << i
		}
	}
	return bits
}

// remembers reports whether a transition was made before, and takes it that it
// is made now.
func (md *model) remembers(behind uint64) bool {
	if md.made == nil {
		md.made = make([]uint64, 1<<madeBits)
	}
	at := &md.made[behind>>(64-madeBits)]
	known := *at == behind
	*at = behind
	return known
}

// madeBits is the logarithm of how many transitions a worker remembers: half a
// MiB of them, of those that begin alike the last.
const madeBits = 16
