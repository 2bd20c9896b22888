package sim

// Versions hands out the numbers by which worlds that are copied from one
// another tell that a process is the same in both. A process gets a new one when
// a step may have changed it, so of two processes of the same version, of worlds
// with the same Versions, neither has changed since one was copied from the
// other. The zero Versions is ready. It serves one goroutine.
type Versions struct {
	_    [64]byte // other workers' versions lie in other cache lines
	last uint64
	_    [64]byte
}

// SetVersions has w number the states of its processes from now on; nil, as at
// first, numbers none. Whoever sets it calls [World.Touch] behind each step for
// all processes that the step may have changed.
func (w *World) SetVersions(v *Versions) { w.versions = v }

// Touch notes that a process may have changed.
func (w *World) Touch(p *Proc) { p.version = w.NextVersion() }

// NextVersion numbers a state of something of the App's as those of processes
// are numbered; 0 where these are not.
func (w *World) NextVersion() uint64 {
	if w.versions == nil {
		return 0
	}
	w.versions.last++
	return w.versions.last
}

// TouchAll notes that all processes may have changed.
func (w *World) TouchAll() {
	for _, p := range w.procs[:w.nprocs] {
		w.Touch(p)
	}
}

// Version numbers the state of a process, whatever others do; 0 if that has no
// number.
func (p *Proc) Version() uint64 { return p.version }

// Equals reports whether two processes are known to be in the same state.
func (p *Proc) Equals(o *Proc) bool { return p.version == o.version && p.version != 0 }
