package livezk

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	gozk "github.com/go-zookeeper/zk"
)

// adminPatience is how long a server may take to give a session.
const adminPatience = 5 * time.Second

// Admin prepares a server for a run and cleans up behind it, on a connection of
// its own.
type Admin struct{ conn *gozk.Conn }

// OpenAdmin connects to a server; it is an error if none answers.
func OpenAdmin(ctx context.Context, address string) (*Admin, error) {
	conn, events, err := gozk.Connect([]string{address}, 30*time.Second, gozk.WithLogger(quietLogger{}), gozk.WithLogInfo(false))
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", address, err)
	}
	late := time.NewTimer(adminPatience)
	defer late.Stop()
	for {
		select {
		case e := <-events:
			if e.State == gozk.StateHasSession {
				return &Admin{conn}, nil
			}
		case <-late.C:
			conn.Close()
			return nil, fmt.Errorf("no ZooKeeper gives a session at %s within %v; allowed: the HOST:PORT of one that runs", address, adminPatience)
		case <-ctx.Done():
			conn.Close()
			return nil, ctx.Err()
		}
	}
}

// Close ends the session.
func (a *Admin) Close() { a.conn.Close() }

// MakeRoot makes a child of the root whose name nobody else has, and returns its
// path.
func (a *Admin) MakeRoot(name string) (string, error) {
	path := "/" + name + "-" + rand.Text()[:8]
	return path, a.Make(path)
}

// Make makes a persistent znode.
func (a *Admin) Make(path string) error {
	if _, err := a.conn.Create(path, nil, gozk.FlagPersistent, everything); err != nil {
		return fmt.Errorf("make %s: %w", path, err)
	}
	return nil
}

// RemoveAll deletes a znode and all that is below it.
func (a *Admin) RemoveAll(path string) error {
	names, _, err := a.conn.Children(path)
	if errors.Is(err, gozk.ErrNoNode) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, n := range names {
		if err := a.RemoveAll(path + "/" + n); err != nil {
			return err
		}
	}
	if err := a.conn.Delete(path, -1); !errors.Is(err, gozk.ErrNoNode) {
		return err
	}
	return nil
}
