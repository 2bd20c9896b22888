package front

import (
	"fmt"

	"zoosim/zkmodel"
)

// maxRules is how many rules there may be in all.
const maxRules = 10_000

// script is the rules and how far they have come.
type script struct {
	rules []*FaultState
}

// add arms rules, all or none.
func (s *script) add(rules []Rule, servers int) error {
	if len(s.rules)+len(rules) > maxRules {
		return fmt.Errorf("%d rules; allowed: %d", len(s.rules)+len(rules), maxRules)
	}
	for i := range rules {
		if err := rules[i].check(servers); err != nil {
			return fmt.Errorf("rule %d: %w", i, err)
		}
	}
	for _, r := range rules {
		if r.Count == 0 {
			r.Count = 1
		}
		s.rules = append(s.rules, &FaultState{Rule: r})
	}
	return nil
}

// AddRules adds to the script. What is wrong with a rule is an error, and then
// none is added.
func (f *Front) AddRules(rules []Rule) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.script.add(rules, f.back.servers())
}

// DropRules takes back what has not struck yet and forgets the rest.
func (f *Front) DropRules() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.script.rules = nil
}

// lostReply names the request whose reply a fault loses.
type lostReply struct {
	xid  int32
	rule *FaultState
}

// meet lets the rules see a request. It reports whether the request passes.
func (f *Front) meet(now zkmodel.Time, c *conn, q *zkmodel.Request) (pass bool) {
	pass = true
	session := c.session
	if q.Op == zkmodel.OpConnect {
		session = q.SessionID
	}
	by := f.sessions.numberOf(session)
	for _, r := range f.script.rules {
		if r.Struck || !r.fits(q, by) {
			continue
		}
		if r.Seen++; r.Seen < r.Count {
			continue
		}
		r.Struck = true
		switch r.Do {
		case CutRequest:
			r.Effect = "request lost"
			pass = false
		case CutReply:
			r.Effect = "waits for the reply"
			c.lost = &lostReply{xid: q.Xid, rule: r}
		case Crash, LeaderCrash:
			r.Effect = f.crash(now, r)
		default:
			if r.Session != 0 {
				session = f.sessions.id(r.Session)
			}
			r.Effect = f.strike(now, r, session)
		}
	}
	return pass
}

// strike does what a fault does to a session and says what that was.
func (f *Front) strike(now zkmodel.Time, r *FaultState, session int64) (effect string) {
	n := f.sessions.numberOf(session)
	if n == 0 || !f.back.alive(session) {
		return "no such session"
	}
	name := fmt.Sprintf("session %d (%#x)", n, session)
	switch r.Do {
	case Expiry:
		if !f.back.expire(now, session, f.run(now)) {
			return "no leader"
		}
		return name + " expired"
	case Partition:
		f.sessions.cut(session, now+r.For)
		for _, c := range f.conns {
			if c.session == session {
				c.cut(now + r.For)
			}
		}
		return name + " cut off"
	}
	cut := 0
	for _, c := range f.conns {
		if c.session == session {
			c.port.loop.Close(now, c.id)
			cut++
		}
	}
	return fmt.Sprintf("%s: %d connection(s) closed", name, cut)
}

// crash stops a server and says which.
func (f *Front) crash(now zkmodel.Time, r *FaultState) (effect string) {
	i := f.back.crash(now, r.Server-1, r.For, f.run(now))
	if i < 0 {
		return "no such server is up"
	}
	for _, c := range f.conns {
		if c.port.index == i {
			c.port.loop.Close(now, c.id)
		}
	}
	return fmt.Sprintf("server %d stopped", i+1)
}

// loses says whether the reply is one that a fault loses.
func (f *Front) loses(c *conn, r *zkmodel.Response) bool {
	l := c.lost
	if l == nil || r.Kind == zkmodel.KindEvent || r.Kind == zkmodel.KindReply && r.Xid != l.xid {
		return false
	}
	c.lost = nil
	l.rule.Effect = "reply lost"
	return true
}
