package checker

// The properties of the families other than locks. Those of read-write locks
// and semaphores are judged from the same events as locks; queues, barriers
// and views have events of their own.
const (
	// RWExclusion fails when a writer's belief overlaps the belief of another
	// client.
	RWExclusion Property = "rw-exclusion"
	// Capacity fails when the beliefs in a semaphore hold more permits than it
	// has.
	Capacity Property = "capacity"
	// Priority fails when an item is taken while one that is served before it
	// was visible before the take was invoked.
	Priority Property = "priority"
	// LostItem fails when an acknowledged item is at the end in no znode and
	// was returned to no caller.
	LostItem Property = "lost"
	// DuplicateItem fails when an item is returned twice, or one put makes two
	// items.
	DuplicateItem Property = "duplicate"
	// BarrierCount fails when somebody passes a barrier before all have
	// arrived, or while it is closed; when somebody leaves before all have
	// left; when a barrier is made ready before all have arrived.
	BarrierCount Property = "barrier"
	// Oversold fails when more pieces are sold than there were in stock.
	Oversold Property = "oversold"
	// Undersold fails when a buyer is told that all is sold out while fewer
	// pieces than there were in stock can have been sold before.
	Undersold Property = "undersold"
	// FencedSale fails when either happens in the shop that refuses stale tokens.
	FencedSale Property = "fenced-sale"
	// Stale fails when a member list or cache that is live differs from the
	// znodes after all has been quiet for the stated time; when its views go
	// back; when a view was no set at any moment since its request was sent. Of a
	// group also when at the end a client that has joined, and neither left nor
	// crashed, has no znode.
	Stale Property = "stale"
)

// passed is a result that nothing speaks against.
func passed(p Property, l Level) Result {
	return Result{Property: p, Level: l, Verdict: Pass, Client: -1}
}
