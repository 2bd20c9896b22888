package scenarios

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"

	"zoosim/checker"
	"zoosim/recipes/queue"
	"zoosim/zkmodel"
)

// queueFamily is queues: producers put items, of which each is told from every
// other by its number, and consumers take them.
func queueFamily() *family {
	return &family{
		name: "queue", dir: "/queue", what: "operation", baseline: "queue/zkdocs",
		roles: []role{roleProducer, roleConsumer}, serial: []role{roleConsumer, roleProducer},
		properties: checker.QueueFamilyProperties(), byHistory: []checker.Property{checker.Linearizable},
		sizes:    func(s *Scenario) { s.Producers, s.Consumers = 2, 2 },
		variants: func() []Variant { return ofQueues(queue.Variants()) },
		judge:    func() judge { return &queueJudge{} },
		applied:  queueApplied,
		tell:     tellQueue,
		keep:     Reductions{Private: true, Done: true},
		core:     true,
	}
}

func ofQueues(vs []queue.Variant) []Variant {
	all := make([]Variant, len(vs))
	for i, v := range vs {
		all[i] = Variant{
			Recipe: v.Recipe, Timed: v.Timed, Try: v.Try, NeverBlocks: v.NeverBlocks, FIFO: v.FIFO, MaxFanOut: v.MaxFanOut,
			AtMostOnce: v.AtMostOnce, Priorities: v.Priorities, Locks: v.Locks, family: queueFamily(),
			itemDir: v.ItemDir, lockDir: v.LockDir,
			actor: func() actor { return &queueActor{v: &vs[i]} },
		}
	}
	return all
}

// queueJudge is the monitors of a queue, and what they know an item by.
type queueJudge struct {
	checker.Queue
	stored []storedItem
}

// storedItem is the znode of an item.
type storedItem struct {
	path string
	item int64
}

func (j *queueJudge) reset(r *Runner) {
	v := &r.variant
	j.Queue.Reset(checker.QueueFamilyConfig{
		Clients: r.s.Clients, Priorities: v.Priorities, AtMostOnce: v.AtMostOnce, FIFO: v.FIFO, Locks: v.Locks, Core: r.s.Core,
		MaxFanOut: v.MaxFanOut,
	})
	j.stored = j.stored[:0]
}

func (j *queueJudge) copyInto(dst judge) {
	d := dst.(*queueJudge)
	j.Queue.CopyInto(&d.Queue)
	d.stored = append(d.stored[:0], j.stored...)
}

// find is the place of the item whose znode is at a path, -1 for none.
func (j *queueJudge) find(path string) int {
	for i := range j.stored {
		if j.stored[i].path == path {
			return i
		}
	}
	return -1
}

// itemMark begins the data of an item, as "item 65537".
const itemMark = "item "

// itemNumber is the number of a client's item. It tells who put it.
func itemNumber(client int, op int32) int64 { return int64(client+1)<<16 | int64(op) }

// itemName is an item's number as stories have it: "A0" for A's first.
func itemName(n int64) string {
	return checker.ClientName(int(n>>16)-1) + strconv.FormatInt(n&0xffff, 10)
}

// itemData is the data of an item, filled up with blanks.
func itemData(n int64, least int) []byte {
	data := []byte(itemMark + strconv.FormatInt(n, 10))
	if len(data) < least {
		data = append(data, bytes.Repeat([]byte{' '}, least-len(data))...)
	}
	return data
}

// itemOf reads the number of an item from the data of its znode, whatever a
// recipe has put around it.
func itemOf(data []byte) (int64, bool) {
	_, rest, ok := bytes.Cut(data, []byte(itemMark))
	end := 0
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(string(rest[:end]), 10, 64)
	return n, ok && err == nil
}

// queueApplied makes events of the znodes of items and of their locks. A lock
// is a ticket as well, an item is none.
func queueApplied(r *Runner, t *zkmodel.Txn) (ticket bool) {
	j := r.monitor.judge.(*queueJudge)
	client := r.ownerOf(t.Session)
	if t.Cause == zkmodel.CauseExpiry || t.Cause == zkmodel.CauseClose {
		client = -1 // nobody has asked for it
	}
	dir, name := path.Split(t.Path)
	dir = strings.TrimSuffix(dir, "/")
	v := &r.variant
	switch dir {
	case r.dir() + v.itemDir:
		if t.Op == zkmodel.OpDelete {
			if i := j.find(t.Path); i >= 0 {
				r.itemEvent(checker.ItemDelete, client, j.stored[i].item, t)
				j.stored = append(j.stored[:i], j.stored[i+1:]...)
			}
			return false
		}
		if item, ok := itemOf(r.world.Carried()); ok && t.Op != zkmodel.OpSetData {
			j.stored = append(j.stored, storedItem{t.Path, item})
			r.itemEvent(checker.ItemCreate, client, item, t)
		}
		return false
	case r.dir() + v.lockDir:
		if i := j.find(r.dir() + v.itemDir + "/" + name); i >= 0 {
			k := checker.ItemLock
			if t.Op == zkmodel.OpDelete {
				k = checker.ItemUnlock
			}
			r.itemEvent(k, client, j.stored[i].item, t)
		}
	}
	return true
}

func (r *Runner) itemEvent(k checker.Kind, client int, item int64, t *zkmodel.Txn) {
	e := r.event(k, client)
	e.N, e.Text = item, t.Path
	if k == checker.ItemCreate {
		e.Arg = int64(t.Notified)
	}
	if k == checker.ItemDelete && client >= 0 {
		if c := r.clients[client].current; c != nil && c.SessionID() != t.Session {
			e.Arg = 1
		}
	}
	r.observe()
}

// queueActor is a process's end of a queue.
type queueActor struct {
	v *queue.Variant
	q queue.Queue
}

// perform is one put, or one take.
func (x *queueActor) perform(ctx context.Context, w *worker, a *acquisition) {
	if w.g.role == roleProducer {
		x.put(ctx, w)
		return
	}
	var item int64
	op, ok := w.acquire(a, func() (bool, error) {
		data, ok, err := x.take(ctx, w, a)
		if ok && err == nil {
			if item, ok = itemOf(data); !ok {
				return false, fmt.Errorf("the queue returned %q, which is no item", data)
			}
		}
		return ok, err
	}, func() (int64, int64) { return 0, item })
	if !ok {
		return
	}
	if a.hold > 0 {
		_ = w.p.Env().Sleep(ctx, a.hold)
	}
	if acker, ok := x.q.(queue.Acker); ok {
		w.release(op, func() error { return acker.Ack(ctx) })
	}
}

// put puts an item. A put that failed may have made it: the next attempt is
// one of another item, unless the scenario says otherwise.
func (x *queueActor) put(ctx context.Context, w *worker) {
	first := w.op
	for range w.g.attempts {
		op := w.op
		w.op++
		number := itemNumber(w.g.client, op)
		if w.g.samePut {
			number = itemNumber(w.g.client, first)
		}
		priority := 0
		if x.v.Priorities && op%2 == 1 {
			priority = -1
		}
		w.record(checker.Put, op, int64(priority), number, "")
		err := x.open(ctx, w)
		if err == nil {
			data := itemData(number, w.g.itemBytes)
			if p, ok := x.q.(queue.Prioritized); ok && priority < 0 {
				err = p.PutPriority(ctx, data, 1)
			} else {
				err = x.q.Put(ctx, data)
			}
		}
		w.record(checker.PutEnd, op, 0, number, errText(err))
		if err == nil {
			return
		}
	}
}

// open makes the queue within the first operation.
func (x *queueActor) open(ctx context.Context, w *worker) (err error) {
	if x.q == nil {
		x.q, err = x.v.New(ctx, w.client, w.p.Env(), w.g.dir)
		if err != nil {
			x.q = nil
		}
	}
	return err
}

func (x *queueActor) take(ctx context.Context, w *worker, a *acquisition) ([]byte, bool, error) {
	if err := x.open(ctx, w); err != nil {
		return nil, false, err
	}
	switch a.mode {
	case checker.TimedMode:
		return x.q.(queue.Timed).TakeTimeout(ctx, a.limit)
	case checker.TryMode:
		return x.q.(queue.Try).TryTake(ctx)
	}
	data, err := x.q.Take(ctx)
	return data, err == nil, err
}

// tellQueue says what a client does.
func tellQueue(e *checker.Event) string {
	switch e.Kind {
	case checker.Put:
		s := "puts item " + itemName(e.N)
		if e.Arg < 0 {
			s += " with a higher priority"
		}
		return s
	case checker.PutEnd:
		if e.Text != "" {
			return "fails to put item " + itemName(e.N) + ": " + e.Text
		}
		return "has put item " + itemName(e.N)
	case checker.Invoke:
		return "wants an item (" + modeText(e) + ")"
	case checker.Grant:
		return "TAKES item " + itemName(e.N)
	case checker.Refuse:
		return "gets no item"
	case checker.Fail:
		return "fails to take an item: " + e.Text
	case checker.ReleaseInvoke:
		return "is done with the item"
	case checker.ReleaseReturn:
		if e.Text != "" {
			return "fails to say so: " + e.Text
		}
		return "has said so"
	}
	return tellLife(e)
}
