package checker

import (
	"strconv"
	"time"
)

// fence is the state of the fenced monitor. Tokens that grow in grant order
// make "of an earlier grant" and "with a lower token" the same.
type fence struct {
	granted   int64 // highest token granted, 0 for none
	grantedAt time.Duration
	written   int64 // highest token of an accepted write, 0 for none
	writtenAt time.Duration
	grantedBy int32
	writtenBy int32
}

// The ways in which fenced fails.
const (
	noToken reason = iota
	sharedToken
	fallingToken
	staleWrite
	deniedWrite
)

// token judges the token of a grant that is not re-entrant. A grant whose
// ticket is gone already is not judged by the order: its session ended while
// the server's answer was on its way, as can happen to every recipe, and the
// resource refuses its token.
func (l *Lock) token(e *Event) {
	if e.Arg > l.fence.granted {
		l.fence.granted, l.fence.grantedAt, l.fence.grantedBy = e.Arg, e.At, e.Client
		return
	}
	why := fallingToken
	switch e.Arg {
	case 0:
		why = noToken
	case l.fence.granted:
		why = sharedToken
	default:
		if l.queue.find(e.Arg, e.Client) < 0 {
			return
		}
	}
	l.fail(failure{
		property: fencedIndex, reason: why, client: e.Client, other: l.fence.grantedBy, op: e.Op,
		at: e.At, since: l.fence.grantedAt, a: e.Arg, b: l.fence.granted,
	})
}

// write judges what the fenced resource did.
func (l *Lock) write(e *Event) {
	if !l.cfg.Tokens {
		return
	}
	if e.Kind == WriteRefused {
		if e.FirstInLine {
			l.fail(failure{property: fencedIndex, reason: deniedWrite, client: e.Client, at: e.At, a: e.Arg})
		}
		return
	}
	if e.Arg < l.fence.written {
		l.fail(failure{
			property: fencedIndex, reason: staleWrite, client: e.Client, other: l.fence.writtenBy,
			at: e.At, since: l.fence.writtenAt, a: e.Arg, b: l.fence.written,
		})
		return
	}
	l.fence.written, l.fence.writtenAt, l.fence.writtenBy = e.Arg, e.At, e.Client
}

// fenced is the sentence about a failure of fenced.
func (f *failure) fenced() string {
	who, mine, theirs := name(f.client), strconv.FormatInt(f.a, 10), strconv.FormatInt(f.b, 10)
	switch f.reason {
	case noToken:
		return who + " was granted the lock at " + seconds(f.at) + " without a token"
	case sharedToken:
		return who + " was granted the lock at " + seconds(f.at) + " with token " + mine +
			", which the grant to " + name(f.other) + " at " + seconds(f.since) + " had"
	case fallingToken:
		return who + " was granted the lock at " + seconds(f.at) + " with token " + mine +
			" after the grant to " + name(f.other) + " at " + seconds(f.since) + " with token " + theirs
	case staleWrite:
		return "a write of " + who + " with token " + mine + " was accepted at " + seconds(f.at) +
			" after one of " + name(f.other) + " at " + seconds(f.since) + " with token " + theirs
	}
	return "a write of " + who + " with token " + mine + " was refused at " + seconds(f.at) +
		" although its ticket and session live and it is first in line"
}
