package zkmodel

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// With key 0 the order is a function of the set of names, and not sorted.
func TestListingFixedOrder(t *testing.T) {
	names := []string{"lock-0000000000", "lock-0000000001", "lock-0000000002", "lock-0000000003", "lock-0000000004", "x"}
	list := func(g *serverRig, op OpCode, path string) []string {
		return g.must(1, Request{Op: op, Path: path}).Children
	}
	g := newServerRig(t, 1)
	g.make("/p", "/longer")
	for _, name := range names {
		g.make("/p/" + name)
	}
	want := list(g, OpGetChildren, "/p")
	require.ElementsMatch(t, names, want)
	require.False(t, slices.IsSorted(want))
	require.Equal(t, want, list(g, OpGetChildren2, "/p"))

	for _, name := range names {
		g.make("/longer/" + name + "-not")
	}
	for _, i := range []int{3, 0, 5, 1, 4, 2} {
		g.make("/longer/" + names[i])
	}
	for _, name := range names {
		g.must(1, rqDelete("/longer/"+name+"-not"))
	}
	require.Equal(t, want, list(g, OpGetChildren, "/longer"), "whatever the order of creation, the parent and the slots")
	require.Equal(t, []string{names[3], names[0], names[5], names[1], names[4], names[2]}, g.AppendChildren(nil, "/longer"))
	require.ElementsMatch(t, []string{"p", "longer", "zookeeper"}, list(g, OpGetChildren, "/"))
	require.Empty(t, list(g, OpGetChildren, "/p/x"))
}

// Any other key gives a permutation; small sets see each of theirs.
func TestListingPermutations(t *testing.T) {
	g := newServerRig(t, 1)
	g.make("/p")
	for n := 0; n <= 12; n++ {
		names := g.AppendChildren(nil, "/p")
		require.Len(t, names, n)
		seen := map[string]int{}
		for key := uint64(1); key <= 300; key++ {
			g.SetListingKey(key)
			got := g.must(1, Request{Op: OpGetChildren, Path: "/p"}).Children
			require.ElementsMatch(t, names, got)
			require.Equal(t, got, g.must(1, Request{Op: OpGetChildren2, Path: "/p"}).Children, "the key fixes it")
			seen[fmt.Sprint(got)]++
		}
		switch n {
		case 2:
			require.Len(t, seen, 2)
		case 3:
			require.Len(t, seen, 6)
		case 12:
			require.Greater(t, len(seen), 40)
		}
		g.make(fmt.Sprintf("/p/%d", n))
	}
}

func TestAffineIsAPermutation(t *testing.T) {
	for n := uint64(1); n < 200; n++ {
		for key := uint64(1); key < 20; key++ {
			a, b := affine(key, n)
			require.Less(t, b, n)
			require.EqualValues(t, 1, gcd(a, n))
			require.True(t, a < n || n == 1)
		}
	}
}

// A listing allocates its slice and nothing else.
func TestListingAllocations(t *testing.T) {
	g := newServerRig(t, 1)
	g.make("/p", "/p/a", "/p/b", "/p/c")
	r := Request{Op: OpGetChildren2, Path: "/p"}
	for _, key := range []uint64{0, 7} {
		g.SetListingKey(key)
		require.EqualValues(t, 1, testing.AllocsPerRun(100, func() {
			g.out.Reset()
			g.Handle(0, 1, &r, &g.out)
		}))
	}
}
