package conform

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"zoosim/zkmodel"
)

// minOps is the least number of requests of a random script.
const minOps = 30

// names of connections; each has had a session once it is connected.
var connNames = []string{"a", "b", "c", "d"}

var (
	goodPaths = rapid.SampledFrom([]string{
		"/a", "/a", "/b", "/a/b", "/a/c", "/b/c", "/a/b/c", "/", "/a/s-", "/s-",
	})
	oddPaths = rapid.SampledFrom([]string{
		"", "foo", "/a/", "//a", "/a//b", "/a/.", "/a/..", "/./a", "/a/../b", "/a/...", "/a/.x",
		"/a/\x01", "/a/\x00", "/a/\u00a0", "/a/\u007f", "/a/\u0085", "/a/\ud7ff", "/a/\ue000", "/a/\ufeff",
		"/a/\ufff0", "/a/\U0001f600", "/zz", "/zz/y", "/a/0000000000", "/a/s-0000000001", "/a/s-0000000000", "/a b",
	})
	paths    = rapid.OneOf(goodPaths, goodPaths, goodPaths, goodPaths, oddPaths)
	versions = rapid.SampledFrom([]int32{-1, -1, -1, -1, -1, 0, 0, 1, 2, 3, -2})
	datas    = rapid.SampledFrom([][]byte{nil, {}, []byte("x"), []byte("some data"), {0, 255, 10}})
	flags    = rapid.SampledFrom([]int32{0, 0, 0, 0, 1, 1, 2, 3, 3, 4, 5, 6, 7, -1})
	ttls     = rapid.SampledFrom([]int64{1 << 39, 1 << 39, 60000000, 1<<40 - 1, 1 << 40, 0, -1, 1})
	digest   = zkmodel.Digest("u:p")
	acls     = rapid.SampledFrom([][]zkmodel.ACL{
		nil, nil, nil, nil, nil, nil,
		{},
		{{Perms: 31, ID: zkmodel.ID{Scheme: "world", ID: "anyone"}}},
		{{Perms: zkmodel.PermRead, ID: zkmodel.ID{Scheme: "world", ID: "anyone"}}},
		{{Perms: 31 - zkmodel.PermRead, ID: zkmodel.ID{Scheme: "world", ID: "anyone"}}},
		{{Perms: 31 - zkmodel.PermCreate, ID: zkmodel.ID{Scheme: "ip", ID: "127.0.0.1"}}},
		{{Perms: 31, ID: zkmodel.ID{Scheme: "ip", ID: "127.0.0.0/8"}}, {Perms: 0, ID: zkmodel.ID{Scheme: "world", ID: "anyone"}}},
		{{Perms: 31, ID: zkmodel.ID{Scheme: "ip", ID: "10.0.0.0/8"}}, {Perms: 16, ID: zkmodel.ID{Scheme: "world", ID: "anyone"}}},
		{{Perms: 31, ID: zkmodel.ID{Scheme: "auth"}}},
		{{Perms: 31, ID: zkmodel.ID{Scheme: "digest", ID: digest}}, {Perms: 1, ID: zkmodel.ID{Scheme: "world", ID: "anyone"}}},
		{{Perms: 31, ID: zkmodel.ID{Scheme: "digest", ID: digest}}},
		{{Perms: 31, ID: zkmodel.ID{Scheme: "digest", ID: "nocolon"}}},
		{{Perms: 31, ID: zkmodel.ID{Scheme: "world", ID: "someone"}}},
		{{Perms: 31, ID: zkmodel.ID{Scheme: "nope", ID: "x"}}},
		{{Perms: 1, ID: zkmodel.ID{Scheme: "world", ID: "anyone"}}, {Perms: 1, ID: zkmodel.ID{Scheme: "world", ID: "anyone"}}, {Perms: 30, ID: zkmodel.ID{Scheme: "ip", ID: "127.0.0.1"}}},
	})
)

var (
	writeOps = rapid.SampledFrom([]zkmodel.OpCode{
		zkmodel.OpCreate, zkmodel.OpCreate, zkmodel.OpCreate, zkmodel.OpCreate2, zkmodel.OpCreateContainer, zkmodel.OpCreateTTL,
		zkmodel.OpDelete, zkmodel.OpDelete, zkmodel.OpSetData, zkmodel.OpSetData,
	})
	topOps = rapid.SampledFrom([]zkmodel.OpCode{
		zkmodel.OpExists, zkmodel.OpExists, zkmodel.OpGetData, zkmodel.OpGetData, zkmodel.OpGetChildren, zkmodel.OpGetChildren2,
		zkmodel.OpMulti, zkmodel.OpMulti, zkmodel.OpMultiRead, zkmodel.OpSync, zkmodel.OpPing, zkmodel.OpGetACL,
		zkmodel.OpCheck, zkmodel.OpAddWatch, zkmodel.OpAddWatch, zkmodel.OpCheckWatches, zkmodel.OpRemoveWatches,
		zkmodel.OpSetWatches, zkmodel.OpSetWatches2, zkmodel.OpGetEphemerals, zkmodel.OpGetAllChildrenNumber, zkmodel.OpWhoAmI,
		zkmodel.OpReconfig, zkmodel.OpDeleteContainer,
	})
	// aloneOps are what [Unasked] bans from batches.
	aloneOps = rapid.SampledFrom([]zkmodel.OpCode{
		zkmodel.OpAuth, zkmodel.OpAuth, zkmodel.OpAuth, zkmodel.OpSasl, zkmodel.OpSetACL, zkmodel.OpSetACL, zkmodel.OpSetACL, zkmodel.OpCloseSession, 99, 10, zkmodel.OpError,
	})
)

func drawMultiOp(t *rapid.T, read bool) zkmodel.MultiOp {
	m := zkmodel.MultiOp{
		Op: rapid.OneOf(writeOps, writeOps, rapid.Just(zkmodel.OpCheck)).Draw(t, "op"), Path: paths.Draw(t, "path"),
		Data: datas.Draw(t, "data"), ACL: acls.Draw(t, "acl"), Flags: flags.Draw(t, "flags"),
		Version: versions.Draw(t, "version"), TTL: ttls.Draw(t, "ttl"),
	}
	if m.Path == "/" && m.Op != zkmodel.OpDelete && m.Op != zkmodel.OpSetData && m.Op != zkmodel.OpCheck {
		m.Path = "/s-"
	}
	if read {
		if m.Path == "" {
			m.Path = "/"
		}
		m.Op = rapid.SampledFrom([]zkmodel.OpCode{zkmodel.OpGetData, zkmodel.OpGetChildren}).Draw(t, "read")
	}
	return m
}

func drawMulti(t *rapid.T, read bool) []zkmodel.MultiOp {
	n := rapid.IntRange(0, 5).Draw(t, "operations")
	ops := make([]zkmodel.MultiOp, n)
	stray := rapid.IntRange(0, 39).Draw(t, "stray") // where an operation of the other kind stands, if that is there
	for i := range ops {
		ops[i] = drawMultiOp(t, read != (i == stray))
		if f := ops[i].Flags; !read && (f == zkmodel.FlagTTL || f == zkmodel.FlagTTLSequential) && ops[i].Op != zkmodel.OpCreateTTL {
			ops[i].Flags = 0
		}
	}
	return ops
}

func drawRequest(t *rapid.T, op zkmodel.OpCode) Op {
	q := zkmodel.Request{Op: op, Path: paths.Draw(t, "path")}
	if q.Path == "" && op != zkmodel.OpCreate && op != zkmodel.OpDelete && op != zkmodel.OpSetData {
		q.Path = "/" // the empty path is that of the real root, which all scripts share
	}
	switch op {
	case zkmodel.OpCreate, zkmodel.OpCreate2, zkmodel.OpCreateContainer, zkmodel.OpCreateTTL:
		q.Data, q.Flags, q.ACL = datas.Draw(t, "data"), flags.Draw(t, "flags"), acls.Draw(t, "acl")
		if q.Path == "/" {
			q.Path = "/s-" // a number behind the root would make a sibling of it
		}
		if op == zkmodel.OpCreateContainer && (q.Flags == 1 || q.Flags == 3) {
			q.Flags--
		}
		if op == zkmodel.OpCreateTTL {
			q.TTL = ttls.Draw(t, "ttl")
			q.Flags = rapid.SampledFrom([]int32{5, 5, 5, 6, 6, q.Flags}).Draw(t, "ttlFlags")
			if deadly(&Op{Request: q}) {
				q.TTL = -q.TTL
			}
		}
	case zkmodel.OpDelete, zkmodel.OpCheck:
		q.Version = versions.Draw(t, "version")
	case zkmodel.OpSetData:
		q.Data, q.Version = datas.Draw(t, "data"), versions.Draw(t, "version")
	case zkmodel.OpSetACL:
		if q.ACL = acls.Draw(t, "acl"); q.ACL == nil {
			q.ACL = []zkmodel.ACL{{Perms: 31, ID: zkmodel.ID{Scheme: "world", ID: "anyone"}}}
		}
		q.Version = versions.Draw(t, "version")
	case zkmodel.OpExists, zkmodel.OpGetData, zkmodel.OpGetChildren, zkmodel.OpGetChildren2:
		q.Watch = rapid.Bool().Draw(t, "watch")
	case zkmodel.OpMulti:
		q.Multi = drawMulti(t, false)
	case zkmodel.OpMultiRead:
		q.Multi = drawMulti(t, true)
	case zkmodel.OpAddWatch:
		q.Flags = rapid.SampledFrom([]int32{0, 0, 0, 1, 1, 1, 2}).Draw(t, "mode")
	case zkmodel.OpCheckWatches, zkmodel.OpRemoveWatches:
		q.Flags = rapid.SampledFrom([]int32{1, 2, 3, 3, 4}).Draw(t, "type")
	case zkmodel.OpSetWatches, zkmodel.OpSetWatches2:
		q.Watches = drawWatchSet(t, op)
	case zkmodel.OpGetEphemerals:
		q.Path = rapid.SampledFrom([]string{"/", "", " ", "/a", "/a/s", "/b", "foo"}).Draw(t, "prefix")
	case zkmodel.OpAuth:
		scheme := rapid.SampledFrom([]string{"digest", "digest", "digest", "digest", "ip", "nope"}).Draw(t, "scheme")
		q.Auth = &zkmodel.Auth{Scheme: scheme, Auth: []byte(rapid.SampledFrom([]string{"u:p", "u:p", "u:p", "v:p", "u", ""}).Draw(t, "auth"))}
	case zkmodel.OpPing, zkmodel.OpReconfig, zkmodel.OpSasl, zkmodel.OpWhoAmI, zkmodel.OpCloseSession, 99, 10, zkmodel.OpError:
		q.Path = ""
	}
	if op == zkmodel.OpSasl {
		q.Data = datas.Draw(t, "token")
	}
	return Op{Request: q}
}

func drawWatchSet(t *rapid.T, op zkmodel.OpCode) *zkmodel.WatchSet {
	list := func(name string) []string {
		return rapid.SliceOfN(paths.Filter(func(p string) bool { return p != "" }), 0, 2).Draw(t, name)
	}
	w := &zkmodel.WatchSet{
		RelativeZxid: rapid.Int64Range(0, 60).Draw(t, "rel"),
		Data:         list("data"), Exist: list("exist"), Child: list("child"),
	}
	if op == zkmodel.OpSetWatches2 {
		w.Persistent, w.Recursive = list("persistent"), list("recursive")
	}
	return w
}

// generator draws a script step by step; it knows which connections are open
// as far as the script says.
type generator struct {
	script Script
	open   []string
	had    []string // with a session that may live
	ops    int
}

// scripts are random scripts of minOps requests or more.
func scripts() *rapid.Generator[Script] {
	return rapid.Custom(func(t *rapid.T) Script {
		g := &generator{}
		for range rapid.IntRange(2, 3).Draw(t, "connections") {
			g.connect(t, false)
		}
		for g.ops < minOps {
			switch n := rapid.IntRange(0, 99).Draw(t, "step"); {
			case len(g.open) == 0 || n < 3 && len(g.open) < len(connNames):
				g.connect(t, rapid.Bool().Draw(t, "again"))
			case n < 6:
				g.drop(t)
			case n < 12:
				g.connect(t, true)
			case n < 18:
				g.alone(t)
			case n < 19 && rapid.IntRange(0, 5).Draw(t, "expire") == 0:
				g.expire(t)
			default:
				g.batch(t)
			}
		}
		return g.script
	})
}

// connect opens a connection, for a session that is there if again is set.
func (g *generator) connect(t *rapid.T, again bool) {
	name := ""
	for _, n := range connNames {
		if !contains(g.open, n) {
			name = n
			break
		}
	}
	s := Step{Verb: VerbConnect, Conn: name, Timeout: 20 * testTick}
	if again && len(g.had) > 0 {
		s.Session = rapid.SampledFrom(g.had).Draw(t, "session")
		s.Wrong = rapid.IntRange(0, 7).Draw(t, "wrong") == 0
		s.Timeout = rapid.SampledFrom([]time.Duration{0, 15 * testTick, 20 * testTick, time.Minute}).Draw(t, "timeout")
		if s.Timeout == 0 {
			s.Timeout = 19 * testTick
		}
		if rapid.IntRange(0, 5).Draw(t, "ahead") == 0 {
			seen := rapid.SampledFrom([]int64{0, 1, 100000}).Draw(t, "seen")
			s.Seen = &seen
		}
		// The session leaves the connection that had it.
		g.open = without(g.open, s.Session)
	}
	if name == "" {
		if s.Session == "" {
			return
		}
		s.Conn = s.Session
		if contains(g.open, s.Conn) {
			return
		}
	}
	s.Old = rapid.IntRange(0, 9).Draw(t, "old") == 0
	g.script = append(g.script, s)
	g.open = append(without(g.open, s.Conn), s.Conn)
	g.had = append(without(g.had, s.Conn), s.Conn)
}

func (g *generator) drop(t *rapid.T) {
	name := rapid.SampledFrom(g.open).Draw(t, "drop")
	g.script = append(g.script, Step{Verb: VerbDrop, Conn: name})
	g.open = without(g.open, name)
}

func (g *generator) expire(t *rapid.T) {
	name := rapid.SampledFrom(g.open).Draw(t, "expire")
	// A short timeout first, so that it does not take long.
	again := Step{Verb: VerbConnect, Conn: "e", Session: name, Timeout: 2 * testTick}
	g.script = append(g.script, Step{Verb: VerbDrop, Conn: "e"}, again)
	if rapid.Bool().Draw(t, "dropped") {
		g.script = append(g.script, Step{Verb: VerbDrop, Conn: "e"})
	}
	g.script = append(g.script, Step{Verb: VerbExpire, Conn: "e"})
	g.open = without(g.open, name)
}

// alone is a request in a batch of its own.
func (g *generator) alone(t *rapid.T) {
	name := rapid.SampledFrom(g.open).Draw(t, "conn")
	o := drawRequest(t, aloneOps.Draw(t, "op"))
	g.script = append(g.script, Step{Verb: VerbDo, Conn: name, Ops: []Op{o}})
	g.ops++
	if ends(&o) {
		g.open = without(g.open, name)
	}
}

// batch is requests that are sent at once.
func (g *generator) batch(t *rapid.T) {
	s := Step{Verb: VerbDo, Conn: rapid.SampledFrom(g.open).Draw(t, "conn")}
	for range rapid.SampledFrom([]int{1, 1, 1, 1, 2, 2, 3, 5, 8}).Draw(t, "requests") {
		o := drawRequest(t, rapid.OneOf(writeOps, topOps).Draw(t, "op"))
		if rapid.IntRange(0, 49).Draw(t, "cut") == 0 {
			o = malformed(t, o)
		}
		s.Ops = append(s.Ops, o)
	}
	g.ops += len(s.Ops)
	g.script = append(g.script, s)
}

// malformed is a request that ends too early.
func malformed(t *rapid.T, o Op) Op {
	switch o.Request.Op {
	case zkmodel.OpPing, zkmodel.OpWhoAmI, zkmodel.OpCreateTTL, zkmodel.OpDeleteContainer, zkmodel.OpReconfig:
		return o
	}
	n := rapid.IntRange(0, 3).Draw(t, "bytes")
	return Op{Request: zkmodel.Request{Op: o.Request.Op}, Raw: make([]byte, n)}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func without(list []string, s string) []string {
	var left []string
	for _, x := range list {
		if x != s {
			left = append(left, x)
		}
	}
	return left
}

// scriptOf is the random script of a seed.
func scriptOf(seed int) Script { return scripts().Example(seed) }

func rootOf(seed int) string { return fmt.Sprintf("/q%d", seed) }
