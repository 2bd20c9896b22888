package sim

import "fmt"

// Entry is one line of a recorded trace.
type Entry struct {
	At   Time
	Step int // number of the transition, from 1
	Text string
}

// trace is the hash of everything that happened, and on request its text.
type trace struct {
	hash    Hash
	none    bool // see [World.HashTrace]
	record  bool
	entries []Entry
}

// HashTrace sets whether there is a trace hash; at first there is. A search of
// states, which nobody asks for one, is faster without.
func (w *World) HashTrace(on bool) { w.trace.none = !on }

// Note mixes a word about what happens into the trace hash. Apps note
// what the kernel cannot see: the contents of messages.
func (w *World) Note(x uint64) {
	if !w.trace.none {
		w.trace.hash.Uint64(x)
	}
}

// NoteString mixes a string into the trace hash.
func (w *World) NoteString(s string) {
	if !w.trace.none {
		w.trace.hash.String(s)
	}
}

// Tracing reports whether the text of the trace is recorded; ask it before
// formatting a line for [World.Tracef].
func (w *World) Tracing() bool { return w.trace.record }

// Tracef adds a line to the recorded trace.
func (w *World) Tracef(format string, args ...any) {
	if w.trace.record {
		w.trace.entries = append(w.trace.entries, Entry{w.now, w.steps, fmt.Sprintf(format, args...)})
	}
}

// Trace is the recorded trace of the current run.
func (w *World) Trace() []Entry { return w.trace.entries }

// TraceHash is the hash of the run so far.
func (w *World) TraceHash() uint64 { return w.trace.hash.Sum() }
