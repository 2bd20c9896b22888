package explore

import "sync"

// table is a set of 64-bit keys: open addressing, 8 bytes a place, at most
// two thirds full, in shards with a lock each. 0 stands for a free place.
type table struct {
	shards [shards]shard
}

const shards = 64

type shard struct {
	mu   sync.Mutex
	keys []uint64
	n    int
	_    [32]byte // its own cache line
}

// add enters a key and reports whether it is new.
func (t *table) add(k uint64) bool {
	if k == 0 {
		k = 1
	}
	s := &t.shards[k>>58]
	s.mu.Lock()
	defer s.mu.Unlock()
	if 3*s.n >= 2*len(s.keys) {
		s.grow()
	}
	mask := uint64(len(s.keys) - 1)
	i := k & mask
	for s.keys[i] != 0 {
		if s.keys[i] == k {
			return false
		}
		i = (i + 1) & mask
	}
	s.keys[i] = k
	s.n++
	return true
}

func (s *shard) grow() {
	old := s.keys
	s.keys = make([]uint64, max(64, 2*len(old)))
	mask := uint64(len(s.keys) - 1)
	for _, k := range old {
		if k == 0 {
			continue
		}
		i := k & mask
		for s.keys[i] != 0 {
			i = (i + 1) & mask
		}
		s.keys[i] = k
	}
}

// len counts the keys.
func (t *table) len() int {
	n := 0
	for i := range t.shards {
		n += t.shards[i].n
	}
	return n
}

// has reports whether a key is in the table.
func (t *table) has(k uint64) bool {
	if k == 0 {
		k = 1
	}
	s := &t.shards[k>>58]
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.keys) == 0 {
		return false
	}
	mask := uint64(len(s.keys) - 1)
	for i := k & mask; s.keys[i] != 0; i = (i + 1) & mask {
		if s.keys[i] == k {
			return true
		}
	}
	return false
}

// appendKeys appends the keys, in no order.
func (t *table) appendKeys(dst []uint64) []uint64 {
	for i := range t.shards {
		for _, k := range t.shards[i].keys {
			if k != 0 {
				dst = append(dst, k)
			}
		}
	}
	return dst
}
