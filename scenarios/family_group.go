package scenarios

import (
	"context"
	"slices"
	"strings"

	"zoosim/checker"
	"zoosim/recipes/group"
	"zoosim/recipes/zk"
	"zoosim/zkmodel"
)

// lookAt is what an observer of a group does.
const lookAt = "observe"

// groupFamily is groups: members that join and leave, and observers that look
// on. A member stays in the group behind its last operation.
func groupFamily() *family {
	return &family{
		name: "group", dir: "/group", what: "operation", baseline: "group/zkdocs",
		roles: []role{roleMember, roleObserver}, serial: []role{roleObserver, roleMember},
		properties: checker.ViewProperties(),
		sizes:      func(s *Scenario) { s.Members, s.Observers = 2, 1 },
		variants:   func() []Variant { return ofGroups(group.Variants()) },
		judge:      func() judge { return &viewsJudge{} },
		applied:    groupApplied,
		asks:       groupAsks,
		tell:       tellGroup,
		keep:       Reductions{Delivery: true, Private: true},
	}
}

func ofGroups(vs []group.Variant) []Variant {
	all := make([]Variant, len(vs))
	for i, v := range vs {
		all[i] = Variant{
			Recipe: v.Recipe, MaxFanOut: v.MaxFanOut, family: groupFamily(),
			views: checker.ViewFamilyConfig{
				Members: true, Moments: !v.Follows, MaxFanOut: v.MaxFanOut, Object: "the group", Operation: "operation",
			},
			actor: func() actor { return &groupActor{v: &vs[i]} },
		}
	}
	return all
}

// viewsJudge is the monitors of a group or a cache.
type viewsJudge struct{ checker.Views }

func (j *viewsJudge) reset(r *Runner) {
	cfg := r.variant.views
	cfg.Clients = r.s.Clients
	cfg.View.Standalone = r.s.Servers == 1
	if !r.s.Untimed {
		cfg.View.Quiet = checker.Quiet
	}
	j.Reset(cfg)
}

func (j *viewsJudge) copyInto(dst judge) { j.Views.CopyInto(&dst.(*viewsJudge).Views) }

// memberName is a client's name in a group.
func memberName(client int) string { return "server" + checker.ClientName(client) }

// groupApplied tells which members there are now. A znode stands for the member
// whose name is its data, or its own name.
func groupApplied(r *Runner, _ *zkmodel.Txn) (ticket bool) {
	s := r.world.Server()
	names := s.AppendChildren(nil, r.dir())
	for i, name := range names {
		if data, _ := s.Data(r.dir() + "/" + name); len(data) > 0 {
			names[i] = string(data)
		}
	}
	r.event(checker.SetChange, -1).Text = viewText(names)
	r.observe()
	return true
}

// groupAsks is so of listings.
func groupAsks(_ *Runner, _ int, op zkmodel.OpCode) bool {
	return op == zkmodel.OpGetChildren || op == zkmodel.OpGetChildren2
}

// viewText is a set as events have it.
func viewText(members []string) string {
	sorted := slices.Sorted(slices.Values(members))
	return strings.Join(slices.Compact(sorted), " ")
}

// groupActor is a process's end of a group.
type groupActor struct {
	v       *group.Variant
	g       group.Group
	follows bool
}

// perform is, of a member, to join, to stay and to leave; of an observer, to
// look on for a while.
func (x *groupActor) perform(ctx context.Context, w *worker, a *acquisition) {
	if w.g.role == roleObserver {
		w.invoke(a, func() error { return x.look(ctx, w) })
		w.hold(ctx, a)
		return
	}
	if w.g.renew {
		_ = w.client.Delete(ctx, w.g.dir, zk.AnyVersion)
	}
	op, ok := w.acquire(a, func() (bool, error) {
		if err := x.open(ctx, w); err != nil {
			return false, err
		}
		if x.v.JoinFollows {
			return true, x.showing(w, func() error { return x.g.Join(ctx) })
		}
		if err := x.g.Join(ctx); err != nil {
			return false, err
		}
		return true, x.look(ctx, w)
	}, func() (int64, int64) { return 0, 0 })
	w.hold(ctx, a)
	if !ok || a == &w.g.list[len(w.g.list)-1] {
		return
	}
	if x.v.LeaveCloses {
		w.record(checker.ViewHide, 0, 0, 0, "")
	}
	w.release(op, func() error { return x.g.Leave(ctx) })
	if x.v.LeaveCloses {
		w.open()
	}
}

// open makes the process's end of the group within the first operation.
func (x *groupActor) open(ctx context.Context, w *worker) error {
	if x.g != nil {
		return nil
	}
	g, err := x.v.New(ctx, w.client, w.p.Env(), group.Options{
		Dir: w.g.dir, Name: memberName(w.g.client), Show: func(members []string) {
			w.record(checker.ViewShow, 0, 0, 0, viewText(members))
		},
	})
	if err == nil {
		x.g = g
	}
	return err
}

// look has the members shown from now on, or asks for them once.
func (x *groupActor) look(ctx context.Context, w *worker) error {
	if err := x.open(ctx, w); err != nil {
		return err
	}
	if f, ok := x.g.(group.Follower); ok {
		if x.follows {
			return nil
		}
		return x.showing(w, func() error { return f.Follow(ctx) })
	}
	members, err := x.g.(group.Lister).Members(ctx)
	if err == nil {
		w.record(checker.ViewShow, 0, 0, 0, viewText(members))
	}
	return err
}

// showing begins to show the members.
func (x *groupActor) showing(w *worker, begin func() error) error {
	if !x.follows {
		x.follows = true
		w.record(checker.ViewOpen, 0, 0, 0, "")
	}
	err := begin()
	if err != nil {
		x.follows = false
		w.record(checker.ViewHide, 0, 0, 0, "")
	}
	return err
}

// tellGroup says what a client does.
func tellGroup(e *checker.Event) string {
	switch e.Kind {
	case checker.Invoke:
		if e.Text == lookAt {
			return "looks at the group"
		}
		return "joins the group"
	case checker.Grant:
		return "HAS JOINED the group"
	case checker.Fail:
		return "fails: " + e.Text
	case checker.ReleaseInvoke:
		return "leaves the group"
	case checker.ReleaseReturn:
		if e.Text != "" {
			return "fails to leave: " + e.Text
		}
		return "has left the group"
	}
	return tellView(e)
}

// tellView says what a client shows.
func tellView(e *checker.Event) string {
	if e.Kind == checker.ViewShow {
		return "SHOWS [" + e.Text + "]"
	}
	return tellLife(e)
}
