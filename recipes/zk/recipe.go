package zk

// Recipe is what a variant of any family says of itself.
type Recipe struct {
	// Name is family/name, as "queue/curator".
	Name string
	// Source says where the algorithm comes from: library, class, release.
	Source string
	// Algorithm tells it in a few lines.
	Algorithm string
	// Correct is false for variants with known faults.
	Correct bool
	// Library is the client library under the recipe.
	Library Library
	// Store is the server under a recipe that uses no ZooKeeper, and Lease the
	// length of the leases that it asks for there.
	Store StoreKind
	Lease Duration
	// SessionTimeout is what the original asks for; 0 leaves it to the
	// scenario.
	SessionTimeout Duration
	// Interruptible is true if the original reacts to a thread's interrupt.
	Interruptible bool
	// InterruptsRequests is true if an interrupt also ends a request, its
	// outcome unknown, as in Java's client.
	InterruptsRequests bool
	// Dirs are the directories below that of the object that exist before a
	// run, as "/leases".
	Dirs []string
	// Tickets is how many znodes a client has at most for one acquire; 0 is one.
	Tickets int
}
