package zkmodel

import (
	"fmt"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// richServer is a server every field of whose state is in use.
func richServer(t *testing.T) *serverRig {
	g := newServerRig(t, 2)
	g.Init(ServerOptions{Tick: time.Second, TTLNodes: true, DocumentedWrap: true, ContainerCheck: time.Minute})
	g.now = time.Minute
	for c := ConnID(1); c <= 2; c++ {
		g.send(c, Request{Op: OpConnect, Timeout: 15e9, Path: "10.0.0.1"})
	}
	g.SetListingKey(3)
	g.make("/p", "/p/a", "/gone")
	g.must(1, Request{Op: OpAuth, Auth: &Auth{Scheme: "digest", Auth: []byte("u:p")}})
	g.must(1, Request{Op: OpCreateTTL, Path: "/t", Flags: FlagTTL, TTL: 1000, ACL: []ACL{{3, anyone}}})
	g.must(1, Request{Op: OpCreate, Path: "/free", ACL: []ACL{{3, anyone}}})
	g.must(1, rqDelete("/free"))
	g.must(1, rqDelete("/gone"))
	g.must(2, rqCreate("/e", FlagEphemeral))
	g.must(1, Request{Op: OpAddWatch, Path: "/p", Flags: WatchRecursive})
	g.must(1, rqGet("/p/a"))
	g.must(1, rqList("/p/a"))
	return g
}

// stateFields calls f for every field of a struct of this type.
func stateFields(s any, f func(name string, field reflect.Value)) {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		x := v.Field(i)
		f(v.Type().Field(i).Name, reflect.NewAt(x.Type(), unsafe.Pointer(x.UnsafeAddr())).Elem())
	}
}

// scratch is what of a Server is no state.
var scratch = map[string]bool{"changes": true, "ranks": true}

// No field of the state is left out of CopyInto; one that this test does not
// put to use fails it as well.
func TestStateCopyHasEveryField(t *testing.T) {
	g := richServer(t)
	var dst, fresh Server
	g.CopyInto(&dst)
	fresh.Init(ServerOptions{})
	compare := func(s, copied, fresh any) {
		var want, got []string
		stateFields(s, func(name string, x reflect.Value) {
			if !scratch[name] {
				want = append(want, fmt.Sprintf("%s %#v", name, x))
			}
		})
		stateFields(copied, func(name string, x reflect.Value) {
			if !scratch[name] {
				got = append(got, fmt.Sprintf("%s %#v", name, x))
			}
		})
		i := 0
		stateFields(fresh, func(name string, x reflect.Value) {
			if !scratch[name] {
				require.NotEqual(t, want[i], fmt.Sprintf("%s %#v", name, x), "is not put to use")
				i++
			}
		})
		require.Equal(t, want, got)
	}
	compare(g.Server, &dst, &fresh)
	compare(&g.treeState, &dst.treeState, &fresh.treeState)
	compare(&g.acls, &dst.acls, &fresh.acls)
	compare(&g.dataWatches, &dst.dataWatches, &fresh.dataWatches)
}

// change gives a field another value of its type.
func changeField(x reflect.Value) bool {
	switch x.Kind() {
	case reflect.Int32, reflect.Int64, reflect.Int8:
		x.SetInt(x.Int() ^ 4)
	case reflect.Uint64, reflect.Uint8:
		x.SetUint(x.Uint() ^ 4)
	case reflect.Bool:
		x.SetBool(!x.Bool())
	case reflect.String:
		x.SetString(x.String() + "0")
	case reflect.Slice:
		x.Set(reflect.Append(x, reflect.Zero(x.Type().Elem())))
	default:
		return false
	}
	return true
}

// unhashed says which fields Hash leaves out, and why.
var unhashed = map[string]string{
	"znode.path": "hash stands for it", "znode.data": "dataHash stands for it",
	"znode.czxid": "zxid", "znode.mzxid": "zxid", "znode.pzxid": "zxid",
	"znode.ctime": "time", "znode.mtime": "time",
	"znode.parent": "follows from the paths", "znode.children": "follows from the paths",
	"znode.first": "place", "znode.last": "place", "znode.next": "place", "znode.prev": "place",
	"znode.ephNext": "place", "znode.ephPrev": "place", "znode.acl": "place",
	"aclEntry.list": "sum stands for it", "aclEntry.next": "place",
	"watchEntry.path":        "the table's hashes stand for it",
	"serverSession.deadline": "time", "serverSession.ephFirst": "place", "serverSession.ephLast": "place",
	"ServerOptions._": "no field",
}

// No field of the state is left out of Hash, unless unhashed has it.
func TestStateHashHasEveryField(t *testing.T) {
	seen := map[string]bool{}
	for _, target := range []func(s *Server) any{
		func(s *Server) any { return &s.nodes[s.lookup("/t")] },
		func(s *Server) any { return &s.acls.entries[s.nodes[s.lookup("/t")].acl-1] },
		func(s *Server) any { return &s.dataWatches.entries[0] },
		func(s *Server) any { return &s.sessions[0] },
		func(s *Server) any { return &s.conns[0] },
		func(s *Server) any { return &s.identities[0] },
		func(s *Server) any { return &s.opts },
	} {
		names := []string{}
		stateFields(target(richServer(t).Server), func(name string, _ reflect.Value) { names = append(names, name) })
		for _, field := range names {
			g := richServer(t)
			want := fingerprint(g.Server)
			x := target(g.Server)
			key := reflect.TypeOf(x).Elem().Name() + "." + field
			stateFields(x, func(name string, v reflect.Value) {
				if name != field {
					return
				}
				if _, ok := unhashed[key]; ok {
					seen[key] = true
					return
				}
				require.True(t, changeField(v), key)
				require.NotEqual(t, want, fingerprint(g.Server), key)
			})
		}
	}
	for key := range unhashed {
		require.True(t, seen[key], "%s is no field", key)
	}
}

// The parts that a search hashes apart tell of ACLs, kinds of znodes, modes of
// watches and identities.
func TestStateBlocksHaveRareState(t *testing.T) {
	blocks := func(s *Server) string {
		var h wordHasher
		name := func(p string) uint64 { return hashPath(p) }
		s.HashShared(&h)
		s.HashSession(&h, sessionBase+2, 0, name, hashBytes)
		s.HashConn(&h, 1, name)
		return fmt.Sprint([]uint64(h))
	}
	want := blocks(richServer(t).Server)
	for what, change := range map[string]func(g *serverRig){
		"kind":          func(g *serverRig) { g.nodes[g.lookup("/t")].owner = containerOwner },
		"time to live":  func(g *serverRig) { g.nodes[g.lookup("/t")].owner++ },
		"ACL":           func(g *serverRig) { g.must(1, Request{Op: OpSetACL, Path: "/p", Version: -1, ACL: []ACL{{3, anyone}}}) },
		"ACL version":   func(g *serverRig) { g.acls.entries[g.nodes[g.lookup("/t")].acl-1].version++ },
		"ephemeral ACL": func(g *serverRig) { g.must(1, Request{Op: OpSetACL, Path: "/e", Version: -1, ACL: []ACL{{3, anyone}}}) },
		"mode":          func(g *serverRig) { g.dataWatches.setMode(0, watchPersistent) },
		"identity":      func(g *serverRig) { g.addIdentity(1, ID{"digest", "x"}) },
		"address":       func(g *serverRig) { g.identities[0].host = "10.0.0.9" },
	} {
		g := richServer(t)
		change(g)
		require.NotEqual(t, want, blocks(g.Server), what)
	}
}
