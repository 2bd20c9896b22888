package faults

import (
	"fmt"
	"strings"
)

// Kind is a kind of fault.
type Kind uint8

// The kinds of faults.
const (
	// Crash stops a client's process for ever. Its session waits for expiry.
	Crash Kind = iota
	// Restart is a crash after which, For later, a new process runs what is
	// left of the client's program.
	Restart
	// Pause stops a client's process for a time.
	Pause
	// Expiry ends a client's live session at the server.
	Expiry
	// Resession lets the client's library give its session up and open a new
	// one while the server still holds the old one.
	Resession
	// CutRequest loses a request and cuts its connection.
	CutRequest
	// CutReply applies a request, loses the reply and cuts the connection.
	CutReply
	// Cut cuts the client's connection; what is under way to the server is
	// lost or not.
	Cut
	// Partition lets nothing through between a client and the server for a
	// time.
	Partition
	// DelayEvent holds up a client's event task for a time at its next watch
	// event.
	DelayEvent
	// Interrupt interrupts the client's main task.
	Interrupt
	// LeaderCrash stops the leader of an ensemble for a time. The client says
	// only whose request it strikes at.
	LeaderCrash
	// Lag holds up, for a time, what the other servers of an ensemble send to
	// the one that serves a client; at the leader, its own commits.
	Lag

	NumKinds = int(Lag) + 1
)

var names = [NumKinds]string{
	"crash", "restart", "pause", "expiry", "resession", "cut-request", "cut-reply",
	"cut", "partition", "delay-event", "interrupt", "leader-crash", "lag",
}

// Kinds lists all kinds.
func Kinds() []Kind {
	ks := make([]Kind, NumKinds)
	for i := range ks {
		ks[i] = Kind(i)
	}
	return ks
}

// String is the kind's name on the command line.
func (k Kind) String() string {
	if int(k) < NumKinds {
		return names[k]
	}
	return "fault(?)"
}

// ParseKind finds a kind by its name; the error lists the names.
func ParseKind(s string) (Kind, error) {
	for i, n := range names {
		if n == s {
			return Kind(i), nil
		}
	}
	return 0, fmt.Errorf("unknown fault %q; allowed: %s", s, strings.Join(names[:], ", "))
}

// onRequest reports whether the kind strikes at a request and nowhere else.
func (k Kind) onRequest() bool { return k == CutRequest || k == CutReply }

// lasts reports whether a fault of the kind has a length.
func (k Kind) lasts() bool {
	switch k {
	case Restart, Pause, Partition, DelayEvent, LeaderCrash, Lag:
		return true
	}
	return false
}

// OfEnsemble reports whether the kind needs an ensemble, of whose servers it
// strikes one.
func (k Kind) OfEnsemble() bool { return k == LeaderCrash || k == Lag }

// lasting names the kinds that have a length.
func lasting() string {
	var s []string
	for _, k := range Kinds() {
		if k.lasts() {
			s = append(s, k.String())
		}
	}
	return strings.Join(s, ", ")
}
