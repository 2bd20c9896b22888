// Package docs holds what this project's own completions of the recipes in
// ZooKeeper's documentation share, where the text is silent or leaves a step
// to the reader:
//
//   - [Queue] and [Ticket], the line of ephemeral sequential znodes, with the
//     look-up of a lost create by its GUID ("Recoverable Errors and the GUID")
//     and a clean-up that leaves no ticket behind;
//   - [Predecessor] and [Sequence], the order of tickets;
//   - [Again], [Insist] and [TimedOut], how lost connections and time limits
//     are met.
//
// The variants taken from a library do as that library does instead.
//
// The package imports recipes/zk alone.
package docs
