package scenarios

import (
	"context"
	"errors"
	"fmt"

	"zoosim/checker"
	"zoosim/recipes/cache"
	"zoosim/recipes/zk"
	"zoosim/zkmodel"
)

// cacheFamily is caches: writers change the znodes below the directory, and
// readers show what they have of them.
func cacheFamily() *family {
	return &family{
		name: "cache", dir: "/cache", what: "operation", baseline: "cache/curator-node",
		roles: []role{roleWriter, roleReader}, serial: []role{roleReader, roleWriter},
		properties: checker.ViewProperties(),
		sizes:      func(s *Scenario) { s.Writers, s.Readers = 2, 1 },
		variants:   func() []Variant { return ofCaches(cache.Variants()) },
		judge:      func() judge { return &viewsJudge{} },
		applied:    cacheApplied,
		asks:       cacheAsks,
		tell:       tellCache,
		keep:       Reductions{Delivery: true, Private: true},
	}
}

func ofCaches(vs []cache.Variant) []Variant {
	all := make([]Variant, len(vs))
	for i, v := range vs {
		all[i] = Variant{
			Recipe: v.Recipe, family: cacheFamily(), eventThread: true,
			views: checker.ViewFamilyConfig{
				View: checker.ViewConfig{Parts: v.Node == ""}, Object: "the cache", Operation: "operation",
			},
			actor: func() actor { return &cacheActor{v: &vs[i]} },
		}
	}
	return all
}

// cacheApplied tells what the znodes are now.
func cacheApplied(r *Runner, _ *zkmodel.Txn) (ticket bool) {
	r.event(checker.SetChange, -1).Text = viewText(r.contents(nil, r.dir()))
	r.observe()
	return false
}

// contents appends the znodes below a path, with their data.
func (r *Runner) contents(dst []string, path string) []string {
	s := r.world.Server()
	for _, name := range s.AppendChildren(nil, path) {
		below := path + "/" + name
		data, _ := s.Data(below)
		dst = r.contents(append(dst, cacheEntry(r.dir(), below, data)), below)
	}
	return dst
}

// cacheEntry is a znode and its data as events have it.
func cacheEntry(dir, path string, data []byte) string { return path[len(dir)+1:] + "=" + string(data) }

// cacheAsks is so of a reader's reads.
func cacheAsks(r *Runner, client int, op zkmodel.OpCode) bool {
	switch op {
	case zkmodel.OpExists, zkmodel.OpGetData, zkmodel.OpGetChildren, zkmodel.OpGetChildren2:
		return r.s.roleOf(client) == roleReader
	}
	return false
}

// cacheActor is a process that writes, or one that has a cache.
type cacheActor struct {
	v *cache.Variant
	c cache.Cache
}

// perform is, of a writer, one change; of a reader, to look for a while.
func (x *cacheActor) perform(ctx context.Context, w *worker, a *acquisition) {
	if w.g.role == roleWriter {
		op := int(w.op)
		w.invoke(a, func() error { return x.write(ctx, w, op) })
		w.hold(ctx, a)
		return
	}
	w.invoke(a, func() error {
		if x.c != nil {
			return nil
		}
		c, err := x.v.New(ctx, w.client, w.p.Env(), cache.Options{Path: w.g.dir + x.v.Node, Show: func(contents []cache.Entry) {
			var texts []string
			for _, e := range contents {
				texts = append(texts, cacheEntry(w.g.dir, e.Path, e.Data))
			}
			w.record(checker.ViewShow, 0, 0, 0, viewText(texts))
		}})
		if err != nil {
			return err
		}
		x.c = c
		w.record(checker.ViewOpen, 0, 0, 0, "")
		return c.Start(ctx)
	})
	w.hold(ctx, a)
}

// path is the znode that an operation of a writer is about: that of the
// variant, or one of two, the second, if all below is mirrored, below the
// first.
func (x *cacheActor) path(dir string, n int) string {
	switch {
	case x.v.Node != "":
		return dir + x.v.Node
	case n%2 == 0:
		return dir + "/x"
	case x.v.Deep:
		return dir + "/x/z"
	}
	return dir + "/y"
}

// write puts new data into a znode, twice of three times, or deletes it. That
// another writer was there first is no failure.
func (x *cacheActor) write(ctx context.Context, w *worker, op int) error {
	n := w.g.client + op
	path, data := x.path(w.g.dir, n), []byte(fmt.Sprintf("%s%d", checker.ClientName(w.g.client), op))
	var err error
	if n%3 == 2 {
		err = w.client.Delete(ctx, path, zk.AnyVersion)
	} else if _, err = w.client.Set(ctx, path, data, zk.AnyVersion); errors.Is(err, zk.ErrNoNode) {
		_, err = w.client.Create(ctx, path, data, zk.Persistent)
	}
	if errors.Is(err, zk.ErrNoNode) || errors.Is(err, zk.ErrNodeExists) || errors.Is(err, zk.ErrNotEmpty) {
		return nil
	}
	return err
}

// tellCache says what a client does.
func tellCache(e *checker.Event) string {
	switch e.Kind {
	case checker.Invoke:
		if e.Text == checker.SharedGrant {
			return "looks at its cache"
		}
		return "writes"
	case checker.Fail:
		return "fails: " + e.Text
	}
	return tellView(e)
}
