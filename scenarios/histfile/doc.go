// Package histfile reads histories of operations that were recorded
// elsewhere, judges them and writes them.
//
// [Read] turns a file into a [History] of [checker.Operation] values, or tells
// in which line it cannot; nothing is judged before the whole file is
// understood. [Judge] decides whether the history is linearizable. [Write]
// writes a history in either form:
//
//	h, err := histfile.Read("etcd.edn", "mutex")
//	report := histfile.Judge(h, checker.DecideOptions{})
//	err = histfile.Write(out, histfile.JSONLines, h)
//
// # Events
//
// Both forms hold events in the order in which they happened. Each tells its
// process, type (invoke, ok, fail or info) and f (what is done), and may tell
// value, result, time (nanoseconds), object (a name, if there are several
// objects) and owner (of a lock's hold, a number).
//
// EDN, in files that end in .edn, is Jepsen's form: one map an event, alone,
// or in one vector or list. Names are keywords, fields beyond those above are
// not looked at.
//
//	{:process 3, :type :invoke, :f :cas, :value [0 2]}
//	{:process 3, :type :ok, :f :cas, :value [0 2]}
//
// JSON lines, in files that end in .jsonl or .ndjson, are the form that zoosim
// writes: one object a line, empty lines aside. Names are strings; index,
// error and node are allowed and not looked at, other fields are an error. A
// string that begins with a colon stands for a keyword.
//
//	{"process":3,"type":"invoke","f":"cas","value":[0,2]}
//	{"process":3,"type":"ok","f":"cas","value":[0,2]}
//
// # Outcomes
//
// An operation begins at invoke. It ends at ok; at fail it had no effect and
// tells nothing. After info, or without an end, its outcome is unknown: it may
// take effect at any time from its invocation on, or never. Processes are
// whole numbers, and one does one operation at a time. As in Jepsen, a process
// is not used again after info, and both are errors. Events of the process
// :nemesis are left out. The order is that of the file; times are for people.
//
// # Values
//
// [ReadIndependent] takes values that are pairs of a key and what stands below,
// as jepsen.independent writes them.
//
// A value is a whole number, a keyword, a string, a fraction or a boolean; nil
// or null is none. An ok read of nil tells nothing, as in Knossos; one of
// :nothing tells that there was no value.
//
//	model            f               value              result of ok
//	mutex            acquire release lose
//	reentrant-mutex  the same
//	semaphore        the same        permits, nil is 1
//	rw-lock          acquire-read release-read acquire-write release-write lose
//	reentrant-rw-lock  the same
//	queue            enqueue         value
//	                 dequeue         value; nil and :nothing are an empty queue
//	bounded-queue    the same                           enqueue: false if it was full
//	priority-queue   the same; enqueue: value or [value priority]
//	cas-register     read            value
//	                 write           value
//	                 cas             [from to]          false if it was another
//	multi-register   txn             [[:read k v] [:write k v] ...]; r and w do too
//	counter          read            number
//	                 add             number             the sum, if it is told
//	sale             buy             pieces             false if refused
//	                 read            number
//	election         lead            [term candidate]
//	                 read            [term leader]
//	znodes           create          {path data session sequential}  path, if sequential, or {error}
//	                 delete          {path version}     {error}
//	                 set             {path data version}  {version} or {error}
//	                 get             {path}             {data version} or {error}
//	                 exists          {path}             {version} or {error}
//	                 children        {path}             {children version} or {error}
//	                 close           {session}
//
// Holds of locks are anonymous, as in Knossos: whoever releases ends a hold,
// unless every event tells an owner. In re-entrant locks the owner is the
// process if none is told. A lose ends every hold of its owner, and needs one.
//
// The package imports checker alone.
package histfile
