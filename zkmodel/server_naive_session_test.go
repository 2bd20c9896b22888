package zkmodel

import (
	"math"
	"slices"
)

func (n *naiveServer) hangUp(c ConnID) {
	n.say(c, "hangup")
	n.dropConn(c)
	n.conns[c] = 0
}

func (n *naiveServer) dropConn(c ConnID) {
	n.watches = slices.DeleteFunc(n.watches, func(w naiveWatch) bool { return w.conn == c })
	if sess, ok := n.sessions[n.conns[c]]; ok && sess.conn == c {
		sess.attached = false
		n.sessions[n.conns[c]] = sess
	}
	delete(n.conns, c)
}

// end is the closeSession transaction.
func (n *naiveServer) end(id int64, cause Cause) {
	n.zxid++
	var mine []string
	for path, z := range n.nodes {
		if z.owner == id {
			mine = append(mine, path)
		}
	}
	slices.SortFunc(mine, func(a, b string) int { return int(n.nodes[a].born - n.nodes[b].born) })
	for _, path := range mine {
		z := n.nodes[path]
		n.delete(path)
		n.fire(naiveChange{OpDelete, path, z}, id, cause)
	}
	delete(n.sessions, id)
	n.txns = append(n.txns, showTxn(Txn{Zxid: n.zxid, Op: OpCloseSession, Session: id, Cause: cause}))
}

func (n *naiveServer) expire(id int64) {
	if sess := n.sessions[id]; sess.attached {
		n.hangUp(sess.conn)
	}
	n.end(id, CauseExpiry)
}

func (n *naiveServer) passTime(now Time) {
	for {
		due := int64(0)
		for id, sess := range n.sessions {
			best, ok := n.sessions[due]
			if sess.deadline <= now && (!ok || sess.deadline < best.deadline || sess.deadline == best.deadline && id < due) {
				due = id
			}
		}
		if due == 0 {
			return
		}
		n.expire(due)
	}
}

func (n *naiveServer) touch(now Time, id int64) {
	sess := n.sessions[id]
	buckets := math.Floor(float64(now+sess.timeout) / float64(n.tick))
	sess.deadline = Time(buckets+1) * n.tick
	n.sessions[id] = sess
}

func (n *naiveServer) connect(now Time, c ConnID, r *Request) {
	timeout := max(r.Timeout, 2*n.tick)
	timeout = min(timeout, 20*n.tick)
	id := r.SessionID
	switch {
	case r.LastZxidSeen > n.zxid:
		n.hangUp(c)
		return
	case id == 0:
		n.zxid++
		n.last++
		id = sessionBase + n.last
		n.txns = append(n.txns, showTxn(Txn{Zxid: n.zxid, Op: OpConnect, Session: id}))
	default:
		sess, ok := n.sessions[id]
		if sess.attached {
			n.hangUp(sess.conn)
		}
		if !ok || r.Password != SessionPassword(id) {
			n.say(c, "session 0 for 0s")
			n.hangUp(c)
			return
		}
	}
	n.sessions[id] = naiveSession{timeout: timeout, conn: c, attached: true}
	n.touch(now, id)
	n.conns[c] = id
	n.say(c, "session %d for %v", uint32(id), timeout)
}
