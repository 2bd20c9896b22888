package docs

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSequence(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int32
		ok   bool
	}{
		{"g-lock-0000000000", 0, true},
		{"g-lock-0000000042", 42, true},
		{"g-lock-2147483647", math.MaxInt32, true},
		{"g-lock--000000005", -5, true},
		{"g-lock--2147483648", math.MinInt32, true},
		{"-lock-0000000007", 7, true},
		{"g-lock-2147483648", 0, false}, // no counter of 32 bits
		{"g-lock-000000042", 0, false},  // too short
		{"g-lock-00000000042", 0, false},
		{"g-lock-00000x0042", 0, false},
		{"g-lock-", 0, false},
		{"g-lease-0000000042", 0, false},
		{"0000000042", 0, false},
		{"foreign", 0, false},
		{"", 0, false},
	} {
		n, ok := Sequence(c.name, TicketMarker)
		require.Equal(t, c.ok, ok, c.name)
		require.Equal(t, c.n, n, c.name)
	}
}

func TestBeforeSurvivesTheWrapOfTheCounter(t *testing.T) {
	require.True(t, Before(0, 1))
	require.False(t, Before(1, 1))
	require.False(t, Before(2, 1))
	require.True(t, Before(-1, 0))
	require.True(t, Before(math.MaxInt32, math.MinInt32))
	require.False(t, Before(math.MinInt32, math.MaxInt32))
}

// numbered makes the name of a ticket as the server does.
func numbered(n int32) string { return fmt.Sprintf("g%d%s%010d", uint32(n)%7, TicketMarker, n) }

func TestPredecessor(t *testing.T) {
	names := func(numbers ...int32) []string {
		list := []string{"foreign", "g-lease-0000000000", "-lock-", "aaa-lock-00000000x0"}
		for _, n := range numbers {
			list = append(list, numbered(n))
		}
		return list
	}
	for _, c := range []struct {
		about string
		names []string
		own   int32
		pred  string
		found bool
	}{
		{"alone", names(3), 3, "", true},
		{"the first of several", names(5, 3, 4), 3, "", true},
		{"the closest, whatever the order", names(9, 2, 7, 5, 8, 3), 8, numbered(7), true},
		{"with gaps", names(2, 1000), 1000, numbered(2), true},
		{"own ticket missing", names(1, 2), 3, numbered(2), false},
		{"nothing there", names(), 3, "", false},
		{"over the wrap", names(math.MinInt32, math.MaxInt32), math.MinInt32, numbered(math.MaxInt32), true},
		{"the old one stays the first over the wrap", names(math.MinInt32, math.MaxInt32), math.MaxInt32, "", true},
		{"negative numbers grow too", names(-3, -5, -4), -3, numbered(-4), true},
		{"from below zero", names(0, -1), 0, numbered(-1), true},
		{"same number, other name", []string{"x-lock-0000000003"}, 3, "", false},
	} {
		pred, found := Predecessor(c.names, TicketMarker, numbered(c.own), c.own)
		require.Equal(t, c.pred, pred, c.about)
		require.Equal(t, c.found, found, c.about)
	}
}

func BenchmarkPredecessor(b *testing.B) {
	var names []string
	for n := range int32(100) {
		names = append(names, fmt.Sprintf("00000001-0000-4000-8000-%012x%s%010d", n, TicketMarker, n*37%100))
	}
	b.ReportAllocs()
	for b.Loop() {
		Predecessor(names, TicketMarker, names[0], 50)
	}
}
