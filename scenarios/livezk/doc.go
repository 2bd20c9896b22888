// Package livezk binds a real ZooKeeper to the interface of recipes
// ([zoosim/recipes/zk]): the recipes that run in simulation run on it from the
// same source, in real time, through go-zookeeper. [NewProcess] makes a
// [Process], whose [Process.Env] and [Process.Connect] are what a recipe needs;
// a [Meter] counts what its clients send and are sent, frame by frame.
//
// The tasks and callbacks of a process run one at a time and switch only where
// recipes expect it: at a request, a wait, a sleep, a lock. Watches are called in
// the order in which their events came.
//
// What go-zookeeper cannot send is done with what it can: getChildren is sent as
// getChildren2 and create2 as create, whose Stat is asked for by exists if a
// recipe looks at a field that only the server knows. RemoveWatches answers
// [zk.ErrUnimplemented], and [Process.Missing] tells of it.
//
// Besides zkmodel/front this is the place with a clock, goroutines and sockets.
// It imports recipes/zk and go-zookeeper.
package livezk
