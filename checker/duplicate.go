package checker

import "strconv"

// returned judges an item that a take returned.
func (m *QueueMonitor) returned(e *QueueEvent) {
	it := m.item(e.Item)
	if it.returned {
		m.fail(duplicateIndex, e, "item "+strconv.FormatInt(e.Item, 10)+" was returned to "+name(e.Client)+" at "+
			seconds(e.At)+", and had been returned to "+name(it.returnedBy)+" at "+seconds(it.returnedAt))
		return
	}
	it.returned, it.returnedBy, it.returnedAt = true, e.Client, e.At
}

// storedAgain judges a znode for an item: a put makes one. A consumer may
// store an item again, which is how some give it back.
func (m *QueueMonitor) storedAgain(e *QueueEvent, it *queueItem) {
	if e.Client < 0 || e.Client != it.putBy {
		return
	}
	it.stores++
	if it.stores > 1 {
		m.fail(duplicateIndex, e, name(e.Client)+"'s put of item "+strconv.FormatInt(e.Item, 10)+" at "+
			seconds(it.putAt)+" made a second znode at "+seconds(e.At))
	}
}
