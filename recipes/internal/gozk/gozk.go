package gozk

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"zoosim/recipes/zk"
)

const (
	// protectedPrefix begins the name of a protected znode.
	protectedPrefix = "_c_"
	// tries is how often a protected create, and the making of parents around
	// it, is tried.
	tries = 3
)

// CreateProtectedEphemeralSequential makes the znode dir/_c_<guid>-<name><number>
// and returns its path. After a lost connection it looks for the guid among
// the children, once: if that fails too, its error is returned and the znode
// may stay. An expired session needs no look.
func CreateProtectedEphemeralSequential(ctx context.Context, c zk.Client, e zk.Env, dir, name string) (string, error) {
	prefix := protectedPrefix + e.GUID() + "-"
	path := dir + "/" + prefix + name
	var err error
	for range tries {
		var made string
		made, err = c.Create(ctx, path, nil, zk.EphemeralSequential)
		switch {
		case err == nil:
			return made, nil
		case errors.Is(err, zk.ErrSessionExpired):
		case errors.Is(err, zk.ErrConnectionLoss):
			names, _, err := c.Children2(ctx, dir)
			if err != nil {
				return "", err
			}
			if found := findPrefix(names, prefix); found != "" {
				return dir + "/" + found, nil
			}
		default:
			return "", err
		}
	}
	return "", err
}

// findPrefix returns the first name with the given prefix, or nothing.
func findPrefix(names []string, prefix string) string {
	for _, name := range names {
		if strings.HasPrefix(name, prefix) {
			return name
		}
	}
	return ""
}

// CreateInDir is CreateProtectedEphemeralSequential that makes the directory
// when it is missing, from the top down.
func CreateInDir(ctx context.Context, c zk.Client, e zk.Env, dir, name string) (string, error) {
	var err error
	for range tries {
		var path string
		path, err = CreateProtectedEphemeralSequential(ctx, c, e, dir, name)
		if !errors.Is(err, zk.ErrNoNode) {
			return path, err
		}
		if err := makeDir(ctx, c, dir); err != nil {
			return "", err
		}
	}
	return "", err
}

// makeDir makes every missing part of dir.
func makeDir(ctx context.Context, c zk.Client, dir string) error {
	for at := 1; at <= len(dir); at++ {
		if at < len(dir) && dir[at] != '/' {
			continue
		}
		stat, err := c.Exists(ctx, dir[:at])
		if err == nil && !stat.Exists() {
			_, err = c.Create(ctx, dir[:at], nil, zk.Persistent)
		}
		if err != nil && !errors.Is(err, zk.ErrNodeExists) {
			return err
		}
	}
	return nil
}

// ParseSeq reads the number behind the last "lock-" of a path, or behind the
// last "__" where there is none (Kazoo's names), with its sign (pull request
// 65).
func ParseSeq(path string) (int, error) {
	at := strings.LastIndex(path, "lock-")
	switch {
	case at >= 0:
		at += len("lock-")
	default:
		if at = strings.LastIndex(path, "__"); at >= 0 {
			at += len("__")
		} else {
			at = 0
		}
	}
	return strconv.Atoi(path[at:])
}
