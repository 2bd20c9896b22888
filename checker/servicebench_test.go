package checker_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/zkmodel"
)

// lockStream is what a server does for clients that queue for a lock: each
// creates its ticket, lists, and watches the ticket before its own; whoever is
// first leaves and comes back.
func lockStream(clients, rounds int) []checker.ServiceEvent {
	var tap serviceTap
	tap.Init(zkmodel.ServerOptions{})
	tap.plant("/locks", 0)
	tap.client = func(c zkmodel.ConnID) int32 { return int32(c) }
	xid := int32(0)
	ask := func(c int, r zkmodel.Request) zkmodel.Response {
		xid++
		r.Xid = xid
		tap.request(zkmodel.ConnID(c), &r)
		tap.handle(zkmodel.ConnID(c), &r)
		return tap.out.Frames[len(tap.out.Frames)-1].Response
	}
	mine := make([]string, clients)
	queue := func(c int) {
		const name = "/locks/_c_0f0e0d0c-0b0a-0908-0706-050403020100-lock-"
		mine[c] = ask(c, zkmodel.Request{
			Op: zkmodel.OpCreate2, Path: name, Data: []byte("10.0.0.1"), Flags: zkmodel.FlagEphemeral | zkmodel.FlagSequential,
		}).Path
		ask(c, zkmodel.Request{Op: zkmodel.OpGetChildren2, Path: "/locks"})
		if before := mine[(c+clients-1)%clients]; before != "" {
			ask(c, zkmodel.Request{Op: zkmodel.OpGetData, Path: before, Watch: true})
		}
	}
	for c := range clients {
		tap.handle(zkmodel.ConnID(c), &zkmodel.Request{Op: zkmodel.OpConnect, Timeout: 1e12})
		queue(c)
	}
	for i := range rounds * clients {
		c := i % clients
		ask(c, zkmodel.Request{Op: zkmodel.OpDelete, Path: mine[c], Version: -1})
		next := (c + 1) % clients
		ask(next, zkmodel.Request{Op: zkmodel.OpGetChildren2, Path: "/locks"})
		queue(c)
	}
	return tap.events
}

func TestServiceAllocatesNothing(t *testing.T) {
	streams := [][]checker.ServiceEvent{lockStream(16, 8)}
	for seed := range uint64(20) {
		streams = append(streams, seededStream(seed, 600))
	}
	var s checker.Service
	run := func() {
		for _, stream := range streams {
			judgeStream(&s, stream)
			if s.Failed() {
				panic(s.Finish().Why)
			}
		}
	}
	run()
	require.Zero(t, testing.AllocsPerRun(5, run))
}

// A run that goes on for ever needs no more room as it goes on.
func TestServiceNeedsNoMoreRoom(t *testing.T) {
	stream := lockStream(16, 60)
	var s checker.Service
	s.Reset()
	half := len(stream) / 2
	for i := range half {
		s.Observe(&stream[i])
	}
	i := half
	require.Zero(t, testing.AllocsPerRun(len(stream)-half-1, func() {
		s.Observe(&stream[i])
		i++
	}))
	require.Equal(t, checker.Pass, s.Finish().Verdict)
}

// Nor does a connection that always has something unanswered.
func TestServicePipelineNeedsNoMoreRoom(t *testing.T) {
	var s checker.Service
	s.Reset()
	s.Observe(&checker.ServiceEvent{Kind: checker.ServiceOpen, Session: 1, Zxid: 1})
	s.Observe(&checker.ServiceEvent{Kind: checker.ServiceAttach, Session: 1})
	request := checker.ServiceEvent{Kind: checker.ServiceRequest, Op: opExists, Path: "/a"}
	reply := checker.ServiceEvent{Kind: checker.ServiceReply, Zxid: 1, Err: -101}
	round := func() {
		reply.Xid = request.Xid
		request.Xid++
		s.Observe(&request)
		s.Observe(&reply)
	}
	s.Observe(&request)
	for range 100 {
		round()
	}
	require.Zero(t, testing.AllocsPerRun(5000, round))
	require.Equal(t, checker.Pass, s.Finish().Verdict)
}

// BenchmarkServiceObserve is an event of a lock's run. A listing costs as many
// names as it has, and with 256 clients those are nearly all there is to do.
func BenchmarkServiceObserve(b *testing.B) {
	for _, size := range []struct{ clients, rounds int }{{3, 20}, {10, 10}, {256, 2}} {
		stream := lockStream(size.clients, size.rounds)
		for _, lists := range []bool{true, false} {
			name := fmt.Sprintf("%d-clients", size.clients)
			if !lists {
				name += "-without-listings"
				stream = withoutListings(stream)
			}
			b.Run(name, func(b *testing.B) {
				var s checker.Service
				b.ReportAllocs()
				for b.Loop() {
					if judgeStream(&s, stream); s.Failed() {
						b.Fatal(s.Finish().Why)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(stream)), "ns/event")
			})
		}
	}
}

// withoutListings leaves out the listings and their requests.
func withoutListings(stream []checker.ServiceEvent) []checker.ServiceEvent {
	p := newPlanting(stream, nil)
	drop := make([]bool, len(stream))
	for i := range stream {
		if at := p.request[i]; at >= 0 && stream[at].Op == opGetChildren2 {
			drop[i], drop[at] = true, true
		}
	}
	i := -1
	return slices.DeleteFunc(slices.Clone(stream), func(checker.ServiceEvent) bool { i++; return drop[i] })
}

// BenchmarkServiceRandom is an event of a random run, with faults, multis and
// failing requests.
func BenchmarkServiceRandom(b *testing.B) {
	stream := seededStream(7, 5000)
	var s checker.Service
	b.ReportAllocs()
	for b.Loop() {
		if judgeStream(&s, stream); s.Failed() {
			b.Fatal(s.Finish().Why)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(stream)), "ns/event")
}
