package checker

// serviceCause judges event-cause: a watch event is sent only for a change
// that a watch of its connection asked for, or by a setWatches for what the
// connection missed. One that one-shot has to answer for is left to it.
//
// State: none beside the watches that are set and the events that are owed.
type serviceCause struct{}

func (serviceCause) observe(g *serviceGround, x *serviceStep) string {
	if x.owed >= 0 || x.again {
		return ""
	}
	text := name(x.c.client) + " got " + eventName(x.e.Type, x.e.Path) + " at " + seconds(x.e.At)
	if x.asked(g, g.tree.lookup(x.e.Path)) {
		return text + " although nothing happened that its watch there asks for"
	}
	return text + " without a watch there"
}
