package scenarios

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/sim"
)

// Without a lock pieces are sold twice and no fault is needed; under each
// correct lock they are not.
func TestSalesWithoutFaults(t *testing.T) {
	for _, v := range Variants("sale") {
		if !v.Correct && v.Name != "sale/none" {
			continue
		}
		s := Default(v.Name)
		s.Mode, s.Stock = ModeBlocking, 6
		r := newRunner(t, s)
		oversold := 0
		for seed := range uint64(200) {
			for _, x := range r.Run(sim.NewRandom(seed)).Results {
				if x.Verdict == checker.Failed {
					require.Equal(t, checker.Oversold, x.Property, x.Why)
					oversold++
				}
			}
			if v.Name != "sale/none" {
				require.Equal(t, 6, pieces(r.History(), checker.PlainShop), "%s seed %d", v.Name, seed)
			}
		}
		// There are as many pieces as purchases: nothing can be sold beyond them.
		require.Zero(t, oversold, v.Name)
	}
	s := Default("sale/none")
	s.Arrivals, s.Stock = ArriveTogether, 1
	r := newRunner(t, s)
	require.Equal(t, 3, r.s.Clients)
	oversold := 0
	for seed := range uint64(50) {
		r.Run(sim.NewRandom(seed))
		if pieces(r.History(), checker.PlainShop) > 1 {
			oversold++
		}
	}
	require.Greater(t, oversold, 25)
}

// pieces is how many were sold in a shop.
func pieces(h []checker.Event, shop int64) int {
	n := 0
	for i := range h {
		if e := &h[i]; e.Kind == checker.BuyEnd && e.Arg == shop && e.N == 1 {
			n++
		}
	}
	return n
}

// Under a lock with tokens the plain shop is oversold when a buyer is paused,
// and the fenced one, beside it, is not, whatever happens.
func TestFencedShopIsNeverOversold(t *testing.T) {
	s := Default("sale/fenced")
	s.Faults = everyFault()
	r := newRunner(t, s)
	oversold, refused := 0, 0
	for seed := range uint64(1000) {
		for _, x := range r.Run(sim.NewRandom(seed)).Results {
			switch x.Property {
			case checker.Oversold:
				if x.Verdict == checker.Failed {
					oversold++
				}
			case checker.FencedSale, checker.Undersold:
				require.Equal(t, checker.Pass, x.Verdict, x.Why)
			}
		}
		for _, e := range r.History() {
			if e.Kind == checker.BuyEnd && e.Text == errStaleToken {
				refused++
			}
		}
	}
	require.Positive(t, oversold)
	require.Positive(t, refused)
}

// The flash sale of seed 001, with a stock: five buyers, four seconds of work, a
// wait limit of five seconds. Two get the lock; with one piece the second finds
// all sold out.
func TestFlashSale(t *testing.T) {
	for stock, want := range map[int]int{1: 1, 2: 2, 3: 2} {
		s := Default("sale/curator")
		s.Clients, s.Ops, s.Mode, s.Arrivals, s.Stock = 5, 1, ModeTimed, ArriveTogether, stock
		s.Limit, s.Hold, s.FixedHold = 5*time.Second, 4*time.Second, true
		r := newRunner(t, s)
		for seed := range uint64(50) {
			require.Empty(t, failures(r.Run(sim.NewRandom(seed))), "seed %d", seed)
			require.Equal(t, want, pieces(r.History(), checker.PlainShop), "stock %d", stock)
		}
	}
}
