package checker

import "slices"

// holders is a multiset of owners, sorted: an owner stands in it once for each
// of its holds.
type holders []int64

// fork is a copy that can grow and shrink without touching the other.
func (h holders) fork() holders { return slices.Clone(h) }

// count is how many holds the owner has.
func (h holders) count(owner int64) int {
	n := 0
	for _, o := range h {
		if o == owner {
			n++
		}
	}
	return n
}

// add gives the owner n more holds.
func (h *holders) add(owner int64, n int) {
	at, _ := slices.BinarySearch(*h, owner)
	for range n {
		*h = slices.Insert(*h, at, owner)
	}
}

// remove takes n holds from an owner who has as many.
func (h *holders) remove(owner int64, n int) {
	at, _ := slices.BinarySearch(*h, owner)
	*h = slices.Delete(*h, at, at+n)
}

// hash takes the holds into a hash.
func (h holders) hash(sum uint64) uint64 {
	for _, o := range h {
		sum = mix(sum ^ uint64(o))
	}
	return sum + uint64(len(h))
}
