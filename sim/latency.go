package sim

import (
	"math"
	"time"
)

// Time is virtual time since the start of a run.
type Time = time.Duration

// Dist is a distribution of durations given as a table of equally likely
// values in increasing order; drawing from it is one choice, and alternative
// 0 is the smallest value.
type Dist []Time

// Exponential returns a Dist of n values: least plus an exponentially
// distributed part with the given mean.
func Exponential(least, mean Time, n int) Dist {
	d := make(Dist, n)
	for i := range d {
		q := float64(i) / float64(n)
		d[i] = least + Time(-math.Log1p(-q)*float64(mean))
	}
	return d
}

// Mostly returns a Dist of n values that are 0 but for the last ones, which
// are the given tail.
func Mostly(n int, tail ...Time) Dist {
	d := make(Dist, n)
	copy(d[n-len(tail):], tail)
	return d
}
