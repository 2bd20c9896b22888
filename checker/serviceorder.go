package checker

// owedEvent is a watch event that the server has to send.
type owedEvent struct {
	path  string
	zxid  int64 // of the change
	event int32
	table int32 // of the watch
	mode  int32 // of the watch
}

// serviceOrder judges event-before-read: a client is told of a change by the
// watch that it set before anything else shows it the change, so the event
// precedes every reply whose zxid is not below that of the change, the reply
// to the write that caused it included; and the events of a connection come in
// the order of the changes. Events of one transaction may come in any order.
//
// State: the events owed to each connection, in the order of the changes.
type serviceOrder struct{}

func (serviceOrder) observe(x *serviceStep) string {
	switch x.e.Kind {
	case ServiceReply:
		if len(x.c.owed) == 0 || x.c.owed[0].zxid > x.e.Zxid {
			return ""
		}
		o := &x.c.owed[0]
		call := "a reply"
		if x.req != nil {
			call = "the reply to " + x.req.call()
		}
		return call + " showed " + name(x.c.client) + " " + zxidName(x.e.Zxid) + " at " + seconds(x.e.At) +
			" before the event " + o.name() + " of " + zxidName(o.zxid) + ", which its watch had asked for"
	case ServiceNotify:
		if x.owed <= 0 {
			return ""
		}
		if late, o := &x.c.owed[0], &x.c.owed[x.owed]; late.zxid < o.zxid {
			return "the event " + o.name() + " of " + zxidName(o.zxid) + " reached " + name(x.c.client) + " at " +
				seconds(x.e.At) + " before the event " + late.name() + " of " + zxidName(late.zxid) +
				", which its watch had asked for"
		}
	}
	return ""
}

// finish judges the events that were never sent.
func (serviceOrder) finish(g *serviceGround) (why string, client int32) {
	for i := range g.conns {
		c := &g.conns[i]
		if !c.attached || len(c.owed) == 0 {
			continue
		}
		return "the event " + c.owed[0].name() + " of " + zxidName(c.owed[0].zxid) + ", which the watch of " +
			name(c.client) + " had asked for, was not sent by the end", c.client
	}
	return "", -1
}

// name is the event in a sentence.
func (o *owedEvent) name() string { return eventName(o.event, o.path) }

// owes is the place of an event among the owed ones, -1 if it is none of them.
func (c *serviceConn) owes(event int32, path string) int {
	for i := range c.owed {
		if o := &c.owed[i]; o.event == event && o.path == path {
			return i
		}
	}
	return -1
}

// pay takes an event out of the owed ones.
func (c *serviceConn) pay(i int) owedEvent {
	o := c.owed[i]
	c.owed = append(c.owed[:i], c.owed[i+1:]...)
	return o
}
