package checker

// HashClient writes what the monitors know of one client, by its place among
// the others where that matters, but not by who it is. With HashRest it makes
// up the state of the monitors, in which the clients of a symmetric scenario
// can be sorted.
func (l *Lock) HashClient(h Hasher, client int) {
	l.clients[client].hash(h)
	for i, k := range l.holds {
		if int(k.client) == client {
			h.Uint64(uint64(i)<<32 | uint64(uint32(l.clients[client].lastOp-k.op)))
		}
	}
	live := l.queue.live()
	for i := range live {
		if int(live[i].client) == client {
			h.Uint64(uint64(i)<<2 | live[i].bits() | 1<<40)
		}
	}
}

// HashRest writes what the monitors know of no client in particular.
func (l *Lock) HashRest(h Hasher) {
	h.Uint64(uint64(l.end)<<8 | bit(l.timed))
	if l.cfg.MaxFanOut > 0 {
		h.Uint64(uint64(l.leftWatches))
	}
	if l.cfg.Tokens {
		l.fence.hash(h, &l.queue, nil)
	}
}
