package scenarios

import (
	"slices"

	"zoosim/faults"
	"zoosim/sim"
)

// key identifies the state of the untimed run.
func (r *Runner) key() uint64 {
	h := &r.hash
	h.Reset()
	h.Uint64(r.shared())
	r.sorted = r.sorted[:0]
	for i := range r.clients {
		r.sorted = append(r.sorted, r.block(i))
	}
	if r.reductions.Symmetry {
		slices.Sort(r.sorted)
	}
	for _, b := range r.sorted {
		h.Uint64(b)
	}
	r.hashLeft(h)
	if r.ended {
		h.Uint64(1 << 50)
	}
	return h.Sum()
}

// shared is the hash of what belongs to no client. It is computed once in a
// state.
func (r *Runner) shared() uint64 {
	if r.sharedSum != 0 {
		return r.sharedSum
	}
	h := &r.blockHash
	h.Reset()
	r.world.HashShared(h, r.reductions.Symmetry, r.rank())
	r.hashMonitors(h)
	r.sharedSum = h.Sum() | 1
	return r.sharedSum
}

// hashMonitors writes what the monitors know; with symmetry on, of no client in
// particular.
func (r *Runner) hashMonitors(h *sim.Hash) {
	if r.reductions.Symmetry {
		r.monitor.HashRest(h)
	} else {
		r.monitor.HashRanked(h, nil)
	}
}

// hashLeft writes the faults that may still strike.
func (r *Runner) hashLeft(h *sim.Hash) {
	if r.left == (faults.Budget{}) {
		return
	}
	for k, n := range r.left {
		if n > 0 {
			h.Uint64(uint64(k)<<8 | uint64(n))
		}
	}
}

// block is the hash of what belongs to a client, whoever it is. It is computed
// once in a state.
func (r *Runner) block(client int) uint64 {
	for len(r.blocks) < len(r.clients) {
		r.blocks = append(r.blocks, 0)
	}
	if r.blocks[client] != 0 {
		return r.blocks[client]
	}
	b := &r.blockHash
	b.Reset()
	if r.reductions.Symmetry {
		r.hashClient(b, client, true, r.rank())
		r.monitor.HashClient(b, client)
	} else {
		b.Uint64(uint64(client))
		r.hashClient(b, client, false, r.rank())
	}
	if r.goesOn == int32(client)+1 {
		b.Uint64(1 << 51)
	}
	r.blocks[client] = b.Sum() | 1
	return r.blocks[client]
}

// hashClient writes what belongs to a client. The history of one that has
// nothing left to do but to close does not matter any more.
func (r *Runner) hashClient(h *sim.Hash, i int, masked bool, rank func(int64) uint64) {
	c := &r.clients[i]
	history := sim.FullHistory
	switch {
	case c.done && r.reductions.Done:
		history = sim.NoHistory
	case masked:
		history = sim.MaskedHistory
	}
	r.world.HashProcess(h, c.p, history, masked, rank)
	if r.zxids && c.p.Status() != sim.Crashed {
		r.world.HashMissed(h, c.p, masked)
	}
}

func sameZxid(z int64) uint64 { return uint64(z) }

// rank returns the order of zxids among those that the world keeps; nil if
// zxids do not matter.
func (r *Runner) rank() func(int64) uint64 {
	if r.s.Servers > 1 {
		return sameZxid // as the servers are written
	}
	if !r.variant.Tokens && !r.world.ZxidsAsked() {
		return nil
	}
	if !r.isRanked {
		r.ranked = r.world.AppendZxids(r.ranked[:0])
		slices.Sort(r.ranked)
		r.ranked = slices.Compact(r.ranked)
		r.isRanked = true
	}
	if r.rankOf == nil {
		r.rankOf = func(z int64) uint64 {
			i, _ := slices.BinarySearch(r.ranked, z)
			return uint64(i)
		}
	}
	return r.rankOf
}
