package checker

import "strconv"

// passOverEarlier judges a take that chose an item by the order in which items
// of the same priority were stored. What could be seen before the take was
// invoked counts, as in passOver.
func (m *QueueMonitor) passOverEarlier(e *QueueEvent, c *queueClient, chosen *queueItem) {
	if m.order.Verdict != Pass || !c.taking {
		return
	}
	for i := range m.items {
		it := &m.items[i]
		if it.live == 0 || it.hidden || it.priority != chosen.priority || it.stored >= chosen.stored || it.visible > c.invoked {
			continue
		}
		m.order.Verdict, m.order.Client, m.order.At = Failed, e.Client, e.At
		m.order.Why = name(e.Client) + " took item " + strconv.FormatInt(chosen.item, 10) + " at " + seconds(e.At) +
			" while item " + strconv.FormatInt(it.item, 10) + ", stored before it, was to be seen"
		return
	}
}

// fifo is the result on the order so far.
func (m *QueueMonitor) fifo() Result { return m.order }

// failedBits has bit 0 set when fifo has failed, and bit i when the i-th of
// [QueueProperties] has, counted from 1.
func (m *QueueMonitor) failedBits() uint32 {
	bits := bit32(m.order.Verdict == Failed)
	for i := range m.results {
		r := m.results[i]
		if i == lostIndex && m.end == QueueEnd {
			r = m.lost()
		}
		bits |= bit32(r.Verdict == Failed) << (i + 1)
	}
	return bits
}

func bit32(b bool) uint32 { return uint32(bit(b)) }

// anyVisible reports whether an item is there to be taken.
func (m *QueueMonitor) anyVisible() bool {
	for i := range m.items {
		if m.items[i].live > 0 && !m.items[i].hidden {
			return true
		}
	}
	return false
}

// copyInto makes dst an independent copy.
func (m *QueueMonitor) copyInto(dst *QueueMonitor) {
	items, clients, index := dst.items, dst.clients, dst.index
	*dst = *m
	dst.items = append(items[:0], m.items...)
	old := clients[:cap(clients)]
	dst.clients = clients[:0]
	for i, c := range m.clients {
		removed := []int32(nil)
		if i < len(old) {
			removed = old[i].removed[:0]
		}
		c.removed = append(removed, c.removed...)
		dst.clients = append(dst.clients, c)
	}
	if index == nil {
		index = make(map[int64]int32)
	}
	clear(index)
	for i := range dst.items {
		index[dst.items[i].item] = int32(i)
	}
	dst.index = index
}

// hashClient writes what is known of a client. When its take was invoked
// matters by the items that were to be seen then.
func (m *QueueMonitor) hashClient(h Hasher, client int) {
	if client >= len(m.clients) {
		h.Uint64(0)
		return
	}
	c := &m.clients[client]
	h.Uint64(1 | bit(c.taking)<<1 | bit(c.hit)<<2 | bit(c.dead)<<3 | bit(c.late)<<4 | uint64(min(c.served, 2))<<5)
	if !c.taking {
		return
	}
	for _, k := range c.removed {
		h.Uint64(uint64(m.items[k].item) << 1)
	}
	if !m.cfg.FIFO && !m.cfg.Priorities {
		return
	}
	for i := range m.items {
		if it := &m.items[i]; it.live > 0 && it.visible > c.invoked {
			h.Uint64(uint64(it.item)<<1 | 1)
		}
	}
}

// hashItems writes what is known of the items, in the order in which they
// became known.
func (m *QueueMonitor) hashItems(h Hasher) {
	h.Uint64(uint64(m.end))
	for i := range m.items {
		it := &m.items[i]
		h.Uint64(uint64(it.item)<<16 | bit(it.acknowledged) | bit(it.hidden)<<1 | bit(it.returned)<<2 |
			bit(it.excused)<<3 | uint64(min(it.stores, 3))<<4 | uint64(min(it.live, 3))<<6 | uint64(it.storedRank(m.items))<<8)
	}
}

// storedRank is how many items were stored before it.
func (it *queueItem) storedRank(items []queueItem) uint8 {
	n := uint8(0)
	for i := range items {
		if items[i].stored > 0 && items[i].stored < it.stored {
			n++
		}
	}
	return n
}
