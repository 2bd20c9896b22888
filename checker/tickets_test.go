package checker

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The queue against a plain sorted slice.
func TestTicketQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q, dst ticketQueue
		var want []ticket
		order := func(a, b ticket) int { return int(a.zxid - b.zxid) }
		zxid := int64(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			client := int32(rapid.IntRange(0, 2).Draw(t, "client"))
			switch what := rapid.IntRange(0, 9).Draw(t, "what"); {
			case what < 5 || len(want) == 0:
				// Seldom out of order, and seldom two in one transaction.
				zxid += int64(rapid.IntRange(0, 4).Draw(t, "ahead"))
				n := ticket{zxid: zxid, client: client}
				if what == 0 {
					n.zxid -= 3
				}
				require.Equal(t, len(slices.DeleteFunc(slices.Clone(want), func(o ticket) bool { return o.zxid > n.zxid })), q.add(n))
				want = append(want, n)
				slices.SortStableFunc(want, order)
			case what == 9:
				q.abandon(client)
				for i := range want {
					want[i].orphan = want[i].orphan || want[i].client == client
				}
			default:
				i := rapid.IntRange(0, len(want)-1).Draw(t, "which")
				if what < 8 {
					i = 0
				}
				got, ok := q.remove(want[i].zxid, want[i].client)
				require.True(t, ok)
				require.Equal(t, want[i].zxid, got.zxid)
				k := slices.Index(want, got)
				want = slices.Delete(want, k, k+1)
			}
			requireQueue(t, &q, want)
			q.copyInto(&dst)
			requireQueue(t, &dst, want)
		}
	})
}

func requireQueue(t *rapid.T, q *ticketQueue, want []ticket) {
	require.Equal(t, append([]ticket{}, want...), append([]ticket{}, q.live()...))
	for client := range int32(3) {
		newest := int64(0)
		for _, w := range want {
			if w.client == client && !w.orphan {
				newest = w.zxid
			}
		}
		require.Equal(t, newest, q.newest(client))
		_, ok := q.remove(-100, client)
		require.False(t, ok)
	}
	for i, w := range want {
		at := slices.IndexFunc(want, func(o ticket) bool { return o.zxid == w.zxid })
		require.Equal(t, at, q.position(w.zxid))
		other := slices.IndexFunc(want[:i+1], func(o ticket) bool { return o.zxid < w.zxid && o.client != w.client })
		if o := q.overtaken(w.zxid, w.client); o == nil {
			require.Negative(t, other)
		} else {
			require.Equal(t, want[other], *o)
		}
	}
}

// In a long queue that only shifts, the list stays as it is.
func TestTicketQueueStaysSmall(t *testing.T) {
	var q ticketQueue
	for i := range int64(100) {
		q.add(ticket{zxid: i})
	}
	for i := range int64(10000) {
		q.remove(i, 0)
		q.add(ticket{zxid: i + 100})
	}
	require.Len(t, q.live(), 100)
	require.LessOrEqual(t, cap(q.list), 512)
}
