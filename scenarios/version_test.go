package scenarios

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/sim"
	"zoosim/sim/explore"
)

// versionChecker is a model whose worlds are compared: after each copy with one
// of which nothing was left out, and at each key with one computed anew.
type versionChecker struct {
	*model
	t     testing.TB
	whole *Runner
	// equal counts the processes that copies left out, kept those whose hashes
	// were kept.
	equal, kept int
}

func (c *versionChecker) Copy(dst, src *Runner) {
	for i := range min(src.world.K.NumProcs(), dst.world.K.NumProcs()) {
		if p := procOf(src, i); p.Equals(procOf(dst, i)) {
			c.equal++
		}
	}
	c.model.Copy(dst, src)
	c.whole.world.K.TouchAll()
	forget(c.whole) // of the server too, so that nothing is left out
	c.model.Copy(c.whole, src)
	require.Empty(c.t, differing(dst, c.whole))
}

func (c *versionChecker) Key(r *Runner) uint64 {
	for i := range r.world.K.NumProcs() {
		own := reflect.ValueOf(r.world).Elem().FieldByName("procs").Index(i).Elem().FieldByName("own")
		if v := own.FieldByName("version").Uint(); v != 0 && v == procOf(r, i).Version() {
			c.kept++
		}
	}
	key := c.model.Key(r)
	c.model.Copy(c.whole, r)
	forget(c.whole)
	require.Equal(c.t, c.model.Key(c.whole), key)
	end := c.whole.endState() // writes the same with other histories
	forget(c.whole)
	require.Equal(c.t, c.whole.endState(), end)
	return key
}

// Moves compares what is kept of the future of a process as well.
func (c *versionChecker) Moves(r *Runner, dst []move) []move {
	n := len(dst)
	dst = c.model.Moves(r, dst)
	c.model.Copy(c.whole, r)
	forget(c.whole)
	require.True(c.t, slices.Equal(dst[n:], c.model.Moves(c.whole, nil)))
	return dst
}

// forget drops all that a world has kept of its parts.
func forget(r *Runner) {
	zero := func(v reflect.Value, fields ...string) {
		for _, name := range fields {
			f := v.FieldByName(name)
			reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem().SetZero()
		}
	}
	w := reflect.ValueOf(r.world).Elem()
	zero(w, "serverOwn")
	for i := range r.world.K.NumProcs() {
		zero(w.FieldByName("procs").Index(i).Elem(), "own", "share", "missed")
		zero(reflect.ValueOf(procOf(r, i)).Elem(), "ahead")
	}
}

// beginAgain begins a run in a world of which there is a copy.
func (c *versionChecker) beginAgain() {
	r, copied := c.New(), c.New()
	c.Begin(r)
	for range 3 {
		c.Do(r, c.Moves(r, nil)[0])
	}
	r.world.K.TouchAll()
	c.Copy(copied, r)
	c.Begin(r)
	c.Copy(copied, r)
}

func procOf(r *Runner, i int) *sim.Proc { return r.world.K.Proc(sim.ProcID(i)) }

// differing names the first field of a process, of a handle, of a connection or of
// the server that is not the same in two worlds.
func differing(a, b *Runner) string {
	x, y := reflect.ValueOf(a.world).Elem(), reflect.ValueOf(b.world).Elem()
	for _, list := range []struct{ items, n string }{{"procs", "nprocs"}, {"clients", "nclient"}} {
		n := x.FieldByName(list.n).Int()
		if n != y.FieldByName(list.n).Int() {
			return list.n
		}
		for i := range int(n) {
			at := fmt.Sprintf("%s[%d]", list.items, i)
			if d := unlike(x.FieldByName(list.items).Index(i).Elem(), y.FieldByName(list.items).Index(i).Elem(), at); d != "" {
				return d
			}
		}
	}
	for _, part := range []string{"conns", "server"} {
		if d := unlike(x.FieldByName(part), y.FieldByName(part), part); d != "" {
			return d
		}
	}
	for i := range a.world.K.NumProcs() {
		if d := unlike(reflect.ValueOf(procOf(a, i)).Elem(), reflect.ValueOf(procOf(b, i)).Elem(), fmt.Sprintf("kernel process %d", i)); d != "" {
			return d
		}
	}
	return ""
}

// notCopied are the fields that belong to running code, to caches and to timed
// runs: no copy holds them.
var notCopied = map[string]bool{
	"side": true, "segment": true, "env": true, "callbacks": true, "nhandles": true, "nstats": true, "guids": true,
	"onIntr": true, "word": true, "round": true, "own": true, "share": true, "missed": true, "equal": true, "version": true, "ahead": true, "forsaken": true,
	"changes": true, "ranks": true,
}

// unlike compares two values of a world. Of a queue what is gone does not
// matter.
func unlike(x, y reflect.Value, at string) string {
	switch x.Kind() {
	case reflect.Struct:
		if head := x.FieldByName("head"); head.IsValid() {
			list := "items"
			if !x.FieldByName(list).IsValid() {
				list = "sent"
			}
			xs, ys := x.FieldByName(list), y.FieldByName(list)
			xs, ys = xs.Slice(int(head.Int()), xs.Len()), ys.Slice(int(y.FieldByName("head").Int()), ys.Len())
			if d := unlike(xs, ys, at+"."+list); d != "" {
				return d
			}
		}
		queue := x.FieldByName("head").IsValid()
		for i := range x.NumField() {
			name := x.Type().Field(i).Name
			if notCopied[name] || queue && (name == "head" || name == "items" || name == "sent") {
				continue
			}
			if d := unlike(x.Field(i), y.Field(i), at+"."+name); d != "" {
				return d
			}
		}
	case reflect.Slice, reflect.Array:
		if x.Len() != y.Len() {
			return at
		}
		for i := range x.Len() {
			if d := unlike(x.Index(i), y.Index(i), fmt.Sprintf("%s[%d]", at, i)); d != "" {
				return d
			}
		}
	case reflect.Pointer:
		if x.IsNil() != y.IsNil() {
			return at
		}
		if x.Type().Elem().Name() == "WatchSet" && !x.IsNil() {
			return unlike(x.Elem(), y.Elem(), at)
		}
	case reflect.Interface, reflect.Func, reflect.Map:
	default:
		if !x.Equal(y) {
			return at
		}
	}
	return ""
}

// What is kept of a process that no step has touched, its hash and its copy, is
// what hashing and copying it anew gives.
func TestUntouchedProcessesAreUnchanged(t *testing.T) {
	t.Parallel()
	skipUnderRace(t)
	most := orInCampaign(400, 100_000)
	list := append(reducedModels(),
		reducedModel{"lock/zkdocs", "crash=1,expiry=1,cut-reply=1", false},
		reducedModel{"lock/curator", "crash=1,interrupt=1", false},
		reducedModel{"lock/seed003", "interrupt=1", false}, // ends a sleep whose timer is queued
		reducedModel{"queue/zkdocs", "crash=1", false},
		reducedModel{"rwlock/zkdocs", "expiry=1", false},
		reducedModel{"semaphore/curator", "cut-request=1,resession=1", false},
		reducedModel{"sale/fenced", "crash=1", false})
	for _, m := range list {
		for _, on := range []Reductions{{}, AllReductions()} {
			s := small(t, m.variant, 2, 1, m.faults)
			s.Untimed = true
			require.NoError(t, s.Validate(), m.variant)
			c := &versionChecker{model: newModel(theVariant(t, s), s, 0, on), t: t}
			c.whole = c.New()
			explore.Prove(context.Background(), []explore.Model[*Runner, move]{c}, explore.ProveOptions{Limits: explore.Limits{States: most}})
			require.NotZero(t, c.equal, m.variant)
			require.Equal(t, c.v.Tokens, c.kept == 0, m.variant) // with ranks of zxids nothing is kept
			c.beginAgain()
			c.close()
		}
	}
}
