package curator

import (
	"context"
	"errors"
	"strings"

	"zoosim/recipes/zk"
)

// protectedMark begins the name of a protected znode: "_c_<uuid>-<name>".
const protectedMark = "_c_"

// protectedPath is the path of a protected znode, and the part of its name
// that no other znode's name begins with.
func protectedPath(dir, id, name string) (path, prefix string) {
	path = dir + "/" + protectedMark + id + "-" + name
	return path, path[len(dir)+1 : len(path)-len(name)]
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

// Create makes a znode in a retry loop without protection: after a lost reply
// the retry makes another one if the mode is sequential.
func (f *Framework) Create(ctx context.Context, path string, data []byte, mode zk.CreateMode) (string, error) {
	for retries := 0; ; {
		made, err := f.create2(ctx, path, data, mode)
		if err == nil || !f.again(ctx, &retries, &err) {
			return made, err
		}
	}
}

// CreateProtected makes a znode dir/_c_<uuid>-name in protection mode and
// returns its path. Every retry first looks for the uuid among the children.
// If all fails, or the caller is interrupted, the znode is looked for and
// deleted in the background (CURATOR-45, CURATOR-79).
func (f *Framework) CreateProtected(ctx context.Context, dir, name string, data []byte, mode zk.CreateMode) (string, error) {
	path, prefix := protectedPath(dir, f.Env.GUID(), name)
	p := protection{f: f, dir: dir, prefix: prefix, ephemeral: mode.Ephemeral()}
	for retries := 0; ; {
		if p.session == 0 {
			p.session = f.ZK.SessionID()
		}
		var made string
		var err error
		if retries > 0 {
			made, err = p.find(ctx)
		}
		if err == nil && made == "" {
			made, err = f.create2(ctx, path, data, mode)
		}
		if err == nil {
			return made, nil
		}
		if f.again(ctx, &retries, &err) {
			continue
		}
		if errors.Is(err, zk.ErrConnectionLoss) || cutShort(err) {
			f.findAndDeleteLater(dir, prefix)
		}
		return "", err
	}
}

// cutShort reports whether err is no answer of ZooKeeper but the end of the
// caller's patience: an interrupt or the end of its context.
func cutShort(err error) bool {
	return errors.Is(err, zk.ErrInterrupted) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// protection is the state of one protected create (class ProtectedMode).
type protection struct {
	f           *Framework
	dir, prefix string
	ephemeral   bool
	session     int64 // of the first try
}

// find looks for the znode of an earlier try, within that create's retry
// loop, and returns its path or nothing. An ephemeral of a session that this
// client has left is about to go: it is deleted in the background and not
// adopted (CURATOR-498). The next znode keeps the uuid, so that after one more
// lost reply the dying znode may be found, and adopted, in its stead.
func (p *protection) find(ctx context.Context) (string, error) {
	names, err := p.f.ZK.Children(ctx, p.dir)
	if errors.Is(err, zk.ErrNoNode) {
		err = nil
	}
	if err != nil {
		return "", err
	}
	found := findPrefix(names, p.prefix)
	if found != "" {
		found = p.dir + "/" + found
	}
	if now := p.f.ZK.SessionID(); p.ephemeral && now != p.session {
		p.session = now
		if found != "" {
			p.f.DeleteLater(found)
		}
		return "", nil
	}
	return found, nil
}

// findAndDeleteLater lists dir in the background until that succeeds, and
// deletes the znode with the prefix if there is one (class
// FindAndDeleteProtectedNodeInBackground).
func (f *Framework) findAndDeleteLater(dir, prefix string) {
	f.Env.Go("curator-find-and-delete", func(context.Context) {
		ctx := f.Env.Background()
		for {
			names, err := f.ZK.Children(ctx, dir)
			if err == nil {
				if found := findPrefix(names, prefix); found != "" {
					f.deleteUntilDone(ctx, dir+"/"+found)
				}
				return
			}
			if !f.unfinished(err) {
				return
			}
			_ = f.Env.Sleep(ctx, f.Retry.Sleep)
		}
	})
}
