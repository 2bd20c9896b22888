package checker

import "time"

// ViewEventKind is the kind of an event of a group or a cache.
type ViewEventKind uint8

// The kinds of events of a group or a cache. Which fields of a [ViewEvent]
// carry meaning stands behind each; At always does.
const (
	_ ViewEventKind = iota

	SetChanged  // the znodes changed: Members, the whole set after it
	ViewRequest // the client sent the request that its next view rests on: Client
	ViewShown   // the client shows a view: Client, Members
	ViewUp      // the client has a connection and a live session: Client
	ViewDown    // its connection broke: Client
	ViewClosed  // the client shows nothing any more: it was closed, or crashed: Client

	ViewEnd    // nothing can happen any more
	ViewCutOff // the run was stopped early
)

// ViewEvent is one entry of the history of a group's member lists or of a
// cache, in the order in which things happened. The set of a group is its
// members' names; that of a cache is its entries, name and content in one
// string.
type ViewEvent struct {
	At     time.Duration // virtual time
	Kind   ViewEventKind
	Client int32 // 0-based; -1 for none
	// Members are in any order, and none twice.
	Members []string
}
