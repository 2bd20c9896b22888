package checker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMean95(t *testing.T) {
	require.Equal(t, Interval{}, Mean95(nil))
	require.Equal(t, Interval{Mean: 7, Low: 7, High: 7, N: 1}, Mean95([]float64{7}))
	require.Equal(t, Interval{Mean: 7, Low: 7, High: 7, N: 3}, Mean95([]float64{7, 7, 7}))

	// Standard deviation 1, t(0.975, 2) = 4.302653 from the tables.
	got := Mean95([]float64{1, 2, 3})
	require.Equal(t, 3, got.N)
	require.InDelta(t, 2, got.Mean, 1e-12)
	require.InDelta(t, 2-4.302653/1.7320508, got.Low, 1e-6)
	require.InDelta(t, 2+4.302653/1.7320508, got.High, 1e-6)

	// t(0.975, 9) = 2.262157, standard deviation of 1 to 10 is 3.0276504.
	got = Mean95([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	require.InDelta(t, 5.5-2.262157*3.0276504/3.1622777, got.Low, 1e-6)
}

func TestPaired95(t *testing.T) {
	got, err := Paired95([]float64{101, 202, 303}, []float64{100, 200, 300})
	require.NoError(t, err)
	require.Equal(t, Mean95([]float64{1, 2, 3}), got)

	// The spread between the pairs does not widen the interval.
	got, err = Paired95([]float64{11, 1001, 100001}, []float64{10, 1000, 100000})
	require.NoError(t, err)
	require.Equal(t, Interval{Mean: 1, Low: 1, High: 1, N: 3}, got)

	_, err = Paired95([]float64{1}, nil)
	require.ErrorContains(t, err, "1 and 0 values")
}

func TestQuantile(t *testing.T) {
	require.Zero(t, Quantile([]float64(nil), 0.5))
	hundred := make([]int, 100)
	for i := range hundred {
		hundred[i] = i + 1
	}
	for _, c := range []struct {
		q    float64
		want int
	}{{0, 1}, {0.01, 1}, {0.5, 50}, {0.95, 95}, {0.951, 96}, {0.99, 99}, {1, 100}} {
		require.Equal(t, c.want, Quantile(hundred, c.q), c.q)
	}
	waits := []time.Duration{1, 2, 3, 4}
	require.Equal(t, time.Duration(2), Quantile(waits, 0.5))
	require.Equal(t, time.Duration(4), Quantile(waits, 0.95))
	require.Equal(t, "b", Quantile([]string{"a", "b", "c"}, 0.5))
}
