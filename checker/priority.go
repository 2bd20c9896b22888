package checker

import "strconv"

// passOver judges a take that chose an item: it locked it, or removed it. Only
// what could be seen before the take was invoked counts, since a consumer
// works on a listing, and what others have locked may be passed over.
func (m *QueueMonitor) passOver(e *QueueEvent, c *queueClient, chosen *queueItem) {
	m.passOverEarlier(e, c, chosen)
	if !m.cfg.Priorities || !c.taking || m.results[priorityIndex].Verdict == Failed {
		return
	}
	for i := range m.items {
		it := &m.items[i]
		if it.live == 0 || it.hidden || it.priority >= chosen.priority || it.visible > c.invoked {
			continue
		}
		m.fail(priorityIndex, e, name(e.Client)+" took item "+itemName(chosen)+" at "+seconds(e.At)+
			" while item "+itemName(it)+", put at "+seconds(it.putAt)+", was to be seen before its take was invoked")
		return
	}
}

// itemName is an item with its priority.
func itemName(it *queueItem) string {
	return strconv.FormatInt(it.item, 10) + " (priority " + strconv.FormatInt(it.priority, 10) + ")"
}
