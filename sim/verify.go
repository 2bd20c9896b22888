package sim

import (
	"errors"
	"fmt"
	"slices"
)

// Verified counts what [VerifyCheckpoints] compared.
type Verified struct {
	// Classes counts the checkpoints at which histories were taken for one,
	// Histories those, Fed the observations fed to code to compare them.
	Classes, Histories, Fed int
}

// ErrCheckpoint says that a checkpoint is none.
var ErrCheckpoint = errors.New("the code depends on more of its past than its checkpoint declares")

// CheckpointError is an [ErrCheckpoint] about a kind of checkpoints.
type CheckpointError struct {
	Kind MarkKind
	Why  string
}

// Error implements error.
func (e *CheckpointError) Error() string { return ErrCheckpoint.Error() + e.Why }

// Unwrap returns [ErrCheckpoint].
func (e *CheckpointError) Unwrap() error { return ErrCheckpoint }

// Each calls do(w, i) for every i below n, for each w below the number of memos
// one after another; the calls for different w may be made at once.
type Each func(n int, do func(w, i int))

// VerifyCheckpoints compares, for each checkpoint, all the histories that the
// memos of a search took for one there: whatever any of them was told
// afterwards, up to the next checkpoint, is told to each of the others, and
// the code must do the same. An error means that the search is no proof. each
// spreads the work over the memos; nil lets the first do all.
//
// A checkpoint at the head of a loop is passed again and again: histories that
// have passed it mostPasses times are told nothing more.
func VerifyCheckpoints(memos []*Memo, each Each) (Verified, error) {
	if each == nil {
		each = inTurn
	}
	v := verifier{index: map[uint64]int{}}
	before := 0
	for _, m := range memos {
		if m.torn != nil {
			return v.count, m.torn
		}
		if err := v.collect(m); err != nil {
			return v.count, err
		}
		v.tellers = append(v.tellers, teller{v: &v, run: m})
		before += m.fed
	}
	for v.left() {
		if v.cost > mostFed {
			return v.count, &CheckpointError{v.dearest, fmt.Sprintf(", or not: comparing the histories takes more than %d observations", mostFed)}
		}
		each(len(v.todo), func(w, i int) { v.tellers[w].tellAll(&v.todo[i]) })
		if err := v.merge(); err != nil {
			return v.count, err
		}
	}
	for _, c := range v.classes {
		if len(c.members) > 1 {
			v.count.Classes++
			v.count.Histories += len(c.members)
		}
	}
	v.count.Fed = -before
	for _, m := range memos {
		v.count.Fed += m.fed
	}
	return v.count, nil
}

// mostFed bounds what a comparison costs. Histories with several checkpoints
// behind each other multiply.
const mostFed = 10_000_000

// mostPasses is how often a history passes one checkpoint while it is compared.
const mostPasses = 3

// verifier is the state of VerifyCheckpoints.
type verifier struct {
	classes []*class
	index   map[uint64]int
	count   Verified
	tellers []teller
	todo    []pending
	cost    int      // of all that was and is to be told, in observations
	dearest MarkKind // the kind of the checkpoint that costs most of what is left
}

// pending is a member that is to be told everything that its class was told.
type pending struct {
	class  *class
	member int
}

// left lists what is to be told to members that are new.
func (v *verifier) left() bool {
	v.todo = v.todo[:0]
	most := 0
	for _, c := range v.classes {
		if len(c.members) < 2 {
			continue
		}
		before := v.cost
		for ; c.told < len(c.members); c.told++ {
			v.todo = append(v.todo, pending{c, c.told})
			v.cost += c.cost(len(c.members[c.told].path))
		}
		if v.cost-before > most {
			most, v.dearest = v.cost-before, c.kind
		}
	}
	return len(v.todo) > 0
}

// merge takes in the members that were found.
func (v *verifier) merge() error {
	for i := range v.tellers {
		t := &v.tellers[i]
		if t.err != nil {
			return t.err
		}
		for _, f := range t.found {
			v.class(f.class).enter(f.member)
		}
		t.found = t.found[:0]
	}
	return nil
}

// class is a checkpoint: the histories that reach it, and all that they were
// told and did afterwards.
type class struct {
	hash    uint64
	kind    MarkKind
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
	passed  []uint64 // the classes of its checkpoints but the last
	at      history
}

// passes counts how often a history that has passed the given checkpoints has
// passed one of them.
func passes(passed []uint64, class uint64) int {
	n := 0
	for _, c := range passed {
		if c == class {
			n++
		}
	}
	return n
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
			if c := m.nodes[n].class; c != 0 && n != int32(i) {
				x.passed = append(x.passed, c)
			}
		}
		x.at.begin(nd)
		c := v.class(nd.class)
		c.kind = nd.outs[len(nd.outs)-1].mark()
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
		v.classes = append(v.classes, &class{hash: hash, words: []word{{parent: -1}}, known: map[uint64]bool{}})
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
		key := y.key(nd)
		i := c.find(at, key)
		if i < 0 {
			i = int32(len(c.words))
			c.words[at].children = append(c.words[at].children, i)
			c.words = append(c.words, word{parent: at, key: key, obs: nd.obs, from: y, digest: digest, class: nd.class})
		}
		w := &c.words[i]
		if err := c.compare(w, digest, ok); err != nil {
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
func (c *class) compare(w *word, digest uint64, ok bool) error {
	switch {
	case !ok:
		return &CheckpointError{c.kind, ": it uses what it made before and did not keep"}
	case digest != w.digest:
		return &CheckpointError{c.kind, ": two histories go on differently behind it"}
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

// cost is the number of observations that a member is told with a history of
// the given length.
func (c *class) cost(length int) int {
	n := 0
	for w := range c.words {
		if len(c.words[w].children) > 0 {
			continue
		}
		n += length
		for at := int32(w); at > 0; at = c.words[at].parent {
			n++
		}
	}
	return n
}

// teller tells members what others were told.
type teller struct {
	v     *verifier
	run   *Memo // runs code
	found []foundMember
	err   error
	told  []observation // scratch
	words []int32       // scratch
}

// foundMember is a member of a further checkpoint.
type foundMember struct {
	class uint64
	member
}

// tellAll tells a member all that its class was told.
func (t *teller) tellAll(p *pending) {
	c := p.class
	for w := range c.words {
		// Running a word runs all that it continues.
		if len(c.words[w].children) == 0 && t.err == nil {
			t.err = t.tell(&c.members[p.member], c, int32(w))
		}
	}
}

// tell tells a member a word and compares what its code does. A word that leads
// it to a further checkpoint makes it a member there.
func (t *teller) tell(x *member, c *class, w int32) error {
	t.words = t.words[:0]
	for ; w > 0; w = c.words[w].parent {
		t.words = append(t.words, w)
	}
	m := t.run
	m.live = m.spawn(x.program)
	m.live.side.shadow = true
	m.liveNode = -1
	for i := range x.path {
		m.replay(&x.path[i])
	}
	y := x.at.copy()
	t.told = append(t.told[:0], x.path...)
	id := x.id
	passed := append(slices.Clip(x.passed), c.hash)
	for i := len(t.words) - 1; i >= 0; i-- {
		w := &c.words[t.words[i]]
		o := w.obs
		switch {
		case o.told:
			o.app = w.from.app.Told(o.app, y.app)
		case !o.answer || y.asked.kind != waitQuery:
		case int32(y.asked.scope) == queryNow:
			o.value += int64(y.s.clock - w.from.s.clock)
		case y.asked.scope >= 0:
			o.value = w.from.app.Answer(int32(y.asked.scope), o.value, y.app)
		}
		if o.start.kind == startSpawned {
			o.start.arg += y.s.base.funcs - w.from.s.base.funcs
		}
		nd := m.feed(&o)
		y.read(&nd)
		digest, ok := y.digest(&nd)
		if err := c.compare(w, digest, ok); err != nil {
			return err
		}
		t.told, id = append(t.told, o), after(id, w.key)
		if w.class == 0 {
			continue
		}
		if to := t.v.classes[t.v.index[w.class]]; !to.known[id] && passes(passed, w.class) < mostPasses {
			next := member{id: id, program: x.program, path: slices.Clone(t.told), passed: passed, at: y.copy()}
			next.at.begin(&nd)
			t.found = append(t.found, foundMember{w.class, next})
		}
	}
	return nil
}
