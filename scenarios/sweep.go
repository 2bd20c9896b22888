package scenarios

import (
	"context"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"zoosim/sim"
)

// SweepOptions are the settings of [Sweep].
type SweepOptions struct {
	// Family is that of the variants; default "lock".
	Family string
	Seed   uint64
	// Seeds is the number of runs a point, default 30.
	Seeds int
	// Clients are the numbers of clients, in increasing order.
	Clients []int
	// Workers and Progress are as in [CompareOptions].
	Workers  int
	Progress func(done, total int)
	_        struct{}
}

// DefaultSweepSeeds is the default number of runs a point.
const DefaultSweepSeeds = 30

// Sweep counts what the standard workload of every variant of a family costs for
// each number of clients.
func Sweep(ctx context.Context, o SweepOptions) (*SweepReport, error) {
	if o.Seeds == 0 {
		o.Seeds = DefaultSweepSeeds
	}
	if o.Family == "" {
		o.Family = "lock"
	}
	variants := Variants(o.Family)
	n := len(variants) * len(o.Clients)
	points := make([]SweepPoint, n)
	errs := make([]error, n)
	done := newCounter(n, o.Progress)
	// The largest worlds first, so that no worker is left alone with one.
	err := parallel(ctx, n, o.Workers, func(i int) {
		v, c := i%len(variants), len(o.Clients)-1-i/len(variants)
		p := &points[v*len(o.Clients)+c]
		*p, errs[i] = sweepPoint(ctx, variants[v].Name, o.Clients[c], &o)
		done.add()
	})
	if err != nil {
		return nil, err
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	rep := &SweepReport{Family: o.Family, FirstSeed: o.Seed, Seeds: o.Seeds, Points: points, Slopes: map[string]float64{}}
	for i := range variants {
		if slope, ok := logSlope(points[i*len(o.Clients) : (i+1)*len(o.Clients)]); ok {
			rep.Slopes[variants[i].Name] = slope
		}
	}
	return rep, nil
}

// sweepPoint is the mean over the seeds for one variant and number of clients.
func sweepPoint(ctx context.Context, variant string, clients int, o *SweepOptions) (SweepPoint, error) {
	p := SweepPoint{Variant: variant, Clients: clients, Writers: clients, Requests: map[string]float64{}}
	s := Standard(variant, clients)
	if s.Writers+s.Readers > 0 {
		p.Writers, p.Readers = s.Writers, s.Readers
	}
	r, err := NewRunner(s)
	if err != nil {
		return p, err
	}
	defer r.Close()
	r.keepHistory = false
	st := sim.NewRandom(0)
	for i := 0; i < o.Seeds && ctx.Err() == nil; i++ {
		st.Seed(o.Seed + uint64(i))
		r.Run(st)
		s := r.Metrics()
		p.Notifications += float64(s.Notifications)
		p.MaxFanOut += float64(s.MaxFanOut)
		p.RequestTotal += float64(s.RequestTotal)
		p.WastedWakeups += float64(s.WastedWakeups)
		p.ListingBytes += float64(s.ListingBytes)
		p.WaitMedianMS += ms(s.WaitMedian)
		p.WaitP95MS += ms(s.WaitP95)
		p.WaitP99MS += ms(s.WaitP99)
		for _, c := range s.Requests {
			p.Requests[c.Name] += float64(c.Count)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Requests)) {
		p.Requests[name] /= float64(o.Seeds)
	}
	for _, x := range []*float64{
		&p.Notifications, &p.MaxFanOut, &p.RequestTotal, &p.WastedWakeups, &p.ListingBytes,
		&p.WaitMedianMS, &p.WaitP95MS, &p.WaitP99MS,
	} {
		*x /= float64(o.Seeds)
	}
	return p, nil
}

// logSlope is the slope of the notifications over the numbers of clients in
// a least-squares fit of the logarithms; false with fewer than two points
// that have a logarithm.
func logSlope(points []SweepPoint) (float64, bool) {
	var x, y []float64
	for _, p := range points {
		if p.Notifications > 0 {
			x = append(x, math.Log(float64(p.Clients)))
			y = append(y, math.Log(p.Notifications))
		}
	}
	if len(x) < 2 {
		return 0, false
	}
	_, slope := stat.LinearRegression(x, y, nil, false)
	return slope, true
}
