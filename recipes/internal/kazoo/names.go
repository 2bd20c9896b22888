package kazoo

import (
	"context"
	"errors"
	"strings"

	"zoosim/recipes/zk"
)

// contender returns the number at the end of a child's name that one of the
// node names precedes: the search for (?:names)(-?\d{10})$ of the original. ok
// is false for every other child.
func contender(name string, nodeNames []string) (seq string, ok bool) {
	at := len(name) - 10
	if at <= 0 || strings.TrimLeft(name[at:], "0123456789") != "" {
		return "", false
	}
	for _, nodeName := range nodeNames {
		if strings.HasSuffix(name[:at], nodeName) {
			return name[at:], true
		}
		if name[at-1] == '-' && strings.HasSuffix(name[:at-1], nodeName) {
			return name[at-1:], true
		}
	}
	return "", false
}

// EnsurePath makes a path and what is missing above it: exists from the leaf
// up, create from the first that is there down (ensure_path).
func EnsurePath(ctx context.Context, client zk.Client, path string) error {
	stat, err := client.Exists(ctx, path)
	if err != nil || stat.Exists() {
		return err
	}
	if slash := strings.LastIndexByte(path, '/'); slash > 0 {
		if err := EnsurePath(ctx, client, path[:slash]); err != nil {
			return err
		}
	}
	_, err = client.Create(ctx, path, nil, zk.Persistent)
	if errors.Is(err, zk.ErrNodeExists) {
		return nil
	}
	return err
}
