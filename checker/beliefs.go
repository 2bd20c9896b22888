package checker

import "time"

// belief is one grant of a read-write lock or a semaphore that has not been
// given back.
type belief struct {
	client  int32
	op      int32
	since   time.Duration
	shared  bool  // it was granted for reading
	permits int64 // of a semaphore
}

// beliefList is the beliefs that are on, in grant order.
type beliefList []belief

// follow takes in what ends beliefs.
func (l *beliefList) follow(e *Event, stopsAtDisconnect bool) {
	switch {
	case e.Kind == ReleaseInvoke:
		l.end(func(b belief) bool { return b.client == e.Client && b.op == e.Op })
	case endsBelief(e.Kind, stopsAtDisconnect):
		l.end(func(b belief) bool { return b.client == e.Client })
	}
}

func (l *beliefList) end(which func(belief) bool) {
	kept := (*l)[:0]
	for _, b := range *l {
		if !which(b) {
			kept = append(kept, b)
		}
	}
	*l = kept
}
