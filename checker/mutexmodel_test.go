package checker

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMutexModel(t *testing.T) {
	free, once, twice := mutexState{}, mutexState{owner: 1, depth: 1}, mutexState{owner: 1, depth: 2}
	ended, over := mutexState{ended: true}, mutexState{owner: 1, depth: 1, ended: true}
	for _, c := range []struct {
		from      mutexState
		action    mutexAction
		owner     int32
		reentrant bool
		to        mutexState
		ok        bool
	}{
		{from: free, action: mutexAcquire, owner: 1, to: once, ok: true},
		{from: once, action: mutexAcquire, owner: 1},
		{from: once, action: mutexAcquire, owner: 1, reentrant: true, to: twice, ok: true},
		{from: once, action: mutexAcquire, owner: 2, reentrant: true},
		{from: twice, action: mutexRelease, owner: 1, to: once, ok: true},
		{from: once, action: mutexRelease, owner: 1, to: free, ok: true},
		{from: once, action: mutexRelease, owner: 2},
		{from: free, action: mutexRelease, owner: 1},
		{from: once, action: mutexMayRelease, owner: 1, to: free, ok: true},
		{from: once, action: mutexMayRelease, owner: 2},
		{from: twice, action: mutexMayLose, owner: 1, to: free, ok: true},
		{from: once, action: mutexMayLose, owner: 2},
		{from: free, action: mutexMayLose, owner: 1},
		{from: free, action: mutexEnd, to: ended, ok: true},
		{from: once, action: mutexEnd, to: over, ok: true},
		{from: ended, action: mutexMayRelease, owner: 1, to: ended, ok: true},
		{from: over, action: mutexMayRelease, owner: 1, to: over, ok: true},
		{from: over, action: mutexMayLose, owner: 2, to: over, ok: true},
		{from: ended, action: mutexAcquire, owner: 1},
		{from: over, action: mutexRelease, owner: 1},
		{from: ended, action: mutexEnd},
	} {
		to, ok := c.from.step(mutexInput{c.action, c.owner}, c.reentrant)
		require.Equal(t, c.ok, ok, "%+v", c)
		if ok {
			require.Equal(t, c.to, to, "%+v", c)
		}
	}
	// Equal states have equal hashes, others should not.
	hash := mutexModel(false).Hash
	seen := map[uint64]bool{}
	for _, s := range []mutexState{free, once, twice, ended, over, {owner: 2, depth: 1}} {
		require.False(t, seen[hash(s)])
		seen[hash(s)] = true
	}
}
