package scenarios

import (
	"context"
	"strconv"

	"zoosim/checker"
	"zoosim/recipes/lock"
	"zoosim/recipes/zk"
)

// saleFamily is sales under locks (ticket sale, flash sale): a buyer that has
// the lock reads how many pieces are left, works, and writes one less, unless it
// knows by then that its session is over. It does so in two shops: one takes
// every write, the other, where the lock hands out tokens, refuses stale ones.
func saleFamily() *family {
	return &family{
		name: "sale", dir: "/lock", what: "purchase", baseline: "sale/zkdocs", stock: true,
		properties: checker.SaleProperties(),
		sizes:      func(s *Scenario) { s.Stock = 4 },
		variants:   ofSales,
		judge:      func() judge { return &saleJudge{} },
		tell:       tellSale,
		keep:       Reductions{Private: true, Done: true},
	}
}

// ofSales lists a sale without a lock, and one with each.
func ofSales() []Variant {
	all := []Variant{ofSale(lock.Variant{
		Name: "lock/none", Source: "no lock at all",
		Algorithm: "Whoever wants to buy reads the stock and writes one less.",
		Library:   zk.LibraryCurator, Timed: true, Try: true,
		New: func(context.Context, zk.Client, zk.Env, string) (lock.Lock, error) { return noLock{}, nil },
	})}
	for _, v := range lock.Variants() {
		all = append(all, ofSale(v))
	}
	return all
}

// ofSale is a sale under a lock.
func ofSale(v lock.Variant) Variant {
	o := OfLock(v)
	o.Name = "sale/" + shortName(v.Name)
	o.Algorithm = "A sale under " + v.Name + ".\n" + v.Algorithm
	o.family = saleFamily()
	o.FIFO, o.MaxFanOut = false, 0
	if v.New != nil {
		o.actor = func() actor { return &saleActor{lockActor{make: v.New}} }
	}
	return o
}

// noLock is granted to everybody.
type noLock struct{}

func (noLock) Acquire(context.Context) error                             { return nil }
func (noLock) AcquireTimeout(context.Context, zk.Duration) (bool, error) { return true, nil }
func (noLock) TryAcquire(context.Context) (bool, error)                  { return true, nil }
func (noLock) Release(context.Context) error                             { return nil }

// saleJudge is the monitors of a sale.
type saleJudge struct{ checker.Sale }

func (j *saleJudge) reset(r *Runner) {
	v := &r.variant
	j.Reset(checker.SaleConfig{
		Clients: r.s.Clients, Stock: r.s.Stock, Tokens: v.Tokens, StopsAtDisconnect: v.StopsAtDisconnect, Tickets: v.Tickets,
		Leases: v.Store != zk.StoreNone,
	})
}

func (j *saleJudge) copyInto(dst judge) { j.Sale.CopyInto(&dst.(*saleJudge).Sale) }

// saleActor is a buyer and its lock.
type saleActor struct{ lockActor }

// perform is one purchase: acquire, buy in both shops, release.
func (x *saleActor) perform(ctx context.Context, w *worker, a *acquisition) {
	op, ok := w.acquire(a, func() (bool, error) { return x.attempt(ctx, w, a) }, func() (int64, int64) { return x.token(), 0 })
	if !ok {
		return
	}
	_, tokened := x.lock.(lock.Tokened)
	shops := checker.FencedShop
	if tokened {
		shops++
	}
	belief := x.believe(w)
	defer belief.end()
	var left [2]int64
	var stale [2]bool
	for shop := range shops {
		w.record(checker.Buy, op, int64(shop), 0, "")
		n, accepted := w.p.Stock(shop, x.tokenFor(shop))
		left[shop], stale[shop] = n, !accepted
	}
	w.hold(ctx, a)
	for shop := range shops {
		sold, why := int64(0), ""
		switch {
		case stale[shop]:
			why = errStaleToken
		case belief.over():
			why = "the session, or the lease, is over"
		case left[shop] == 0:
		case w.p.SetStock(shop, x.tokenFor(shop), left[shop]-1):
			sold = 1
		default:
			why = errStaleToken
		}
		w.record(checker.BuyEnd, op, int64(shop), sold, why)
	}
	w.release(op, func() error { return x.lock.Release(ctx) })
}

// belief is a buyer's that it has the lock, as far as it can know.
type belief struct {
	w       *worker
	session int64
	lease   lock.Leased // of a lock whose holds end by themselves; it asks its clock
	told    zk.Latch    // opened by session events, for locks that stop at Disconnected
}

func (x *saleActor) believe(w *worker) belief {
	if l, ok := x.lock.(lock.Leased); ok {
		return belief{lease: l}
	}
	b := belief{w: w, session: w.client.SessionID()}
	if w.g.variant.StopsAtDisconnect {
		b.told = w.p.Env().NewLatch()
		w.client.AddListener(b.told)
	}
	return b
}

// over reports whether the buyer has been told that its session is over, or may
// be, or its clock says so of its lease.
func (b *belief) over() bool {
	if b.lease != nil {
		return !b.lease.Live()
	}
	c := b.w.client
	return c.SessionID() != b.session || c.State() == zk.Expired || b.told != nil && b.told.IsOpen()
}

func (b *belief) end() {
	if b.told != nil {
		b.w.client.RemoveListener(b.told)
	}
}

// errStaleToken is why a shop sells nothing.
const errStaleToken = "the token is stale"

// tokenFor is the token that a shop is shown.
func (x *saleActor) tokenFor(shop int) int64 {
	if shop == checker.FencedShop {
		return x.token()
	}
	return 0
}

// tellSale says what a buyer does.
func tellSale(e *checker.Event) string {
	where := ""
	if e.Arg == checker.FencedShop {
		where = " in the fenced shop"
	}
	switch e.Kind {
	case checker.Buy:
		return "wants to buy" + where
	case checker.BuyEnd:
		switch {
		case e.Text != "":
			return "buys nothing" + where + ": " + e.Text
		case e.N == 0:
			return "finds all SOLD OUT" + where
		}
		return "BUYS " + strconv.FormatInt(e.N, 10) + " piece" + where
	}
	return tellLock(e)
}
