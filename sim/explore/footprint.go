package explore

// Footprint is what a transition reads and writes, a bit for each thing. Two
// transitions that do not conflict lead to the same state in either order, and
// neither enables or disables the other. Bits may stand for several things:
// that makes conflicts, never hides one.
type Footprint struct{ Reads, Writes [2]uint64 }

// Read and Write add a thing, named by a number.
func (f *Footprint) Read(thing uint64) { set(&f.Reads, thing) }

// Write adds a thing that is written.
func (f *Footprint) Write(thing uint64) { set(&f.Writes, thing) }

// WriteAll makes the footprint conflict with every other.
func (f *Footprint) WriteAll() {
	f.Writes = [2]uint64{^uint64(0), ^uint64(0)}
	f.Reads = f.Writes
}

func set(words *[2]uint64, thing uint64) { words[thing>>6&1] |= 1 << (thing & 63) }

// Conflicts reports whether one of the two writes what the other reads or
// writes.
func (f *Footprint) Conflicts(g *Footprint) bool {
	for i := range f.Writes {
		if f.Writes[i]&(g.Reads[i]|g.Writes[i]) != 0 || g.Writes[i]&f.Reads[i] != 0 {
			return true
		}
	}
	return false
}
