package lock

import (
	"context"
	"errors"
	"strings"

	"zoosim/recipes/zk"
)

// ticketMarker ends the part of a ticket's name that its client chose:
// "<guid>-lock-<number>".
const ticketMarker = "-lock-"

// ticket is the ephemeral sequential znode by which a client queues.
type ticket struct {
	guid  string // in the name, so that a lost reply can be looked up
	path  string // empty while the outcome of its create is unknown
	seq   int32
	owner int64   // the session whose ephemeral it is
	stat  zk.Stat // from its create or its look-up; none under queue.viaGo
}

// queue takes, finds and gives back tickets under one directory. It is the
// part that the variants herd-children, zkdocs and fenced share: the create
// whose lost reply is looked up by guid, as ZooKeeper's documentation asks
// ("Recoverable Errors and the GUID"), and the clean-up that never leaves a
// ticket behind.
type queue struct {
	c   zk.Client
	e   zk.Env
	dir string
	// viaGo sends what go-zookeeper can: create and getChildren2 in place of
	// create2 and getChildren.
	viaGo bool
}

// name is the ticket's name within the directory.
func (q *queue) name(t *ticket) string { return t.path[len(q.dir)+1:] }

// enter takes a ticket. If it fails, no ticket is left behind.
func (q *queue) enter(ctx context.Context) (ticket, error) {
	t := ticket{guid: q.e.GUID()}
	prefix := q.dir + "/" + t.guid + ticketMarker
	for tries := 1; ; tries++ {
		err := q.create(ctx, prefix, &t)
		if err == nil {
			return t, nil
		}
		switch {
		case errors.Is(err, zk.ErrInterrupted): // sent, and perhaps applied
			q.leave(t)
			return ticket{}, err
		case !errors.Is(err, zk.ErrConnectionLoss): // not sent, refused, or gone with its session
			return ticket{}, err
		}
		if tries < requestTries {
			if err = pause(ctx, q.e, tries); err == nil {
				err = q.lookUp(ctx, &t)
			}
		}
		if err != nil {
			q.leave(t)
			return ticket{}, err
		}
		if t.path != "" {
			return t, nil
		}
	}
}

// create sends one create. The owner of the ticket is what the server says;
// where the reply carries no Stat it is the session under which the request
// was issued (a ticket of a later session is then taken for lost, which is
// the safe side).
func (q *queue) create(ctx context.Context, prefix string, t *ticket) (err error) {
	if q.viaGo {
		issued := q.c.SessionID()
		t.path, err = q.c.Create(ctx, prefix, nil, zk.EphemeralSequential)
		if t.owner = issued; err == nil && issued == 0 { // issued before the first session
			t.owner = q.c.SessionID()
		}
	} else {
		t.path, t.stat, err = q.c.Create2(ctx, prefix, nil, zk.EphemeralSequential)
		if err == nil {
			t.owner = t.stat.EphemeralOwner()
		}
	}
	if err != nil {
		t.path = ""
		return err
	}
	t.seq, _ = sequence(t.path, ticketMarker)
	return nil
}

// lookUp finds the ticket by its guid after a create whose reply was lost,
// and asks whose ephemeral it is: it may belong to the session before. t.path
// stays empty if there is none, so that the create was not applied.
func (q *queue) lookUp(ctx context.Context, t *ticket) error {
	names, err := q.list(ctx)
	if err != nil {
		return err
	}
	name := withPrefix(names, t.guid)
	if name == "" {
		return nil
	}
	path := q.dir + "/" + name
	for tries := 0; ; {
		t.stat, err = q.c.Exists(ctx, path)
		if err == nil || !again(ctx, q.e, &tries, &err) {
			break
		}
	}
	if err == nil && !t.stat.Exists() { // it went with its session
		err = zk.ErrSessionExpired
	}
	if err != nil {
		return err
	}
	t.path, t.owner = path, t.stat.EphemeralOwner()
	t.seq, _ = sequence(name, ticketMarker)
	return nil
}

// withPrefix returns the first name that is guid followed by the marker.
func withPrefix(names []string, guid string) string {
	for _, name := range names {
		if strings.HasPrefix(name, guid) && strings.HasPrefix(name[len(guid):], ticketMarker) {
			return name
		}
	}
	return ""
}

// list lists the directory without a watch.
func (q *queue) list(ctx context.Context) (names []string, err error) {
	for tries := 0; ; {
		if q.viaGo {
			names, _, err = q.c.Children2(ctx, q.dir)
		} else {
			names, err = q.c.Children(ctx, q.dir)
		}
		if err == nil || !again(ctx, q.e, &tries, &err) {
			return names, err
		}
	}
}

// mine reports whether the ticket still stands for this client: a ticket
// taken in one session is worth nothing in the next, also while the server
// has not ended the former yet (CURATOR-604).
func (q *queue) mine(t *ticket) bool {
	if q.c.SessionID() != t.owner {
		return false
	}
	state := q.c.State()
	return state == zk.Connected || state == zk.Connecting
}

// leave gives the ticket back, whatever its caller's context: it is gone when
// leave returns, or a task of its own goes on until it is gone or its session
// has ended.
func (q *queue) leave(t ticket) {
	if !q.remove(q.e.Background(), &t) {
		q.insistOnLeave(t, insist)
	}
}

// leaveLater is leave without waiting for any of it.
func (q *queue) leaveLater(t ticket) { q.insistOnLeave(t, insistLater) }

// insistOnLeave is apart from its callers so that only a failure costs the
// closure.
func (q *queue) insistOnLeave(t ticket, how func(zk.Env, string, func(context.Context) bool)) {
	how(q.e, "lock-leave", func(ctx context.Context) bool { return q.remove(ctx, &t) })
}

// remove tries once to delete the ticket, after a look-up where its path is
// unknown, and reports whether nothing is left to do.
func (q *queue) remove(ctx context.Context, t *ticket) bool {
	if t.path == "" {
		var names []string
		var err error
		if q.viaGo {
			names, _, err = q.c.Children2(ctx, q.dir)
		} else {
			names, err = q.c.Children(ctx, q.dir)
		}
		if err != nil {
			return settled(err)
		}
		name := withPrefix(names, t.guid)
		if name == "" {
			return true
		}
		t.path = q.dir + "/" + name
	}
	return settled(q.c.Delete(ctx, t.path, zk.AnyVersion))
}
