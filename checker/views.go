package checker

import (
	"strings"
	"time"
)

// ViewFamilyConfig says what a group or a cache promises and so what [Views]
// judges.
type ViewFamilyConfig struct {
	// Clients is the number of clients; more are made room for when their
	// events come.
	Clients int
	// View is about the views; Told is set.
	View ViewConfig
	// Moments is true if views are asked for one by one: each speaks of the
	// moment of its request alone, and none is to follow the set.
	Moments bool
	// Members is true for a group: a grant is a membership, which lasts until
	// it is given back whatever becomes of the client's session.
	Members bool
	// MaxFanOut is as in [LockConfig].
	MaxFanOut int
	// Object and Operation are what sentences call them.
	Object, Operation string
	_                 struct{}
}

// ViewProperties lists what [Views] judges, in the order of its results.
func ViewProperties() []Property {
	return append(append([]Property{Stale}, RunProperties()...), FanOut)
}

// viewFanOutAt is the place of FanOut in ViewProperties.
const viewFanOutAt = 5

// Views is the monitors of a group or a cache, over the events of its clients
// and the sets that the znodes were. A client is taken to run one operation at
// a time. The zero value is ready after Reset.
type Views struct {
	cfg     ViewFamilyConfig
	ops     Lock
	views   ViewMonitor
	clients []viewsClient
	absent  Result // a member without a znode
	ev      ViewEvent
}

// viewsClient is what is known of a client besides.
type viewsClient struct {
	follows bool // what it shows is to follow the set
	paused  bool
}

// Reset forgets everything and judges by cfg from now on.
func (v *Views) Reset(cfg ViewFamilyConfig) {
	cfg.View.Told = true
	v.cfg = cfg
	v.ops.Reset(LockConfig{
		Clients: cfg.Clients, Shared: true, Outlives: cfg.Members, MaxFanOut: cfg.MaxFanOut,
		Object: cfg.Object, Operation: cfg.Operation,
	})
	v.views.Reset(cfg.View)
	v.clients = v.clients[:0]
	v.growTo(cfg.Clients)
	v.absent = passed(Stale, LevelRun)
}

func (v *Views) growTo(n int) {
	for len(v.clients) < n {
		v.clients = append(v.clients, viewsClient{})
	}
}

// Observe judges the next event.
func (v *Views) Observe(e *Event) {
	v.ops.Observe(e)
	if e.Client < 0 {
		v.server(e)
		return
	}
	v.growTo(int(e.Client) + 1)
	c := &v.clients[e.Client]
	switch e.Kind {
	case SetChange:
		v.server(e)
	case ViewAsk:
		v.views.ask(e.Client, e.Arg, e.At)
	case ViewAnswer:
		v.views.answered(e.Client, e.Arg)
	case ViewShow:
		if c.follows || v.cfg.Moments {
			v.tell(ViewShown, e)
		}
	case ViewOpen:
		c.follows = true
		v.tell(ViewUp, e)
	case ViewHide, Crash, Restart:
		*c = viewsClient{}
		v.views.unanswered(e.Client)
		v.tell(ViewClosed, e)
	case Up, Lost, Down, Pause, Resume:
		v.life(c, e)
	}
}

// life takes in what happens to a client that follows the set. One that has
// learned that its session is over is expected to do something about it.
func (v *Views) life(c *viewsClient, e *Event) {
	if e.Kind != Pause && e.Kind != Resume {
		v.views.unanswered(e.Client) // what was under way is lost
	}
	switch {
	case e.Kind == Pause, e.Kind == Resume:
		c.paused = e.Kind == Pause
	case c.paused:
		return
	}
	if !c.follows {
		return
	}
	if e.Kind == Down || e.Kind == Pause {
		v.tell(ViewDown, e)
	} else {
		v.tell(ViewUp, e)
	}
}

// server takes in what happens to no client.
func (v *Views) server(e *Event) {
	switch e.Kind {
	case SetChange:
		v.tell(SetChanged, e)
	case Quiescent, Horizon:
		v.tell(ViewEnd, e)
		v.absence(e)
	case CutOff:
		v.tell(ViewCutOff, e)
	}
}

// tell tells the monitor of the views.
func (v *Views) tell(k ViewEventKind, e *Event) {
	v.ev = ViewEvent{At: e.At, Kind: k, Client: e.Client}
	if k == SetChanged || k == ViewShown {
		v.ev.Members = strings.Fields(e.Text)
	}
	v.views.Observe(&v.ev)
}

// absence looks for members for which no znode stands.
func (v *Views) absence(e *Event) {
	if !v.cfg.Members {
		return
	}
	for _, h := range v.ops.holds {
		if v.ops.queue.newest(h.client) != 0 {
			continue
		}
		v.absent.Verdict, v.absent.Client, v.absent.At = Failed, h.client, e.At
		v.absent.Why = name(h.client) + " joined at " + seconds(h.since) + " and has neither left nor crashed, and at " +
			seconds(e.At) + " it has no znode in the group"
		return
	}
}

// Believes reports whether the client is a member as far as it knows.
func (v *Views) Believes(client int) bool { return v.ops.Believes(client) }

// Failed is true as soon as some property has failed.
func (v *Views) Failed() bool { return v.FailedBits() != 0 }

// FailedBits has bit i set when property i of [ViewProperties] has failed.
func (v *Views) FailedBits() uint32 {
	stale := v.views.Failed() || v.absent.Verdict == Failed
	return bit32(stale) | v.ops.RunBits()<<1 | v.ops.failed>>fanOutIndex&1<<viewFanOutAt
}

// Finish gives one result a property, in the order of [ViewProperties].
func (v *Views) Finish(history []Event) []Result {
	stale := v.views.Finish()
	if stale.Verdict != Failed && v.absent.Verdict == Failed {
		stale = v.absent
	}
	return append(v.ops.AppendRunResults([]Result{stale}, history), v.ops.result(fanOutIndex, history))
}

// CopyInto makes dst an independent copy.
func (v *Views) CopyInto(dst *Views) {
	dst.cfg, dst.absent = v.cfg, v.absent
	v.ops.CopyInto(&dst.ops)
	v.views.CopyInto(&dst.views)
	dst.clients = append(dst.clients[:0], v.clients...)
}

// HashClient and HashRest, or HashRanked, write all that later verdicts depend
// on, as those of [Lock] do.
func (v *Views) HashClient(h Hasher, client int) {
	v.ops.HashClient(h, client)
	c := &v.clients[client]
	h.Uint64(bit(c.follows) | bit(c.paused)<<1)
}

// HashRest is described at HashClient. The views are told with their clients.
func (v *Views) HashRest(h Hasher) {
	v.ops.HashRest(h)
	v.views.hash(h)
}

// HashRanked is described at HashClient.
func (v *Views) HashRanked(h Hasher, rank func(zxid int64) uint64) {
	v.ops.HashRanked(h, rank)
	for i := range v.clients {
		c := &v.clients[i]
		h.Uint64(bit(c.follows) | bit(c.paused)<<1)
	}
	v.views.hash(h)
}

// Quiet is the time for which nothing must have happened before the views of
// timed runs are compared: it is longer than any retry loop of a recipe.
const Quiet = 60 * time.Second
