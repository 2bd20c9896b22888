package zkmodel

import (
	"fmt"
	"testing"
)

// benchServer is a server with n sessions on connections 1 to n and the
// znode "/locks/a".
func benchServer(n int) (*Server, *Output) {
	s, out := new(Server), new(Output)
	s.Init(ServerOptions{})
	s.Plant("/locks/a")
	for c := range n {
		s.Handle(0, ConnID(c+1), &Request{Op: OpConnect, Timeout: 10 * defaultTick}, out)
	}
	out.Reset()
	return s, out
}

// BenchmarkServerLockRound is what one client sends for one lock round: an
// ephemeral sequential create, a listing, a delete.
func BenchmarkServerLockRound(b *testing.B) {
	s, out := benchServer(1)
	create := Request{Xid: 1, Op: OpCreate2, Path: "/locks/a/_c_0f0e0d0c-0b0a-0908-0706-050403020100-lock-", Data: []byte("10.0.0.1"), Flags: FlagEphemeral | FlagSequential}
	list := Request{Xid: 2, Op: OpGetChildren2, Path: "/locks/a"}
	b.ReportAllocs()
	for b.Loop() {
		out.Reset()
		s.Handle(0, 1, &create, out)
		s.Handle(0, 1, &list, out)
		s.Handle(0, 1, &Request{Xid: 3, Op: OpDelete, Path: out.Frames[0].Response.Path, Version: -1}, out)
		if len(out.Frames) != 3 || out.Frames[2].Response.Err != OK {
			b.Fatal("a request failed")
		}
	}
}

// BenchmarkServerOp is one request among others' watches and siblings.
func BenchmarkServerOp(b *testing.B) {
	for _, n := range []int{3, 300} {
		s, out := benchServer(n)
		s.SetListingKey(1)
		paths := make([]string, n)
		for c := range n {
			s.Handle(0, ConnID(c+1), &Request{Op: OpCreate, Path: "/locks/a/lock-", Flags: FlagEphemeral | FlagSequential}, out)
			paths[c] = out.Frames[len(out.Frames)-1].Response.Path
		}
		for c := 1; c < n; c++ {
			s.Handle(0, ConnID(c+1), &Request{Op: OpGetData, Path: paths[c-1], Watch: true}, out)
		}
		run := func(name string, reqs ...Request) {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					out.Reset()
					for i := range reqs {
						s.Handle(0, 2, &reqs[i], out)
					}
				}
			})
		}
		run("getChildren", Request{Op: OpGetChildren, Path: "/locks/a"})
		run("getData", Request{Op: OpGetData, Path: paths[0]})
		run("getDataWatch", Request{Op: OpGetData, Path: paths[0], Watch: true})
		run("setData", Request{Op: OpSetData, Path: "/locks/a", Version: -1})
		run("createDelete", Request{Op: OpCreate, Path: "/locks/a/x", Flags: FlagEphemeral}, Request{Op: OpDelete, Path: "/locks/a/x", Version: -1})
		run("ping", Request{Op: OpPing})
	}
}

// BenchmarkServerRate is how many requests one server carries out in a second,
// in process and on one core: a create and a delete (two requests), a getData,
// and a list of 1,000 children.
func BenchmarkServerRate(b *testing.B) {
	s, out := benchServer(1)
	s.Plant("/data")
	for i := range 1000 {
		s.Plant(fmt.Sprintf("/many/child-%010d", i))
	}
	run := func(name string, reqs ...Request) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for i := range reqs {
					out.Reset()
					s.Handle(0, 1, &reqs[i], out)
					if len(out.Frames) != 1 || out.Frames[0].Response.Err != OK {
						b.Fatal("a request failed")
					}
				}
			}
			b.ReportMetric(float64(b.N*len(reqs))/b.Elapsed().Seconds(), "requests/s")
		})
	}
	run("createDelete", Request{Op: OpCreate, Path: "/data/x", Data: make([]byte, 100)}, Request{Op: OpDelete, Path: "/data/x", Version: -1})
	run("getData", Request{Op: OpGetData, Path: "/data"})
	run("getChildren1000", Request{Op: OpGetChildren, Path: "/many"})
}

// BenchmarkServerCrowd is 300 clients in one queue, 65,000 requests: whoever
// is first leaves and comes back, lists, and watches the one before it.
func BenchmarkServerCrowd(b *testing.B) {
	const clients, requests = 300, 65000
	b.ReportAllocs()
	s, out := benchServer(clients)
	mine := make([]string, clients)
	ask := func(c int, r Request) Response {
		out.Reset()
		s.Handle(0, ConnID(c+1), &r, out)
		return out.Frames[len(out.Frames)-1].Response
	}
	for b.Loop() {
		for i := range requests / 4 {
			c := i % clients
			if mine[c] != "" {
				ask(c, Request{Op: OpDelete, Path: mine[c], Version: -1})
			}
			s.SetListingKey(uint64(i + 1))
			mine[c] = ask(c, Request{Op: OpCreate2, Path: "/locks/a/lock-", Flags: FlagEphemeral | FlagSequential}).Path
			ask(c, Request{Op: OpGetChildren2, Path: "/locks/a"})
			if before := mine[(c+clients-1)%clients]; before != "" {
				ask(c, Request{Op: OpGetData, Path: before, Watch: true})
			}
		}
	}
	b.ReportMetric(float64(b.N)*requests/b.Elapsed().Seconds(), "requests/s")
}

type benchHasher struct{ h uint64 }

func (h *benchHasher) Uint64(x uint64) { h.h = (h.h ^ x) * mulB }
func (h *benchHasher) String(x string) { h.h ^= uint64(len(x)) }

// BenchmarkServerState is what a search pays for a step: a copy and a hash of
// a server with three clients queued for a lock.
func BenchmarkServerState(b *testing.B) {
	s, out := benchServer(3)
	for c := range 3 {
		s.Handle(0, ConnID(c+1), &Request{Op: OpCreate, Path: "/locks/a/lock-", Flags: FlagEphemeral | FlagSequential}, out)
		path := out.Frames[len(out.Frames)-1].Response.Path
		s.Handle(0, ConnID(c+1), &Request{Op: OpExists, Path: path, Watch: true}, out)
	}
	b.Run("CopyInto", func(b *testing.B) {
		dst := new(Server)
		b.ReportAllocs()
		for b.Loop() {
			s.CopyInto(dst)
		}
	})
	b.Run("Hash", func(b *testing.B) {
		h := new(benchHasher)
		b.ReportAllocs()
		for b.Loop() {
			s.Hash(h)
		}
	})
	b.Run("Init", func(b *testing.B) {
		dst := new(Server)
		b.ReportAllocs()
		for b.Loop() {
			dst.Init(ServerOptions{})
		}
	})
}
