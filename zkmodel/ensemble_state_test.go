package zkmodel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/zkmodel"
)

// sumHash is a Hasher for tests.
type sumHash uint64

func (h *sumHash) Uint64(x uint64) { *h = (*h ^ sumHash(x)) * 0x100000001b3 }

func (h *sumHash) String(s string) {
	for i := range len(s) {
		h.Uint64(uint64(s[i]))
	}
	h.Uint64(uint64(len(s)))
}

func peerHash(p *zkmodel.Peer) uint64 {
	h := sumHash(14695981039346656037)
	p.Hash(&h)
	return uint64(h)
}

// A copy of each server goes on as the server does, output for output, and
// shares nothing with it: the copy made first is not touched by what follows.
func TestCopiesOfPeersGoOnAlike(t *testing.T) {
	for seed := range uint64(30) {
		r := prepareRandomRun(seed, randomOptions(seed))
		r.copies = make([]zkmodel.Peer, len(r.peers))
		var kept zkmodel.Peer
		sum := uint64(0)
		r.after = func() {
			for i := 1; i <= r.servers(); i++ {
				require.Equal(t, peerHash(&r.peers[i]), peerHash(&r.copies[i]), "seed %d, server %d", seed, i)
			}
			if sum == 0 && r.leader() != 0 && len(r.conns) > 0 {
				r.peers[r.leader()].CopyInto(&kept)
				sum = peerHash(&kept)
			}
		}
		r.run(400)
		require.NotZero(t, sum)
		require.Equal(t, sum, peerHash(&kept), "seed %d", seed)
	}
}

// States that differ have different hashes: whatever an input changes shows.
func TestPeerHashTellsStatesApart(t *testing.T) {
	r := prepareRandomRun(3, randomOptions(3))
	seen := map[uint64]bool{}
	r.after = func() { seen[peerHash(&r.peers[1])] = true }
	r.run(400)
	require.Greater(t, len(seen), 100)
}

func TestCopyingAPeerDoesNotAllocate(t *testing.T) {
	r := prepareRandomRun(5, randomOptions(5))
	r.run(400)
	var to zkmodel.Peer
	p := &r.peers[r.leader()]
	p.CopyInto(&to)
	require.Zero(t, testing.AllocsPerRun(100, func() { p.CopyInto(&to) }))
}
