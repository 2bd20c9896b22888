package checker

import "strconv"

// lost judges the items at the end.
func (m *QueueMonitor) lost() Result {
	r := m.results[lostIndex]
	if m.end != QueueEnd {
		r.Verdict, r.At = Unknown, m.endAt
		r.Why = "the history ends: an item may still be lost"
		if m.end == QueueCutOff {
			r.Why = "the run was cut off at " + seconds(m.endAt) + ", and an item may still be lost"
		}
		return r
	}
	missing := m.missing()
	if missing == nil {
		return r
	}
	r.Verdict, r.Client, r.At = Failed, missing.putBy, m.endAt
	r.Why = "item " + strconv.FormatInt(missing.item, 10) + ", which " + name(missing.putBy) + " put at " +
		seconds(missing.putAt) + " and was told to be in the queue, is in no znode at the end, " + seconds(m.endAt) +
		", and was returned to nobody"
	if missing.removedBy >= 0 {
		r.Why += "; " + name(missing.removedBy) + " removed it at " + seconds(missing.removedAt)
	}
	return r
}

// missing is the first item that is lost, or nil.
func (m *QueueMonitor) missing() *queueItem {
	for i := range m.items {
		it := &m.items[i]
		if it.acknowledged && !it.returned && it.live == 0 && !(m.cfg.AtMostOnce && it.excused) {
			return it
		}
	}
	return nil
}
