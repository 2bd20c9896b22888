package checker

import (
	"slices"
	"time"
)

// hold is one grant that has not been given back. A client's holds together
// are its belief: it ends with the last of them.
type hold struct {
	client int32
	op     int32
	since  time.Duration
}

// holdList is the holds in grant order: at most one in a lock that works,
// more where it is re-entrant. It is also the witness of linearizability: an
// acquire takes effect at its grant, a release at its invocation.
type holdList []hold

// of is the client's outermost hold, nil if it does not believe.
func (l holdList) of(client int32) *hold {
	for i := range l {
		if l[i].client == client {
			return &l[i]
		}
	}
	return nil
}

// other is the earliest hold of another client, or nil.
func (l holdList) other(client int32) *hold {
	for i := range l {
		if l[i].client != client {
			return &l[i]
		}
	}
	return nil
}

func (l *holdList) grant(e *Event) {
	*l = append(*l, hold{client: e.Client, op: e.Op, since: e.At})
}

// release ends the hold that the operation began. It is false when there is
// none: the release is a repeated one, or the hold was lost before.
func (l *holdList) release(client, op int32) bool {
	for i := range *l {
		if (*l)[i].client == client && (*l)[i].op == op {
			*l = slices.Delete(*l, i, i+1)
			return true
		}
	}
	return false
}

// lose ends the client's belief. It is false when there was none.
func (l *holdList) lose(client int32) bool {
	if l.of(client) == nil {
		return false
	}
	kept := (*l)[:0]
	for _, h := range *l {
		if h.client != client {
			kept = append(kept, h)
		}
	}
	*l = kept
	return true
}
