package scenarios

import (
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
)

// What is said of items of a live queue: an item that nobody has is lost, but
// not if a take found the queue empty and ended.
func TestItemVerdicts(t *testing.T) {
	put := func(n int64) checker.Event { return checker.Event{Kind: checker.PutEnd, N: n} }
	took := func(n int64) checker.Event { return checker.Event{Kind: checker.Grant, N: n} }
	for _, c := range []struct {
		history     []checker.Event
		lost, twice checker.Verdict
	}{
		{[]checker.Event{put(1), put(2), took(2), took(1)}, checker.Pass, checker.Pass},
		{[]checker.Event{put(1), put(2), took(2)}, checker.Failed, checker.Pass},
		{[]checker.Event{put(1), put(2), took(2), {Kind: checker.Refuse}}, checker.Unknown, checker.Pass},
		{[]checker.Event{put(1), {Kind: checker.PutEnd, N: 2, Text: "connection loss"}, took(1)}, checker.Pass, checker.Pass},
		{[]checker.Event{put(1), took(1), took(1)}, checker.Pass, checker.Failed},
	} {
		v := itemVerdicts(c.history)
		require.Equal(t, []checker.Verdict{c.lost, c.twice}, []checker.Verdict{v[0].Verdict, v[1].Verdict}, "%v", v)
	}
}
