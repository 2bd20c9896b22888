package sim

import (
	"errors"
	"fmt"
)

// MemoReader reads the history of a process from its start and knows what the
// App's part of it looks like from there: who the process is, and where the
// numbers of what it has made begin.
type MemoReader interface {
	// Answered reads the answer to a question of the App's, Put an output of
	// the App's, Mark a mark.
	Answered(kind int32, v int64)
	Put(out int32)
	Mark(k MarkKind)
	// Copy returns a reader that goes on from here.
	Copy() MemoReader
	// HashPut, HashAsk and HashSegment write an output, a question and the
	// contents of a segment, whoever the process is and with numbers counted
	// from its last checkpoint. They return false if it names something that
	// was made before the checkpoint and not kept.
	HashPut(h *Hash, out int32) bool
	HashAsk(h *Hash, kind, arg int32) bool
	HashSegment(h *Hash, segment any) bool
	// Told and Answer turn what this process is told into what the process of
	// another reader would be told in its place.
	Told(o any, to MemoReader) any
	Answer(kind int32, v int64, to MemoReader) int64
}

// Verified counts what [VerifyCheckpoints] compared.
type Verified struct {
	// Classes counts the checkpoints at which histories were taken for one,
	// Histories those, Fed the observations fed to code to compare them.
	Classes, Histories, Fed int
}

// ErrCheckpoint says that a checkpoint is none.
var ErrCheckpoint = errors.New("the code depends on more of its past than its checkpoint declares")

// VerifyCheckpoints compares, for each checkpoint, all the histories that the
// memos of a search took for one there: whatever any of them was told
// afterwards, up to the next checkpoint, is told to each of the others, and
// the code must do the same. An error means that the search is no proof.
func VerifyCheckpoints(memos []*Memo) (Verified, error) {
	v := verifier{run: memos[0], index: map[uint64]int{}, fed: memos[0].fed}
	for _, m := range memos {
		if err := v.collect(m); err != nil {
			return v.count, err
		}
	}
	for again := true; again; {
		again = false
		for i := 0; i < len(v.classes); i++ {
			if c := v.classes[i]; c.told < len(c.members) && len(c.members) > 1 {
				again = true
				if err := v.verify(c); err != nil {
					return v.count, err
				}
			}
		}
	}
	for _, c := range v.classes {
		if len(c.members) > 1 {
			v.count.Classes++
			v.count.Histories += len(c.members)
		}
	}
	v.count.Fed = v.run.fed - v.fed
	return v.count, nil
}

// mostFed bounds what a comparison costs. Histories with several checkpoints
// behind each other multiply.
const mostFed = 30_000_000

// verifier is the state of VerifyCheckpoints.
type verifier struct {
	run     *Memo // runs code
	classes []*class
	index   map[uint64]int
	count   Verified
	fed     int // by the memo before
}

// class is a checkpoint: the histories that reach it, and all that they were
// told and did afterwards.
type class struct {
	members []member
	known   map[uint64]bool // by id
	told    int             // how many members have been told everything
	words   []word          // words[0] is the checkpoint itself
}

// member is a history that ends with a checkpoint.
type member struct {
	id      uint64 // of the history, whoever it is
	program uint64
	path    []observation
	at      history
}

// word is what a history was told after a checkpoint.
type word struct {
	parent   int32
	children []int32
	key      uint64
	obs      observation
	from     history // the history that was told it, before it was
	digest   uint64  // of what the code did
	class    uint64  // of the checkpoint with which it ends
}

// history is what has been read of a history.
type history struct {
	s      memoState // kept and base
	scopes int32
	asked  want
	app    MemoReader
}

// read goes on by a step.
func (y *history) read(nd *memoNode) {
	if nd.obs.answer && y.asked.kind == waitQuery && y.asked.scope >= 0 {
		y.app.Answered(int32(y.asked.scope), nd.obs.value)
	}
	for i := range nd.outs {
		switch o := &nd.outs[i]; o.kind {
		case outArm:
			y.scopes++
		case outApp:
			y.app.Put(o.a)
		case outMark:
			n := numbers{o.a, y.scopes, o.b >> 1}
			if k := MarkKind(o.b & 1); k == MarkKeep {
				y.s.kept = n
				y.app.Mark(k)
			}
		}
	}
	y.asked = nd.end.want
}

// begin starts to count from the checkpoint with which a node ends.
func (y *history) begin(nd *memoNode) {
	o := &nd.outs[len(nd.outs)-1]
	y.s.base = numbers{o.a, y.scopes, o.b >> 1}
	y.app.Mark(MarkCheckpoint)
}

func (y *history) copy() history {
	c := *y
	c.app = y.app.Copy()
	return c
}

// digest is what a history does in a step, whoever it is.
func (y *history) digest(nd *memoNode) (uint64, bool) {
	var h Hash
	ok := true
	number := func(n uint64) {
		ok = ok && n != dead
		h.Uint64(n)
	}
	for i := range nd.outs {
		o := &nd.outs[i]
		h.Uint64(uint64(o.kind))
		switch o.kind {
		case outOpen:
			number(y.s.latch(o.a))
		case outArm:
			number(y.s.scope(ScopeID(o.a)))
			number(y.s.scope(ScopeID(o.b)))
		case outCancel:
			number(y.s.scope(ScopeID(o.a)))
		case outSpawn:
			number(y.s.spawned(o.a))
		case outApp:
			ok = y.app.HashPut(&h, o.a) && ok
			continue
		case outMark:
			h.Uint64(uint64(o.b & 1))
		default:
			h.Uint64(uint64(uint32(o.a)))
		}
		h.Uint64(uint64(o.d))
	}
	ok = y.app.HashSegment(&h, nd.segment) && ok
	x := &nd.end.want
	h.Uint64(uint64(x.kind)<<2 | bit(nd.end.over)<<1 | bit(x.canInterrupt))
	if nd.end.over {
		return h.Sum(), ok
	}
	h.Uint64(uint64(x.d))
	switch {
	case x.kind == waitLatch:
		number(y.s.latch(x.target))
		number(y.s.scope(x.scope))
	case x.kind != waitQuery:
		h.Uint64(uint64(uint32(x.target)))
		number(y.s.scope(x.scope))
	case int32(x.scope) == queryOpen:
		number(y.s.latch(x.target))
	case int32(x.scope) == queryScope:
		number(y.s.scope(ScopeID(x.target)))
	case x.scope >= 0:
		ok = y.app.HashAsk(&h, int32(x.scope), x.target) && ok
	default:
		h.Uint64(uint64(x.scope))
	}
	return h.Sum(), ok
}

// collect notes the members of a memo and what they were told.
func (v *verifier) collect(m *Memo) error {
	children := make([][]int32, len(m.nodes))
	for i := range m.nodes {
		if p := m.nodes[i].parent; p >= 0 {
			children[p] = append(children[p], int32(i))
		}
	}
	for i := range m.nodes {
		nd := &m.nodes[i]
		if nd.class == 0 {
			continue
		}
		root, path := m.path(int32(i))
		x := member{program: uint64(m.nodes[root].obs.value), at: history{app: m.app.NewReader(), scopes: 1}}
		for _, n := range path {
			x.path = append(x.path, m.nodes[n].obs)
			x.id = after(x.id, m.nodes[n].masked)
			x.at.read(&m.nodes[n])
		}
		x.at.begin(nd)
		c := v.class(nd.class)
		c.enter(x)
		if err := v.add(c, 0, m, children, int32(i), x.at.copy()); err != nil {
			return err
		}
	}
	return nil
}

// class returns the class with a hash.
func (v *verifier) class(hash uint64) *class {
	i, ok := v.index[hash]
	if !ok {
		i = len(v.classes)
		v.index[hash] = i
		v.classes = append(v.classes, &class{words: []word{{parent: -1}}, known: map[uint64]bool{}})
	}
	return v.classes[i]
}

// enter adds a history, unless it is known by whoever.
func (c *class) enter(x member) {
	if !c.known[x.id] {
		c.known[x.id] = true
		c.members = append(c.members, x)
	}
}

// add adds what a history was told behind a node to the words of its class.
func (v *verifier) add(c *class, at int32, m *Memo, children [][]int32, node int32, y history) error {
	for _, n := range children[node] {
		nd := &m.nodes[n]
		z := y.copy()
		z.read(nd)
		digest, ok := z.digest(nd)
		i := c.find(at, nd.masked)
		if i < 0 {
			i = int32(len(c.words))
			c.words[at].children = append(c.words[at].children, i)
			c.words = append(c.words, word{parent: at, key: nd.masked, obs: nd.obs, from: y, digest: digest, class: nd.class})
		}
		w := &c.words[i]
		if err := w.compare(digest, ok); err != nil {
			return err
		}
		if nd.class != 0 {
			w.class = nd.class
			continue
		}
		if err := v.add(c, i, m, children, n, z); err != nil {
			return err
		}
	}
	return nil
}

// compare compares what a history does on a word with what another has done.
func (w *word) compare(digest uint64, ok bool) error {
	switch {
	case !ok:
		return fmt.Errorf("%w: it uses what it made before and did not keep", ErrCheckpoint)
	case digest != w.digest:
		return fmt.Errorf("%w: two histories go on differently behind it", ErrCheckpoint)
	}
	return nil
}

// find returns the word that continues another, -1 if there is none.
func (c *class) find(at int32, key uint64) int32 {
	for _, i := range c.words[at].children {
		if c.words[i].key == key {
			return i
		}
	}
	return -1
}

// verify compares the members of a class that are new. A word that leads one of
// them to a further checkpoint makes it a member there.
func (v *verifier) verify(c *class) error {
	for ; c.told < len(c.members); c.told++ {
		for w := range c.words {
			// Running a word runs all that it continues.
			if len(c.words[w].children) > 0 {
				continue
			}
			if err := v.tell(&c.members[c.told], c, int32(w)); err != nil {
				return err
			}
			if v.run.fed-v.fed > mostFed {
				return fmt.Errorf("%w, or not: comparing the histories takes more than %d observations", ErrCheckpoint, mostFed)
			}
		}
	}
	return nil
}

// tell tells a member a word and compares what its code does.
func (v *verifier) tell(x *member, c *class, w int32) error {
	var words []int32
	for ; w > 0; w = c.words[w].parent {
		words = append(words, w)
	}
	m := v.run
	m.live = m.spawn(x.program)
	m.live.side.shadow = true
	m.liveNode = -1
	for i := range x.path {
		m.feed(&x.path[i])
	}
	y := x.at.copy()
	path, id := x.path, x.id
	for i := len(words) - 1; i >= 0; i-- {
		w := &c.words[words[i]]
		o := w.obs
		switch {
		case o.told:
			o.app = w.from.app.Told(o.app, y.app)
		case o.answer && y.asked.kind == waitQuery && y.asked.scope >= 0:
			o.value = w.from.app.Answer(int32(y.asked.scope), o.value, y.app)
		}
		if o.start.kind == startSpawned {
			o.start.arg += y.s.base.funcs - w.from.s.base.funcs
		}
		nd := m.feed(&o)
		y.read(&nd)
		digest, ok := y.digest(&nd)
		if err := w.compare(digest, ok); err != nil {
			return err
		}
		path, id = append(path[:len(path):len(path)], o), after(id, w.key)
		if w.class != 0 {
			next := member{id: id, program: x.program, path: path, at: y.copy()}
			next.at.begin(&nd)
			v.class(w.class).enter(next)
		}
	}
	return nil
}
