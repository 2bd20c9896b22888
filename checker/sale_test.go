package checker

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSale(t *testing.T) {
	buy := func(client int32, shop int64) Event { return Event{Kind: Buy, Client: client, Arg: shop} }
	end := func(client int32, shop, n int64) Event { return Event{Kind: BuyEnd, Client: client, Arg: shop, N: n} }
	stale := func(client int32) Event {
		return Event{Kind: BuyEnd, Client: client, Arg: FencedShop, Text: "refused"}
	}
	crash := func(client int32) Event { return Event{Kind: Crash, Client: client} }
	for _, c := range []struct {
		about  string
		stock  int
		events []Event
		failed []Property
	}{
		{"all sold, one refused", 1, []Event{buy(0, 0), end(0, 0, 1), buy(1, 0), end(1, 0, 0)}, nil},
		{"the same piece twice", 1, []Event{buy(0, 0), buy(1, 0), end(0, 0, 1), end(1, 0, 1)}, []Property{Oversold}},
		{"refused while one is left", 2, []Event{buy(0, 0), end(0, 0, 1), buy(1, 0), end(1, 0, 0)}, []Property{Undersold}},
		{"refused while another buys the last", 1, []Event{buy(0, 0), buy(1, 0), end(1, 0, 0), end(0, 0, 1)}, nil},
		{"both refused", 1, []Event{buy(0, 0), buy(1, 0), end(1, 0, 0), end(0, 0, 0)}, []Property{Undersold}},
		{"refused behind a crash that may have sold it", 1, []Event{buy(0, 0), crash(0), buy(1, 0), end(1, 0, 0)}, nil},
		{"the crashed client's next purchase is another", 1, []Event{
			buy(0, 0), buy(1, 0), crash(0), end(1, 0, 0), {Kind: Restart}, buy(0, 0), end(0, 0, 0),
		}, nil},
		{"fenced: the same piece twice", 1, []Event{buy(0, 1), end(0, 1, 1), buy(1, 1), end(1, 1, 1)}, []Property{FencedSale}},
		{"fenced: a stale one sells nothing", 1, []Event{buy(0, 1), buy(1, 1), end(1, 1, 1), stale(0)}, nil},
		{"fenced: refused for a stale one", 1, []Event{buy(0, 1), buy(1, 1), end(1, 1, 0), stale(0)}, []Property{FencedSale}},
	} {
		var s, copied Sale
		s.Reset(SaleConfig{Clients: 2, Stock: c.stock, Tokens: true})
		for i := range c.events {
			s.Observe(&c.events[i])
			s.CopyInto(&copied)
			s = copied
			copied = Sale{}
		}
		var failed []Property
		for i, r := range s.Finish(nil) {
			require.Equal(t, SaleProperties()[i], r.Property)
			require.Equal(t, r.Verdict == Failed, s.FailedBits()>>i&1 == 1, c.about)
			if r.Verdict == Failed {
				failed = append(failed, r.Property)
			}
		}
		require.Equal(t, c.failed, failed, c.about)
	}
	var s Sale
	s.Reset(SaleConfig{Clients: 1, Stock: 1})
	require.Equal(t, NotApplicable, s.Finish(nil)[2].Verdict)
}
