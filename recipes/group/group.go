package group

import (
	"context"

	"zoosim/recipes/zk"
)

// Group is one process's end of a group, used by one task at a time.
type Group interface {
	// Join makes the process a member, under the name of [Options].
	Join(ctx context.Context) error
	// Leave ends that. Of a variant that says so ([Variant.LeaveCloses]) it
	// also ends the client's session, and the object.
	Leave(ctx context.Context) error
}

// Follower is implemented by groups that show the list of members whenever it
// changes.
type Follower interface {
	// Follow begins to show the members, by the function of [Options].
	Follow(ctx context.Context) error
}

// Lister is implemented by groups that are asked for the list of members.
type Lister interface {
	// Members lists the names of the members, in no particular order and some
	// perhaps twice.
	Members(ctx context.Context) ([]string, error)
}

// Options is what a process makes its end of a group with.
type Options struct {
	// Dir is the group's directory (an absolute path), Name the process's name
	// in the group.
	Dir, Name string
	// Show is told the names of the members by a [Follower], from any task.
	Show func(members []string)
	_    struct{}
}

// Variant describes one recipe.
type Variant struct {
	zk.Recipe
	// Follows says that its groups implement [Follower]; else they implement
	// [Lister].
	Follows bool
	// JoinFollows is true if Join begins to show the members.
	JoinFollows bool
	// LeaveCloses is true if Leave ends the session.
	LeaveCloses bool
	// MaxFanOut is the most notifications that the end of one membership may
	// cause; 0 promises nothing.
	MaxFanOut int
	// New makes a process's end of a group. It may send requests; ctx is the
	// process's root context.
	New func(ctx context.Context, c zk.Client, e zk.Env, o Options) (Group, error)
}
