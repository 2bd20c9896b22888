package checker

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a mean with its two-sided 95 % confidence interval. With fewer
// than two samples nothing is known of the spread, and Low and High are the
// mean.
type Interval struct {
	Mean, Low, High float64
	N               int // samples
}

// Mean95 is the mean of samples drawn independently from one distribution,
// with the interval of Student's t distribution.
func Mean95(samples []float64) Interval {
	n := len(samples)
	switch n {
	case 0:
		return Interval{}
	case 1:
		return Interval{Mean: samples[0], Low: samples[0], High: samples[0], N: 1}
	}
	mean, deviation := stat.MeanStdDev(samples, nil)
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}
	half := student.Quantile(0.975) * stat.StdErr(deviation, float64(n))
	return Interval{Mean: mean, Low: mean - half, High: mean + half, N: n}
}

// Paired95 is Mean95 of the differences a[i] - b[i]: two variants measured on
// the same seeds, in the same order. Slices of different length are an error.
func Paired95(a, b []float64) (Interval, error) {
	if len(a) != len(b) {
		return Interval{}, fmt.Errorf("checker: paired samples: %d and %d values, want as many of each", len(a), len(b))
	}
	differences := make([]float64, len(a))
	for i := range a {
		differences[i] = a[i] - b[i]
	}
	return Mean95(differences), nil
}

// Quantile is the smallest value that at least the share q (0 to 1) of sorted
// does not exceed: a value that was seen, never one between two. It is the
// zero value if sorted is empty.
func Quantile[T cmp.Ordered](sorted []T, q float64) T {
	if len(sorted) == 0 {
		var zero T
		return zero
	}
	// The product is a little off for shares such as 0.95.
	rank := math.Ceil(q*float64(len(sorted)) - 1e-9)
	return sorted[max(int(rank)-1, 0)]
}
