package cache

import (
	"context"

	"zoosim/recipes/internal/curator"
	"zoosim/recipes/zk"
)

// curatorTree is Curator's TreeCache, that of lock/seed003, with what it has
// read shown.
type curatorTree struct{ cache *curator.TreeCache }

func newCuratorTree(_ context.Context, c zk.Client, e zk.Env, o Options) (Cache, error) {
	t := &curatorTree{}
	t.cache = curator.NewTreeCache(framework(c, e), o.Path, func(curator.TreeEvent, string) {
		var contents []Entry
		t.cache.Each(func(path string, data []byte) {
			if path != o.Path {
				contents = append(contents, Entry{path, data})
			}
		})
		o.Show(contents)
	})
	return t, nil
}

// Start implements [Cache].
func (t *curatorTree) Start(context.Context) error {
	t.cache.Start()
	return nil
}
