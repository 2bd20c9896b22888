package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/recipes/zk"
	"zoosim/scenarios/simzk"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// The actors of a story that are no clients.
const (
	actorServer   = "server"
	actorFault    = "fault"
	actorResource = "resource"
	actorStore    = "store"
)

// teller writes the story of a run while the witness looks on: what the
// observer is told comes in structure, what clients do as text of the trace.
type teller struct {
	story   Story
	dir     string      // of the recipe's object
	names   []znodeName // newest first
	drained int         // entries of the trace told so far
	events  int         // events of the history told so far
	resumes int
	clients []toldClient
	server  int // the line that the server's present work is told in, -1 for none
	fault   int // the line of the fault that strikes now, -1 for none
}

// znodeName is the short name of a znode.
type znodeName struct{ path, short string }

// toldClient is what the teller knows of a client.
type toldClient struct {
	waiting []sim.Time // by task: since when it waits, -1 if it does not
	began   bool       // its first acquire
	holds   bool
}

func (t *teller) begin(w *witness) {
	n := w.Runner.s.Clients
	*t = teller{story: Story{clients: n, onStore: w.variant.Store != zk.StoreNone}, dir: w.dir(), clients: make([]toldClient, n), server: -1, fault: -1}
}

// over reports whether what happens is no longer part of the story.
func (t *teller) over(w *witness) bool { return w.failed || w.ended }

// line adds a line and returns its index.
func (t *teller) line(w *witness, numbered bool, actor, text string) int {
	t.server, t.fault = -1, -1
	t.story.Lines = append(t.story.Lines, StoryLine{At: w.world.K.Now(), Actor: actor, Text: t.short(text)})
	i := len(t.story.Lines) - 1
	if numbered {
		t.number(i)
	}
	return i
}

// number makes the last line a transition.
func (t *teller) number(i int) {
	t.story.Transitions++
	t.story.Lines[i].N = t.story.Transitions
}

// more adds what follows to a line.
func (t *teller) more(i int, text string) {
	l := &t.story.Lines[i]
	text = t.short(text)
	l.Text += ", " + text
	l.arrow.notes = append(l.arrow.notes, text)
}

// client tells what a client does: in the line in which it was told something,
// if nothing has come between.
func (t *teller) client(w *witness, name, text string) {
	if i := len(t.story.Lines) - 1; i >= 0 && t.story.Lines[i].Actor == name {
		t.more(i, text)
		return
	}
	t.line(w, false, name, text)
}

// short is a text in which znodes have their short names.
func (t *teller) short(text string) string {
	for _, n := range t.names {
		text = strings.ReplaceAll(text, n.path, t.dir+"/"+n.short)
	}
	list, rest, ok := strings.Cut(text, "[")
	if !ok {
		return text
	}
	words := strings.Fields(strings.TrimSuffix(rest, "]"))
	for i, x := range words {
		k := slices.IndexFunc(t.names, func(n znodeName) bool { return strings.HasSuffix(n.path, "/"+x) })
		if k >= 0 {
			words[i] = t.names[k].short
		}
	}
	return list + "[" + strings.Join(words, " ") + "]"
}

// named gives a new znode its short name. A znode made again under a path gets
// a new one. Longer paths stand first, so that none is taken for the part of
// another that it begins with.
func (t *teller) named(path string, number int) {
	t.names = slices.DeleteFunc(t.names, func(n znodeName) bool { return n.path == path })
	t.names = append(t.names, znodeName{path, fmt.Sprintf("n%d", number)})
	slices.SortStableFunc(t.names, func(a, b znodeName) int { return len(b.path) - len(a.path) })
}

// step tells what the last transition did.
func (t *teller) step(w *witness) {
	if t.over(w) {
		return
	}
	for n := w.world.K.Resumes(); t.resumes < n; t.resumes++ {
		t.resumed(w)
	}
	t.drain(w)
	t.server, t.fault = -1, -1
	for i := range t.clients {
		c := &t.clients[i]
		c.waiting = c.waiting[:0]
		p := w.world.K.Proc(w.clients[i].p.ID())
		for k := range p.NumTasks() {
			since, ok := p.Waiting(sim.TaskID(k))
			if !ok {
				since = -1
			}
			c.waiting = append(c.waiting, since)
		}
	}
}

// resumed tells which client a timer has resumed.
func (t *teller) resumed(w *witness) {
	for i := range t.clients {
		c := &t.clients[i]
		p := w.world.K.Proc(w.clients[i].p.ID())
		for k, since := range c.waiting {
			if k >= p.NumTasks() || since < 0 {
				continue
			}
			if _, still := p.Waiting(sim.TaskID(k)); still {
				continue
			}
			c.waiting[k] = -1
			what := "its pause is over"
			switch {
			case w.grew[i]:
				what = "its wait ends"
			case !c.began:
				what = "begins"
			case c.holds && k == 0:
				what = "its hold is over"
			}
			if !w.Runner.s.Untimed {
				what += fmt.Sprintf(" after %v", w.world.K.Now()-since)
			}
			t.line(w, true, checker.ClientName(i), what)
			return
		}
	}
}

// drain tells what the trace and the history have got.
func (t *teller) drain(w *witness) {
	trace := w.Trace()
	for ; t.drained < len(trace); t.drained++ {
		t.entry(w, trace[t.drained].Text)
	}
	for ; t.events < len(w.history); t.events++ {
		t.event(w, &w.history[t.events])
	}
}

// entry tells an entry of the trace.
func (t *teller) entry(w *witness, text string) {
	actor, what, ok := strings.Cut(text, ": ")
	switch {
	case !ok: // "A resumes"
		actor, what, _ = strings.Cut(text, " ")
		t.line(w, false, actor, what)
	case actor == actorServer: // told by the observer
	case strings.HasPrefix(actor, actorServer+" "): // one of an ensemble
		if !strings.Contains(what, " of server ") && (w.Runner.s.Untimed || !strings.HasPrefix(what, "applies ")) {
			t.line(w, false, actorServer, actor+" "+what)
		}
	case actor == actorStore:
		if !strings.Contains(what, ": ") { // the others are told by the observer
			t.line(w, true, actor, what)
		}
	case actor == "replica":
		t.line(w, false, actorStore, "the "+actor+" "+what)
	case actor == actorResource:
		t.line(w, false, actor, what)
	case actor == actorFault:
		t.strikes(w, what)
	case strings.HasPrefix(what, "receives "):
		t.receives(w, actor, strings.TrimPrefix(what, "receives "))
	case what == "its connection is broken": // the history says it
	default:
		t.client(w, actor, what)
	}
}

// receives tells what a client is told by the server. Answers to connect,
// close and setWatches are told by what becomes of the session.
func (t *teller) receives(w *witness, name, what string) {
	head, _, _ := strings.Cut(what, " ")
	_, op, isError := strings.Cut(what, " for ")
	if isError {
		head = op
	}
	style := "-->>"
	switch head {
	case "session", "the", "closeSession", "setWatches":
		return
	case "event":
		style = "-)"
	}
	i := t.line(w, true, name, "receives "+what)
	t.story.Lines[i].arrow = arrow{from: t.story.serves(), to: name, style: style, text: t.short(what)}
}

// event tells an event of the history, as far as the trace does not.
func (t *teller) event(w *witness, e *checker.Event) {
	if e.Client < 0 {
		return
	}
	c, name := &t.clients[e.Client], checker.ClientName(int(e.Client))
	switch e.Kind {
	case checker.Invoke:
		c.began = true
	case checker.Grant:
		c.holds = true
	case checker.ReleaseInvoke, checker.Crash, checker.Restart:
		c.holds = false
	case checker.Up:
		t.client(w, name, fmt.Sprintf("is connected with session %d", e.Arg&0xffffffff))
	case checker.Down:
		t.client(w, name, "is disconnected")
	case checker.Lost:
		t.client(w, name, "learns that its session is over")
	}
}

// served begins the line of a request.
func (t *teller) served(w *witness, c *simzk.Client, q *zkmodel.Request) {
	if t.over(w) || !simzk.IsRecipeOp(q.Op) {
		return
	}
	t.drain(w)
	name := c.Process().Name()
	text := t.short(describeServed(q))
	told := text + " of " + name
	if w.Runner.s.Servers > 1 {
		told += fmt.Sprintf(", at server %d", w.world.ServedBy())
	}
	i := t.line(w, true, actorServer, told)
	t.story.Lines[i].arrow = arrow{from: name, to: actorServer, style: "->>", text: text}
	t.server = i
}

// called tells a request to the store.
func (t *teller) called(w *witness, p *simzk.Process, request, outcome string) {
	if t.over(w) {
		return
	}
	t.drain(w)
	i := t.line(w, true, actorStore, request+" of "+p.Name()+": "+outcome)
	t.story.Lines[i].arrow = arrow{from: p.Name(), to: actorStore, style: "->>", text: request, notes: []string{outcome}}
}

// describeServed is a request in a story; of a create the znode is told when
// it is there.
func describeServed(q *zkmodel.Request) string {
	s := q.Op.String()
	switch q.Op {
	case zkmodel.OpCreate, zkmodel.OpCreate2:
		return s
	case zkmodel.OpMulti:
		return fmt.Sprintf("%s(%s)", s, plural(len(q.Multi), "operation"))
	}
	s += "(" + q.Path
	if q.Watch {
		s += ", watch"
	}
	return s + ")"
}

// applied adds a change to the line of what caused it.
func (t *teller) applied(w *witness, x *zkmodel.Txn) {
	if t.over(w) {
		return
	}
	t.drain(w)
	switch x.Op {
	case zkmodel.OpCreate, zkmodel.OpCreate2:
		if parentIs(x.Path, t.dir) {
			t.story.znodes++
			t.named(x.Path, t.story.znodes-1)
		}
		t.change(w, x.Path+" created")
	case zkmodel.OpSetData:
		t.change(w, x.Path+" changed")
	case zkmodel.OpDelete:
		t.sessionLine(w, x)
		t.change(w, x.Path+" deleted")
	case zkmodel.OpCloseSession:
		t.sessionLine(w, x)
		if x.Cause == zkmodel.CauseExpiry {
			t.number(t.server)
		}
		t.server = -1
	}
}

// sessionLine begins the line of a session's end, with its first change.
func (t *teller) sessionLine(w *witness, x *zkmodel.Txn) {
	if t.server >= 0 {
		return
	}
	how := ""
	switch x.Cause {
	case zkmodel.CauseExpiry:
		how = " expired"
	case zkmodel.CauseClose:
		how = " closed"
	default:
		return
	}
	who := checker.ClientName(w.ownerOf(x.Session))
	t.server = t.line(w, false, actorServer, "session of "+who+how)
}

// change adds what the server did.
func (t *teller) change(w *witness, text string) {
	if t.server < 0 {
		t.server = t.line(w, false, actorServer, text)
		return
	}
	t.more(t.server, text)
}

// sent adds an event, or the error of a reply, to the line of what caused it.
func (t *teller) sent(w *witness, c *simzk.Client, r *zkmodel.Response) {
	last := len(t.story.Lines) - 1
	if t.over(w) || last < 0 || t.story.Lines[last].Actor != actorServer {
		return
	}
	switch {
	case r.Kind == zkmodel.KindEvent:
		t.more(last, fmt.Sprintf("event %s(%s) to %s", r.Event, r.Path, c.Process().Name()))
	case r.Kind == zkmodel.KindReply && simzk.IsRecipeOp(r.Op) && r.Err != zkmodel.OK:
		t.more(last, r.Err.String())
	}
}

// strikes tells a fault that the trace speaks of. A create is told without its
// path, as where it is served.
func (t *teller) strikes(w *witness, what string) {
	if head, rest, ok := strings.Cut(what, "("); ok && strings.HasPrefix(head, "create") {
		_, rest, _ = strings.Cut(rest, ")")
		what = head + rest
	}
	if i := t.fault; i >= 0 && t.story.Lines[i].Text == "" {
		t.story.Lines[i].Text = t.short(what) // it has been counted
		return
	}
	t.fault = t.line(w, false, actorFault, what)
}

// bit counts a fault that has changed something.
func (t *teller) bit(w *witness, p *simzk.Process, k faults.Kind) {
	if t.over(w) {
		return
	}
	t.drain(w)
	switch k {
	case faults.CutRequest, faults.CutReply, faults.DelayEvent:
		t.fault = t.line(w, true, actorFault, "") // the trace says the rest
		return
	case faults.Lag:
		t.line(w, true, actorFault, "what other servers sent to the one that lags waits")
		return
	case faults.Pause, faults.Partition:
	default:
		if t.fault >= 0 && t.story.Lines[t.fault].N == 0 {
			t.number(t.fault)
			t.fault = -1
			return
		}
	}
	text := "the interrupt ends the wait of " + p.Name()
	switch k {
	case faults.Pause:
		text = "what came in for " + p.Name() + " while it was paused has waited"
	case faults.Partition:
		text = "what was under way between " + p.Name() + " and the server has waited"
	}
	t.line(w, true, actorFault, text)
}
