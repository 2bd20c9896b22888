package zkmodel

// pathTable is an open-addressing hash table from the hashes of paths to
// slots of the arena. Equal hashes are told apart by whoever looks up, who
// has the paths.
type pathTable struct {
	// slots holds the high half of the hash in its high half (the tag) and
	// slot+1 in its low half; 0 is empty. A power of two long.
	slots []uint64
	mask  uint64
}

// leastTable is the length of a table that has not grown. At most half of a
// table is filled.
const leastTable = 32

// reset empties the table, keeping its memory.
func (t *pathTable) reset() { t.resize(leastTable) }

// grow doubles the table and empties it.
func (t *pathTable) grow() { t.resize(2 * len(t.slots)) }

func (t *pathTable) resize(n int) {
	if cap(t.slots) < n {
		t.slots = make([]uint64, n)
	} else {
		t.slots = t.slots[:n]
		clear(t.slots)
	}
	t.mask = uint64(n - 1)
}

// full says whether the table must grow to hold n entries.
func (t *pathTable) full(n int32) bool { return 2*int(n) > len(t.slots) }

// pathTag is the part of a hash that an entry stores.
func pathTag(h uint64) uint64 { return h >> 32 }

// home is where the search for a hash begins; a function of the tag, so that
// an entry tells its own home.
func (t *pathTable) home(h uint64) uint64 { return pathTag(h) & t.mask }

// insert enters a slot that is not in the table.
func (t *pathTable) insert(h uint64, slot int32) {
	i := t.home(h)
	for t.slots[i] != 0 {
		i = (i + 1) & t.mask
	}
	t.slots[i] = pathTag(h)<<32 | uint64(uint32(slot+1))
}

// remove takes a slot out and moves the entries behind it back, so that no
// search ends early at the hole.
func (t *pathTable) remove(h uint64, slot int32) {
	e := pathTag(h)<<32 | uint64(uint32(slot+1))
	hole := t.home(h)
	for t.slots[hole] != e {
		hole = (hole + 1) & t.mask
	}
	for i := hole; ; {
		i = (i + 1) & t.mask
		if t.slots[i] == 0 {
			break
		}
		// An entry may move to the hole if the hole lies between its home
		// and its place.
		if (i-t.slots[i]>>32)&t.mask >= (i-hole)&t.mask {
			t.slots[hole] = t.slots[i]
			hole = i
		}
	}
	t.slots[hole] = 0
}

// copyInto copies the table.
func (t *pathTable) copyInto(dst *pathTable) {
	dst.slots = append(dst.slots[:0], t.slots...)
	dst.mask = t.mask
}
