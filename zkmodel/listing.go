package zkmodel

import (
	"cmp"
	"slices"
)

// A server sends the names of children in no particular order (ZooKeeper: that
// of a Java HashSet), so recipes that rely on one are wrong. Listings here are
// never sorted either.

// rankedChild is a child with the number that gives its place in a listing.
type rankedChild struct {
	rank uint64
	node int32
}

// SetListingKey chooses the order of the listings from now on. With 0, which a
// fresh server has, it is a fixed function of the set of names. Any other key
// names a permutation of creation order: the child created as number i comes
// at place i*a+b mod n, where a and b are functions of the key.
func (s *Server) SetListingKey(k uint64) { s.listingKey = k }

// list is the names of the children of p; they share memory with the paths.
func (s *Server) list(p int32) []string {
	z := &s.nodes[p]
	n := uint64(z.children)
	if n == 0 {
		return nil
	}
	names, skip := make([]string, n), s.skip(p)
	if s.listingKey != 0 {
		a, b := affine(s.listingKey, n)
		for i := z.first; i != none; i = s.nodes[i].next {
			names[b] = s.nodes[i].path[skip:]
			if b += a; b >= n {
				b -= n
			}
		}
		return names
	}
	s.ranks = s.ranks[:0]
	for i := z.first; i != none; i = s.nodes[i].next {
		s.ranks = append(s.ranks, rankedChild{rank: hashPath(s.nodes[i].path[skip:]), node: i})
	}
	slices.SortFunc(s.ranks, func(x, y rankedChild) int { return cmp.Compare(x.rank, y.rank) })
	for i, r := range s.ranks {
		names[i] = s.nodes[r.node].path[skip:]
	}
	return names
}

// skip is how much of the path of a child of p comes before its name.
func (s *Server) skip(p int32) int {
	if p == rootNode {
		return 1
	}
	return len(s.nodes[p].path) + 1
}

// affine draws a permutation i*a+b mod n from a key: b < n, and a < n coprime
// to n (a = 1 for n = 1, where it does not matter).
func affine(key, n uint64) (a, b uint64) {
	key = mix64(key)
	b = key % n
	if n < 3 {
		return 1, b
	}
	a = 1 + (key>>32)%(n-1)
	for gcd(a, n) != 1 {
		if a++; a == n {
			a = 1
		}
	}
	return a, b
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// AppendChildren appends the names of the children of path in creation order;
// none if there is no such znode.
func (s *Server) AppendChildren(dst []string, path string) []string {
	p := s.lookup(path)
	if p == none {
		return dst
	}
	skip := s.skip(p)
	for i := s.nodes[p].first; i != none; i = s.nodes[i].next {
		dst = append(dst, s.nodes[i].path[skip:])
	}
	return dst
}
