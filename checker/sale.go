package checker

import "strconv"

// The shops of a sale: one takes every write, the other refuses one whose
// token is lower than the highest it has seen, in a read or in a write.
const (
	PlainShop  = 0
	FencedShop = 1

	shops = 2
)

// SaleConfig says what [Sale] judges.
type SaleConfig struct {
	Clients int
	// Stock is the number of pieces that each shop has at first.
	Stock int
	// Tokens is true if the lock hands out tokens; else fenced-sale is n/a.
	Tokens bool
	// StopsAtDisconnect, Tickets and Leases are as in [LockConfig].
	StopsAtDisconnect bool
	Tickets           int
	Leases            bool
	_                 struct{}
}

// SaleProperties lists what [Sale] judges, in the order of its results.
func SaleProperties() []Property {
	return append([]Property{Oversold, Undersold, FencedSale}, RunProperties()...)
}

// Sale is the monitors of a sale under a lock, over Buy and BuyEnd and the
// events of the lock. The zero value is ready after Reset.
type Sale struct {
	cfg    SaleConfig
	ops    Lock
	shops  [shops]shop
	failed uint32 // bit i: property i of SaleProperties
	fails  [3]Result
}

// shop is what is known of the sales of one shop. Purchases that have begun and
// not ended, those of crashed clients included, may have sold a piece.
type shop struct {
	sold    int32
	open    []int32 // purchases by client, not ended
	unknown int32   // of clients that crashed
	counted []bool  // by client: open at the first refusal
	refused bool    // somebody was told that all is sold out
	// possible is how many pieces can have been sold before the first refusal.
	possible int32
}

// Reset forgets everything and judges by cfg from now on.
func (s *Sale) Reset(cfg SaleConfig) {
	s.cfg, s.failed = cfg, 0
	s.ops.Reset(LockConfig{
		Clients: cfg.Clients, Shared: true, StopsAtDisconnect: cfg.StopsAtDisconnect, Reentrant: true, Tickets: cfg.Tickets,
		Leases: cfg.Leases,
	})
	for i := range s.shops {
		h := &s.shops[i]
		*h = shop{open: append(h.open[:0], make([]int32, cfg.Clients)...), counted: append(h.counted[:0], make([]bool, cfg.Clients)...)}
	}
	s.fails = [3]Result{passed(Oversold, LevelBelief), passed(Undersold, LevelBelief), passed(FencedSale, LevelFenced)}
	if !cfg.Tokens {
		s.fails[2].Verdict, s.fails[2].Why = NotApplicable, "the lock hands out no tokens"
	}
}

// Observe judges the next event.
func (s *Sale) Observe(e *Event) {
	switch e.Kind {
	case Buy:
		s.shops[e.Arg].open[e.Client]++
	case BuyEnd:
		s.bought(e)
	case Crash, Restart:
		for i := range s.shops {
			s.shops[i].crashed(int(e.Client))
		}
		s.ops.Observe(e)
	default:
		s.ops.Observe(e)
	}
}

// crashed: nobody will know of the client's open purchases.
func (h *shop) crashed(client int) {
	h.unknown += h.open[client]
	h.open[client], h.counted[client] = 0, false
}

// bought judges the end of a purchase.
func (s *Sale) bought(e *Event) {
	h := &s.shops[e.Arg]
	h.open[e.Client] = max(h.open[e.Client]-1, 0)
	counted := h.counted[e.Client]
	h.counted[e.Client] = false
	stock := int32(s.cfg.Stock)
	switch {
	case e.Text == "" && e.N > 0:
		h.sold++
		if h.sold > stock {
			s.fail(e, 0, name(e.Client)+" was sold a piece at "+seconds(e.At)+", number "+strconv.Itoa(int(h.sold))+" of "+strconv.Itoa(s.cfg.Stock))
		}
		return
	case counted:
		h.possible-- // it had not sold one
	case e.Text != "" || h.refused:
	default:
		h.refused, h.possible = true, h.sold+h.unknown
		for i, n := range h.open {
			h.possible += n
			h.counted[i] = n > 0
		}
	}
	if h.refused && h.possible < stock {
		s.fail(e, 1, name(e.Client)+"'s purchase ended at "+seconds(e.At)+" without a piece: somebody was told that all is sold out, and "+
			strconv.Itoa(int(h.possible))+" of "+strconv.Itoa(s.cfg.Stock)+" can have been sold before")
	}
}

// fail notes the first failure of a property: i of the plain shop, that of the
// other shop in any case.
func (s *Sale) fail(e *Event, i int, why string) {
	if e.Arg == FencedShop {
		i = 2
	}
	if s.fails[i].Verdict != Pass {
		return
	}
	s.failed |= 1 << i
	r := &s.fails[i]
	r.Verdict, r.Why, r.Client, r.At = Failed, why, e.Client, e.At
}

// Believes reports whether the client believes that it holds the lock.
func (s *Sale) Believes(client int) bool { return s.ops.Believes(client) }

// Failed is true as soon as some property has failed.
func (s *Sale) Failed() bool { return s.FailedBits() != 0 }

// FailedBits has bit i set when property i of [SaleProperties] has failed.
func (s *Sale) FailedBits() uint32 { return s.failed | s.ops.RunBits()<<3 }

// Finish gives one result a property, in the order of [SaleProperties].
func (s *Sale) Finish(history []Event) []Result {
	return s.ops.AppendRunResults(append([]Result(nil), s.fails[:]...), history)
}

// CopyInto makes dst an independent copy.
func (s *Sale) CopyInto(dst *Sale) {
	dst.cfg, dst.failed, dst.fails = s.cfg, s.failed, s.fails
	s.ops.CopyInto(&dst.ops)
	for i := range s.shops {
		open, counted := dst.shops[i].open, dst.shops[i].counted
		dst.shops[i] = s.shops[i]
		dst.shops[i].open = append(open[:0], s.shops[i].open...)
		dst.shops[i].counted = append(counted[:0], s.shops[i].counted...)
	}
}

// HashClient and HashRest, or HashRanked, write all that later verdicts depend
// on, as those of [Lock] do.
func (s *Sale) HashClient(h Hasher, client int) {
	s.ops.HashClient(h, client)
	for i := range s.shops {
		h.Uint64(uint64(uint32(s.shops[i].open[client]))<<1 | bit(s.shops[i].counted[client]))
	}
}

// HashRest is described at HashClient.
func (s *Sale) HashRest(h Hasher) {
	s.ops.HashRest(h)
	s.hashShops(h)
}

// HashRanked is described at HashClient.
func (s *Sale) HashRanked(h Hasher, rank func(zxid int64) uint64) {
	s.ops.HashRanked(h, rank)
	s.hashShops(h)
	for client := range s.cfg.Clients {
		for i := range s.shops {
			h.Uint64(uint64(uint32(s.shops[i].open[client]))<<1 | bit(s.shops[i].counted[client]))
		}
	}
}

func (s *Sale) hashShops(h Hasher) {
	for i := range s.shops {
		x := &s.shops[i]
		h.Uint64(uint64(uint32(x.unknown)))
		h.Uint64(uint64(uint32(x.sold))<<32 | uint64(uint32(x.possible))<<1 | bit(x.refused))
	}
}
