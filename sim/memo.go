package sim

// MemoApp is what a [Memo] needs of an App: to move a process's view of the
// App's part of the world between a world and a process that really runs.
type MemoApp interface {
	App
	// ObservationKey is a hash of what task t of p is told of the App's as it
	// goes on: a reply, an event. Equal keys mean equal observations.
	ObservationKey(p *Proc, t TaskID) uint64
	// Observation copies it.
	Observation(p *Proc, t TaskID) any
	// Observe tells it to a task of a process that really runs.
	Observe(p *Proc, t TaskID, o any)
	// Capture copies the contents of the outputs that the running segment of p
	// has put out so far; Install makes them those of p in another world.
	Capture(p *Proc) any
	Install(p *Proc, segment any)
	// MaskedKey and MaskedAnswer are the same for processes that differ in
	// nothing but who they are: ObservationKey, and the answer to a question,
	// with the process's own name and those of others replaced by words.
	MaskedKey(p *Proc, t TaskID) uint64
	MaskedAnswer(p *Proc, kind int32, v int64) int64
	// Foretell answers a question that task t of p will ask as it goes on, if
	// its answer cannot change until then, and not by what the task puts out
	// first.
	Foretell(p *Proc, t TaskID, kind, arg int32) (int64, bool)
	// Mark notes how many of the App's numbered things there are in p's view at
	// a mark that the process has set. It returns hashes of what p is told at
	// its start and later without being in any observation to come: who it is;
	// the second one leaves that out.
	Mark(p *Proc, k MarkKind) (full, masked uint64)
	// NewReader returns a reader of a process's history, for [Memo.Verify].
	NewReader() MemoReader
}

// memoState is where a process stands in a [Memo].
type memoState struct {
	node    int32
	program uint64
	hash    uint64 // of its history, or since its last checkpoint
	masked  uint64 // the same, whoever it is
	kept    numbers
	base    numbers // at the last checkpoint
	clock   Time    // of the process then
	marks   uint64  // which checkpoints took effect, 0 for none
}

// observation is what a process is told: that one of its tasks goes on, and
// with what; or the answer to its question.
type observation struct {
	answer bool
	task   TaskID
	start  start
	cause  Cause
	value  int64
	told   bool // app holds something
	app    any
}

// key is a hash of the observation of a process, but for what is the App's.
func (o *observation) key(s *memoState) uint64 {
	var h Hash
	h.Uint64(uint64(uint32(o.task))<<32 | uint64(o.start.kind)<<16 | uint64(o.cause)<<8 | bit(o.answer)<<1 | bit(o.told))
	if o.start.kind == startSpawned {
		h.Uint64(s.spawned(o.start.arg))
	} else {
		h.Uint64(uint64(uint32(o.start.arg)))
	}
	h.Uint64(uint64(o.value))
	return h.Sum()
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// memoNode is one history of a process: what was observed last, and what the
// process did on it.
type memoNode struct {
	parent  int32
	obs     observation
	key     uint64 // of obs, as it goes into the hash of the history
	masked  uint64 // of obs, whoever the process is
	class   uint64 // of the checkpoint with which it ends, if that took effect
	outs    []output
	segment any
	end     sideTask // the want it ended with, or that it is over
}

// asks reports whether the node ends with a question.
func (n *memoNode) asks() bool { return !n.end.over && n.end.want.kind == waitQuery }

// Memo is a trie of the observations of processes. A process's behaviour is a
// function of what it has been told, in order; so only on an observation that
// is new does its code run, replayed along that one path, and everywhere else
// a step is a look-up. All processes that run the same program share a root.
// A Memo serves one goroutine.
type Memo struct {
	// Checkpoints are the kinds of checkpoints that take effect, a bit each. It
	// is set before the first run.
	Checkpoints uint32

	app   MemoApp
	spawn func(program uint64) *Proc

	nodes []memoNode
	edges edgeTable
	roots map[uint64]int32

	// The process that really runs, and where it stands.
	live     *Proc
	liveNode int32

	fed  int              // observations fed to running code
	torn *CheckpointError // a checkpoint that cannot be compared
}

// NewMemo returns an empty memo. spawn starts a process of the given program
// in a world of its own, ends the one that it started before, and returns it;
// app is the App of that world.
func NewMemo(app MemoApp, spawn func(program uint64) *Proc) *Memo {
	return &Memo{
		app: app, spawn: spawn, liveNode: -1,
		roots: map[uint64]int32{},
	}
}

// Nodes counts the histories in the memo, Fed the observations that were fed
// to running code.
func (m *Memo) Nodes() int { return len(m.nodes) }

// Fed counts the observations that were fed to running code.
func (m *Memo) Fed() int { return m.fed }

// SetMemo lets w look the behaviour of its processes up in m.
func (w *World) SetMemo(m *Memo) { w.memo = m }

// SetProgram says which program a process runs, in a world with a memo or one
// that learns histories. It must be called before the process takes its first
// step.
func (w *World) SetProgram(p *Proc, program uint64) {
	if w.memo == nil {
		p.memo = memoState{hash: rootHash(program), masked: rootHash(program)}
		return
	}
	root, ok := w.memo.roots[program]
	if !ok {
		root = int32(len(w.memo.nodes))
		w.memo.roots[program] = root
		w.memo.nodes = append(w.memo.nodes, memoNode{parent: -1, obs: observation{value: int64(program)}})
	}
	p.memo = memoState{node: root, program: program, hash: rootHash(program), masked: rootHash(program)}
}

// observationOf is what a ready task is told as it goes on, but for what is the
// App's, and the key of all of it.
func (w *World) observationOf(p *Proc, t TaskID) (o observation, key uint64) {
	tk := &p.tasks[t]
	o = observation{task: t, start: tk.start, cause: tk.cause}
	if tk.from == waitDraw {
		o.value = tk.value
	}
	o.told = tk.start.kind == startApp || tk.from == waitApp && tk.cause == CauseOK
	key = o.key(&p.memo)
	if o.told {
		key ^= w.app.(MemoApp).ObservationKey(p, t) * hashMul1
	}
	return o, key
}

// ahead is where a process will stand as its task goes on.
type ahead struct {
	version uint64 // of the process
	task    TaskID
	node    int32
}

// first is the history that follows as a ready task goes on. Whoever looks at it
// first keeps it for the step itself.
func (m *Memo) first(w *World, p *Proc, t TaskID) int32 {
	if p.version != 0 && p.ahead.version == p.version && p.ahead.task == t {
		return p.ahead.node
	}
	o, key := w.observationOf(p, t)
	n := m.child(p.memo.node, key, &o, w.app.(MemoApp), p)
	p.ahead = ahead{p.version, t, n}
	return n
}

// Peeked is what a ready task will do as it goes on.
type Peeked struct {
	// Asks is a question, of the kernel or the App's, whose answer a message
	// may change; what the task does behind it depends on the answer. Asked
	// says that there is one.
	Asks  int32
	Asked bool
	// Awaits is true if the task then waits for the App.
	Awaits bool
	// Unknown is true if the world learns and has not seen it yet.
	Unknown bool
}

// Peek looks up what a ready task of a world with a memo, or of one that
// learns, will do, without doing it. visit is called with the contents of its
// outputs, as far as they do not depend on an answer; skip reports whether the
// answer to a question of the App cannot change now. If nothing can be told to
// the process before the task goes on (alone), no answer can change but by what
// the task itself puts out first.
func (w *World) Peek(p *Proc, t TaskID, alone bool, visit func(segment any), skip func(kind int32) bool) Peeked {
	if w.memo == nil {
		return w.peekLearned(p, t, alone, visit, skip)
	}
	m, app := w.memo, w.app.(MemoApp)
	n := m.first(w, p, t)
	for {
		nd := &m.nodes[n]
		alone = alone && !decides(nd.outs)
		if !nd.asks() {
			visit(nd.segment)
			return Peeked{Awaits: !nd.end.over && nd.end.want.kind == waitApp}
		}
		kind, arg := int32(nd.end.want.scope), nd.end.want.target
		v, known := w.foresee(p, t, kind, arg, alone, skip)
		if !known {
			visit(nd.segment)
			return Peeked{Asks: kind, Asked: true}
		}
		o := observation{answer: true, task: t, value: v}
		n = m.child(n, o.key(&p.memo), &o, app, p)
	}
}

// PeekBehindSleep is Peek for a task that sleeps, as its sleep ends, whatever
// the process has been told by then.
func (w *World) PeekBehindSleep(p *Proc, t TaskID, visit func(segment any)) Peeked {
	tk := &p.tasks[t]
	asleep, kept := *tk, p.ahead
	tk.cause, tk.from, p.ahead = CauseOK, waitSleep, ahead{}
	peeked := w.Peek(p, t, false, visit, func(int32) bool { return false })
	*tk, p.ahead = asleep, kept
	return peeked
}

// decides reports whether outputs may decide the answer to a question.
func decides(outs []output) bool {
	for i := range outs {
		if k := outs[i].kind; k != outApp && k != outMark && k != outSpawn {
			return true
		}
	}
	return false
}

// foresee answers a question that a ready task is going to ask, if the answer
// cannot change until then.
func (w *World) foresee(p *Proc, t TaskID, kind, arg int32, alone bool, skip func(kind int32) bool) (int64, bool) {
	switch {
	case kind == queryNow:
		return int64(p.clock), true
	case kind == queryMark:
		return 0, true
	case kind < 0: // a latch or a scope
		if alone {
			return w.answer(p, kind, arg), true
		}
		return 0, false
	}
	v, known := w.app.(MemoApp).Foretell(p, t, kind, arg)
	if !known && (alone || skip(kind)) {
		return w.app.Query(p, kind, arg), true
	}
	return v, known
}

// run carries out a segment of a ready task.
func (m *Memo) run(w *World, p *Proc, t TaskID) {
	app := w.app.(MemoApp)
	n := m.first(w, p, t)
	p.tasks[t].start = start{}
	var o observation
	for {
		nd := &m.nodes[n]
		p.memo.told(nd.key, nd.masked)
		p.memo.node = n
		app.Install(p, nd.segment)
		p.apply(t, nd.outs)
		if !nd.asks() {
			w.endSegment(p, t, &nd.end)
			return
		}
		o = observation{answer: true, task: t, value: w.answer(p, int32(nd.end.want.scope), nd.end.want.target)}
		n = m.child(n, o.key(&p.memo), &o, app, p)
	}
}

// child is the history that continues node with an observation.
func (m *Memo) child(node int32, key uint64, o *observation, app MemoApp, p *Proc) int32 {
	if n := m.edges.find(node, key, p.memo.marks); n != 0 {
		return n
	}
	masked, asked := *o, int32(0)
	if o.told {
		o.app = app.Observation(p, o.task)
	}
	if o.answer && m.nodes[node].asks() {
		if asked = int32(m.nodes[node].end.want.scope); asked == queryNow {
			masked.value -= int64(p.memo.clock)
		} else {
			masked.value = app.MaskedAnswer(p, asked, o.value)
		}
	}
	nd := m.feedFrom(node, o)
	nd.key, nd.masked = key, masked.key(&p.memo)
	if asked == queryNow {
		nd.key = nd.masked // a time counts from the last checkpoint, whoever it is
	}
	if o.told {
		nd.masked = after(nd.masked, app.MaskedKey(p, o.task))
	}
	n := int32(len(m.nodes))
	m.nodes = append(m.nodes, nd)
	m.edges.add(memoEdge{key, p.memo.marks, node, n})
	m.liveNode = n
	return n
}

// feedFrom lets the code of a process that stands at a node make one more
// step.
func (m *Memo) feedFrom(node int32, o *observation) memoNode {
	if m.liveNode != node {
		m.rebuild(node)
	}
	nd := m.feed(o)
	nd.parent = node
	return nd
}

// path lists the nodes from below the root to n.
func (m *Memo) path(n int32) (root int32, path []int32) {
	for m.nodes[n].parent >= 0 {
		path = append(path, n)
		n = m.nodes[n].parent
	}
	for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	return n, path
}

// rebuild replays a process from its start to a node.
func (m *Memo) rebuild(node int32) {
	root, path := m.path(node)
	m.live = m.spawn(uint64(m.nodes[root].obs.value))
	m.live.side.shadow = true
	for _, n := range path {
		m.replay(&m.nodes[n].obs)
	}
	m.liveNode = node
}

// feed tells the running process something and notes what it does.
func (m *Memo) feed(o *observation) memoNode {
	m.tell(o)
	p := m.live
	d := &p.side
	nd := memoNode{obs: *o, outs: append([]output(nil), d.outs...), segment: m.app.Capture(p), end: d.tasks[o.task]}
	nd.end.co = nil
	d.outs = d.outs[:0]
	return nd
}

// replay tells the running process what it has been told before.
func (m *Memo) replay(o *observation) {
	m.tell(o)
	m.live.side.outs = m.live.side.outs[:0]
}

func (m *Memo) tell(o *observation) {
	m.fed++
	p := m.live
	if !o.answer {
		m.app.Segment(p)
		if o.told {
			m.app.Observe(p, o.task, o.app)
		}
	}
	p.resume(o.task, o.start, o.cause, o.value)
}
