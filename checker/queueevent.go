package checker

import "time"

// QueueEventKind is the kind of an event of a queue.
type QueueEventKind uint8

// The kinds of events of a queue. Which fields of a [QueueEvent] carry meaning
// stands behind each; At always does. What the znodes do is the server's
// account, what is put and taken the client's.
const (
	_ QueueEventKind = iota

	PutInvoke  // a put begins: Client, Item, Priority
	PutReturn  // it returned success, the item is acknowledged: Client, Item
	PutFail    // it returned an error: Client, Item
	TakeInvoke // a take begins: Client
	TakeReturn // it returned an item: Client, Item
	TakeEnd    // it returned without one: an empty queue, a time limit, an error: Client

	ItemStored  // a znode that holds the item was created: Client (whose request it was), Item
	ItemRemoved // one was deleted: Client, Item
	ItemHidden  // a consumer locked it, so that others pass over it: Client, Item
	ItemShown   // it is no longer locked: Item

	QueueRequest // a request of the client reached the server: Client
	QueueFault   // a fault took effect on the client: Client
	QueueCrash   // the client's process stopped for ever: Client

	QueueEnd    // nothing can happen any more
	QueueCutOff // the run was stopped early
)

// QueueEvent is one entry of a queue's history, in the order in which things
// happened. Each put has an item of its own: the workload numbers them, so
// that an item is told from every other wherever it turns up.
type QueueEvent struct {
	At     time.Duration // virtual time
	Kind   QueueEventKind
	Client int32 // 0-based; -1 for none
	Item   int64
	// Priority belongs to PutInvoke; lower is served first.
	Priority int64
	// Left belongs to ItemRemoved: the request was of a session that the client
	// has given up since.
	Left bool
}
