package docs

import (
	"context"
	"errors"
	"strings"

	"zoosim/recipes/zk"
)

// TicketMarker ends the part of a ticket's name that its client chose:
// "<guid>-lock-<number>".
const TicketMarker = "-lock-"

// Ticket is the ephemeral sequential znode by which a client queues.
type Ticket struct {
	GUID  string // in the name, so that a lost reply can be looked up
	Path  string // empty while the outcome of its create is unknown
	Seq   int32
	Owner int64   // the session whose ephemeral it is
	Stat  zk.Stat // from its create or its look-up; none under Queue.ViaGo
}

// Queue takes, finds and gives back tickets under one directory. It is the
// part that the variants herd-children, zkdocs and fenced share: the create
// whose lost reply is looked up by guid, as ZooKeeper's documentation asks
// ("Recoverable Errors and the GUID"), and the clean-up that never leaves a
// ticket behind.
type Queue struct {
	C   zk.Client
	E   zk.Env
	Dir string
	// Marker ends the part of a ticket's name that its client chose:
	// "<guid><marker><number>". [TicketMarker] is that of locks.
	Marker string
	// ViaGo sends what go-zookeeper can: create and getChildren2 in place of
	// create2 and getChildren.
	ViaGo bool
}

// Name is the ticket's name within the directory.
func (q *Queue) Name(t *Ticket) string { return t.Path[len(q.Dir)+1:] }

// Enter takes a ticket. If it fails, no ticket is left behind.
func (q *Queue) Enter(ctx context.Context) (Ticket, error) {
	t := Ticket{GUID: q.E.GUID()}
	prefix := q.Dir + "/" + t.GUID + q.Marker
	for tries := 1; ; tries++ {
		err := q.create(ctx, prefix, &t)
		if err == nil {
			return t, nil
		}
		switch {
		case errors.Is(err, zk.ErrInterrupted): // sent, and perhaps applied
			q.Leave(t)
			return Ticket{}, err
		case !errors.Is(err, zk.ErrConnectionLoss): // not sent, refused, or gone with its session
			return Ticket{}, err
		}
		if tries < RequestTries {
			if err = Pause(ctx, q.E, tries); err == nil {
				err = q.lookUp(ctx, &t)
			}
		}
		if err != nil {
			q.Leave(t)
			return Ticket{}, err
		}
		if t.Path != "" {
			return t, nil
		}
	}
}

// create sends one create. The owner of the ticket is what the server says;
// where the reply carries no Stat it is the session under which the request
// was issued (a ticket of a later session is then taken for lost, which is
// the safe side).
func (q *Queue) create(ctx context.Context, prefix string, t *Ticket) (err error) {
	if q.ViaGo {
		issued := q.C.SessionID()
		t.Path, err = q.C.Create(ctx, prefix, nil, zk.EphemeralSequential)
		if t.Owner = issued; err == nil && issued == 0 { // issued before the first session
			t.Owner = q.C.SessionID()
		}
	} else {
		t.Path, t.Stat, err = q.C.Create2(ctx, prefix, nil, zk.EphemeralSequential)
		if err == nil {
			t.Owner = t.Stat.EphemeralOwner()
		}
	}
	if err != nil {
		t.Path = ""
		return err
	}
	t.Seq, _ = Sequence(t.Path, q.Marker)
	return nil
}

// lookUp finds the ticket by its guid after a create whose reply was lost,
// and asks whose ephemeral it is: it may belong to the session before. t.Path
// stays empty if there is none, so that the create was not applied.
func (q *Queue) lookUp(ctx context.Context, t *Ticket) error {
	names, err := q.List(ctx)
	if err != nil {
		return err
	}
	name := q.withPrefix(names, t.GUID)
	if name == "" {
		return nil
	}
	path := q.Dir + "/" + name
	for tries := 0; ; {
		t.Stat, err = q.C.Exists(ctx, path)
		if err == nil || !Again(ctx, q.E, &tries, &err) {
			break
		}
	}
	if err == nil && !t.Stat.Exists() { // it went with its session
		err = zk.ErrSessionExpired
	}
	if err != nil {
		return err
	}
	t.Path, t.Owner = path, t.Stat.EphemeralOwner()
	t.Seq, _ = Sequence(name, q.Marker)
	return nil
}

// withPrefix returns the first name that is guid followed by the marker.
func (q *Queue) withPrefix(names []string, guid string) string {
	for _, name := range names {
		if strings.HasPrefix(name, guid) && strings.HasPrefix(name[len(guid):], q.Marker) {
			return name
		}
	}
	return ""
}

// List lists the directory without a watch.
func (q *Queue) List(ctx context.Context) (names []string, err error) {
	for tries := 0; ; {
		if q.ViaGo {
			names, _, err = q.C.Children2(ctx, q.Dir)
		} else {
			names, err = q.C.Children(ctx, q.Dir)
		}
		if err == nil || !Again(ctx, q.E, &tries, &err) {
			return names, err
		}
	}
}

// Mine reports whether the ticket still stands for this client: a ticket
// taken in one session is worth nothing in the next, also while the server
// has not ended the former yet (CURATOR-604).
func (q *Queue) Mine(t *Ticket) bool {
	if q.C.SessionID() != t.Owner {
		return false
	}
	state := q.C.State()
	return state == zk.Connected || state == zk.Connecting
}

// Leave gives the ticket back, whatever its caller's context: it is gone when
// Leave returns, or a task of its own goes on until it is gone or its session
// has ended.
func (q *Queue) Leave(t Ticket) {
	if !q.remove(q.E.Background(), &t) {
		q.insistOnLeave(t, Insist)
	}
}

// LeaveLater is leave without waiting for any of it.
func (q *Queue) LeaveLater(t Ticket) { q.insistOnLeave(t, InsistLater) }

// insistOnLeave is apart from its callers so that only a failure costs the
// closure.
func (q *Queue) insistOnLeave(t Ticket, how func(zk.Env, string, func(context.Context) bool)) {
	how(q.E, "lock-leave", func(ctx context.Context) bool { return q.remove(ctx, &t) })
}

// remove tries once to delete the ticket, after a look-up where its path is
// unknown, and reports whether nothing is left to do.
func (q *Queue) remove(ctx context.Context, t *Ticket) bool {
	if t.Path == "" {
		var names []string
		var err error
		if q.ViaGo {
			names, _, err = q.C.Children2(ctx, q.Dir)
		} else {
			names, err = q.C.Children(ctx, q.Dir)
		}
		if err != nil {
			return Settled(err)
		}
		name := q.withPrefix(names, t.GUID)
		if name == "" {
			return true
		}
		t.Path = q.Dir + "/" + name
	}
	return Settled(q.C.Delete(ctx, t.Path, zk.AnyVersion))
}
