package checker

import "math/bits"

// noSlot is the index of nothing.
const noSlot int32 = -1

// servicePath is what the service monitors know of one path: the znode there,
// if there is one, and who watches it. A slot is given back once there is
// neither.
type servicePath struct {
	path string
	hash uint64
	serviceZnode
	watches  [serviceTables]int32 // first of those on the path, by table
	nwatches [serviceTables]int32
}

// servicePaths is the slots with a hash table from paths to them: open
// addressing, at most half full, so that paths come and go without allocation.
type servicePaths struct {
	all  []servicePath
	free []int32
	// table holds the high half of a path's hash in its high half and slot+1
	// in its low half; 0 is empty. A power of two long.
	table []uint64
	mask  uint64
	count int
}

// leastPaths is the length of a table that has not grown.
const leastPaths = 64

func (p *servicePaths) reset() {
	p.all, p.free, p.count = p.all[:0], p.free[:0], 0
	p.resize(max(leastPaths, len(p.table)))
}

func (p *servicePaths) resize(n int) {
	if len(p.table) == n {
		clear(p.table)
	} else {
		p.table = make([]uint64, n)
	}
	p.mask = uint64(n - 1)
}

// lookup is the slot of a path, noSlot if it has none.
func (p *servicePaths) lookup(path string) int32 { return p.find(path, servicePathHash(path)) }

func (p *servicePaths) find(path string, h uint64) int32 {
	tag := h >> 32
	for i := tag & p.mask; ; i = (i + 1) & p.mask {
		e := p.table[i]
		if e == 0 {
			return noSlot
		}
		if e>>32 == tag {
			if slot := int32(uint32(e)) - 1; p.all[slot].path == path {
				return slot
			}
		}
	}
}

// intern is the slot of a path, a new one if it had none; h is its hash.
func (p *servicePaths) intern(path string, h uint64) int32 {
	if slot := p.find(path, h); slot != noSlot {
		return slot
	}
	p.count++
	if 2*p.count > len(p.table) {
		p.resize(2 * len(p.table))
		for i := range p.all {
			if p.all[i].inUse() {
				p.insert(p.all[i].hash, int32(i))
			}
		}
	}
	slot := int32(len(p.all))
	if n := len(p.free); n > 0 {
		slot = p.free[n-1]
		p.free = p.free[:n-1]
	} else {
		p.all = append(p.all, servicePath{})
	}
	p.all[slot] = servicePath{path: path, hash: h, watches: [serviceTables]int32{noSlot, noSlot}}
	p.insert(h, slot)
	return slot
}

// inUse says whether a slot has something to keep it.
func (x *servicePath) inUse() bool {
	return x.exists || x.nwatches[dataTable]+x.nwatches[childTable] > 0
}

func (p *servicePaths) insert(h uint64, slot int32) {
	i := h >> 32 & p.mask
	for p.table[i] != 0 {
		i = (i + 1) & p.mask
	}
	p.table[i] = h>>32<<32 | uint64(uint32(slot+1))
}

// release gives a slot back if nothing keeps it.
func (p *servicePaths) release(slot int32) {
	x := &p.all[slot]
	if x.inUse() {
		return
	}
	e := x.hash>>32<<32 | uint64(uint32(slot+1))
	hole := e >> 32 & p.mask
	for p.table[hole] != e {
		hole = (hole + 1) & p.mask
	}
	// What stands behind the hole moves up unless it stands between its home
	// and the hole, so that no search ends early.
	for i := (hole + 1) & p.mask; p.table[i] != 0; i = (i + 1) & p.mask {
		if (i-p.table[i]>>32)&p.mask >= (i-hole)&p.mask {
			p.table[hole] = p.table[i]
			hole = i
		}
	}
	p.table[hole] = 0
	x.path = ""
	p.free = append(p.free, slot)
	p.count--
}

// The odd constants are those of wyhash and splitmix64.
const (
	serviceMulA = 0xa0761d6478bd642f
	serviceMulB = 0xe7037ed1a0b428db
	serviceMulC = 0x8ebc6af09c88c6e3
)

// servicePathHash is a hash of a path or a name.
func servicePathHash(s string) uint64 {
	h := uint64(len(s))*serviceMulC ^ serviceMulA
	if len(s) < 8 {
		var w uint64
		for i := 0; i < len(s); i++ {
			w = w<<8 | uint64(s[i])
		}
		return serviceFold(h^w, serviceMulB)
	}
	last := serviceWord(s[len(s)-8:])
	for ; len(s) > 8; s = s[8:] {
		h = serviceFold(h^serviceWord(s), serviceMulB)
	}
	return serviceFold(h^last, serviceMulC)
}

// serviceWord reads the first eight bytes of s, little end first.
func serviceWord(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// serviceDataHash is a hash of a znode's data.
func serviceDataHash(b []byte) uint64 {
	h := uint64(len(b))*serviceMulC ^ serviceMulB
	for len(b) > 0 {
		var w uint64
		n := min(len(b), 8)
		for _, c := range b[:n] {
			w = w<<8 | uint64(c)
		}
		h = serviceFold(h^w, serviceMulB)
		b = b[n:]
	}
	return h
}

// serviceFold multiplies to 128 bits and folds the halves.
func serviceFold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
